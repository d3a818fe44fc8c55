//! How each subject behaves along a step's axis: its peak, and what the last of the load brought. Levels only, no ranking.

use super::wording;
use super::words;
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::point_summary::{ClassSummary, P99};
use crate::base::units;
use crate::plan::Field;

pub fn of_step(facts: &Facts, step: &StepFacts) -> Vec<String> {
    let mut all = Vec::new();
    let grows = matches!(step.axis.as_ref().map(|a| a.field), Some(Field::Threads | Field::Depth | Field::Instances));
    if grows && !step.open_loop && step.values.len() > 2 {
        all.extend((0..facts.subjects.len()).filter_map(|subject| along(facts, step, subject)));
    }
    all
}

/// Where a subject does most, and what the last of the load brought: more ops, or only longer waits.
fn along(facts: &Facts, step: &StepFacts, subject: usize) -> Option<String> {
    let cells: Vec<&CellFacts> = facts.cells_of(step, subject).into_iter().flatten().collect();
    let read = |cell: &&CellFacts| {
        let total = cell.total.as_ref()?;
        let p99 = total.class(step.class).map(ClassSummary::user_latency)?.percentiles_ns[P99].as_ref()?.value;
        Some((cell.value, total.ops_per_s.value, p99))
    };
    let read: Vec<(usize, f64, f64)> = cells.iter().filter_map(read).collect();
    let peak = read.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let [.., before, last] = &read[..] else { return None };
    let at = |value: usize| wording::place(step, &[value]);
    let change = |from: f64, to: f64| words::signed_percent((to / from - 1.0) * 100.0);
    let more = at(last.0);
    Some(format!(
        "{} peaks{}: {} ops/s with a p99 of {}. From {} to {}, its ops/s change by {} and its p99 by {}.",
        facts.subjects[subject],
        at(peak.0),
        words::count(peak.1),
        units::latency(peak.2),
        step.values[before.0].label,
        more.trim_start_matches(" at ").trim_start_matches("depth "),
        change(before.1, last.1),
        change(before.2, last.2),
    ))
}
