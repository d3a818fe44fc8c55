//! Change points of a history: the runs at which the level of a figure changes.
//!
//! Hierarchical division by means, as in E-divisive (Matteson and James, 2014) and its use on
//! performance histories (Fleming et al., 2023): the division that explains most of the scatter is
//! tested by permuting the runs, and if significant, both parts are divided again. The statistic is
//! that for a shift in a mean (Hawkins, 1977), and the location is the run with the highest
//! posterior probability nearby (Smith, 1975), which is more often correct than the maximum of the
//! statistic. A permutation test assumes no distribution. It permutes the innovations of the runs,
//! because the state of a drive or host persists from run to run, so consecutive runs are
//! correlated. docs/trends.md has results of simulation.

use crate::base::rng::{Rng, Seed};
use crate::stats::moments::mean;

/// The minimum number of runs at a level: one or two unusual runs are not a change.
pub const FEWEST_IN_A_LEVEL: usize = 3;

/// Number of runs on a new level for which a history's power is stated.
pub const LASTING: usize = 5;

/// The probability of a false change point over a whole history, for the first test.
pub const FALSE_ALARMS: f64 = 0.04;

/// Locations are equivalent if the change is near them with this share of the maximum probability.
const AS_GOOD: f64 = 0.99;

/// Maximum correlation of consecutive runs that is allowed for: slightly above the 0.5 for which
/// the error probability is guaranteed, because the estimate scatters.
const MOST_KEPT: f64 = 0.55;

/// Bias of the correlation estimated from n runs on one level, times n: divisions are placed where
/// consecutive runs differ most.
const HIDDEN: f64 = 3.0;

/// Number of standard errors of the correlation that are added to its estimate.
const DOUBT: f64 = 1.0;

/// Permutations per test, which determine probabilities to 0.001.
const PERMUTATIONS: u64 = 999;

/// A run at which the level changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// Index of the first run on the new level.
    pub at: usize,
    /// The first and the last index that it may have instead: the run with the change is between
    /// them with a posterior probability of 95 %.
    pub within: (usize, usize),
    /// Geometric mean of the runs since the previous change point, or since the first run.
    pub before: f64,
    /// The same until the next change point, or the last run.
    pub after: f64,
    /// The probability of such a clear division if the runs scatter about one level.
    pub chance: f64,
}

/// All change points of a history, oldest first. Values are in the order of their runs and
/// positive; a history with others, or with fewer than six runs, has none.
pub fn change_points(values: &[f64]) -> Vec<ChangePoint> {
    if values.iter().any(|v| !v.is_finite() || *v <= 0.0) {
        return Vec::new();
    }
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let mut found = Vec::new();
    divide(&logs, (0, logs.len()), &mut found);
    found.sort_by_key(|(place, _)| place.at);
    let ends: Vec<usize> = found.iter().map(|(place, _)| place.at).chain([logs.len()]).collect();
    let level = |from: usize, to: usize| mean(&logs[from..to]).exp();
    let point = |(i, &(Location { at, within }, chance)): (usize, &(Location, f64))| ChangePoint {
        at,
        within,
        before: level(if i == 0 { 0 } else { ends[i - 1] }, at),
        after: level(at, ends[i + 1]),
        chance,
    };
    found.iter().enumerate().map(point).collect()
}

/// The smallest step that a history can detect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensitivity {
    /// The correlation of consecutive runs that is allowed for.
    pub kept: f64,
    /// The step, as a share, that is found in about half of such histories if it lasts for
    /// `LASTING` runs at their end.
    pub step: f64,
}

