//! All steps at a glance: every headline measure at its step's headline place, one row per subject;
//! the best one only if claimed.

use std::collections::HashMap;

use super::{Section, SectionBlocks};
use crate::analysis::claim::compare::{ComparedFigure, StepPlace, best};
use crate::analysis::comparison::StepLead;
use crate::analysis::facts::{Comparisons, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::analysis::metric_values::instruments;
use crate::analysis::points::metric::{Instrument, Metric};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::NONE;
use crate::brief::text::table_cell::{Scale, TableCell, in_unit};
use crate::brief::text::{metric_text, published, wording};
use crate::chart::{self, mark, multiples};
use crate::language::{Language, Name};
use crate::say;
use dyno_core::plan::model::headline::AxisPlace;

/// All steps in one table.
pub const SECTION: Section =
    Section::main("summary", |l| say!(l, "section-summary"), SectionBlocks::Compared(blocks));

fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    let steps: Vec<&StepFacts> = measured.steps.iter().filter(|s| !s.cells.is_empty()).collect();
    // For a single point, the results contain the same.
    if steps.len() < 2 && steps.iter().all(|step| step.values.len() < 2) {
        return Vec::new();
    }
    let mut head = vec![say!(l, "column-step"), say!(l, "column-figure")];
    head.extend([say!(l, "column-subject"), say!(l, "column-value")]);
    head.extend((subjects.len() > 1).then(|| say!(l, "column-difference")));
    let mut table = Table::new(3, &head);
    for step in &steps {
        for (i, cells) in rows(l, subjects, comparisons, step).into_iter().enumerate() {
            let title = if i == 0 { step.title.text(l) } else { String::new() };
            let mark = if cells[0].is_empty() { Mark::None } else { Mark::First };
            table.row(mark, [vec![title], cells].concat());
        }
    }
    let how = match comparisons.all.iter().any(|c| c.interval.is_some()) {
        _ if comparisons.published => Some(say!(l, "summary-how-published")),
        true => Some(say!(l, "summary-how")),
        false => None,
    };
    let mut out = vec![table.block()];
    out.extend(how.map(Block::note));
    if steps.len() > 1 {
        out.extend(Block::figures(multiples::figures(l, subjects, comparisons, &steps)));
    }
    out
}

/// The key of a row.
enum SummaryMeasure {
    Of(Metric),
    Watts(Instrument),
}

impl SummaryMeasure {
    /// The step's headline metric, then its other metrics, then watts.
    fn all(step: &StepFacts) -> Vec<SummaryMeasure> {
        let first = step.headline_metric.clone();
        let others = step.metrics.iter().filter(|m| **m != first).cloned();
        let (power, plain): (Vec<Metric>, Vec<Metric>) = others.partition(Metric::is_power);
        let watts = instruments(step).into_iter().map(SummaryMeasure::Watts);
        let plain = [first].into_iter().chain(plain).map(SummaryMeasure::Of);
        plain.chain(watts).chain(power.into_iter().map(SummaryMeasure::Of)).collect()
    }

    /// The text in the column of figures.
    fn text(&self, l: Language, step: &StepFacts) -> String {
        match self {
            SummaryMeasure::Of(metric) => metric_text::column(l, metric, step),
            SummaryMeasure::Watts(i) => say!(l, "power-of", class = Name::power_class(&i.class)),
        }
    }

    /// A subject's figure at an axis value, or over all of them.
    fn cell(&self, step: &StepFacts, (at, subject): (SummaryPlace, SubjectKey)) -> TableCell {
        let SummaryPlace::At(value) = at else {
            let over = match self {
                SummaryMeasure::Of(metric) => {
                    let level = step.over_axis.level(metric, subject);
                    level.map(|value| metric_text::cell_of_value(metric, value))
                }
                SummaryMeasure::Watts(_) => None,
            };
            let marked = step.over_axis.marked.contains(&subject);
            let mark = if marked { format!(" {}", chart::MARK) } else { String::new() };
            return over.map_or_else(TableCell::none, |cell| cell.marked(&mark));
        };
        let Some(cell) = step.cell(subject, value) else { return TableCell::none() };
        let own = match self {
            SummaryMeasure::Of(metric) => metric_text::cell(metric, step, cell),
            SummaryMeasure::Watts(i) => TableCell::rate(cell.power_by(i).map(|p| &p.mean_watts)),
        };
        own.marked(&mark(cell))
    }
}

/// The place of a measure.
#[derive(Clone, Copy)]
enum SummaryPlace {
    At(ValueKey),
    OverAll,
}

