//! The slowest ops of a cell, by cause, and the circumstances of the slowest of them.

use std::collections::BTreeMap;

use crate::analysis::limits::meter_series::{self, MeterSeries};
use crate::analysis::outlier_cause::{Cause, Reason, judge};
use dyno_core::record::gauge::{CELSIUS, cpu, nvme};
use dyno_core::record::{Sample, SlowOp};

/// At most one in this many of a point's ops is an outlier.
pub const ONE_IN: u64 = 100;

/// Maximum number listed individually.
const LISTED: usize = 10;

/// Maximum number in a figure: enough to show their times, few enough for a small file.
const MARKED: usize = 150;

/// The outliers of a point, or of a cell over its repeats.
#[derive(Default)]
pub struct Outliers {
    /// Number by cause and reason, and their total response time, nanoseconds.
    pub of: BTreeMap<(Cause, Reason), (u64, u64)>,
    /// The response time of the fastest, nanoseconds.
    pub least_ns: u64,
    /// The slowest, in descending order.
    pub slowest: Vec<Outlier>,
    /// More of them, for a figure, in descending order.
    pub marks: Vec<OutlierMark>,
}

/// The data of one in a figure.
#[derive(Clone, Copy, Debug)]
pub struct OutlierMark {
    /// The due time, nanoseconds since the start of the window.
    pub at_ns: u64,
    /// Its response time, nanoseconds.
    pub response_ns: u64,
    /// Its cause.
    pub cause: Cause,
}

/// One of the slowest ops.
#[derive(Clone)]
pub struct Outlier {
    /// The op with its evidence.
    pub op: SlowOp,
    /// Its cause.
    pub cause: Cause,
    /// The deciding reason.
    pub reason: Reason,
    /// Its repeat, from 1.
    pub repeat: u32,
    /// Meter readings at the time.
    pub beside: MetersAround,
}

/// Meter readings around an op, if the plan has meters; most are read once per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MetersAround {
    /// The hottest gauge before it completed.
    pub celsius: Option<f64>,
    /// The drive's own count of thermal throttling increased.
    pub throttled: bool,
    /// The drive's health log was being read.
    pub health_read: bool,
    /// Interrupts of the drives' queues, per second.
    pub interrupts_per_s: Option<f64>,
    /// Use of the busiest processor, 0 to 100.
    pub busiest_core_percent: Option<f64>,
}

impl Outliers {
    /// The outliers of one point that completed this many ops.
    pub fn of(ops: Vec<SlowOp>, completed: u64, repeat: u32, samples: &[Sample]) -> Outliers {
        if ops.is_empty() {
            return Outliers::default();
        }
        let outliers = ops.len().min((completed / ONE_IN).max(1) as usize);
        let causes = judge(&ops);
        let mut all = Outliers::default();
        for (op, (cause, reason)) in ops.iter().zip(&causes).take(outliers) {
            let of = all.of.entry((*cause, *reason)).or_default();
            *of = (of.0 + 1, of.1.saturating_add(op.response_ns));
            all.least_ns = op.response_ns;
        }
        let mark = |(op, (cause, _)): (&SlowOp, &(Cause, Reason))| OutlierMark {
            at_ns: op.at_ns,
            response_ns: op.response_ns,
            cause: *cause,
        };
        all.marks = ops.iter().zip(&causes).take(outliers.min(MARKED)).map(mark).collect();
        let gauges = meter_series::of_samples(samples.to_vec());
        let listed = ops.into_iter().zip(causes).take(outliers.min(LISTED));
        let outlier = |(op, (cause, reason))| {
            let beside = MetersAround::of(&op, &gauges);
            Outlier { op, cause, reason, repeat, beside }
        };
        all.slowest = listed.map(outlier).collect();
        all
    }

    /// The same over several points.
    pub fn together<'o>(points: impl Iterator<Item = &'o Outliers>) -> Outliers {
        let mut all = Outliers { least_ns: u64::MAX, ..Outliers::default() };
        for point in points.filter(|point| !point.of.is_empty()) {
            for (key, (n, ns)) in &point.of {
                let of = all.of.entry(*key).or_default();
                *of = (of.0 + n, of.1.saturating_add(*ns));
            }
            all.least_ns = all.least_ns.min(point.least_ns);
            all.slowest.extend(point.slowest.iter().cloned());
            all.marks.extend(&point.marks);
        }
        all.marks.sort_by_key(|mark| std::cmp::Reverse(mark.response_ns));
        all.marks.truncate(MARKED);
        all.slowest.sort_by_key(|outlier| std::cmp::Reverse(outlier.op.response_ns));
        all.slowest.truncate(LISTED);
        all
    }

    /// Number of outliers.
    pub fn count(&self) -> u64 {
        self.of.values().map(|(n, _)| n).sum()
    }

    /// The number with a cause, and their share of all outliers' response times, 0 to 1.
    pub fn share(&self, cause: Cause) -> (u64, f64) {
        let own = self.of.iter().filter(|((of, _), _)| *of == cause).map(|(_, sums)| *sums);
        let (n, ns) = own.fold((0, 0.0), |(n, ns), own| (n + own.0, ns + own.1 as f64));
        let all: f64 = self.of.values().map(|(_, ns)| *ns as f64).sum();
        (n, if all > 0.0 { ns / all } else { 0.0 })
    }

    /// The most frequent reason for a cause.
    pub fn main_reason(&self, cause: Cause) -> Option<Reason> {
        let own = self.of.iter().filter(|((of, _), _)| *of == cause);
        own.max_by_key(|(_, (n, _))| *n).map(|((_, reason), _)| *reason)
    }
}

