//! The largest multiple of a load that a subject sustains: the result of searches along the axis of
//! several rates, over all repeats, as one number with an interval.

use crate::analysis::facts::{CellFacts, Facts, MeasuredFacts, Multiple, SetupFacts, StepFacts};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey};
use crate::analysis::points::point_summary::{Latency, RepeatSummary};
use dyno_core::plan::Field;
use dyno_core::plan::search::Search;
use dyno_core::stats::estimate::from_repeats;

/// The results of one search, or several together, in one repeat.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FoundMultiple {
    /// The highest passing value below all failing ones; 0 if none passed.
    held: f64,
    /// The lowest failing value; infinite if all passed.
    broken: f64,
}

/// Records the result of each subject, and which points kept the limit.
pub fn note(facts: &mut Facts) {
    let Facts { subjects, setup, measured, comparisons, .. } = facts;
    let found = subjects.keys().map(|subject| of(setup, measured, subject));
    comparisons.multiples = found.collect();
    let searched: Vec<StepKey> = steps(measured).map(|(step, _)| step.key).collect();
    for key in searched {
        let step = &mut measured.steps[key];
        let Some(search) = &step.search else { continue };
        for cell in &mut step.cells {
            let held = held(cell, search);
            cell.holds = (!held.is_empty()).then(|| held.iter().all(|(_, held)| *held));
        }
    }
}

/// The steps that search along the axis of several rates.
fn steps(measured: &MeasuredFacts) -> impl Iterator<Item = (&StepFacts, &Search)> {
    let searched = |step: &StepFacts| step.axis.as_ref().is_some_and(|a| a.field == Field::Rates);
    measured.steps.iter().filter(move |s| searched(s)).filter_map(|s| Some((s, s.search.as_ref()?)))
}

/// Whether a cell's repeats passed, by repeat number; without repeats of which this is unknown.
fn held(cell: &CellFacts, search: &Search) -> Vec<(u32, bool)> {
    let of = |(i, repeat): (usize, &u32)| Some((*repeat, cell.holds_in(search, i)?));
    cell.repeats.iter().enumerate().filter_map(of).collect()
}

impl CellFacts {
    /// Whether a repeat passed a search; None if it had too few ops for the percentile although it
    /// kept its rate.
    pub(in crate::analysis) fn holds_in(&self, search: &Search, repeat: usize) -> Option<bool> {
        self.passes(search, |times| times.holds_in(search, repeat))
    }

    /// The same for the percentile over all repeats.
    pub fn holds_in_all(&self, search: &Search) -> Option<bool> {
        self.passes(search, |times| times.holds_in_all(search))
    }

    fn passes(&self, search: &Search, of: impl Fn(&Latency) -> Option<bool>) -> Option<bool> {
        let class = self.stream(&search.stream).and_then(RepeatSummary::limited_class);
        let passed = class.and_then(|class| of(class.user_latency()));
        passed.or_else(|| self.missed_its_rate().then_some(false))
    }
}

/// The result of a step's search for a subject in a repeat; None if it tried nothing.
fn found(
    measured: &MeasuredFacts,
    (step, search): (&StepFacts, &Search),
    subject: SubjectKey,
    repeat: u32,
) -> Option<FoundMultiple> {
    let number = |value: ValueKey| step.values[value].number;
    let mut tried: Vec<(f64, bool)> =
        measured.fell_behind(step, subject, Some(repeat)).map(|at| (number(at), false)).collect();
    for cell in step.cells.iter().filter(|cell| cell.subject == subject) {
        let own = held(cell, search).into_iter().filter(|(of, _)| *of == repeat);
        tried.extend(own.map(|(_, held)| (number(cell.value), held)));
    }
    found_of(&tried)
}

fn found_of(tried: &[(f64, bool)]) -> Option<FoundMultiple> {
    let of = |held: bool| tried.iter().filter(move |t| t.1 == held).map(|t| t.0);
    let broken = of(false).fold(f64::INFINITY, f64::min);
    let held = of(true).filter(|value| *value < broken).fold(0.0, f64::max);
    (!tried.is_empty()).then_some(FoundMultiple { held, broken })
}

/// The multiple of a subject; None if a step was not searched for it.
fn of(setup: &SetupFacts, measured: &MeasuredFacts, subject: SubjectKey) -> Option<Multiple> {
    let steps: Vec<_> = steps(measured).collect();
    if steps.is_empty() {
        return None;
    }
    let runs = setup.runs.iter().filter(|run| steps.iter().any(|(step, _)| step.test == run.test));
    let repeats = runs.map(|run| run.repeats).max()?;
    let least = |all: Option<FoundMultiple>, own: Option<FoundMultiple>| {
        let (all, own) = (all?, own?);
        Some(FoundMultiple { held: all.held.min(own.held), broken: all.broken.min(own.broken) })
    };
    let together = |repeat: u32| {
        steps.iter().map(|step| found(measured, *step, subject, repeat)).reduce(least)?
    };
    over_repeats(&(1..=repeats).filter_map(together).collect::<Vec<_>>())
}

fn over_repeats(found: &[FoundMultiple]) -> Option<Multiple> {
    let held: Vec<f64> = found.iter().map(|found| found.held).collect();
    let mut value = from_repeats(&held, "×")?;
    let at_least = found.iter().any(|found| found.broken.is_infinite());
    if !at_least {
        let broken = found.iter().map(|found| found.broken).sum::<f64>() / found.len() as f64;
        value.high = value.high.max(broken);
    }
    Some(Multiple { value, at_least })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_brackets_the_truth() {
        let tried = [(64.0, false), (32.0, true), (48.0, false), (40.0, true)];
        assert_eq!(found_of(&tried), Some(FoundMultiple { held: 40.0, broken: 48.0 }));
        assert_eq!(found_of(&[(1.0, false)]), Some(FoundMultiple { held: 0.0, broken: 1.0 }));
        assert_eq!(found_of(&[]), None);
    }

    #[test]
    fn the_interval_takes_in_repeats_and_how_finely_was_searched() {
        let found = |held: f64, broken: f64| FoundMultiple { held, broken };
        let once = over_repeats(&[found(40.0, 48.0)]).expect("a multiple");
        assert_eq!((once.value.value, once.value.low, once.value.high), (40.0, 40.0, 48.0));
        let thrice = [found(40.0, 41.0), found(42.0, 43.0), found(41.0, 42.0)];
        let thrice = over_repeats(&thrice).expect("a multiple");
        assert!((thrice.value.value - 41.0).abs() < 0.1 && !thrice.at_least);
        assert!(thrice.value.low < 40.0 && thrice.value.high >= 42.0, "{:?}", thrice.value);
        let all = over_repeats(&[found(127.0, f64::INFINITY)]).expect("a multiple");
        assert!(all.at_least && all.value.high == 127.0);
    }
}
