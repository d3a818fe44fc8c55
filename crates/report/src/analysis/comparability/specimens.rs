//! Groups of drives as specimens of a model: outliers among them, and the difference between models
//! with drives as a random effect.

use crate::analysis::claim::compare::{ComparedFigure, StepPlace};
use crate::analysis::comparability::conditions::sightings;
use crate::analysis::facts::{CellFacts, Facts, MeasuredFacts, SetupFacts, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey};
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::stats::specimens::{Models, models, outlying};

/// A drive whose ops/s deviate from those of the others of its group.
#[derive(Clone, Debug, PartialEq)]
pub struct OutlyingDrive {
    /// The step.
    pub step: StepKey,
    /// Index of the axis value.
    pub value: usize,
    /// The subject.
    pub subject: SubjectKey,
    /// Its index among the subject's drives.
    pub drive: u32,
    /// The drive's ops per second.
    pub ops_per_s: f64,
    /// The mean of the others, and their number.
    pub others_per_s: f64,
    /// Number of other drives in the group.
    pub others: usize,
}

/// Two models compared drive by drive, in ops/s: the first ÷ the second.
#[derive(Clone, Debug, PartialEq)]
pub struct OfModels {
    /// The step.
    pub step: StepKey,
    /// Index of the axis value.
    pub value: usize,
    /// The two subjects.
    pub pair: (SubjectKey, SubjectKey),
    /// The models' names.
    pub names: (String, String),
    /// The ratio and its interval.
    pub found: Models,
}

/// The model of all of a subject's drives, if known to be the same.
pub fn model(subjects: &Subjects, setup: &SetupFacts, subject: SubjectKey) -> Option<String> {
    let seen = sightings(subjects, setup, &[subject], "Drive", "Model");
    let mut all: Vec<&str> = seen.values().flatten().map(|(_, model)| *model).collect();
    let known = all.len() == subjects[subject].drives.len();
    all.dedup();
    (known && all.len() == 1).then(|| all[0].to_string())
}

/// For each drive, its ops/s in each repeat.
fn by_drive(cell: &CellFacts) -> Vec<Vec<f64>> {
    cell.drives.iter().map(|(_, summary)| summary.by_repeat.clone()).collect()
}

/// Comparable cells of groups.
fn groups(measured: &MeasuredFacts) -> impl Iterator<Item = (StepKey, &StepFacts, &CellFacts)> {
    let cells = |(index, step)| {
        let step: &StepFacts = step;
        step.cells
            .iter()
            .filter(|c| c.drives.len() > 1 && !c.is_barred())
            .map(move |cell| (index, step, cell))
    };
    measured.steps.keyed().flat_map(cells)
}

/// Every outlying specimen, at 5 % for all that were examined together.
pub fn apart(measured: &MeasuredFacts) -> Vec<OutlyingDrive> {
    let searched = groups(measured).count();
    let mut found = Vec::new();
    for (step, _, cell) in groups(measured) {
        for one in outlying(&by_drive(cell), searched) {
            let level = |i: usize| Some(cell.drives[i].1.ops_per_s.as_ref()?.value);
            let others = (0..cell.drives.len()).filter(|i| *i != one);
            let rest: Vec<f64> = others.filter_map(level).collect();
            let Some(own) = level(one) else { continue };
            found.push(OutlyingDrive {
                step,
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
pub fn of_models(facts: &Facts) -> Vec<OfModels> {
    let ops = Metric::total(PointFigure::Ops);
    let mut compared = Vec::new();
    for (step, of, cell) in groups(&facts.measured) {
        let before = facts.subjects.keys().take_while(|s| *s < cell.subject);
        for other in before.filter_map(|s| of.cell(s, cell.value)) {
            let at = StepPlace::Value(cell.value);
            let by = ComparedFigure { step, metric: &ops, at };
            let names = (
                model(&facts.subjects, &facts.setup, other.subject),
                model(&facts.subjects, &facts.setup, cell.subject),
            );
            let (Some(first), Some(second)) = names else { continue };
            if first != second
                && facts.comparisons.between(by, other.subject, cell.subject).is_some()
            {
                compared.push((step, other, cell, (first, second)));
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
