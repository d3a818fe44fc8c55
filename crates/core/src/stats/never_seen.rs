//! Bounds for the share of trials in which a rare event occurs, observed or never observed.

/// The 95 % upper bound of the probability of an event that occurred in none of `trials`: 1 −
/// 0.05^(1/n), the one-sided interval of Clopper and Pearson ("The use of confidence or fiducial
/// limits illustrated in the case of the binomial", Biometrika 26, 1934) for zero events. 3/n is
/// its approximation ("rule of three": Hanley and Lippman-Hand, JAMA 249, 1983). 1 without trials.
pub fn upper_bound(trials: usize) -> f64 {
    if trials == 0 { 1.0 } else { 1.0 - 0.05f64.powf(1.0 / trials as f64) }
}

/// The two-sided 95 % interval of Clopper and Pearson for the probability of an event that occurred
/// in `events` of `trials`: at each end, what was observed or anything further from it has a
/// probability of 2.5 %.
pub fn interval(events: usize, trials: usize) -> (f64, f64) {
    const TAIL: f64 = 0.025;
    // Both tails are monotonic in p.
    let root = |is_below: &dyn Fn(f64) -> bool| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if is_below(middle) { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    };
    let low = match events {
        0 => 0.0,
        k => root(&|p| 1.0 - at_most(k - 1, trials, p) < TAIL),
    };
    let high = match events >= trials {
        true => 1.0,
        false => root(&|p| at_most(events, trials, p) > TAIL),
    };
    (low, high)
}

/// The probability of at most `k` events in `n` trials.
fn at_most(k: usize, n: usize, p: f64) -> f64 {
    if p <= 0.0 {
        return 1.0;
    }
    if p >= 1.0 {
        return if k >= n { 1.0 } else { 0.0 };
    }
    let (mut log_term, mut sum) = (n as f64 * (1.0 - p).ln(), 0.0);
    for i in 0..=k.min(n) {
        sum += log_term.exp();
        log_term += ((n - i) as f64 / (i + 1) as f64).ln() + p.ln() - (1.0 - p).ln();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_share_is_that_of_published_tables() {
        // Clopper and Pearson, as printed by R's binom.test.
        for (events, trials, low, high) in [
            (1, 10, 0.002529, 0.445016),
            (2, 30, 0.008178, 0.220735),
            (5, 10, 0.187086, 0.812914),
            (300, 300, 0.987779, 1.0),
            (0, 30, 0.0, 0.115703),
        ] {
            let found = interval(events, trials);
            assert!((found.0 - low).abs() < 1e-5, "{events} of {trials}: {found:?}");
            assert!((found.1 - high).abs() < 1e-5, "{events} of {trials}: {found:?}");
        }
    }

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
