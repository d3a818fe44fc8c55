//! The repeats of a cell as estimates with intervals.

use crate::analysis::points::point_numbers::{
    ClassNumbers, Numbers, OVER_MS, Times, WrittenDigits,
};
use dyno_core::base::units::Rate;
use dyno_core::plan::search::Search;
use dyno_core::record::{Class, WorstPeriod};
use dyno_core::stats::level::{self, Level};
use dyno_core::stats::runs::trend::{self, Drift};
use dyno_core::stats::{Estimate, IntervalMethod, estimate};

/// The percentiles that a report shows.
pub use dyno_core::plan::search::PERCENTILES;

/// The index of the median.
pub const P50: usize = 0;

/// The index of p90.
pub const P90: usize = 1;

/// The index of p95.
pub const P95: usize = 2;

/// The index of p99.
pub const P99: usize = 3;

/// The index of p99.9.
pub const P999: usize = 4;

/// The index of p99.99.
pub const P9999: usize = 5;

/// The index of p99.999.
pub const P99999: usize = 6;

/// A stream with a smaller share of its target rate has missed it: its latencies are those of
/// another load.
pub const RATE_KEPT: f64 = 0.98;

/// Some streams of one cell over all repeats.
#[derive(Clone)]
pub struct RepeatSummary {
    /// Ops per second; None if the source of imported figures does not give them.
    pub ops_per_s: Option<Estimate>,
    /// Bytes per second; None if the source of imported figures does not give them.
    pub bytes_per_s: Option<Estimate>,
    /// ops/s of each repeat, in order; empty if unknown.
    pub by_repeat: Vec<f64>,
    /// bytes/s of each repeat, in order; empty if unknown.
    pub bytes_by_repeat: Vec<f64>,
    /// One for each class of op.
    pub classes: Vec<ClassSummary>,
    /// Reads and writes together, if there are both.
    pub all: Option<Box<ClassSummary>>,
    /// Open loop: the target rate.
    pub asked: Option<Rate>,
    /// Sums and maxima over the repeats.
    pub late: u64,
    /// Ops of all repeats; None if only their rate is known.
    pub ops: Option<u64>,
    /// Ops of all repeats that have a latency: in open loop those that were due.
    pub due: u64,
    /// The maximum number of ops due but not yet submitted, of any repeat.
    pub backlog_max: u64,
    /// Ops not submitted when windows closed, of all repeats.
    pub backlog_end: u64,
    /// Total number of workers, if known.
    pub threads: Option<u32>,
    /// Requests in flight for each worker, if known.
    pub depth: Option<u32>,
    /// The value of the repeat that is farthest from 1, as in [`Numbers::littles_law`].
    pub littles_law: Option<f64>,
    /// Whether ops/s rose or fell over the windows of its repeats.
    pub drift: Drift,
}

/// Reads and writes over any time span.
#[derive(Clone, Copy, Debug, Default)]
pub struct MovedData {
    /// Reads.
    pub reads: f64,
    /// Reads and writes.
    pub ops: f64,
    /// Bytes of both.
    pub bytes: f64,
}

impl MovedData {
    /// The share of reads; none without any.
    pub fn read_share(&self) -> Option<f64> {
        (self.ops > 0.0).then(|| self.reads / self.ops)
    }

    /// Bytes of a read or write; none without any.
    pub fn mean_size(&self) -> Option<f64> {
        (self.ops > 0.0).then(|| self.bytes / self.ops)
    }
}

/// The ops of one class over all repeats.
#[derive(Clone)]
pub struct ClassSummary {
    /// The class.
    pub class: Class,
    /// Ops of all repeats; None if only their rate is known.
    pub ops: Option<u64>,
    /// Ops per second; None if the source of imported figures does not give them.
    pub ops_per_s: Option<Estimate>,
    /// Completed ops per minute, without misses: for transactions, the committed ones.
    pub done_per_minute: Option<Estimate>,
    /// The same for each repeat, in order; empty if unknown.
    pub done_by_repeat: Vec<f64>,
    /// Bytes per second; None if the source of imported figures does not give them.
    pub bytes_per_s: Option<Estimate>,
    /// Reads of missing keys, of all repeats.
    pub misses: u64,
    /// Abandoned ops of all repeats; not in `ops`.
    pub given_up: u64,
    /// Latencies above the histogram's highest bucket, of all repeats.
    pub overflow: u64,
    /// Service times.
    pub service: Latency,
    /// Open loop only.
    pub response: Option<Box<Latency>>,
}

