//! The preparation of drives before their points, and the state in which the run left them, so that
//! a resumed run repeats only what no longer holds, and a report can describe the preparation.

use serde::{Deserialize, Serialize};

use crate::plan::{SteadyMetric, SteadyRule};

/// One thing done to one drive.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparationStep {
    /// The subject's name.
    pub subject: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// "purge", "filesystem", "fill …", "condition …", "steady state".
    pub action: String,
    /// What the plan asked for, as JSON: an action that was asked for differently is another one.
    pub asked: String,
    /// What was done, in words.
    pub outcome: String,
    /// Rounds and verdict, where the action ran until a load was steady.
    pub steady: Option<SteadyState>,
    /// When it was done, nanoseconds since 1970 (UTC).
    pub ended_unix_ns: u64,
}

/// Rounds of a load, and whether their end was steady.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyState {
    /// What is tracked from round to round.
    pub metric: SteadyMetric,
    /// Length of a round, nanoseconds.
    pub round_ns: u64,
    /// Window, excursion and slope that the plan asks for.
    pub rule: SteadyRule,
    /// The metric of every round, in its unit.
    pub rounds: Vec<f64>,
    /// The last rounds; none where too few were run, or nothing was done in them.
    pub window: Option<SteadyWindow>,
}

impl SteadyState {
    /// Whether the last window of rounds kept the rule.
    pub fn reached(&self) -> bool {
        self.window.as_ref().is_some_and(|w| w.steady)
    }
}

/// The last rounds, what was fitted to them, and the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteadyWindow {
    /// The number of the first round in the window, from 1.
    pub first_round: usize,
    /// The metric of each round of the window, in its unit.
    pub values: Vec<f64>,
    /// Their mean, in the same unit.
    pub mean: f64,
    /// Largest less smallest value, as a share of the mean.
    pub excursion: f64,
    /// What the fitted line changes by from one round to the next.
    pub slope_per_round: f64,
    /// The fitted line at the first round of the window.
    pub intercept: f64,
    /// How far the fitted line's ends are apart, as a share of the mean.
    pub slope: f64,
    /// Whether excursion and slope are both within the rule.
    pub steady: bool,
}

/// How a drive was left: who it is and how much had been written to it by then, by any program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveState {
    /// The subject's name.
    pub subject: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// The drive's serial number; a folder's filesystem has its own identifier.
    pub serial: String,
    /// The counter of the bytes. One that is reset at boot has the boot in its name.
    pub counter: String,
    /// Bytes written to the drive by then, as that counter has it.
    pub written_bytes: u64,
}
