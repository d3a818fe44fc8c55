//! One point as numbers: each point is reduced immediately, because its histograms are large.
//!
//! Over drives, instances and streams, ops and bytes are summed and histograms merged; latencies of
//! different classes are never mixed.

#[cfg(test)]
mod tests;

use crate::analysis::keys::DriveKey;
use crate::analysis::points::point_summary::PERCENTILES;
use std::collections::BTreeMap;

use dyno_core::base::histogram::Histogram;
use dyno_core::base::units::Rate;
use dyno_core::record::{
    Cell, Censored, Class, Point, RateInterval, ServerShare, Tally, WorstPeriod, observed,
};

pub use dyno_core::plan::search::OVER_MS;

/// One point as numbers.
pub struct PointSummary {
    /// The headline streams together.
    pub total: Numbers,
    /// Each stream by name, whether it counts in the headline, and its figures.
    pub streams: Vec<(String, bool, Numbers)>,
    /// The headline streams on each drive, by index, if there are several.
    pub drives: Vec<(DriveKey, Numbers)>,
    /// The headline streams of each instance, by drive and instance, if there are several.
    pub instances: Vec<((DriveKey, u32), Numbers)>,
    /// The resources of the servers that Dyno started.
    pub servers: Vec<ServerShare>,
}

/// Some cells of one point, summed.
#[derive(Clone)]
pub struct Numbers {
    /// Ops per second; None if the source of imported figures does not give them.
    pub ops_per_s: Option<f64>,
    /// Bytes per second; None if the source of imported figures does not give them.
    pub bytes_per_s: Option<f64>,
    /// One for each class of op.
    pub classes: Vec<ClassNumbers>,
    /// Reads and writes together, if there are both.
    pub all: Option<Box<ClassNumbers>>,
    /// Open loop: the target rate.
    pub asked: Option<Rate>,
    /// Open loop: ops submitted late or never.
    pub late: u64,
    /// Ops that have a latency: in open loop those that were due.
    pub due: u64,
    /// Open loop: the maximum number of ops due but not yet submitted.
    pub backlog_max: u64,
    /// Open loop: ops not submitted when the window closed.
    pub backlog_end: u64,
    /// Total number of workers, if known.
    pub threads: Option<u32>,
    /// Requests in flight for each worker, if known.
    pub depth: Option<u32>,
    /// Closed loop: the rate times the mean latency of all ops, divided by the mean number of ops
    /// in flight; 1 by Little's law. None if unknown.
    pub littles_law: Option<f64>,
    /// Length of the measured window, nanoseconds, if known.
    pub window_ns: Option<u64>,
    /// ops/s second by second, if stored.
    pub seconds: Vec<f64>,
}

/// The ops of one class in one point.
#[derive(Clone)]
pub struct ClassNumbers {
    /// The class.
    pub class: Class,
    /// Ops completed; None if only their rate is known.
    pub ops: Option<u64>,
    /// Ops per second, if known.
    pub ops_per_s: Option<f64>,
    /// Ops per second without misses.
    pub done_per_s: Option<f64>,
    /// Bytes moved per second, if known.
    pub bytes_per_s: Option<f64>,
    /// Reads of missing keys.
    pub misses: u64,
    /// Abandoned ops; not in `ops`.
    pub given_up: u64,
    /// Latencies above the histogram's highest bucket, an hour.
    pub overflow: u64,
    /// Service times.
    pub service: Times,
    /// Response times; None in closed loop.
    pub response: Option<Box<Times>>,
    /// The digits with which the source of imported figures writes them.
    pub digits: WrittenDigits,
}

/// The significant digits of imported figures; None for Dyno's measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenDigits {
    /// Digits of ops per second.
    pub ops: Option<u32>,
    /// Digits of bytes per second.
    pub bytes: Option<u32>,
    /// Digits of the mean latency.
    pub mean: Option<u32>,
    /// Digits of the largest latency.
    pub max: Option<u32>,
    /// Digits of the percentiles of `PERCENTILES`.
    pub percentiles: [Option<u32>; PERCENTILES.len()],
}

