//! The drives of a group: the subject as a whole, each drive for itself, and how far they lie
//! apart.
//!
//! The whole is the sum of its drives' ops and the percentile of their merged histograms, never a
//! mean of percentiles; the spread is the least, the middle and the most that a single drive did.

use super::Section;
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::point_summary::{ClassSummary, P99, Summary};
use crate::base::units;
use crate::brief::block::{Block, Table};
use crate::brief::number_format::{self, NONE};
use crate::chart::step::name;
use crate::say;
use crate::stats::spread::{Spread, spread};

/// Each drive of a group.
pub const SECTION: Section =
    Section { id: "drives", title: |l| say!(l, "section-drives"), appendix: true, blocks };

/// How the numbers of a group come about.
pub const AGGREGATION: &str = "Of several drives: ops/s are their sum, percentiles those of their \
merged histograms (not a mean of percentiles); min, median and max are over the single drives.";

const HEAD: [&str; 10] = [
    "subject",
    "drives",
    "ops/s, sum",
    "min",
    "median",
    "max",
    "p99, merged",
    "min",
    "median",
    "max",
];

const INSTANCE_HEAD: [&str; 8] = [
    "subject",
    "instances",
    "ops/s, sum",
    "p99, pooled",
    "mean of p99s",
    "least",
    "median",
    "most",
];

const POOLED: &str = "Of several instances: the pooled p99 is that of their merged histograms, of \
all their transactions together; beside it the mean of the instances' own p99s, as reviews of \
several virtual machines print it. They answer different questions.";

const DRIVE_HEAD: [&str; 8] = ["subject", "drive", "ops/s", "MB/s", "mean", "p50", "p99", "p99.9"];

fn blocks(facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &facts.steps {
        let Some(whole) = whole(facts, step) else { continue };
        out.extend([Block::chapter(&step.title), whole.block()]);
        out.extend(each(facts, step).map(Table::block));
    }
    if !out.is_empty() {
        out.insert(0, Block::note(AGGREGATION));
    }
    for step in &facts.steps {
        let copies = table(step, 2, &INSTANCE_HEAD, instance_rows(facts, step));
        out.extend(copies.into_iter().flat_map(|t| {
            let title = format!("Instance by instance: {}", step.title);
            [Block::chapter(title), t.block(), Block::note(POOLED)]
        }));
    }
    out
}

/// A row for each cell of several instances: the pooled p99, and what single instances have.
fn instance_rows(facts: &Facts, step: &StepFacts) -> Vec<Vec<String>> {
    let row = |cell: &CellFacts| {
        let total = cell.total.as_ref().filter(|_| cell.instances.len() > 1)?;
        let each: Option<Vec<f64>> = cell.instances.iter().map(|(_, s)| p99_ns(step, s)).collect();
        let each = each?;
        let mean = each.iter().sum::<f64>() / each.len() as f64;
        let mut row = vec![step.values[cell.value].label.clone(), name(facts, cell)];
        row.extend([cell.instances.len().to_string(), number_format::ops(&total.ops_per_s)]);
        row.push(p99_ns(step, total).map_or(NONE.to_string(), units::latency));
        row.push(units::latency(mean));
        row.extend(three(spread(&each), units::latency));
        Some(row)
    };
    step.cells.iter().filter_map(row).collect()
}

/// A row for each cell of a group: the whole and its spread.
pub fn whole(facts: &Facts, step: &StepFacts) -> Option<Table> {
    table(step, 2, &HEAD, rows(facts, step))
}

/// A row for each drive of each group.
pub fn each(facts: &Facts, step: &StepFacts) -> Option<Table> {
    table(step, 3, &DRIVE_HEAD, drive_rows(facts, step))
}

fn table(step: &StepFacts, left: usize, head: &[&str], rows: Vec<Vec<String>>) -> Option<Table> {
    (!rows.is_empty()).then(|| Table::of(left, &[&[step.axis_label()], head].concat(), rows))
}

fn rows(facts: &Facts, step: &StepFacts) -> Vec<Vec<String>> {
    let row = |cell: &CellFacts| {
        let total = cell.total.as_ref().filter(|_| cell.drives.len() > 1)?;
        let ops: Vec<f64> = cell.drives.iter().map(|(_, s)| s.ops_per_s.value).collect();
        let p99: Option<Vec<f64>> = cell.drives.iter().map(|(_, s)| p99_ns(step, s)).collect();
        let mut row = vec![step.values[cell.value].label.clone(), name(facts, cell)];
        row.extend([cell.drives.len().to_string(), number_format::ops(&total.ops_per_s)]);
        row.extend(three(spread(&ops), number_format::count));
        row.push(p99_ns(step, total).map_or(NONE.to_string(), units::latency));
        row.extend(three(p99.and_then(|p| spread(&p)), units::latency));
        Some(row)
    };
    step.cells.iter().filter_map(row).collect()
}

fn three(spread: Option<Spread>, show: fn(f64) -> String) -> [String; 3] {
    spread.map_or([NONE, NONE, NONE].map(String::from), |s| [s.min, s.median, s.max].map(show))
}

/// Of the class that the step's figures show.
fn p99_ns(step: &StepFacts, summary: &Summary) -> Option<f64> {
    let times = summary.class(step.class).map(ClassSummary::user_latency)?;
    times.percentiles_ns[P99].as_ref().map(|e| e.value)
}

fn drive_rows(facts: &Facts, step: &StepFacts) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for cell in step.cells.iter().filter(|c| c.drives.len() > 1) {
        for (drive, summary) in &cell.drives {
            let times = summary.class(step.class).map(ClassSummary::user_latency);
            let p =
                |i: usize| number_format::latency(times.and_then(|t| t.percentiles_ns[i].as_ref()));
            let drive_name =
                facts.drives[cell.subject].get(*drive as usize).cloned().unwrap_or_default();
            all.push(vec![
                step.values[cell.value].label.clone(),
                name(facts, cell),
                drive_name,
                number_format::ops(&summary.ops_per_s),
                number_format::megabytes(summary.bytes_per_s.value),
                number_format::latency(times.and_then(|t| t.mean_ns.as_ref())),
                p(0),
                p(P99),
                p(3),
            ]);
        }
    }
    all
}
