//! A recorded load at a point: what the trace held, when its requests arrived, and how long they
//! took meanwhile.

use std::collections::BTreeMap;

use crate::record::{Arrivals, CachedBlocks, Point, RateInterval, RemappedTrace, Replayed, Sample};

/// The recorded loads of one point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointReplay {
    /// One for each stream that replays one.
    pub recorded: Vec<Replayed>,
    /// Those whose offsets were brought onto a smaller drive.
    pub remapped: Vec<RemappedTrace>,
    /// Those whose blocks went through a cache.
    pub caches: Vec<CachedBlocks>,
    /// (seconds, requests/s of the trace) of all streams together.
    pub arrivals: Vec<(f64, f64)>,
    /// (seconds, mean response time in nanoseconds) of these streams.
    pub response_ns: Vec<(f64, f64)>,
}

impl PointReplay {
    /// What a bundle holds of it; empty where nothing was replayed.
    pub fn of(point: &Point, rates: &[RateInterval], samples: &[Sample]) -> PointReplay {
        let recorded = Replayed::of_facts(&point.facts);
        let is_own = |rate: &&RateInterval| recorded.iter().any(|own| own.stream == rate.stream);
        PointReplay {
            remapped: point.facts.iter().filter_map(RemappedTrace::of_fact).collect(),
            caches: point.facts.iter().filter_map(CachedBlocks::of_fact).collect(),
            arrivals: arrivals(samples),
            response_ns: responses(rates.iter().filter(is_own)),
            recorded,
        }
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
        (*ops, *all_ns) = (*ops + rate.ops, all_ns.saturating_add(sum_ns));
    }
    let mean = |(at_ns, (ops, sum_ns)): (u64, (u64, u64))| {
        (ops > 0).then(|| (at_ns as f64 / 1e9, sum_ns as f64 / ops as f64))
    };
    sums.into_iter().filter_map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Class;

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
        };
        let all = [rate(0, 0, 10, 100), rate(1, 0, 30, 700), rate(0, 1, 0, 0), rate(0, 2, 1, 5)];
        assert_eq!(responses(all.iter()), [(0.5, 20.0), (2.5, 5.0)]);
    }
}
