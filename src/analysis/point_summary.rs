//! From points to estimates: each point is reduced to numbers at once (its histograms are large), and the repeats of a
//! cell become estimates with intervals.
//!
//! Over drives, instances and streams, ops and bytes are summed and histograms merged; latencies of different classes
//! are never mixed.

use std::collections::BTreeMap;

use crate::base::histogram::Histogram;
use crate::base::units::Rate;
use crate::record::{Cell, Class, Point, RateInterval, Tally};
use crate::stats::trend::{self, Drift};
use crate::stats::{Estimate, Method, estimate};

/// The percentiles that a report shows.
pub use crate::plan::search::PERCENTILES;

/// Where p99 is among them.
pub const P99: usize = 2;

/// A stream that reaches less of the rate asked for than this has missed it: its latencies are those of another load.
pub const RATE_KEPT: f64 = 0.98;

/// One point in numbers.
pub struct PointSummary {
    pub total: Numbers,
    pub streams: Vec<(String, bool, Numbers)>,
    /// The headline streams on each drive, by its index, where there are several.
    pub drives: Vec<(u32, Numbers)>,
    /// The headline streams of each copy, by drive and instance, where there are several.
    pub instances: Vec<((u32, u32), Numbers)>,
}

/// Some cells of one point, summed.
pub struct Numbers {
    pub ops_per_s: f64,
    pub bytes_per_s: f64,
    pub classes: Vec<ClassNumbers>,
    pub asked: Option<Rate>,
    pub late: u64,
    pub backlog_max: u64,
    pub backlog_end: u64,
    pub threads: u32,
    pub depth: u32,
    pub window_ns: u64,
    /// ops/s second by second, where they were kept.
    pub seconds: Vec<f64>,
}

pub struct ClassNumbers {
    pub class: Class,
    pub ops: u64,
    pub bytes: u64,
    pub misses: u64,
    /// Not in `ops`.
    pub given_up: u64,
    pub overflow: u64,
    pub service: Times,
    pub response: Option<Times>,
}

/// A histogram's numbers in nanoseconds; a percentile without enough samples is not there.
pub struct Times {
    pub mean_ns: Option<f64>,
    pub percentiles_ns: [Option<f64>; 5],
    pub max_ns: u64,
    /// The bounds of percentiles that another tool told.
    pub bounds_ns: [Option<(f64, f64)>; 5],
}

/// Some streams of one cell over all repeats.
pub struct Summary {
    pub ops_per_s: Estimate,
    pub bytes_per_s: Estimate,
    /// ops/s of each repeat, in order.
    pub by_repeat: Vec<f64>,
    /// bytes/s of each repeat, in order.
    pub bytes_by_repeat: Vec<f64>,
    pub classes: Vec<ClassSummary>,
    pub asked: Option<Rate>,
    /// Sums and maxima over the repeats.
    pub late: u64,
    pub ops: u64,
    pub backlog_max: u64,
    pub backlog_end: u64,
    pub threads: u32,
    pub depth: u32,
    pub window_ns: u64,
    /// Whether ops/s rose or fell over the windows of its repeats.
    pub drift: Drift,
}

pub struct ClassSummary {
    pub class: Class,
    pub ops: u64,
    pub ops_per_s: Estimate,
    /// Ops a minute that came to their end, without misses: of transactions, those that were committed.
    pub done_per_minute: Option<Estimate>,
    /// The same of each repeat, in order.
    pub done_by_repeat: Vec<f64>,
    pub bytes_per_s: Estimate,
    pub misses: u64,
    /// Over all repeats; not in `ops`.
    pub given_up: u64,
    pub overflow: u64,
    pub service: Latency,
    /// Open loop only.
    pub response: Option<Latency>,
}

/// Latency in nanoseconds.
pub struct Latency {
    pub mean_ns: Option<Estimate>,
    pub percentiles_ns: [Option<Estimate>; 5],
    pub max_ns: u64,
    /// Of each repeat, where every repeat has one.
    pub mean_by_repeat: Vec<f64>,
    pub percentiles_by_repeat: [Vec<f64>; 5],
}

