//! Bursts of arrivals: Poisson arrivals at two rates in turn, each for an exponentially distributed
//! time. It is the Markov-modulated Poisson process of two states (Fischer and Meier-Hellstern,
//! "The Markov-modulated Poisson process (MMPP) cookbook", Performance Evaluation 18, 1993).
//!
//! Ops are counted in time at the mean rate ("even time"), which passes faster within a burst: so
//! each gap is drawn as that of a Poisson process, regardless of the state.

use crate::base::rng::Seed;
use crate::plan::BurstArrivals;

/// The sequence of bursts of a stream, the same for all of its workers.
#[derive(Clone, Debug)]
pub struct BurstClock {
    /// The seed of the lengths of the states.
    seed: Seed,
    /// Changes of state so far.
    changes: u64,
    is_burst: bool,
    until_ns: f64,
    /// Ratio of even time to time, between bursts and within one.
    speeds: [f64; 2],
    /// Mean lengths of the states, in the same order.
    lengths_ns: [f64; 2],
}

impl BurstClock {
    /// Starts in a random state, as at any time of a stationary process.
    pub fn new(of: BurstArrivals, start_ns: f64, seed: Seed) -> BurstClock {
        let (length_ns, every_ns) = (of.length_ns as f64, of.every_ns as f64);
        let share = length_ns / every_ns;
        let between = 1.0 / (1.0 + share * (of.factor - 1.0));
        let mut clock = BurstClock {
            seed,
            changes: 0,
            is_burst: seed.at(u64::MAX).unit() < share,
            until_ns: start_ns,
            speeds: [between, between * of.factor],
            lengths_ns: [every_ns - length_ns, length_ns],
        };
        clock.lengthen();
        clock
    }

    fn lengthen(&mut self) {
        let mean_ns = self.lengths_ns[usize::from(self.is_burst)];
        self.until_ns += mean_ns * self.seed.at(self.changes).exponential();
        self.changes += 1;
    }

    /// The current ratio of even time to time.
    #[inline(always)]
    pub fn speed(&self) -> f64 {
        self.speeds[usize::from(self.is_burst)]
    }

    /// The time after `at_ns` at which `even_ns` of even time has passed. Times must not decrease.
    #[inline]
    pub fn after(&mut self, mut at_ns: f64, mut even_ns: f64) -> f64 {
        loop {
            let left_ns = (self.until_ns - at_ns) * self.speed();
            if even_ns <= left_ns {
                return at_ns + even_ns / self.speed();
            }
            even_ns -= left_ns;
            at_ns = self.until_ns;
            self.is_burst = !self.is_burst;
            self.lengthen();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BURSTS: BurstArrivals =
        BurstArrivals { factor: 10.0, length_ns: 100_000_000, every_ns: 1_000_000_000 };

    #[test]
    fn the_mean_rate_is_kept_and_bursts_are_as_fast_as_often_and_as_long_as_they_should_be() {
        let mut clock = BurstClock::new(BURSTS, 0.0, Seed::new(3, 0, 0));
        let (mut at_ns, mut bursts, mut burst_ns) = (0.0, 0u64, 0.0);
        const STEP_NS: f64 = 1e5;
        const STEPS: u32 = 2_000_000;
        for _ in 0..STEPS {
            let (was_burst, before_ns) = (clock.is_burst, at_ns);
            at_ns = clock.after(at_ns, STEP_NS);
            bursts += u64::from(clock.is_burst && !was_burst);
            burst_ns += if clock.is_burst && was_burst { at_ns - before_ns } else { 0.0 };
        }
        // 200 s: 200 bursts of exponential lengths, whose relative standard error is 10 %.
        let seconds = at_ns / 1e9;
        assert!((seconds / (f64::from(STEPS) * STEP_NS / 1e9) - 1.0).abs() < 0.2, "{seconds} s");
        assert!((bursts as f64 / seconds - 1.0).abs() < 0.25, "{bursts} bursts in {seconds} s");
        let length_s = burst_ns / 1e9 / bursts as f64;
        assert!((length_s / 0.1 - 1.0).abs() < 0.3, "bursts of {length_s} s");
        assert!((clock.speeds[1] / clock.speeds[0] - 10.0).abs() < 1e-9);
    }
}
