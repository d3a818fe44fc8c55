//! Outliers: the number attributed to drive, host or neither, and the slowest individually.
//! docs/outliers.md has the rule.

use crate::analysis::facts::{CellFacts, Comparisons, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::limits::slow_commands::SlowCommands;
use crate::analysis::outlier_cause::{Cause, Reason};
use crate::analysis::outliers::{MetersAround, Outlier};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::{Section, SectionBlocks, bottlenecks};
use crate::brief::text::table_cell::TableCell;
use crate::chart::outliers::cause_text;
use crate::chart::step::name;
use crate::chart::{self, Chart, StepDrawing};
use crate::language::{Language, Name, Number};
use crate::say;
use dyno_core::base::units;
use dyno_core::record::Class;
use dyno_core::record::gauge::slow_commands::CommandKind;

/// The causes of the slowest ops.
pub const SECTION: Section =
    Section::appendix("outliers", |l| say!(l, "section-outliers"), SectionBlocks::Compared(blocks));

/// Maximum number per step listed individually.
const LISTED: usize = 5;

fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    let mut out = Vec::new();
    for step in &measured.steps {
        let row = |cell| Some((Mark::None, row(l, subjects, step, cell)?.to_vec()));
        let rows: Vec<_> = step.cells.iter().filter_map(row).collect();
        let slow = slow_commands(l, subjects, step);
        if rows.is_empty() && slow.is_none() {
            continue;
        }
        out.push(Block::chapter(step.title.text(l)));
        let head = [
            step.axis_text(l),
            say!(l, "column-subject"),
            say!(l, "column-outliers"),
            say!(l, "column-from-latency"),
            say!(l, "column-slowest"),
            say!(l, "cause-drive"),
            say!(l, "cause-host"),
            say!(l, "cause-unknown"),
            say!(l, "column-mostly-unknown"),
        ];
        if !rows.is_empty() {
            out.push(Table::measured(l, 2, &head, rows).block());
            out.push(Block::list(slowest(l, subjects, step)));
        }
        out.extend(slow.into_iter().flatten());
    }
    if measured.steps.iter().any(|step| step.cells.iter().any(|c| c.outliers.count() > 0)) {
        let drawing = |step| StepDrawing::of(l, subjects, comparisons, step);
        let of = |step| chart::of_step(SECTION.id, &drawing(step));
        let figures: Vec<Chart> = measured.steps.iter().flat_map(of).collect();
        out.insert(0, Block::note(say!(l, "outliers-how")));
        out.insert(1, Block::Figures(figures));
    }
    out
}