impl MetersAround {
    fn of(op: &SlowOp, gauges: &[MeterSeries]) -> MetersAround {
        let seconds = |ns: u64| ns as f64 / 1e9;
        let (from_s, until_s) =
            (seconds(op.at_ns), seconds(op.at_ns.saturating_add(op.response_ns)));
        let named = |end: &'static str| gauges.iter().filter(move |g| g.name.ends_with(end));
        let max = |values: Vec<f64>| values.into_iter().reduce(f64::max);
        let rise = |g: &MeterSeries| {
            let (before, after) = around(g, from_s, until_s)?;
            Some(((after.1 - before.1).max(0.0), after.0 - before.0))
        };
        let throttle = [nvme::THROTTLE_LIGHT_S, nvme::THROTTLE_HEAVY_S];
        let interrupts: Vec<f64> = named("_interrupts")
            .filter_map(rise)
            .filter(|(_, seconds)| *seconds > 0.0)
            .map(|(n, seconds)| n / seconds)
            .collect();
        let last = |g: &MeterSeries| {
            let known = g.readings.iter().filter(|r| r.1.is_finite() && r.0 <= until_s);
            known.map(|r| r.1).next_back()
        };
        let after = |g: &MeterSeries| around(g, from_s, until_s).map(|(_, after)| after.1);
        let meanwhile = |g: &&MeterSeries| {
            g.kind() == "nvme" && g.readings.iter().any(|r| (from_s..=until_s).contains(&r.0))
        };
        MetersAround {
            celsius: max(named(CELSIUS).filter_map(last).collect()),
            throttled: throttle.into_iter().flat_map(named).filter_map(rise).any(|r| r.0 > 0.0),
            health_read: gauges.iter().find(meanwhile).is_some(),
            interrupts_per_s: (!interrupts.is_empty()).then(|| interrupts.iter().sum()),
            busiest_core_percent: max(named(cpu::BUSIEST_CORE_PERCENT).filter_map(after).collect()),
        }
    }
}

/// The last reading before a time span and the first after it.
fn around(
    gauge: &MeterSeries,
    from_s: f64,
    until_s: f64,
) -> Option<(meter_series::SeriesReading, meter_series::SeriesReading)> {
    let known = || gauge.readings.iter().filter(|r| r.1.is_finite());
    let before = known().rfind(|r| r.0 <= from_s)?;
    let after = known().find(|r| r.0 >= until_s)?;
    Some((*before, *after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::record::{Class, Evidence};

    fn op(at_ns: u64, response_ns: u64) -> SlowOp {
        SlowOp {
            stream: "io".into(),
            drive: 0,
            instance: 0,
            worker: 0,
            class: Class::READ,
            at_ns,
            late_ns: 0,
            response_ns,
            address: 0,
            size: 4096,
            in_flight: 1,
            direct: true,
            evidence: Some(Evidence { device_idle_ns: Some(0), ..Evidence::default() }),
        }
    }

    #[test]
    fn at_most_one_op_in_a_hundred_is_an_outlier() {
        let ops: Vec<SlowOp> = (0..20).map(|n| op(n * 1_000_000, 100 - n)).collect();
        let few = Outliers::of(ops.clone(), 500, 1, &[]);
        assert_eq!((few.count(), few.least_ns), (5, 96));
        let many = Outliers::of(ops, 1_000_000, 2, &[]);
        assert_eq!((many.count(), many.share(Cause::Drive)), (20, (20, 1.0)));
        let both = Outliers::together([&few, &many].into_iter());
        assert_eq!((both.count(), both.slowest.len(), both.least_ns), (25, LISTED, 81));
        let marks: Vec<u64> = both.marks.iter().map(|mark| mark.response_ns).collect();
        assert_eq!((marks.len(), marks[..3].to_vec()), (25, vec![100, 100, 99]));
    }

    #[test]
    fn what_the_meters_read_around_an_op_stands_beside_it() {
        let sample = |meter: &str, name: &str, at_s: f64, value: f64| Sample {
            at_ns: (at_s * 1e9) as i64,
            meter: meter.into(),
            name: name.into(),
            value,
        };
        let samples = [
            sample("nvme", "nvme0_celsius", 1.0, 70.0),
            sample("nvme", "nvme0_celsius", 2.01, 81.0),
            sample("nvme", "nvme0_throttle_heavy_s", 1.0, 3.0),
            sample("nvme", "nvme0_throttle_heavy_s", 3.0, 4.0),
            sample("interrupts", "nvme0q1_interrupts", 1.0, 100.0),
            sample("interrupts", "nvme0q1_interrupts", 3.0, 500.0),
        ];
        let found = Outliers::of(vec![op(2_000_000_000, 20_000_000)], 1, 1, &samples);
        let beside = found.slowest[0].beside;
        assert_eq!((beside.celsius, beside.throttled), (Some(81.0), true));
        assert_eq!((beside.health_read, beside.interrupts_per_s), (true, Some(200.0)));
    }
}
