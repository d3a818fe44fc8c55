//! The subjects point by point: their levels in columns, and their differences from the brief's
//! subject.

use crate::analysis::claim::compare::{ComparedFigure, StepPlace};
use crate::analysis::facts::{Comparisons, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::analysis::points::metric::Metric;
use crate::analysis::points::metric::PointFigure::{self, Watts};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::brief::text::{metric_text, published, wording};
use crate::chart::{StepDrawing, mark};
use crate::language::Language;
use crate::say;
use dyno_core::plan::Field;

/// Every difference, point by point.
pub const SECTION: Section = Section::appendix(
    "differences",
    |l| say!(l, "section-differences"),
    SectionBlocks::Compared(blocks),
);

/// Maximum number of axis values next to a figure.
const MOST_VALUES: usize = 8;

/// Columns that fit on A4 and in 1,000 pixels.
pub const MOST_COLUMNS: usize = 8;

/// Omitted from the steps' own parts: the other axis values, and differences between rivals.
fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    // For imported figures without repeats, every difference with its calculation.
    if comparisons.published {
        let rows = published::rows(l, subjects, measured);
        if !rows.is_empty() {
            let rows = rows.into_iter().map(Vec::from).collect();
            let table = Table::of(8, &published::head(l), rows).block();
            return vec![Block::text(published::how(l)), table];
        }
    }
    let mut out = Vec::new();
    for step in &measured.steps {
        let rows = |tables: &[Table]| tables.iter().map(|t| t.rows.len()).sum::<usize>();
        let drawing = StepDrawing::of(l, subjects, comparisons, step);
        let whole = tables(&drawing, false);
        let mut own = Vec::new();
        if rows(&whole) > rows(&tables(&drawing, true)) {
            own.extend(whole.into_iter().map(Table::block));
        }
        own.extend(rivals(&drawing).map(Table::block));
        if !own.is_empty() {
            out.push(Block::chapter(step.title.text(l)));
            out.extend(own);
        }
    }
    out
}

/// A row for each place and subject: its figures, and their differences from the brief's subject;
/// with `short`, a selection if there are many places. As many tables as the metrics need.
pub fn tables(drawing: &StepDrawing<'_>, short: bool) -> Vec<Table> {
    let several = drawing.subjects.len() > 1;
    let wide = |own: &DifferenceColumn| 1 + usize::from(own.compared && several);
    let mut sets: Vec<Vec<DifferenceColumn>> = vec![Vec::new()];
    // The section of power has the watts.
    let is_shown = |own: &DifferenceColumn| !short || !matches!(own.metric.figure, Watts(_));
    for own in metrics(drawing).into_iter().filter(is_shown) {
        let used: usize = sets.last().map_or(0, |set| set.iter().map(wide).sum());
        if used + wide(&own) > MOST_COLUMNS - 2 {
            sets.push(Vec::new());
        }
        sets.last_mut().into_iter().for_each(|set| set.push(own.clone()));
    }
    sets.iter().filter_map(|set| table(drawing, set, short)).collect()
}

fn table(drawing: &StepDrawing<'_>, metrics: &[DifferenceColumn], short: bool) -> Option<Table> {
    let &StepDrawing { language: l, subjects, step, .. } = drawing;
    let several = subjects.len() > 1;
    let mut head = vec![step.axis_text(l), say!(l, "column-subject")];
    for own in metrics {
        head.push(metric_text::column(l, &own.metric, step));
        head.extend((own.compared && several).then(|| say!(l, "column-difference")));
    }
    let mut rows: Vec<(Mark, Vec<TableCell>)> = Vec::new();
    for at in places(drawing, short) {
        let mut first = true;
        for subject in subjects.keys() {
            let mut row = Vec::new();
            for own in metrics {
                let by = ComparedFigure { step, metric: &own.metric, at };
                row.push(level(by, subject));
                if own.compared && several {
                    let pair = (subjects.headline, subject);
                    let other = subject != subjects.headline;
                    let shown = other.then(|| standing(drawing, by, pair));
                    row.push(shown.unwrap_or_default().into());
                }
            }
            let says = |cell: &TableCell| *cell != TableCell::none() && *cell != "".into();
            if !row.iter().any(says) {
                continue;
            }
            let label = if first { label(l, step, at) } else { String::new() };
            let mark = if first { Mark::First } else { Mark::None };
            rows.push((mark, [texts([label, subjects[subject].name.clone()]), row].concat()));
            first = false;
        }
    }
    (!rows.is_empty()).then(|| Table::measured(l, 2, &head, rows))
}