impl PointSummary {
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
        let of_stream = |(name, headline): (&str, bool)| (name.to_string(), headline, only(&|c| c.stream == name));
        let mut numbers: Vec<u32> = point.cells.iter().map(|c| c.drive).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() < 2 {
            numbers.clear();
        }
        let of_drive = |drive: u32| (drive, only(&|c| c.headline && c.drive == drive));
        let mut copies: Vec<(u32, u32)> = point.cells.iter().map(|c| (c.drive, c.instance)).collect();
        copies.sort_unstable();
        copies.dedup();
        if !copies.iter().any(|(_, instance)| *instance > 0) {
            copies.clear();
        }
        let of_copy = |at: (u32, u32)| (at, only(&|c| c.headline && (c.drive, c.instance) == at));
        PointSummary {
            instances: copies.into_iter().map(of_copy).collect(),
            total: only(&|c| c.headline),
            streams: names.into_iter().map(of_stream).collect(),
            drives: numbers.into_iter().map(of_drive).collect(),
        }
    }

    /// Keeps how each part went on from second to second.
    pub fn follow(&mut self, rates: &[RateInterval]) {
        let seconds =
            |keep: &dyn Fn(&RateInterval) -> bool| series_of(rates, keep).into_iter().map(|(_, ops)| ops).collect();
        let headline: Vec<String> =
            self.streams.iter().filter(|(_, own, _)| *own).map(|(name, ..)| name.clone()).collect();
        self.total.seconds = seconds(&|r| headline.contains(&r.stream));
        for (name, _, numbers) in &mut self.streams {
            numbers.seconds = seconds(&|r| r.stream == *name);
        }
        for (drive, numbers) in &mut self.drives {
            numbers.seconds = seconds(&|r| r.drive == *drive && headline.contains(&r.stream));
        }
    }

    pub fn stream(&self, name: &str) -> Option<&Numbers> {
        self.streams.iter().find(|(n, ..)| n == name).map(|(.., numbers)| numbers)
    }

    pub fn is_headline(&self, stream: &str) -> bool {
        self.streams.iter().any(|(name, headline, _)| *headline && name == stream)
    }
}

impl Numbers {
    pub fn of(cells: &[&Cell], window_ns: u64) -> Numbers {
        let seconds = window_ns.max(1) as f64 / 1e9;
        let tallies: Vec<&Tally> = cells.iter().flat_map(|c| &c.tallies).collect();
        let classes: Vec<ClassNumbers> = Class::in_order(tallies.iter().map(|t| t.class))
            .into_iter()
            .filter_map(|class| ClassNumbers::of(class, &tallies))
            .collect();
        Numbers {
            ops_per_s: classes.iter().map(|c| c.ops).sum::<u64>() as f64 / seconds,
            bytes_per_s: classes.iter().map(|c| c.bytes).sum::<u64>() as f64 / seconds,
            classes,
            asked: sum_of_rates(cells),
            late: cells.iter().map(|c| c.late).sum(),
            backlog_max: cells.iter().map(|c| c.backlog_max).sum(),
            backlog_end: cells.iter().map(|c| c.backlog_end).sum(),
            threads: cells.iter().map(|c| c.threads).sum(),
            depth: cells.iter().map(|c| c.depth).max().unwrap_or(0),
            window_ns,
            seconds: Vec::new(),
        }
    }
}

/// What was asked for in all; streams asked in different units have no sum.
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
    fn of(class: Class, tallies: &[&Tally]) -> Option<ClassNumbers> {
        let own: Vec<&&Tally> = tallies.iter().filter(|t| t.class == class && t.ops + t.given_up > 0).collect();
        if own.is_empty() {
            return None;
        }
        let merged = |pick: &dyn Fn(&Tally) -> &Histogram| {
            if let [one] = own[..] {
                return Times::of(pick(one));
            }
            let mut all = Histogram::new();
            own.iter().for_each(|t| all.merge(pick(t)));
            Times::of(&all)
        };
        let open = own.iter().any(|t| t.response.is_some());
        Some(ClassNumbers {
            class,
            ops: own.iter().map(|t| t.ops).sum(),
            bytes: own.iter().map(|t| t.bytes).sum(),
            misses: own.iter().map(|t| t.misses).sum(),
            given_up: own.iter().map(|t| t.given_up).sum(),
            overflow: own.iter().map(|t| t.service.overflow).sum(),
            service: merged(&|t| &t.service),
            response: open.then(|| merged(&|t| t.response())),
        })
    }
}

