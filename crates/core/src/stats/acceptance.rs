//! Acceptance of delivered drives by a reference sample of their model: a limit that, with a stated
//! probability, no drive of a good delivery exceeds.
//!
//! One-sided simultaneous prediction limits: G. J. Hahn, "Additional Factors for Calculating
//! Prediction Intervals for Samples from a Normal Distribution", Journal of the American
//! Statistical Association 65 (1970), pages 1668 to 1676. Drives' levels are logarithms of
//! geometric means over their repeats, so scatter is a share and a loss is a ratio.

use statrs::function::erf::erfc;

use super::moments::{mean, variance};

/// A reference sample, for predictions about further drives.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Drives of the sample.
    pub drives: usize,
    /// Mean of their levels, as a natural logarithm.
    pub mean: f64,
    /// Standard deviation of their levels: between drives, plus the scatter of the repeats that is
    /// left in their means.
    pub deviation: f64,
    /// The distance of the limit from the mean, in standard deviations.
    pub factor: f64,
}

/// A delivery, and its false-rejection rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery {
    /// Number of judged drives.
    pub drives: usize,
    /// Probability that any drive of a delivery like the reference is rejected.
    pub miss: f64,
}

/// With fewer reference drives, the scatter is unknown.
pub const FEWEST: usize = 3;

impl Reference {
    /// From the levels of the reference's drives; `None` with fewer than three.
    pub fn new(levels: &[f64], delivery: Delivery) -> Option<Reference> {
        (levels.len() >= FEWEST && delivery.drives > 0).then(|| Reference {
            drives: levels.len(),
            mean: mean(levels),
            // Rounding error between equal drives is not scatter.
            deviation: variance(levels).sqrt().max(1e-9),
            factor: factor(levels.len(), delivery),
        })
    }

    /// The limit on the worse side; `higher_is_better` determines the side.
    pub fn limit(&self, higher_is_better: bool) -> f64 {
        let reach = self.factor * self.deviation;
        if higher_is_better { self.mean - reach } else { self.mean + reach }
    }

    /// The probability that a drive whose true level is worse by this share (0.1 of ops/s lost, or
    /// of latency added) is rejected, if the reference's scatter is the true one.
    pub fn power(&self, loss: f64, higher_is_better: bool) -> f64 {
        let log = if higher_is_better { -(1.0 - loss).ln() } else { (1.0 + loss).ln() };
        let distance = log / self.deviation;
        expected(self.drives, |s, shift| normal(distance + shift - self.factor * s))
    }
}

/// The factor for which a delivery of good drives has no rejection with probability 1 − miss.
fn factor(reference: usize, delivery: Delivery) -> f64 {
    let m = delivery.drives as f64;
    let passes = |k: f64| expected(reference, |s, shift| (m * normal(k * s + shift).ln()).exp());
    let (mut low, mut high) = (0.0, 1.0);
    while passes(high) < 1.0 - delivery.miss && high < 1e6 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        match passes(middle) < 1.0 - delivery.miss {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// The expected value of a function of the standard deviation and the error of the mean of a sample
/// of n from a standard normal distribution. By the trapezoidal rule, which is practically exact
/// for functions that vanish with their derivatives at both ends.
fn expected(n: usize, of: impl Fn(f64, f64) -> f64) -> f64 {
    let degrees = n as f64 - 1.0;
    let (mut sum, mut weights) = (0.0, 0.0);
    // u is the logarithm of the standard deviation, with the density of chi.
    for i in 0..=280 {
        let u = -12.0 + 0.05 * f64::from(i);
        let s = u.exp();
        let chi = (degrees * (u - 0.5 * s * s + 0.5)).exp();
        if chi < 1e-14 {
            continue;
        }
        for j in -35..=35 {
            let z = 0.2 * f64::from(j);
            let weight = chi * (-0.5 * z * z).exp();
            sum += weight * of(s, z / (n as f64).sqrt());
            weights += weight;
        }
    }
    sum / weights
}

/// The distribution function of the standard normal.
fn normal(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::super::moments::t_reach;
    use super::*;
    use crate::base::rng::{Rng, Seed};

    fn gauss(rng: &mut Rng) -> f64 {
        (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (std::f64::consts::TAU * rng.unit()).cos()
    }

    /// A drive's mean of five repeats: 2 % scatter between drives, 1 % between repeats.
    fn drive(rng: &mut Rng, level: f64) -> f64 {
        let own = level.ln() + 0.02 * gauss(rng);
        own + (0..5).map(|_| 0.01 * gauss(rng)).sum::<f64>() / 5.0
    }

    #[test]
    fn for_one_drive_it_is_students_prediction_limit() {
        for n in [3, 8, 24] {
            let one = Delivery { drives: 1, miss: 0.05 };
            let student = t_reach(n as f64 - 1.0, 0.10) * (1.0 + 1.0 / n as f64).sqrt();
            let ours = factor(n, one);
            assert!((ours / student - 1.0).abs() < 1e-3, "{n}: {ours} against {student}");
        }
    }

    #[test]
    fn for_many_drives_it_is_less_than_bonferronis_since_all_are_judged_by_the_same_sample() {
        let many = factor(24, Delivery { drives: 200, miss: 0.05 });
        let bonferroni = t_reach(23.0, 2.0 * 0.05 / 200.0) * (1.0 + 1.0 / 24.0f64).sqrt();
        assert!(many < bonferroni && many > 3.0, "{many} against {bonferroni}");
    }

    #[test]
    fn good_deliveries_are_accepted_whole_and_slow_drives_are_found_as_often_as_is_printed() {
        let delivery = Delivery { drives: 200, miss: 0.05 };
        let (mut rejected, mut found, mut stated) = (0, [0; 2], [0.0; 2]);
        let trials = 1_000;
        let k = factor(24, delivery);
        for trial in 0..trials {
            let mut rng = Seed::new(18, 0, 0).at(trial);
            let levels: Vec<f64> = (0..24).map(|_| drive(&mut rng, 100.0)).collect();
            let deviation = variance(&levels).sqrt();
            let reference = Reference { drives: 24, mean: mean(&levels), deviation, factor: k };
            let limit = reference.limit(true);
            rejected += u32::from((0..200).any(|_| drive(&mut rng, 100.0) < limit));
            for (i, loss) in [0.10, 0.15].into_iter().enumerate() {
                found[i] += u32::from(drive(&mut rng, 100.0 * (1.0 - loss)) < limit);
                if trial % 50 == 0 {
                    stated[i] += reference.power(loss, true) / 20.0;
                }
            }
        }
        println!("rejected {rejected}, found {found:?} of {trials}; stated {stated:?}");
        // 5 % of 1,000, plus the excess that chance produces in one run of a thousand.
        assert!(rejected <= 72, "{rejected} good deliveries with a rejection");
        assert!(found[0] >= 750 && found[1] >= 950, "{found:?}");
        assert!((stated[0] - f64::from(found[0]) / 1e3).abs() < 0.08, "{stated:?} {found:?}");
    }

    #[test]
    fn two_drives_are_no_sample() {
        let delivery = Delivery { drives: 5, miss: 0.05 };
        assert_eq!(Reference::new(&[1.0, 1.1], delivery), None);
        let equal = Reference::new(&[1.0; 4], delivery).expect("a sample");
        assert!(equal.limit(true) < 1.0 && equal.limit(false) > 1.0);
        assert!(equal.power(0.1, true) > 0.99);
    }
}
