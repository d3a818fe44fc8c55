//! A recorded load at a point: the contents of the trace, the arrival times of its requests, and
//! their latencies at these times.

use std::collections::BTreeMap;

use dyno_core::record::{
    Arrivals, CachedBlocks, Point, RateInterval, RemappedTrace, Replayed, Sample, observed,
};

/// The step of a fitted protocol with the streams that model the trace.
pub const MODEL: &str = "model";
/// The step that replays the trace itself. A brief compares both.
pub const TRACE: &str = "trace";

/// The recorded loads of one point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointReplay {
    /// One for each stream that replays one.
    pub recorded: Vec<Replayed>,
    /// Traces whose offsets were mapped to a smaller drive.
    pub remapped: Vec<RemappedTrace>,
    /// Traces whose blocks went through a cache.
    pub caches: Vec<CachedBlocks>,
    /// (seconds, requests/s of the trace) of all streams together.
    pub arrivals: Vec<(f64, f64)>,
    /// (seconds, mean response time in nanoseconds) of these streams.
    pub response_ns: Vec<(f64, f64)>,
}

impl PointReplay {
    /// The recorded loads of a bundle's point; empty if nothing was replayed.
    pub fn of(point: &Point, rates: &[RateInterval], samples: &[Sample]) -> PointReplay {
        let recorded = observed::all::<Replayed>(&point.observed).cloned().collect::<Vec<_>>();
        let is_own = |rate: &&RateInterval| recorded.iter().any(|own| own.stream == rate.stream);
        PointReplay {
            remapped: observed::all(&point.observed).cloned().collect(),
            caches: observed::all(&point.observed).cloned().collect(),
            arrivals: arrivals(samples),
            response_ns: responses(rates.iter().filter(is_own)),
            recorded,
        }
    }
}

/// Intervals of a burst have at least 1.5 times the median number of arrivals, …
const BURST: f64 = 1.5;
/// … and exceed it by this many standard deviations of Poisson arrivals.
const DEVIATIONS: f64 = 5.0;

impl PointReplay {
    /// Time spans in which requests arrive in bursts: start and end, seconds since the start of the
    /// window.
    pub fn bursts(&self) -> Vec<(f64, f64)> {
        let width_s = match &self.arrivals[..] {
            [first, second, ..] => second.0 - first.0,
            _ => return Vec::new(),
        };
        let mut counts: Vec<f64> = self.arrivals.iter().map(|(_, rate)| rate * width_s).collect();
        counts.sort_by(f64::total_cmp);
        let median = counts[counts.len() / 2];
        let least = (median * BURST).max(median + DEVIATIONS * median.sqrt());
        let mut spans: Vec<(f64, f64)> = Vec::new();
        for (at_s, _) in self.arrivals.iter().filter(|(_, rate)| rate * width_s > least) {
            let (from_s, until_s) = (at_s - width_s / 2.0, at_s + width_s / 2.0);
            match spans.last_mut().filter(|last| from_s - last.1 < width_s / 2.0) {
                Some(last) => last.1 = until_s,
                None => spans.push((from_s.max(0.0), until_s)),
            }
        }
        spans
    }
}

fn arrivals(samples: &[Sample]) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
    for one in samples.iter().filter_map(Arrivals::of_sample).filter(|one| one.at_ns >= 0) {
        *sums.entry(one.at_ns).or_default() += one.per_s;
    }
    sums.into_iter().map(|(at_ns, per_s)| (at_ns as f64 / 1e9, per_s)).collect()
}

fn responses<'r>(rates: impl Iterator<Item = &'r RateInterval>) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for rate in rates {
        let Some(sum_ns) = rate.response_sum_ns.filter(|_| rate.class.counts_as_op()) else {
            continue;
        };
        let (ops, all_ns) = sums.entry(rate.start_ns / 2 + rate.end_ns / 2).or_default();
        (*ops, *all_ns) = (*ops + rate.timed, all_ns.saturating_add(sum_ns));
    }
    let mean = |(at_ns, (ops, sum_ns)): (u64, (u64, u64))| {
        (ops > 0).then(|| (at_ns as f64 / 1e9, sum_ns as f64 / ops as f64))
    };
    sums.into_iter().filter_map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::record::Class;

    #[test]
    fn a_burst_is_half_as_much_again_as_usual_and_more_than_chance() {
        let of = |rates: &[f64]| {
            let arrivals = rates.iter().enumerate().map(|(i, rate)| (i as f64 + 0.5, *rate));
            PointReplay { arrivals: arrivals.collect(), ..PointReplay::default() }.bursts()
        };
        let busy = [1000.0, 990.0, 1700.0, 1800.0, 1010.0, 1000.0, 5000.0];
        assert_eq!(of(&busy), [(2.0, 4.0), (6.0, 7.0)]);
        assert_eq!(of(&[4.0, 7.0, 4.0, 4.0, 3.0]), [], "Poisson counts scatter by their root");
        assert_eq!((of(&[]), of(&[9.0])), (Vec::new(), Vec::new()));
    }

    #[test]
    fn the_mean_is_over_all_classes_and_drives_of_a_second() {
        let rate = |drive, start_s: u64, ops, sum_ns| RateInterval {
            stream: "io".into(),
            drive,
            instance: 0,
            class: Class::READ,
            start_ns: start_s * 1_000_000_000,
            end_ns: (start_s + 1) * 1_000_000_000,
            ops,
            bytes: 0,
            response_sum_ns: Some(sum_ns),
            timed: ops,
        };
        let all = [rate(0, 0, 10, 100), rate(1, 0, 30, 700), rate(0, 1, 0, 0), rate(0, 2, 1, 5)];
        assert_eq!(responses(all.iter()), [(0.5, 20.0), (2.5, 5.0)]);
    }
}
