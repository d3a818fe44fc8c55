//! Bounds for an event that was never observed.

/// The 95 % upper bound of the probability of an event that occurred in none of `trials`: 1 −
/// 0.05^(1/n), the one-sided interval of Clopper and Pearson ("The use of confidence or fiducial
/// limits illustrated in the case of the binomial", Biometrika 26, 1934) for zero events. 3/n is
/// its approximation ("rule of three": Hanley and Lippman-Hand, JAMA 249, 1983). 1 without trials.
pub fn upper_bound(trials: usize) -> f64 {
    if trials == 0 { 1.0 } else { 1.0 - 0.05f64.powf(1.0 / trials as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_event_in_n_trials_bounds_the_share_near_three_nths() {
        // At the bound, n trials without an event have a probability of 5 %.
        for trials in [1, 2, 10, 30, 60, 1000] {
            let bound = upper_bound(trials);
            assert!(((1.0 - bound).powi(trials as i32) - 0.05).abs() < 1e-12, "{trials}");
            assert!(bound < 3.0 / trials as f64, "{trials}: three nths are more cautious");
        }
        assert_eq!((upper_bound(0), upper_bound(1)), (1.0, 0.95));
        assert!((upper_bound(60) - 0.0487).abs() < 1e-4, "sixty trials bound it by 5 %");
        assert!((upper_bound(1000) * 1000.0 - 3.0).abs() < 0.01);
    }
}