/// Latency in nanoseconds.
#[derive(Clone)]
pub struct Latency {
    /// Mean over the repeats, nanoseconds.
    pub mean_ns: Option<Estimate>,
    /// The percentiles of `PERCENTILES`, nanoseconds.
    pub percentiles_ns: [Option<Estimate>; PERCENTILES.len()],
    /// Largest latency of any repeat, nanoseconds; None if unknown.
    pub max_ns: Option<u64>,
    /// The digits with which the source of imported figures writes it.
    pub max_digits: Option<u32>,
    /// For each repeat, the shares that took each of `OVER_MS` or longer.
    over_by_repeat: Vec<[Option<f64>; OVER_MS.len()]>,
    /// The same in the worst period of each repeat; empty if no search limits every period.
    worst_by_repeat: Vec<WorstPeriod>,
    /// The mean of each repeat, if every repeat has one.
    mean_by_repeat: Vec<f64>,
    /// Each percentile's value in each repeat that has one.
    percentiles_by_repeat: [Vec<f64>; PERCENTILES.len()],
    /// Whether each of these is only a lower bound.
    bounds_by_repeat: [Vec<bool>; PERCENTILES.len()],
    /// Whether some ops were never submitted: the mean and the maximum are lower bounds.
    pub censored: bool,
}

/// The repeats of a cell as estimates.
pub fn summarise(repeats: &[&Numbers]) -> Option<RepeatSummary> {
    let first = repeats.first()?;
    let ops = repeats.iter().map(|n| n.ops_per_s).collect::<Option<Vec<f64>>>();
    let bytes = repeats.iter().map(|n| n.bytes_per_s).collect::<Option<Vec<f64>>>();
    let of = |values: &Option<Vec<f64>>, unit| estimate::from_repeats(values.as_ref()?, unit);
    let written = || repeats.iter().map(|n| n.written());
    let declared = Class::in_order(repeats.iter().flat_map(|n| &n.classes).map(|c| c.class));
    // Collecting would allocate four at least, each of a kilobyte.
    let mut classes = Vec::with_capacity(declared.len());
    let of_class = |class| {
        let own = repeats.iter().map(|n| n.classes.iter().find(|c| c.class == class));
        summarise_class(class, &own.collect::<Vec<_>>())
    };
    classes.extend(declared.into_iter().filter_map(of_class));
    let all: Vec<_> = repeats.iter().map(|n| n.all.as_deref()).collect();
    let is_mix = all.iter().all(Option::is_some);
    let all = if is_mix { summarise_class(Class::ALL, &all) } else { None };
    Some(RepeatSummary {
        ops_per_s: of(&ops, "ops/s").map(|e| e.written_in(written().map(|(ops, _)| ops))),
        bytes_per_s: of(&bytes, "bytes/s").map(|e| e.written_in(written().map(|(_, bytes)| bytes))),
        by_repeat: ops.unwrap_or_default(),
        bytes_by_repeat: bytes.unwrap_or_default(),
        classes,
        all: all.map(Box::new),
        asked: asked(repeats),
        late: repeats.iter().map(|n| n.late).sum(),
        due: repeats.iter().map(|n| n.due).sum(),
        ops: repeats.iter().flat_map(|n| &n.classes).map(|c| c.ops).sum(),
        backlog_max: repeats.iter().map(|n| n.backlog_max).max().unwrap_or(0),
        backlog_end: repeats.iter().map(|n| n.backlog_end).max().unwrap_or(0),
        threads: first.threads,
        depth: first.depth,
        littles_law: {
            let far = |share: &f64| (share - 1.0).abs();
            let each = repeats.iter().filter_map(|n| n.littles_law);
            each.max_by(|a, b| far(a).total_cmp(&far(b)))
        },
        drift: trend::drift(repeats.iter().map(|n| &n.seconds)),
    })
}

