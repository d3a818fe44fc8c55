//! The search for the highest load within a latency limit: `search = { metric = "clients.p99",
//! at_most = "25ms" }` in a sweep. Only the values that a bisection requires are measured.

use serde::{Deserialize, Serialize};

use crate::base::histogram::SAMPLES_ABOVE;
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, remedy};
use crate::plan::syntax::node::Node;

/// The percentiles that may be limited: those shown in reports.
pub const PERCENTILES: [(&str, f64); 7] = [
    ("p50", 0.5),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p99", 0.99),
    ("p99.9", 0.999),
    ("p99.99", 0.9999),
    ("p99.999", 0.99999),
];

/// The longest window to which a search extends the plan's.
pub const LONGEST_NS: u64 = 600_000_000_000;

/// The condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// The stream whose latency is limited.
    pub stream: String,
    /// One of `PERCENTILES`.
    pub percentile: String,
    /// The limit, in nanoseconds of response time.
    pub at_most_ns: u64,
    /// Limits of the shares of slow requests, which also apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fewer: Vec<ShareLimit>,
    /// These shares are limited in every period of this length, nanoseconds; None: in the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_ns: Option<u64>,
}

/// Times whose share of slower requests may be limited, milliseconds: those of Aerospike's ACT
/// (act_latency.py), which reports show.
pub const OVER_MS: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];

/// A limit of the share of requests that take a time or longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareLimit {
    /// One of `OVER_MS`.
    pub over_ms: u64,
    /// Fewer than this percentage of the requests.
    pub percent: f64,
}

impl ShareLimit {
    /// The index of the time in `OVER_MS`.
    pub fn index(&self) -> usize {
        OVER_MS.iter().position(|ms| *ms == self.over_ms).unwrap_or(0)
    }

    /// Whether a share, 0 to 1, is below the limit.
    pub fn is_kept(&self, share: f64) -> bool {
        share * 100.0 < self.percent
    }
}

impl Search {
    /// The index of the percentile in `PERCENTILES`.
    pub fn index(&self) -> usize {
        PERCENTILES.iter().position(|(name, _)| *name == self.percentile).unwrap_or(0)
    }

    /// The percentile, as a share.
    pub fn share(&self) -> f64 {
        PERCENTILES[self.index()].1
    }

    /// The window of a point of this many ops/s: long enough that its percentile has its samples,
    /// up to `LONGEST_NS`, if the plan's is shorter.
    pub fn window_ns(&self, ops_per_s: f64, planned_ns: u64) -> u64 {
        let least = self.needed_ns(ops_per_s).min(LONGEST_NS as f64);
        planned_ns.max(least.ceil() as u64)
    }

    /// The time after which this many ops/s give enough samples for the percentile, even if their
    /// number is below the expected one by chance.
    pub fn needed_ns(&self, ops_per_s: f64) -> f64 {
        let needed = SAMPLES_ABOVE as f64 / (1.0 - self.share());
        (needed + 4.0 * needed.sqrt()) / ops_per_s.max(f64::MIN_POSITIVE) * 1e9
    }

    /// The maximum number of measurements, for this number of values.
    pub fn most_points(values: usize) -> u64 {
        u64::from(values.checked_ilog2().map_or(0, |log| log + 1))
    }

    /// The value of a sweep to measure next, given the values tried and their results: the middle
    /// of the undecided range. None if it is empty.
    pub fn next(values: &[f64], tried: &[(f64, bool)]) -> Option<f64> {
        let broken = tried.iter().filter(|t| !t.1).map(|t| t.0).fold(f64::INFINITY, f64::min);
        // A drive may pass at a load above one at which it failed; the range below stays decided.
        let held = tried
            .iter()
            .filter(|t| t.1 && t.0 < broken)
            .map(|t| t.0)
            .fold(f64::NEG_INFINITY, f64::max);
        let from = values.partition_point(|&value| value <= held);
        let between = &values[from..values.partition_point(|&value| value < broken).max(from)];
        between.get(between.len() / 2).copied()
    }
}

