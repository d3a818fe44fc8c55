//! Conclusions about the figures besides caveats and claims; `models` has drives as samples of
//! their models.

pub mod models;

use crate::analysis::keys::{DriveKey, StepKey, SubjectKey, ValueKey};
use dyno_core::stats::specimens::Models;

/// A repeat of a point that deviated from the others, for all subjects.
#[derive(Clone, Debug, PartialEq)]
pub struct CommonShift {
    /// The step.
    pub step: StepKey,
    /// The axis value.
    pub value: ValueKey,
    /// The repeat, from 1.
    pub repeat: u32,
    /// Number of subjects measured in it.
    pub subjects: usize,
    /// Its figure divided by that of the other repeats: ops/s, or p99 if there is a target rate.
    /// The geometric mean over the subjects.
    pub factor: f64,
    /// Whether the factor is for p99 instead of ops/s.
    pub latency: bool,
}

/// A repeat of one subject at a point that deviated from its other repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlyingRepeat {
    /// The step.
    pub step: StepKey,
    /// The axis value.
    pub value: ValueKey,
    /// The subject.
    pub subject: SubjectKey,
    /// The repeat, from 1.
    pub repeat: u32,
    /// Its figure divided by the median of the others: ops/s, or p99 if there is a target rate.
    pub factor: f64,
    /// Whether the factor is for p99 instead of ops/s.
    pub latency: bool,
}

/// A drive whose ops/s deviate from those of the others of its group.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlyingDrive {
    /// The step.
    pub step: StepKey,
    /// The axis value.
    pub value: ValueKey,
    /// The subject.
    pub subject: SubjectKey,
    /// Its place among the subject's drives.
    pub drive: DriveKey,
    /// The drive's ops per second.
    pub ops_per_s: f64,
    /// The mean of the others, and their number.
    pub others_per_s: f64,
    /// Number of other drives in the group.
    pub others: usize,
}

/// Two models compared drive by drive, in ops/s: the first ÷ the second.
#[derive(Clone, Debug, PartialEq)]
pub struct OfModels {
    /// The step.
    pub step: StepKey,
    /// The axis value.
    pub value: ValueKey,
    /// The two subjects.
    pub pair: (SubjectKey, SubjectKey),
    /// The models' names.
    pub names: (String, String),
    /// The ratio and its interval.
    pub found: Models,
}
