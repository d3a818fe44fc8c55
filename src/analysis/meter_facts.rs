//! What the meters say of one point: its power, its temperature, and whether it was the drive.

use std::collections::BTreeMap;

use super::meter_series::{self, Gauge, Reading as At};
use super::point_summary::{Numbers, PointSummary, Summary};
use super::power::{self, PowerFacts, Series};
use crate::base::units::Rate;
use crate::record::{AtRest, Class, Point, RateInterval, Sample};
use crate::stats::limit::{Device, Inputs, Verdict, verdict};

/// One point as its meters saw it; empty where nothing watched.
#[derive(Default)]
pub struct Metered {
    pub window_s: f64,
    pub power: Vec<Series>,
    /// The hottest gauge in degrees Celsius, over time.
    pub celsius: Vec<At>,
    pub verdict: Option<Verdict>,
}

impl Metered {
    pub fn of(samples: Vec<Sample>, rates: &[RateInterval], point: &Point, reading: &PointSummary) -> Metered {
        let gauges = meter_series::of_samples(samples);
        let window_s = point.window_ns as f64 / 1e9;
        if gauges.is_empty() || window_s <= 0.0 {
            return Metered::default();
        }
        let load = match gauges.iter().any(|g| g.name.ends_with("_watts")) {
            true => stretches(rates),
            false => Vec::new(),
        };
        let inside = |g: &Gauge| g.readings.iter().copied().filter(|r| (0.0..=window_s).contains(&r.0)).collect();
        let hot = gauges.iter().filter(|g| g.name.ends_with("celsius"));
        let hottest =
            hot.max_by(|a, b| a.mean(window_s).unwrap_or(f64::MIN).total_cmp(&b.mean(window_s).unwrap_or(f64::MIN)));
        Metered {
            window_s,
            power: power::series(&gauges, &load, window_s),
            celsius: hottest.map(inside).unwrap_or_default(),
            // Another tool's watts alone do not say what limited its result.
            verdict: gauges
                .iter()
                .any(|g| g.name == "host_all_ns")
                .then(|| verdict(&inputs(&gauges, point, reading, window_s))),
        }
    }
}

/// Has the points of each subject of a run agree on how late each of its instruments is.
pub fn agree<'a, S: Ord + Clone>(points: impl Iterator<Item = (S, &'a mut Metered)>) {
    let mut instruments: BTreeMap<(S, String, String), Vec<&'a mut Series>> = BTreeMap::new();
    for (subject, metered) in points {
        for series in &mut metered.power {
            let instrument = (subject.clone(), series.kind.clone(), series.class.clone());
            instruments.entry(instrument).or_default().push(series);
        }
    }
    instruments.into_values().for_each(|of_one| power::agree(of_one.into_iter()));
}

/// The power of a cell from that of its repeats.
pub fn power(repeats: &[&Metered], total: &Summary, subject: &str, rest: &[AtRest]) -> Vec<PowerFacts> {
    let each: Vec<(&[Series], f64)> = repeats.iter().map(|m| (&m.power[..], m.window_s)).collect();
    power::summarise(&each, total, &|kind, class| power::at_rest(rest, subject, kind, class))
}

/// What limited a cell: one repeat that the drive did not limit speaks for all.
pub fn verdict_of(repeats: &[&Metered]) -> Option<Verdict> {
    let each = || repeats.iter().filter_map(|m| m.verdict.as_ref());
    each().find(|v| v.limit.bars_ranking()).or_else(|| each().next()).cloned()
}

/// Stretches of constant load: all streams together.
fn stretches(rates: &[RateInterval]) -> Vec<(f64, f64, f64)> {
    let mut all: Vec<(u64, u64, u64)> = Vec::new();
    for r in rates {
        // The intervals of all streams end together.
        match all.iter_mut().find(|s| s.0 == r.start_ns) {
            Some(stretch) => stretch.2 += r.ops,
            None => all.push((r.start_ns, r.end_ns, r.ops)),
        }
    }
    all.sort_unstable();
    let seconds = |ns: u64| ns as f64 / 1e9;
    all.into_iter().map(|(a, b, ops)| (seconds(a), seconds(b), ops as f64 / seconds((b - a).max(1)))).collect()
}

