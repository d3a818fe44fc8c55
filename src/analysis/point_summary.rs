//! The repeats of a cell as estimates with intervals.

use super::point_numbers::{ClassNumbers, Numbers, OVER_MS, Times};
use crate::base::units::Rate;
use crate::record::Class;
use crate::stats::level::{self, Level};
use crate::stats::trend::{self, Drift};
use crate::stats::{Estimate, Method, estimate};

/// The percentiles that a report shows.
pub use crate::plan::search::PERCENTILES;

/// Where p99 is among them.
pub const P99: usize = 2;

/// A stream that reaches a smaller share of its target rate has missed it: its latencies are those
/// of another load.
pub const RATE_KEPT: f64 = 0.98;

/// Some streams of one cell over all repeats.
pub struct Summary {
    /// Ops per second.
    pub ops_per_s: Estimate,
    /// Bytes per second.
    pub bytes_per_s: Estimate,
    /// ops/s of each repeat, in order.
    pub by_repeat: Vec<f64>,
    /// bytes/s of each repeat, in order.
    pub bytes_by_repeat: Vec<f64>,
    /// One for each class of op.
    pub classes: Vec<ClassSummary>,
    /// Open loop: the target rate.
    pub asked: Option<Rate>,
    /// Sums and maxima over the repeats.
    pub late: u64,
    /// Ops of all repeats.
    pub ops: u64,
    /// The most ops due and not yet handed over, of any repeat.
    pub backlog_max: u64,
    /// Ops not yet handed over when windows closed, of all repeats.
    pub backlog_end: u64,
    /// Workers together.
    pub threads: u32,
    /// Requests in flight for each worker.
    pub depth: u32,
    /// Length of one measured window, nanoseconds.
    pub window_ns: u64,
    /// Whether ops/s rose or fell over the windows of its repeats.
    pub drift: Drift,
}

/// The ops of one class over all repeats.
pub struct ClassSummary {
    /// The class.
    pub class: Class,
    /// Ops of all repeats.
    pub ops: u64,
    /// Ops per second.
    pub ops_per_s: Estimate,
    /// Ops per minute that came to their end, without misses: of transactions, those that were
    /// committed.
    pub done_per_minute: Option<Estimate>,
    /// The same of each repeat, in order.
    pub done_by_repeat: Vec<f64>,
    /// Bytes per second.
    pub bytes_per_s: Estimate,
    /// Reads that found no such key, of all repeats.
    pub misses: u64,
    /// Over all repeats; not in `ops`.
    pub given_up: u64,
    /// Latencies above the histogram's highest bucket, of all repeats.
    pub overflow: u64,
    /// Service times.
    pub service: Latency,
    /// Open loop only.
    pub response: Option<Latency>,
}

/// Latency in nanoseconds.
pub struct Latency {
    /// Mean over the repeats, nanoseconds.
    pub mean_ns: Option<Estimate>,
    /// The percentiles of `PERCENTILES`, nanoseconds.
    pub percentiles_ns: [Option<Estimate>; 5],
    /// Largest latency of any repeat, nanoseconds.
    pub max_ns: u64,
    /// The shares that took each of `OVER_MS` or longer.
    pub over: [Option<Level>; OVER_MS.len()],
    /// Of each repeat, where every repeat has one.
    pub mean_by_repeat: Vec<f64>,
    /// Each percentile's value in each repeat that has one.
    pub percentiles_by_repeat: [Vec<f64>; 5],
}

/// The repeats of a cell as estimates.
pub fn summarise(repeats: &[&Numbers]) -> Option<Summary> {
    let first = repeats.first()?;
    let all =
        |pick: &dyn Fn(&Numbers) -> f64| repeats.iter().map(|n| pick(n)).collect::<Vec<f64>>();
    let (by_repeat, bytes_by_repeat) = (all(&|n| n.ops_per_s), all(&|n| n.bytes_per_s));
    let declared = Class::in_order(repeats.iter().flat_map(|n| &n.classes).map(|c| c.class));
    let classes =
        declared.into_iter().filter_map(|class| summarise_class(class, repeats)).collect();
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
        .filter_map(|n| {
            n.classes
                .iter()
                .find(|c| c.class == class)
                .map(|c| (c, n.window_ns.max(1) as f64 / 1e9))
        })
        .collect();
    if own.is_empty() {
        return None;
    }
    let rates: Vec<f64> = own.iter().map(|(c, seconds)| c.ops as f64 / seconds).collect();
    let done: Vec<f64> =
        own.iter().map(|(c, s)| c.ops.saturating_sub(c.misses) as f64 * 60.0 / s).collect();
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
    let whole = |pick: &dyn Fn(&Times) -> Option<f64>| {
        repeats.iter().map(|t| pick(t)).collect::<Option<Vec<f64>>>()
    };
    let made = |pick: &dyn Fn(&Times) -> Option<f64>| {
        whole(pick).and_then(|v| estimate::from_repeats(&v, "ns"))
    };
    Latency {
        mean_ns: made(&|t| t.mean_ns),
        percentiles_ns: std::array::from_fn(|i| {
            made(&|t| t.percentiles_ns[i]).map(|e| bounded(e, repeats, i))
        }),
        max_ns: repeats.iter().map(|t| t.max_ns).max().unwrap_or(0),
        over: std::array::from_fn(|i| whole(&|t| t.over[i]).and_then(|all| level::share(&all))),
        mean_by_repeat: whole(&|t| t.mean_ns).unwrap_or_default(),
        percentiles_by_repeat: std::array::from_fn(|i| {
            whole(&|t| t.percentiles_ns[i]).unwrap_or_default()
        }),
    }
}

/// The estimate of percentile `at`, with the reported bounds: of one repeat they are all that is
/// known of it, and the spread of several repeats cannot be narrower than the means of their
/// bounds.
fn bounded(mut estimate: Estimate, repeats: &[&Times], at: usize) -> Estimate {
    let Some(bounds) = repeats.iter().map(|t| t.bounds_ns[at]).collect::<Option<Vec<_>>>() else {
        return estimate;
    };
    let n = bounds.len().max(1) as f64;
    let low = bounds.iter().map(|b| b.0).sum::<f64>() / n;
    let high = bounds.iter().map(|b| b.1).sum::<f64>() / n;
    estimate.method = Method::Reported;
    (estimate.low, estimate.high) = (estimate.low.min(low), estimate.high.max(high));
    estimate
}

impl Summary {
    /// The numbers of a class; None where the cell had no op of it.
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
    /// What a user of the drive waits: the response time in open loop, which in closed loop is the
    /// service time.
    pub fn user_latency(&self) -> &Latency {
        self.response.as_ref().unwrap_or(&self.service)
    }
}
