//! The zipfian distribution: rank r, from 1 on, has the popularity r^−theta ÷ Σ k^−theta, exactly
//! and at every rank.
//!
//! Ranks are drawn by rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate
//! variates from monotone discrete distributions", ACM TOMACS 6.3, 1996), which needs no table,
//! whatever the number of ranks. Gray and others ("Quickly generating billion-record synthetic
//! databases", SIGMOD 1994), whose algorithm fio and YCSB use, treat only ranks 1 and 2 exactly.

use super::rng::Rng;

/// A distribution over the ranks 0 … n − 1, the most popular first.
#[derive(Clone, Copy, Debug)]
pub struct Zipf {
    theta: f64,
    ranks: u64,
    /// The ends of the range from which an integral is drawn.
    low: f64,
    high: f64,
    /// A rank that exceeds its x by no more than this needs no further comparison.
    shortcut: f64,
}

impl Zipf {
    /// Over this many ranks, at least one; `theta` 0 is uniform.
    pub fn new(theta: f64, ranks: u64) -> Zipf {
        Zipf {
            theta,
            ranks,
            low: integral(theta, 1.5) - 1.0,
            high: integral(theta, ranks as f64 + 0.5),
            shortcut: 2.0 - inverse(theta, integral(theta, 2.5) - 2f64.powf(-theta)),
        }
    }

    /// A rank. The number of random numbers that it uses differs, and is 1 or 2 as a rule.
    #[inline(always)]
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        loop {
            let area = self.high + rng.unit() * (self.low - self.high);
            let x = inverse(self.theta, area);
            let rank = ((x + 0.5) as u64).clamp(1, self.ranks);
            if rank as f64 - x <= self.shortcut || self.accepts(rank, area) {
                return rank - 1;
            }
        }
    }

    #[inline(never)]
    fn accepts(&self, rank: u64, area: f64) -> bool {
        let rank = rank as f64;
        area >= integral(self.theta, rank + 0.5) - rank.powf(-self.theta)
    }
}

/// Σ k^−theta for k from 1 to n: the first thousand terms, and the rest by the Euler–Maclaurin
/// formula, whose error is below 1e-9 there.
pub fn zeta(n: u64, theta: f64) -> f64 {
    let exact = n.min(1000);
    let head: f64 = (1..=exact).map(|k| (k as f64).powf(-theta)).sum();
    let (from, to) = (exact as f64, n as f64);
    let between = integral(theta, to) - integral(theta, from);
    let ends = (to.powf(-theta) - from.powf(-theta)) / 2.0;
    let slope = theta / 12.0 * (from.powf(-theta - 1.0) - to.powf(-theta - 1.0));
    head + between + ends + slope
}

/// ∫₁ˣ t^−theta dt
#[inline(always)]
fn integral(theta: f64, x: f64) -> f64 {
    let (power, log) = (1.0 - theta, x.ln());
    // Its limit at theta 1 is the logarithm.
    if power.abs() < 1e-9 { log } else { (power * log).exp_m1() / power }
}

/// The x whose integral is y.
#[inline(always)]
fn inverse(theta: f64, y: f64) -> f64 {
    let power = 1.0 - theta;
    if power.abs() < 1e-9 {
        y.exp()
    } else {
        // Above theta 1 an integral has a bound, which rounding may pass.
        ((y * power).max(-1.0).ln_1p() / power).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Seed;

    const DRAWS: u64 = 50_000;

    /// Classes of ranks: each of the first, then ever wider ones.
    fn edges(ranks: u64) -> Vec<u64> {
        let wide = (0..40).map(|i| 8u64 << i);
        (1..8).chain(wide).filter(|edge| *edge < ranks).chain([ranks]).collect()
    }

    /// Chi-squared per degree of freedom, as a deviation from normal (Wilson and Hilferty, 1931).
    fn deviation(theta: f64, ranks: u64) -> f64 {
        let (edges, zipf, seed) = (edges(ranks), Zipf::new(theta, ranks), Seed::new(5, 0, ranks));
        let mut seen = vec![0u64; edges.len()];
        for n in 0..DRAWS {
            let rank = zipf.draw(&mut seed.at(n));
            assert!(rank < ranks, "{rank} of {ranks} at {theta}");
            seen[edges.partition_point(|edge| *edge <= rank)] += 1;
        }
        let whole = zeta(ranks, theta);
        let (mut chi_squared, mut classes) = (0.0, 0.0f64);
        let (mut expected, mut counted, mut from) = (0.0, 0, 0);
        for (i, (edge, count)) in edges.iter().zip(seen).enumerate() {
            let below = if from == 0 { 0.0 } else { zeta(from, theta) };
            expected += (zeta(*edge, theta) - below).max(0.0) / whole * DRAWS as f64;
            (counted, from) = (counted + count, *edge);
            // The rarest are counted together with those after them.
            if expected >= 10.0 || i + 1 == edges.len() {
                chi_squared += (counted as f64 - expected).powi(2) / expected.max(1.0);
                classes += 1.0;
                (expected, counted) = (0.0, 0);
            }
        }
        let degrees = (classes - 1.0).max(1.0);
        let spread = 2.0 / (9.0 * degrees);
        ((chi_squared / degrees).cbrt() - (1.0 - spread)) / spread.sqrt()
    }

    #[test]
    fn every_rank_has_the_popularity_that_the_law_gives_it() {
        for theta in [0.0, 0.01, 0.5, 0.99, 1.0, 1.000_001, 1.2, 2.0, 5.0] {
            for ranks in [1, 2, 10, 1_000, 1 << 20, 1 << 44] {
                let deviation = deviation(theta, ranks);
                // The chance that one of 54 is above this is 1 in 600.
                assert!(deviation < 4.0, "{deviation} at theta {theta} over {ranks} ranks");
            }
        }
    }

    #[test]
    fn the_hottest_of_1024_blocks_at_1_2_has_23_percent() {
        let (zipf, seed) = (Zipf::new(1.2, 1024), Seed::new(1, 0, 0));
        let mut seen = [0u32; 5];
        for n in 0..DRAWS {
            if let Some(count) = seen.get_mut(zipf.draw(&mut seed.at(n)) as usize) {
                *count += 1;
            }
        }
        let shares = seen.map(|count| f64::from(count) / DRAWS as f64);
        for (share, truth) in shares.iter().zip([0.2303, 0.1002, 0.0616, 0.0436, 0.0334]) {
            assert!((share - truth).abs() < 0.008, "{shares:?}");
        }
    }

    #[test]
    fn the_sum_of_all_popularities_is_right_beyond_the_terms_that_are_added() {
        let sum = |n: u64, theta: f64| (1..=n).map(|k| (k as f64).powf(-theta)).sum::<f64>();
        for theta in [0.0, 0.5, 1.0, 1.2, 5.0] {
            let (found, truth) = (zeta(100_000, theta), sum(100_000, theta));
            assert!((found / truth - 1.0).abs() < 1e-9, "{found} for {truth} at {theta}");
        }
    }
}