/// A histogram's numbers in nanoseconds; percentiles without enough samples are missing.
#[derive(Clone)]
pub struct Times {
    /// Mean, nanoseconds; None if nothing was timed.
    pub mean_ns: Option<f64>,
    /// The percentiles of `PERCENTILES`, nanoseconds; None if fewer than 100 samples lie above.
    pub percentiles_ns: [Option<f64>; PERCENTILES.len()],
    /// Largest latency, nanoseconds; None if unknown.
    pub max_ns: Option<u64>,
    /// The shares that took each of `OVER_MS` or longer, 0 to 1; None if nothing was timed.
    pub over: [Option<f64>; OVER_MS.len()],
    /// Another tool's reported bounds of percentiles.
    pub bounds_ns: [Option<(f64, f64)>; PERCENTILES.len()],
    /// The ops among them that were never submitted.
    pub censored: Option<Censored>,
    /// The same shares in the worst period, if a search limits them in each.
    pub worst_period: Option<WorstPeriod>,
}

impl PointSummary {
    /// Reduces a point to numbers.
    pub fn of(point: &Point) -> PointSummary {
        let mut names: Vec<(&str, bool)> = Vec::new();
        for cell in &point.cells {
            if !names.iter().any(|(name, _)| *name == cell.stream) {
                names.push((&cell.stream, cell.headline));
            }
        }
        let only = |keep: &dyn Fn(&Cell) -> bool| {
            let cells: Vec<&Cell> = point.cells.iter().filter(|c| keep(c)).collect();
            Numbers::of(&cells, point.window_ns)
        };
        let mut total = only(&|c| c.headline);
        // A single stream is the total.
        let alone = names.len() == 1 && point.cells.iter().all(|c| c.headline);
        let worst: Vec<WorstPeriod> = observed::all(&point.observed).cloned().collect();
        if alone {
            worst.iter().for_each(|worst| total.note_worst_period(worst));
        }
        let of_stream = |(name, headline): (&str, bool)| {
            let mut own = if alone { total.clone() } else { only(&|c| c.stream == name) };
            let worst = worst.iter().filter(|worst| worst.stream == name);
            worst.for_each(|worst| own.note_worst_period(worst));
            (name.to_string(), headline, own)
        };
        let mut numbers: Vec<u32> = point.cells.iter().map(|c| c.drive).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() < 2 {
            numbers.clear();
        }
        let of_drive = |at: u32| (at.into(), only(&|c| c.headline && c.drive == at));
        let mut copies: Vec<(u32, u32)> =
            point.cells.iter().map(|c| (c.drive, c.instance)).collect();
        copies.sort_unstable();
        copies.dedup();
        if !copies.iter().any(|(_, instance)| *instance > 0) {
            copies.clear();
        }
        let of_copy = |at: (u32, u32)| {
            ((at.0.into(), at.1), only(&|c| c.headline && (c.drive, c.instance) == at))
        };
        PointSummary {
            instances: copies.into_iter().map(of_copy).collect(),
            streams: names.into_iter().map(of_stream).collect(),
            total,
            drives: numbers.into_iter().map(of_drive).collect(),
            servers: observed::all(&point.observed).cloned().collect(),
        }
    }

    /// Stores the second-by-second series of each part.
    pub fn follow(&mut self, rates: &[RateInterval]) {
        if rates.is_empty() {
            return;
        }
        let seconds = |keep: &dyn Fn(&RateInterval) -> bool| {
            series_of(rates, keep).into_iter().map(|(_, ops)| ops).collect()
        };
        let headline: Vec<String> =
            self.streams.iter().filter(|(_, own, _)| *own).map(|(name, ..)| name.clone()).collect();
        self.total.seconds = seconds(&|r| headline.contains(&r.stream));
        for (name, _, numbers) in &mut self.streams {
            numbers.seconds = seconds(&|r| r.stream == *name);
        }
        for (drive, numbers) in &mut self.drives {
            numbers.seconds =
                seconds(&|r| DriveKey::from(r.drive) == *drive && headline.contains(&r.stream));
        }
    }

    /// The figures of a stream; None if the point has no such stream.
    pub fn stream(&self, name: &str) -> Option<&Numbers> {
        self.streams.iter().find(|(n, ..)| n == name).map(|(.., numbers)| numbers)
    }

