//! The exponent of the zipfian distribution of the workload `random`. Two accesses hit the same
//! extent with probability Σ p². Access counts give an unbiased estimate of it, however few they
//! are, and the exponent follows from it.

use dyno_core::base::zipf::zeta;

/// The largest exponent that is considered, as for the knob `theta`.
const LARGEST: f64 = 5.0;

/// The probability that two accesses to n extents hit the same one.
fn meeting(theta: f64, n: u64) -> f64 {
    zeta(n, 2.0 * theta) / zeta(n, theta).powi(2)
}

/// The exponent at which two accesses to n extents hit the same one with probability `meet`; 0 is
/// uniform.
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
