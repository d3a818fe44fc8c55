//! Whether a drive has reached steady state, by the SNIA Performance Test Specification 2.0.2
//! (2.1.24): over the last five rounds the tracked value stays within 20 % of its mean, and its
//! linear fit rises or falls by no more than 10 % of the mean. A value exactly at a limit is within
//! it.

use crate::plan::SteadyRule as Rule;
use crate::record::SteadyWindow as Window;

/// Far below any drive's repeatability, and above rounding errors of sums: a value at the limit
/// counts as within.
const ROUNDING: f64 = 1e-9;

/// Judges the last rounds; None if there are fewer than the window, or if they have no ops.
pub fn judge(values: &[f64], rule: &Rule) -> Option<Window> {
    if rule.window < 2 || values.len() < rule.window {
        return None;
    }
    let first = values.len() - rule.window;
    let last = &values[first..];
    if last.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let n = rule.window as f64;
    let mean = last.iter().sum::<f64>() / n;
    if mean <= 0.0 {
        return None;
    }
    let (low, high) =
        last.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let middle = (n - 1.0) / 2.0;
    let spread: f64 = (0..rule.window).map(|i| (i as f64 - middle).powi(2)).sum();
    let joint: f64 = last.iter().enumerate().map(|(i, v)| (i as f64 - middle) * (v - mean)).sum();
    let slope_per_round = joint / spread;
    let excursion = (high - low) / mean;
    let slope = slope_per_round.abs() * (n - 1.0) / mean;
    Some(Window {
        first_round: first + 1,
        values: last.to_vec(),
        mean,
        excursion,
        slope_per_round,
        intercept: mean - slope_per_round * middle,
        slope,
        steady: excursion <= rule.excursion + ROUNDING && slope <= rule.slope + ROUNDING,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn verdict(values: &[f64]) -> (bool, f64, f64) {
        let window = judge(values, &Rule::default()).expect("five rounds");
        (window.steady, (window.excursion * 1e6).round() / 1e4, (window.slope * 1e6).round() / 1e4)
    }

    #[test]
    fn hand_made_series_with_known_verdicts() {
        // (series, steady, excursion in percent, slope in percent)
        for (series, steady, excursion, slope) in [
            ([100.0, 100.0, 100.0, 100.0, 100.0], true, 0.0, 0.0),
            // Excursion exactly at 20 %, with a tilt and with a flat fit: within.
            ([100.0, 110.0, 100.0, 90.0, 100.0], true, 20.0, 8.0),
            ([90.0, 105.0, 110.0, 105.0, 90.0], true, 20.0, 0.0),
            // Excursion just above, flat fit: not.
            ([89.9, 105.0, 110.2, 105.0, 89.9], false, 20.3, 0.0),
            // A straight rise of exactly 10 %: within.
            ([95.0, 97.5, 100.0, 102.5, 105.0], true, 10.0, 10.0),
            // A straight fall of the same amount.
            ([105.0, 102.5, 100.0, 97.5, 95.0], true, 10.0, 10.0),
            // A slightly larger rise: not, although the excursion is within.
            ([94.9, 97.45, 100.0, 102.55, 105.1], false, 10.2, 10.2),
            // A steep rise: neither.
            ([80.0, 90.0, 100.0, 110.0, 120.0], false, 40.0, 40.0),
            // One outlier in the middle leaves the fit flat but exceeds the excursion.
            ([100.0, 100.0, 150.0, 100.0, 100.0], false, 45.4545, 0.0),
        ] {
            let got = verdict(&series);
            assert_eq!(got, (steady, excursion, slope), "{series:?}");
        }
    }

    #[test]
    fn only_the_last_rounds_count() {
        let series = [900.0, 500.0, 100.0, 100.0, 100.0, 100.0, 100.0];
        let window = judge(&series, &Rule::default()).expect("seven rounds");
        assert!(window.steady && window.first_round == 3 && window.values == [100.0; 5]);
        assert!(!judge(&series[..6], &Rule::default()).expect("six rounds").steady);
    }

    #[test]
    fn too_few_rounds_or_no_work_give_no_verdict() {
        assert_eq!(judge(&[100.0; 4], &Rule::default()), None);
        assert_eq!(judge(&[0.0; 5], &Rule::default()), None);
        assert_eq!(judge(&[1.0, f64::NAN, 1.0, 1.0, 1.0], &Rule::default()), None);
    }

    #[test]
    fn the_fit_is_the_line_that_was_put_in() {
        let series: Vec<f64> = (0..5).map(|i| 1000.0 - 3.0 * f64::from(i)).collect();
        let window = judge(&series, &Rule::default()).expect("five rounds");
        assert!(
            (window.slope_per_round + 3.0).abs() < 1e-9 && (window.intercept - 1000.0).abs() < 1e-9
        );
    }

    #[test]
    fn a_rule_of_ones_own_is_kept_to() {
        let strict = Rule { window: 3, excursion: 0.02, slope: 0.01 };
        assert!(judge(&[100.0, 101.0, 100.0], &strict).expect("three rounds").steady);
        assert!(!judge(&[100.0, 101.0, 102.5], &strict).expect("three rounds").steady);
    }
}
