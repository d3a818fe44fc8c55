//! The smallest difference that a plan can show on a host: half the width of the intervals in its
//! brief.

use super::family::{FEWEST, MEANS, POINTS, by_chance, consecutive, expected};
use super::moments::t_reach;

/// Half widths on logarithms, approximately relative differences: 0.018 is 1.8 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detectable {
    /// At one point.
    pub point: f64,
    /// In the mean over a step's points; `None` if it has only one.
    pub mean: Option<f64>,
}

/// A planned brief: all steps are equal, and all pairs are compared at all points.
#[derive(Clone, Copy, Debug)]
pub struct PlannedBrief {
    /// Repeats of each point.
    pub repeats: usize,
    /// Points per step.
    pub points: usize,
    /// Pairs of subjects.
    pub pairs: usize,
    /// Steps.
    pub steps: usize,
    /// Compared figures: ops/s and p99 are two.
    pub measures: usize,
}

/// The half widths for a run-to-run `scatter` (the standard deviation of logarithms), the same at
/// all points. A difference of exactly that size is claimed in half of the briefs, a difference 1.5
/// times as large in nearly all. `None` with fewer than three repeats, because they give no
/// interval.
pub fn detectable(scatter: f64, planned: PlannedBrief) -> Option<Detectable> {
    let PlannedBrief { repeats, points, pairs, steps, measures } = planned;
    if repeats < FEWEST || points * pairs * steps * measures == 0 {
        return None;
    }
    let (r, p) = (repeats as f64, points as f64);
    let means = pairs * steps * measures;
    let miss = |share: f64, of: usize| share / of as f64;
    let of_points = miss(if points > 1 { POINTS } else { POINTS + MEANS }, means * points);
    let degrees = r - 1.0 - 1.0 / p;
    let weight =
        expected(degrees, means * points, steps * measures, POINTS / (means * points) as f64);
    let both = weight + degrees;
    let all = degrees * p;
    let moderated = 1.0 / (1.0 / both + (weight / both).powi(2) / all);
    // An odd number of repeats can only be balanced over all points, not at one.
    let place = if repeats.is_multiple_of(2) { 0.0 } else { 1.0 / (p * (r * r - 1.0)) };
    let kept = consecutive(repeats, points * steps);
    let error = scatter * (2.0 / r * (kept + place)).sqrt();
    // Satterthwaite's degrees of freedom for this many variances that differ only by chance: the
    // expected value of (Σ s²)² over that of Σ s⁴ ÷ degrees. A single variance keeps its own.
    let alike = (all + 2.0) / (1.0 + 2.0 / degrees);
    let subjects = ((1.0 + 8.0 * pairs as f64).sqrt() + 1.0) / 2.0;
    let lasting = by_chance((r - 1.0) * (subjects - 1.0) * steps as f64);
    let (_, variance, of_mean) = lasting.applied(0.0, scatter * scatter * 2.0 / r / p, alike);
    let mean = t_reach(of_mean, miss(MEANS, means)) * variance.sqrt();
    Some(Detectable {
        point: t_reach(moderated, of_points) * error,
        mean: (points > 1).then_some(mean),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_repeats_show_less_and_more_comparisons_ask_for_more() {
        let planned = PlannedBrief { repeats: 5, points: 10, pairs: 1, steps: 1, measures: 2 };
        let of = |planned| detectable(0.01, planned).expect("enough repeats");
        let five = of(planned);
        assert!((0.015..0.03).contains(&five.point), "{five:?}");
        assert!(five.mean.is_some_and(|m| m < five.point / 2.0), "{five:?}");
        assert!(of(PlannedBrief { repeats: 10, ..planned }).point < five.point);
        assert!(of(PlannedBrief { repeats: 3, ..planned }).point > five.point);
        assert!(of(PlannedBrief { steps: 10, ..planned }).point > five.point);
        assert_eq!(of(PlannedBrief { points: 1, ..planned }).mean, None);
        // In the median of 1,500 simulated briefs 5.98 and 1.88 % without dependence.
        let of_two = |repeats| of(PlannedBrief { repeats, points: 2, ..planned }).mean;
        assert!(of_two(3).is_some_and(|m| (0.06..0.085).contains(&m)), "{:?}", of_two(3));
        assert!(of_two(5).is_some_and(|m| (0.0185..0.0235).contains(&m)), "{:?}", of_two(5));
        assert_eq!(detectable(0.01, PlannedBrief { repeats: 2, ..planned }), None);
    }
}
