//! Conditions that the source of imported figures does not give. They are neither equal nor
//! different, but unknown.

use crate::analysis::facts::{Facts, RunFacts, StepFacts};
use crate::language::Message;
use crate::message;
use crate::plan::Order;
use crate::record::key::FactHeading;

/// Unknown conditions of a step's measurement; None if Dyno measured it.
pub fn not_given(step: &StepFacts) -> Vec<Message> {
    let of = |unknown: bool, what: Message| unknown.then_some(what);
    [
        of(step.loop_kind.is_none(), message!("not-given-loop")),
        of(step.window_ns.is_none(), message!("not-given-window")),
        of(step.warmup_ns.is_none(), message!("not-given-warmup")),
        of(step.timing.is_none() && step.has_latencies(), message!("not-given-timing")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Unknown conditions of the subjects, whose differences therefore cannot be stated; None if Dyno
/// measured all of them.
pub fn unknown(facts: &Facts) -> Vec<Message> {
    if !facts.runs.iter().any(RunFacts::is_imported) {
        return Vec::new();
    }
    let mut all = Vec::new();
    if facts.runs.iter().any(|run| run.order == Order::NotGiven) {
        all.push(message!("not-given-order"));
    }
    for what in facts.steps.iter().flat_map(not_given) {
        if !all.contains(&what) {
            all.push(what);
        }
    }
    let cells = || facts.steps.iter().flat_map(|step| &step.cells);
    if cells().any(|cell| cell.repeats.len() < 2) {
        all.push(message!("not-given-repeats"));
    }
    if facts.prepared.is_empty() {
        all.push(message!("not-given-preparation"));
    }
    let disclosed = |is: &dyn Fn(FactHeading) -> bool| {
        let headings = || FactHeading::ALL.into_iter().filter(|heading| is(*heading));
        facts.disclosure.iter().any(|g| headings().any(|h| g.name.starts_with(h.name())))
    };
    if !disclosed(&FactHeading::is_of_host) {
        all.push(message!("not-given-host"));
    }
    if !disclosed(&|heading| heading == FactHeading::Drive) {
        all.push(message!("not-given-drives"));
    }
    all
}