/// Slow commands by the drives' own count, next to Dyno's count.
fn slow_commands(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<[Block; 2]> {
    let row = |cell: &CellFacts, own: &SlowCommands| {
        let class = match own.gauge.command {
            CommandKind::Read => Class::READ,
            CommandKind::Write => Class::WRITE,
        };
        let from_ns = f64::from(own.gauge.from_ms) * 1e6;
        let row = vec![
            step.values[cell.value].text(l).into(),
            name(subjects, cell).into(),
            l.name(&Name::op(class.name())).into(),
            TableCell::time(from_ns),
            number_format::grouped(l, own.drive).into(),
            number_format::grouped(l, own.dyno).into(),
        ];
        (Mark::None, row)
    };
    let rows: Vec<_> = step
        .cells
        .iter()
        .flat_map(|cell| seen(&cell.slow_commands).map(move |own| row(cell, own)))
        .collect();
    let head = [
        step.axis_text(l),
        say!(l, "column-subject"),
        say!(l, "column-class"),
        say!(l, "column-from-latency"),
        say!(l, "column-slow-by-drive"),
        say!(l, "column-slow-by-dyno"),
    ];
    (!rows.is_empty()).then(|| {
        let table = Table::measured(l, 3, &head, rows).block();
        [Block::note(say!(l, "slow-commands-how")), table]
    })
}

/// Thresholds with any slow commands; if there are none, the lowest threshold, which shows that.
fn seen(all: &[SlowCommands]) -> impl Iterator<Item = &SlowCommands> {
    let any = |own: &SlowCommands| own.drive + own.dyno > 0;
    let lowest = all.first().filter(|_| !all.iter().any(any)).map(|own| own.gauge.from_ms);
    all.iter().filter(move |own| any(own) || Some(own.gauge.from_ms) == lowest)
}

/// The number of a cell's outliers, their latencies and causes.
fn row(
    l: Language,
    subjects: &Subjects,
    step: &StepFacts,
    cell: &CellFacts,
) -> Option<[TableCell; 9]> {
    let outliers = &cell.outliers;
    let first = outliers.slowest.first()?;
    let share = |cause: Cause| number_format::share(l, outliers.share(cause).1).into();
    let unknown = outliers.main_reason(Cause::Unknown);
    Some([
        step.values[cell.value].text(l).into(),
        name(subjects, cell).into(),
        number_format::grouped(l, outliers.count()).into(),
        TableCell::time(outliers.least_ns as f64),
        TableCell::time(first.op.response_ns as f64),
        share(Cause::Drive),
        share(Cause::Host),
        share(Cause::Unknown),
        unknown.map_or(NONE.to_string(), |reason| reason_text(l, reason)).into(),
    ])
}

/// A line for each cell with outliers, for terminals.
pub fn lines(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<String> {
    let line = |cell: &CellFacts| {
        let [at, subject, count, least, most, drive, host, unknown, _] =
            row(l, subjects, step, cell)?.map(|cell| cell.alone(l));
        Some(say!(
            l,
            "outliers-line",
            place = bottlenecks::place(l, step, &subject, &at),
            count,
            least,
            most,
            drive,
            host,
            unknown
        ))
    };
    step.cells.iter().filter_map(line).collect()
}

/// The slowest of a step, individually.
fn slowest(l: Language, subjects: &Subjects, step: &StepFacts) -> Vec<String> {
    let mut all: Vec<(&CellFacts, &Outlier)> =
        step.cells.iter().flat_map(|c| c.outliers.slowest.iter().map(move |o| (c, o))).collect();
    all.sort_by_key(|(_, outlier)| std::cmp::Reverse(outlier.op.response_ns));
    all.into_iter().take(LISTED).map(|(cell, o)| one(l, subjects, step, cell, o)).collect()
}

fn one(
    l: Language,
    subjects: &Subjects,
    step: &StepFacts,
    cell: &CellFacts,
    outlier: &Outlier,
) -> String {
    let op = &outlier.op;
    let at = step.values[cell.value].text(l);
    let subject = name(subjects, cell);
    let said = say!(
        l,
        "outlier",
        place = if at.is_empty() { subject } else { l.sequence(&[subject, at]) },
        repeat = outlier.repeat,
        seconds = Number(format!("{:.3} s", op.at_ns as f64 / 1e9)),
        latency = number_format::time(l, op.response_ns as f64),
        stream = &op.stream,
        class = Name::op(op.class.name()),
        size = number_format::grouped(l, op.size),
        address = number_format::grouped(l, op.address),
        drive = op.drive + 1,
        worker = op.worker + 1,
        depth = op.in_flight,
        cause = cause_text(l, outlier.cause),
        reason = reason_text(l, outlier.reason)
    );
    let beside = beside(l, outlier);
    match beside.is_empty() {
        true => said,
        false => say!(l, "outlier-beside", outlier = said, beside = l.list(&beside)),
    }
}

/// Other events at the time, if known.
fn beside(l: Language, outlier: &Outlier) -> Vec<String> {
    let MetersAround { celsius, throttled, health_read, interrupts_per_s, busiest_core_percent } =
        outlier.beside;
    let evidence = outlier.op.evidence.unwrap_or_default();
    let time = |ns: u64| number_format::time(l, ns as f64);
    let waited = evidence.waited_least_ns.saturating_add(evidence.stopped_least_ns);
    let mut out = Vec::new();
    let mut add = |there: bool, text: String| out.extend(there.then_some(text));
    add(waited > 0, say!(l, "beside-waited", time = time(waited)));
    add(evidence.switches > 0, say!(l, "beside-switches", count = evidence.switches));
    let steal = evidence.steal_most_ns;
    add(steal > 0, say!(l, "beside-steal", time = time(steal)));
    let stalled = evidence.device_stalled_ns.unwrap_or(0);
    add(stalled > 0, say!(l, "beside-stalled", time = time(stalled)));
    let idle = evidence.device_idle_ns.unwrap_or(0);
    add(idle > 0, say!(l, "beside-idle", time = time(idle)));
    add(throttled, say!(l, "beside-throttled"));
    add(health_read, say!(l, "beside-health-read"));
    if let Some(celsius) = celsius {
        add(true, l.number(&format!("{celsius:.0} °C")));
    }
    if let Some(n) = interrupts_per_s {
        let rate = Number(format!("{}/s", units::grouped(n.round() as u64)));
        add(true, say!(l, "beside-interrupts", rate));
    }
    if let Some(percent) = busiest_core_percent {
        let busy = number_format::percent(l, percent, 0);
        add(true, say!(l, "beside-processor", busy));
    }
    out
}

fn reason_text(l: Language, reason: Reason) -> String {
    match reason {
        Reason::AtDrive => say!(l, "reason-at-drive"),
        Reason::Waited => say!(l, "reason-waited"),
        Reason::Stopped => say!(l, "reason-stopped"),
        Reason::Behind => say!(l, "reason-behind"),
        Reason::NotAtDevice => say!(l, "reason-not-at-device"),
        Reason::OtherDrives => say!(l, "reason-other-drives"),
        Reason::NotDirect => say!(l, "reason-not-direct"),
        Reason::Both => say!(l, "reason-both"),
        Reason::NotWatched => say!(l, "reason-not-watched"),
    }
}
