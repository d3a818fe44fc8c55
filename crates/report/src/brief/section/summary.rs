//! The scoreboard: every step at a glance, a row for each headline measure at its step's headline
//! place and a column for each subject; the best one is marked only if claimed.

use std::collections::HashMap;

use super::{Section, SectionBlocks};
use crate::analysis::claim::compare::{ComparedFigure, StepPlace, best};
use crate::analysis::claim::course::{self, Basis, Shown};
use crate::analysis::comparison::StepLead;
use crate::analysis::facts::{Facts, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::NONE;
use crate::brief::text::table_cell::{Scale, TableCell, in_unit};
use crate::brief::text::{metric_text, published, wording};
use crate::chart::{self, mark, multiples};
use crate::language::Language;
use crate::say;
use dyno_core::plan::model::headline::AxisPlace;

/// All steps in one table.
pub const SECTION: Section =
    Section::main("summary", |l| say!(l, "section-summary"), SectionBlocks::Whole(blocks));

/// More subjects do not fit beside each other.
const MOST_SUBJECTS: usize = 5;

/// Maximum number of letters of all their names.
const MOST_LETTERS: usize = 64;

/// Up to this number of steps, each has its other measures too.
const MOST_MEASURED_STEPS: usize = 6;

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let Facts { subjects, measured, comparisons, tests, .. } = facts;
    let steps: Vec<&StepFacts> = measured.steps.iter().filter(|s| !s.cells.is_empty()).collect();
    // For a single point, the results contain the same.
    if steps.len() < 2 && steps.iter().all(|step| step.values.len() < 2) {
        return Vec::new();
    }
    let mut out = vec![scoreboard(l, facts, &steps).block()];
    let how = match comparisons.all.iter().any(|c| c.interval.is_some()) {
        _ if comparisons.published => Some(say!(l, "summary-how-published")),
        true => Some(say!(l, "summary-how")),
        false => None,
    };
    out.extend(how.map(Block::note));
    // One figure of all steps repeats the scoreboard of several tests.
    if steps.len() > 1 && tests.len() < 2 {
        out.extend(Block::figures(multiples::figures(l, subjects, comparisons, &steps)));
    }
    out
}

/// A row for each step and measure, under its test if there are several, with a column for each
/// subject; many subjects have a row each.
pub fn scoreboard(l: Language, facts: &Facts, steps: &[&StepFacts]) -> Table {
    let Facts { subjects, tests, .. } = facts;
    let letters: usize = subjects.iter().map(|subject| subject.name.chars().count()).sum();
    let is_wide = subjects.len() <= MOST_SUBJECTS && letters <= MOST_LETTERS;
    let mut head = vec![say!(l, "column-step"), say!(l, "column-figure")];
    match is_wide {
        true => head.extend(subjects.names()),
        false => head.extend([say!(l, "column-subject"), say!(l, "column-value")]),
    }
    head.extend((subjects.len() > 1).then(|| say!(l, "column-result")));
    let mut table = Table::new(if is_wide { 2 } else { 3 }, &head);
    let mut last = None;
    for step in steps {
        if tests.len() > 1 && last != Some(step.test) {
            let title = tests[step.test].title.text(l);
            let mut row = vec![String::new(); head.len()];
            row[0] = title;
            table.row(Mark::First, row);
            last = Some(step.test);
        }
        let measures = measures(step);
        let most = if steps.len() > MOST_MEASURED_STEPS { 1 } else { measures.len() };
        let mut is_first = true;
        for (i, measure) in measures.iter().enumerate().take(most) {
            let Some(row) = ScoreRow::of(l, facts, step, (i, measure)) else { continue };
            for cells in row.cells(subjects, is_wide) {
                let title = if is_first { step.title.text(l) } else { String::new() };
                let mark = if cells[0].is_empty() { Mark::None } else { Mark::First };
                table.row(mark, [vec![title], cells].concat());
                is_first = false;
            }
        }
    }
    table
}

/// A row of the scoreboard.
struct ScoreRow {
    figure: String,
    /// The subjects' values.
    values: Vec<String>,
    /// What the comparisons show, if there are several subjects.
    result: Option<String>,
    /// The known differences of each subject from the brief's.
    differences: HashMap<SubjectKey, String>,
}

impl ScoreRow {
    fn of(
        l: Language,
        facts: &Facts,
        step: &StepFacts,
        (i, metric): (usize, &Metric),
    ) -> Option<ScoreRow> {
        let Facts { subjects, comparisons, .. } = facts;
        let outcome = &comparisons.leads[step.key];
        let at = looked(step, i == 0, outcome.value)?;
        let cells: Vec<TableCell> =
            subjects.keys().map(|subject| figure(step, metric, (at, subject))).collect();
        if cells.iter().all(|cell| *cell == TableCell::none()) {
            return None;
        }
        let scale = Scale::of_cells(cells.iter());
        let name = metric_text::column(l, metric, step);
        let mut figure = format!("{name}{}", place(l, step, metric, at));
        let unit = match metric.figure {
            PointFigure::Watts(_) => Some("W"),
            _ => scale.as_ref().map(|scale| scale.unit),
        };
        if let Some(unit) = unit {
            figure = in_unit(l, &figure, unit);
        }
        let standings = standings(l, facts, step, (metric, (i == 0).then_some(outcome), at));
        let shown = |(subject, cell): (SubjectKey, TableCell)| {
            let best = standings.best == Some(subject);
            cell.in_scale(l, scale.as_ref()) + if best { " ▲" } else { "" }
        };
        let values = subjects.keys().zip(cells).map(shown).collect();
        let Standings { result, differences, .. } = standings;
        let result = (subjects.len() > 1).then(|| result.unwrap_or(NONE.to_string()));
        Some(ScoreRow { figure, values, result, differences })
    }

