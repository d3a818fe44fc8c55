//! Makes every comparison of a brief, once and as one family: comparable pairs at each point, their
//! simultaneous intervals, and which of them were limited by the drives. All printed differences
//! come from here.

use crate::analysis::claim::pairing::{PairedSheet, Seat, lag, pairs};
use crate::analysis::claim::{curves, decision};
use crate::analysis::comparison::MeanOver;
pub use crate::analysis::comparison::{Comparison, Standing, StepPlace};
use crate::analysis::facts::{CellFacts, Comparisons, Facts, SetupFacts, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, unordered};
use crate::analysis::limits::bottleneck::Bottleneck;
use crate::analysis::points::metric::Metric;
use dyno_core::plan::Order;
use dyno_core::stats::Better;
use dyno_core::stats::family::{Observation, Ratio, Sheet, family};

/// The object of a comparison: a metric of a step, at one value or over all.
#[derive(Clone, Copy)]
pub struct ComparedFigure<'a> {
    /// The step.
    pub step: &'a StepFacts,
    /// The compared metric.
    pub metric: &'a Metric,
    /// The place in the step.
    pub at: StepPlace,
}

impl ComparedFigure<'_> {
    fn is_of(&self, c: &Comparison) -> bool {
        c.step == self.step.key && c.at == self.at && c.metric == *self.metric
    }
}

impl Comparisons {
    /// The comparison of two subjects in this figure, if there is one.
    pub fn between(
        &self,
        by: ComparedFigure<'_>,
        a: SubjectKey,
        b: SubjectKey,
    ) -> Option<&Comparison> {
        self.all.iter().find(|c| by.is_of(c) && c.is_of(a, b))
    }

    /// Every comparison in this figure.
    pub fn all_by(&self, by: ComparedFigure<'_>) -> Vec<&Comparison> {
        self.all.iter().filter(|c| by.is_of(c)).collect()
    }
}

/// The one subject that is better than all others, by claims among these comparisons.
pub fn best(subjects: &Subjects, all: &[&Comparison]) -> Option<SubjectKey> {
    let beats = |a: SubjectKey, b: SubjectKey| {
        all.iter().any(|c| c.is_claimed() && (c.better, c.worse) == (a, b))
    };
    let beats_all = |a: &SubjectKey| subjects.keys().all(|b| *a == b || beats(*a, b));
    subjects.keys().find(beats_all).filter(|_| subjects.len() > 1)
}

/// All comparisons of the facts; none for a fleet's subjects (`fleet` compares models).
pub fn all(facts: &Facts) -> Vec<Comparison> {
    if facts.subjects.are_a_fleet() {
        return Vec::new();
    }
    let mut compared = Vec::new();
    for step in &facts.measured.steps {
        for metric in &step.metrics {
            compared.push(of_points(facts, step, metric));
        }
        let Facts { subjects, measured, comparisons, .. } = facts;
        compared.extend(curves::of_step(subjects, measured, comparisons, step));
    }
    compared.retain(|c| c.sheet.comparable.iter().any(|pairs| !pairs.is_empty()));
    let sheets: Vec<Sheet> = compared.iter().map(|c| c.sheet.clone()).collect();
    // The mean of a sheet's points follows them.
    let of_pair = |a: &Ratio, b: &Ratio| (a.sheet, a.a, a.b) == (b.sheet, b.a, b.b);
    let of = |own: &[Ratio]| {
        let conclude = |ratio| {
            let of = &compared[own[0].sheet];
            conclude(of, ratio, own.len() - 1, order_is_given(facts, ratio))
        };
        own.iter().map(conclude).collect::<Vec<_>>()
    };
    family(&sheets).chunk_by(of_pair).flat_map(of).collect()
}