fn inputs(gauges: &[Gauge], point: &Point, reading: &PointSummary, window_s: f64) -> Inputs {
    let rate = |name: &str| gauges.iter().find(|g| g.name == name).and_then(|g| g.per_second(window_s));
    let host_ns = rate("host_all_ns").filter(|ns| *ns > 0.0);
    let busy = |ns: Option<f64>| Some(ns? / host_ns?);
    let own_ns = rate("process_user_ns").zip(rate("process_system_ns")).map(|(user, system)| user + system);
    let streams = || reading.streams.iter().map(|(.., numbers)| numbers);
    let sums = |class: Class| {
        let own = || streams().flat_map(|n| &n.classes).filter(|c| c.class == class);
        (own().map(|c| c.ops).sum::<u64>() as f64 / window_s, own().map(|c| c.bytes).sum::<u64>() as f64 / window_s)
    };
    let (reads_per_s, read_bytes_per_s) = sums(Class::Read);
    let (writes_per_s, written_bytes_per_s) = sums(Class::Write);
    let outstanding: f64 = point.cells.iter().map(|c| f64::from(c.threads) * f64::from(c.depth)).sum();
    let throttled = gauges.iter().filter(|g| g.name.contains("_throttle_") && g.name.ends_with("_s"));
    let throttled: Vec<f64> = throttled.filter_map(|g| g.per_second(window_s)).collect();
    let closed = point.cells.iter().all(|c| c.asked.is_none());
    Inputs {
        outstanding,
        workers: point.cells.iter().map(|c| f64::from(c.threads)).sum(),
        achieved: achieved(&reading.total),
        in_flight: closed.then(|| streams().map(in_flight).sum()),
        reads_per_s,
        read_bytes_per_s,
        writes_per_s,
        written_bytes_per_s,
        thinks: closed && point.cells.iter().flat_map(|c| &c.tallies).any(|t| t.response.is_some()),
        device: device(gauges, window_s),
        host_busy: busy(rate("host_busy_ns")),
        own_busy: busy(own_ns),
        cores: host_ns.map_or(1.0, |ns| ns / 1e9),
        busiest_core: gauges
            .iter()
            .find(|g| g.name == "busiest_core_percent")
            .and_then(|g| Some(g.mean(window_s)? / 100.0)),
        throttled: (!throttled.is_empty()).then(|| throttled.iter().fold(0.0, |most, t| t.max(most))),
    }
}

/// Little's law: what arrives each second times how long it stays.
fn in_flight(numbers: &Numbers) -> f64 {
    let seconds = numbers.window_ns.max(1) as f64 / 1e9;
    numbers.classes.iter().filter_map(|c| Some(c.ops as f64 / seconds * c.service.mean_ns? / 1e9)).sum()
}

fn achieved(numbers: &Numbers) -> Option<f64> {
    match numbers.asked? {
        Rate::OpsPerSec(asked) => Some(numbers.ops_per_s / asked),
        Rate::BytesPerSec(asked) => Some(numbers.bytes_per_s / asked),
    }
}

/// All devices under the subject together; busy is the mean of theirs.
fn device(gauges: &[Gauge], window_s: f64) -> Option<Device> {
    let each = |what: &str| -> Vec<f64> {
        let own = gauges.iter().filter(|g| g.kind() == "diskstats" && g.name.ends_with(what));
        own.filter_map(|g| g.per_second(window_s)).collect()
    };
    let sum = |what: &str| each(what).iter().sum::<f64>();
    let busy = each("_busy_ns");
    (!busy.is_empty()).then(|| Device {
        reads_per_s: sum("_reads"),
        read_bytes_per_s: sum("_read_bytes"),
        written_bytes_per_s: sum("_written_bytes"),
        queue: sum("_queue_ns") / 1e9,
        // The paths and namespaces of one drive can be busy at once.
        busy: (busy.iter().sum::<f64>() / busy.len() as f64 / 1e9).min(1.0),
    })
}
