//! The cost of durability: steps that differ only in how their writes become durable.

use crate::analysis::facts::{
    Durability, MeasuredFacts, SetupFacts, StepDurability, StepFacts, WriteGroup,
};
use crate::analysis::keys::StepKey;
use dyno_core::plan::{Field, Stream};

impl Durability {
    /// The durability of the measured steps.
    pub fn of(measured: &MeasuredFacts, setup: &SetupFacts) -> Durability {
        Durability { groups: groups(measured, setup), commits: commits(measured, setup) }
    }
}

fn groups(measured: &MeasuredFacts, setup: &SetupFacts) -> Vec<WriteGroup> {
    let blocks: Vec<(StepKey, StepDurability, &Stream)> = manners(measured, setup)
        .filter(|(_, manner, stream)| *manner != StepDurability::Commit && only_writes(stream))
        .collect();
    let mut found: Vec<(&Stream, Option<Field>, WriteGroup)> = Vec::new();
    for (index, manner, stream) in blocks {
        let field = swept(&measured.steps[index]);
        let own = found.iter_mut().find(|(first, of, _)| *of == field && alike(first, stream));
        let group = match own {
            Some((.., group)) => group,
            None => {
                let group = WriteGroup { plain: None, durable: Vec::new() };
                found.push((stream, field, group));
                let Some((.., group)) = found.last_mut() else { continue };
                group
            }
        };
        match manner {
            StepDurability::None => group.plain = group.plain.or(Some(index)),
            manner => group.durable.push((manner, index)),
        }
    }
    found.into_iter().map(|(.., group)| group).filter(|g| !g.durable.is_empty()).collect()
}

fn commits(measured: &MeasuredFacts, setup: &SetupFacts) -> Vec<StepKey> {
    manners(measured, setup)
        .filter(|(_, manner, _)| *manner == StepDurability::Commit)
        .map(|(i, ..)| i)
        .collect()
}

/// Each step with the durability of its headline stream's writes.
fn manners<'f>(
    measured: &'f MeasuredFacts,
    setup: &'f SetupFacts,
) -> impl Iterator<Item = (StepKey, StepDurability, &'f Stream)> {
    measured.steps.iter_enumerated().filter_map(|(index, step)| {
        let stream = stream(setup, step)?;
        Some((index, StepDurability::of(stream)?, stream))
    })
}

/// The headline stream of a step, in the first run that has it.
fn stream<'f>(setup: &'f SetupFacts, step: &StepFacts) -> Option<&'f Stream> {
    setup.planned(step)?.streams.iter().find(|stream| stream.headline)
}

fn only_writes(stream: &Stream) -> bool {
    stream.workload.knobs.float("read").is_ok_and(|read| read == 0.0)
}

fn swept(step: &StepFacts) -> Option<Field> {
    step.axis.as_ref().map(|axis| axis.field)
}

/// Whether two streams make the same writes, regardless of durability.
fn alike(a: &Stream, b: &Stream) -> bool {
    let without = |stream: &Stream| {
        let mut stream = stream.clone();
        stream.workload.knobs.0.remove("sync");
        // The swept field differs within a step.
        Stream { threads: 0, depth: 0, ..stream }
    };
    without(a) == without(b)
}
