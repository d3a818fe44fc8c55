//! What a bundle holds, as the store hands it on: the run, and its points one by one.

use super::{Class, Fact, Point, Prepared, Reported, Run, Sample};

/// A bundle without its points.
#[derive(Clone, Debug, PartialEq)]
pub struct RunContents {
    /// The file's name, without its folder.
    pub file: String,
    pub run: Run,
    /// What holds for the run as a whole, in the order in which it was noted.
    pub facts: Vec<Fact>,
    /// What was done to the drives before their points, in order.
    pub prepared: Vec<Prepared>,
}

/// A point with what was noted beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct PointContents {
    pub point: Point,
    pub rates: Vec<RateInterval>,
    pub samples: Vec<Sample>,
    /// What another tool reported of it.
    pub reported: Vec<Reported>,
}

/// An interval without its latencies, which are most of its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct RateInterval {
    pub stream: String,
    pub drive: u32,
    pub instance: u32,
    pub class: Class,
    /// Both since the start of the measured window.
    pub start_ns: u64,
    pub end_ns: u64,
    pub ops: u64,
    pub bytes: u64,
}
