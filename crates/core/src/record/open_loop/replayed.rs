//! A recorded load as specified for a point, stored as facts: the contents of the trace, and the
//! mapping of its offsets to the drive. The results are in the point's tallies.

use super::cached_blocks::CachedBlocks;
use super::pacing::numbers;
use crate::record::{Fact, Sample};

/// Headings of a point's facts, each named after its stream.
const LOAD: &str = "Recorded load";
const TRACE: &str = "Trace";
const REMAPPED: &str = "Remapped trace";

/// The meter and the name of the readings of `Arrivals`; the stream's name follows the meter's.
const ARRIVALS: (&str, &str) = ("trace ", "arrivals_per_s");

/// Requests of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordedKind {
    /// Number of requests.
    pub requests: u64,
    /// Total bytes.
    pub bytes: u64,
}

/// The recorded load of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// The facts of a point, named after the stream.
    pub fn to_facts(&self) -> [Fact; 2] {
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

    /// The recorded loads of all streams of a point.
    pub fn of_facts(facts: &[Fact]) -> Vec<Replayed> {
        facts.iter().filter_map(|fact| Replayed::of_load(fact, facts)).collect()
    }

    fn of_load(fact: &Fact, facts: &[Fact]) -> Option<Replayed> {
        if fact.group != LOAD {
            return None;
        }
        let [reads, read, writes, written, discards, discarded, flushes, length_ns] =
            numbers(&fact.value)?;
        let kind = |requests, bytes| RecordedKind { requests, bytes };
        let trace = facts.iter().find(|own| own.group == TRACE && own.name == fact.name)?;
        let (file, checksum) = trace.value.rsplit_once(", XXH3 of its requests ")?;
        Some(Replayed {
            stream: fact.name.clone(),
            file: file.to_string(),
            checksum: u64::from_str_radix(checksum, 16).ok()?,
            length_ns,
            reads: kind(reads, read),
            writes: kind(writes, written),
            discards: kind(discards, discarded),
            flushes,
        })
    }
}

impl RemappedTrace {
    /// The fact of a point, named after the stream.
    pub fn to_fact(&self) -> Fact {
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

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<RemappedTrace> {
        let (how, _) = fact.value.split_once(',').filter(|_| fact.group == REMAPPED)?;
        let [needed_bytes, space_bytes, before, after, before_90, after_90] = numbers(&fact.value)?;
        Some(RemappedTrace {
            stream: fact.name.clone(),
            how: how.to_string(),
            needed_bytes,
            space_bytes,
            reuse_median_bytes: [before, after],
            reuse_p90_bytes: [before_90, after_90],
        })
    }
}

/// Whether a fact of a point is one of these, each of which is one line.
pub fn is_of_replay(fact: &Fact) -> bool {
    [LOAD, TRACE, REMAPPED, CachedBlocks::GROUP].contains(&fact.group.as_str())
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
    fn what_is_kept_of_a_replay_comes_back() {
        let kind = |requests, bytes| RecordedKind { requests, bytes };
        let replayed = Replayed {
            stream: "io 2".into(),
            file: "/logs/day 3, disk 4.csv".into(),
            checksum: 0x12,
            length_ns: 9,
            reads: kind(1, 2),
            writes: kind(3, 4),
            discards: kind(5, 6),
            flushes: 7,
        };
        assert_eq!(Replayed::of_facts(&replayed.to_facts()), [replayed]);
        let remapped = RemappedTrace {
            stream: "io 2".into(),
            how: "modulo".into(),
            needed_bytes: 1 << 40,
            space_bytes: 1 << 30,
            reuse_median_bytes: [1, 2],
            reuse_p90_bytes: [3, 4],
        };
        assert_eq!(RemappedTrace::of_fact(&remapped.to_fact()), Some(remapped.clone()));
        assert!(is_of_replay(&remapped.to_fact()));
        let arrivals = Arrivals { stream: "io 2".into(), at_ns: -3, per_s: 4.5 };
        assert_eq!(Arrivals::of_sample(&arrivals.to_sample()), Some(arrivals));
    }
}
