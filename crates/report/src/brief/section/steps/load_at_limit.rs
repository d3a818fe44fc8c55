//! The highest load of each subject within the latency limit of a search.

use crate::analysis::facts::{CellFacts, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::TableCell;
use crate::language::Language;
use crate::say;
use dyno_core::plan::search::Search;
use dyno_core::stats::Estimate;

/// The highest load within a latency limit.
pub const SECTION: Section =
    Section::main("limit", |l| say!(l, "section-limit"), SectionBlocks::Figures(blocks));

fn blocks(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &measured.steps {
        let Some(search) = &step.search else { continue };
        let limit = number_format::time(l, search.at_most_ns as f64);
        let most = say!(
            l,
            "column-most-within",
            axis = step.axis_text(l),
            stream = &search.stream,
            percentile = &search.percentile,
            limit
        );
        let latency = || search.percentile.clone();
        let head = [
            say!(l, "column-subject"),
            most,
            latency(),
            "ops/s".to_string(),
            say!(l, "column-first-beyond"),
            latency(),
        ];
        let row = |subject| {
            let failed = measured.fell_behind(step, subject, None).min();
            let mut row = row(l, step, search, subject, failed);
            row.insert(0, subjects[subject].name.clone().into());
            (Mark::None, row)
        };
        let rows = subjects.keys().map(row).collect();
        out.extend([
            Block::chapter(step.title.text(l)),
            Table::measured(l, 1, &head, rows).block(),
        ]);
    }
    if !out.is_empty() {
        out.insert(0, Block::note(say!(l, "limit-how")));
    }
    out
}

/// A row, with the first axis value at which a point failed.
fn row(
    l: Language,
    step: &StepFacts,
    search: &Search,
    subject: SubjectKey,
    failed: Option<ValueKey>,
) -> Vec<TableCell> {
    let cells: Vec<&CellFacts> = step.cells_of(subject).into_iter().flatten().collect();
    let holds = |cell: &&&CellFacts| cell.holds_in_all(search) == Some(true);
    let broken = cells.iter().find(|cell| cell.holds_in_all(search) == Some(false));
    let first_broken = broken.map(|cell| cell.value).into_iter().chain(failed).min();
    let before = |cell: &&&CellFacts| first_broken.is_none_or(|value| cell.value < value);
    let held = cells.iter().rev().find(|cell| before(cell) && holds(cell));
    let broken = broken.filter(|cell| first_broken == Some(cell.value));
    let label = |value: Option<ValueKey>| {
        value.map_or(NONE.to_string(), |value| step.values[value].text(l))
    };
    let latency =
        |cell: Option<&&CellFacts>| TableCell::latency(cell.and_then(|c| reached(c, search)));
    let ops = held
        .and_then(|cell| cell.total.as_ref())
        .map_or(NONE.to_string(), |total| number_format::ops(l, total.ops_per_s.as_ref()));
    vec![
        label(held.map(|cell| cell.value)).into(),
        latency(held),
        ops.into(),
        label(first_broken).into(),
        latency(broken),
    ]
}

/// The limited percentile.
fn reached<'c>(cell: &'c CellFacts, search: &Search) -> Option<&'c Estimate> {
    let class = cell.stream(&search.stream)?.limited_class()?;
    class.user_latency().percentiles_ns[search.index()].as_ref()
}
