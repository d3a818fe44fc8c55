//! Mean, variance, Student's t, and results on logarithms.

use statrs::distribution::{ContinuousCDF, StudentsT};

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Variance of a sample, with n − 1. Zero for fewer than two values.
pub fn variance(values: &[f64]) -> f64 {
    let m = mean(values);
    values.iter().map(|v| (v - m) * (v - m)).sum::<f64>()
        / values.len().saturating_sub(1).max(1) as f64
}

/// The value of a natural logarithm, kept finite and above zero.
pub(super) fn natural(log: f64) -> f64 {
    log.exp().clamp(f64::MIN_POSITIVE, f64::MAX)
}

/// The interval of values for one on logarithms: its middle, and half its width.
pub(super) fn natural_interval(log: f64, half: f64) -> (f64, f64) {
    (natural(log - half), natural(log + half))
}

/// Half the width of a 95 % interval in standard errors.
pub(super) fn t_95(degrees: f64) -> f64 {
    t_reach(degrees, 0.05)
}

/// The same for an interval with error probability `miss`.
pub(super) fn t_reach(degrees: f64, miss: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees.max(1.0)).map_or(f64::MAX, |t| t.inverse_cdf(1.0 - miss / 2.0))
}

/// The probability that |t| is at least this large.
pub(super) fn t_tail(t: f64, degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees.max(1.0)).map_or(1.0, |d| 2.0 * (1.0 - d.cdf(t.abs())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_t_is_that_of_the_tables() {
        for (degrees, table) in [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (30.0, 2.042)] {
            assert!((t_95(degrees) - table).abs() < 0.001, "{degrees} degrees: {}", t_95(degrees));
        }
    }
}