/// The target rate of the repeats. That of a recorded load differs with the length of its window,
/// so it is their mean, as ops/s is.
fn asked(repeats: &[&Numbers]) -> Option<Rate> {
    let first = repeats.first()?.asked?;
    if repeats.iter().all(|n| n.asked == Some(first)) {
        return Some(first);
    }
    let in_its_unit = |rate| match (first, rate) {
        (Rate::OpsPerSec(_), Rate::OpsPerSec(rate)) => Some(rate),
        (Rate::BytesPerSec(_), Rate::BytesPerSec(rate)) => Some(rate),
        _ => None,
    };
    let rates = repeats.iter().map(|n| in_its_unit(n.asked?)).collect::<Option<Vec<f64>>>()?;
    let mean = estimate::from_repeats(&rates, "")?.value;
    Some(match first {
        Rate::OpsPerSec(_) => Rate::OpsPerSec(mean),
        Rate::BytesPerSec(_) => Rate::BytesPerSec(mean),
    })
}

/// The ops of a class in each repeat; None if a repeat had none.
fn summarise_class(class: Class, repeats: &[Option<&ClassNumbers>]) -> Option<ClassSummary> {
    let own: Vec<&ClassNumbers> = repeats.iter().copied().flatten().collect();
    if own.is_empty() {
        return None;
    }
    // In a repeat without ops of the class, its rate is zero and it has no latency. If a source
    // does not give the counts, neither is known.
    let counted = own.iter().all(|c| c.ops.is_some());
    let each = |pick: &dyn Fn(&ClassNumbers) -> Option<f64>| {
        let of = |found: &Option<&ClassNumbers>| match found {
            Some(found) => pick(found),
            None => counted.then_some(0.0),
        };
        repeats.iter().map(of).collect::<Option<Vec<f64>>>()
    };
    let rates = each(&|c| c.ops_per_s);
    let done = each(&|c| Some(c.done_per_s? * 60.0));
    let bytes = each(&|c| c.bytes_per_s);
    let of = |values: &Option<Vec<f64>>, unit| estimate::from_repeats(values.as_ref()?, unit);
    let service: Vec<&Times> = own.iter().map(|c| &c.service).collect();
    let response: Vec<&Times> = own.iter().filter_map(|c| c.response.as_deref()).collect();
    let written: Vec<WrittenDigits> = own.iter().map(|c| c.digits).collect();
    let ops_digits = || written.iter().map(|d| d.ops);
    Some(ClassSummary {
        class,
        ops: own.iter().map(|c| c.ops).sum(),
        ops_per_s: of(&rates, "ops/s").map(|e| e.written_in(ops_digits())),
        done_per_minute: of(&done, "1/min").map(|e| e.written_in(ops_digits())),
        done_by_repeat: done.unwrap_or_default(),
        bytes_per_s: of(&bytes, "bytes/s").map(|e| e.written_in(written.iter().map(|d| d.bytes))),
        misses: own.iter().map(|c| c.misses).sum(),
        given_up: own.iter().map(|c| c.given_up).sum(),
        overflow: own.iter().map(|c| c.overflow).sum(),
        service: latency(&service, &written, repeats.len()),
        response: (!response.is_empty()).then(|| Box::new(latency(&response, &[], repeats.len()))),
    })
}

/// The latency over the repeats that have ops of the class, and the total number of repeats.
fn latency(repeats: &[&Times], written: &[WrittenDigits], all: usize) -> Latency {
    // An estimate over only some of the repeats would not represent the cell.
    let whole = |pick: &dyn Fn(&Times) -> Option<f64>| {
        let values = repeats.iter().map(|t| pick(t)).collect::<Option<Vec<f64>>>();
        values.filter(|values| values.len() == all)
    };
    let made = |of: &Option<Vec<f64>>| estimate::from_repeats(of.as_ref()?, "ns");
    let mean = whole(&|t| t.mean_ns);
    let bounds = std::array::from_fn(|i| {
        repeats.iter().filter_map(|t| t.percentile(i)).map(|(_, bound)| bound).collect()
    });
    let censored = repeats.iter().any(|t| t.censored.is_some());
    let percentiles: [Option<Vec<f64>>; PERCENTILES.len()] =
        std::array::from_fn(|i| whole(&|t| t.percentiles_ns[i]));
    Latency {
        mean_ns: made(&mean).map(|e| {
            let bound = e.bounded_below(censored, mean.as_deref().unwrap_or_default());
            bound.written_in(written.iter().map(|d| d.mean))
        }),
        percentiles_ns: std::array::from_fn(|i| {
            let digits = written.iter().map(|d| d.percentiles[i]);
            made(&percentiles[i]).map(|e| {
                let (any, own): (_, &Vec<bool>) = (percentiles[i].as_deref(), &bounds[i]);
                let bound = e.bounded_below(own.contains(&true), any.unwrap_or_default());
                bounded(bound, repeats, i).written_in(digits)
            })
        }),
        censored,
        max_ns: repeats.iter().filter_map(|t| t.max_ns).max(),
        max_digits: written.iter().filter_map(|d| d.max).min(),
        over_by_repeat: repeats.iter().map(|t| t.over).collect(),
        worst_by_repeat: repeats.iter().filter_map(|t| t.worst_period.clone()).collect(),
        mean_by_repeat: mean.unwrap_or_default(),
        percentiles_by_repeat: percentiles.map(Option::unwrap_or_default),
        bounds_by_repeat: bounds,
    }
}

