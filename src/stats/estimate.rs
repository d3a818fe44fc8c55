//! A value with its 95 % interval: the only number that a report accepts.

use super::level::{Level, level};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::base::histogram::{Histogram, bucket_of, highest_in};

/// Batches of a series; enough for t to be near its limit, few enough that each outlasts most of the correlation.
const BATCHES: usize = 30;

/// How many of the histogram's buckets (1,024 to an octave) are joined, as a power of two: bundles keep intervals with
/// 16 to an octave.
const JOINED_BITS: usize = 6;

/// Where an estimate's interval comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The spread between repeats.
    Repeats,
    /// The spread over time within one repeat, which says nothing of what another repeat would give.
    Intervals,
    /// The bounds within which another tool reported it.
    Reported,
    /// Too few observations for an interval: `low` and `high` are the least and the most of them.
    Single,
}

/// A value with its 95 % interval, unit and number of observations. No field is ever NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    pub value: f64,
    /// Without an interval these are the least and the most observed.
    pub low: f64,
    pub high: f64,
    pub n: usize,
    pub unit: &'static str,
    pub method: Method,
}

impl Estimate {
    /// One observation without an interval.
    pub fn single(value: f64, unit: &'static str) -> Estimate {
        Estimate { value, low: value, high: value, n: 1, unit, method: Method::Single }
    }

    /// The same in another unit.
    pub fn scaled(&self, by: f64, unit: &'static str) -> Estimate {
        Estimate { value: self.value * by, low: self.low * by, high: self.high * by, unit, ..self.clone() }
    }

    pub fn has_interval(&self) -> bool {
        self.method != Method::Single
    }

    /// Half the interval's width over the value, in percent; `None` without an interval or at zero.
    pub fn relative_percent(&self) -> Option<f64> {
        (self.has_interval() && self.value != 0.0).then(|| (self.high - self.low) / 2.0 / self.value.abs() * 100.0)
    }
}

/// Repeats as one estimate. From three on: their geometric mean, with Student's t on logarithms, so that no end is
/// negative. Fewer have no interval, only a least and a most. Where one is zero, the arithmetic mean, without an
/// interval. `None` without observations, or if one is not finite.
pub fn from_repeats(values: &[f64], unit: &'static str) -> Option<Estimate> {
    if !usable(values) {
        return None;
    }
    let n = values.len();
    let bounds = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let bare = |value: f64| Estimate { value, low: bounds.0, high: bounds.1, n, unit, method: Method::Single };
    Some(match level(values) {
        None => bare(mean(values)),
        Some(Level { value, interval: None, .. }) => bare(value),
        Some(Level { value, interval: Some((low, high)), .. }) => {
            Estimate { value, low, high, n, unit, method: Method::Repeats }
        }
    })
}

/// The mean of one repeat's intervals. Neighbours in time are alike, so the series is first cut into batches, and what
/// correlation is left between these reduces the number of observations that they count for.
pub fn from_series(values: &[f64], unit: &'static str) -> Option<Estimate> {
    if !usable(values) {
        return None;
    }
    let (value, n) = (mean(values), values.len());
    if n == 1 {
        return Some(Estimate::single(value, unit));
    }
    let half = half_width(values);
    Some(Estimate { value, low: value - half, high: value + half, n, unit, method: Method::Intervals })
}

/// Half the width of the 95 % interval of a correlated series' mean: batch means, with the number of batches reduced by
/// the correlation that is left between them. A short series shows less correlation than it has, by about (1 + 3r) ÷ n
/// (Marriott and Pope, 1954), which is put back, and so is what correlation takes from the variance.
fn half_width(values: &[f64]) -> f64 {
    let batches = batch_means(values);
    let k = batches.len() as f64;
    let correlation = ((lag_one(&batches) * k + 1.0) / (k - 3.0).max(1.0)).clamp(0.0, 0.95);
    let effective = (k * (1.0 - correlation) / (1.0 + correlation)).max(2.0);
    let variance = variance(&batches) * (1.0 - 1.0 / k) / (1.0 - 1.0 / effective);
    t_95(effective - 1.0) * (variance / effective).sqrt()
}

