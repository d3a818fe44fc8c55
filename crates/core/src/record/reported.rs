//! A figure that another tool printed, where its raw latencies are not to be had.

use super::Class;

/// One figure of one class of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// The stream that the figure was imported as.
    pub stream: String,
    /// The class of op that it is of.
    pub class: Class,
    /// "mean_ns", "max_ns", or a percentile such as "p99_ns" or "p99.9_ns".
    pub name: String,
    /// The figure as printed, in nanoseconds where its name ends so.
    pub value: f64,
    /// The bounds within which it is known, such as the bucket that it was counted in; both are the
    /// value where the tool reported none.
    pub low: f64,
    /// Upper bound; see `low`.
    pub high: f64,
    /// How many ops it was made from, if that was reported.
    pub samples: Option<u64>,
}
