//! All comparisons of a brief as one family: the probability that any interval misses the true
//! value is at most 5 %, over all steps, figures, pairs of subjects and points together.
//!
//! Everything is computed on logarithms, so a ratio's interval does not depend on the order of
//! subjects. docs/claims.md has the model, its sources, and results of simulation.

mod dependence;
mod moderate;
mod pair;
mod place;
mod sessions;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use dependence::{Dependence, dependence};
pub(super) use dependence::{by_chance, consecutive};
pub(super) use moderate::expected;
use moderate::moderate;
use pair::{PairCell, cells};
use place::{Logged, PlaceEffects};
use sessions::SessionCell;

use super::moments::{natural, natural_interval, t_reach};

/// The error probability shared by the intervals of single points, and that of step means. Without
/// means the points have all of it. Trends and rises, if there are any, have their part of that of
/// the means: a rise that is stated is large, and many of them would widen every mean.
pub(super) const POINTS: f64 = 0.04;
pub(super) const MEANS: f64 = 0.01;
const TRENDS: f64 = 0.002;
const RISES: f64 = 0.001;

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
    /// other, have different blocks.
    pub block: u32,
    /// Its place in its block's order, from 0.
    pub place: u32,
    /// The session in which it was measured: a period without a pause or another subject. Subjects
    /// that alternate share it. Numbers ascend with time. It is used only for pairs that share no
    /// block.
    pub session: u32,
}

/// One figure (ops/s, p99 …) of one step.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// Observations by point, then by subject; empty if not measured or not comparable.
    pub cells: Vec<Vec<Vec<Observation>>>,
    /// For each point, the pairs (a, b), a < b, that may be compared. The other pairs contribute
    /// only their scatter.
    pub comparable: Vec<Vec<(usize, usize)>>,
    /// The relative resolution of the measurement: a histogram's bucket, an import's printed
    /// digits.
    pub resolution: f64,
    /// The number of the step: its sheets share their repeats.
    pub step: usize,
    /// The number of points that a subject measures from one repeat of a point to the next,
    /// including that point; 0 counts as 1.
    pub lag: usize,
    /// The places of its points on an axis, on the scale on which a trend is a straight line; empty
    /// without one.
    pub axis: Vec<f64>,
    /// It compares the points of an axis with the ones before, subject by subject: its points are
    /// subjects, and its subjects points.
    pub is_ladder: bool,
}

/// Fewer points show no trend.
const FEWEST_OF_TREND: usize = 3;

/// The ratio a ÷ b at a point, or over all points of the step; or its growth along the axis.
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
    /// The simultaneous interval; `None` if the two were measured in separate sessions and there is
    /// no estimate of the scatter between sessions, or one after the other and nothing returned.
    pub interval: Option<(f64, f64)>,
    /// The geometric means of a and b at a point, over the compared repeats and adjusted for their
    /// places: their ratio is `ratio`. `None` for a mean over points.
    pub levels: Option<(f64, f64)>,
    /// Number of repeats: for a step's mean, of the point with the fewest; for unpaired subjects,
    /// of the one with fewer.
    pub repeats: usize,
    /// Degrees of freedom of the interval; 0 without one.
    pub degrees: f64,
    /// It is the factor by which the ratio a ÷ b grows from the first to the last point of the
    /// axis, by a straight line through its logarithms.
    pub is_trend: bool,
    /// The numbers of sessions of a and b, if they did not alternate.
    pub sessions: Option<(usize, usize)>,
}

impl Ratio {
    /// Whether a is greater or less than b, if the interval excludes 1.
    pub fn claims(&self) -> Option<Ordering> {
        match self.interval? {
            (low, _) if low > 1.0 => Some(Ordering::Greater),
            (_, high) if high < 1.0 => Some(Ordering::Less),
            _ => None,
        }
    }

    /// The same comparison from the other subject's perspective.
    pub fn inverted(&self) -> Ratio {
        let interval = self.interval.map(|(low, high)| (1.0 / high, 1.0 / low));
        let levels = self.levels.map(|(a, b)| (b, a));
        let sessions = self.sessions.map(|(a, b)| (b, a));
        Ratio {
            a: self.b,
            b: self.a,
            ratio: 1.0 / self.ratio,
            interval,
            levels,
            sessions,
            ..self.clone()
        }
    }
}

/// Every comparison of a brief with at least three repeats, by sheet, then pair, points in order,
/// then the step's mean and its trend.
pub fn family(sheets: &[Sheet]) -> Vec<Ratio> {
    let logged: Vec<Logged> = sheets.iter().map(Logged::of).collect();
    let places: Vec<PlaceEffects> =
        logged.iter().map(|l| l.fit(&vec![1.0; l.points.len()])).collect();
    let first = all_cells(&logged, &places, sheets, (0, false));
    let places: Vec<PlaceEffects> = logged
        .iter()
        .enumerate()
        .map(|(i, l)| l.fit(&weights(&first, i, l.points.len())))
        .collect();
    let of = |i: usize| sessions::cells(i, &logged[i], &places[i], &sheets[i].comparable);
    // The points of a ladder are those of one subject, whenever they were measured.
    let of_subjects = (0..sheets.len()).filter(|i| !sheets[*i].is_ladder);
    let apart: Vec<SessionCell> = of_subjects.flat_map(of).collect();
    let searched = apart.iter().filter(|c| c.point.is_some() && c.variance.is_some()).count();
    let cells = all_cells(&logged, &places, sheets, (searched, false));
    let rises = all_cells(&logged, &places, sheets, (0, true));
    ratios((&cells, &rises), &apart, &places, sheets)
}

