//! The drives of a group: the subject as a whole, each drive, and the spread between them.
//!
//! The whole is the sum of its drives' ops and the percentile of their merged histograms, never a
//! mean of percentiles; the spread is the minimum, median and maximum of the individual drives.

use crate::analysis::facts::{CellFacts, MeasuredFacts, SetupFacts, StepFacts, Subjects};
use crate::analysis::points::point_summary::{P50, P99, P999, RepeatSummary};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::section::setup::database_servers;
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::chart::step::name;
use crate::language::Language;
use crate::say;
use dyno_core::stats::spread::{Dispersion, spread};

/// Each drive of a group.
pub const SECTION: Section =
    Section::appendix("drives", |l| say!(l, "section-drives"), SectionBlocks::Setup(blocks));

/// The computation of a group's numbers.
pub fn aggregation(l: Language) -> String {
    say!(l, "drives-aggregation")
}

fn head(l: Language) -> Vec<String> {
    let spread = || [say!(l, "column-min"), say!(l, "column-median"), say!(l, "column-max")];
    let mut head = vec![say!(l, "column-subject"), say!(l, "column-drives")];
    head.push(say!(l, "column-ops-sum"));
    head.extend(spread());
    head.push(say!(l, "column-p99-merged"));
    head.extend(spread());
    head
}

fn instance_head(l: Language) -> Vec<String> {
    vec![
        say!(l, "column-subject"),
        say!(l, "column-instances"),
        say!(l, "column-ops-sum"),
        say!(l, "column-p99-pooled"),
        say!(l, "column-mean-of-p99s"),
        say!(l, "column-least"),
        say!(l, "column-median"),
        say!(l, "column-most"),
    ]
}

fn drive_head(l: Language) -> Vec<String> {
    let mut head = vec![say!(l, "column-subject"), say!(l, "column-drive")];
    head.extend(["ops/s", "MB/s"].map(String::from));
    head.push(say!(l, "mean"));
    head.extend(["p50", "p99", "p99.9"].map(String::from));
    head
}

fn blocks(
    l: Language,
    subjects: &Subjects,
    setup: &SetupFacts,
    measured: &MeasuredFacts,
) -> Vec<Block> {
    let mut out = Vec::new();
    // Servers have their own section.
    let is_of_drives = |s: &&StepFacts| database_servers::together(l, subjects, setup, s).is_none();
    let steps = || measured.steps.iter().filter(is_of_drives);
    for step in steps() {
        let Some(whole) = whole(l, subjects, step) else { continue };
        out.extend([Block::chapter(step.title.text(l)), whole.block()]);
        out.extend(each(l, subjects, step).map(Table::block));
    }
    if !out.is_empty() {
        out.insert(0, Block::note(aggregation(l)));
    }
    for step in steps() {
        let copies = table(l, step, 2, instance_head(l), instance_rows(l, subjects, step));
        out.extend(copies.into_iter().flat_map(|t| {
            let title = say!(l, "instance-by-instance", step = &step.title);
            [Block::chapter(title), t.block(), Block::note(say!(l, "drives-pooled"))]
        }));
    }
    out
}

/// A row for each cell with several instances: the pooled p99, and those of the individual
/// instances.
fn instance_rows(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<Vec<TableCell>> {
    let p99_ns = |s: &RepeatSummary| s.measured_p99_ns(step.class);
    let row = |cell: &CellFacts| {
        let total = cell.total.as_ref().filter(|_| cell.instances.len() > 1)?;
        let each: Option<Vec<f64>> = cell.instances.iter().map(|(_, s)| p99_ns(s)).collect();
        let each = each?;
        let mean = each.iter().sum::<f64>() / each.len() as f64;
        let mut row = texts([step.values[cell.value].text(l), name(subjects, cell)]);
        row.push(cell.instances.len().to_string().into());
        row.push(TableCell::rate(total.ops_per_s.as_ref()));
        row.extend([TableCell::latency(total.p99_ns(step.class)), TableCell::time(mean)]);
        row.extend(three(spread(&each), TableCell::time));
        Some(row)
    };
    step.cells.iter().filter_map(row).collect()
}

/// A row for each cell of a group: the whole and its spread.
pub fn whole(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<Table> {
    table(l, step, 2, head(l), rows(l, subjects, step))
}

/// A row for each drive of each group.
pub fn each(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<Table> {
    table(l, step, 3, drive_head(l), drive_rows(l, subjects, step))
}

fn table(
    l: Language,
    step: &StepFacts,
    left: usize,
    head: Vec<String>,
    rows: Vec<Vec<TableCell>>,
) -> Option<Table> {
    let head = [vec![step.axis_text(l)], head].concat();
    let rows: Vec<_> = rows.into_iter().map(|row| (Mark::None, row)).collect();
    (!rows.is_empty()).then(|| Table::measured(l, left, &head, rows))
}

fn rows(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<Vec<TableCell>> {
    let p99_ns = |s: &RepeatSummary| s.measured_p99_ns(step.class);
    let row = |cell: &CellFacts| {
        let total = cell.total.as_ref().filter(|_| cell.drives.len() > 1)?;
        let rates = cell.drives.iter().filter_map(|(_, s)| s.ops_per_s.as_ref());
        let ops: Vec<f64> = rates.map(|ops| ops.value).collect();
        let p99: Option<Vec<f64>> = cell.drives.iter().map(|(_, s)| p99_ns(s)).collect();
        let mut row = texts([step.values[cell.value].text(l), name(subjects, cell)]);
        row.push(cell.drives.len().to_string().into());
        row.push(TableCell::rate(total.ops_per_s.as_ref()));
        row.extend(three(spread(&ops), TableCell::fixed));
        row.push(TableCell::latency(total.p99_ns(step.class)));
        row.extend(three(p99.and_then(|p| spread(&p)), TableCell::time));
        Some(row)
    };
    step.cells.iter().filter_map(row).collect()
}

fn three(spread: Option<Dispersion>, show: fn(Option<f64>) -> TableCell) -> [TableCell; 3] {
    let parts: [fn(Dispersion) -> f64; 3] = [|s| s.min, |s| s.median, |s| s.max];
    parts.map(|part| show(spread.map(part)))
}

fn drive_rows(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<Vec<TableCell>> {
    let mut all = Vec::new();
    for cell in step.cells.iter().filter(|c| c.drives.len() > 1) {
        for (drive, summary) in &cell.drives {
            let times = summary.user_latency(step.class);
            let drives = &subjects[cell.subject].drives;
            let drive_name = drives.get(*drive).cloned().unwrap_or_default();
            let mut row =
                texts([step.values[cell.value].text(l), name(subjects, cell), drive_name]);
            row.push(TableCell::rate(summary.ops_per_s.as_ref()));
            row.push(TableCell::megabytes(summary.bytes_per_s.as_ref()));
            row.push(TableCell::mean(times));
            row.extend([P50, P99, P999].map(|at| TableCell::percentile(times, at)));
            all.push(row);
        }
    }
    all
}
