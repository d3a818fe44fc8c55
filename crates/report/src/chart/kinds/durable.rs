//! Writes over the number of writers, by kind of durability, which shows power-loss protection.

use crate::analysis::facts::{
    CellFacts, MeasuredFacts, StepDurability, StepFacts, Subjects, WriteGroup,
};
use crate::analysis::keys::SubjectKey;
use crate::chart::kinds::curve::{CurveChart, CurvePoint, CurveSeries};
use crate::chart::{Chart, FigureText};
use crate::language::Language;
use crate::say;

/// More lines than this cannot be distinguished: those without durability are then omitted.
const MOST_LINES: usize = 8;

/// A figure for each group of swept steps that differ only in durability.
pub fn figures(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    groups: &[WriteGroup],
) -> Vec<Chart> {
    groups.iter().filter_map(|group| figure(l, subjects, measured, group)).collect()
}

/// The name of a kind of durability after a subject.
pub fn called(l: Language, manner: StepDurability) -> String {
    match manner {
        StepDurability::None => say!(l, "durable-not"),
        StepDurability::Fua => "FUA".to_string(),
        StepDurability::Fdatasync => say!(l, "durable-fdatasync"),
        StepDurability::Commit => say!(l, "durable-commit"),
    }
}

fn figure(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    group: &WriteGroup,
) -> Option<Chart> {
    let (_, first) = group.durable.first()?;
    let lead = &measured.steps[*first];
    lead.axis.as_ref().filter(|_| lead.values.len() > 1)?;
    let (mut series, mut steps) = (Vec::new(), group.steps());
    if steps.len() * subjects.len() > MOST_LINES {
        steps.retain(|(manner, _)| *manner != StepDurability::None);
    }
    for (subject, own) in subjects.iter_enumerated() {
        for &(manner, index) in &steps {
            let name = l.sequence(&[own.name.clone(), called(l, manner)]);
            let points = points(lead, &measured.steps[index], subject);
            series.push(CurveSeries { name, points });
        }
    }
    let caption = say!(l, "durable-figure", step = &lead.title);
    let plot = CurveChart {
        text: FigureText::of(l, say!(l, "section-durable"), caption),
        x_label: lead.axis_text(l),
        y_label: "ops/s".to_string(),
        log_y: true,
        joined: true,
        places: lead.values.iter().map(|value| value.text(l)).collect(),
        series,
        call_outs: Vec::new(),
    };
    Some(Chart::new(format!("durable-{}", lead.name), plot))
}

/// A subject's points in a step, at the positions of the same values in another step.
fn points(lead: &StepFacts, step: &StepFacts, subject: SubjectKey) -> Vec<CurvePoint> {
    let point = |cell: &CellFacts| {
        let ops = cell.total.as_ref()?.ops_per_s.as_ref()?;
        let value = &step.values[cell.value];
        let place = lead.values.position(|own| own.label == value.label)?;
        let (x, y) = (place.0 as f64, ops.value);
        let (label, mark) = (String::new(), cell.rate_mark());
        let (low, high) = (ops.low, ops.high);
        Some(CurvePoint { x, y, label, low, high, mark })
    };
    step.cells_of(subject).into_iter().flatten().filter_map(point).collect()
}
