//! Steps that differ only in block size: a sweep of sizes in steps of their own.

use crate::analysis::facts::{MeasuredFacts, SetupFacts};
use crate::analysis::keys::StepKey;
use dyno_core::plan::Step;

/// The measured steps that differ only in block size and name: each group with its sizes in bytes,
/// in the protocol's order.
pub fn groups(measured: &MeasuredFacts, setup: &SetupFacts) -> Vec<Vec<(u64, StepKey)>> {
    let mut found: Vec<(Step, Vec<(u64, StepKey)>)> = Vec::new();
    for step in &measured.steps {
        let Some((rest, size)) = setup.planned(step).and_then(without_size) else { continue };
        match found.iter_mut().find(|(known, _)| *known == rest) {
            Some((_, group)) => group.push((size, step.key)),
            None => found.push((rest, vec![(size, step.key)])),
        }
    }
    found.into_iter().map(|(_, group)| group).collect()
}

/// The step without its names and its single block size, and that size.
fn without_size(step: &Step) -> Option<(Step, u64)> {
    let mut rest = Step { name: String::new(), title: String::new(), ..step.clone() };
    let mut size = None;
    for stream in &mut rest.streams {
        let sizes = stream.workload.knobs.sizes("block").ok()?;
        let [(own, _)] = sizes[..] else { return None };
        if size.is_some_and(|other| other != own) {
            return None;
        }
        size = Some(own);
        stream.workload.knobs.0.remove("block");
    }
    Some((rest, size?))
}