impl Latency {
    /// Whether a repeat keeps the limits of a search; None if its percentile is unknown. A lower
    /// bound does not show that.
    pub fn holds_in(&self, search: &Search, repeat: usize) -> Option<bool> {
        let at = search.index();
        let ns = self.percentiles_by_repeat[at].get(repeat)?;
        let is_bound = self.bounds_by_repeat[at].get(repeat).is_some_and(|bound| *bound);
        let is_within = *ns <= search.at_most_ns as f64 && !is_bound;
        Some(is_within && self.keeps_shares(search, repeat))
    }

    /// The same for the percentile over all repeats, and the shares of each.
    pub fn holds_in_all(&self, search: &Search) -> Option<bool> {
        let reached = self.percentiles_ns[search.index()].as_ref()?;
        let is_within = reached.value <= search.at_most_ns as f64 && !reached.at_least;
        let mut repeats = 0..self.over_by_repeat.len();
        Some(is_within && repeats.all(|repeat| self.keeps_shares(search, repeat)))
    }

    /// Whether a repeat keeps the limits of a search for shares of slow requests.
    fn keeps_shares(&self, search: &Search, repeat: usize) -> bool {
        let over = match search.every_ns {
            Some(_) => self.worst_by_repeat.get(repeat).map(|worst| worst.over),
            None => self.over_by_repeat.get(repeat).copied(),
        };
        search.fewer.iter().all(|limit| {
            let share = over.and_then(|over| over[limit.index()]);
            share.is_some_and(|share| limit.is_kept(share))
        })
    }

    /// The repeats of a percentile, if all were measured: lower bounds are not compared.
    pub fn measured(&self, at: usize) -> &[f64] {
        let is_bound = self.bounds_by_repeat[at].contains(&true);
        if is_bound { &[] } else { &self.percentiles_by_repeat[at] }
    }

    /// The repeats of the mean, likewise.
    pub fn measured_mean(&self) -> &[f64] {
        if self.censored { &[] } else { &self.mean_by_repeat }
    }

    /// The shares that took each of `OVER_MS` or longer.
    pub fn over(&self) -> [Option<Level>; OVER_MS.len()] {
        shares(&self.over_by_repeat)
    }

    /// The same in the worst period, and its length; None if no search limits every period.
    pub fn worst_period(&self) -> Option<(u64, [Option<Level>; OVER_MS.len()])> {
        let length_ns = self.worst_by_repeat.first()?.length_ns;
        let over: Vec<_> = self.worst_by_repeat.iter().map(|worst| worst.over).collect();
        Some((length_ns, shares(&over)))
    }
}

fn shares(repeats: &[[Option<f64>; OVER_MS.len()]]) -> [Option<Level>; OVER_MS.len()] {
    let of = |i: usize| repeats.iter().map(|over| over[i]).collect();
    let share = |all: Option<Vec<f64>>| level::share(&all?);
    std::array::from_fn(|i| share(of(i)))
}

/// The estimate of percentile `at`, with the reported bounds: for one repeat they are all that is
/// known, and the spread of several repeats cannot be narrower than the means of their bounds.
fn bounded(mut estimate: Estimate, repeats: &[&Times], at: usize) -> Estimate {
    let Some(bounds) = repeats.iter().map(|t| t.bounds_ns[at]).collect::<Option<Vec<_>>>() else {
        return estimate;
    };
    let n = bounds.len().max(1) as f64;
    let low = bounds.iter().map(|b| b.0).sum::<f64>() / n;
    let high = bounds.iter().map(|b| b.1).sum::<f64>() / n;
    estimate.method = IntervalMethod::Reported;
    (estimate.low, estimate.high) = (estimate.low.min(low), estimate.high.max(high));
    estimate
}

