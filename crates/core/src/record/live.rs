//! The live feed of a run: its current state for pages and scrapers, in one document of bounded
//! size (docs/live.md). Only the run writes it.

use serde::{Deserialize, Serialize};

use super::{Class, Point, Tally};
use crate::base::histogram::Histogram;

/// The version of the document; readers accept no other.
pub const VERSION: u32 = 1;

/// Upper bounds of the latency buckets, nanoseconds: 1, 2 and 5 of each decade from 1 µs to 10 s.
/// Values above the last are only in `count`.
pub const BOUNDS_NS: [u64; 22] = [
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    1_000_000_000,
    2_000_000_000,
    5_000_000_000,
    10_000_000_000,
];

/// Series of totals; ops of further ones are added to one named `OTHER`.
pub const MOST_TOTALS: usize = 256;
/// The name of the series for ops beyond `MOST_TOTALS`.
pub const OTHER: &str = "(other)";
/// Lines of the figures.
pub const MOST_LINES: usize = 128;
/// Values of one row.
pub const MOST_VALUES: usize = 48;
/// Rows of the last minutes, one per second.
pub const RECENT: usize = 600;
/// Rows of the whole run; if there are more, pairs are merged.
pub const WHOLE: usize = 600;
/// Lines of the log.
pub const LOG: usize = 40;
/// Upcoming points.
pub const NEXT: usize = 5;
/// Readings of meters.
pub const MOST_GAUGES: usize = 128;
/// Characters of any text.
pub const LONGEST: usize = 300;

/// The current state of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Feed {
    /// `VERSION`.
    pub version: u32,
    /// The bundle's path at the start of the run.
    pub bundle: String,
    /// The running process.
    pub pid: u32,
    /// Start of that process, clock ticks since boot: distinguishes it from a later one with the
    /// same number.
    pub pid_began: u64,
    /// Version of the running Dyno.
    pub dyno_version: String,
    /// The protocol's name.
    pub protocol: String,
    /// Its title, in one line.
    pub title: String,
    /// Subjects in the plan's order.
    pub subjects: Vec<String>,
    /// The plan, one line per part.
    pub plan: Vec<String>,
    /// Start of this part of the run, nanoseconds since 1970 (UTC).
    pub began_unix_ns: u64,
    /// When the document was written, nanoseconds since 1970 (UTC).
    pub written_unix_ns: u64,
    /// Numbers of points by state.
    pub points: PointCounts,
    /// The current phase.
    pub phase: Phase,
    /// The same as text.
    pub doing: String,
    /// Progress of a fill, a purge or a preparation load, 0 to 1.
    pub share: Option<f64>,
    /// Upcoming points, at most `NEXT`.
    pub next: Vec<String>,
    /// Nanoseconds left; None while unknown.
    pub left_ns: Option<u64>,
    /// Percentage of the run's time.
    pub percent: Option<f64>,
    /// The last second of the window; empty outside a window.
    pub now: Vec<ClassRate>,
    /// The latest reading of each gauge.
    pub gauges: Vec<LiveGauge>,
    /// The latest lines of the log.
    pub log: Vec<LogEntry>,
    /// The lines to which the rows' values belong.
    pub lines: Vec<LiveLine>,
    /// The last minutes, one row per second.
    pub recent: Vec<LiveRow>,
    /// The whole run.
    pub whole: Vec<LiveRow>,
    /// Seconds per row of `whole`.
    pub whole_s: u32,
    /// Counts since the start of the run, including its earlier parts.
    pub totals: Vec<Total>,
    /// How it ended, if it has.
    pub ended: Option<RunEnd>,
}

/// Numbers of points by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointCounts {
    /// Points in the plan.
    pub all: u64,
    /// Points in the bundle, including failed ones.
    pub done: u64,
    /// Failed.
    pub failed: u64,
    /// Skipped because they are not needed.
    pub spared: u64,
}

/// The phase of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Opening, settling, storing: anything between two of the others.
    #[default]
    Between,
    /// Filling a dataset.
    Filling,
    /// Purging drives.
    Purging,
    /// Running a preparation load.
    Conditioning,
    /// Running rounds of a load until it is steady.
    Steadying,
    /// Observing the idle host.
    Idle,
    /// The load runs, before its window.
    WarmUp,
    /// The measured window.
    Window,
    /// The run has ended.
    Ended,
}

