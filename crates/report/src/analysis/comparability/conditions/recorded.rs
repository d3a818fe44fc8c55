//! Recorded loads that differ though the plans are alike: the file of a trace has changed, or two
//! hosts have different ones under one name. A point keeps the checksum of what it replayed.

use super::{Condition, ConditionValue, Difference, Grade, ValuesOfSubjects, distinct};
use crate::analysis::facts::{MeasuredFacts, StepFacts};
use crate::analysis::keys::SubjectKey;
use crate::record::Replayed;

/// The streams of a step whose subjects replayed different requests at one of its values.
pub fn of_step(step: &StepFacts, subjects: &[SubjectKey]) -> Vec<Difference> {
    let mut streams: Vec<&str> = Vec::new();
    for recorded in step.cells.iter().flat_map(|cell| &cell.replay.recorded) {
        if !streams.contains(&recorded.stream.as_str()) {
            streams.push(&recorded.stream);
        }
    }
    let different = |stream: &&str| {
        let values = (0..step.values.len()).find_map(|value| at(step, value, stream, subjects))?;
        let what = Condition::RecordedLoad(step.title.clone());
        Some(Difference { grade: Grade::Disqualifying, what, values })
    };
    streams.iter().filter_map(different).collect()
}

/// The same of all steps.
pub fn all(measured: &MeasuredFacts, subjects: &[SubjectKey]) -> Vec<Difference> {
    measured.steps.iter().flat_map(|step| of_step(step, subjects)).collect()
}

fn at(
    step: &StepFacts,
    value: usize,
    stream: &str,
    subjects: &[SubjectKey],
) -> Option<ValuesOfSubjects> {
    let of = |subject: &SubjectKey| {
        let replay = &step.cell(*subject, value)?.replay;
        let own = replay.recorded.iter().find(|own| own.stream == stream)?;
        Some((*subject, own))
    };
    let found: Vec<(SubjectKey, &Replayed)> = subjects.iter().filter_map(of).collect();
    distinct(found.iter().map(|(subject, own)| (*subject, own.checksum)))?;
    let shown =
        |own: &Replayed| ConditionValue::Text(format!("{}, XXH3 {:016x}", own.file, own.checksum));
    distinct(found.into_iter().map(|(subject, own)| (subject, shown(own))))
}
