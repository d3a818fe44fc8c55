//! The requests to a language model, each with its time and the blocks of its prompt, and the
//! distribution of times that are recorded in steps.

use dyno_core::base::rng::Seed;

/// Distribution of requests with equal recorded times over the interval until the next time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spread {
    /// At independent random times: Poisson arrivals within the step.
    Uniform,
    /// At equal intervals.
    Even,
    /// Times are unchanged.
    None,
}

impl Spread {
    /// Values of the knob, in the order of `ALL`.
    pub const WORDS: &[&str] = &["uniform", "even", "none"];
    const ALL: [Spread; 3] = [Spread::Uniform, Spread::Even, Spread::None];

    /// Name in a plan.
    pub fn name(self) -> &'static str {
        Spread::WORDS[self as usize]
    }

    /// The distribution with this name.
    pub fn of(word: &str) -> Spread {
        Spread::ALL.into_iter().find(|own| own.name() == word).unwrap_or(Spread::Uniform)
    }
}

/// Requests in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sessions {
    /// Time of each request, nanoseconds, and the end of its blocks in `blocks`.
    requests: Vec<(u64, usize)>,
    /// Blocks of all requests, concatenated.
    blocks: Vec<u64>,
}

impl Sessions {
    /// Adds a request.
    pub fn push(&mut self, at_ns: u64, blocks: impl IntoIterator<Item = u64>) {
        self.blocks.extend(blocks);
        self.requests.push((at_ns, self.blocks.len()));
    }

    /// The number of requests.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// The blocks of all requests, in order.
    pub fn blocks(&self) -> &[u64] {
        &self.blocks
    }

    /// The time and the blocks of each request.
    pub fn each(&self) -> impl Iterator<Item = (u64, &[u64])> {
        let mut from = 0;
        self.requests.iter().map(move |(at_ns, end)| {
            let blocks = &self.blocks[from..*end];
            from = *end;
            (*at_ns, blocks)
        })
    }

    /// Sorts the requests by time; requests of equal time keep their order.
    pub fn sorted(self) -> Sessions {
        if self.requests.is_sorted_by_key(|(at_ns, _)| *at_ns) {
            return self;
        }
        let mut all: Vec<(u64, &[u64])> = self.each().collect();
        all.sort_by_key(|(at_ns, _)| *at_ns);
        let mut sorted = Sessions::default();
        all.into_iter().for_each(|(at_ns, blocks)| sorted.push(at_ns, blocks.iter().copied()));
        sorted
    }

    /// The time of each request after requests of equal time are distributed over the interval
    /// until the next time, at most over the median interval. All times are distinct, because a
    /// request's blocks are identified by its time.
    pub fn times(&self, spread: Spread, seed: Seed) -> Vec<u64> {
        let steps: Vec<&[(u64, usize)]> = self.requests.chunk_by(|a, b| a.0 == b.0).collect();
        let gap = |pair: &[&[(u64, usize)]]| pair[1][0].0 - pair[0][0].0;
        let gaps: Vec<u64> = steps.windows(2).map(gap).collect();
        let mut sorted = gaps.clone();
        sorted.sort_unstable();
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0);
        let mut times: Vec<u64> = Vec::with_capacity(self.len());
        for (n, step) in steps.iter().enumerate() {
            let length = gaps.get(n).map_or(median, |gap| median.min(*gap)) as f64;
            let mut rng = seed.at(n as u64);
            let mut shares: Vec<f64> = match spread {
                Spread::Uniform => step.iter().map(|_| rng.unit()).collect(),
                Spread::Even => (0..step.len()).map(|i| i as f64 / step.len() as f64).collect(),
                Spread::None => vec![0.0; step.len()],
            };
            shares.sort_by(f64::total_cmp);
            for share in shares {
                let at_ns = step[0].0.saturating_add((share * length) as u64);
                let before = times.last().map_or(0, |before| before + 1);
                times.push(at_ns.max(before));
            }
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: u64 = 3_000_000_000;

    fn stepped() -> Sessions {
        let mut sessions = Sessions::default();
        for n in 0..400u64 {
            sessions.push(STEP * (n / 10), [n]);
        }
        sessions
    }

    #[test]
    fn times_in_steps_are_spread_over_the_step_and_never_beyond() {
        let (sessions, seed) = (stepped(), Seed::new(1, 0, 0));
        for spread in Spread::ALL {
            let times = sessions.times(spread, seed);
            assert!(times.is_sorted_by(|a, b| a < b), "{spread:?}");
            let within = |(n, at): (usize, &u64)| *at / STEP == n as u64 / 10;
            assert!(times.iter().enumerate().all(within), "{spread:?}");
        }
        let even = sessions.times(Spread::Even, seed);
        assert_eq!(even[..3], [0, STEP / 10, STEP / 5]);
        let none = sessions.times(Spread::None, seed);
        assert_eq!(none[..3], [0, 1, 2], "requests of one time differ by a nanosecond");
        let uniform = sessions.times(Spread::Uniform, seed);
        let mean = uniform.iter().map(|at| (at % STEP) as f64).sum::<f64>() / 400.0 / STEP as f64;
        assert!((mean - 0.5).abs() < 0.05, "{mean}");
    }

    #[test]
    fn a_pause_of_the_recording_stays_a_pause() {
        let mut sessions = Sessions::default();
        for at_s in [0, 3, 3, 6, 3_600, 3_603] {
            sessions.push(at_s * 1_000_000_000, [at_s]);
        }
        let times = sessions.times(Spread::Even, Seed::new(1, 0, 0));
        assert!(times[3] < 9_000_000_000 && times[4] == 3_600_000_000_000);
    }

    #[test]
    fn requests_in_any_order_are_put_in_order() {
        let mut sessions = Sessions::default();
        for (at, blocks) in [(5, [1, 2]), (3, [3, 4]), (5, [5, 6])] {
            sessions.push(at, blocks);
        }
        let sorted = sessions.sorted();
        assert_eq!(sorted.each().map(|(at, _)| at).collect::<Vec<_>>(), [3, 5, 5]);
        assert_eq!(sorted.blocks(), [3, 4, 1, 2, 5, 6]);
    }
}
