//! The drive's own count of slow commands next to Dyno's count of slow ops: independent evidence.

use std::collections::BTreeMap;

use crate::analysis::limits::meter_series::MeterSeries;
use dyno_core::record::gauge::slow_commands::{CommandKind, SlowCommandGauge};
use dyno_core::record::{Class, Point};

/// Commands of one kind that took at least as long as the drive's threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowCommands {
    /// The threshold and the kind.
    pub gauge: SlowCommandGauge,
    /// The number by the drives' own count, over the window.
    pub drive: u64,
    /// Ops with at least this service time, by Dyno's count.
    pub dyno: u64,
}

impl SlowCommands {
    /// The slow commands of one point; empty if a drive does not count them, or its count was lost.
    pub fn of(gauges: &[MeterSeries], point: &Point, window_s: f64) -> Vec<SlowCommands> {
        let mut counted: BTreeMap<SlowCommandGauge, Option<u64>> = BTreeMap::new();
        for series in gauges.iter().filter(|series| series.kind() == "nvme") {
            let Some(gauge) = SlowCommandGauge::of_name(&series.name) else { continue };
            let own = growth(series, window_s);
            let sum = counted.entry(gauge).or_insert(Some(0));
            *sum = sum.zip(own).map(|(sum, own)| sum + own);
        }
        let of = |(gauge, drive): (SlowCommandGauge, Option<u64>)| {
            Some(SlowCommands { gauge, drive: drive?, dyno: slow_ops(point, gauge) })
        };
        counted.into_iter().filter_map(of).collect()
    }

    /// The slow commands of all repeats together; a threshold that is missing in one of them is
    /// omitted.
    pub fn together(repeats: &[&[SlowCommands]]) -> Vec<SlowCommands> {
        let Some((first, others)) = repeats.split_first() else { return Vec::new() };
        let sum = |own: &SlowCommands| {
            others.iter().try_fold(*own, |sum, repeat| {
                let same = repeat.iter().find(|other| other.gauge == own.gauge)?;
                let (drive, dyno) = (sum.drive + same.drive, sum.dyno + same.dyno);
                Some(SlowCommands { gauge: own.gauge, drive, dyno })
            })
        };
        first.iter().filter_map(sum).collect()
    }
}

/// The growth from the reading nearest to the start of the window to the one nearest to its end;
/// None if a count was lost in between.
fn growth(series: &MeterSeries, window_s: f64) -> Option<u64> {
    let nearest = |at: f64| {
        let distance = |i: &usize| (series.readings[*i].0 - at).abs();
        (0..series.readings.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    let (first, last) = (nearest(0.0)?, nearest(window_s)?);
    let span = series.readings.get(first..=last).filter(|span| span.len() > 1)?;
    let known = span.windows(2).all(|pair| pair[1].1 >= pair[0].1);
    known.then(|| (span[span.len() - 1].1 - span[0].1) as u64)
}

/// Ops of this kind that took at least as long from submission to completion.
fn slow_ops(point: &Point, gauge: SlowCommandGauge) -> u64 {
    let own = |class: Class| match gauge.command {
        CommandKind::Read => class == Class::READ,
        CommandKind::Write => class.is_write(),
    };
    let from_ns = u64::from(gauge.from_ms) * 1_000_000;
    let tallies = point.cells.iter().flat_map(|cell| &cell.tallies);
    tallies.filter(|tally| own(tally.class)).map(|tally| tally.service.count_from(from_ns)).sum()
}
