//! Comparison of two subjects that did not alternate. A session is an uninterrupted series of
//! measurements of one subject. Its effect (temperature, neighbours, layout, a reboot) is not
//! visible in the scatter of repeats within it, and is estimated from subjects that were measured
//! in several sessions.

use std::collections::BTreeMap;

use super::FEWEST;
use super::pair::in_turn;
use super::place::{LogObservation, Logged, PlaceEffects};
use crate::stats::moments::{mean, variance};

/// Two subjects' difference on logarithms at one point, or over all points of a step.
#[derive(Clone, Debug)]
pub struct SessionCell {
    pub sheet: usize,
    /// `None` for the mean over the step's points.
    pub point: Option<usize>,
    pub a: usize,
    pub b: usize,
    pub repeats: usize,
    /// a − b.
    pub estimate: f64,
    /// Levels of a and b; `None` for a mean.
    pub levels: Option<(f64, f64)>,
    /// Variance of the estimate with its degrees of freedom; `None` if no subject was measured in
    /// more than one session, or none both before and after.
    pub variance: Option<(f64, f64)>,
    /// The numbers of sessions of a and b.
    pub sessions: (usize, usize),
}

/// One subject at a point: the means of its sessions, and the variance of their mean from the
/// scatter within them.
#[derive(Clone, Debug)]
struct SubjectSessions {
    means: BTreeMap<u32, f64>,
    within: f64,
    repeats: usize,
}

impl SubjectSessions {
    fn of(entries: &[LogObservation], subject: usize, places: &PlaceEffects) -> SubjectSessions {
        let mut all: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for e in entries.iter().filter(|e| e.subject == subject) {
            all.entry(e.session).or_default().push(e.log - places.effects[e.place]);
        }
        let repeats: usize = all.values().map(Vec::len).sum();
        let squares = |logs: &Vec<f64>| variance(logs) * (logs.len() as f64 - 1.0);
        let of_one = all.values().filter(|l| l.len() > 1).map(squares).sum::<f64>()
            / repeats.saturating_sub(all.len()).max(1) as f64;
        let sessions = all.len() as f64;
        let within =
            all.values().map(|logs| of_one / logs.len() as f64).sum::<f64>() / sessions.powi(2);
        let means = all.into_iter().map(|(session, logs)| (session, mean(&logs))).collect();
        SubjectSessions { means, within, repeats }
    }

    fn level(&self) -> f64 {
        mean(&self.means.values().copied().collect::<Vec<f64>>())
    }
}

/// Whether time is no explanation of a difference: some subject was measured no later than one of
/// the two, and again no earlier than the other.
fn returned(all: &[SubjectSessions], a: usize, b: usize) -> bool {
    let span =
        |s: &SubjectSessions| Some((*s.means.first_key_value()?.0, *s.means.last_key_value()?.0));
    let (Some(of_a), Some(of_b)) = (span(&all[a]), span(&all[b])) else { return false };
    let (first, other) = if of_a.0 <= of_b.0 { (of_a, of_b) } else { (of_b, of_a) };
    all.iter().filter_map(span).any(|(from, to)| from <= first.1 && to >= other.0)
}

/// The variance between sessions of one subject, with its degrees of freedom.
fn returns<'s>(of: impl Iterator<Item = &'s BTreeMap<u32, f64>>) -> Option<(f64, f64)> {
    let (mut squares, mut degrees) = (0.0, 0.0);
    for means in of.filter(|means| means.len() > 1) {
        let own: Vec<f64> = means.values().copied().collect();
        squares += variance(&own) * (own.len() as f64 - 1.0);
        degrees += own.len() as f64 - 1.0;
    }
    (degrees > 0.0).then(|| (squares / degrees, degrees))
}

