//! What a bundle holds, as the store hands it on: the run, and its points one by one.

use super::{Class, Fact, Point, PreparationStep, Reported, Run, Sample, SlowOp};

/// A bundle without its points.
#[derive(Clone, Debug, PartialEq)]
pub struct RunContents {
    /// The file's name, without its folder.
    pub file: String,
    /// The resolved plan, when the run began, and which Dyno made it.
    pub run: Run,
    /// What holds for the run as a whole, in the order in which it was noted.
    pub facts: Vec<Fact>,
    /// What was done to the drives before their points, in order.
    pub prepared: Vec<PreparationStep>,
}

/// A point with what was noted beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct PointContents {
    /// The key, the outcome and the tallies.
    pub point: Point,
    /// Ops and bytes of each interval, for series and tests of drift.
    pub rates: Vec<RateInterval>,
    /// Readings of the meters, in the order in which they were taken.
    pub samples: Vec<Sample>,
    /// What another tool reported of it.
    pub reported: Vec<Reported>,
    /// Its slowest ops, the slowest first; none where they were not asked for.
    pub slow_ops: Vec<SlowOp>,
}

/// An interval without its latencies, which are most of its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct RateInterval {
    /// The stream's name in its step.
    pub stream: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// Which copy of the stream on that drive, from 0.
    pub instance: u32,
    /// The class whose ops are counted; each class has an interval of its own.
    pub class: Class,
    /// Both since the start of the measured window.
    pub start_ns: u64,
    /// End of the interval, nanoseconds since the start of the measured window.
    pub end_ns: u64,
    /// Ops that were intended in the interval.
    pub ops: u64,
    /// Bytes that those ops moved.
    pub bytes: u64,
}