/// The cells of each sheet, or of each ladder, with place effects removed and variances moderated;
/// `others` are compared in addition.
fn all_cells(
    logged: &[Logged],
    places: &[PlaceEffects],
    sheets: &[Sheet],
    (others, ladders): (usize, bool),
) -> Vec<PairCell> {
    let of = |i: usize| cells(i, &logged[i], &places[i], &sheets[i].comparable);
    let own = (0..sheets.len()).filter(|i| sheets[*i].is_ladder == ladders);
    let mut all: Vec<PairCell> = own.flat_map(of).collect();
    let searched = others + all.iter().filter(|c| c.comparable).count();
    let resolutions: Vec<f64> = sheets.iter().map(|s| s.resolution.max(0.0)).collect();
    let share = if ladders { RISES } else { POINTS };
    moderate(&mut all, &resolutions, share / searched.max(1) as f64);
    all
}

/// The weight of each point of a sheet in the estimation of place effects: 1 ÷ its variance.
fn weights(cells: &[PairCell], sheet: usize, points: usize) -> Vec<f64> {
    let mean_of = |of: &dyn Fn(&PairCell) -> bool| {
        let own: Vec<f64> =
            cells.iter().filter(|c| c.sheet == sheet && of(c)).map(|c| c.moderated).collect();
        (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64)
    };
    let typical = mean_of(&|_| true).unwrap_or(1.0);
    let variance = |p: usize| mean_of(&|c| c.point == p).unwrap_or(typical);
    (0..points).map(|p| 1.0 / (variance(p) + ARITHMETIC * ARITHMETIC)).collect()
}

/// The comparisons of all comparable cells, of alternating and of other subjects, and of the
/// points of ladders.
fn ratios(
    (cells, rises): (&[PairCell], &[PairCell]),
    apart: &[SessionCell],
    places: &[PlaceEffects],
    sheets: &[Sheet],
) -> Vec<Ratio> {
    let mut pairs: BTreeMap<(usize, usize, usize), Vec<&PairCell>> = BTreeMap::new();
    for cell in cells.iter().filter(|c| c.comparable) {
        pairs.entry((cell.sheet, cell.a, cell.b)).or_default().push(cell);
    }
    let judged = |of_mean: bool| {
        let own = apart.iter().filter(|c| c.variance.is_some());
        own.filter(|c| c.point.is_none() == of_mean).count()
    };
    let searched = pairs.values().map(Vec::len).sum::<usize>() + judged(false);
    let means = pairs.values().filter(|of| of.len() > 1).count() + judged(true);
    let has_trend =
        |of: &[&PairCell]| of.len() >= FEWEST_OF_TREND && !sheets[of[0].sheet].axis.is_empty();
    let trends = pairs.values().filter(|of| has_trend(of)).count();
    let rises: Vec<&PairCell> = rises.iter().filter(|c| c.comparable).collect();
    let share = |own: f64, count: usize| if count == 0 { 0.0 } else { own };
    let left = MEANS - share(TRENDS, trends) - share(RISES, rises.len());
    let points = if means + rises.len() == 0 { POINTS + MEANS } else { POINTS };
    let mut of_points = Reach::new(points / searched.max(1) as f64);
    let mut of_means = Reach::new(left / means.max(1) as f64);
    let mut of_trends = Reach::new(TRENDS / trends.max(1) as f64);
    let mut of_rises = Reach::new(RISES / rises.len().max(1) as f64);
    let lasting = dependence(pairs.values(), sheets);
    let mut found = Vec::new();
    for ((sheet, ..), own) in &pairs {
        let (places, sheet) = (&places[*sheet], &sheets[*sheet]);
        let floor = sheet.resolution.max(ARITHMETIC);
        for cell in own {
            let kept = consecutive(cell.repeats, sheet.lag);
            let variance = kept * cell.scale * cell.moderated + places.variance(&cell.contrast);
            let half = of_points.standard_errors(cell.degrees) * variance.sqrt() + floor;
            let mean = Interval { log: cell.estimate, half, degrees: cell.degrees };
            found.push(mean.of(cell, Some(cell.point), cell.repeats));
        }
        if own.len() > 1 {
            let (log, variance, degrees) = step_mean(own, places, &lasting);
            let half = of_means.standard_errors(degrees) * variance.sqrt() + floor;
            let fewest = own.iter().map(|c| c.repeats).min().unwrap_or(0);
            found.push(Interval { log, half, degrees }.of(own[0], None, fewest));
            if has_trend(own) {
                let weights = of_trend(own, &sheet.axis);
                let (log, variance, degrees) = weighted(own, &weights, places, &lasting);
                // Each point's resolution counts with its weight.
                let floor = floor * weights.iter().map(|w| w.abs()).sum::<f64>();
                let half = of_trends.standard_errors(degrees) * variance.sqrt() + floor;
                let grown = Interval { log, half, degrees }.of(own[0], None, fewest);
                found.push(Ratio { is_trend: true, ..grown });
            }
        }
    }
    for cell in rises {
        let sheet = &sheets[cell.sheet];
        let variance = consecutive(cell.repeats, sheet.lag) * cell.scale * cell.moderated;
        let floor = sheet.resolution.max(ARITHMETIC);
        let half = of_rises.standard_errors(cell.degrees) * variance.sqrt() + floor;
        let risen = Interval { log: cell.estimate, half, degrees: cell.degrees };
        found.push(risen.of(cell, Some(cell.point), cell.repeats));
    }
    for cell in apart {
        let reach = if cell.point.is_none() { &mut of_means } else { &mut of_points };
        let floor = sheets[cell.sheet].resolution.max(ARITHMETIC);
        let half = |(variance, degrees): (f64, f64)| {
            (reach.standard_errors(degrees) * variance.sqrt() + floor, degrees)
        };
        let (half, degrees) = cell.variance.map(half).unzip();
        found.push(Ratio {
            sheet: cell.sheet,
            a: cell.a,
            b: cell.b,
            at: cell.point,
            ratio: natural(cell.estimate),
            interval: half.map(|half| natural_interval(cell.estimate, half)),
            levels: cell.levels.map(|(a, b)| (natural(a), natural(b))),
            repeats: cell.repeats,
            degrees: degrees.unwrap_or(0.0),
            is_trend: false,
            sessions: Some(cell.sessions),
        });
    }
    found.sort_by_key(|r| (r.sheet, r.a, r.b, r.is_trend, r.at.is_none(), r.at));
    found
}

