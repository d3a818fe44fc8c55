//! The preparation of drives before their points, and the state in which the run left them, so that
//! a resumed run repeats only what no longer holds, and a report can describe the preparation.

use serde::{Deserialize, Deserializer, Serialize};

use crate::plan::{SteadyMetric, SteadyRule};

/// One action on one drive.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparationStep {
    /// The subject's name.
    pub subject: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// "purge", "filesystem", "fill …", "condition …", "steady state".
    pub action: String,
    /// The plan's request, as JSON: a different request is a different action.
    pub asked: String,
    /// The result, as text.
    pub outcome: String,
    /// The UUID of the filesystem that it made, by which a resumed run recognises it.
    pub filesystem_uuid: Option<String>,
    /// Rounds and verdict, if the action ran until a load was steady.
    pub steady: Option<SteadyState>,
    /// Time, nanoseconds since 1970 (UTC).
    pub ended_unix_ns: u64,
}

/// Rounds of a load, and whether the last ones were steady.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyState {
    /// The tracked metric.
    pub metric: SteadyMetric,
    /// Length of a round, nanoseconds.
    pub round_ns: u64,
    /// Window, excursion and slope required by the plan.
    pub rule: SteadyRule,
    /// The metric of every round, in its unit; not a number if a round has no value.
    #[serde(deserialize_with = "rounds")]
    pub rounds: Vec<f64>,
    /// The last rounds; None if too few were run, or without ops.
    pub window: Option<SteadyWindow>,
}

/// JSON has no NaN, and a round without a value is null in it.
fn rounds<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let values: Vec<Option<f64>> = Deserialize::deserialize(from)?;
    Ok(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}

impl SteadyState {
    /// Whether the last window of rounds satisfied the rule.
    pub fn reached(&self) -> bool {
        self.window.as_ref().is_some_and(|w| w.steady)
    }
}

/// The last rounds, their fit, and the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyWindow {
    /// The number of the first round in the window, from 1.
    pub first_round: usize,
    /// The metric of each round of the window, in its unit.
    pub values: Vec<f64>,
    /// Their mean, in the same unit.
    pub mean: f64,
    /// Maximum minus minimum, as a share of the mean.
    pub excursion: f64,
    /// Change of the fitted line from one round to the next.
    pub slope_per_round: f64,
    /// The fitted line at the first round of the window.
    pub intercept: f64,
    /// Difference between the fitted line's ends, as a share of the mean.
    pub slope: f64,
    /// Whether excursion and slope are both within the rule.
    pub steady: bool,
}

/// The state in which a drive was left: its identity, the bytes written to it by then, by any
/// program, and its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveState {
    /// The subject's name.
    pub subject: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// The drive's serial number; for a folder, the filesystem's identifier.
    pub serial: String,
    /// The name of the byte counter. One that is reset at boot includes the boot.
    pub counter: String,
    /// Bytes written to the drive by then, according to that counter.
    pub written_bytes: u64,
    /// A checksum of samples of its contents; empty from before a run writes to it until the run
    /// ends, because the contents are then unknown.
    #[serde(default)]
    pub contents: String,
}
