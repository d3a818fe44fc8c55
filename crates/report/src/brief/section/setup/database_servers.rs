//! Several database servers in one subject: each one's results and resources, their sum, the two
//! figures that are both called "p99" elsewhere, and the spread between servers.
//!
//! The rate of a server is its mean over the repeats, so that the servers' rates add up to the
//! total; the geometric mean used for levels elsewhere does not.

use crate::analysis::facts::{CellFacts, MeasuredFacts, SetupFacts, StepFacts, Subjects};
use crate::analysis::keys::DriveKey;
use crate::analysis::points::point_summary::{P50, P99, P999, RepeatSummary};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::chart::step::name;
use crate::language::Language;
use crate::say;
use dyno_core::base::units;
use dyno_core::stats::spread::{spread, variation};

/// Results by server.
pub const SECTION: Section = Section::main(
    "database-servers",
    |l| say!(l, "section-database-servers"),
    SectionBlocks::Setup(blocks),
);

fn blocks(
    l: Language,
    subjects: &Subjects,
    setup: &SetupFacts,
    measured: &MeasuredFacts,
) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &measured.steps {
        let Some(together) = together(l, subjects, setup, step) else { continue };
        out.extend([Block::chapter(step.title.text(l)), together.block()]);
        out.extend(each(l, subjects, setup, step).map(Table::block));
    }
    if !out.is_empty() {
        out.push(Block::note(how(l)));
    }
    out
}

/// The computation of the numbers.
pub fn how(l: Language) -> String {
    say!(l, "database-servers-how")
}

/// The servers of a cell by drive and instance; empty if there is at most one.
fn servers<'f>(
    setup: &SetupFacts,
    step: &StepFacts,
    cell: &'f CellFacts,
) -> Vec<(DriveKey, u32, &'f RepeatSummary)> {
    let of_plan = setup.runs[cell.run].resolved.protocol.step(&step.own_name);
    let mut streams = of_plan.iter().flat_map(|s| &s.streams);
    if !streams
        .any(|stream| stream.engine.knobs.get("server").is_some_and(|server| server.is_string()))
    {
        return Vec::new();
    }
    let copies = cell.instances.iter().map(|((drive, instance), s)| (*drive, *instance, s));
    match cell.instances.is_empty() {
        true => cell.drives.iter().map(|(drive, s)| (*drive, 0, s)).collect(),
        false => copies.collect(),
    }
}

/// The mean over the repeats.
fn rate(summary: &RepeatSummary) -> f64 {
    summary.by_repeat.iter().sum::<f64>() / summary.by_repeat.len().max(1) as f64
}

fn transactions(summary: &RepeatSummary) -> u64 {
    summary.classes.iter().filter(|c| c.class.counts_as_op()).filter_map(|c| c.ops).sum()
}

/// A row for each subject and axis value, for all its servers together.
pub fn together(
    l: Language,
    subjects: &Subjects,
    setup: &SetupFacts,
    step: &StepFacts,
) -> Option<Table> {
    let head = [
        step.axis_text(l),
        say!(l, "column-subject"),
        say!(l, "column-servers"),
        say!(l, "column-transactions-per-s-sum"),
        say!(l, "column-min"),
        say!(l, "column-median"),
        say!(l, "column-max"),
        say!(l, "column-variation"),
        say!(l, "column-mean-of-p99s"),
        say!(l, "column-p99-pooled"),
    ];
    let p99_ns = |s: &RepeatSummary| s.measured_p99_ns(step.class);
    let row = |cell: &CellFacts| {
        let (all, total) = (servers(setup, step, cell), cell.total.as_ref()?);
        let rates: Vec<f64> = all.iter().map(|(.., s)| rate(s)).collect();
        let apart = spread(&rates).filter(|_| all.len() > 1)?;
        let p99s: Option<Vec<f64>> = all.iter().map(|(.., s)| p99_ns(s)).collect();
        let mean = p99s.map(|p99s| p99s.iter().sum::<f64>() / p99s.len() as f64);
        let varied = variation(&rates).map(|share| number_format::share(l, share));
        let mut row =
            texts([step.values[cell.value].text(l), name(subjects, cell), all.len().to_string()]);
        let rates = [rate(total), apart.min, apart.median, apart.max];
        row.extend(rates.map(TableCell::fixed));
        row.push(varied.unwrap_or(NONE.into()).into());
        row.extend([TableCell::time(mean), TableCell::latency(total.p99_ns(step.class))]);
        Some((Mark::None, row))
    };
    let rows: Vec<_> = step.cells.iter().filter_map(row).collect();
    (!rows.is_empty()).then(|| Table::measured(l, 2, &head, rows))
}

