//! All steps at a glance: what each leads with, by subject; who is best only where claims say so.

use super::Section;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::lead::Outcome;
use crate::analysis::metric::Metric;
use crate::analysis::{compare::Comparison, levels};
use crate::brief::block::{Block, Table};
use crate::brief::number_format::NONE;
use crate::brief::{published, wording};
use crate::chart::{self, MARK, step::marked};
use crate::plan::model::headline::Place;
use crate::say;

/// All steps in one table.
pub const SECTION: Section =
    Section { id: "summary", title: |l| say!(l, "section-summary"), appendix: false, blocks };

const HOW: &str = "▲ better than every other subject, by a claim. † not limited by the drive. \
Difference: the better subject, by how much, and its interval.";

const HOW_PUBLISHED: &str =
    "As published, without repeats: nothing is claimed, and nobody is marked as best.";

fn blocks(facts: &Facts) -> Vec<Block> {
    let measured = || facts.steps.iter().enumerate().filter(|(_, step)| !step.cells.is_empty());
    if measured().count() < 2 {
        return Vec::new();
    }
    let pair = facts.subjects.len() == 2;
    let mut head = vec!["step".to_string(), "figure".to_string()];
    head.extend(facts.subjects.iter().cloned());
    head.extend(pair.then(|| "difference".to_string()));
    let rows = measured().map(|(index, step)| row(facts, index, step, pair)).collect();
    let how = match facts.comparisons.is_empty() {
        _ if published::is_published(facts) => Some(HOW_PUBLISHED),
        true => None,
        false => Some(HOW),
    };
    let mut out = vec![Table::of(2, &head, rows).block()];
    out.extend(how.map(Block::note));
    out.push(Block::Figures(chart::multiples::figures(facts)));
    out
}

fn row(facts: &Facts, index: usize, step: &StepFacts, pair: bool) -> Vec<String> {
    let outcome = Outcome::of(facts, index);
    let mut row = vec![
        step.title.clone(),
        format!("{}{}", what(&outcome.metric, step), at(step, outcome.value)),
    ];
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
fn what(metric: &Metric, step: &StepFacts) -> String {
    if metric.is_latency() { metric.short() } else { wording::metric(metric, step) }
}

fn at(step: &StepFacts, value: Option<usize>) -> String {
    match (value, step.place) {
        (Some(value), _) => wording::place(step, &[value]),
        (None, Place::EqualLoad) => ", mean of equal loads".to_string(),
        (None, Place::EqualLatency) => " at equal latency".to_string(),
        (None, Place::Limit) => " within the limit".to_string(),
        (None, _) => format!(", mean of {} points", step.values.len()),
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
            let text = cell.and_then(|c| Some(marked(c, wording::printed(metric, step, c)?.1)));
            text.unwrap_or(NONE.to_string())
        }
        None => levels::over_axis(facts, step, metric, subject).map_or(NONE.to_string(), |value| {
            let text = wording::printed_value(metric, value).1;
            if levels::has_marks(step, subject) { format!("{text} {MARK}") } else { text }
        }),
    }
}
