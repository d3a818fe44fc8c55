//! A reason why a cell supports no claim, or only a lower bound.

use crate::analysis::limits::bottleneck::BottleneckVerdict;

/// A reason to doubt a cell's figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Caveat {
    /// None of its repeats was measured completely.
    NotMeasured,
    /// Number of its failed repeats.
    Failed(usize),
    /// The drive was to be prepared until steady, but was not steady.
    NotSteady,
    /// The kernel sends neither flushes nor FUA to a drive that reports a volatile write cache that
    /// is on: writes that were to be durable were not.
    NoFlush,
    /// The drift in percent, from the start of the window to its end.
    Drifted(f64),
    /// The achieved share of the target rate.
    MissedRate(f64),
    /// The same for a background stream, which made the load easier for the headline's.
    BackgroundMissedRate(String, f64),
    /// The share of an open loop's ops that were submitted late.
    Late(f64),
    /// Closed loop: the rate times the mean latency, divided by the number of ops in flight.
    LittlesLaw(f64),
    /// Too few repeats for an interval: their number.
    FewRepeats(usize),
    /// Number of figures in the source of imported ones, which show no scatter.
    FewFigures(usize),
    /// The figure was not limited by the drive.
    NotTheDrive(BottleneckVerdict),
}

impl Caveat {
    /// Whether it is merely a lack of repeats.
    pub fn is_few_repeats(&self) -> bool {
        matches!(self, Caveat::FewRepeats(_))
    }

    /// Whether it rules out any claim. "Not limited by the drive" leaves a one-sided bound; where
    /// Little's law fails, rate and latency are each right, but not of one steady state.
    pub fn bars(&self) -> bool {
        !matches!(self, Caveat::NotTheDrive(_) | Caveat::LittlesLaw(_))
    }
}
