//! The basis of a claim: of which drives it is.

use crate::analysis::claim::compare::Comparison;
use crate::analysis::comparability::specimens;
use crate::analysis::facts::{SetupFacts, Subjects};
use crate::analysis::keys::SubjectKey;
use crate::analysis::points::metric::PointPart;
use crate::language::Language;
use crate::say;

/// The scope of a claim: this many drives of each model, or these drives only; empty if no drive
/// was involved.
pub fn whose(
    l: Language,
    subjects: &Subjects,
    setup: &SetupFacts,
    comparison: &Comparison,
) -> Option<String> {
    let pair = (comparison.better, comparison.worse);
    let plan = |subject: SubjectKey| Some(&setup.runs.get(subjects[subject].run)?.resolved);
    let plans = [plan(pair.0)?, plan(pair.1)?];
    if plans.iter().any(|plan| plan.keeps_no_data()) {
        return None;
    }
    let count = |s: SubjectKey| subjects[s].drives.len();
    let models = specimens::model(subjects, setup, pair.0).is_some()
        && specimens::model(subjects, setup, pair.1).is_some();
    let place = |s: SubjectKey, drive: u32| subjects[s].drives.get(drive as usize).cloned();
    let one = match comparison.metric.part {
        PointPart::Drive(drive) => place(pair.0, drive).zip(place(pair.1, drive)),
        _ => None,
    };
    Some(match (count(pair.0), count(pair.1)) {
        _ if plans.iter().any(|plan| plan.same_device) => say!(l, "on-one-device"),
        (1, 1) => say!(l, "of-these-two-drives"),
        _ if one.is_some() => {
            one.map(|(a, b)| say!(l, "of-two-drives", first = a, other = b)).unwrap_or_default()
        }
        (a, b) if a == b && models => say!(l, "drives-each", count = a),
        _ => say!(l, "of-these-drives"),
    })
}