    /// Whether a stream counts in the step's result.
    pub fn is_headline(&self, stream: &str) -> bool {
        self.streams.iter().any(|(name, headline, _)| *headline && name == stream)
    }
}

impl Numbers {
    /// The sum of some cells, over a window of this length.
    pub fn of(cells: &[&Cell], window_ns: Option<u64>) -> Numbers {
        let seconds = window_ns.map(|ns| ns.max(1) as f64 / 1e9);
        let tallies: Vec<&Tally> = cells.iter().flat_map(|c| &c.tallies).collect();
        let declared = Class::in_order(tallies.iter().map(|t| t.class));
        // Collecting would allocate four at least.
        let mut classes = Vec::with_capacity(declared.len());
        let of = |class| {
            let own = tallies.iter().copied().filter(|t| t.class == class);
            ClassNumbers::of(class, own.collect(), seconds)
        };
        classes.extend(declared.into_iter().filter_map(of));
        let moved = tallies.iter().copied().filter(|t| t.class.moves_data() && t.occurred());
        let moved: Vec<&Tally> = moved.collect();
        let is_mix = moved.iter().any(|t| t.class == Class::READ)
            && moved.iter().any(|t| t.class.is_write());
        let all = is_mix.then(|| ClassNumbers::of(Class::ALL, moved, seconds)).flatten();
        Numbers {
            ops_per_s: seconds.map(|s| sum(&tallies, Class::counts_as_op, |t| t.ops) / s),
            bytes_per_s: seconds.map(|s| sum(&tallies, Class::moves_data, |t| t.bytes) / s),
            classes,
            all: all.map(Box::new),
            asked: sum_of_rates(cells),
            late: cells.iter().map(|c| c.late).sum(),
            due: tallies.iter().map(|t| t.response()).map(|times| times.count).sum(),
            backlog_max: cells.iter().map(|c| c.backlog_max).sum(),
            backlog_end: cells.iter().map(|c| c.backlog_end).sum(),
            threads: cells.iter().map(|c| c.threads).sum(),
            depth: cells.iter().filter_map(|c| c.depth).max(),
            littles_law: littles_law(cells, seconds),
            window_ns,
            seconds: Vec::new(),
        }
    }
}

impl Numbers {
    /// Adds the worst period of a stream to the times of the class to which limits apply.
    fn note_worst_period(&mut self, worst: &WorstPeriod) {
        let limited = Class::limited(self.classes.iter().map(|c| (c.class, c.ops.unwrap_or(0))));
        for class in self.classes.iter_mut().filter(|c| Some(c.class) == limited) {
            let times = class.response.as_deref_mut().unwrap_or(&mut class.service);
            times.worst_period = Some(worst.clone());
        }
    }
}

/// Over all classes of op together: a flush is in flight too, and the reads of a group are counted
/// themselves.
fn littles_law(cells: &[&Cell], seconds: Option<f64>) -> Option<f64> {
    if cells.iter().any(|c| c.asked.is_some()) {
        return None;
    }
    let in_flight = cells.iter().map(|c| c.in_flight).sum::<Option<f64>>()?;
    let (mut ops, mut timed, mut all_ns) = (0, 0, 0.0);
    for tally in cells.iter().flat_map(|c| &c.tallies).filter(|t| t.class != Class::PREFIX) {
        ops += tally.ops;
        timed += tally.service.count;
        all_ns += tally.service.sum_ns as f64;
    }
    let by_law = ops as f64 / seconds? * (all_ns / 1e9 / timed as f64);
    Some(by_law / in_flight).filter(|share| share.is_finite())
}

fn sum(tallies: &[&Tally], counts: fn(Class) -> bool, what: fn(&Tally) -> u64) -> f64 {
    tallies.iter().filter(|t| counts(t.class)).map(|t| what(t)).sum::<u64>() as f64
}

/// The total target; targets in different units have no sum.
fn sum_of_rates(cells: &[&Cell]) -> Option<Rate> {
    let mut sum = None;
    for rate in cells.iter().filter_map(|c| c.asked) {
        sum = Some(match (sum, rate) {
            (None, rate) => rate,
            (Some(Rate::OpsPerSec(a)), Rate::OpsPerSec(b)) => Rate::OpsPerSec(a + b),
            (Some(Rate::BytesPerSec(a)), Rate::BytesPerSec(b)) => Rate::BytesPerSec(a + b),
            _ => return None,
        });
    }
    sum
}

