//! A value with its 95 % interval: the only number that a report accepts.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::base::histogram::{Histogram, bucket_of, highest_in};
use crate::base::rng::Seed;

/// Batches of a series; enough for t to be near its limit, few enough that each outlasts the correlation.
const BATCHES: usize = 40;

/// Resamples of the bootstrap.
const RESAMPLES: usize = 200;

/// How many of the histogram's buckets (1,024 to an octave) the bootstrap joins, as a power of two.
const JOINED_BITS: usize = 5;

/// Where an estimate's interval comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The spread between repeats.
    Repeats,
    /// The spread over time within one repeat, which says nothing of what another repeat would give.
    Intervals,
    /// The bounds within which another tool told it.
    Told,
    /// One observation: there is no interval.
    Single,
}

/// A value with its 95 % interval, unit and number of observations. No field is ever NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    pub value: f64,
    /// Without an interval `low` and `high` are the value.
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

    pub fn has_interval(&self) -> bool {
        self.method != Method::Single
    }

    /// Half the interval's width over the value, in percent; `None` without an interval or at zero.
    pub fn relative_percent(&self) -> Option<f64> {
        (self.has_interval() && self.value != 0.0).then(|| (self.high - self.low) / 2.0 / self.value.abs() * 100.0)
    }
}

/// The mean of repeats, with Student's t interval. `None` without observations, or if one is not finite.
pub fn from_repeats(values: &[f64], unit: &'static str) -> Option<Estimate> {
    if !usable(values) {
        return None;
    }
    let (value, n) = (mean(values), values.len());
    if n == 1 {
        return Some(Estimate::single(value, unit));
    }
    let half = t_95((n - 1) as f64) * (variance(values) / n as f64).sqrt();
    Some(Estimate { value, low: value - half, high: value + half, n, unit, method: Method::Repeats })
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
    let batches = batch_means(values);
    let k = batches.len() as f64;
    let correlation = lag_one(&batches).clamp(0.0, 0.95);
    let effective = (k * (1.0 - correlation) / (1.0 + correlation)).max(2.0);
    let half = t_95(effective - 1.0) * (variance(&batches) / effective).sqrt();
    Some(Estimate { value, low: value - half, high: value + half, n, unit, method: Method::Intervals })
}

/// A percentile as the mean of the repeats' own, in nanoseconds. `None` if one has too few samples above it.
pub fn percentile_over_repeats(repeats: &[&Histogram], q: f64, unit: &'static str) -> Option<Estimate> {
    let each: Option<Vec<f64>> = repeats.iter().map(|h| h.percentile_ns(q).map(|ns| ns as f64)).collect();
    from_repeats(&each?, unit)
}

/// A percentile of all intervals together, in nanoseconds, with an interval from the moving-block bootstrap (Künsch,
/// 1989): blocks of neighbouring intervals are drawn, so that what lasts longer than a second is not taken for noise.
/// `None` if too few samples lie above it.
pub fn percentile_from_intervals(intervals: &[&Histogram], q: f64, unit: &'static str, seed: u64) -> Option<Estimate> {
    let mut all = Histogram::new();
    intervals.iter().for_each(|h| all.merge(h));
    let value = all.percentile_ns(q)? as f64;
    let n = intervals.len();
    if n < 2 {
        return Some(Estimate::single(value, unit));
    }
    let sums = RunningSums::new(intervals, &all);
    let centre = sums.quantile(&sums.between(0, n), q);
    let length = (n as f64).sqrt().round() as usize;
    let mut rng = Seed::new(seed, 0, 0).at(0);
    let mut drawn: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let mut counts = vec![0; sums.width];
            for _ in 0..n.div_ceil(length) {
                let start = rng.below((n - length + 1) as u64) as usize;
                counts.iter_mut().zip(sums.between(start, start + length)).for_each(|(sum, n)| *sum += n);
            }
            sums.quantile(&counts, q)
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    // The coarse buckets shift the resamples and their centre alike, so only their ratios are used.
    let edge = |p: f64| value * drawn[((RESAMPLES - 1) as f64 * p).round() as usize] / centre;
    let (low, high) = (edge(0.025).min(value), edge(0.975).max(value));
    Some(Estimate { value, low, high, n, unit, method: Method::Intervals })
}

/// Joined buckets, summed over the intervals before each: any block's counts are one subtraction away.
struct RunningSums {
    first: usize,
    width: usize,
    sums: Vec<u64>,
}

impl RunningSums {
    fn new(intervals: &[&Histogram], all: &Histogram) -> RunningSums {
        let joined = |ns| bucket_of(ns) >> JOINED_BITS;
        let mut held = all.buckets().map(|(ns, _)| joined(ns));
        let first = held.next().unwrap_or(0);
        let width = held.last().unwrap_or(first) - first + 1;
        let mut sums = vec![0; width];
        for (i, interval) in intervals.iter().enumerate() {
            sums.extend_from_within(i * width..);
            let row = &mut sums[(i + 1) * width..];
            interval.buckets().for_each(|(ns, n)| row[joined(ns) - first] += n);
        }
        RunningSums { first, width, sums }
    }