/// A metric of a step at all of its points.
pub(in crate::analysis) fn of_points(
    facts: &Facts,
    step: &StepFacts,
    metric: &Metric,
) -> PairedSheet {
    let subjects = facts.subjects.keys();
    let mut made = PairedSheet {
        step: step.key,
        metric: metric.clone(),
        points: step.values.keys().map(StepPlace::Value).collect(),
        loads: 0,
        sheet: Sheet { step: step.key.0, lag: lag(&facts.measured), ..Sheet::default() },
        not_the_drives: Vec::new(),
    };
    for value in step.values.keys() {
        let cells: Vec<Option<&CellFacts>> =
            subjects.clone().map(|s| step.cell(s, value)).collect();
        let of = |cell: &Option<&CellFacts>| {
            cell.map(|c| observations(step, c, metric)).unwrap_or_default()
        };
        let row: Vec<Vec<Observation>> = cells.iter().map(of).collect();
        let fit = |s: SubjectKey| {
            cells[s.0].is_some_and(|c| decision::may_be_compared(step, c, metric))
                && !row[s.0].is_empty()
        };
        let limit = |c: &Option<&CellFacts>| c.and_then(|c| metric.limit(c));
        let limits: Vec<Option<Bottleneck>> = cells.iter().map(limit).collect();
        let is_a_drives = |s: SubjectKey| limits[s.0].is_none();
        made.sheet.comparable.push(pairs(&facts.subjects, &facts.comparisons, step.key, |a, b| {
            fit(a) && fit(b) && (is_a_drives(a) || is_a_drives(b))
        }));
        made.sheet.cells.push(row);
        made.not_the_drives.push(limits);
        for cell in cells.into_iter().flatten() {
            made.sheet.resolution = made.sheet.resolution.max(metric.resolution(
                step,
                cell,
                floor_ns(&facts.setup, cell),
            ));
        }
    }
    made
}

/// The pacing floor of a cell's run; older versions did not measure it.
fn floor_ns(setup: &SetupFacts, cell: &CellFacts) -> f64 {
    setup.runs[cell.run].pacing_floor.map_or(0.0, |floor| floor.median_ns as f64)
}

/// A cell's repeats, each in its block and place; empty if the figure is not above zero in one of
/// them, because the cell is then omitted as a whole.
pub fn observations(step: &StepFacts, cell: &CellFacts, metric: &Metric) -> Vec<Observation> {
    let Some((_, values)) = metric.of(step, cell) else { return Vec::new() };
    let is_above_zero = |value: &f64| value.is_finite() && *value > 0.0;
    if values.len() != cell.repeats.len() || !values.iter().all(is_above_zero) {
        return Vec::new();
    }
    values.iter().enumerate().map(|(i, value)| Seat::of(cell, i).observation(*value)).collect()
}

/// Whether the order of measurement of two subjects is known.
fn order_is_given(facts: &Facts, ratio: &Ratio) -> bool {
    let runs = [ratio.a, ratio.b].map(|s| facts.setup.run_of(&facts.subjects[SubjectKey(s)]));
    facts.subjects[SubjectKey(ratio.a)].run != facts.subjects[SubjectKey(ratio.b)].run
        || runs.iter().all(|run| run.order != Order::NotGiven)
}

fn conclude(of: &PairedSheet, ratio: &Ratio, points: usize, order_is_given: bool) -> Comparison {
    let higher = of.metric.better() == Better::Higher;
    let ratio = if (ratio.ratio >= 1.0) == higher { ratio.clone() } else { ratio.inverted() };
    // Reordered so that `a` is the better one, and the ratio is at least 1 if higher is better, at
    // most 1 otherwise.
    let (factor, interval) = match higher {
        true => (ratio.ratio, ratio.interval),
        false => (1.0 / ratio.ratio, ratio.interval.map(|(low, high)| (1.0 / high, 1.0 / low))),
    };
    let pair = unordered(ratio.a, ratio.b);
    let own = (0..of.points.len()).filter(|p| match ratio.at {
        Some(point) => point == *p,
        None => of.sheet.comparable[*p].contains(&pair),
    });
    let limits: Vec<(Option<Bottleneck>, Option<Bottleneck>)> =
        own.map(|p| (of.not_the_drives[p][ratio.a], of.not_the_drives[p][ratio.b])).collect();
    let standing = match interval {
        Some((low, _)) => decision::standing(low, &limits),
        None if order_is_given => Standing::SeparateRuns,
        None => Standing::OrderNotGiven,
    };
    Comparison {
        step: of.step,
        metric: of.metric.clone(),
        at: ratio.at.map_or(StepPlace::Mean, |point| of.points[point]),
        better: SubjectKey(ratio.a),
        worse: SubjectKey(ratio.b),
        factor,
        interval,
        levels: ratio.levels,
        repeats: ratio.repeats,
        sessions: ratio.sessions,
        standing,
        over: if of.loads > 0 { MeanOver::Loads(of.loads) } else { MeanOver::Points(points) },
        varied: Vec::new(),
    }
}
