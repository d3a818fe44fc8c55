//! Bursts fitted to arrivals: the Markov-modulated Poisson process of two states with the same
//! index of dispersion over the width of windows, and the same third moment of counts (Heffes and
//! Lucantoni, "A Markov Modulated Characterization of Packetized Voice and Data Traffic and Related
//! Statistical Multiplexer Performance", IEEE JSAC 4 (6), 1986; Gusella, "Characterizing the
//! Variability of Arrival Processes with Indexes of Dispersion", IEEE JSAC 9 (2), 1991).
//!
//! Let the rate be m on average and change between two values so that its covariance is
//! V exp(−c t). Then the counts in windows of width w have the index of dispersion
//! 1 + (2 V / m c) f(c w) with f(x) = 1 − (1 − exp(−x)) / x, and the third factorial cumulant
//! 6 V S (x − 2 + (x + 2) exp(−x)) / c³ at x = c w, where V S is the third central moment of the
//! rate. Both rates and the share of time in each follow from m, V and S.

/// Width of the narrowest windows, in ns; it doubles with each further level.
const NARROWEST_NS: u64 = 1_000_000;
const LEVELS: usize = 40;
/// Minimum number of complete windows of a level that is used.
const FEWEST_WINDOWS: u64 = 100;
/// Bursts are fitted if the index of dispersion exceeds this at some width. Of Poisson arrivals,
/// one in 10⁸ series of 100 windows does (the index × 99 has a chi-squared distribution of 99
/// degrees of freedom; Cox and Lewis, "The Statistical Analysis of Series of Events", 1966, 6.3),
/// and fewer do with more windows.
const LEAST_INDEX: f64 = 2.0;
/// A larger factor is indistinguishable from arrivals in bursts alone.
const MOST_FACTOR: f64 = 1000.0;
/// Number of correlation times tried per doubling.
const TRIES: u32 = 16;

/// Arrivals whose rate alternates between two values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurstFit {
    /// Ratio of the arrival rate within bursts to the rate between bursts, at most 1,000.
    pub factor: f64,
    /// The mean length of a burst, in ns.
    pub length_ns: f64,
    /// The mean time from the start of a burst to the start of the next, in ns.
    pub every_ns: f64,
}

/// Counts of arrivals in windows of many widths.
pub struct BurstCounts(Vec<CountLevel>);

/// Windows of one width: the count of the current one, and the sums of powers of the counts.
#[derive(Clone, Default)]
struct CountLevel {
    width_ns: u64,
    whole: u64,
    window: u64,
    count: u64,
    sums: [u128; 3],
}

/// Mean, variance and third central moment of the counts of a level.
struct Moments {
    width_ns: f64,
    windows: f64,
    mean: f64,
    variance: f64,
    third: f64,
}

impl BurstCounts {
    pub fn new(span_ns: u64) -> BurstCounts {
        let level = |n: usize| {
            let width_ns = NARROWEST_NS << n;
            CountLevel { width_ns, whole: span_ns / width_ns, ..CountLevel::default() }
        };
        let enough = |level: &CountLevel| level.whole >= FEWEST_WINDOWS;
        BurstCounts((0..LEVELS).map(level).take_while(enough).collect())
    }

    /// Adds an arrival. Arrivals must be added in order of time.
    #[inline]
    pub fn add(&mut self, at_ns: u64) {
        self.count(0, at_ns / NARROWEST_NS, 1);
    }

    fn count(&mut self, mut n: usize, mut window: u64, mut arrivals: u64) {
        // The count of a completed window is added to the window of twice its width.
        while let Some(level) = self.0.get_mut(n) {
            if window == level.window {
                level.count += arrivals;
                return;
            }
            let ended = (level.window, level.count);
            (level.window, level.count) = (window, arrivals);
            level.end(ended);
            (n, window, arrivals) = (n + 1, ended.0 / 2, ended.1);
        }
    }