/// A sheet's comparable pairs that share no block, with at least three repeats each: their points,
/// and the means over these.
pub fn cells(
    sheet: usize,
    logged: &Logged,
    places: &PlaceEffects,
    comparable: &[Vec<(usize, usize)>],
) -> Vec<SessionCell> {
    let apart = |point: usize, pair: &(usize, usize)| {
        let entries = &logged.points[point];
        let count = |s: usize| entries.iter().filter(|e| e.subject == s).count();
        count(pair.0).min(count(pair.1)) >= FEWEST && in_turn(entries, *pair).is_empty()
    };
    let mut pairs: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (point, own) in comparable.iter().enumerate().take(logged.points.len()) {
        for pair in own.iter().filter(|pair| apart(point, pair)) {
            pairs.entry(*pair).or_default().push(point);
        }
    }
    if pairs.is_empty() {
        return Vec::new();
    }
    let subjects = logged.points.iter().flatten().map(|e| e.subject + 1).max().unwrap_or(0);
    let of_point = |entries: &Vec<LogObservation>| -> Vec<SubjectSessions> {
        (0..subjects).map(|s| SubjectSessions::of(entries, s, places)).collect()
    };
    let all: Vec<Vec<SubjectSessions>> = logged.points.iter().map(of_point).collect();
    let between: Vec<Option<(f64, f64)>> =
        all.iter().map(|own| returns(own.iter().map(|s| &s.means))).collect();
    let known: Vec<f64> = between.iter().flatten().map(|(v, _)| *v).collect();
    let typical = mean(&known);
    let mut found = Vec::new();
    for ((a, b), points) in pairs {
        for &point in &points {
            let (of_a, of_b) = (&all[point][a], &all[point][b]);
            let counts = of_a.means.len() as f64 * of_b.means.len() as f64
                / (of_a.means.len() + of_b.means.len()) as f64;
            // A point at which sessions agree by chance gets the scatter of the others.
            let between = between[point].filter(|_| returned(&all[point], a, b));
            let variance = between.map(|(own, degrees)| {
                ((own.max(typical) / counts).max(of_a.within + of_b.within), degrees)
            });
            found.push(SessionCell {
                sheet,
                point: Some(point),
                a,
                b,
                repeats: of_a.repeats.min(of_b.repeats),
                estimate: of_a.level() - of_b.level(),
                levels: Some((of_a.level(), of_b.level())),
                variance,
                sessions: (of_a.means.len(), of_b.means.len()),
            });
        }
        if points.len() > 1 {
            found.push(step_mean(sheet, (a, b), &points, &all));
        }
    }
    found
}

/// The mean over a pair's points. A session's effect is common to its points, so points are
/// averaged by session.
fn step_mean(
    sheet: usize,
    (a, b): (usize, usize),
    points: &[usize],
    all: &[Vec<SubjectSessions>],
) -> SessionCell {
    let n = points.len() as f64;
    let means = |subject: usize| -> BTreeMap<u32, f64> {
        let of = |session: &u32| {
            let each = points.iter().map(|p| all[*p][subject].means.get(session).copied());
            Some((*session, each.sum::<Option<f64>>()? / n))
        };
        all[points[0]][subject].means.keys().filter_map(of).collect()
    };
    let of_all: Vec<BTreeMap<u32, f64>> = (0..all[points[0]].len()).map(means).collect();
    let level = |subject: usize| points.iter().map(|p| all[*p][subject].level()).sum::<f64>() / n;
    let within =
        |subject: usize| points.iter().map(|p| all[*p][subject].within).sum::<f64>() / (n * n);
    let repeats = |subject: usize| points.iter().map(|p| all[*p][subject].repeats).min();
    let counts = [a, b].map(|s| of_all[s].len() as f64);
    let is_returned = points.iter().all(|point| returned(&all[*point], a, b));
    let may = |_: &(f64, f64)| is_returned && counts.iter().all(|n| *n > 0.0);
    let variance = returns(of_all.iter()).filter(may).map(|(between, degrees)| {
        let scale = counts.iter().map(|n| 1.0 / n).sum::<f64>();
        ((between * scale).max(within(a) + within(b)), degrees)
    });
    SessionCell {
        sheet,
        point: None,
        a,
        b,
        repeats: repeats(a).min(repeats(b)).unwrap_or(0),
        estimate: level(a) - level(b),
        levels: None,
        variance,
        sessions: (of_all[a].len(), of_all[b].len()),
    }
}