/// A percentile as the mean of the repeats' own, in nanoseconds. `None` if one has too few samples above it.
pub fn percentile_over_repeats(repeats: &[&Histogram], q: f64, unit: &'static str) -> Option<Estimate> {
    let each: Option<Vec<f64>> = repeats.iter().map(|h| h.percentile_ns(q).map(|ns| ns as f64)).collect();
    from_repeats(&each?, unit)
}

/// A percentile of a repeat, `value` from its precise total, with an interval from its coarser intervals in time
/// (Woodruff, 1952): the share of ops below the value is a mean over intervals that has an interval of its own, and the
/// latencies at both ends of that are the percentile's. The block bootstrap, tried first, held the truth far too seldom
/// for the number of intervals that a point has.
pub fn percentile_from_intervals(value: f64, intervals: &[&Histogram], q: f64, unit: &'static str) -> Option<Estimate> {
    let n = intervals.len();
    let counts = Joined::of(intervals);
    if !value.is_finite() || n == 0 || counts.total() == 0.0 {
        return None;
    }
    if n < 2 {
        return Some(Estimate::single(value, unit));
    }
    // The joined buckets shift the ends and their centre alike, so only their ratios are used.
    let centre = counts.quantile(q);
    let excess: Vec<f64> = counts.each.iter().map(|own| counts.below(own, centre) - q * own[own.len() - 1]).collect();
    let reach = half_width(&excess) / (counts.total() / n as f64);
    let edge = |q: f64| value * counts.quantile(q.clamp(0.0, 1.0)) / centre;
    let (low, high) = (edge(q - reach).min(value), edge(q + reach).max(value));
    Some(Estimate { value, low, high, n, unit, method: Method::Intervals })
}

/// Joined buckets, summed up from the lowest: of each interval, and of all.
struct Joined {
    first: usize,
    each: Vec<Vec<f64>>,
    all: Vec<f64>,
}

impl Joined {
    fn of(intervals: &[&Histogram]) -> Joined {
        let joined = |ns| bucket_of(ns) >> JOINED_BITS;
        let held = || intervals.iter().flat_map(|h| h.buckets()).map(|(ns, _)| joined(ns));
        let first = held().min().unwrap_or(0);
        let width = held().max().unwrap_or(first) - first + 1;
        let of_one = |h: &&Histogram| {
            let mut sums = vec![0.0; width + 1];
            h.buckets().for_each(|(ns, n)| sums[joined(ns) - first + 1] += n as f64);
            (1..=width).for_each(|i| sums[i] += sums[i - 1]);
            sums
        };
        let each: Vec<Vec<f64>> = intervals.iter().map(of_one).collect();
        let all = (0..=width).map(|i| each.iter().map(|own| own[i]).sum()).collect();
        Joined { first, each, all }
    }

    fn total(&self) -> f64 {
        self.all[self.all.len() - 1]
    }

    /// Where joined bucket `i` lies, in nanoseconds.
    fn bounds(&self, i: usize) -> (f64, f64) {
        let low = ((self.first + i) << JOINED_BITS).checked_sub(1).map_or(0, highest_in);
        (low as f64, highest_in(((self.first + i + 1) << JOINED_BITS) - 1) as f64)
    }