/// Rivals of the brief's subject: only their differences, point by point.
fn rivals(drawing: &StepDrawing<'_>) -> Option<Table> {
    let &StepDrawing { language: l, subjects, step, .. } = drawing;
    let mut metrics = metrics(drawing);
    metrics.retain(|own| own.compared);
    let own = subjects.headline;
    let mut pairs: Vec<_> = subjects.pairs().filter(|(a, b)| *a != own && *b != own).collect();
    pairs.sort_unstable();
    let mut head = vec![step.axis_text(l), say!(l, "column-subject"), say!(l, "column-with")];
    head.extend(metrics.iter().map(|own| metric_text::column(l, &own.metric, step)));
    let mut table = Table::new(3, &head);
    for at in places(drawing, false) {
        let mut first = true;
        for pair in &pairs {
            let between = |own: &DifferenceColumn| {
                let by = ComparedFigure { step, metric: &own.metric, at };
                standing(drawing, by, *pair)
            };
            let row: Vec<String> = metrics.iter().map(between).collect();
            if row.iter().all(|cell| cell == NONE) {
                continue;
            }
            let label = if first { label(l, step, at) } else { String::new() };
            let names = [pair.0, pair.1].map(|s| subjects[s].name.clone());
            let mark = if first { Mark::First } else { Mark::None };
            table.row(mark, [vec![label], names.to_vec(), row].concat());
            first = false;
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// A metric of the table, and whether there are comparisons by it.
#[derive(Clone)]
struct DifferenceColumn {
    metric: Metric,
    compared: bool,
}

fn metrics(drawing: &StepDrawing<'_>) -> Vec<DifferenceColumn> {
    let &StepDrawing { subjects, comparisons, step, .. } = drawing;
    let arithmetic = comparisons.published && subjects.len() > 1;
    let measured = |m: &Metric| step.cells.iter().any(|c| m.of(step, c).is_some());
    let mut all: Vec<Metric> = step.metrics.clone();
    // Mean latency is shown with p99 if the source prints it.
    let mean = Metric::total(PointFigure::Mean);
    if step.figures.iter().any(|f| f.starts_with("mean")) && !all.contains(&mean) {
        all.push(mean);
    }
    let compared = |m: &Metric| {
        arithmetic || comparisons.all.iter().any(|c| c.step == step.key && c.metric == *m)
    };
    let own = |metric: Metric| DifferenceColumn { compared: compared(&metric), metric };
    all.into_iter().filter(measured).map(own).collect()
}

/// Axis values first, then values read from curves, then means.
fn places(drawing: &StepDrawing<'_>, short: bool) -> Vec<StepPlace> {
    let &StepDrawing { subjects, comparisons, step, .. } = drawing;
    let every = step.values.len().div_ceil(MOST_VALUES);
    // Shares of its own maximum are different loads for each subject: their levels are in the curve
    // and the full data.
    let shares =
        step.axis.as_ref().is_some_and(|a| a.field == Field::LoadPercent) && subjects.len() > 1;
    let kept = |value: &ValueKey| match shares {
        true => step.values[*value].number.is_infinite(),
        false => {
            !short
                || value.0.is_multiple_of(every)
                || Some(*value) == step.values.last_key()
                || step.headline_value == Some(*value)
        }
    };
    let mut all: Vec<StepPlace> = step.values.keys().filter(kept).map(StepPlace::Value).collect();
    for c in comparisons.all.iter().filter(|c| c.step == step.key) {
        let wanted = !short || !matches!(c.at, StepPlace::Load(_));
        if wanted && !matches!(c.at, StepPlace::Value(_)) && !all.contains(&c.at) {
            all.push(c.at);
        }
    }
    all
}

fn label(l: Language, step: &StepFacts, at: StepPlace) -> String {
    match at {
        StepPlace::Value(value) => step.values[value].text(l),
        StepPlace::Mean => say!(l, "mean"),
        StepPlace::Load(ops) => say!(l, "row-at-load", load = number_format::count(l, ops)),
        StepPlace::Latency(ns) => say!(l, "row-at-p99", latency = number_format::time(l, ns)),
        StepPlace::Limit => say!(l, "row-within-limit"),
    }
}

/// A subject's figure at an axis value; marked if not limited by the drive.
fn level(by: ComparedFigure<'_>, subject: SubjectKey) -> TableCell {
    let StepPlace::Value(value) = by.at else { return TableCell::none() };
    let Some(cell) = by.step.cell(subject, value) else { return TableCell::none() };
    metric_text::cell(by.metric, by.step, cell).marked(&mark(cell))
}

/// The standing of a difference; for figures without repeats, its arithmetic.
fn standing(
    drawing: &StepDrawing<'_>,
    by: ComparedFigure<'_>,
    pair: (SubjectKey, SubjectKey),
) -> String {
    let &StepDrawing { language: l, subjects, comparisons, .. } = drawing;
    // Without an interval, the sentence above the table says why.
    let compared = comparisons.between(by, pair.0, pair.1).filter(|c| c.interval.is_some());
    let shown = compared.map(|c| wording::standing(l, subjects, c));
    let arithmetic = || published::difference(l, subjects, comparisons, by, pair);
    shown.or_else(arithmetic).unwrap_or(NONE.to_string())
}
