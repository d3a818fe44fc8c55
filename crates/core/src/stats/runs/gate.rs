//! Whether a figure became worse by more than a limit: a new run against a history of earlier ones,
//! with one-sided simultaneous intervals. A run is a session of its own (the day, the state of the
//! drive, its neighbours), so only the scatter between runs shows by how much it may differ.

use crate::stats::better::Better;
use crate::stats::family::{MEANS, POINTS};
use crate::stats::moments::{mean, natural, natural_interval, t_reach, variance};

/// Maximum number of proposed runs.
const MOST: usize = 100;

/// Minimum number of earlier runs of a history: with fewer, the scatter between them is unknown.
pub const FEWEST_RUNS: usize = 5;

/// new ÷ base, with its interval: the probability that any true value is above its interval is at
/// most 5 %, and likewise below.
#[derive(Clone, Debug, PartialEq)]
pub struct RatioChange {
    /// The ratio of geometric means, new ÷ base.
    pub ratio: f64,
    /// The interval; None without a history.
    pub interval: Option<(f64, f64)>,
    /// Number of base runs.
    pub n: usize,
}

/// The verdict on a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownChange {
    /// The whole interval is within the limit.
    NotWorse,
    /// The whole interval is beyond the limit.
    Worse,
    /// The interval contains the limit, or there is no interval.
    Neither,
}

/// The ratio new ÷ base at exactly this loss, a share from 0 to below 1: for 5 %, 1.05 for a
/// latency, 0.95 for ops/s.
pub fn bound(better: Better, limit: f64) -> f64 {
    match better {
        Better::Higher => 1.0 - limit,
        Better::Lower => 1.0 + limit,
    }
}

impl RatioChange {
    /// Compares the change with a limit.
    pub fn shows(&self, better: Better, limit: f64) -> ShownChange {
        let bound = bound(better, limit);
        let Some((low, high)) = self.interval else { return ShownChange::Neither };
        let (worse, within) = match better {
            Better::Higher => (high < bound, low >= bound),
            Better::Lower => (low > bound, high <= bound),
        };
        match (worse, within) {
            (true, _) => ShownChange::Worse,
            (_, true) => ShownChange::NotWorse,
            _ => ShownChange::Neither,
        }
    }

    /// The number of base runs that would decide whether it is beyond the limit if ratio and
    /// scatter stayed the same. `searched`: number of changes that share the interval's error
    /// probability. `None` if a hundred would not suffice.
    pub fn enough(&self, better: Better, limit: f64, searched: usize) -> Option<usize> {
        let distance = (self.ratio / bound(better, limit)).ln().abs();
        let half = (self.interval?.1 / self.ratio).ln();
        let miss = 2.0 * POINTS / searched.max(1) as f64;
        let reach = |n: usize| t_reach(n as f64 - 1.0, miss) * (1.0 + 1.0 / n as f64).sqrt();
        (self.n + 1..=MOST).find(|n| half * reach(*n) / reach(self.n) < distance)
    }
}

/// A history's figures at one point: for each base run and for the new one, the logarithm of the
/// geometric mean of its repeats.
#[derive(Clone, Debug)]
pub struct PointHistory {
    /// Base runs.
    pub base: Vec<f64>,
    /// The new run.
    pub new: f64,
    /// Variance of the new run's mean relative to a base run's: above 1 if it has fewer repeats.
    pub scale: f64,
}

/// Whether a comparison with a history is for one point or for a step's mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryScope {
    /// One of this many points.
    Point(usize),
    /// One of this many means.
    Mean(usize),
    /// One of this many points, if no step has a second one.
    Only(usize),
}

/// The new run against base runs. A run is one observation, because its repeats do not show the
/// differences between runs: the interval is a prediction interval, from the scatter between base
/// runs. `None` without base runs.
pub fn against_history(of: &PointHistory, share: HistoryScope) -> Option<RatioChange> {
    let n = of.base.len();
    if n == 0 {
        return None;
    }
    let miss = match share {
        HistoryScope::Point(searched) => 2.0 * POINTS / searched.max(1) as f64,
        HistoryScope::Mean(searched) => 2.0 * MEANS / searched.max(1) as f64,
        HistoryScope::Only(searched) => 2.0 * (POINTS + MEANS) / searched.max(1) as f64,
    };
    let log = of.new - mean(&of.base);
    let half = || {
        let error = (variance(&of.base) * (of.scale.max(1.0) + 1.0 / n as f64)).sqrt();
        t_reach((n - 1) as f64, miss) * error
    };
    let half = (n >= FEWEST_RUNS).then(half);
    let interval = half.map(|half| natural_interval(log, half));
    Some(RatioChange { ratio: natural(log), interval, n })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(ratio: f64, low: f64, high: f64) -> RatioChange {
        RatioChange { ratio, interval: Some((low, high)), n: 5 }
    }

    #[test]
    fn worse_is_up_for_latencies_and_down_for_rates() {
        let up = change(1.10, 1.07, 1.13);
        assert_eq!(up.shows(Better::Lower, 0.05), ShownChange::Worse);
        assert_eq!(up.shows(Better::Higher, 0.05), ShownChange::NotWorse);
        assert_eq!(up.shows(Better::Lower, 0.10), ShownChange::Neither);
        let down = change(0.90, 0.87, 0.93);
        assert_eq!(down.shows(Better::Higher, 0.05), ShownChange::Worse);
        assert_eq!(down.shows(Better::Lower, 0.0), ShownChange::NotWorse);
        assert_eq!(change(1.0, 1.0, 1.0).shows(Better::Lower, 0.0), ShownChange::NotWorse);
    }

    #[test]
    fn more_runs_are_proposed_where_they_can_show_something() {
        let near = |limit| change(1.02, 0.99, 1.02 * 1.02 / 0.99).enough(Better::Lower, limit, 1);
        assert!(near(0.045).is_some_and(|n| (6..20).contains(&n)), "{:?}", near(0.045));
        // One new run has its own scatter, however many base runs there are.
        assert_eq!(near(0.03), None);
    }

    #[test]
    fn a_history_has_the_scatter_of_its_runs_and_needs_five() {
        let base: Vec<f64> = [100.0f64, 102.0, 98.0, 101.0, 99.0].map(f64::ln).to_vec();
        let of = |base: &[f64], new: f64| {
            let history = PointHistory { base: base.to_vec(), new: new.ln(), scale: 1.0 };
            against_history(&history, HistoryScope::Only(1))
        };
        let found = of(&base, 110.0).expect("five runs");
        let (_, high) = found.interval.expect("an interval");
        // t(0.95, 4) = 2.132; s = 0.0158; √(1 + 1/5)
        assert!(((high / found.ratio).ln() - 2.132 * 0.01581 * 1.0954).abs() < 2e-4);
        assert_eq!(found.shows(Better::Lower, 0.05), ShownChange::Worse);
        let few = of(&base[..4], 110.0).expect("a ratio");
        assert_eq!((few.interval, few.shows(Better::Lower, 0.05)), (None, ShownChange::Neither));
        assert_eq!(of(&[], 110.0), None);
    }
}
