//! Whether a point drifted during its measurement: its mean then depends on the time of
//! measurement.

use crate::stats::moments::mean;
use crate::stats::spread::spread;

/// Batches of the window; few enough that correlation between batches is small.
const BATCHES: usize = 12;

/// A smaller change over the window, in percent, is not marked, however significant.
const SMALL_PERCENT: f64 = 2.0;

/// With fewer intervals there is no test: a window of five seconds has five, or four complete ones.
const FEWEST: usize = 4;

/// A steady series' noise from second to second, and its weight in degrees of freedom: prevents a
/// window of five seconds from being judged quieter or louder than drives are.
const USUAL_NOISE: f64 = 0.03;
const USUAL_DEGREES: f64 = 4.0;

/// The test result over all repeats of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drift {
    /// No repeat has enough intervals.
    TooShort,
    /// The intervals show no drift.
    Steady,
    /// The end differs from the start in at least one repeat.
    Drifted {
        /// Size of the drift, in the repeat with the largest: halved is −50.
        percent: f64,
    },
}

/// One repeat's window divided into at most twelve batches.
struct WindowBatches {
    /// Batches relative to the window's mean.
    batches: Vec<f64>,
    /// Seconds per batch.
    seconds: f64,
    /// Required number of standard errors of a steady series.
    sure: f64,
}

/// Tests every repeat's series of intervals, one per second. The last third of the window is
/// compared with the first, relative to the noise between neighbouring batches, from which the
/// average step of a steady drift and the single step of a cliff are excluded; noise is pooled over
/// the repeats. The threshold is from simulation (docs/claims.md): at most 2 % of steady points are
/// marked.
pub fn drift<'r>(repeats: impl IntoIterator<Item = &'r Vec<f64>>) -> Drift {
    let windows = repeats.into_iter().filter_map(|r| WindowBatches::of(r));
    let windows: Vec<WindowBatches> = windows.collect();
    if windows.is_empty() {
        return Drift::TooShort;
    }
    let (mut squares, mut degrees) = (USUAL_NOISE * USUAL_NOISE * USUAL_DEGREES, USUAL_DEGREES);
    for window in &windows {
        let (own, of) = window.noise();
        squares += own * window.seconds;
        degrees += of;
    }
    let noise = squares / degrees;
    let moved = windows.iter().filter(|w| w.contrast().abs() > w.sure * w.error(noise));
    let percent = moved.map(WindowBatches::percent).max_by(|a, b| a.abs().total_cmp(&b.abs()));
    match percent {
        Some(percent) if percent.abs() > SMALL_PERCENT => Drift::Drifted { percent },
        _ => Drift::Steady,
    }
}

impl WindowBatches {
    fn of(values: &[f64]) -> Option<WindowBatches> {
        let (n, level) = (values.len(), mean(values));
        if n < FEWEST || !level.is_finite() || level <= 0.0 {
            return None;
        }
        let k = n.min(BATCHES);
        let batches = (0..k).map(|i| mean(&values[i * n / k..(i + 1) * n / k]) / level).collect();
        // Short neighbouring batches are alike; a load that oscillates over several seconds
        // (compactions) resembles drift most in windows of a few periods.
        let sure = match n {
            ..=6 => 5.5,
            7..=11 => 6.8,
            12..=59 => 9.0,
            60..=299 => 7.0,
            _ => 5.0,
        };
        Some(WindowBatches { batches, seconds: n as f64 / k as f64, sure })
    }

    fn third(&self) -> usize {
        (self.batches.len() as f64 / 3.0).round() as usize
    }

    /// The last third minus the first.
    fn contrast(&self) -> f64 {
        let (k, third) = (self.batches.len(), self.third());
        mean(&self.batches[k - third..]) - mean(&self.batches[..third])
    }

    /// Variance of the contrast, for this much noise per second.
    fn error(&self, noise: f64) -> f64 {
        (2.0 * noise / self.seconds / self.third() as f64).sqrt()
    }

    fn steps(&self) -> Vec<f64> {
        let steps: Vec<f64> = self.batches.windows(2).map(|w| w[1] - w[0]).collect();
        let usual = spread(&steps).map_or(0.0, |s| s.median);
        steps.iter().map(|s| s - usual).collect()
    }

    /// The squared steps between batches, without the largest, and their degrees of freedom.
    fn noise(&self) -> (f64, f64) {
        let mut squares: Vec<f64> = self.steps().iter().map(|s| s * s / 2.0).collect();
        squares.sort_by(f64::total_cmp);
        squares.pop();
        (squares.iter().sum(), squares.len() as f64 - 1.0)
    }