/// The sensitivity of a history with its change points; `None` if it is too short or has no
/// scatter.
pub fn sensitivity(values: &[f64], changes: &[ChangePoint]) -> Option<Sensitivity> {
    if values.len() < FEWEST_IN_A_LEVEL + LASTING || values.iter().any(|v| v.is_nan() || *v <= 0.0)
    {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let levels: Vec<usize> = changes.iter().map(|c| c.at).collect();
    let levels = about_levels(&logs, &levels);
    let (kept, scatter) = (kept(&levels), levels.concat());
    let total: f64 = scatter.iter().map(|log| log * log).sum();
    let mut shares = reordered(&scatter, kept).collect::<Vec<f64>>();
    shares.sort_by(|a, b| b.total_cmp(a));
    let needed = shares[(FALSE_ALARMS * shares.len() as f64) as usize];
    let (n, lasting) = (scatter.len() as f64, LASTING as f64);
    // A step contributes step² · a · b ÷ n, and the rest is scatter.
    let explained = total * needed / (1.0 - needed).max(f64::MIN_POSITIVE);
    let step = (explained * n / (lasting * (n - lasting))).sqrt().exp_m1();
    (total > 0.0).then_some(Sensitivity { kept, step })
}

/// Where a part of the history is divided.
#[derive(Clone, Copy)]
struct Location {
    at: usize,
    within: (usize, usize),
}

/// Recursively divides a part of the history.
fn divide(logs: &[f64], (first, end): (usize, usize), found: &mut Vec<(Location, f64)>) {
    let part = &logs[first..end];
    let Some(Location { at, within }) = place(part) else { return };
    let mut levels: Vec<usize> =
        found.iter().map(|(place, _)| place.at).chain([first + at]).collect();
    levels.sort_unstable();
    let Some(chance) = chance(part, kept(&about_levels(logs, &levels))) else { return };
    let within = (first + within.0, first + within.1);
    found.push((Location { at: first + at, within }, chance));
    divide(logs, (first, first + at), found);
    divide(logs, (first + at, end), found);
}

/// The runs of each level, relative to its mean. `further` has the first run of each further level.
fn about_levels(logs: &[f64], further: &[usize]) -> Vec<Vec<f64>> {
    let starts = [0].into_iter().chain(further.iter().copied());
    let ends = further.iter().copied().chain([logs.len()]);
    let level = |(start, end): (usize, usize)| {
        let centre = mean(&logs[start..end]);
        logs[start..end].iter().map(|log| log - centre).collect()
    };
    starts.zip(ends).map(level).collect()
}

/// The correlation of consecutive runs about their levels. The estimate is conservative, because
/// few runs determine it poorly and levels hide a part of it.
fn kept(levels: &[Vec<f64>]) -> f64 {
    let products = |own: &Vec<f64>| own.windows(2).map(|w| w[0] * w[1]).sum::<f64>();
    let squares = |own: &Vec<f64>| own.iter().map(|x| x * x).sum::<f64>();
    let (products, squares) =
        (levels.iter().map(products).sum::<f64>(), levels.iter().map(squares).sum::<f64>());
    if squares <= 0.0 {
        return 0.0;
    }
    let n = levels.iter().map(Vec::len).sum::<usize>() as f64;
    let hidden = HIDDEN * levels.len() as f64 / n;
    (products / squares + hidden + DOUBT / n.sqrt()).clamp(0.0, MOST_KEPT)
}

/// The sums of squares between two levels, by the start of the second: `(at, explained)`. Empty if
/// there are too few runs for two levels.
fn divisions(logs: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    let (n, centre) = (logs.len(), mean(logs));
    let mut sum = 0.0;
    let each = logs.iter().enumerate().map(move |(i, log)| {
        let before = sum;
        sum += log - centre;
        (i, before * before * n as f64 / (i.max(1) * (n - i)) as f64)
    });
    each.skip(FEWEST_IN_A_LEVEL).take((n + 1).saturating_sub(2 * FEWEST_IN_A_LEVEL))
}

/// The maximum explained by any division.
fn most_explained(logs: &[f64]) -> f64 {
    divisions(logs).map(|(_, explained)| explained).fold(0.0, f64::max)
}

/// Start of the second level: the run within one run of which the change is most probable, with
/// unknown levels and scatter (Smith, 1975).
fn place(logs: &[f64]) -> Option<Location> {
    let (n, centre) = (logs.len() as f64, mean(logs));
    let total: f64 = logs.iter().map(|log| (log - centre) * (log - centre)).sum();
    let least = total - most_explained(logs);
    let weight = |(at, explained): (usize, f64)| {
        let unexplained = ((total - explained) / least.max(f64::MIN_POSITIVE)).max(1.0);
        let of_levels = (at as f64 * (n - at as f64)).sqrt();
        (at, unexplained.powf(1.0 - n / 2.0) / of_levels)
    };
    let weights: Vec<(usize, f64)> = divisions(logs).map(weight).collect();
    let near = |i: usize| {
        weights[i.saturating_sub(1)..(i + 2).min(weights.len())].iter().map(|(_, w)| w).sum::<f64>()
    };
    let all: Vec<f64> = (0..weights.len()).map(near).collect();
    let most = all.iter().copied().fold(0.0, f64::max);
    // Among equivalent locations, the most probable one.
    let good = weights.iter().zip(&all).filter(|(_, near)| **near >= most * AS_GOOD);
    let (at, _) = good.map(|(weight, _)| *weight).max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Location { at, within: interval(&weights, at) })
}

