//! A load that starts on several hosts at once: the start times of its points, and the offset of a
//! host's clock from the common reference.

use serde::{Deserialize, Serialize};

use crate::record::Fact;

/// Heading of the facts of a run with a common start.
const HEADING: &str = "Start with other hosts";
const FIRST: &str = "First point";
const EVERY: &str = "A point every";
const REFERENCE: &str = "Clock compared with";
const LIMIT: &str = "Limit of the offset";
const BEFORE: &str = "Offset before the run";
const AFTER: &str = "Offset after the run";

/// The offset of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockOffset {
    /// The correction to the host's clock, nanoseconds.
    pub offset_ns: i64,
    /// Maximum error of the offset: half the round trip (RFC 5905, section 8).
    pub bound_ns: u64,
}

impl ClockOffset {
    /// The maximum possible difference between the clocks.
    pub fn most_ns(self) -> u64 {
        self.offset_ns.unsigned_abs() + self.bound_ns
    }

    /// "+0.050012345 s ± 0.000012345 s"
    pub fn text(self) -> String {
        format!("{} ± {}", signed(self.offset_ns), seconds(self.bound_ns))
    }
}

/// The start times of a run's points, and the reference clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommonStart {
    /// Start of the first point's load, nanoseconds since 1970 on the host's own clock.
    pub first_unix_ns: u64,
    /// Time from one point's start to the next.
    pub every_ns: u64,
    /// HOST or HOST:PORT of the clock with which all hosts compare theirs.
    pub reference: String,
    /// The largest accepted difference between the clocks.
    pub limit_ns: u64,
    /// The offset before the first point.
    pub before: Option<ClockOffset>,
    /// The offset after the last one.
    pub after: Option<ClockOffset>,
}

impl CommonStart {
    /// In a disclosure.
    pub fn disclosed(&self) -> Vec<Fact> {
        let fact = |name: &str, value: String| Fact::new(HEADING, name, value);
        let first = jiff::Timestamp::from_nanosecond(i128::from(self.first_unix_ns));
        let mut facts = vec![
            fact(FIRST, first.map(|t| t.to_string()).unwrap_or_default()),
            fact(EVERY, seconds(self.every_ns)),
            fact(REFERENCE, self.reference.clone()),
            fact(LIMIT, seconds(self.limit_ns)),
        ];
        facts.extend(self.before.map(|offset| fact(BEFORE, offset.text())));
        facts.extend(self.after.map(|offset| fact(AFTER, offset.text())));
        facts
    }
}

fn signed(ns: i64) -> String {
    format!("{}{}", if ns < 0 { '-' } else { '+' }, seconds(ns.unsigned_abs()))
}

/// "0.050012345 s": to the nanosecond.
fn seconds(ns: u64) -> String {
    format!("{}.{:09} s", ns / 1_000_000_000, ns % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_disclosed_to_the_nanosecond() {
        let offset = |offset_ns, bound_ns| Some(ClockOffset { offset_ns, bound_ns });
        let start = CommonStart {
            first_unix_ns: 1_763_868_000_123_456_789,
            every_ns: 12_500_000_000,
            reference: "lab1:7123".to_string(),
            limit_ns: 10_000_000,
            before: offset(-50_000_001, 12_345),
            after: offset(49_999_999, 1),
        };
        let facts = start.disclosed();
        assert_eq!(facts[0].value, "2025-11-23T03:20:00.123456789Z");
        assert_eq!(facts[4].value, "-0.050000001 s ± 0.000012345 s");
    }
}