    fn between(&self, start: usize, end: usize) -> Vec<u64> {
        let row = |i: usize| &self.sums[i * self.width..(i + 1) * self.width];
        row(end).iter().zip(row(start)).map(|(now, then)| now - then).collect()
    }

    /// Interpolated within the joined bucket, so that resamples do not jump from bucket to bucket.
    fn quantile(&self, counts: &[u64], q: f64) -> f64 {
        let rank = q * counts.iter().sum::<u64>() as f64;
        let mut below = 0.0;
        for (i, &n) in counts.iter().enumerate() {
            let n = n as f64;
            if n > 0.0 && below + n >= rank {
                let joined = self.first + i;
                let low = (joined << JOINED_BITS).checked_sub(1).map_or(0, highest_in) as f64;
                let high = highest_in(((joined + 1) << JOINED_BITS) - 1) as f64;
                return low + (high - low) * ((rank - below) / n).clamp(0.0, 1.0);
            }
            below += n;
        }
        highest_in(((self.first + self.width) << JOINED_BITS) - 1) as f64
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
    StudentsT::new(0.0, 1.0, degrees.max(1.0)).map_or(f64::MAX, |t| t.inverse_cdf(0.975))
}

fn batch_means(values: &[f64]) -> Vec<f64> {
    let k = values.len().min(BATCHES);
    (0..k).map(|i| mean(&values[i * values.len() / k..(i + 1) * values.len() / k])).collect()
}

/// The correlation of each value with the next.
fn lag_one(values: &[f64]) -> f64 {
    let m = mean(values);
    let whole: f64 = values.iter().map(|v| (v - m) * (v - m)).sum();
    let shifted: f64 = values.windows(2).map(|w| (w[0] - m) * (w[1] - m)).sum();
    if whole > 0.0 { shifted / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    fn normal(rng: &mut Rng) -> f64 {
        (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
    }

    /// In how many percent of 500 trials the interval holds the truth.
    fn coverage(mut trial: impl FnMut(&mut Rng) -> Estimate, truth: f64) -> f64 {
        let held = (0..500).filter(|&i| {
            let e = trial(&mut Seed::new(11, 0, 0).at(i));
            e.low <= truth && truth <= e.high
        });
        held.count() as f64 / 5.0
    }

    #[test]
    fn student_t_is_that_of_the_tables() {
        for (degrees, table) in [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (30.0, 2.042)] {
            assert!((t_95(degrees) - table).abs() < 0.001, "{degrees} degrees: {}", t_95(degrees));
        }
        let e = from_repeats(&[10.0, 12.0, 14.0], "ops/s").unwrap();
        // 12 ± 4.303 × 2 / √3
        assert_eq!((e.value, (e.high * 1e3).round(), (e.low * 1e3).round()), (12.0, 16_968.0, 7_032.0));
    }

    #[test]
    fn one_observation_has_no_interval_and_none_no_estimate() {
        let one = from_repeats(&[7.0], "W").unwrap();
        assert_eq!((one.low, one.high, one.has_interval()), (7.0, 7.0, false));
        assert_eq!(from_repeats(&[], "W"), None);
        assert_eq!(from_series(&[1.0, f64::NAN], "W"), None);
    }

    #[test]
    fn intervals_from_repeats_hold_the_truth_as_often_as_they_say() {
        let percent =
            coverage(|rng| from_repeats(&[(); 3].map(|()| 100.0 + 5.0 * normal(rng)), "ops/s").unwrap(), 100.0);
        assert!((90.0..=98.0).contains(&percent), "{percent} %");
    }

    #[test]
    fn intervals_from_a_correlated_series_hold_the_truth_as_often_as_they_say() {
        for (correlation, n) in [(0.0_f64, 300), (0.5, 600), (0.8, 1_200)] {
            let trial = |rng: &mut Rng| {
                let mut x = normal(rng) / (1.0 - correlation * correlation).sqrt();
                let mut next = || {
                    x = correlation * x + normal(rng);
                    100.0 + x
                };
                let series: Vec<f64> = (0..n).map(|_| next()).collect();
                from_series(&series, "ops/s").unwrap()
            };
            let percent = coverage(trial, 100.0);
            assert!((90.0..=98.0).contains(&percent), "correlation {correlation}: {percent} %");
        }
    }

    #[test]
    fn a_bootstrapped_percentile_is_near_the_truth_and_the_same_each_time() {
        let mut rng = Seed::new(3, 0, 0).at(0);
        let intervals: Vec<Histogram> = (0..100)
            .map(|_| {
                let mut h = Histogram::new();
                (0..1_000).for_each(|_| h.add((100_000.0 * (0.3 * normal(&mut rng)).exp()) as u64));
                h
            })
            .collect();
        let intervals: Vec<&Histogram> = intervals.iter().collect();
        let e = percentile_from_intervals(&intervals, 0.99, "ns", 5).unwrap();
        let truth = 100_000.0 * (0.3 * 2.326_f64).exp();
        assert!(e.low * 0.99 < truth && truth < e.high * 1.01 && e.relative_percent() < Some(3.0), "{e:?}, {truth}");
        assert_eq!(percentile_from_intervals(&intervals, 0.99, "ns", 5), Some(e));
        assert_eq!(percentile_from_intervals(&intervals, 0.99999, "ns", 5), None);
    }
}
