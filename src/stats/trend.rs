//! Whether a point drifted while it was measured: then its mean depends on when it was looked at.

use super::estimate::{lag_one, mean};

/// Batches of the window; few enough that what correlation outlasts one is small.
const BATCHES: usize = 12;

/// A change over the window that is smaller than this, in percent, is not worth a mark, however sure it is.
const SMALL_PERCENT: f64 = 2.0;

/// How sure a drift must be: the normal quantile of 1 in 100, two-sided.
const SURE: f64 = 2.576;

/// By how many percent of its mean a series rises or falls over the window, where that is beyond chance: the
/// Mann–Kendall test on batch means, its variance widened by the correlation left between them (after Hamed and Rao,
/// 1998), the size by the median of all slopes (Sen, 1968). `None` where no drift is shown.
pub fn drift_percent(values: &[f64]) -> Option<f64> {
    if values.len() < 2 * BATCHES || values.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let n = values.len();
    let batches: Vec<f64> = (0..BATCHES).map(|i| mean(&values[i * n / BATCHES..(i + 1) * n / BATCHES])).collect();
    let k = BATCHES as f64;
    let mut slopes = Vec::new();
    for i in 0..BATCHES {
        slopes.extend((i + 1..BATCHES).map(|j| (batches[j] - batches[i]) / (j - i) as f64));
    }
    let score: f64 = slopes.iter().map(|s| if *s == 0.0 { 0.0 } else { s.signum() }).sum();
    slopes.sort_by(f64::total_cmp);
    let slope = slopes[slopes.len() / 2];
    let level: Vec<f64> = batches.iter().enumerate().map(|(i, b)| b - slope * i as f64).collect();
    let correlation = lag_one(&level).clamp(0.0, 0.9);
    let spread = (k * (k - 1.0) * (2.0 * k + 5.0) / 18.0 * (1.0 + correlation) / (1.0 - correlation)).sqrt();
    let percent = slope * k / mean(values) * 100.0;
    ((score.abs() - 1.0) / spread > SURE && percent.abs() > SMALL_PERCENT).then_some(percent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Seed;

    /// Uniform noise of ±3 % around a line, each value half the excursion of the one before.
    fn series(seed: u64, rise: f64) -> Vec<f64> {
        let (mut rng, mut x) = (Seed::new(seed, 0, 0).at(0), 0.0);
        let next = |i: usize| {
            x = 0.5 * x + 6.0 * (rng.unit() - 0.5);
            100.0 + rise * i as f64 / 300.0 + x
        };
        (0..300).map(next).collect()
    }

    #[test]
    fn a_rise_of_a_tenth_is_seen_and_a_level_series_is_left_alone() {
        let seen = (0..200).filter(|seed| drift_percent(&series(*seed, 10.0)).is_some_and(|p| p > 5.0)).count();
        let alarms = (0..200).filter(|seed| drift_percent(&series(*seed, 0.0)).is_some()).count();
        assert!(seen >= 195 && alarms <= 4, "{seen} of 200 seen, {alarms} of 200 false");
        assert_eq!(drift_percent(&[1.0; 10]), None);
        assert_eq!(drift_percent(&[5.0; 100]), None);
    }
}
