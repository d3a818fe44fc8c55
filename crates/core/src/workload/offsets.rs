//! The block or key that an op addresses: uniform, zipfian, pareto or a hotspot.
//!
//! Skewed draws rank the blocks by popularity; a bijection spreads the ranks over the range, so
//! that popular blocks are not adjacent (for the hotspot they are: "80 % of accesses on the first
//! 20 %").

use crate::base::rng::{Rng, spread};
use crate::base::zipf::Zipf;

/// A distribution over the blocks 0 … n − 1.
#[derive(Clone, Debug)]
pub enum Offsets {
    Uniform,
    /// Popularity of rank r falls as 1 / r^theta.
    Zipfian {
        zipf: Zipf,
        scatter: u64,
    },
    /// A share `h` of the range gets 1 − h of the accesses, recursively (fio's pareto:h).
    Pareto {
        power: f64,
        scatter: u64,
    },
    /// `share` of the accesses go to the first `hot` blocks.
    Hotspot {
        share: u128,
        hot: u64,
    },
}

impl Offsets {
    pub fn zipfian(theta: f64, blocks: u64, scatter: u64) -> Offsets {
        Offsets::Zipfian { zipf: Zipf::new(theta, blocks), scatter }
    }

    pub fn pareto(h: f64, scatter: u64) -> Offsets {
        Offsets::Pareto { power: h.ln() / (1.0 - h).ln(), scatter }
    }

    /// The block of one op.
    #[inline(always)]
    pub fn draw(&self, rng: &mut Rng, blocks: u64) -> u64 {
        match *self {
            Offsets::Uniform => rng.below(blocks),
            Offsets::Zipfian { zipf, scatter } => spread(zipf.draw(rng), blocks, scatter),
            Offsets::Pareto { power, scatter } => {
                let rank = blocks as f64 * rng.unit().powf(power);
                spread((rank as u64).min(blocks - 1), blocks, scatter)
            }
            Offsets::Hotspot { share, hot } => {
                let cold = blocks - hot;
                if cold == 0 || (hot > 0 && u128::from(rng.draw()) < share) {
                    rng.below(blocks.min(hot.max(1)))
                } else {
                    hot + rng.below(cold)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Seed;
    use crate::base::zipf::zeta;
    use proptest::prelude::*;

    fn share_below(offsets: &Offsets, blocks: u64, limit: u64) -> f64 {
        let seed = Seed::new(1, 0, 0);
        let hits = (0..200_000).filter(|&n| offsets.draw(&mut seed.at(n), blocks) < limit).count();
        hits as f64 / 200_000.0
    }

    #[test]
    fn a_hotspot_gets_its_share() {
        let offsets = Offsets::Hotspot { share: (0.8 * 2f64.powi(64)) as u128, hot: 200 };
        assert!((share_below(&offsets, 1000, 200) - 0.8).abs() < 0.005);
    }

    #[test]
    fn pareto_keeps_its_promise() {
        // With h = 0.2 the most popular 20 % of blocks get 80 % of accesses; ranks are checked
        // before they are spread.
        let seed = Seed::new(1, 0, 0);
        let Offsets::Pareto { power, .. } = Offsets::pareto(0.2, 0) else { unreachable!() };
        let hot = (0..200_000).filter(|&n| seed.at(n).unit().powf(power) < 0.2).count() as f64
            / 200_000.0;
        assert!((hot - 0.8).abs() < 0.005, "{hot}");
    }

    #[test]
    fn the_popular_blocks_of_a_zipfian_load_are_spread_over_the_range_with_their_shares() {
        let (blocks, theta) = (1_000u64, 0.99);
        let offsets = Offsets::zipfian(theta, blocks, 17);
        let seed = Seed::new(3, 0, 0);
        let mut seen = vec![0u32; blocks as usize];
        (0..200_000).for_each(|n| seen[offsets.draw(&mut seed.at(n), blocks) as usize] += 1);
        let hottest = (0..10).map(|rank| f64::from(seen[spread(rank, blocks, 17) as usize]));
        let (found, truth) = (hottest.sum::<f64>() / 2e5, zeta(10, theta) / zeta(blocks, theta));
        assert!((found - truth).abs() < 0.005, "{found} against {truth}");
    }

    proptest! {
        #[test]
        fn every_draw_lies_inside(n in 1u64..1_000_000, seed: u64) {
            let mut rng = Seed::new(seed, 0, 0).at(0);
            let kinds = [
                Offsets::Uniform,
                Offsets::zipfian(0.9, n, seed),
                Offsets::zipfian(1.0, n, seed),
                Offsets::pareto(0.2, seed),
                Offsets::Hotspot { share: 1 << 63, hot: n / 5 },
            ];
            for kind in kinds {
                prop_assert!(kind.draw(&mut rng, n) < n, "{kind:?}");
            }
        }
    }
}
