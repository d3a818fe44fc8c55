//! sysbench 1.0.20's distributions of ids, with its parameters (src/sb_rand.c).

use dyno_core::base::error::{Result, failed};
use dyno_core::base::rng::Rng;
use dyno_core::base::zipf::Zipf;
use dyno_core::plan::Knobs;

/// A distribution over the ids 1 … n.
#[derive(Clone, Debug)]
pub enum Ids {
    Uniform,
    /// The mean of this many uniform draws.
    Gaussian {
        draws: u32,
    },
    /// `share` of the draws are uniform over the `middle` part of the ids, the others gaussian over
    /// all.
    Special {
        draws: u32,
        middle: f64,
        share: f64,
    },
    /// A share h of the ids gets 1 − h of the draws, recursively.
    Pareto {
        power: f64,
    },
    Zipfian(Zipf),
}

impl Ids {
    pub fn of(knobs: &Knobs) -> Result<Ids> {
        let draws = knobs.int("rand_spec_iter")? as u32;
        let percent = |name: &str| -> Result<f64> { Ok(knobs.int(name)? as f64 / 100.0) };
        let (middle, share) = (percent("rand_spec_pct")?, percent("rand_spec_res")?);
        if draws == 0 || middle > 1.0 || share >= 1.0 {
            return Err(failed(
                "rand_spec_iter must be at least 1, rand_spec_pct at most 100 and rand_spec_res \
                 below 100",
                "leave them out for sysbench's own: 12, 1 and 75",
            ));
        }
        Ok(match knobs.text("rand_type")? {
            "gaussian" => Ids::Gaussian { draws },
            "special" => Ids::Special { draws, middle, share },
            "pareto" => {
                let h = knobs.float("rand_pareto_h")?;
                Ids::Pareto { power: h.ln() / (1.0 - h).ln() }
            }
            "zipfian" => {
                Ids::Zipfian(Zipf::new(knobs.float("rand_zipfian_exp")?, knobs.int("table_size")?))
            }
            _ => Ids::Uniform,
        })
    }

    pub fn draw(&self, rng: &mut Rng, n: u64) -> i64 {
        let all = n as f64;
        let at = match self {
            Ids::Uniform => return 1 + rng.below(n) as i64,
            Ids::Gaussian { draws } => mean(rng, *draws) * all,
            Ids::Special { draws, middle, share } => {
                let (span, u) = (all - 1.0, rng.unit());
                if u < 1.0 - share {
                    mean(rng, *draws) * span
                } else {
                    // The draw that selected this branch is reused, as in sysbench, and is
                    // therefore in its upper part.
                    u * (span * middle + 1.0) + span / 2.0 - span * middle / 2.0
                }
            }
            Ids::Pareto { power } => all * rng.unit().powf(*power),
            Ids::Zipfian(zipf) => return 1 + zipf.draw(rng) as i64,
        };
        1 + (at as i64).clamp(0, n as i64 - 1)
    }
}

fn mean(rng: &mut Rng, draws: u32) -> f64 {
    (0..draws).map(|_| rng.unit()).sum::<f64>() / f64::from(draws)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::rng::Seed;

    const N: u64 = 10_000;
    const DRAWS: u64 = 200_000;

    fn share(ids: &Ids, inside: impl Fn(i64) -> bool) -> f64 {
        let seed = Seed::new(1, 0, 0);
        let hits = (0..DRAWS).filter(|&n| {
            let id = ids.draw(&mut seed.at(n), N);
            assert!((1..=N as i64).contains(&id), "{ids:?} drew {id}");
            inside(id)
        });
        hits.count() as f64 / DRAWS as f64
    }

    #[test]
    fn special_draws_fall_where_sysbench_s_fall() {
        // 75 % uniform over the upper three quarters of the middle 1 %, and a quarter gaussian,
        // part of which also falls there.
        let special = Ids::Special { draws: 12, middle: 0.01, share: 0.75 };
        let middle = share(&special, |id| (4_950..=5_051).contains(&id));
        assert!((0.75..0.78).contains(&middle), "{middle}");
        assert!(share(&special, |id| id < 4_000) > 0.02);
    }

    #[test]
    fn gaussian_draws_have_the_deviation_of_a_mean_of_twelve() {
        // The deviation of a mean of 12 uniform draws is 1/12: 68.3 % lie within it.
        let within = share(&Ids::Gaussian { draws: 12 }, |id| {
            ((id as f64 - 5_000.0) / 10_000.0).abs() < 1.0 / 12.0
        });
        assert!((within - 0.683).abs() < 0.01, "{within}");
    }

    #[test]
    fn pareto_and_zipfian_draws_favour_low_ids_as_their_laws_say() {
        let h: f64 = 0.2;
        let pareto = share(&Ids::Pareto { power: h.ln() / (1.0 - h).ln() }, |id| id <= 2_000);
        assert!((pareto - 0.8).abs() < 0.005, "{pareto}");
        let zipfian = share(&Ids::Zipfian(Zipf::new(0.8, N)), |id| id <= 100);
        let weight = |n: u64| (1..=n).map(|k| (k as f64).powf(-0.8)).sum::<f64>();
        assert!((zipfian - weight(100) / weight(N)).abs() < 0.005, "{zipfian}");
        assert!((share(&Ids::Uniform, |id| id <= 1_000) - 0.1).abs() < 0.005);
    }
}
