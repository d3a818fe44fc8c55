//! The accuracy of Dyno's own schedules, stored as facts: the floor below which response times
//! cannot be measured, and the number of times that Dyno alone caused lateness.

use serde::{Deserialize, Serialize};

use crate::record::Fact;
use crate::record::key::FactHeading;

const FLOOR: (&str, &str) = (FactHeading::Dyno.name(), "Pacing floor");

/// Heading of a point's facts, each named after its stream.
const CEILING: &str = "Generator's ceiling";

/// Response times of ops that take no time, in open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacingFloor {
    /// Median response time, nanoseconds.
    pub median_ns: u64,
    /// 95th percentile, nanoseconds.
    pub p95_ns: u64,
    /// Ops that were timed.
    pub ops: u64,
    /// The rate at which they were due, ops/s.
    pub ops_per_s: u64,
}

impl PacingFloor {
    /// The stored fact.
    pub fn to_fact(self) -> Fact {
        let PacingFloor { median_ns, p95_ns, ops, ops_per_s } = self;
        let value =
            format!("{median_ns} ns median, {p95_ns} ns p95, of {ops} ops at {ops_per_s} a second");
        Fact::new(FLOOR.0, FLOOR.1, value)
    }

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<PacingFloor> {
        if (fact.group.as_str(), fact.name.as_str()) != FLOOR {
            return None;
        }
        let [median_ns, p95_ns, ops, ops_per_s] = numbers(&fact.value)?;
        Some(PacingFloor { median_ns, p95_ns, ops, ops_per_s })
    }
}

/// The cause of the generator's own lateness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatenessCause {
    /// A worker with a free slot was waiting for the op and still submitted it late.
    Overslept,
    /// The op of a recorded load had not been read when it was due.
    Unread,
}

impl LatenessCause {
    /// Both.
    pub const ALL: [LatenessCause; 2] = [LatenessCause::Overslept, LatenessCause::Unread];

    /// Heading of a point's facts, each named after its stream.
    const fn heading(self) -> &'static str {
        match self {
            LatenessCause::Overslept => "Overslept",
            LatenessCause::Unread => "Trace not read in time",
        }
    }
}

/// Ops of an open loop that were submitted late because of the generator, not of the drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnLateness {
    /// The cause.
    pub cause: LatenessCause,
    /// The stream's name.
    pub stream: String,
    /// Ops submitted late.
    pub times: u64,
    /// Total lateness, nanoseconds.
    pub total_ns: u64,
    /// Maximum lateness, nanoseconds.
    pub longest_ns: u64,
}

impl OwnLateness {
    /// The fact of a point, named after the stream.
    pub fn to_fact(&self) -> Fact {
        let OwnLateness { cause, stream, times, total_ns, longest_ns } = self;
        Fact::new(
            cause.heading(),
            stream,
            format!("{times} times, {total_ns} ns in all, {longest_ns} ns at most"),
        )
    }

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<OwnLateness> {
        let cause = LatenessCause::ALL.into_iter().find(|cause| fact.group == cause.heading())?;
        let [times, total_ns, longest_ns] = numbers(&fact.value)?;
        Some(OwnLateness { cause, stream: fact.name.clone(), times, total_ns, longest_ns })
    }
}

/// From this share of the generator's ceiling on, a result is limited by the generator.
pub const NEAR_CEILING: f64 = 0.8;

/// The rate at which Dyno generates a stream's load if requests take no time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ceiling {
    /// The stream's name.
    pub stream: String,
    /// Ops per second, over all its workers and drives.
    pub ops_per_s: u64,
}

impl Ceiling {
    /// The fact of a point, named after the stream.
    pub fn to_fact(&self) -> Fact {
        let value =
            format!("{} ops/s in this shape, of requests that take no time", self.ops_per_s);
        Fact::new(CEILING, &self.stream, value)
    }

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<Ceiling> {
        let [ops_per_s] = numbers(&fact.value).filter(|_| fact.group == CEILING)?;
        Some(Ceiling { stream: fact.name.clone(), ops_per_s })
    }
}

/// The whole numbers in a text.
pub fn numbers<const N: usize>(text: &str) -> Option<[u64; N]> {
    let found: Vec<u64> = text.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    found.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_as_a_fact_comes_back_from_it() {
        let floor = PacingFloor { median_ns: 120, p95_ns: 5_300, ops: 2_000, ops_per_s: 10_000 };
        assert_eq!(PacingFloor::of_fact(&floor.to_fact()), Some(floor));
        for cause in LatenessCause::ALL {
            let (times, total_ns, longest_ns) = (3, 900_000, 400_000);
            let own = OwnLateness { cause, stream: "io 2".into(), times, total_ns, longest_ns };
            assert_eq!(OwnLateness::of_fact(&own.to_fact()), Some(own.clone()));
            assert_eq!(PacingFloor::of_fact(&own.to_fact()), None);
        }
        assert_eq!(OwnLateness::of_fact(&floor.to_fact()), None);
        let ceiling = Ceiling { stream: "io".into(), ops_per_s: 24_000_000 };
        assert_eq!(Ceiling::of_fact(&ceiling.to_fact()), Some(ceiling));
    }
}
