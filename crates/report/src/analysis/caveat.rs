//! A reason why a cell supports no claim, or only a lower bound.

use crate::analysis::limits::bottleneck::BottleneckVerdict;

/// A reason to doubt a cell's figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Caveat {
    /// None of its repeats was measured to the end.
    NotMeasured,
    /// So many of its repeats failed.
    Failed(usize),
    /// The drive was prepared until steady and was not.
    NotSteady,
    /// By so many percent, from the start of the window to its end.
    Drifted(f64),
    /// The achieved share of the target rate.
    MissedRate(f64),
    /// The same of a stream beside the headline's, which so had an easier time.
    BackgroundMissedRate(String, f64),
    /// The share of the ops of an open loop that were handed over late.
    Late(f64),
    /// Too few repeats for an interval: so many.
    FewRepeats(usize),
    /// So many figures are given in the source of imported ones, which show no scatter.
    FewFigures(usize),
    /// Something other than the drive set the number.
    NotTheDrive(BottleneckVerdict),
}

impl Caveat {
    /// Whether it is but a lack of repeats.
    pub fn is_few_repeats(&self) -> bool {
        matches!(self, Caveat::FewRepeats(_))
    }

    /// Whether nothing at all may be claimed. What the drive did not decide is a bound from one
    /// side, and three repeats are a matter of measuring again.
    pub fn bars(&self) -> bool {
        !matches!(self, Caveat::NotTheDrive(_))
    }
}
