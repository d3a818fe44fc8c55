//! Latency–load curves: their knees, and subjects compared at equal latency and at equal load.

use crate::analysis::claim::compare::StepPlace;
use crate::analysis::facts::{Comparisons, MeasuredFacts, Subjects};
use crate::analysis::keys::SubjectKey;
use crate::brief::block::{Block, Mark, Table};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::TableCell;
use crate::brief::text::wording;
use crate::chart::StepDrawing;
use crate::language::Language;
use crate::say;
use dyno_core::plan::Field;

/// Comparisons at equal latency and at equal load.
pub const SECTION: Section = Section::main(
    "equal-latency",
    |l| say!(l, "section-equal-latency"),
    SectionBlocks::Compared(blocks),
);

fn head(l: Language) -> Vec<String> {
    vec![
        say!(l, "column-subject"),
        say!(l, "column-knee-ops"),
        say!(l, "column-knee-p99"),
        say!(l, "column-load-at-equal-p99"),
        say!(l, "column-p99-at-equal-load"),
    ]
}

/// The reading of the curves.
pub fn how(l: Language) -> String {
    say!(l, "equal-load-how")
}

fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    let mut all: Vec<(Mark, Vec<TableCell>)> = Vec::new();
    for step in &measured.steps {
        // The step is named once.
        let named = |(i, row): (usize, Vec<TableCell>)| {
            let name = if i == 0 { step.title.text(l) } else { String::new() };
            (Mark::None, [vec![name.into()], row].concat())
        };
        let drawing = StepDrawing::of(l, subjects, comparisons, step);
        all.extend(rows(&drawing).into_iter().enumerate().map(named));
    }
    if all.is_empty() {
        return Vec::new();
    }
    let head = [vec![say!(l, "column-step")], head(l)].concat();
    vec![Block::note(how(l)), Table::measured(l, 2, &head, all).block()]
}

/// A row for each subject of a step with an open-loop sweep.
pub fn table(drawing: &StepDrawing<'_>) -> Option<Table> {
    let l = drawing.language;
    let rows: Vec<_> = rows(drawing).into_iter().map(|row| (Mark::None, row)).collect();
    (!rows.is_empty()).then(|| Table::measured(l, 1, &head(l), rows))
}

fn rows(drawing: &StepDrawing<'_>) -> Vec<Vec<TableCell>> {
    let &StepDrawing { language: l, subjects, comparisons, step, .. } = drawing;
    let axis = step.axis.as_ref().map(|a| a.field);
    if step.values.len() < 4 || !matches!(axis, Some(Field::LoadPercent | Field::OpsPerSec)) {
        return Vec::new();
    }
    let compared = |subject: SubjectKey, of: fn(&StepPlace) -> bool, latency: bool| {
        let own = |c: &&crate::analysis::Comparison| {
            c.step == step.key
                && of(&c.at)
                && c.metric.is_latency() == latency
                && c.is_of(subjects.headline, subject)
                && subject != subjects.headline
        };
        // Without an interval, the first page says why.
        let found = comparisons.all.iter().find(own).filter(|c| c.interval.is_some());
        TableCell::from(found.map(|c| wording::in_table(l, subjects, c)))
    };
    let row = |subject: SubjectKey| {
        let knee = step.over_axis.knee(subject);
        let mut row = vec![TableCell::from(subjects[subject].name.clone())];
        row.push(TableCell::fixed(knee.map(|k| k.load)));
        row.push(TableCell::time(knee.map(|k| k.latency)));
        row.push(compared(subject, |at| matches!(at, StepPlace::Latency(_)), false));
        row.push(compared(subject, |at| *at == StepPlace::Mean, true));
        row
    };
    let all: Vec<Vec<TableCell>> = subjects.keys().map(row).collect();
    if all.iter().all(|row| row[1..].iter().all(|cell| *cell == TableCell::none())) {
        Vec::new()
    } else {
        all
    }
}