impl Phase {
    /// All phases, in the order in which a run may pass through them.
    pub const ALL: [Phase; 9] = [
        Phase::Between,
        Phase::Purging,
        Phase::Filling,
        Phase::Conditioning,
        Phase::Steadying,
        Phase::Idle,
        Phase::WarmUp,
        Phase::Window,
        Phase::Ended,
    ];

    /// The printed form.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Between => "between points",
            Phase::Filling => "filling",
            Phase::Purging => "purging",
            Phase::Conditioning => "conditioning",
            Phase::Steadying => "rounds until steady",
            Phase::Idle => "idle power",
            Phase::WarmUp => "warm-up",
            Phase::Window => "window",
            Phase::Ended => "ended",
        }
    }
}

/// Ops of one class of one stream in the last second, over all drives and instances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRate {
    /// The subject.
    pub subject: String,
    /// The stream.
    pub stream: String,
    /// The class of op.
    pub class: String,
    /// Completed ops per second.
    pub ops_per_s: f64,
    /// Bytes moved per second.
    pub bytes_per_s: f64,
    /// 99th percentile of the response time in that second; None with fewer than 100 ops above it.
    pub p99_ns: Option<u64>,
    /// The same for the point's window so far.
    pub point_p99_ns: Option<u64>,
}

/// A reading of a meter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveGauge {
    /// The meter's name in the plan.
    pub meter: String,
    /// Its subject; None: the host or shared.
    pub subject: Option<String>,
    /// The gauge's name, ending in its unit.
    pub name: String,
    /// The value, in that unit.
    pub value: f64,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// Time, nanoseconds since 1970 (UTC).
    pub unix_ns: u64,
    /// The event.
    pub text: String,
}

/// The quantity of a line in a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LiveMeasure {
    /// ops/s
    OpsPerS,
    /// bytes/s
    BytesPerS,
    /// 99th percentile of the response time, nanoseconds: of the second, or of the point so far if
    /// the second has too few ops
    P99Ns,
    /// watts
    Watts,
    /// degrees Celsius
    Celsius,
}

/// A line of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveLine {
    /// The quantity.
    pub measure: LiveMeasure,
    /// Subject, stream and class of op; or subject, meter and reading.
    pub name: String,
}

/// Values at one time, or over some seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveRow {
    /// Its end, milliseconds since the start of this part of the run.
    #[serde(rename = "t")]
    pub at_ms: u64,
    /// Indices into `lines`, with the value: the mean over the row's seconds, for a p99 the
    /// maximum.
    #[serde(rename = "v")]
    pub values: Vec<(u16, f64)>,
}

/// The counts for one class of a stream of a step on a subject since the start of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Total {
    /// The subject.
    pub subject: String,
    /// The step.
    pub step: String,
    /// The stream.
    pub stream: String,
    /// The class of op.
    pub class: String,
    /// Ops, as in the bundle's tallies.
    pub ops: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Reads of missing keys; counted when their point is stored.
    pub misses: u64,
    /// Abandoned transactions; counted when their point is stored.
    pub given_up: u64,
    /// Service time.
    pub service: LiveBuckets,
    /// Response time; in closed loop the service time.
    pub response: LiveBuckets,
}

/// Latencies in fixed buckets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveBuckets {
    /// For each bucket of `BOUNDS_NS`, the number of values above the previous bound and not above
    /// its own, within the histogram's resolution of 0.1 %. Trailing empty buckets are omitted.
    pub counts: Vec<u64>,
    /// All values, including those above the last bound.
    pub count: u64,
    /// Their exact sum, nanoseconds.
    pub sum_ns: u64,
}

impl LiveBuckets {
    /// Adds a histogram.
    pub fn add(&mut self, histogram: &Histogram) {
        let counts = histogram.counts_up_to(BOUNDS_NS);
        let used = counts.iter().rposition(|n| *n > 0).map_or(0, |last| last + 1);
        self.counts.resize(self.counts.len().max(used), 0);
        self.counts.iter_mut().zip(counts).for_each(|(own, n)| *own += n);
        self.count += histogram.count;
        self.sum_ns = self.sum_ns.saturating_add(histogram.sum_ns);
    }