/// The step's headline place; for other measures of a load sweep, the point of its maximum.
fn looked(step: &StepFacts, leads: bool, value: Option<ValueKey>) -> Option<SummaryPlace> {
    match (value, step.place) {
        (Some(value), _) => Some(SummaryPlace::At(value)),
        (None, AxisPlace::Mean) => Some(SummaryPlace::OverAll),
        (None, _) if leads => Some(SummaryPlace::OverAll),
        _ => step.values.position(|v| v.number.is_infinite()).map(SummaryPlace::At),
    }
}

/// A row for each measure and subject: figure, subject, value, difference.
fn rows(
    l: Language,
    subjects: &Subjects,
    comparisons: &Comparisons,
    step: &StepFacts,
) -> Vec<Vec<String>> {
    let outcome = &comparisons.leads[step.key];
    let mut all = Vec::new();
    for (i, measure) in SummaryMeasure::all(step).iter().enumerate() {
        let Some(at) = looked(step, i == 0, outcome.value) else { continue };
        let cells: Vec<TableCell> =
            subjects.keys().map(|subject| measure.cell(step, (at, subject))).collect();
        if cells.iter().all(|cell| *cell == TableCell::none()) {
            continue;
        }
        let scale = Scale::of_cells(cells.iter());
        let place = place(l, step, measure, at);
        let mut figure = format!("{}{place}", measure.text(l, step));
        let unit = match measure {
            SummaryMeasure::Watts(_) => Some("W"),
            SummaryMeasure::Of(_) => scale.as_ref().map(|scale| scale.unit),
        };
        if let Some(unit) = unit {
            figure = in_unit(l, &figure, unit);
        }
        let compared = match measure {
            SummaryMeasure::Of(metric) => {
                let by = (metric, (i == 0).then_some(outcome), at);
                compared(l, subjects, comparisons, step, by)
            }
            SummaryMeasure::Watts(_) => Standings::default(),
        };
        for (subject, cell) in subjects.keys().zip(cells) {
            let mut value = cell.in_scale(l, scale.as_ref());
            if compared.best == Some(subject) {
                value += " ▲";
            }
            let figure = if subject == SubjectKey(0) { figure.clone() } else { String::new() };
            let mut row = vec![figure, subjects[subject].name.clone(), value];
            if subjects.len() > 1 {
                let none = if subject == subjects.headline { "" } else { NONE };
                row.push(
                    compared.differences.get(&subject).map_or(none.to_string(), String::clone),
                );
            }
            all.push(row);
        }
    }
    all
}

fn place(l: Language, step: &StepFacts, measure: &SummaryMeasure, at: SummaryPlace) -> String {
    let points = match measure {
        SummaryMeasure::Of(metric) => step.over_axis.points(metric).to_vec(),
        SummaryMeasure::Watts(_) => step.values.keys().collect(),
    };
    match (at, step.place) {
        (SummaryPlace::At(value), _) => wording::place(l, step, &[value]),
        (SummaryPlace::OverAll, AxisPlace::EqualLoad) => say!(l, "mean-of-equal-loads"),
        (SummaryPlace::OverAll, AxisPlace::EqualLatency) => say!(l, "at-equal-latency"),
        (SummaryPlace::OverAll, AxisPlace::Limit) => say!(l, "within-the-limit"),
        // A mean of one point is that point's figure.
        (SummaryPlace::OverAll, _) if points.len() == 1 => wording::place(l, step, &points),
        (SummaryPlace::OverAll, _) => say!(l, "mean-of-points", count = points.len()),
    }
}

/// The subject that is better than all others by claims, and the known differences between the
/// brief's subject and each other.
#[derive(Default)]
struct Standings {
    best: Option<SubjectKey>,
    differences: HashMap<SubjectKey, String>,
}

/// The comparison by a metric at a place of a step, or at its lead.
fn compared(
    l: Language,
    subjects: &Subjects,
    comparisons: &Comparisons,
    step: &StepFacts,
    (metric, lead, at): (&Metric, Option<&StepLead>, SummaryPlace),
) -> Standings {
    let at = match at {
        SummaryPlace::At(value) => StepPlace::Value(value),
        SummaryPlace::OverAll => StepPlace::Mean,
    };
    let by = ComparedFigure { step, metric, at };
    let all = lead.map_or_else(|| comparisons.all_by(by), |lead| lead.all.iter().collect());
    let difference = |subject: SubjectKey| {
        let found = all.iter().find(|c| c.is_of(subjects.headline, subject));
        let pair = (subjects.headline, subject);
        let arithmetic = || published::difference(l, subjects, comparisons, by, pair);
        let shown = found.map(|c| wording::standing(l, subjects, c)).or_else(arithmetic);
        Some((subject, shown?))
    };
    let differences = subjects.rivals().filter_map(difference).collect();
    Standings { best: best(subjects, &all), differences }
}
