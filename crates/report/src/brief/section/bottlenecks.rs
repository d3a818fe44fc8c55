//! Bottlenecks: what limited each point, with the evidence.

use super::{Section, SectionBlocks};
use crate::analysis::facts::{CellFacts, MeasuredFacts, StepFacts, Subjects};
use crate::brief::block::{Block, Table};
use crate::brief::text::bottleneck_text::{because, limit};
use crate::chart::MARK;
use crate::chart::step::name;
use crate::language::Language;
use crate::say;

/// The bottleneck of each point.
pub const SECTION: Section =
    Section::appendix("limits", |l| say!(l, "section-limits"), SectionBlocks::Figures(blocks));

/// The note below tables with such marks.
pub fn note(l: Language) -> String {
    say!(l, "see-bottleneck-marks")
}

fn blocks(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let Some(sum) = sum(l, measured) else { return Vec::new() };
    let mut out = vec![Block::text(sum), Block::note(say!(l, "bottleneck-how"))];
    for step in &measured.steps {
        let rows = joined(l, rows(l, subjects, step));
        if !rows.is_empty() {
            let head = [
                step.axis_text(l),
                say!(l, "column-subject"),
                say!(l, "column-limited-by"),
                say!(l, "column-because"),
            ];
            out.extend([Block::chapter(step.title.text(l)), Table::of(4, &head, rows).block()]);
        }
    }
    out
}

/// The bottleneck of each point, as lines: "Disk, threads 8, 16: drive; …".
pub fn lines(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<String> {
    let line = |row: Vec<String>| {
        let [at, subject, limit, evidence] = &row[..] else { return String::new() };
        let place = place(l, step, subject, at);
        say!(l, "limited-by", place, limit, evidence)
    };
    joined(l, rows(l, subjects, step)).into_iter().map(line).collect()
}

/// "Disk, threads 8": a subject at values of the axis.
pub fn place(l: Language, step: &StepFacts, subject: &str, at: &str) -> String {
    match at.is_empty() {
        true => subject.to_string(),
        false => {
            say!(l, "place-on-axis", what = subject, axis = step.axis_text(l), value = at)
        }
    }
}

/// A row for each cell with a verdict: place, subject, bottleneck, evidence.
fn rows(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<Vec<String>> {
    let row = |cell: &CellFacts| {
        let verdict = cell.limit.as_ref()?;
        let at = step.values[cell.value].text(l);
        Some(vec![at, name(subjects, cell), limit(l, verdict.limit), because(l, verdict)])
    };
    step.cells.iter().filter_map(row).collect()
}

/// Rows that differ only in place are merged: "1, 2, 4".
fn joined(l: Language, rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for row in rows {
        match all.iter_mut().find(|known| known[1..] == row[1..]) {
            Some(known) => known[0] = l.sequence(&[known[0].clone(), row[0].clone()]),
            None => all.push(row),
        }
    }
    all
}

/// The number of cells with each bottleneck, as a sentence; None without meters.
fn sum(l: Language, measured: &MeasuredFacts) -> Option<String> {
    let all = || measured.steps.iter().flat_map(|s| &s.cells).filter_map(|c| c.limit.as_ref());
    let total = all().count();
    let by_drive = all().filter(|v| v.limit.is_drive()).count();
    let barred = all().filter(|v| v.limit.bars_ranking()).count();
    (total > 0).then(|| {
        let (drive, others) = (by_drive, barred);
        let sum = say!(l, "bottleneck-sum", drive, points = total, others, mark = MARK);
        match total > drive + others {
            true => say!(l, "two-sentences", first = sum, second = say!(l, "bottleneck-rest")),
            false => sum,
        }
    })
}
