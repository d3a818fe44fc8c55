//! A figure printed by another tool, without the underlying data.

use super::Class;

/// One figure of one class of a stream, or of the whole point (`watts`).
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// The stream as which the figure was imported.
    pub stream: String,
    /// Its class of op.
    pub class: Class,
    /// `OPS_PER_S`, `BYTES_PER_S`, `DRIVE_WATTS`, "mean_ns", "max_ns", or a percentile such as
    /// "p99_ns" or "p99.9_ns".
    pub name: String,
    /// The figure as printed, in nanoseconds if its name ends so.
    pub value: f64,
    /// The bounds of its true value, such as its bucket; both equal the value if the tool reported
    /// none.
    pub low: f64,
    /// Upper bound; see `low`.
    pub high: f64,
    /// The number of ops behind it, if reported.
    pub samples: Option<u64>,
    /// Its significant digits in the source, with which it and derived figures are printed; None if
    /// the source is not meant for reading.
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