    /// Interpolated within the bucket, so that it does not jump from one to the next.
    fn quantile(&self, q: f64) -> f64 {
        let rank = q * self.total();
        let i = self.all.partition_point(|&below| below < rank).max(1) - 1;
        let (low, high) = self.bounds(i);
        let held = self.all[i + 1] - self.all[i];
        low + (high - low) * if held > 0.0 { ((rank - self.all[i]) / held).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// How many of one interval's ops took less than `ns`, which lies inside the range.
    fn below(&self, own: &[f64], ns: f64) -> f64 {
        let i = ((bucket_of(ns as u64) >> JOINED_BITS).saturating_sub(self.first)).min(own.len() - 2);
        let (low, high) = self.bounds(i);
        own[i] + (own[i + 1] - own[i]) * ((ns - low) / (high - low)).clamp(0.0, 1.0)
    }
}

fn usable(values: &[f64]) -> bool {
    !values.is_empty() && values.iter().all(|v| v.is_finite())
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of a sample: with n − 1. Zero for fewer than two values.
pub(super) fn variance(values: &[f64]) -> f64 {
    let m = mean(values);
    values.iter().map(|v| (v - m) * (v - m)).sum::<f64>() / values.len().saturating_sub(1).max(1) as f64
}

/// How many standard errors a 95 % interval reaches to either side.
pub(super) fn t_95(degrees: f64) -> f64 {
    t_reach(degrees, 0.05)
}

/// The same for an interval that misses the truth with probability `miss`.
pub(super) fn t_reach(degrees: f64, miss: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees.max(1.0)).map_or(f64::MAX, |t| t.inverse_cdf(1.0 - miss / 2.0))
}

/// The probability that t lies at least so far from zero.
pub(super) fn t_tail(t: f64, degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees.max(1.0)).map_or(1.0, |d| 2.0 * (1.0 - d.cdf(t.abs())))
}

fn batch_means(values: &[f64]) -> Vec<f64> {
    let k = values.len().min(BATCHES);
    (0..k).map(|i| mean(&values[i * values.len() / k..(i + 1) * values.len() / k])).collect()
}

/// The correlation of each value with the next.
pub(super) fn lag_one(values: &[f64]) -> f64 {
    let m = mean(values);
    let whole: f64 = values.iter().map(|v| (v - m) * (v - m)).sum();
    let shifted: f64 = values.windows(2).map(|w| (w[0] - m) * (w[1] - m)).sum();
    if whole > 0.0 { shifted / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::{Rng, Seed};

    fn normal(rng: &mut Rng) -> f64 {
        (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
    }

    #[test]
    fn student_t_is_that_of_the_tables() {
        for (degrees, table) in [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (30.0, 2.042)] {
            assert!((t_95(degrees) - table).abs() < 0.001, "{degrees} degrees: {}", t_95(degrees));
        }
        let e = from_repeats(&[10.0, 20.0, 40.0], "ops/s").unwrap();
        // ln 20 ± 4.303 × ln 2 / √3
        assert!((e.value - 20.0).abs() < 1e-9 && (e.high / e.value).ln() - 1.7219 < 1e-3, "{e:?}");
        assert!((e.low * e.high - 400.0).abs() < 1e-6, "{e:?}");
    }

    #[test]
    fn one_observation_has_no_interval_and_none_no_estimate() {
        let one = from_repeats(&[7.0], "W").unwrap();
        assert_eq!((one.low, one.high, one.has_interval()), (7.0, 7.0, false));
        let two = from_repeats(&[8.0, 2.0], "W").unwrap();
        assert_eq!((two.value, two.low, two.high, two.has_interval()), (4.0, 2.0, 8.0, false));
        assert_eq!(from_repeats(&[], "W"), None);
        assert_eq!(from_series(&[1.0, f64::NAN], "W"), None);
    }

    #[test]
    fn a_percentile_is_near_the_truth_and_has_no_estimate_without_ops() {
        let mut rng = Seed::new(3, 0, 0).at(0);
        let intervals: Vec<Histogram> = (0..100)
            .map(|_| {
                let mut h = Histogram::new();
                (0..1_000).for_each(|_| h.add((100_000.0 * (0.3 * normal(&mut rng)).exp()) as u64));
                h
            })
            .collect();
        let intervals: Vec<&Histogram> = intervals.iter().collect();
        let truth = 100_000.0 * (0.3 * 2.326_f64).exp();
        let e = percentile_from_intervals(truth * 1.001, &intervals, 0.99, "ns").unwrap();
        assert!(e.low * 0.99 < truth && truth < e.high * 1.01 && e.relative_percent() < Some(3.0), "{e:?}, {truth}");
        assert_eq!(percentile_from_intervals(truth, &[&Histogram::new()], 0.99, "ns"), None);
    }
}
