//! The cost of durability: the same writes made durable by FUA, by a flush, and not at all; and
//! databases that sync their log at each commit.

use crate::analysis::facts::{
    CellFacts, Comparisons, Durability, MeasuredFacts, StepDurability, StepFacts, Subjects,
    WriteGroup,
};
use crate::analysis::keys::{StepKey, SubjectKey};
use crate::analysis::points::point_summary::{P9999, PERCENTILES, RepeatSummary};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::chart::kinds::durable::{called, figures};
use crate::language::Language;
use crate::say;

/// The cost of durability.
pub const SECTION: Section =
    Section::main("durable", |l| say!(l, "section-durable"), SectionBlocks::Compared(blocks));

fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    let Durability { groups, commits } = &comparisons.durability;
    if groups.is_empty() {
        return Vec::new();
    }
    let mut out = vec![Block::note(say!(l, "durable-how"))];
    out.extend(Block::figures(figures(l, subjects, measured, groups)));
    out.extend(groups.iter().filter_map(|group| table(l, subjects, measured, group)).flatten());
    let most = |index: &StepKey| most(l, subjects, &measured.steps[*index]);
    let commits: Vec<_> = commits.iter().flat_map(most).collect();
    if !commits.is_empty() {
        let head = [
            say!(l, "column-step"),
            say!(l, "column-subject"),
            say!(l, "column-at"),
            "ops/s".to_string(),
            PERCENTILES[P9999].0.to_string(),
        ];
        out.push(Block::chapter(say!(l, "durable-commits")));
        out.push(Table::measured(l, 3, &head, commits).block());
    }
    out
}

/// A row for each axis value and subject; ops/s of each kind, and their share of the same writes
/// without durability.
fn table(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    group: &WriteGroup,
) -> Option<[Block; 2]> {
    let (_, lead) = group.durable.first()?;
    let lead = &measured.steps[*lead];
    let mut head = vec![lead.axis_text(l), say!(l, "column-subject")];
    for (manner, _) in group.steps() {
        head.push(l.sequence(&[called(l, manner), "ops/s".to_string()]));
        if manner != StepDurability::None && group.plain.is_some() {
            head.push(say!(l, "durable-share"));
        }
        if manner != StepDurability::None {
            head.push(say!(l, "durable-requests"));
        }
        head.push(PERCENTILES[P9999].0.to_string());
    }
    let mut rows = Vec::new();
    for value in &lead.values {
        for subject in subjects.keys() {
            let mut row = texts([value.text(l), subjects[subject].name.clone()]);
            let of = |index: StepKey| {
                let step = &measured.steps[index];
                let at = step.values.position(|own| own.label == value.label)?;
                step.cell(subject, at)
            };
            let plain = group.plain.and_then(of).and_then(|cell| cell.total.as_deref());
            for (manner, index) in group.steps() {
                row.extend(cells(l, manner, of(index), plain, group.plain.is_some()));
            }
            rows.push((Mark::None, row));
        }
    }
    Some([Block::chapter(lead.title.text(l)), Table::measured(l, 2, &head, rows).block()])
}

fn cells(
    l: Language,
    manner: StepDurability,
    cell: Option<&CellFacts>,
    plain: Option<&RepeatSummary>,
    shared: bool,
) -> Vec<TableCell> {
    let own = cell.and_then(|cell| cell.total.as_deref());
    let mut cells = vec![TableCell::rate(own.and_then(|own| own.ops_per_s.as_ref()))];
    if manner != StepDurability::None && shared {
        let rate = |of: &RepeatSummary| Some(of.ops_per_s.as_ref()?.value);
        let share = own.and_then(rate).zip(plain.and_then(rate)).map(|(own, plain)| own / plain);
        let share = share.filter(|share| share.is_finite());
        cells.push(share.map(|share| l.number(&format!("{:.0} %", share * 100.0))).into());
    }
    if manner != StepDurability::None {
        cells.push(cell.and_then(|cell| requests(l, manner, cell)).into());
    }
    cells.push(TableCell::latency(own.and_then(p9999)));
    cells
}

/// The requests for durability that reached the devices, for each op. Without any, the durability
/// of the writes was not tested.
fn requests(l: Language, manner: StepDurability, cell: &CellFacts) -> Option<String> {
    let sent = cell.writes.as_ref()?.durability()?;
    let ops: u64 = cell.total.as_ref()?.classes.iter().filter_map(|class| class.ops).sum();
    let by_fua = manner == StepDurability::Fua && sent.passes_fua;
    let flushes = sent.flushes / ops.max(1) as f64;
    if sent.flushes == 0.0 && !by_fua {
        return Some(say!(l, "durable-not-tested"));
    }
    let flushes = number_format::decimal(l, flushes, 2);
    Some(match by_fua {
        true => say!(l, "durable-by-fua", flushes),
        false => say!(l, "durable-by-flush", flushes),
    })
}

/// p99.99 of the class of most ops.
fn p9999(summary: &RepeatSummary) -> Option<&dyno_core::stats::Estimate> {
    let class = summary.classes.iter().max_by_key(|class| class.ops)?;
    class.user_latency().percentiles_ns[P9999].as_ref()
}

/// The place with the most durable commits of each subject.
fn most(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<(Mark, Vec<TableCell>)> {
    let ops = |cell: &CellFacts| Some(cell.total.as_ref()?.ops_per_s.as_ref()?.value);
    let rate = |cell: &CellFacts| ops(cell).unwrap_or(0.0);
    let row = |subject: SubjectKey| {
        let cells = step.cells_of(subject).into_iter().flatten();
        let cell = cells.max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
        let total = cell.total.as_ref()?;
        let mut row = texts([
            step.title.text(l),
            subjects[subject].name.clone(),
            format!("{} {}", step.values[cell.value].text(l), step.axis_text(l)),
        ]);
        row.push(TableCell::rate(total.ops_per_s.as_ref()));
        row.push(TableCell::latency(p9999(total)));
        Some((Mark::None, row))
    };
    subjects.keys().filter_map(row).collect()
}
