//! A recorded load as specified for a point: the contents of the trace, and the mapping of its
//! offsets to the drive. The results are in the point's tallies.

use serde::{Deserialize, Serialize};

use crate::record::{Fact, Sample};

/// Headings of a point's facts, each named after its stream.
const LOAD: &str = "Recorded load";
const TRACE: &str = "Trace";
const REMAPPED: &str = "Remapped trace";

/// The meter and the name of the readings of `Arrivals`; the stream's name follows the meter's.
const ARRIVALS: (&str, &str) = ("trace ", "arrivals_per_s");

/// Requests of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedKind {
    /// Number of requests.
    pub requests: u64,
    /// Total bytes.
    pub bytes: u64,
}

/// The recorded load of a stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Replayed {
    /// The stream's name.
    pub stream: String,
    /// The trace, as named in the plan.
    pub file: String,
    /// Checksum of the replayed requests, with their recorded times.
    pub checksum: u64,
    /// Time from the start of the window to the last request, nanoseconds of the recording.
    pub length_ns: u64,
    /// Reads.
    pub reads: RecordedKind,
    /// Writes.
    pub writes: RecordedKind,
    /// Discards.
    pub discards: RecordedKind,
    /// Flushes.
    pub flushes: u64,
}

/// The mapping of a trace's offsets to a smaller drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemappedTrace {
    /// The stream's name.
    pub stream: String,
    /// `modulo` or `compact`.
    pub how: String,
    /// Size of the space that the trace addresses, bytes.
    pub needed_bytes: u64,
    /// Size of the space to which it was mapped, bytes.
    pub space_bytes: u64,
    /// Median reuse distance before and after the mapping: half of the repeated accesses follow the
    /// previous access to the same data within this number of distinct bytes.
    pub reuse_median_bytes: [u64; 2],
    /// The same for nine in ten repeated accesses.
    pub reuse_p90_bytes: [u64; 2],
}

impl Replayed {
    /// Number of all requests.
    pub fn requests(&self) -> u64 {
        self.reads.requests + self.writes.requests + self.discards.requests + self.flushes
    }

    /// In a disclosure.
    pub fn disclosed(&self) -> [Fact; 2] {
        let Replayed { reads, writes, discards, flushes, length_ns, .. } = self;
        let load = format!(
            "{} reads of {} bytes, {} writes of {} bytes, {} discards of {} bytes, {flushes} \
             flushes, in {length_ns} ns",
            reads.requests,
            reads.bytes,
            writes.requests,
            writes.bytes,
            discards.requests,
            discards.bytes
        );
        let trace = format!("{}, XXH3 of its requests {:016x}", self.file, self.checksum);
        [Fact::new(LOAD, &self.stream, load), Fact::new(TRACE, &self.stream, trace)]
    }
}

impl RemappedTrace {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
        let RemappedTrace { how, needed_bytes, space_bytes, .. } = self;
        let ([before, after], [before_90, after_90]) =
            (self.reuse_median_bytes, self.reuse_p90_bytes);
        let value = format!(
            "{how}, from {needed_bytes} to {space_bytes} bytes; reuse distance, median: {before} \
             bytes before, {after} bytes after; nine in ten: {before_90} bytes before, {after_90} \
             bytes after"
        );
        Fact::new(REMAPPED, &self.stream, value)
    }
}

/// The number of a stream's requests that arrived per second around a time of its replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrivals {
    /// The stream's name.
    pub stream: String,
    /// Since the start of the measured window, nanoseconds.
    pub at_ns: i64,
    /// Requests per second.
    pub per_s: f64,
}

impl Arrivals {
    /// The stored sample.
    pub fn to_sample(&self) -> Sample {
        let (meter, name) = ARRIVALS;
        Sample {
            at_ns: self.at_ns,
            meter: format!("{meter}{}", self.stream),
            name: name.to_string(),
            value: self.per_s,
        }
    }

    /// None if the sample is a different one.
    pub fn of_sample(sample: &Sample) -> Option<Arrivals> {
        let stream = sample.meter.strip_prefix(ARRIVALS.0).filter(|_| sample.name == ARRIVALS.1)?;
        Some(Arrivals { stream: stream.to_string(), at_ns: sample.at_ns, per_s: sample.value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_come_back_from_their_sample() {
        let arrivals = Arrivals { stream: "io 2".into(), at_ns: -3, per_s: 4.5 };
        assert_eq!(Arrivals::of_sample(&arrivals.to_sample()), Some(arrivals));
    }
}