    /// Its cells after the step's title: one row, or one for each subject.
    fn cells(self, subjects: &Subjects, is_wide: bool) -> Vec<Vec<String>> {
        if is_wide {
            return vec![
                [vec![self.figure], self.values, self.result.into_iter().collect()].concat(),
            ];
        }
        let row = |(subject, value): (SubjectKey, String)| {
            let figure = if subject == SubjectKey(0) { self.figure.clone() } else { String::new() };
            let none = if subject == subjects.headline { "" } else { NONE };
            let difference = self.differences.get(&subject).cloned();
            let difference = difference.unwrap_or(none.to_string());
            vec![figure, subjects[subject].name.clone(), value, difference]
        };
        subjects.keys().zip(self.values.clone()).map(row).collect()
    }
}

/// The step's headline metric, then its other metrics, those of power last.
fn measures(step: &StepFacts) -> Vec<Metric> {
    let first = step.headline_metric.clone();
    let others = step.metrics.iter().filter(|m| **m != first).cloned();
    let (power, plain): (Vec<Metric>, Vec<Metric>) = others.partition(Metric::is_power);
    [first].into_iter().chain(plain).chain(power).collect()
}

/// A subject's figure at an axis value, or over all of them.
fn figure(
    step: &StepFacts,
    metric: &Metric,
    (at, subject): (SummaryPlace, SubjectKey),
) -> TableCell {
    let SummaryPlace::At(value) = at else {
        let level = step.over_axis.level(metric, subject);
        let over = level.map(|value| metric_text::cell_of_value(metric, value));
        let marked = step.over_axis.marked.contains(&subject);
        let mark = if marked { format!(" {}", chart::MARK) } else { String::new() };
        return over.map_or_else(TableCell::none, |cell| cell.marked(&mark));
    };
    let Some(cell) = step.cell(subject, value) else { return TableCell::none() };
    metric_text::cell(metric, step, cell).marked(&mark(cell))
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

fn place(l: Language, step: &StepFacts, metric: &Metric, at: SummaryPlace) -> String {
    let points = step.over_axis.points(metric);
    match (at, step.place) {
        (SummaryPlace::At(value), _) => wording::place(l, step, &[value]),
        (SummaryPlace::OverAll, AxisPlace::EqualLoad) => say!(l, "mean-of-equal-loads"),
        (SummaryPlace::OverAll, AxisPlace::EqualLatency) => say!(l, "at-equal-latency"),
        (SummaryPlace::OverAll, AxisPlace::Limit) => say!(l, "within-the-limit"),
        // A mean of one point is that point's figure.
        (SummaryPlace::OverAll, _) if points.len() == 1 => wording::place(l, step, points),
        (SummaryPlace::OverAll, _) => say!(l, "mean-of-points", count = points.len()),
    }
}

/// The subject that is better than all others by claims, what the comparisons show, and the known
/// differences between the brief's subject and each other.
#[derive(Default)]
struct Standings {
    best: Option<SubjectKey>,
    result: Option<String>,
    differences: HashMap<SubjectKey, String>,
}

/// The comparisons by a metric at a place of a step, or at its lead.
fn standings(
    l: Language,
    facts: &Facts,
    step: &StepFacts,
    (metric, lead, at): (&Metric, Option<&StepLead>, SummaryPlace),
) -> Standings {
    let Facts { subjects, comparisons, .. } = facts;
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
    let differences: HashMap<SubjectKey, String> =
        subjects.rivals().filter_map(difference).collect();
    let result = match course::of_claims(subjects, &all) {
        // Of two subjects the one difference says it with its interval.
        Some(Shown::Even) if subjects.len() == 2 => {
            let by = all.first().map(|c| wording::difference(l, c));
            by.map(|difference| say!(l, "result-even-by", difference))
        }
        _ if subjects.len() == 2 => differences.values().next().cloned(),
        Some(Shown::Best(subject)) => Some(subjects[subject].name.clone() + " ▲"),
        Some(Shown::Even) => Some(say!(l, "result-even")),
        Some(Shown::Open) if all.iter().any(|c| c.is_claimed()) => {
            Some(say!(l, "result-not-one-best"))
        }
        Some(Shown::Open) if all.iter().any(|c| c.interval.is_some()) => {
            Some(say!(l, "result-not-shown"))
        }
        Some(Shown::Open) => Some(say!(l, "in-separate-runs")),
        None => published_result(l, facts, step, by),
    };
    Standings { best: best(subjects, &all), result, differences }
}

/// The best one of figures as published.
fn published_result(
    l: Language,
    facts: &Facts,
    step: &StepFacts,
    by: ComparedFigure<'_>,
) -> Option<String> {
    let (true, StepPlace::Value(value)) = (facts.comparisons.published, by.at) else { return None };
    match course::at(facts, step, by.metric, (Basis::Published, value))? {
        Shown::Best(subject) => Some(facts.subjects[subject].name.clone()),
        Shown::Even => Some(say!(l, "result-even")),
        Shown::Open => None,
    }
}