/// A row for each server, and one for all of a subject's.
pub fn each(
    l: Language,
    subjects: &Subjects,
    setup: &SetupFacts,
    step: &StepFacts,
) -> Option<Table> {
    let mut head = vec![step.axis_text(l), say!(l, "column-subject"), say!(l, "column-server")];
    head.extend([say!(l, "column-processors"), say!(l, "column-memory-limit")]);
    head.extend([say!(l, "column-transactions"), say!(l, "column-transactions-per-s")]);
    head.push(say!(l, "mean"));
    head.extend(["p50", "p99", "p99.9"].map(String::from));
    let mut rows = Vec::new();
    for cell in &step.cells {
        let (all, Some(total)) = (servers(setup, step, cell), &cell.total) else {
            continue;
        };
        if all.len() < 2 {
            continue;
        }
        let at = [step.values[cell.value].text(l), name(subjects, cell)];
        for (i, (drive, instance, summary)) in all.iter().enumerate() {
            let [processors, memory] = share(l, cell, (*drive, *instance));
            let server = server(l, subjects, cell, (*drive, *instance));
            let mark = if i == 0 { Mark::First } else { Mark::None };
            let left = [at.to_vec(), vec![server, processors, memory]].concat();
            rows.push((mark, [texts(left), numbers(l, step, summary)].concat()));
        }
        let all = vec![say!(l, "all-servers"), String::new(), String::new()];
        let left = [at.to_vec(), all].concat();
        rows.push((Mark::None, [texts(left), numbers(l, step, total)].concat()));
    }
    (!rows.is_empty()).then(|| Table::measured(l, 5, &head, rows))
}

/// The drive, and the server's number if it has several.
fn server(
    l: Language,
    subjects: &Subjects,
    cell: &CellFacts,
    (drive, instance): (DriveKey, u32),
) -> String {
    let drives = &subjects[cell.subject].drives;
    let drive = drives.get(drive).cloned().unwrap_or_default();
    match cell.instances.is_empty() {
        true => drive,
        false => say!(l, "server-of-drive", drive, server = instance + 1),
    }
}

/// Processors and memory, as reported by the kernel; empty for a server that Dyno did not start.
fn share(l: Language, cell: &CellFacts, (drive, instance): (DriveKey, u32)) -> [String; 2] {
    let own =
        cell.servers.iter().find(|s| (DriveKey::from(s.drive), s.instance) == (drive, instance));
    let Some(own) = own else { return [NONE.to_string(), NONE.to_string()] };
    let processors = match own.shared {
        true => say!(l, "shared-processors", processors = &own.processors),
        false => own.processors.clone(),
    };
    let memory = own.memory_bytes.map_or(NONE.into(), |bytes| l.number(&units::bytes(bytes)));
    [processors, memory]
}

fn numbers(l: Language, step: &StepFacts, summary: &RepeatSummary) -> Vec<TableCell> {
    let times = summary.user_latency(step.class);
    let mut row: Vec<TableCell> = vec![number_format::grouped(l, transactions(summary)).into()];
    row.extend([TableCell::fixed(rate(summary)), TableCell::mean(times)]);
    row.extend([P50, P99, P999].map(|at| TableCell::percentile(times, at)));
    row
}