    fn merge(&mut self, other: &LiveBuckets) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        self.counts.iter_mut().zip(&other.counts).for_each(|(own, other)| *own += other);
        self.count += other.count;
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Time, nanoseconds since 1970 (UTC).
    pub unix_ns: u64,
    /// The kind of ending.
    pub how: RunEnding,
    /// The same as text.
    pub text: String,
}

/// The kind of a run's ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnding {
    /// Every point was measured, or failed.
    Whole,
    /// Ended by a signal.
    Interrupted,
    /// Ended by an error.
    Failed,
}

/// Totals by stream, class, step and subject.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveTotals(pub Vec<Total>);

impl LiveTotals {
    /// The total of a class of a stream.
    pub fn of(&mut self, subject: &str, step: &str, stream: &str, class: Class) -> &mut Total {
        let is = |t: &Total, [subject, step, stream, class]: [&str; 4]| {
            t.class == class && t.stream == stream && t.subject == subject && t.step == step
        };
        let names = [subject, step, stream, class.name()];
        self.at(|t| is(t, names), names)
    }

    fn at(&mut self, is: impl Fn(&Total) -> bool, names: [&str; 4]) -> &mut Total {
        let known = self.0.iter().position(is);
        let index = known.unwrap_or_else(|| {
            let full = self.0.len() + 1 >= MOST_TOTALS;
            let names = if full { [OTHER; 4] } else { names };
            let other = self.0.iter().position(|t| t.subject == OTHER && t.class == OTHER);
            if let (true, Some(other)) = (full, other) {
                return other;
            }
            let [subject, step, stream, class] = names.map(str::to_string);
            self.0.push(Total { subject, step, stream, class, ..Total::default() });
            self.0.len() - 1
        });
        &mut self.0[index]
    }

    /// Adds a point as stored in the bundle.
    pub fn add_point(&mut self, point: &Point) {
        for cell in &point.cells {
            for tally in &cell.tallies {
                let of = self.of(&point.key.subject, &point.key.step, &cell.stream, tally.class);
                of.add_tally(tally);
            }
        }
    }

    /// Adds others to these.
    pub fn with(&self, others: &LiveTotals) -> LiveTotals {
        let mut all = self.clone();
        for other in &others.0 {
            let names = [&other.subject, &other.step, &other.stream, &other.class];
            let names = names.map(String::as_str);
            let is =
                |t: &Total| [&t.subject, &t.step, &t.stream, &t.class].map(String::as_str) == names;
            all.at(is, names).merge(other);
        }
        all
    }
}

impl Total {
    fn add_tally(&mut self, tally: &Tally) {
        self.ops += tally.ops;
        self.bytes += tally.bytes;
        self.misses += tally.misses;
        self.given_up += tally.given_up;
        self.service.add(&tally.service);
        self.response.add(tally.response());
    }

    fn merge(&mut self, other: &Total) {
        self.ops += other.ops;
        self.bytes += other.bytes;
        self.misses += other.misses;
        self.given_up += other.given_up;
        self.service.merge(&other.service);
        self.response.merge(&other.response);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_latency_is_in_the_bucket_of_the_first_bound_that_it_does_not_pass() {
        let mut histogram = Histogram::new();
        for ns in [1, 1_000, 1_001, 3_000_000, 9_999_000_000, 11_000_000_000] {
            histogram.add(ns);
        }
        let mut buckets = LiveBuckets::default();
        buckets.add(&histogram);
        buckets.add(&histogram);
        assert_eq!(buckets.counts[..2], [4, 2]);
        assert_eq!(buckets.counts[11], 2, "3 ms is at most 5 ms");
        assert_eq!((buckets.count, buckets.counts.iter().sum::<u64>()), (12, 10));
        assert_eq!(buckets.sum_ns, 2 * histogram.sum_ns);
    }

    #[test]
    fn totals_beyond_the_bound_are_counted_together_and_none_is_lost() {
        let mut totals = LiveTotals::default();
        for i in 0..2 * MOST_TOTALS {
            totals.of(&format!("subject {i}"), "a", "io", Class::READ).ops += 1;
        }
        let all: u64 = totals.0.iter().map(|t| t.ops).sum();
        assert_eq!((totals.0.len(), all), (MOST_TOTALS, 2 * MOST_TOTALS as u64));
        assert_eq!(totals.with(&totals).0.iter().map(|t| t.ops).sum::<u64>(), 2 * all);
    }
}