impl Times {
    pub fn of(histogram: &Histogram) -> Times {
        Times {
            mean_ns: histogram.mean_ns(),
            percentiles_ns: PERCENTILES.map(|(_, q)| histogram.percentile_ns(q).map(|ns| ns as f64)),
            max_ns: histogram.max_ns,
            bounds_ns: [None; 5],
        }
    }
}

/// The repeats of a cell as estimates.
pub fn summarise(repeats: &[&Numbers]) -> Option<Summary> {
    let first = repeats.first()?;
    let all = |pick: &dyn Fn(&Numbers) -> f64| repeats.iter().map(|n| pick(n)).collect::<Vec<f64>>();
    let (by_repeat, bytes_by_repeat) = (all(&|n| n.ops_per_s), all(&|n| n.bytes_per_s));
    let declared = Class::in_order(repeats.iter().flat_map(|n| &n.classes).map(|c| c.class));
    let classes = declared.into_iter().filter_map(|class| summarise_class(class, repeats)).collect();
    Some(Summary {
        ops_per_s: estimate::from_repeats(&by_repeat, "ops/s")?,
        bytes_per_s: estimate::from_repeats(&bytes_by_repeat, "bytes/s")?,
        by_repeat,
        bytes_by_repeat,
        classes,
        asked: first.asked,
        late: repeats.iter().map(|n| n.late).sum(),
        ops: repeats.iter().flat_map(|n| &n.classes).map(|c| c.ops).sum(),
        backlog_max: repeats.iter().map(|n| n.backlog_max).max().unwrap_or(0),
        backlog_end: repeats.iter().map(|n| n.backlog_end).max().unwrap_or(0),
        threads: first.threads,
        depth: first.depth,
        window_ns: first.window_ns,
        drift: trend::drift(&repeats.iter().map(|n| n.seconds.clone()).collect::<Vec<_>>()),
    })
}

fn summarise_class(class: Class, repeats: &[&Numbers]) -> Option<ClassSummary> {
    let own: Vec<(&ClassNumbers, f64)> = repeats
        .iter()
        .filter_map(|n| n.classes.iter().find(|c| c.class == class).map(|c| (c, n.window_ns.max(1) as f64 / 1e9)))
        .collect();
    if own.is_empty() {
        return None;
    }
    let rates: Vec<f64> = own.iter().map(|(c, seconds)| c.ops as f64 / seconds).collect();
    let done: Vec<f64> = own.iter().map(|(c, s)| c.ops.saturating_sub(c.misses) as f64 * 60.0 / s).collect();
    let bytes: Vec<f64> = own.iter().map(|(c, seconds)| c.bytes as f64 / seconds).collect();
    let service: Vec<&Times> = own.iter().map(|(c, _)| &c.service).collect();
    let response: Vec<&Times> = own.iter().filter_map(|(c, _)| c.response.as_ref()).collect();
    Some(ClassSummary {
        class,
        ops: own.iter().map(|(c, _)| c.ops).sum(),
        ops_per_s: estimate::from_repeats(&rates, "ops/s")?,
        done_per_minute: estimate::from_repeats(&done, "1/min"),
        done_by_repeat: done,
        bytes_per_s: estimate::from_repeats(&bytes, "bytes/s")?,
        misses: own.iter().map(|(c, _)| c.misses).sum(),
        given_up: own.iter().map(|(c, _)| c.given_up).sum(),
        overflow: own.iter().map(|(c, _)| c.overflow).sum(),
        service: latency(&service),
        response: (!response.is_empty()).then(|| latency(&response)),
    })
}

