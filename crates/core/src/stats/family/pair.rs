//! Two subjects that alternated, at one point: their difference and its scatter, by repeat.

use super::FEWEST;
use super::place::{LogObservation, Logged, PlaceEffects};
use crate::stats::moments::{mean, variance};

/// Two subjects' difference on logarithms at one point.
#[derive(Clone, Debug)]
pub struct PairCell {
    pub sheet: usize,
    pub point: usize,
    pub a: usize,
    pub b: usize,
    pub comparable: bool,
    pub repeats: usize,
    /// a − b.
    pub estimate: f64,
    /// Levels of a and b, at the mean effect of their places.
    pub levels: (f64, f64),
    /// Residuals by block, with repeats, places and the estimate removed.
    pub residuals: Vec<(u32, f64)>,
    /// Variance of one observation, with repeats and places removed, and its degrees of freedom.
    pub variance: f64,
    pub own_degrees: f64,
    /// The variance of the estimate divided by that of one observation.
    pub scale: f64,
    /// The coefficients of the place effects in the estimate.
    pub contrast: Vec<f64>,
    /// The variance moderated by those of the other points, and its degrees of freedom.
    pub moderated: f64,
    pub degrees: f64,
}

/// A sheet's cells with three or more repeats in which both subjects alternated.
pub fn cells(
    sheet: usize,
    logged: &Logged,
    places: &PlaceEffects,
    comparable: &[Vec<(usize, usize)>],
) -> Vec<PairCell> {
    let mut found = Vec::new();
    for (point, entries) in logged.points.iter().enumerate() {
        let mut subjects: Vec<usize> = entries.iter().map(|e| e.subject).collect();
        subjects.sort_unstable();
        subjects.dedup();
        let used = places.leverage[point] / subjects.len().saturating_sub(1).max(1) as f64;
        for (i, &a) in subjects.iter().enumerate() {
            for &b in &subjects[i + 1..] {
                let Some(difference) = difference(entries, (a, b), places, used) else { continue };
                let comparable = comparable.get(point).is_some_and(|c| c.contains(&(a, b)));
                found.push(PairCell { sheet, point, a, b, comparable, ..difference });
            }
        }
    }
    found
}

/// The observations of two subjects that share a block.
pub fn in_turn(
    entries: &[LogObservation],
    (a, b): (usize, usize),
) -> Vec<(&LogObservation, &LogObservation)> {
    let of = |subject: usize| entries.iter().filter(move |e| e.subject == subject);
    of(a).filter_map(|x| Some((x, of(b).find(|y| y.block == x.block)?))).collect()
}

/// The difference of two subjects. `used`: degrees of freedom used by the place effects.
fn difference(
    entries: &[LogObservation],
    pair: (usize, usize),
    places: &PlaceEffects,
    used: f64,
) -> Option<PairCell> {
    let pairs = in_turn(entries, pair);
    if pairs.len() < FEWEST {
        return None;
    }
    let adjusted = |e: &LogObservation| e.log - places.effects[e.place];
    let each: Vec<f64> = pairs.iter().map(|(x, y)| adjusted(x) - adjusted(y)).collect();
    let (n, estimate) = (each.len() as f64, mean(&each));
    let degrees = (n - 1.0 - used).max(1.0);
    let (ours, theirs): (Vec<&LogObservation>, Vec<&LogObservation>) =
        pairs.iter().copied().unzip();
    let level =
        |own: &[&LogObservation]| mean(&own.iter().map(|e| adjusted(e)).collect::<Vec<f64>>());
    let effect = |own: &[&LogObservation]| {
        mean(&own.iter().map(|e| places.effects[e.place]).collect::<Vec<f64>>())
    };
    let usual = (effect(&ours) + effect(&theirs)) / 2.0;
    let levels = (level(&ours) + usual, level(&theirs) + usual);
    let residuals = ours.iter().zip(&each).map(|(x, d)| (x.block, d - estimate)).collect();
    Some(PairCell {
        repeats: each.len(),
        estimate,
        levels,
        residuals,
        variance: variance(&each) * (n - 1.0) / (2.0 * degrees),
        own_degrees: degrees,
        scale: 2.0 / n,
        contrast: contrast(&ours, &theirs, places),
        ..EMPTY
    })
}

const EMPTY: PairCell = PairCell {
    sheet: 0,
    point: 0,
    a: 0,
    b: 0,
    comparable: false,
    repeats: 0,
    estimate: 0.0,
    levels: (0.0, 0.0),
    residuals: Vec::new(),
    variance: 0.0,
    own_degrees: 1.0,
    scale: 1.0,
    contrast: Vec::new(),
    moderated: 0.0,
    degrees: 1.0,
};

/// The difference in how often each of the two was in each place.
fn contrast(a: &[&LogObservation], b: &[&LogObservation], places: &PlaceEffects) -> Vec<f64> {
    let share = |all: &[&LogObservation], place| {
        all.iter().filter(|e| e.place == place).count() as f64 / all.len() as f64
    };
    (0..places.effects.len()).map(|k| share(a, k) - share(b, k)).collect()
}
