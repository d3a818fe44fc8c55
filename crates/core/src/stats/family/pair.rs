//! Two subjects at one point: their difference and its scatter, paired by repeat or unpaired.

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
    pub paired: bool,
    pub repeats: usize,
    /// a − b.
    pub estimate: f64,
    /// For one observation, with repeats and places removed, and its degrees of freedom.
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

/// A sheet's cells with three repeats or more.
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
                let own = |s: usize| entries.iter().filter(|e| e.subject == s).collect::<Vec<_>>();
                let Some(difference) = difference(&own(a), &own(b), places, used) else { continue };
                let comparable = comparable.get(point).is_some_and(|c| c.contains(&(a, b)));
                found.push(PairCell { sheet, point, a, b, comparable, ..difference });
            }
        }
    }
    found
}

/// Paired for observations that share a block, otherwise unpaired. `used`: degrees of freedom used
/// by the place effects.
fn difference(
    a: &[&LogObservation],
    b: &[&LogObservation],
    places: &PlaceEffects,
    used: f64,
) -> Option<PairCell> {
    let same = |x: &LogObservation| b.iter().find(|y| y.block == x.block).copied();
    let pairs: Vec<(&LogObservation, &LogObservation)> =
        a.iter().filter_map(|x| Some((*x, same(x)?))).collect();
    let adjusted = |e: &LogObservation| e.log - places.effects[e.place];
    if pairs.len() >= FEWEST {
        let each: Vec<f64> = pairs.iter().map(|(x, y)| adjusted(x) - adjusted(y)).collect();
        let n = each.len() as f64;
        let degrees = (n - 1.0 - used).max(1.0);
        let (ours, theirs): (Vec<&LogObservation>, Vec<&LogObservation>) =
            pairs.iter().copied().unzip();
        return Some(PairCell {
            paired: true,
            repeats: each.len(),
            estimate: mean(&each),
            variance: variance(&each) * (n - 1.0) / (2.0 * degrees),
            own_degrees: degrees,
            scale: 2.0 / n,
            contrast: contrast(&ours, &theirs, places),
            ..EMPTY
        });
    }
    if !pairs.is_empty() || a.len().min(b.len()) < FEWEST {
        return None;
    }
    let logs = |all: &[&LogObservation]| all.iter().map(|e| adjusted(e)).collect::<Vec<f64>>();
    let (of_a, of_b) = (logs(a), logs(b));
    let (na, nb) = (a.len() as f64, b.len() as f64);
    let (part_a, part_b) = (variance(&of_a) / na, variance(&of_b) / nb);
    let squares = part_a * part_a / (na - 1.0) + part_b * part_b / (nb - 1.0);
    let scale = 1.0 / na + 1.0 / nb;
    Some(PairCell {
        paired: false,
        repeats: a.len().min(b.len()),
        estimate: mean(&of_a) - mean(&of_b),
        variance: (part_a + part_b) / scale,
        own_degrees: if squares > 0.0 {
            (part_a + part_b).powi(2) / squares
        } else {
            na.min(nb) - 1.0
        },
        scale,
        contrast: contrast(a, b, places),
        ..EMPTY
    })
}

const EMPTY: PairCell = PairCell {
    sheet: 0,
    point: 0,
    a: 0,
    b: 0,
    comparable: false,
    paired: false,
    repeats: 0,
    estimate: 0.0,
    variance: 0.0,
    own_degrees: 1.0,
    scale: 1.0,
    contrast: Vec::new(),
    moderated: 0.0,
    degrees: 1.0,
};

/// The difference in how often the two were in each place.
fn contrast(a: &[&LogObservation], b: &[&LogObservation], places: &PlaceEffects) -> Vec<f64> {
    let share = |all: &[&LogObservation], place| {
        all.iter().filter(|e| e.place == place).count() as f64 / all.len() as f64
    };
    (0..places.effects.len()).map(|k| share(a, k) - share(b, k)).collect()
}
