//! Who is better at each place of a step, by claims; where there are none, by the figures as they
//! are: imported without repeats, or measured in separate runs.

use crate::analysis::claim::compare::{ComparedFigure, Comparison, StepPlace};
use crate::analysis::facts::{CellFacts, Comparisons, Facts, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey};
use crate::analysis::points::metric::Metric;
use dyno_core::plan::Field;
use dyno_core::stats::Better;

/// Two subjects are even if the whole interval of their ratio is within this factor.
pub const EVEN: f64 = 1.05;

/// What the comparisons at one place show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// This subject is better than every other that was measured there.
    Best(SubjectKey),
    /// All differences are within 5 %.
    Even,
    /// Neither.
    Open,
}

/// The basis of a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Claims.
    Claims,
    /// Figures that were imported without repeats.
    Published,
    /// Figures of separate runs, whose differences may be those of the times.
    SeparateRuns,
}

/// A metric along the axis of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The step.
    pub step: StepKey,
    /// The metric.
    pub metric: Metric,
    /// The basis.
    pub basis: Basis,
    /// The places at which two or more subjects have the figure, in ascending order.
    pub places: Vec<(ValueKey, Shown)>,
}

/// A range of an axis in which one subject is better wherever anything is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeadRange {
    /// The subject.
    pub leader: SubjectKey,
    /// The first place at which it is better.
    pub from: ValueKey,
    /// The last one.
    pub to: ValueKey,
}

impl Course {
    /// The course of a metric; without places if it is nowhere compared.
    pub fn of(facts: &Facts, step: &StepFacts, metric: &Metric) -> Course {
        let basis = basis(&facts.comparisons, step);
        let place = |value: ValueKey| Some((value, at(facts, step, metric, (basis, value))?));
        let places = step.values.keys().filter_map(place).collect();
        Course { step: step.key, metric: metric.clone(), basis, places }
    }

    /// The number of places at which a subject is better.
    pub fn count(&self, subject: SubjectKey) -> usize {
        self.places.iter().filter(|(_, shown)| *shown == Shown::Best(subject)).count()
    }

    /// Whether a subject is better at every place, of several.
    pub fn is_everywhere(&self, subject: SubjectKey) -> bool {
        self.places.len() > 1 && self.count(subject) == self.places.len()
    }

    /// The ranges in order. Places that show nothing belong to none, and divide none.
    pub fn ranges(&self) -> Vec<LeadRange> {
        let mut all: Vec<LeadRange> = Vec::new();
        for (value, shown) in &self.places {
            let Shown::Best(leader) = *shown else { continue };
            match all.last_mut() {
                Some(range) if range.leader == leader => range.to = *value,
                _ => all.push(LeadRange { leader, from: *value, to: *value }),
            }
        }
        all
    }
}

/// The basis of a step's statements.
pub fn basis(comparisons: &Comparisons, step: &StepFacts) -> Basis {
    let mut own = comparisons.all.iter().filter(|c| c.step == step.key).peekable();
    match own.peek().is_some() && own.all(|c| c.interval.is_none()) {
        _ if comparisons.published => Basis::Published,
        true => Basis::SeparateRuns,
        false => Basis::Claims,
    }
}

/// What is shown at one place; None if it is not compared there.
pub fn at(
    facts: &Facts,
    step: &StepFacts,
    metric: &Metric,
    (basis, value): (Basis, ValueKey),
) -> Option<Shown> {
    let by = ComparedFigure { step, metric, at: StepPlace::Value(value) };
    // Latencies at shares of each subject's own maximum are those of different loads.
    let is_of_shares = step.axis.as_ref().is_some_and(|a| a.field == Field::LoadPercent);
    match basis {
        Basis::Published if is_of_shares && metric.is_latency() => None,
        Basis::Claims => of_claims(&facts.subjects, &facts.comparisons.all_by(by)),
        Basis::SeparateRuns if facts.comparisons.all_by(by).is_empty() => None,
        Basis::Published if metric.is_given_at(step, value) => None,
        Basis::Published => of_figures(&facts.subjects, step, metric, (value, 1.0)),
        // Without an interval, smaller differences are within what runs usually scatter.
        Basis::SeparateRuns => of_figures(&facts.subjects, step, metric, (value, EVEN)),
    }
}

/// What comparisons at one place show; None if there are none.
pub fn of_claims(subjects: &Subjects, all: &[&Comparison]) -> Option<Shown> {
    let compared = |subject: &SubjectKey| all.iter().any(|c| c.is_with(*subject));
    let among: Vec<SubjectKey> = subjects.keys().filter(compared).collect();
    let beats = |a: SubjectKey, b: SubjectKey| {
        all.iter().any(|c| c.is_claimed() && (c.better, c.worse) == (a, b))
    };
    let is_best = |a: &SubjectKey| among.iter().all(|b| a == b || beats(*a, *b));
    if among.is_empty() {
        return None;
    }
    if let Some(best) = among.iter().copied().find(is_best) {
        return Some(Shown::Best(best));
    }
    let is_even =
        |c: &&Comparison| c.interval.is_some_and(|(low, high)| low >= 1.0 / EVEN && high <= EVEN);
    Some(if all.iter().all(is_even) { Shown::Even } else { Shown::Open })
}

/// What the figures themselves show, with those equal that are within a factor; None with fewer
/// than two.
fn of_figures(
    subjects: &Subjects,
    step: &StepFacts,
    metric: &Metric,
    (value, margin): (ValueKey, f64),
) -> Option<Shown> {
    let figure = |subject: SubjectKey| {
        let cell: &CellFacts = step.cell(subject, value)?;
        Some((subject, metric.of(step, cell)?.0.value))
    };
    let found: Vec<(SubjectKey, f64)> = subjects.keys().filter_map(figure).collect();
    let higher = metric.better() == Better::Higher;
    let first = found.first()?;
    let best = found.iter().fold(first, |best, own| {
        if (own.1 > best.1) == higher && own.1 != best.1 { own } else { best }
    });
    let is_equal = |own: f64| (own / best.1).max(best.1 / own) <= margin;
    let equal = found.iter().filter(|own| is_equal(own.1)).count();
    match (found.len(), equal) {
        (0 | 1, _) => None,
        (_, 1) => Some(Shown::Best(best.0)),
        (all, equal) if all == equal => Some(Shown::Even),
        _ => Some(Shown::Open),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_show_nothing_divide_no_range_and_belong_to_none() {
        let [a, b] = [0, 1].map(|subject| Shown::Best(SubjectKey(subject)));
        let along = [a, Shown::Open, a, Shown::Even, b, b];
        let places = along.into_iter().enumerate().map(|(i, shown)| (ValueKey(i), shown));
        let course = Course {
            step: StepKey(0),
            metric: Metric::p99(),
            basis: Basis::Claims,
            places: places.collect(),
        };
        let range = |leader, from, to| LeadRange {
            leader: SubjectKey(leader),
            from: ValueKey(from),
            to: ValueKey(to),
        };
        assert_eq!(course.ranges(), [range(0, 0, 2), range(1, 4, 5)]);
        assert_eq!(course.count(SubjectKey(0)), 2);
        assert!(!course.is_everywhere(SubjectKey(0)));
    }
}