    /// Fits bursts to the arrivals. None if there are too few arrivals or windows, or if their
    /// index of dispersion does not exceed `LEAST_INDEX`.
    pub fn fit(mut self) -> Option<BurstFit> {
        for n in 0..self.0.len() {
            let (window, count) = (self.0[n].window, self.0[n].count);
            self.0[n].end((window, count));
            self.count(n + 1, window / 2, count);
        }
        let levels: Vec<Moments> = self.0.iter().filter_map(CountLevel::moments).collect();
        if !levels.iter().any(|level| level.variance > LEAST_INDEX * level.mean) {
            return None;
        }
        let mean_per_ns = levels.first()?.mean / levels.first()?.width_ns;
        let (per_ns, excess) = correlation(&levels)?;
        let variance = excess * mean_per_ns * per_ns / 2.0;
        let third = third_moment(&levels, per_ns);
        Some(two_rates(mean_per_ns, variance, third / variance.powf(1.5), per_ns))
    }
}

impl CountLevel {
    fn end(&mut self, (window, count): (u64, u64)) {
        if window < self.whole {
            let count = u128::from(count);
            let powers = [count, count.pow(2), count.saturating_pow(3)];
            self.sums.iter_mut().zip(powers).for_each(|(sum, power)| *sum += power);
        }
    }

    fn moments(&self) -> Option<Moments> {
        let windows = self.whole as f64;
        let [first, second, third] = self.sums.map(|sum| sum as f64 / windows);
        let variance = second - first * first;
        let third = third - 3.0 * first * second + 2.0 * first.powi(3);
        let width_ns = self.width_ns as f64;
        (first > 0.0).then_some(Moments { width_ns, windows, mean: first, variance, third })
    }
}

/// The function f in the index of dispersion.
fn rise(x: f64) -> f64 {
    if x < 1e-6 { x / 2.0 } else { 1.0 + (-x).exp_m1() / x }
}

/// The c and the limit of the index of dispersion minus 1 that fit the levels best: least squares
/// relative to the index, whose standard error is proportional to it.
fn correlation(levels: &[Moments]) -> Option<(f64, f64)> {
    let (narrow, wide) = (levels.first()?.width_ns, levels.last()?.width_ns);
    let fit = |per_ns: f64| {
        let (mut cross, mut squares) = (0.0, 0.0);
        let index = |level: &Moments| level.variance / level.mean;
        let weight = |level: &Moments| level.windows.sqrt() / index(level).max(1.0).powi(2);
        for level in levels {
            let f = rise(per_ns * level.width_ns);
            cross += weight(level) * f * (index(level) - 1.0);
            squares += weight(level) * f * f;
        }
        let limit = cross / squares;
        let off = |level: &Moments| index(level) - 1.0 - limit * rise(per_ns * level.width_ns);
        let error: f64 = levels.iter().map(|level| weight(level) * off(level).powi(2)).sum();
        (error, per_ns, limit)
    };
    let doublings = (4.0 * wide / narrow).log2().ceil() as u32;
    let tried = (0..doublings * TRIES).map(|n| {
        let times_ns = narrow / 4.0 * (f64::from(n) / f64::from(TRIES)).exp2();
        fit(1.0 / times_ns)
    });
    let (_, per_ns, limit) = tried.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (limit > 0.0).then_some((per_ns, limit))
}

