//! Selects the claims: for every subject and rival, step and metric, the step's mean and the
//! largest difference at a point. Both come from the one family of comparisons, so no further
//! correction is needed.

use crate::analysis::comparison::{Claim, Comparison, Crossover, Rise, Standing, StepPlace};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey, unordered};
use crate::analysis::points::metric::Metric;

/// All claims, strongest first: by the difference at the weak end of its interval. A lower bound is
/// weaker than a full claim.
pub fn all(comparisons: &[Comparison]) -> Vec<Claim> {
    let (mut found, family) =
        (Vec::<Claim>::new(), comparisons.iter().filter(|c| c.interval.is_some()).count());
    let claim = |c: &Comparison| Claim { comparison: c.clone(), of_points: 1, family, scope: None };
    for claimed in comparisons.iter().filter(|c| c.is_claimed()) {
        let same = |c: &Comparison| {
            (c.step, c.better, c.worse, &c.metric)
                == (claimed.step, claimed.better, claimed.worse, &claimed.metric)
        };
        if !matches!(claimed.at, StepPlace::Value(_) | StepPlace::Load(_)) {
            found.push(claim(claimed));
            continue;
        }
        let kind = std::mem::discriminant(&claimed.at);
        let alike =
            |c: &&Claim| same(&c.comparison) && std::mem::discriminant(&c.comparison.at) == kind;
        match found.iter().position(|c| alike(&c)) {
            Some(at) => {
                found[at].of_points += 1;
                if claimed.weak_end() > found[at].comparison.weak_end() {
                    found[at].comparison = claimed.clone();
                }
            }
            None => found.push(claim(claimed)),
        }
    }
    found.sort_by(|a, b| b.comparison.weak_end().total_cmp(&a.comparison.weak_end()));
    found.sort_by_key(|c| c.comparison.standing != Standing::Claimed);
    found
}

/// The largest claimed rise of each subject in each step, in the order of steps and subjects.
pub fn largest_rises(all: Vec<Rise>) -> Vec<Rise> {
    let mut found: Vec<Rise> = Vec::new();
    for rise in all.into_iter().filter(Rise::is_claimed) {
        let same = |known: &&mut Rise| (known.step, known.subject) == (rise.step, rise.subject);
        match found.iter_mut().find(same) {
            Some(known) if known.factor >= rise.factor => {}
            Some(known) => *known = rise,
            None => found.push(rise),
        }
    }
    found.sort_by_key(|rise| (rise.step, rise.subject));
    found
}

/// The positions on a step's axis at which the better subject changes, based only on claims among
/// these comparisons.
pub fn crossovers<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> Vec<Crossover> {
    let mut points: Vec<(&Comparison, ValueKey)> = comparisons
        .into_iter()
        .filter(|c| c.standing == Standing::Claimed)
        .filter_map(|c| if let StepPlace::Value(value) = c.at { Some((c, value)) } else { None })
        .collect();
    let pair = |c: &Comparison| unordered(c.better, c.worse);
    points.sort_by_cached_key(|(c, value)| (c.step, c.metric.short(), pair(c), *value));
    let same = |(a, _): &(&Comparison, ValueKey), (b, _): &(&Comparison, ValueKey)| {
        (a.step, &a.metric, pair(a)) == (b.step, &b.metric, pair(b))
    };
    let along = |run: &[(&Comparison, ValueKey)]| {
        let of = run[0].0;
        changes(of.step, &of.metric, run.iter().map(|(c, value)| (*value, c.better)))
    };
    points.chunk_by(same).flat_map(along).collect()
}

/// The positions at which another subject of a pair becomes the better one, given the better one at
/// each axis value.
pub fn changes(
    step: StepKey,
    metric: &Metric,
    along: impl Iterator<Item = (ValueKey, SubjectKey)>,
) -> Vec<Crossover> {
    let mut all = Vec::new();
    let mut last: Option<(ValueKey, SubjectKey)> = None;
    for (from, after) in along {
        if let Some((until, before)) = last.filter(|(_, before)| *before != after) {
            all.push(Crossover { step, metric: metric.clone(), before, until, after, from });
        }
        last = Some((from, after));
    }
    all
}
