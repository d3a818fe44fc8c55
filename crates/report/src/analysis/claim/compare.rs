//! Makes every comparison of a brief, once and as one family: comparable pairs at each point, their
//! simultaneous intervals, and which of them were limited by the drives. All printed differences
//! come from here.

use crate::analysis::claim::pairing::{PairedSheet, Seat, lag, pairs};
use crate::analysis::claim::{curves, decision};
use crate::analysis::comparison::MeanOver;
pub use crate::analysis::comparison::{Comparison, Rise, Standing, StepPlace, Trend};
use crate::analysis::facts::{CellFacts, Comparisons, Facts, SetupFacts, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey, unordered};
use crate::analysis::limits::bottleneck::Bottleneck;
use crate::analysis::points::metric::Metric;
use dyno_core::plan::{Field, Order};
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

/// What the figures of a brief show, as one family.
#[derive(Default)]
pub struct Compared {
    /// The comparisons.
    pub all: Vec<Comparison>,
    /// How differences change along axes.
    pub trends: Vec<Trend>,
    /// How figures of a subject rise from one axis value to the next.
    pub rises: Vec<Rise>,
}

/// All comparisons of the facts; none for a fleet's subjects (`fleet` compares models).
pub fn all(facts: &Facts) -> Compared {
    if facts.subjects.are_a_fleet() {
        return Compared::default();
    }
    let mut compared = Vec::new();
    for step in &facts.measured.steps {
        for metric in &step.metrics {
            compared.push(of_points(facts, step, metric));
        }
        let Facts { subjects, measured, comparisons, .. } = facts;
        compared.extend(curves::of_step(subjects, measured, comparisons, step));
    }
    let ladders: Vec<Ladder> =
        facts.measured.steps.iter().filter_map(|step| Ladder::of(facts, step)).collect();
    compared.retain(|c| c.sheet.comparable.iter().any(|pairs| !pairs.is_empty()));
    let own = compared.iter().map(|c| c.sheet.clone());
    let sheets: Vec<Sheet> = own.chain(ladders.iter().map(|ladder| ladder.sheet.clone())).collect();
    // The mean of a sheet's points follows them.
    let of_pair = |a: &Ratio, b: &Ratio| (a.sheet, a.a, a.b) == (b.sheet, b.a, b.b);
    let of = |own: &[Ratio]| {
        let conclude = |ratio| {
            let of = &compared[own[0].sheet];
            conclude(of, ratio, own.len() - 1, order_is_given(facts, of.step, ratio))
        };
        own.iter().map(conclude).collect::<Vec<_>>()
    };
    let mut found = family(&sheets);
    let rises = found.split_off(found.partition_point(|ratio| ratio.sheet < compared.len()));
    let rise = |ratio: &Ratio| ladders[ratio.sheet - compared.len()].rise(ratio);
    let (trends, ratios): (Vec<Ratio>, Vec<Ratio>) = found.into_iter().partition(|r| r.is_trend);
    Compared {
        all: ratios.chunk_by(of_pair).flat_map(of).collect(),
        trends: trends.iter().map(|ratio| trend(&compared[ratio.sheet], ratio)).collect(),
        rises: rises.iter().filter_map(rise).collect(),
    }
}

/// The growth of a difference along the axis of a step.
fn trend(of: &PairedSheet, ratio: &Ratio) -> Trend {
    let higher = of.metric.better() == Better::Higher;
    let ratio = if (ratio.ratio >= 1.0) == higher { ratio.clone() } else { ratio.inverted() };
    let inverse = |(low, high): (f64, f64)| (1.0 / high, 1.0 / low);
    Trend {
        step: of.step,
        metric: of.metric.clone(),
        gaining: SubjectKey(ratio.a),
        losing: SubjectKey(ratio.b),
        factor: if higher { ratio.ratio } else { 1.0 / ratio.ratio },
        interval: if higher { ratio.interval } else { ratio.interval.map(inverse) },
    }
}

/// A latency of each subject along an axis.
struct Ladder {
    step: StepKey,
    metric: Metric,
    sheet: Sheet,
}

/// Fewer axis values are no course on which a latency could leave its level.
const FEWEST_RUNGS: usize = 5;

impl Ladder {
    /// The latency of a step whose load is set along its axis; None for other steps.
    fn of(facts: &Facts, step: &StepFacts) -> Option<Ladder> {
        let field = step.axis.as_ref().map(|axis| axis.field)?;
        let metric = &step.headline_metric;
        if !field.sets_rates() || !metric.is_latency() || step.values.len() < FEWEST_RUNGS {
            return None;
        }
        let (mut cells, mut comparable, mut resolution) = (Vec::new(), Vec::new(), 0.0f64);
        for subject in facts.subjects.keys() {
            let own = |value| step.cell(subject, value).filter(|c| !metric.is_barred(c));
            let of = |value| own(value).map(|c| observations(step, c, metric)).unwrap_or_default();
            let row: Vec<Vec<Observation>> = step.values.keys().map(of).collect();
            let next = (1..row.len()).map(|rung| (rung - 1, rung));
            let has = |(a, b): &(usize, usize)| !row[*a].is_empty() && !row[*b].is_empty();
            comparable.push(next.filter(has).collect());
            let place = |o: &Observation| Observation { place: 0, ..*o };
            cells.push(row.iter().map(|own| own.iter().map(place).collect()).collect());
            for cell in step.values.keys().filter_map(own) {
                let floor = floor_ns(&facts.setup, cell);
                resolution = resolution.max(metric.resolution(step, cell, floor));
            }
        }
        let lag = lag(&facts.measured, step.test);
        let sheet = Sheet {
            cells,
            comparable,
            resolution,
            step: step.key.0,
            lag,
            is_ladder: true,
            ..Sheet::default()
        };
        Some(Ladder { step: step.key, metric: metric.clone(), sheet })
    }

    /// A rise from one rung to the next; None for a fall.
    fn rise(&self, ratio: &Ratio) -> Option<Rise> {
        // The ratio is of the lower rung to the higher one.
        let (low, high) = ratio.interval?;
        Some(Rise {
            step: self.step,
            metric: self.metric.clone(),
            subject: SubjectKey(ratio.at?),
            from: ValueKey(ratio.a),
            to: ValueKey(ratio.b),
            factor: 1.0 / ratio.ratio,
            interval: (1.0 / high, 1.0 / low),
        })
        .filter(|rise| rise.factor > 1.0)
    }
}

/// The places of a step's axis on which a trend is a straight line: the logarithms of numbers.
fn places(step: &StepFacts) -> Vec<f64> {
    let is_number = step.axis.as_ref().is_some_and(|axis| axis.field != Field::Knob);
    let logs: Vec<f64> = step.values.iter().map(|value| value.number.ln()).collect();
    let is_fit = is_number && logs.iter().all(|log| log.is_finite());
    if is_fit { logs } else { Vec::new() }
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
        sheet: Sheet {
            step: step.key.0,
            lag: lag(&facts.measured, step.test),
            axis: places(step),
            ..Sheet::default()
        },
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
        made.sheet.comparable.push(pairs(&facts.subjects, &facts.comparisons, step, |a, b| {
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
fn order_is_given(facts: &Facts, step: StepKey, ratio: &Ratio) -> bool {
    let test = facts.measured.steps[step].test;
    let run = |s: usize| Some(facts.subjects[SubjectKey(s)].in_test(test)?.run);
    let [a, b] = [ratio.a, ratio.b].map(run);
    a != b || a.is_none_or(|run| facts.setup.runs[run].order != Order::NotGiven)
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
