//! Loads that differ although the plans are alike: the file of a trace has changed, two hosts have
//! different files of one name, or two builds of a vector index are different graphs. A point
//! stores the checksum of what it replayed, and of what its queries found.

use super::{Condition, ConditionValue, Difference, Grade, ValuesOfSubjects, distinct};
use crate::analysis::facts::{CellFacts, StepFacts};
use crate::analysis::keys::{SubjectKey, ValueKey};
use dyno_core::record::{Replayed, VectorSearch};

/// A stream's load at a point: its name, the checksum, and its text in a difference.
type PointLoad<'f> = (&'f str, u64, String);

/// The streams of a step whose subjects replayed different requests, or found different vectors, at
/// one of its values.
pub fn of_step(step: &StepFacts, subjects: &[SubjectKey]) -> Vec<Difference> {
    let difference =
        |what: &Condition, values| Difference::new(Grade::Disqualifying, what.clone(), values);
    let replayed = Condition::RecordedLoad(step.title.clone());
    let searched = Condition::VectorSearch(step.title.clone());
    let replays = unlike(step, subjects, &recorded).into_iter();
    let searches = unlike(step, subjects, &searches).into_iter();
    let replays = replays.map(|values| difference(&replayed, values));
    replays.chain(searches.map(|values| difference(&searched, values))).collect()
}

/// The same for several steps.
pub fn all<'f>(
    steps: impl Iterator<Item = &'f StepFacts>,
    subjects: &[SubjectKey],
) -> Vec<Difference> {
    steps.flat_map(|step| of_step(step, subjects)).collect()
}

fn recorded(cell: &CellFacts) -> Vec<PointLoad<'_>> {
    let load = |own: &Replayed| format!("{}, XXH3 {:016x}", own.file, own.checksum);
    let all = cell.replay.recorded.iter();
    all.map(|own| (own.stream.as_str(), own.checksum, load(own))).collect()
}

fn searches(cell: &CellFacts) -> Vec<PointLoad<'_>> {
    let found = |own: &VectorSearch| {
        format!("{}/{}, {} I/O, {:016x}", own.found, own.wanted, own.ios, own.checksum)
    };
    let all = cell.searches.iter();
    all.map(|own| (own.stream.as_str(), own.checksum, found(own))).collect()
}

/// The loads of each stream that differ, at the first value where they do.
fn unlike(
    step: &StepFacts,
    subjects: &[SubjectKey],
    loads: &dyn for<'f> Fn(&'f CellFacts) -> Vec<PointLoad<'f>>,
) -> Vec<ValuesOfSubjects> {
    let mut streams: Vec<&str> = Vec::new();
    for (stream, ..) in step.cells.iter().flat_map(loads) {
        if !streams.contains(&stream) {
            streams.push(stream);
        }
    }
    let at = |stream: &str, value: ValueKey| {
        let of = |subject: &SubjectKey| {
            let all = loads(step.cell(*subject, value)?);
            let (_, checksum, text) = all.into_iter().find(|(name, ..)| *name == stream)?;
            Some((*subject, checksum, text))
        };
        let found: Vec<(SubjectKey, u64, String)> = subjects.iter().filter_map(of).collect();
        distinct(found.iter().map(|(subject, checksum, _)| (*subject, *checksum)))?;
        distinct(found.into_iter().map(|(subject, _, text)| (subject, ConditionValue::Text(text))))
    };
    let different = |stream: &str| step.values.keys().find_map(|value| at(stream, value));
    streams.into_iter().filter_map(different).collect()
}