/// Reads a search. `streams` are the step's.
pub fn search(node: &Node, streams: &[String], log: &mut Mistakes) -> Option<Search> {
    let mut table = Fields::of(node, "a search", log)?;
    let metric_node = table.need("metric", "\"STREAM.p99\"", log);
    let at_most = table.need("at_most", "\"25ms\"", log);
    let fewer = table.get("fewer").map(|node| fewer(node, log)).unwrap_or_default();
    let every = table.get("every");
    table.finish(log);
    if let Some(every) = every.filter(|_| fewer.is_empty()) {
        let what = "'every' has no shares to limit in its periods";
        log.note(every.at, what, "no limits", "write the limits: fewer = { \"8ms\" = 1.0 }");
    }
    let every_ns = every.and_then(|every| fields::some_time_ns(every, log));
    let (metric_node, at_most) = (metric_node?, at_most?);
    let at_most_ns = fields::some_time_ns(at_most, log);
    let metric = fields::text(metric_node, log)?;
    let of = |stream: &String| {
        let percentile = metric.strip_prefix(stream.as_str())?.strip_prefix('.')?;
        PERCENTILES
            .iter()
            .find(|(name, _)| *name == percentile)
            .map(|(name, _)| (stream.clone(), name.to_string()))
    };
    let Some((stream, percentile)) = streams.iter().find_map(of) else {
        let known = |stream: &String| PERCENTILES.map(|(name, _)| format!("{stream}.{name}"));
        let known: Vec<String> = streams.iter().flat_map(known).collect();
        let help = remedy(&metric, "metrics", known.iter().map(String::as_str));
        log.note(
            metric_node.at,
            format!("'{metric}' is not a metric of the step"),
            "unknown metric",
            help,
        );
        return None;
    };
    Some(Search { stream, percentile, at_most_ns: at_most_ns?, fewer, every_ns })
}

/// `fewer = { "8ms" = 1.0, "64ms" = 0.1 }`: percentages of requests over a time.
fn fewer(node: &Node, log: &mut Mistakes) -> Vec<ShareLimit> {
    let mut limits = Vec::new();
    for entry in node.entries() {
        let over_ms = OVER_MS.into_iter().find(|ms| format!("{ms}ms") == entry.key);
        let Some(over_ms) = over_ms else {
            let known: Vec<String> = OVER_MS.iter().map(|ms| format!("{ms}ms")).collect();
            let help = remedy(&entry.key, "times", known.iter().map(String::as_str));
            let what = format!("the share over '{}' cannot be limited", entry.key);
            log.note(entry.key_at, what, "unknown time", help);
            continue;
        };
        let percent = fields::number(&entry.node, 0.0001, 100.0, log);
        limits.extend(percent.map(|percent| ShareLimit { over_ms, percent }));
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_finds_the_most_that_holds_and_measures_few() {
        let values: Vec<f64> = (1..=16).map(f64::from).collect();
        for truth in 0..=16 {
            let mut tried = Vec::new();
            while let Some(value) = Search::next(&values, &tried) {
                tried.push((value, value <= f64::from(truth)));
            }
            let held = tried.iter().filter(|t| t.1).map(|t| t.0).fold(0.0, f64::max);
            assert_eq!(held, f64::from(truth), "{tried:?}");
            assert!(tried.len() as u64 <= Search::most_points(values.len()), "{tried:?}");
        }
    }

    #[test]
    fn at_low_rates_the_window_follows_from_the_percentile() {
        let of = |percentile: &str, ops_per_s: f64| {
            let stream = String::new();
            let search = Search {
                stream,
                percentile: percentile.into(),
                at_most_ns: 1,
                fewer: Vec::new(),
                every_ns: None,
            };
            search.window_ns(ops_per_s, 1_500_000_000) / 1_000_000
        };
        assert_eq!(of("p99", 1_000.0), 10_400);
        assert_eq!(of("p99", 9_000.0), 1_500);
        assert_eq!(of("p50", 10.0), 25_656, "200 ops and what they scatter");
        assert_eq!(of("p99.999", 1_000.0), 600_000, "and is too short for its samples");
    }

    #[test]
    fn a_load_that_breaks_ends_the_search_above_it_also_where_more_once_held() {
        assert_eq!(Search::next(&[1.0, 2.0, 4.0, 8.0], &[(4.0, true), (2.0, false)]), Some(1.0));
        assert_eq!(
            Search::next(&[1.0, 2.0, 4.0, 8.0], &[(4.0, true), (2.0, false), (1.0, true)]),
            None
        );
    }
}
