//! Conditions that the source of imported figures does not give. They are neither equal nor
//! different, but unknown.

use crate::analysis::difference::NotGiven;
use crate::analysis::facts::{MeasuredFacts, RunFacts, SetupFacts, StepFacts};
use crate::plan::Order;
use crate::record::key::FactHeading;

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
pub fn unknown(measured: &MeasuredFacts, setup: &SetupFacts) -> Vec<NotGiven> {
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
    let disclosed = |is: &dyn Fn(FactHeading) -> bool| {
        let headings = || FactHeading::ALL.into_iter().filter(|heading| is(*heading));
        setup.disclosure.iter().any(|g| headings().any(|h| g.name.starts_with(h.name())))
    };
    if !disclosed(&FactHeading::is_of_host) {
        all.push(NotGiven::Host);
    }
    if !disclosed(&|heading| heading == FactHeading::Drive) {
        all.push(NotGiven::Drives);
    }
    all
}
