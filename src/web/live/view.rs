//! The numbers of a live page: generated here for readers without scripts, and again by `live.js`
//! each second.

use crate::base::units;
use crate::lab::folder::feed::FeedState;
use crate::record::live::{ClassRate, Feed, LiveGauge};

/// The progress of a run.
pub struct RunProgress {
    /// "12 of 40 points, 1 failed".
    pub points: String,
    /// "3m 20s left"; empty once it has ended.
    pub left: String,
    /// Percent of the run's time.
    pub percent: Option<u64>,
    /// "warm-up", "window".
    pub phase: &'static str,
    /// The current activity.
    pub doing: String,
}

/// Its progress.
pub fn standing(found: &FeedState) -> RunProgress {
    let feed = &found.feed;
    let failed = match feed.points.failed {
        0 => String::new(),
        n => format!(", {n} failed"),
    };
    let spared = match feed.points.spared {
        0 => String::new(),
        n => format!(", {n} not needed"),
    };
    let left = match (found.is_running, feed.left_ns) {
        (false, _) => String::new(),
        (true, Some(ns)) => format!("{} left", units::duration(ns.div_ceil(SECOND) * SECOND)),
        (true, None) => "time left unknown".to_string(),
    };
    RunProgress {
        points: format!("{} of {} points{failed}{spared}", feed.points.done, feed.points.all),
        left,
        percent: match feed.points.done >= feed.points.all && !found.is_running {
            true => Some(100),
            false => feed.percent.map(|percent| percent.clamp(0.0, 100.0) as u64),
        },
        phase: feed.phase.name(),
        doing: feed.doing.clone(),
    }
}

const SECOND: u64 = 1_000_000_000;

/// A row of the table of rates, as text.
pub fn rate(rate: &ClassRate) -> [String; 7] {
    let latency =
        |ns: Option<u64>| ns.map_or("not measured".to_string(), |ns| units::latency(ns as f64));
    let moved = match rate.bytes_per_s {
        bytes if bytes > 0.0 => format!("{:.1}", bytes / 1e6),
        _ => "–".to_string(),
    };
    [
        rate.subject.clone(),
        rate.stream.clone(),
        rate.class.clone(),
        units::grouped(rate.ops_per_s.round() as u64),
        moved,
        latency(rate.p99_ns),
        latency(rate.point_p99_ns),
    ]
}

/// A row of the table of readings: subject, gauge, and value.
pub fn gauge(gauge: &LiveGauge) -> [String; 3] {
    let of = gauge.subject.clone().unwrap_or_else(|| "host".to_string());
    [of, format!("{}, {}", gauge.meter, gauge.name), value(gauge.value)]
}

/// Four significant digits, whole numbers in full.
fn value(value: f64) -> String {
    match value {
        v if v == v.trunc() && v.abs() < 1e15 => {
            let sign = if v < 0.0 { "-" } else { "" };
            format!("{sign}{}", units::grouped(v.abs() as u64))
        }
        v if v.abs() >= 1000.0 => format!("{v:.0}"),
        v => format!("{v:.2}"),
    }
}

/// The log, newest line first, each with its time of day (UTC).
pub fn log(feed: &Feed) -> Vec<(String, String)> {
    let moment = |ns: u64| units::moment(ns);
    feed.log.iter().rev().map(|entry| (moment(entry.unix_ns), entry.text.clone())).collect()
}
