//! A figure that another tool printed, where what it was made from is not to be had.

use super::Class;

/// One figure of one class of a stream, or of the whole point (`watts`).
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// The stream that the figure was imported as.
    pub stream: String,
    /// The class of op that it is of.
    pub class: Class,
    /// `OPS_PER_S`, `BYTES_PER_S`, `DRIVE_WATTS`, "mean_ns", "max_ns", or a percentile such as
    /// "p99_ns" or "p99.9_ns".
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
    /// Its significant digits as the source writes it, by which it and what is derived from it are
    /// printed; None where the source is not meant for reading.
    pub digits: Option<u32>,
}

impl Reported {
    /// Ops per second of a class.
    pub const OPS_PER_S: &str = "ops_per_s";
    /// Bytes per second of a class.
    pub const BYTES_PER_S: &str = "bytes_per_s";
    /// Power of the drive at the point, as one figure.
    pub const DRIVE_WATTS: &str = "drive_watts";
}