/// The places around one of them that together have 95 % of the weight, the heavier side first.
fn interval(weights: &[(usize, f64)], at: usize) -> (usize, usize) {
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let middle = weights.iter().position(|(place, _)| *place == at).unwrap_or(0);
    let (mut low, mut high, mut sum) = (middle, middle, weights[middle].1);
    while sum < 0.95 * total {
        let below = low.checked_sub(1).map(|i| weights[i].1);
        let above = weights.get(high + 1).map(|(_, weight)| *weight);
        match (below, above) {
            (Some(below), above) if above.is_none_or(|above| below >= above) => {
                low -= 1;
                sum += below;
            }
            (_, Some(above)) => {
                high += 1;
                sum += above;
            }
            (_, None) => break,
        }
    }
    (weights[low].0, weights[high].0)
}

/// The probability that runs in a random order are divided as clearly, if small enough for a change
/// point. The innovations of the runs are reordered; the share `kept` of the previous run is not.
/// Deterministic for the same runs.
fn chance(logs: &[f64], kept: f64) -> Option<f64> {
    let (clear, of) = (share(logs), (PERMUTATIONS + 1) as f64);
    let most = (FALSE_ALARMS * of) as u64;
    let mut as_clear = 1;
    for share in reordered(logs, kept) {
        // Differences within rounding error do not count.
        as_clear += u64::from(share >= clear * (1.0 - 1e-9));
        if as_clear > most {
            return None;
        }
    }
    Some(as_clear as f64 / of)
}

/// The share of the sum of squares that the clearest division explains, for each random order.
fn reordered(logs: &[f64], kept: f64) -> impl Iterator<Item = f64> {
    let (centre, fresh) = (mean(logs), (1.0 - kept * kept).sqrt());
    let centred: Vec<f64> = logs.iter().map(|log| log - centre).collect();
    let first = centred.first().map(|x| x * fresh);
    let mut new: Vec<f64> =
        first.into_iter().chain(centred.windows(2).map(|w| w[1] - kept * w[0])).collect();
    let seed = Seed::new(logs.len() as u64, 0, 0);
    (0..PERMUTATIONS).map(move |permutation| {
        shuffle(&mut new, &mut seed.at(permutation));
        let mut last = None;
        let run = |new: &f64| {
            let run = last.map_or(new / fresh, |last: f64| kept * last + new);
            last = Some(run);
            run
        };
        share(&new.iter().map(run).collect::<Vec<f64>>())
    })
}

/// The share of the sum of squares that the clearest division explains.
fn share(logs: &[f64]) -> f64 {
    let centre = mean(logs);
    let total: f64 = logs.iter().map(|log| (log - centre) * (log - centre)).sum();
    // Without scatter, only rounding errors of logarithms remain.
    if total > 1e-20 * logs.len() as f64 { most_explained(logs) / total } else { 1.0 }
}

/// Fisher and Yates.
fn shuffle(values: &mut [f64], rng: &mut Rng) {
    for i in (1..values.len()).rev() {
        values.swap(i, rng.below(i as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels with this many runs each, which scatter by up to 1 %.
    fn history(levels: &[(f64, usize)]) -> Vec<f64> {
        let runs = levels.iter().flat_map(|(level, runs)| std::iter::repeat_n(*level, *runs));
        let scatter = |i: usize| 0.99 + 0.02 * (i * 5 % 7) as f64 / 6.0;
        runs.enumerate().map(|(i, level)| level * scatter(i)).collect()
    }

    #[test]
    fn every_step_of_a_history_is_found_with_its_levels() {
        let found = change_points(&history(&[(100.0, 20), (110.0, 12), (90.0, 8)]));
        let at: Vec<usize> = found.iter().map(|c| c.at).collect();
        assert_eq!(at, [20, 32], "{found:?}");
        let near = |value: f64, level: f64| (value / level - 1.0).abs() < 0.01;
        assert!(near(found[0].before, 100.0) && near(found[0].after, 110.0), "{found:?}");
        assert!(near(found[1].before, 110.0) && near(found[1].after, 90.0), "{found:?}");
        assert!(found.iter().all(|c| c.chance <= FALSE_ALARMS), "{found:?}");
    }

    #[test]
    fn what_has_no_two_levels_has_no_change_point() {
        assert_eq!(change_points(&[]), []);
        assert_eq!(change_points(&[7.0; 40]), []);
        assert_eq!(change_points(&history(&[(100.0, 3), (200.0, 2)])), []);
        assert_eq!(change_points(&[1.0, 0.0, 1.0, 5.0, 5.0, 5.0, 5.0]), []);
        let mut one_odd_run = history(&[(100.0, 30)]);
        one_odd_run[17] = 300.0;
        assert_eq!(change_points(&one_odd_run), []);
    }

    #[test]
    fn a_step_without_scatter_is_found_where_it_is() {
        let values = [[50.0; 9], [51.0; 9]].concat();
        let found = change_points(&values);
        assert_eq!(found.iter().map(|c| c.at).collect::<Vec<_>>(), [9], "{found:?}");
    }
}
