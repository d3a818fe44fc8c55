//! One level (ops/s, a latency, a share) over its repeats, with its own interval.

use super::family::FEWEST;
use super::moments::{mean, natural, natural_interval, t_95, variance};

/// The geometric mean of positive values; not a number without any.
pub fn geometric_mean(values: &[f64]) -> f64 {
    mean(&values.iter().map(|v| v.ln()).collect::<Vec<f64>>()).exp()
}

/// A level over repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The geometric mean, in the unit of the values.
    pub value: f64,
    /// 95 % interval; None with fewer than three repeats.
    pub interval: Option<(f64, f64)>,
    /// Number of repeats.
    pub repeats: usize,
}

/// The geometric mean of positive repeats, with an interval by Student's t on logarithms, so that
/// limits are positive. `None` without repeats, or if one is not finite or not positive.
pub fn level(values: &[f64]) -> Option<Level> {
    if values.is_empty() || values.iter().any(|v| !v.is_finite() || *v <= 0.0) {
        return None;
    }
    let logs = || values.iter().map(|v| v.ln());
    let centre = logs().sum::<f64>() / values.len() as f64;
    // A large bundle has millions of levels with one repeat.
    let half = (values.len() >= FEWEST).then(|| reach(&logs().collect::<Vec<f64>>())).flatten();
    let interval = half.map(|half| natural_interval(centre, half));
    Some(Level { value: natural(centre), interval, repeats: values.len() })
}

/// The width of the same interval, updated as repeats are added, so that their number is not
/// limited by memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repeats {
    n: usize,
    /// The mean of the logarithms, and the sum of squared deviations (Welford).
    mean: f64,
    squares: f64,
    /// Whether a value was not finite or not positive.
    unusable: bool,
}

impl Repeats {
    /// Adds a repeat.
    pub fn add(&mut self, value: f64) {
        self.n += 1;
        self.unusable |= !value.is_finite() || value <= 0.0;
        let from_mean = value.ln() - self.mean;
        self.mean += from_mean / self.n as f64;
        self.squares += from_mean * (value.ln() - self.mean);
    }

    /// Number of repeats added.
    pub fn count(&self) -> usize {
        self.n
    }

    /// Half the interval's width divided by the value, in percent; `None` without an interval.
    pub fn relative_percent(&self) -> Option<f64> {
        if self.n < FEWEST || self.unusable {
            return None;
        }
        let n = self.n as f64;
        Some((t_95(n - 1.0) * (self.squares / (n - 1.0) / n).sqrt()).sinh() * 100.0)
    }
}

/// The mean of shares from 0 to 1, with its interval limited to that range.
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
    fn repeats_added_one_by_one_have_the_same_width() {
        let values = [1013.0, 998.0, 1004.5, 1.2e3, 997.0];
        let mut added = Repeats::default();
        for (n, value) in (1..).zip(values) {
            added.add(value);
            let whole = crate::stats::estimate::from_repeats(&values[..n], "")
                .and_then(|e| e.relative_percent());
            assert_eq!(added.relative_percent().is_some(), whole.is_some());
            let near =
                added.relative_percent().zip(whole).is_none_or(|(a, b)| (a / b - 1.0).abs() < 1e-9);
            assert!(near, "{n}: {added:?}, {whole:?}");
        }
        added.add(0.0);
        assert_eq!(added.relative_percent(), None);
    }

    #[test]
    fn equal_repeats_have_an_interval_of_no_width() {
        let level = level(&[7.0; 3]).expect("a level");
        let (low, high) = level.interval.expect("three repeats");
        assert!((low - 7.0).abs() < 1e-9 && (high - 7.0).abs() < 1e-9);
    }
}