impl ClassNumbers {
    fn of(class: Class, mut own: Vec<&Tally>, seconds: Option<f64>) -> Option<ClassNumbers> {
        own.retain(|t| t.occurred());
        if own.is_empty() {
            return None;
        }
        let merged = |pick: &dyn Fn(&Tally) -> &Histogram, censored: Option<Censored>| {
            if let [one] = own[..] {
                return Times::of(pick(one), censored);
            }
            let mut all = Histogram::new();
            own.iter().for_each(|t| all.merge(pick(t)));
            Times::of(&all, censored)
        };
        let censored = own.iter().fold(None, |all, t| Censored::merged(all, t.censored));
        let open = own.iter().any(|t| t.response.is_some());
        let sum = |pick: fn(&Tally) -> u64| own.iter().map(|t| pick(t)).sum::<u64>();
        let (ops, misses) = (sum(|t| t.ops), sum(|t| t.misses));
        Some(ClassNumbers {
            class,
            ops: Some(ops),
            ops_per_s: seconds.map(|s| ops as f64 / s),
            done_per_s: seconds.map(|s| ops.saturating_sub(misses) as f64 / s),
            bytes_per_s: seconds.map(|s| sum(|t| t.bytes) as f64 / s),
            misses,
            given_up: own.iter().map(|t| t.given_up).sum(),
            overflow: own.iter().map(|t| t.service.overflow).sum(),
            service: merged(&|t| &t.service, None),
            response: open.then(|| Box::new(merged(&|t| t.response(), censored))),
            digits: WrittenDigits::default(),
        })
    }
}

impl Times {
    /// The numbers of a histogram, which also contains the ages of the censored ops.
    pub fn of(histogram: &Histogram, censored: Option<Censored>) -> Times {
        let over = histogram.shares_from(OVER_MS.map(|ms| ms * 1_000_000));
        Times {
            censored,
            mean_ns: histogram.mean_ns(),
            percentiles_ns: histogram
                .percentiles_ns(PERCENTILES.map(|(_, q)| q))
                .map(|percentile| percentile.map(|ns| ns as f64)),
            max_ns: Some(histogram.max_ns).filter(|_| histogram.count + histogram.overflow > 0),
            over: std::array::from_fn(|i| {
                // An op that had waited for less may or may not have taken this long.
                let ns = OVER_MS[i] * 1_000_000;
                let known = censored.is_none_or(|censored| censored.from_ns >= ns);
                over[i].filter(|_| known)
            }),
            bounds_ns: [None; PERCENTILES.len()],
            worst_period: None,
        }
    }
}

impl Times {
    /// Whether a percentile of this length is only a lower bound.
    pub fn is_bound(&self, ns: f64) -> bool {
        self.censored.is_some_and(|censored| censored.bounds(ns as u64))
    }

    /// The number of percentile `at`, and whether it is only a lower bound.
    pub fn percentile(&self, at: usize) -> Option<(f64, bool)> {
        self.percentiles_ns[at].map(|ns| (ns, self.is_bound(ns)))
    }
}

/// ops/s second by second over the stored streams, from intervals of about a second each.
pub fn series_of(rates: &[RateInterval], keep: &dyn Fn(&RateInterval) -> bool) -> Vec<(f64, f64)> {
    let mut seconds: BTreeMap<u64, f64> = BTreeMap::new();
    for r in rates.iter().filter(|r| r.class.counts_as_op() && keep(r)) {
        let length_ns = r.end_ns.saturating_sub(r.start_ns);
        // The incomplete second at the end of the window is not meaningful.
        if length_ns < 500_000_000 {
            continue;
        }
        let second = (r.start_ns + length_ns / 2) / 1_000_000_000;
        *seconds.entry(second).or_default() += r.ops as f64 * 1e9 / length_ns as f64;
    }
    seconds.into_iter().map(|(second, ops)| (second as f64 + 0.5, ops)).collect()
}
