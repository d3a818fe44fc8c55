//! All steps at a glance: every headline measure at its step's headline place, one row per subject;
//! the best one only if claimed.

use super::Section;
use crate::analysis::claim::compare::{ComparedFigure, StepPlace};
use crate::analysis::claim::{lead, levels};
use crate::analysis::comparison::StepLead;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::keys::SubjectKey;
use crate::analysis::metric_values::instruments;
use crate::analysis::points::metric::{Instrument, Metric};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::NONE;
use crate::brief::text::table_cell::{Scale, TableCell, in_unit};
use crate::brief::text::{metric_text, published, wording};
use crate::chart::{self, mark};
use crate::language::{Language, Name};
use crate::plan::model::headline::AxisPlace;
use crate::say;

/// All steps in one table.
pub const SECTION: Section =
    Section { id: "summary", title: |l| say!(l, "section-summary"), appendix: false, blocks };

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let measured: Vec<&StepFacts> =
        facts.measured.steps.iter().filter(|step| !step.cells.is_empty()).collect();
    // For a single point, the results contain the same.
    if measured.len() < 2 && measured.iter().all(|step| step.values.len() < 2) {
        return Vec::new();
    }
    let mut head = vec![say!(l, "column-step"), say!(l, "column-figure")];
    head.extend([say!(l, "column-subject"), say!(l, "column-value")]);
    head.extend((facts.subjects.len() > 1).then(|| say!(l, "column-difference")));
    let mut table = Table::new(3, &head);
    for step in &measured {
        for (i, cells) in rows(l, facts, step).into_iter().enumerate() {
            let title = if i == 0 { step.title.text(l) } else { String::new() };
            let mark = if cells[0].is_empty() { Mark::None } else { Mark::First };
            table.row(mark, [vec![title], cells].concat());
        }
    }
    let how = match facts.comparisons.all.is_empty() {
        _ if facts.measured.published => Some(say!(l, "summary-how-published")),
        true => None,
        false => Some(say!(l, "summary-how")),
    };
    let mut out = vec![table.block()];
    out.extend(how.map(Block::note));
    if measured.len() > 1 {
        out.push(Block::Figures(chart::multiples::figures(l, facts)));
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
        let first = lead::metric(step);
        let others = step.metrics.iter().filter(|m| **m != first).cloned();
        let (power, plain): (Vec<Metric>, Vec<Metric>) = others.partition(Metric::is_power);
        let watts = instruments(step).into_iter().map(SummaryMeasure::Watts);
        let plain = [first].into_iter().chain(plain).map(SummaryMeasure::Of);
        plain.chain(watts).chain(power.into_iter().map(SummaryMeasure::Of)).collect()
    }

    /// As in the column of figures.
    fn text(&self, l: Language, step: &StepFacts) -> String {
        match self {
            SummaryMeasure::Of(metric) => metric_text::column(l, metric, step),
            SummaryMeasure::Watts(i) => say!(l, "power-of", class = Name::power_class(&i.class)),
        }
    }

    /// A subject's figure at an axis value, or over all of them.
    fn cell(
        &self,
        facts: &Facts,
        step: &StepFacts,
        (at, subject): (SummaryPlace, SubjectKey),
    ) -> TableCell {
        let SummaryPlace::At(value) = at else {
            let over = match self {
                SummaryMeasure::Of(metric) => {
                    levels::over_axis(&facts.subjects, step, metric, subject)
                        .map(|value| metric_text::cell_of_value(metric, value))
                }
                SummaryMeasure::Watts(_) => None,
            };
            let marked = levels::has_marks(step, subject);
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
    At(usize),
    OverAll,
}

/// The step's headline place; for other measures of a load sweep, the point of its maximum.
fn looked(step: &StepFacts, leads: bool, value: Option<usize>) -> Option<SummaryPlace> {
    match (value, step.place) {
        (Some(value), _) => Some(SummaryPlace::At(value)),
        (None, AxisPlace::Mean) => Some(SummaryPlace::OverAll),
        (None, _) if leads => Some(SummaryPlace::OverAll),
        _ => step.values.iter().position(|v| v.number.is_infinite()).map(SummaryPlace::At),
    }
}

/// A row for each measure and subject: figure, subject, value, difference.
fn rows(l: Language, facts: &Facts, step: &StepFacts) -> Vec<Vec<String>> {
    let outcome = &facts.comparisons.leads[step.key];
    let mut all = Vec::new();
    for (i, measure) in SummaryMeasure::all(step).iter().enumerate() {
        let Some(at) = looked(step, i == 0, outcome.value) else { continue };
        let cells: Vec<TableCell> =
            facts.subjects.keys().map(|subject| measure.cell(facts, step, (at, subject))).collect();
        if cells.iter().all(|cell| *cell == TableCell::none()) {
            continue;
        }
        let scale = Scale::of_cells(cells.iter());
        let place = place(l, facts, step, (measure, at));
        let mut figure = format!("{}{place}", measure.text(l, step));
        let unit = match measure {
            SummaryMeasure::Watts(_) => Some("W"),
            SummaryMeasure::Of(_) => scale.as_ref().map(|scale| scale.unit),
        };
        if let Some(unit) = unit {
            figure = in_unit(l, &figure, unit);
        }
        let compared = compared(l, facts, measure, outcome, (i == 0, at));
        for (subject, cell) in facts.subjects.keys().zip(cells) {
            let mut value = cell.in_scale(l, scale.as_ref());
            if compared.best == Some(subject) {
                value += " ▲";
            }
            let figure = if subject == SubjectKey(0) { figure.clone() } else { String::new() };
            let mut row = vec![figure, facts.subjects[subject].name.clone(), value];
            if facts.subjects.len() > 1 {
                row.push(compared.differences[subject.0].clone());
            }
            all.push(row);
        }
    }
    all
}

fn place(
    l: Language,
    facts: &Facts,
    step: &StepFacts,
    (measure, at): (&SummaryMeasure, SummaryPlace),
) -> String {
    let points = || match measure {
        SummaryMeasure::Of(metric) => levels::shared(&facts.subjects, step, metric).len(),
        SummaryMeasure::Watts(_) => step.values.len(),
    };
    match (at, step.place) {
        (SummaryPlace::At(value), _) => wording::place(l, step, &[value]),
        (SummaryPlace::OverAll, AxisPlace::EqualLoad) => say!(l, "mean-of-equal-loads"),
        (SummaryPlace::OverAll, AxisPlace::EqualLatency) => say!(l, "at-equal-latency"),
        (SummaryPlace::OverAll, AxisPlace::Limit) => say!(l, "within-the-limit"),
        (SummaryPlace::OverAll, _) => say!(l, "mean-of-points", count = points()),
    }
}

/// The subject that is better than all others by claims, and the differences between the brief's
/// subject and each other.
struct Standings {
    best: Option<SubjectKey>,
    differences: Vec<String>,
}

fn compared(
    l: Language,
    facts: &Facts,
    measure: &SummaryMeasure,
    outcome: &StepLead,
    (leads, at): (bool, SummaryPlace),
) -> Standings {
    let own = facts.subjects.headline;
    let none = |subject: SubjectKey| if subject == own { String::new() } else { NONE.to_string() };
    let subjects = facts.subjects.keys();
    let SummaryMeasure::Of(metric) = measure else {
        return Standings { best: None, differences: subjects.map(none).collect() };
    };
    let all = match (leads, at) {
        (true, _) => outcome.all.iter().collect(),
        (false, SummaryPlace::At(value)) => {
            lead::at_value(&facts.comparisons, outcome.step, metric, value)
        }
        (false, SummaryPlace::OverAll) => lead::of_mean(&facts.comparisons, outcome.step, metric),
    };
    let difference = |subject: SubjectKey| {
        if subject == own {
            return String::new();
        }
        let found = all.iter().find(|c| c.is_of(own, subject));
        let arithmetic = || match at {
            SummaryPlace::At(value) => {
                let pair = (own.min(subject), own.max(subject));
                let at = StepPlace::Value(value);
                let by = ComparedFigure { step: outcome.step, metric, at };
                published::difference(l, &facts.subjects, &facts.measured, by, pair)
            }
            SummaryPlace::OverAll => None,
        };
        let shown = found.map(|c| wording::standing(l, &facts.subjects, c)).or_else(arithmetic);
        shown.unwrap_or_else(|| none(subject))
    };
    Standings {
        best: lead::best(&facts.subjects, &all),
        differences: subjects.map(difference).collect(),
    }
}
