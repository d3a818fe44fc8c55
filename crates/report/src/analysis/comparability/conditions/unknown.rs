//! Conditions that the source of imported figures does not give. They are neither equal nor
//! different, but unknown.

use crate::analysis::difference::NotGiven;
use crate::analysis::facts::{MeasuredFacts, RunFacts, SetupFacts, StepFacts, Subjects};
use dyno_core::plan::Order;

/// Unknown conditions of a step's measurement; None if Dyno measured it.
pub fn not_given(step: &StepFacts) -> Vec<NotGiven> {
    let of = |unknown: bool, what: NotGiven| unknown.then_some(what);
    [
        of(step.loop_kind.is_none(), NotGiven::Loop),
        of(step.window_ns.is_none(), NotGiven::Window),
        of(step.warmup_ns.is_none(), NotGiven::Warmup),
        of(step.timing.is_none() && step.has_latencies(), NotGiven::Timing),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Unknown conditions of the subjects, whose differences therefore cannot be stated; None if Dyno
/// measured all of them.
pub fn unknown(subjects: &Subjects, measured: &MeasuredFacts, setup: &SetupFacts) -> Vec<NotGiven> {
    if !setup.runs.iter().any(RunFacts::is_imported) {
        return Vec::new();
    }
    let mut all = Vec::new();
    if setup.runs.iter().any(|run| run.order == Order::NotGiven) {
        all.push(NotGiven::Order);
    }
    for what in measured.steps.iter().flat_map(not_given) {
        if !all.contains(&what) {
            all.push(what);
        }
    }
    let cells = || measured.steps.iter().flat_map(|step| &step.cells);
    if cells().any(|cell| cell.repeats.len() < 2) {
        all.push(NotGiven::Repeats);
    }
    if setup.prepared.is_empty() {
        all.push(NotGiven::Preparation);
    }
    if setup.runs.iter().all(|run| run.host.is_empty()) {
        all.push(NotGiven::Host);
    }
    if subjects.iter().all(|subject| subject.setups.is_empty()) {
        all.push(NotGiven::Drives);
    }
    all
}