/// An interval on logarithms: its middle, half its width and its degrees of freedom.
struct Interval {
    log: f64,
    half: f64,
    degrees: f64,
}

impl Interval {
    fn of(self, pair: &PairCell, at: Option<usize>, repeats: usize) -> Ratio {
        let Interval { log, half, degrees } = self;
        Ratio {
            sheet: pair.sheet,
            a: pair.a,
            b: pair.b,
            at,
            ratio: natural(log),
            interval: Some(natural_interval(log, half)),
            levels: at.map(|_| (natural(pair.levels.0), natural(pair.levels.1))),
            repeats,
            degrees,
            is_trend: false,
            sessions: None,
        }
    }
}

/// A pair's mean over its points, its variance and that variance's degrees of freedom
/// (Satterthwaite, 1946). Each point's own scatter is used, because over many points it needs no
/// moderation; dependence between points is included.
fn step_mean(cells: &[&PairCell], places: &PlaceEffects, lasting: &Dependence) -> (f64, f64, f64) {
    let weights = vec![1.0 / cells.len() as f64; cells.len()];
    weighted(cells, &weights, places, lasting)
}

/// The weights of a pair's points in the growth of its logarithm along the axis, by least squares,
/// from the first of them to the last. The dependence of a mean applies to it, which is more than
/// that of a contrast.
fn of_trend(cells: &[&PairCell], axis: &[f64]) -> Vec<f64> {
    let at: Vec<f64> = cells.iter().map(|c| axis[c.point]).collect();
    let middle = at.iter().sum::<f64>() / at.len() as f64;
    let squares: f64 = at.iter().map(|x| (x - middle) * (x - middle)).sum();
    let low = at.iter().copied().fold(f64::INFINITY, f64::min);
    let high = at.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |x: &f64| (high - low) * (x - middle) / squares.max(f64::MIN_POSITIVE);
    at.iter().map(weight).collect()
}

/// A weighted sum of a pair's points, its variance and that variance's degrees of freedom.
fn weighted(
    cells: &[&PairCell],
    weights: &[f64],
    places: &PlaceEffects,
    lasting: &Dependence,
) -> (f64, f64, f64) {
    let all = || cells.iter().zip(weights);
    let mean = all().map(|(c, w)| w * c.estimate).sum::<f64>();
    let parts: Vec<f64> = all().map(|(c, w)| w * w * c.scale * c.variance).collect();
    let own: f64 = parts.iter().sum();
    let squares: f64 = parts.iter().zip(cells).map(|(v, c)| v * v / c.own_degrees).sum();
    let all_degrees: f64 = cells.iter().map(|c| c.own_degrees).sum();
    let degrees = if squares > 0.0 { (own * own / squares).min(all_degrees) } else { all_degrees };
    let contrast: Vec<f64> = (0..places.effects.len())
        .map(|k| all().map(|(c, w)| w * c.contrast[k]).sum::<f64>())
        .collect();
    lasting.applied(mean, own + places.variance(&contrast), degrees)
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