/// The third central moment of the rate: the median over the levels near the correlation time,
/// where it is most visible.
fn third_moment(levels: &[Moments], per_ns: f64) -> f64 {
    let mut near: Vec<&Moments> = levels.iter().collect();
    near.sort_by_key(|level| ((per_ns * level.width_ns / 0.7).log2().abs() * 1000.0) as u64);
    let of = |level: &&Moments| {
        let x = per_ns * level.width_ns;
        let factorial = level.third - 3.0 * level.variance + 2.0 * level.mean;
        let integral = if x < 1e-2 { x.powi(3) / 6.0 } else { x - 2.0 + (x + 2.0) * (-x).exp() };
        factorial * per_ns.powi(3) / (6.0 * integral)
    };
    let mut values: Vec<f64> = near.iter().take(3).map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The two rates with this mean, variance and skewness.
fn two_rates(mean: f64, variance: f64, skewness: f64, per_ns: f64) -> BurstFit {
    let share = (1.0 - skewness / (4.0 + skewness * skewness).sqrt()) / 2.0;
    let between = mean - (variance * share / (1.0 - share)).sqrt();
    let within = mean + (variance * (1.0 - share) / share).sqrt();
    let (share, factor) = match between * MOST_FACTOR > within {
        true => (share, within / between),
        // Almost nothing arrives between bursts: mean and variance alone determine their share.
        false => (mean * mean / (mean * mean + variance), MOST_FACTOR),
    };
    let length_ns = 1.0 / (per_ns * (1.0 - share));
    BurstFit { factor, length_ns, every_ns: length_ns / share }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::rng::Seed;

    /// The fit to arrivals that alternate between two rates.
    fn fitted(mean_per_s: f64, known: BurstFit, seconds: u64, seed: u64) -> Option<BurstFit> {
        let (gaps, lengths) = (Seed::new(seed, 0, 0), Seed::new(seed, 1, 0));
        let share = known.length_ns / known.every_ns;
        let between = mean_per_s / 1e9 / (1.0 + share * (known.factor - 1.0));
        let span_ns = seconds * 1_000_000_000;
        let mut counts = BurstCounts::new(span_ns);
        let (mut from_ns, mut n) = (0.0, 0);
        for state in 0.. {
            let is_burst = state % 2 == 1;
            let (rate, mean_ns) = match is_burst {
                true => (between * known.factor, known.length_ns),
                false => (between, known.every_ns - known.length_ns),
            };
            let until_ns = from_ns + mean_ns * lengths.at(state).exponential();
            let mut at_ns = from_ns;
            loop {
                at_ns += gaps.at(n).exponential() / rate;
                n += 1;
                if at_ns >= until_ns.min(span_ns as f64) {
                    break;
                }
                counts.add(at_ns as u64);
            }
            from_ns = until_ns;
            if from_ns >= span_ns as f64 {
                break;
            }
        }
        counts.fit()
    }

    #[test]
    fn bursts_of_known_arrivals_come_back() {
        for (factor, length_ms, every_ms) in
            [(8.0, 100.0, 1000.0), (20.0, 30.0, 300.0), (4.0, 500.0, 1500.0)]
        {
            let (length_ns, every_ns) = (length_ms * 1e6, every_ms * 1e6);
            let known = BurstFit { factor, length_ns, every_ns };
            let found = fitted(2000.0, known, 1200, 5).expect("bursts");
            let close = |found: f64, known: f64| (found / known - 1.0).abs() < 0.25;
            assert!(close(found.factor, factor), "{found:?} for {known:?}");
            assert!(close(found.length_ns, length_ns), "{found:?} for {known:?}");
            assert!(close(found.every_ns, every_ns), "{found:?} for {known:?}");
        }
    }

    #[test]
    fn arrivals_in_bursts_alone_have_the_largest_factor_and_their_share() {
        let known = BurstFit { factor: 1e9, length_ns: 1e8, every_ns: 1e9 };
        let found = fitted(1000.0, known, 1200, 6).expect("bursts");
        assert!(found.factor > 100.0, "{found:?}");
        assert!((found.length_ns / found.every_ns / 0.1 - 1.0).abs() < 0.25, "{found:?}");
    }

    #[test]
    fn poisson_arrivals_have_no_bursts() {
        let known = BurstFit { factor: 1.0, length_ns: 1e8, every_ns: 1e9 };
        for (mean_per_s, seconds) in [(2000.0, 600), (500.0, 30), (20.0, 60)] {
            let found = (0..40).filter_map(|seed| fitted(mean_per_s, known, seconds, seed));
            assert_eq!(found.collect::<Vec<_>>(), [], "{mean_per_s}/s for {seconds} s");
        }
    }

    #[test]
    fn a_trace_too_short_for_windows_has_no_fit() {
        let mut counts = BurstCounts::new(50_000_000);
        (0..1000).for_each(|n| counts.add(n * 50_000));
        assert_eq!(counts.fit(), None);
        assert_eq!(BurstCounts::new(10_000_000_000).fit(), None);
    }
}