impl RepeatSummary {
    /// A row of a report for each class of op, after that of reads and writes together.
    pub fn rows(&self) -> impl Iterator<Item = &ClassSummary> {
        self.all.as_deref().into_iter().chain(&self.classes)
    }

    /// The share of its ops that were submitted late or never.
    pub fn late_share(&self) -> f64 {
        self.late as f64 / self.due.max(1) as f64
    }

    /// The figures of a class; None if the cell had no op of it.
    pub fn class(&self, class: Option<Class>) -> Option<&ClassSummary> {
        self.classes.iter().find(|c| Some(c.class) == class)
    }

    /// The latency of a class, as a user of the drive sees it.
    pub fn user_latency(&self, class: Option<Class>) -> Option<&Latency> {
        self.class(class).map(ClassSummary::user_latency)
    }

    /// Its 99th percentile, nanoseconds.
    pub fn p99_ns(&self, class: Option<Class>) -> Option<&Estimate> {
        self.user_latency(class)?.percentiles_ns[P99].as_ref()
    }

    /// The same, if it is more than a lower bound.
    pub fn measured_p99_ns(&self, class: Option<Class>) -> Option<f64> {
        self.p99_ns(class).filter(|p99| !p99.at_least).map(|p99| p99.value)
    }

    /// Reads and writes together, per second.
    pub fn moved(&self) -> MovedData {
        let value = |of: Option<&Estimate>| of.map_or(0.0, |estimate| estimate.value);
        let mut moved = MovedData::default();
        for class in [Class::READ, Class::WRITE] {
            let Some(own) = self.class(Some(class)) else { continue };
            let ops = value(own.ops_per_s.as_ref());
            moved.ops += ops;
            moved.reads += if class == Class::READ { ops } else { 0.0 };
            moved.bytes += value(own.bytes_per_s.as_ref());
        }
        moved
    }

    /// The class to which a latency limit applies.
    pub fn limited_class(&self) -> Option<&ClassSummary> {
        let ops = self.classes.iter().map(|c| (c.class, c.ops.unwrap_or(0)));
        self.class(Class::limited(ops))
    }

    /// Achieved ÷ target rate, if there is one.
    pub fn achieved(&self) -> Option<f64> {
        match self.asked? {
            Rate::OpsPerSec(asked) => Some(self.ops_per_s.as_ref()?.value / asked),
            Rate::BytesPerSec(asked) => Some(self.bytes_per_s.as_ref()?.value / asked),
        }
    }
}

impl ClassSummary {
    /// The latency seen by a user of the drive: the response time, which in closed loop is the
    /// service time.
    pub fn user_latency(&self) -> &Latency {
        self.response.as_deref().unwrap_or(&self.service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repeats of a recorded load end with its last request, so windows and rates differ.
    #[test]
    fn a_rate_that_each_repeat_kept_in_part_is_not_kept_more_than_wholly() {
        let of = |ops_per_s: f64, asked: f64| Numbers {
            ops_per_s: Some(ops_per_s),
            bytes_per_s: None,
            classes: Vec::new(),
            all: None,
            asked: Some(Rate::OpsPerSec(asked)),
            late: 0,
            due: 0,
            backlog_max: 0,
            backlog_end: 0,
            threads: None,
            depth: None,
            littles_law: None,
            window_ns: None,
            seconds: Vec::new(),
        };
        let summary = |repeats: &[Numbers]| summarise(&repeats.iter().collect::<Vec<_>>()).unwrap();
        let whole = summary(&[of(900.0, 900.0), of(1000.0, 1000.0), of(990.0, 990.0)]);
        assert!((whole.achieved().unwrap() - 1.0).abs() < 1e-12);
        let partly = summary(&[of(450.0, 900.0), of(500.0, 1000.0)]);
        assert!((partly.achieved().unwrap() - 0.5).abs() < 1e-12);
        let fixed = summary(&[of(999.0, 1000.0), of(1000.0, 1000.0)]);
        assert_eq!(fixed.asked, Some(Rate::OpsPerSec(1000.0)), "as the plan says");
    }
}
