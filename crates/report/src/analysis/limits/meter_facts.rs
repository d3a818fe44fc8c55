//! The meter readings of one point as facts: power, temperature, and the bottleneck.

use std::collections::BTreeMap;

use crate::analysis::limits::bottleneck::{BottleneckVerdict, verdict};
use crate::analysis::limits::device_errors::{self, DeviceErrors};
use crate::analysis::limits::meter_series::{MeterSeries, SeriesReading as At};
use crate::analysis::limits::power::{PowerFacts, Series};
use crate::analysis::limits::slow_commands::SlowCommands;
use crate::analysis::limits::verdict_inputs::{inputs, is_standstill};
use crate::analysis::limits::writes::PointWrites;
use crate::analysis::limits::{bottleneck, meter_series, power};
use crate::analysis::points::point_numbers::PointSummary;
use crate::analysis::points::point_summary::RepeatSummary;
use dyno_core::plan::Plan;
use dyno_core::record::gauge::{self, cpu};
use dyno_core::record::{IdlePower, Point, RateInterval, Reported, Sample};

/// One point as observed by its meters; empty without meters.
#[derive(Default)]
pub struct Metered {
    /// Length of the measured window, seconds.
    pub window_s: f64,
    /// Power, one series per instrument.
    pub power: Vec<Series>,
    /// The hottest gauge in degrees Celsius, over time.
    pub celsius: Vec<At>,
    /// Bytes written, by layer; None without counters.
    pub writes: Option<PointWrites>,
    /// Slow commands by the drives' own count.
    pub slow_commands: Vec<SlowCommands>,
    /// Errors that drives and links counted.
    pub errors: DeviceErrors,
    /// The bottleneck; None without meters.
    pub verdict: Option<BottleneckVerdict>,
    /// The processors; None without their counters.
    pub processors: Option<ProcessorUse>,
}

/// The use of the host's processors during a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessorUse {
    /// The busy share of all of them, 0 to 1.
    pub host_busy: f64,
    /// The share that Dyno and its servers used.
    pub own_busy: f64,
    /// Their number.
    pub cores: f64,
}

/// The mean over the repeats; None unless all have their counters.
pub fn processors(repeats: &[&Metered]) -> Option<ProcessorUse> {
    let each = repeats.iter().map(|m| m.processors).collect::<Option<Vec<_>>>()?;
    let mean =
        |of: fn(&ProcessorUse) -> f64| each.iter().map(of).sum::<f64>() / each.len().max(1) as f64;
    (!each.is_empty()).then(|| ProcessorUse {
        host_busy: mean(|p| p.host_busy),
        own_busy: mean(|p| p.own_busy),
        cores: mean(|p| p.cores),
    })
}

impl Metered {
    /// Reduces a point's samples to facts.
    pub fn of(
        (samples, reported): (Vec<Sample>, &[Reported]),
        rates: &[RateInterval],
        (plan, point): (&Plan, &Point),
        reading: &PointSummary,
    ) -> Metered {
        let gauges = meter_series::of_samples(samples);
        let window_s = point.window_ns.unwrap_or(0) as f64 / 1e9;
        let given = power::given(&gauges, reported);
        if gauges.is_empty() || !given.is_empty() {
            return Metered { window_s, power: given, ..Metered::default() };
        }
        let load = match gauges.iter().any(|g| g.name.ends_with(gauge::WATTS)) {
            true => stretches(rates),
            false => Vec::new(),
        };
        let inside = |g: &MeterSeries| {
            g.readings.iter().copied().filter(|r| (0.0..=window_s).contains(&r.0)).collect()
        };
        let hot = gauges.iter().filter(|g| g.name.ends_with(gauge::CELSIUS));
        let hottest = hot.max_by(|a, b| {
            a.mean(window_s).unwrap_or(f64::MIN).total_cmp(&b.mean(window_s).unwrap_or(f64::MIN))
        });
        // Watts alone do not show a bottleneck.
        let observed = gauges
            .iter()
            .any(|g| g.name == cpu::HOST_ALL_NS || is_standstill(g))
            .then(|| inputs(&gauges, (plan, point), reading, window_s));
        let processors = observed.as_ref().and_then(|seen| {
            let (host_busy, own_busy) = seen.host_busy.zip(seen.own_busy)?;
            Some(ProcessorUse { host_busy, own_busy, cores: seen.cores })
        });
        Metered {
            window_s,
            processors,
            power: power::series(&gauges, &load, window_s),
            writes: plan
                .protocol
                .step(&point.key.step)
                .and_then(|step| PointWrites::of(&gauges, step, point)),
            slow_commands: SlowCommands::of(&gauges, point, window_s),
            errors: device_errors::of(&gauges),
            celsius: hottest.map(inside).unwrap_or_default(),
            verdict: observed.as_ref().map(verdict),
        }
    }
}

/// Makes the points of each subject of a run agree on each instrument's delay.
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
pub fn power(
    repeats: &[&Metered],
    total: &RepeatSummary,
    subject: &str,
    rest: &[IdlePower],
) -> Vec<PowerFacts> {
    let each: Vec<(&[Series], f64)> = repeats.iter().map(|m| (&m.power[..], m.window_s)).collect();
    power::summarise(&each, total, &|kind, class| power::at_rest(rest, subject, kind, class))
}

/// The bottleneck of a cell: that of most of its repeats.
pub fn verdict_of(repeats: &[&Metered]) -> Option<BottleneckVerdict> {
    let each: Vec<&BottleneckVerdict> = repeats.iter().filter_map(|m| m.verdict.as_ref()).collect();
    bottleneck::of_most(&each)
}

/// Segments of constant load: all streams together.
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
    all.into_iter()
        .map(|(a, b, ops)| (seconds(a), seconds(b), ops as f64 / seconds((b - a).max(1))))
        .collect()
}
