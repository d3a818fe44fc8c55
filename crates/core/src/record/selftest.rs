//! The results of `dyno selftest` on a host, stored with the host's state and in its
//! bundles.

use serde::{Deserialize, Serialize};

use super::{Fact, PacingFloor};
use crate::base::units;

/// Heading in a disclosure, and the name of its first row.
const GROUP: &str = "Self-test";
const SUMMARY: &str = "Summary";

/// One self-test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfTest {
    /// Start, nanoseconds since 1970 (UTC).
    pub started_unix_ns: u64,
    /// Version of the Dyno that ran it.
    pub dyno_version: String,
    /// Repeats of each of its points.
    pub repeats: u32,
    /// Length of each measured window, nanoseconds.
    pub window_ns: u64,
    /// False claims between a subject and itself.
    pub same: Same,
    /// Power: known differences that were set and searched for.
    pub known: Vec<SetDifference>,
    /// Run-to-run scatter of each load.
    pub scatter: Vec<Scatter>,
    /// Response times of ops that take no time.
    pub floor: PacingFloor,
    /// The generator's maximum ops/s for each shape of load.
    pub ceilings: Vec<MeasuredCeiling>,
    /// Measurements that failed, with the reason.
    pub failures: Vec<String>,
}

/// The same subject measured as two subjects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Same {
    /// Number of briefs, each a family of comparisons.
    pub briefs: usize,
    /// All comparisons.
    pub comparisons: usize,
    /// Comparisons whose interval excluded "no difference": all false.
    pub claimed: usize,
    /// Briefs with any of them: at most 5 % are promised.
    pub false_briefs: usize,
}

/// A known difference, and its detection in ops/s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetDifference {
    /// The known difference, in percent.
    pub percent: f64,
    /// Points of the step.
    pub points: usize,
    /// Points at which it was claimed.
    pub found: usize,
    /// Whether the step's mean claims it.
    pub in_mean: bool,
    /// Claims in the opposite direction.
    pub wrong: usize,
}

/// The run-to-run scatter of a load: standard deviations of the logarithms of single runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scatter {
    /// "the null engine", "direct reads under /mnt/a"
    pub of: String,
    /// Scatter of ops/s; None if it could not be estimated.
    pub ops: Option<f64>,
    /// Scatter of the 99th percentile; None if it could not be estimated.
    pub p99: Option<f64>,
    /// The smallest difference in ops/s that the self-test's repeats show at a point, in percent,
    /// in a brief of two subjects, ten points and two figures.
    pub shows_percent: Option<f64>,
}

/// The generator's maximum rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeasuredCeiling {
    /// The engine's name.
    pub engine: String,
    /// Title of its step, in lower case.
    pub shape: String,
    /// Ops submitted per second.
    pub ops_per_s: f64,
}

impl SelfTest {
    /// "5 repeats show differences from 0.4 % (the null engine) and 3.2 % (direct reads under
    /// /mnt/a); the same subject twice: 0 false claims in 40"
    pub fn summary(&self) -> String {
        let shown = |s: &Scatter| s.shows_percent.map(|p| format!("{} ({})", percent(p), s.of));
        let all: Vec<String> = self.scatter.iter().filter_map(shown).collect();
        let least = match &all[..] {
            [] => String::new(),
            all => format!("{} repeats show differences from {}; ", self.repeats, all.join(", ")),
        };
        let Same { comparisons, claimed, .. } = self.same;
        let plural = if claimed == 1 { "" } else { "s" };
        format!("{least}the same subject twice: {claimed} false claim{plural} in {comparisons}")
    }

