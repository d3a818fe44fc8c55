//! All comparisons of a brief as one family: the probability that any interval misses the true
//! value is at most 5 %, over all steps, figures, pairs of subjects and points together.
//!
//! Everything is computed on logarithms, so a ratio's interval does not depend on the order of
//! subjects. docs/claims.md has the model, its sources, and results of simulation.

mod moderate;
mod pair;
mod place;

use std::cmp::Ordering;
use std::collections::BTreeMap;

pub(super) use moderate::expected;
use moderate::moderate;
use pair::{PairCell, cells};
use place::{Logged, PlaceEffects};

use super::moments::t_reach;

/// The error probability shared by the intervals of single points, and that of step means. Without
/// step means the points have all of it.
pub(super) const POINTS: f64 = 0.04;
pub(super) const MEANS: f64 = 0.01;

/// The rounding error of logarithms.
const ARITHMETIC: f64 = 1e-9;

/// Fewer repeats than this give no interval.
pub const FEWEST: usize = 3;

/// One repeat's figure of one subject at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Positive; a point with any other value has no ratios.
    pub value: f64,
    /// The repeat in which it was measured, alternating with the other subjects: pairs share it.
    /// Unique within its sheet: repeats of different runs, or of subjects measured one after the
    /// other, have different blocks and are compared unpaired.
    pub block: u32,
    /// Its place in its block's order, from 0.
    pub place: u32,
}

/// One figure (ops/s, p99 …) of one step.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// By point, then by subject: the observations; empty if not measured or not comparable.
    pub cells: Vec<Vec<Vec<Observation>>>,
    /// For each point the pairs (a, b), a < b, that may be compared. The others contribute their
    /// scatter.
    pub comparable: Vec<Vec<(usize, usize)>>,
    /// The relative resolution of the measurement: a histogram's bucket, an import's printed
    /// digits.
    pub resolution: f64,
}

/// The ratio a ÷ b at a point, or over all points of the step, with its simultaneous interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// Index of the sheet in the family.
    pub sheet: usize,
    /// Index of the first subject.
    pub a: usize,
    /// Index of the second subject.
    pub b: usize,
    /// The point; `None` for the geometric mean over the step's points.
    pub at: Option<usize>,
    /// The ratio of geometric means.
    pub ratio: f64,
    /// Lower end of the simultaneous interval.
    pub low: f64,
    /// Upper end of the simultaneous interval.
    pub high: f64,
    /// Number of repeats: for a step's mean, of the point with the fewest; for unpaired subjects,
    /// of the one with fewer.
    pub repeats: usize,
    /// Degrees of freedom of the interval.
    pub degrees: f64,
}

impl Ratio {
    /// Whether a is greater or less than b, if the interval excludes 1.
    pub fn claims(&self) -> Option<Ordering> {
        match (self.low > 1.0, self.high < 1.0) {
            (true, _) => Some(Ordering::Greater),
            (_, true) => Some(Ordering::Less),
            _ => None,
        }
    }

    /// The same comparison from the other subject's perspective.
    pub fn inverted(&self) -> Ratio {
        let (ratio, low, high) = (1.0 / self.ratio, 1.0 / self.high, 1.0 / self.low);
        Ratio { a: self.b, b: self.a, ratio, low, high, ..self.clone() }
    }
}

/// Every comparison of a brief with at least three repeats, by sheet, then pair, points in order
/// and the step's mean last.
pub fn family(sheets: &[Sheet]) -> Vec<Ratio> {
    within(sheets, Misses { points: POINTS, means: MEANS })
}

/// The same for a one-sided question: the probability that any true value is above its interval is
/// at most 5 %, and likewise below.
pub fn one_sided(sheets: &[Sheet]) -> Vec<Ratio> {
    within(sheets, Misses { points: 2.0 * POINTS, means: 2.0 * MEANS })
}

/// The one-sided error probabilities shared by points, and by step means.
#[derive(Clone, Copy)]
struct Misses {
    points: f64,
    means: f64,
}

fn within(sheets: &[Sheet], misses: Misses) -> Vec<Ratio> {
    let logged: Vec<Logged> = sheets.iter().map(Logged::of).collect();
    let places: Vec<PlaceEffects> =
        logged.iter().map(|l| l.fit(&vec![1.0; l.points.len()])).collect();
    let first = all_cells(&logged, &places, sheets, misses);
    let places: Vec<PlaceEffects> = logged
        .iter()
        .enumerate()
        .map(|(i, l)| l.fit(&weights(&first, i, l.points.len())))
        .collect();
    let cells = all_cells(&logged, &places, sheets, misses);
    ratios(&cells, &places, sheets, misses)
}

/// Each sheet's cells with place effects removed and variances moderated.
fn all_cells(
    logged: &[Logged],
    places: &[PlaceEffects],
    sheets: &[Sheet],
    misses: Misses,
) -> Vec<PairCell> {
    let of = |i: usize| cells(i, &logged[i], &places[i], &sheets[i].comparable);
    let mut all: Vec<PairCell> = (0..sheets.len()).flat_map(of).collect();
    let searched = all.iter().filter(|c| c.comparable).count();
    let resolutions: Vec<f64> = sheets.iter().map(|s| s.resolution.max(0.0)).collect();
    moderate(&mut all, &resolutions, misses.points / searched.max(1) as f64);
    all
}

