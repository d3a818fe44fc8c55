//! The contents of a bundle, as returned by the store: the run, and its points one by one.

use super::{Class, Point, PreparationStep, Reported, Run, Sample, Setup, SlowOp};

/// A bundle without its points.
#[derive(Clone, Debug, PartialEq)]
pub struct RunContents {
    /// The file's name, without its folder.
    pub file: String,
    /// The resolved plan, the start of the run, and the version of Dyno.
    pub run: Run,
    /// The host, the drives, and facts that are only disclosed.
    pub setup: Setup,
    /// Preparation of the drives before their points, in order.
    pub prepared: Vec<PreparationStep>,
}

/// A point with its associated data.
#[derive(Clone, Debug, PartialEq)]
pub struct PointContents {
    /// The key, the outcome and the counts.
    pub point: Point,
    /// Ops and bytes per interval, for series and drift tests.
    pub rates: Vec<RateInterval>,
    /// Readings of the meters, in chronological order.
    pub samples: Vec<Sample>,
    /// Figures reported by another tool.
    pub reported: Vec<Reported>,
    /// Its slowest ops, slowest first; empty if not requested.
    pub slow_ops: Vec<SlowOp>,
}

/// An interval without its latencies, which take most of its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct RateInterval {
    /// The stream's name in its step.
    pub stream: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// Index of the stream's copy on that drive, from 0.
    pub instance: u32,
    /// The class of the counted ops; each class has its own interval.
    pub class: Class,
    /// Start of the interval, since the start of the measured window.
    pub start_ns: u64,
    /// End of the interval, nanoseconds since the start of the measured window.
    pub end_ns: u64,
    /// Ops completed in the interval.
    pub ops: u64,
    /// Bytes that those ops moved.
    pub bytes: u64,
    /// The response times of `timed` ops together, nanoseconds; open loop only.
    pub response_sum_ns: Option<u64>,
    /// The number of latencies that were recorded in the interval.
    pub timed: u64,
}