    /// The rows for the disclosure of every run on the host.
    pub fn disclosed(&self) -> Vec<Fact> {
        let when = format!("{}, dyno {}", units::moment(self.started_unix_ns), self.dyno_version);
        let mut facts =
            vec![Fact::new(GROUP, SUMMARY, self.summary()), Fact::new(GROUP, "Measured", when)];
        let Same { briefs, false_briefs, .. } = self.same;
        let same = format!("{false_briefs} of {briefs} briefs with any false claim");
        facts.push(Fact::new(GROUP, "The same subject twice", same));
        for known in &self.known {
            let SetDifference { percent, points, found, in_mean, wrong } = known;
            let mean = if *in_mean { "claimed" } else { "not claimed" };
            let value = format!(
                "found at {found} of {points} points, {mean} in the step's mean, {wrong} claims of \
                 the opposite"
            );
            facts.push(Fact::new(GROUP, format!("Known difference of {percent} %"), value));
        }
        for scatter in &self.scatter {
            let of =
                |name: &str, s: Option<f64>| s.map(|s| format!("{} ({name})", percent(s * 100.0)));
            let both: Vec<String> =
                [of("ops/s", scatter.ops), of("p99", scatter.p99)].into_iter().flatten().collect();
            facts.push(Fact::new(GROUP, format!("Scatter, {}", scatter.of), both.join(", ")));
        }
        let PacingFloor { median_ns, p95_ns, .. } = self.floor;
        let [median, p95] = [median_ns, p95_ns].map(|ns| units::latency(ns as f64));
        facts.push(Fact::new(GROUP, "Pacing floor", format!("{median} median, {p95} p95")));
        for MeasuredCeiling { engine, shape, ops_per_s } in &self.ceilings {
            let value = format!("{} ops/s", units::grouped(*ops_per_s as u64));
            facts.push(Fact::new(GROUP, format!("Ceiling, {engine}, {shape}"), value));
        }
        facts.extend(self.failures.iter().map(|why| Fact::new(GROUP, "Not measured", why)));
        facts
    }
}

/// A percentage with two digits, rounded up.
fn percent(value: f64) -> String {
    let decimals = if value > 0.0 { (1 - value.log10().floor() as i32).clamp(0, 4) } else { 0 };
    let unit = 10f64.powi(-decimals);
    format!("{:.*} %", decimals as usize, (value / unit).ceil() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> SelfTest {
        SelfTest {
            started_unix_ns: 1_790_000_000_000_000_000,
            dyno_version: "0.1.0".into(),
            repeats: 5,
            window_ns: 200_000_000,
            same: Same { briefs: 3, comparisons: 40, claimed: 1, false_briefs: 1 },
            known: vec![SetDifference {
                percent: 3.0,
                points: 6,
                found: 4,
                in_mean: true,
                wrong: 0,
            }],
            scatter: vec![
                Scatter {
                    of: "the null engine".into(),
                    ops: Some(0.0012),
                    p99: None,
                    shows_percent: Some(0.311),
                },
                Scatter {
                    of: "direct reads".into(),
                    ops: Some(0.014),
                    p99: Some(0.02),
                    shows_percent: Some(3.13),
                },
            ],
            floor: PacingFloor { median_ns: 900, p95_ns: 5_000, ops: 2_000, ops_per_s: 10_000 },
            ceilings: vec![MeasuredCeiling {
                engine: "null".into(),
                shape: "open loop".into(),
                ops_per_s: 21e6,
            }],
            failures: vec![],
        }
    }

    #[test]
    fn its_summary_and_its_facts_say_what_was_found_and_it_comes_back_from_a_line() {
        let test = found();
        assert_eq!(
            test.summary(),
            "5 repeats show differences from 0.32 % (the null engine), 3.2 % (direct reads); the \
             same subject twice: 1 false claim in 40"
        );
        let facts = test.disclosed();
        let of = |name: &str| facts.iter().find(|f| f.name == name).map(|f| f.value.as_str());
        assert_eq!(of("The same subject twice"), Some("1 of 3 briefs with any false claim"));
        let known = "found at 4 of 6 points, claimed in the step's mean, 0 claims of the opposite";
        assert_eq!(of("Known difference of 3 %"), Some(known));
        assert_eq!(of("Scatter, direct reads"), Some("1.4 % (ops/s), 2.0 % (p99)"));
        assert_eq!(of("Ceiling, null, open loop"), Some("21,000,000 ops/s"));
        let line = serde_json::to_string(&test).expect("JSON");
        assert_eq!(serde_json::from_str::<SelfTest>(&line).expect("read"), test);
    }
}
