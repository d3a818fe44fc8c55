//! Random numbers as a function of (seed, thread, op number), so that any op can be reproduced
//! independently.
//!
//! The generator is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
//! generators", OOPSLA 2014): one state per thread, hashed once with the op's number to give that
//! op its own short sequence.

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The short sequence of random numbers of one op.
#[derive(Clone, Copy, Debug)]
pub struct Rng {
    state: u64,
}

/// One thread's family of sequences.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    key: u64,
}

impl Seed {
    /// The family of thread `thread` under the plan's seed. `stream` separates two streams of a
    /// step.
    pub fn new(seed: u64, stream: u64, thread: u64) -> Seed {
        Seed { key: mix(mix(mix(seed).wrapping_add(stream)).wrapping_add(thread)) }
    }

    /// The sequence of op `n`.
    #[inline(always)]
    pub fn at(&self, n: u64) -> Rng {
        Rng { state: mix(self.key.wrapping_add(n.wrapping_mul(GOLDEN))) }
    }
}

impl Rng {
    /// Uniform over all 64-bit numbers.
    #[inline(always)]
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// Skips an unused number.
    #[inline(always)]
    pub fn skip(&mut self) {
        self.state = self.state.wrapping_add(GOLDEN);
    }

    /// Uniform over `0..n` (n > 0), by multiplication (Lemire, 2019); the bias is below n / 2^64.
    #[inline(always)]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(n)) >> 64) as u64
    }

    /// Uniform over [0, 1).
    #[inline(always)]
    pub fn unit(&mut self) -> f64 {
        (self.draw() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Exponential with mean 1: the gap between Poisson arrivals.
    #[inline(always)]
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        (2.0 * self.exponential()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// SplitMix64's finaliser: a bijection in which every input bit reaches every output bit.
#[inline(always)]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The inverse of [`mix`].
fn unmix(mut z: u64) -> u64 {
    z = (z ^ (z >> 31) ^ (z >> 62)).wrapping_mul(0x319642b2d24d8ec3);
    z = (z ^ (z >> 27) ^ (z >> 54)).wrapping_mul(0x96de1b173f119089);
    z ^ (z >> 30) ^ (z >> 60)
}

/// Whether one number is drawn directly after another, of whatever sequence.
pub fn follows(first: u64, second: u64) -> bool {
    unmix(second) == unmix(first).wrapping_add(GOLDEN)
}

/// A bijection of 0 … n − 1: keyed mixing over the next power of two, repeated until the result is
/// in range.
#[inline]
pub fn spread(rank: u64, n: u64, key: u64) -> u64 {
    let bits = (n.max(2) - 1).ilog2() + 1;
    let half = bits.div_ceil(2);
    let low = (1u64 << half) - 1;
    let mut x = rank;
    loop {
        // Four Feistel rounds on two halves of equal size.
        let (mut left, mut right) = (x >> half, x & low);
        for round in 0..4 {
            (left, right) = (right, left ^ (mix(right ^ key.wrapping_add(round)) & low));
        }
        x = (left << half) | right;
        if x < n {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_numbers_in_a_row_are_recognised_and_others_are_not() {
        for n in 0..1000 {
            let mut rng = Seed::new(n, 1, 2).at(n);
            let (one, two, three) = (rng.draw(), rng.draw(), rng.draw());
            assert_eq!(unmix(mix(one)), one);
            assert!(follows(one, two) && follows(two, three));
            assert!(!follows(one, three) && !follows(two, one) && !follows(one, two ^ 1));
        }
    }
    use proptest::prelude::*;

    #[test]
    fn an_op_depends_on_seed_thread_and_number_alone() {
        let draw = |seed, thread, n| Seed::new(seed, 0, thread).at(n).draw();
        assert_eq!(draw(1, 2, 3), draw(1, 2, 3));
        assert_ne!(draw(1, 2, 3), draw(2, 2, 3));
        assert_ne!(draw(1, 2, 3), draw(1, 3, 3));
        assert_ne!(draw(1, 2, 3), draw(1, 2, 4));
    }

    #[test]
    fn a_number_left_out_changes_none_of_those_after_it() {
        let (mut all, mut rest) = (Seed::new(1, 2, 3).at(4), Seed::new(1, 2, 3).at(4));
        all.draw();
        rest.skip();
        assert_eq!([all.draw(), all.draw()], [rest.draw(), rest.draw()]);
    }

    #[test]
    fn below_is_uniform() {
        let seed = Seed::new(7, 0, 0);
        let mut seen = [0u32; 10];
        (0..100_000).for_each(|n| seen[seed.at(n).below(10) as usize] += 1);
        let chi2: f64 = seen.iter().map(|&s| (f64::from(s) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi2 < 27.9, "chi-squared with 9 degrees of freedom was {chi2} (0.1 % limit 27.9)");
    }

    #[test]
    fn exponential_has_mean_and_deviation_one() {
        let seed = Seed::new(7, 0, 1);
        let draws: Vec<f64> = (0..200_000).map(|n| seed.at(n).exponential()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let var = draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        assert!(
            (mean - 1.0).abs() < 0.01 && (var.sqrt() - 1.0).abs() < 0.02,
            "mean {mean}, variance {var}"
        );
    }

    proptest! {
        #[test]
        fn spreading_loses_and_doubles_no_number(n in 1u64..2000, key: u64) {
            let mut seen = vec![false; n as usize];
            for rank in 0..n {
                let at = spread(rank, n, key) as usize;
                prop_assert!(!std::mem::replace(&mut seen[at], true));
            }
        }
    }
}
