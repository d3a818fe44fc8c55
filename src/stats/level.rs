//! One level (ops/s, a latency, a share) over its repeats, with an interval of its own.

use super::family::FEWEST;
use super::moments::{mean, t_95, variance};

/// A level over repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    pub value: f64,
    /// Of 95 %; none with fewer than three repeats.
    pub interval: Option<(f64, f64)>,
    pub repeats: usize,
}

/// The geometric mean of repeats above zero, its interval by Student's t on logarithms: no end of it
/// is negative. `None` without repeats, or where one is not finite or not above zero.
pub fn level(values: &[f64]) -> Option<Level> {
    if values.is_empty() || values.iter().any(|v| !v.is_finite() || *v <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let centre = mean(&logs);
    let natural = |log: f64| log.exp().clamp(f64::MIN_POSITIVE, f64::MAX);
    let interval = reach(&logs).map(|half| (natural(centre - half), natural(centre + half)));
    Some(Level { value: natural(centre), interval, repeats: values.len() })
}

/// The mean of shares from 0 to 1, its interval cut to that range.
pub fn share(values: &[f64]) -> Option<Level> {
    if values.is_empty() || values.iter().any(|v| !(0.0..=1.0).contains(v)) {
        return None;
    }
    let value = mean(values);
    let interval = reach(values).map(|half| ((value - half).max(0.0), (value + half).min(1.0)));
    Some(Level { value, interval, repeats: values.len() })
}

fn reach(values: &[f64]) -> Option<f64> {
    let n = values.len();
    (n >= FEWEST).then(|| t_95((n - 1) as f64) * (variance(values) / n as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_needs_three_repeats_and_keeps_to_its_range() {
        assert_eq!(level(&[8.0, 2.0]), Some(Level { value: 4.0, interval: None, repeats: 2 }));
        let wild = level(&[1.0, 100.0, 10_000.0]).expect("a level");
        assert!((wild.value - 100.0).abs() < 1e-9);
        assert!(wild.interval.is_some_and(|(low, high)| low > 0.0 && high.is_finite()));
        let share = share(&[0.99, 1.0, 0.95]).expect("a share");
        assert!(share.interval.is_some_and(|(low, high)| low > 0.0 && high <= 1.0));
        assert_eq!((level(&[]), level(&[1.0, 0.0]), super::share(&[1.2])), (None, None, None));
    }

    #[test]
    fn equal_repeats_have_an_interval_of_no_width() {
        let level = level(&[7.0; 3]).expect("a level");
        let (low, high) = level.interval.expect("three repeats");
        assert!((low - 7.0).abs() < 1e-9 && (high - 7.0).abs() < 1e-9);
    }
}