    /// The difference of the end from the start in percent: of a straight line, or of the levels on
    /// both sides of the largest step, whichever fits the batches better.
    fn percent(&self) -> f64 {
        let (batches, k) = (&self.batches, self.batches.len() as f64);
        let x = |i: usize| i as f64 - (k - 1.0) / 2.0;
        let across: f64 = batches.iter().enumerate().map(|(i, y)| x(i) * y).sum();
        let slope = across / (k * (k * k - 1.0) / 12.0);
        let off_line: f64 =
            batches.iter().enumerate().map(|(i, y)| (y - 1.0 - slope * x(i)).powi(2)).sum();
        let steps = self.steps();
        let largest = (0..steps.len()).max_by(|&i, &j| steps[i].abs().total_cmp(&steps[j].abs()));
        let (before, after) = batches.split_at(largest.map_or(1, |i| i + 1));
        let off = |side: &[f64]| side.iter().map(|y| (y - mean(side)).powi(2)).sum::<f64>();
        let (start, end) = match off(before) + off(after) < off_line {
            true => (mean(before), mean(after)),
            false => (1.0 - slope * k / 2.0, 1.0 + slope * k / 2.0),
        };
        // For a series that starts at zero, the ratio is meaningless.
        (end.max(0.0) / start.max(0.01) - 1.0) * 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::{Rng, Seed};

    /// A level over the window (0 to 1), with noise that is correlated by `kept` from second to
    /// second.
    fn noisy(
        rng: &mut Rng,
        seconds: usize,
        noise: f64,
        kept: f64,
        level: fn(f64) -> f64,
    ) -> Vec<f64> {
        let mut x = rng.normal();
        let mut at = |i: usize| {
            x = kept * x + (1.0 - kept * kept).sqrt() * rng.normal();
            5e5 * level((i as f64 + 0.5) / seconds as f64) * (1.0 + noise * x)
        };
        (0..seconds).map(&mut at).collect()
    }

    const STEADY: fn(f64) -> f64 = |_| 1.0;
    const LINE: fn(f64) -> f64 = |t| 1.0 - 0.5 * t;
    const DECAY: fn(f64) -> f64 = |t| 0.5f64.powf(t);
    const CLIFF: fn(f64) -> f64 = |t| if t < 0.5 { 1.0 } else { 0.5 };
    const NOISES: [(f64, f64); 4] = [(0.01, 0.0), (0.03, 0.0), (0.01, 0.5), (0.03, 0.5)];

    #[test]
    fn throughput_that_halves_is_marked_in_every_point_whichever_repeats_it_is_in() {
        for seconds in [5, 20, 60] {
            for level in [LINE, DECAY, CLIFF] {
                for (trial, drifting) in (0..500).zip([1, 2, 5].into_iter().cycle()) {
                    let (noise, kept) = NOISES[trial as usize % 4];
                    let mut rng = Seed::new(8, 0, 0).at(trial);
                    let shape =
                        |r: usize| if (r + trial as usize) % 5 < drifting { level } else { STEADY };
                    let point: Vec<Vec<f64>> =
                        (0..5).map(|r| noisy(&mut rng, seconds, noise, kept, shape(r))).collect();
                    let Drift::Drifted { percent } = drift(&point) else {
                        panic!("{seconds} s, {drifting} of 5 repeats, trial {trial}: not marked")
                    };
                    assert!((-65.0..-35.0).contains(&percent), "{seconds} s: {percent} %");
                }
            }
        }
    }

    #[test]
    fn of_steady_points_at_most_2_percent_are_marked() {
        for seconds in [4, 5, 6, 8, 12, 20, 40, 60, 300] {
            for repeats in [1, 3, 5] {
                for (noise, kept) in NOISES {
                    let marked = |trial: &u64| {
                        let mut rng = Seed::new(9, 0, 0).at(*trial);
                        let point: Vec<Vec<f64>> = (0..repeats)
                            .map(|_| noisy(&mut rng, seconds, noise, kept, STEADY))
                            .collect();
                        drift(&point) != Drift::Steady
                    };
                    let marked = (0..1_000).filter(marked).count();
                    assert!(
                        marked <= 20,
                        "{seconds} s, {repeats} repeats, {noise}, {kept}: {marked} of 1,000"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_too_short_says_so_and_halved_is_minus_fifty() {
        assert_eq!(drift(&[vec![1.0; 3], vec![5.0; 2]]), Drift::TooShort);
        assert_eq!(drift(&[]), Drift::TooShort);
        assert_eq!(drift(&[vec![5.0; 60]]), Drift::Steady);
        assert_eq!(drift(&[vec![0.0; 60]]), Drift::TooShort);
        let halves = |level: fn(f64) -> f64| {
            (0..60).map(|i| 4e5 * level((f64::from(i) + 0.5) / 60.0)).collect()
        };
        for (level, end) in [(LINE, -50.0), (CLIFF, -50.0), (DECAY, -51.0)] {
            let Drift::Drifted { percent } = drift(&[halves(level)]) else { panic!("not marked") };
            assert_eq!(percent.round(), end);
        }
    }
}
