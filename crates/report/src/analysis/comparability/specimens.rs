//! Groups of drives as specimens of a model: outliers among them, and the difference between models
//! with drives as a random effect.

use crate::analysis::claim::compare::{ComparedFigure, StepPlace};
use crate::analysis::comparison::{ClaimScope, Comparison};
use crate::analysis::facts::{
    CellFacts, Comparisons, MeasuredFacts, SetupFacts, StepFacts, SubjectFacts, Subjects,
};
use crate::analysis::keys::{StepKey, SubjectKey};
use crate::analysis::notes::{OfModels, OutlyingDrive};
use crate::analysis::points::metric::{Metric, PointFigure, PointPart};
use dyno_core::stats::specimens::{models, outlying};

/// The model of all of a subject's drives, if known to be the same.
pub fn model(subjects: &Subjects, subject: SubjectKey) -> Option<String> {
    let SubjectFacts { drives, setups, .. } = &subjects[subject];
    let mut all: Vec<&str> = setups.iter().filter_map(|drive| drive.model.as_deref()).collect();
    let known = all.len() == drives.len();
    all.dedup();
    (known && all.len() == 1).then(|| all[0].to_string())
}

/// The drives for which a claim holds: this many of each model, or these only; None if no drive was
/// involved.
pub fn scope(
    subjects: &Subjects,
    setup: &SetupFacts,
    comparison: &Comparison,
) -> Option<ClaimScope> {
    let pair = [comparison.better, comparison.worse];
    let runs = pair.map(|subject| setup.run_of(&subjects[subject]));
    if runs.iter().any(|run| run.resolved.keeps_no_data()) {
        return None;
    }
    let [own, others] = pair.map(|subject| &subjects[subject].drives);
    let one = match comparison.metric.part {
        PointPart::Drive(drive) => own.get(drive).zip(others.get(drive)),
        _ => None,
    };
    let models = || pair.iter().all(|s| model(subjects, *s).is_some());
    Some(match (own.len(), others.len(), one) {
        _ if runs.iter().any(|run| run.shares_device) => ClaimScope::OneDevice,
        (1, 1, _) => ClaimScope::TwoDrives,
        (.., Some((a, b))) => ClaimScope::OfGroups(a.clone(), b.clone()),
        (a, b, None) if a == b && models() => ClaimScope::Each(a),
        _ => ClaimScope::TheseDrives,
    })
}

/// For each drive, its ops/s in each repeat.
fn by_drive(cell: &CellFacts) -> Vec<Vec<f64>> {
    cell.drives.iter().map(|(_, summary)| summary.by_repeat.clone()).collect()
}

/// Comparable cells of groups.
fn groups(measured: &MeasuredFacts) -> impl Iterator<Item = (&StepFacts, &CellFacts)> {
    let is_group = |c: &&CellFacts| c.drives.len() > 1 && !c.is_barred();
    let steps = measured.steps.iter();
    steps.flat_map(move |step| step.cells.iter().filter(is_group).map(move |cell| (step, cell)))
}

/// Every outlying specimen, at 5 % for all that were examined together.
pub fn apart(measured: &MeasuredFacts) -> Vec<OutlyingDrive> {
    let searched = groups(measured).count();
    let mut found = Vec::new();
    for (step, cell) in groups(measured) {
        for one in outlying(&by_drive(cell), searched) {
            let level = |i: usize| Some(cell.drives[i].1.ops_per_s.as_ref()?.value);
            let others = (0..cell.drives.len()).filter(|i| *i != one);
            let rest: Vec<f64> = others.filter_map(level).collect();
            let Some(own) = level(one) else { continue };
            found.push(OutlyingDrive {
                step: step.key,
                value: cell.value,
                subject: cell.subject,
                drive: cell.drives[one].0,
                ops_per_s: own,
                others_per_s: rest.iter().sum::<f64>() / rest.len().max(1) as f64,
                others: rest.len(),
            });
        }
    }
    found
}

/// Models with three or more specimens each, if their subjects may be compared in ops/s.
pub fn of_models(
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<OfModels> {
    let ops = Metric::total(PointFigure::Ops);
    let mut compared = Vec::new();
    for (step, cell) in groups(measured) {
        let before = subjects.keys().take_while(|s| *s < cell.subject);
        for other in before.filter_map(|s| step.cell(s, cell.value)) {
            let at = StepPlace::Value(cell.value);
            let by = ComparedFigure { step, metric: &ops, at };
            let names = [other, cell].map(|cell| model(subjects, cell.subject));
            let [Some(first), Some(second)] = names else { continue };
            if first != second && comparisons.between(by, other.subject, cell.subject).is_some() {
                compared.push((step.key, other, cell, (first, second)));
            }
        }
    }
    let searched = compared.len();
    let of = |(step, a, b, names): (StepKey, &CellFacts, &CellFacts, (String, String))| {
        let found = models(&by_drive(a), &by_drive(b), searched)?;
        Some(OfModels { step, value: a.value, pair: (a.subject, b.subject), names, found })
    };
    compared.into_iter().filter_map(of).collect()
}
