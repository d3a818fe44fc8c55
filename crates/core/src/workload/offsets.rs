//! The block or key that an op addresses: uniform, zipfian, pareto or a hotspot.
//!
//! Skewed draws rank the blocks by popularity; a bijection spreads the ranks over the range, so
//! that popular blocks are not adjacent (for the hotspot they are: "80 % of accesses on the first
//! 20 %").

use crate::base::rng::{Rng, spread};
use crate::base::zipf::{integral, rank};

/// A distribution over the blocks 0 … n − 1.
#[derive(Clone, Debug)]
pub enum Offsets {
    Uniform,
    /// Popularity of rank r falls as 1 / r^theta; by inversion of the integral of the density,
    /// which is accurate enough for any n (Gray et al., "Quickly generating billion-record
    /// synthetic databases", SIGMOD 1994, use the same form).
    Zipfian {
        theta: f64,
        top: f64,
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
        Offsets::Zipfian { theta, top: integral(theta, blocks as f64 + 1.0), scatter }
    }

    pub fn pareto(h: f64, scatter: u64) -> Offsets {
        Offsets::Pareto { power: h.ln() / (1.0 - h).ln(), scatter }
    }

    /// The block of one op.
    #[inline(always)]
    pub fn draw(&self, rng: &mut Rng, blocks: u64) -> u64 {
        match *self {
            Offsets::Uniform => rng.below(blocks),
            Offsets::Zipfian { theta, top, scatter } => {
                spread(rank(theta, top, rng.unit(), blocks), blocks, scatter)
            }
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
    use crate::base::zipf::inverse;
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
    fn zipfian_ranks_fall_as_they_should() {
        let (blocks, theta) = (1_000u64, 0.99);
        let Offsets::Zipfian { top, .. } = Offsets::zipfian(theta, blocks, 0) else {
            unreachable!()
        };
        let seed = Seed::new(3, 0, 0);
        let ranks = (0..200_000).map(|n| (inverse(theta, seed.at(n).unit() * top) - 1.0) as u64);
        let first_ten = ranks.filter(|&r| r < 10).count() as f64 / 200_000.0;
        let truth = integral(theta, 11.0) / top;
        assert!((first_ten - truth).abs() < 0.005, "{first_ten} against {truth}");
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
