//! The zipfian distribution of the workload `random`: the popularity of rank r is the integral of
//! t^−theta from r to r + 1. Two accesses meet with the probability Σ p², which counts of accesses
//! estimate without bias however few they are; the exponent follows from it.

use crate::base::zipf::integral;

/// Ranks whose probabilities are added one by one; the others by their integral.
const HEAD: u64 = 1000;
/// The largest exponent that is looked for, that of the knob `theta`.
const LARGEST: f64 = 5.0;

/// The probability that two accesses to n extents meet.
fn meeting(theta: f64, n: u64) -> f64 {
    let whole = integral(theta, n as f64 + 1.0);
    let head = HEAD.min(n);
    let at = |rank: u64| integral(theta, rank as f64);
    let of_head: f64 = (1..=head).map(|rank| (at(rank + 1) - at(rank)).powi(2)).sum();
    let square = |x: f64| integral(2.0 * theta, x);
    let of_tail = square(n as f64 + 1.0) - square(head as f64 + 1.0);
    (of_head + of_tail) / (whole * whole)
}

/// The exponent at which two accesses to n extents meet with this probability; 0 is uniform.
pub fn theta(meet: f64, n: u64) -> f64 {
    let (mut low, mut high) = (0.0, LARGEST);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        match meeting(middle, n) < meet {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_comes_back_from_the_probability() {
        for n in [2, 1000, 1 << 20, 1 << 40] {
            assert!((meeting(0.0, n) * n as f64 - 1.0).abs() < 1e-6, "uniform over {n}");
            for exponent in [0.5, 0.99, 1.0, 1.5] {
                let found = theta(meeting(exponent, n), n);
                assert!((found - exponent).abs() < 1e-6, "{found} for {exponent}, {n}");
            }
        }
    }
}