/// The weight of each point of a sheet in the estimation of place effects: 1 ÷ its variance.
fn weights(cells: &[PairCell], sheet: usize, points: usize) -> Vec<f64> {
    let mean_of = |of: &dyn Fn(&PairCell) -> bool| {
        let own: Vec<f64> = cells
            .iter()
            .filter(|c| c.sheet == sheet && c.paired && of(c))
            .map(|c| c.moderated)
            .collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    };
    let typical = mean_of(&|_| true).unwrap_or(1.0);
    let variance = |p: usize| mean_of(&|c| c.point == p).unwrap_or(typical);
    (0..points).map(|p| 1.0 / (variance(p) + ARITHMETIC * ARITHMETIC)).collect()
}

/// The intervals of all comparable cells.
fn ratios(
    cells: &[PairCell],
    places: &[PlaceEffects],
    sheets: &[Sheet],
    misses: Misses,
) -> Vec<Ratio> {
    let mut pairs: BTreeMap<(usize, usize, usize), Vec<&PairCell>> = BTreeMap::new();
    for cell in cells.iter().filter(|c| c.comparable) {
        pairs.entry((cell.sheet, cell.a, cell.b)).or_default().push(cell);
    }
    let searched: usize = pairs.values().map(Vec::len).sum();
    let means = pairs.values().filter(|of| of.len() > 1).count();
    let points = if means == 0 { misses.points + misses.means } else { misses.points };
    let mut of_points = Reach::new(points / searched.max(1) as f64);
    let mut of_means = Reach::new(misses.means / means.max(1) as f64);
    let mut found = Vec::new();
    for ((sheet, ..), own) in &pairs {
        let (places, floor) = (&places[*sheet], sheets[*sheet].resolution.max(ARITHMETIC));
        for cell in own {
            let error = (cell.scale * cell.moderated + places.variance(&cell.contrast)).sqrt();
            let half = of_points.standard_errors(cell.degrees) * error + floor;
            let at = Some(cell.point);
            found.push(ratio(cell, at, (cell.estimate, half), cell.repeats, cell.degrees));
        }
        if own.len() > 1 {
            let (mean, variance, degrees) = step_mean(own, places);
            let half = of_means.standard_errors(degrees) * variance.sqrt() + floor;
            let fewest = own.iter().map(|c| c.repeats).min().unwrap_or(0);
            found.push(ratio(own[0], None, (mean, half), fewest, degrees));
        }
    }
    found
}

/// From an interval on logarithms: its middle, and half its width.
fn ratio(
    of: &PairCell,
    at: Option<usize>,
    (log, half): (f64, f64),
    repeats: usize,
    degrees: f64,
) -> Ratio {
    let natural = |log: f64| log.exp().clamp(f64::MIN_POSITIVE, f64::MAX);
    let (low, high) = (natural(log - half), natural(log + half));
    Ratio {
        sheet: of.sheet,
        a: of.a,
        b: of.b,
        at,
        ratio: natural(log),
        low,
        high,
        repeats,
        degrees,
    }
}

/// A pair's mean over its points, its variance and that variance's degrees of freedom
/// (Satterthwaite, 1946). Each point's own scatter is used, because over many points it needs no
/// moderation.
fn step_mean(cells: &[&PairCell], places: &PlaceEffects) -> (f64, f64, f64) {
    let n = cells.len() as f64;
    let mean = cells.iter().map(|c| c.estimate).sum::<f64>() / n;
    let parts: Vec<f64> = cells.iter().map(|c| c.scale * c.variance / (n * n)).collect();
    let own: f64 = parts.iter().sum();
    let squares: f64 = parts.iter().zip(cells).map(|(v, c)| v * v / c.own_degrees).sum();
    let all_degrees: f64 = cells.iter().map(|c| c.own_degrees).sum();
    let degrees = if squares > 0.0 { (own * own / squares).min(all_degrees) } else { all_degrees };
    let contrast: Vec<f64> = (0..places.effects.len())
        .map(|k| cells.iter().map(|c| c.contrast[k]).sum::<f64>() / n)
        .collect();
    (mean, own + places.variance(&contrast), degrees)
}

/// Half the width of an interval in standard errors: Student's t. Degrees of freedom are rounded
/// down to a twentieth, so that a brief with thousands of cells needs few quantiles.
struct Reach {
    miss: f64,
    known: BTreeMap<u64, f64>,
}

impl Reach {
    fn new(miss: f64) -> Reach {
        Reach { miss, known: BTreeMap::new() }
    }

    fn standard_errors(&mut self, degrees: f64) -> f64 {
        let twentieths = (degrees.min(1e6) * 20.0) as u64;
        let miss = self.miss;
        *self.known.entry(twentieths).or_insert_with(|| t_reach(twentieths as f64 / 20.0, miss))
    }
}

#[cfg(test)]
mod tests;