fn latency(repeats: &[&Times]) -> Latency {
    // An estimate over some of the repeats only would not be the cell's.
    let whole = |pick: &dyn Fn(&Times) -> Option<f64>| repeats.iter().map(|t| pick(t)).collect::<Option<Vec<f64>>>();
    let made = |pick: &dyn Fn(&Times) -> Option<f64>| whole(pick).and_then(|v| estimate::from_repeats(&v, "ns"));
    Latency {
        mean_ns: made(&|t| t.mean_ns),
        percentiles_ns: std::array::from_fn(|i| made(&|t| t.percentiles_ns[i]).map(|e| bounded(e, repeats, i))),
        max_ns: repeats.iter().map(|t| t.max_ns).max().unwrap_or(0),
        mean_by_repeat: whole(&|t| t.mean_ns).unwrap_or_default(),
        percentiles_by_repeat: std::array::from_fn(|i| whole(&|t| t.percentiles_ns[i]).unwrap_or_default()),
    }
}

/// The estimate of percentile `at`, with the bounds that were told: of one repeat they are all that is known of it, and
/// the spread of several repeats cannot be narrower than the means of their bounds.
fn bounded(mut estimate: Estimate, repeats: &[&Times], at: usize) -> Estimate {
    let Some(bounds) = repeats.iter().map(|t| t.bounds_ns[at]).collect::<Option<Vec<_>>>() else { return estimate };
    let n = bounds.len().max(1) as f64;
    let low = bounds.iter().map(|b| b.0).sum::<f64>() / n;
    let high = bounds.iter().map(|b| b.1).sum::<f64>() / n;
    estimate.method = Method::Reported;
    (estimate.low, estimate.high) = (estimate.low.min(low), estimate.high.max(high));
    estimate
}

impl Summary {
    pub fn class(&self, class: Option<Class>) -> Option<&ClassSummary> {
        self.classes.iter().find(|c| Some(c.class) == class)
    }

    /// Achieved against asked, where a rate was asked for.
    pub fn achieved(&self) -> Option<f64> {
        match self.asked? {
            Rate::OpsPerSec(asked) => Some(self.ops_per_s.value / asked),
            Rate::BytesPerSec(asked) => Some(self.bytes_per_s.value / asked),
        }
    }
}

impl ClassSummary {
    /// What a user of the drive waits: the response time in open loop, which in closed loop is the service time.
    pub fn user_latency(&self) -> &Latency {
        self.response.as_ref().unwrap_or(&self.service)
    }
}

/// ops/s second by second over the streams kept, from intervals of about a second each.
pub fn series_of(rates: &[RateInterval], keep: &dyn Fn(&RateInterval) -> bool) -> Vec<(f64, f64)> {
    let mut seconds: BTreeMap<u64, f64> = BTreeMap::new();
    for r in rates.iter().filter(|r| keep(r)) {
        let length_ns = r.end_ns.saturating_sub(r.start_ns);
        // The rest of a second at the end of the window says little.
        if length_ns < 500_000_000 {
            continue;
        }
        let second = (r.start_ns + length_ns / 2) / 1_000_000_000;
        *seconds.entry(second).or_default() += r.ops as f64 * 1e9 / length_ns as f64;
    }
    seconds.into_iter().map(|(second, ops)| (second as f64 + 0.5, ops)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_sums_its_drives_and_a_rest_of_a_second_is_left_out() {
        let at = |drive, start_ns, end_ns, ops| RateInterval {
            stream: "read".into(),
            drive,
            instance: 0,
            class: Class::READ,
            start_ns,
            end_ns,
            ops,
            bytes: 0,
        };
        let s = 1_000_000_000;
        let rates = [at(0, 0, s, 10), at(1, 0, s, 30), at(0, s, 3 * s / 2 + s / 4, 15), at(0, 2 * s, 2 * s + 9, 99)];
        assert_eq!(series_of(&rates, &|_| true), [(0.5, 40.0), (1.5, 20.0)]);
        assert_eq!(series_of(&rates, &|r| r.stream == "write"), []);
    }
}
