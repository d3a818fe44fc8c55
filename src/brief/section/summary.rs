//! Overview of all steps: the headline figure by subject; a subject is marked best only if claims
//! show it.

use super::Section;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::lead::Outcome;
use crate::analysis::metric::Metric;
use crate::analysis::{compare::Comparison, levels};
use crate::brief::block::{Block, Table};
use crate::brief::number_format::NONE;
use crate::brief::{published, wording};
use crate::chart::{self, MARK, step::marked};
use crate::language::Language;
use crate::plan::model::headline::Place;
use crate::say;

/// All steps in one table.
pub const SECTION: Section =
    Section { id: "summary", title: |l| say!(l, "section-summary"), appendix: false, blocks };

fn blocks(facts: &Facts) -> Vec<Block> {
    let measured = || facts.steps.iter().enumerate().filter(|(_, step)| !step.cells.is_empty());
    if measured().count() < 2 {
        return Vec::new();
    }
    let (l, pair) = (facts.language, facts.subjects.len() == 2);
    let mut head = vec![say!(l, "column-step"), say!(l, "column-figure")];
    head.extend(facts.subjects.iter().cloned());
    head.extend(pair.then(|| say!(l, "column-difference")));
    let rows = measured().map(|(index, step)| row(facts, index, step, pair)).collect();
    let how = match facts.comparisons.is_empty() {
        _ if published::is_published(facts) => Some(say!(l, "summary-how-published")),
        true => None,
        false => Some(say!(l, "summary-how")),
    };
    let mut out = vec![Table::of(2, &head, rows).block()];
    out.extend(how.map(Block::note));
    out.push(Block::Figures(chart::multiples::figures(facts)));
    out
}

fn row(facts: &Facts, index: usize, step: &StepFacts, pair: bool) -> Vec<String> {
    let outcome = Outcome::of(facts, index);
    let l = facts.language;
    let what = format!("{}{}", what(l, &outcome.metric, step), at(l, step, outcome.value));
    let mut row = vec![step.title.clone(), what];
    row.extend((0..facts.subjects.len()).map(|subject| {
        let level = level(facts, step, &outcome.metric, (outcome.value, subject));
        if outcome.best == Some(subject) { format!("{level} ▲") } else { level }
    }));
    if pair {
        let shown = |c: &&Comparison| wording::standing(facts, c);
        row.push(outcome.all.first().map_or(NONE.to_string(), shown));
    }
    row
}

/// "p99", "ops/s": whose latency it is stands in the step's own part.
fn what(l: Language, metric: &Metric, step: &StepFacts) -> String {
    if metric.is_latency() { metric.text(l) } else { wording::metric(l, metric, step) }
}

fn at(l: Language, step: &StepFacts, value: Option<usize>) -> String {
    match (value, step.place) {
        (Some(value), _) => wording::place(l, step, &[value]),
        (None, Place::EqualLoad) => say!(l, "mean-of-equal-loads"),
        (None, Place::EqualLatency) => say!(l, "at-equal-latency"),
        (None, Place::Limit) => say!(l, "within-the-limit"),
        (None, _) => say!(l, "mean-of-points", count = step.values.len()),
    }
}

/// The figure as it is printed; marked where the drive did not limit it.
fn level(
    facts: &Facts,
    step: &StepFacts,
    metric: &Metric,
    (value, subject): (Option<usize>, usize),
) -> String {
    match value {
        Some(value) => {
            let cell = step.cell(subject, value);
            let text = cell.and_then(|c| {
                Some(marked(c, wording::printed(facts.language, metric, step, c)?.1))
            });
            text.unwrap_or(NONE.to_string())
        }
        None => levels::over_axis(facts, step, metric, subject).map_or(NONE.to_string(), |value| {
            let text = wording::printed_value(facts.language, metric, value).1;
            if levels::has_marks(step, subject) { format!("{text} {MARK}") } else { text }
        }),
    }
}
