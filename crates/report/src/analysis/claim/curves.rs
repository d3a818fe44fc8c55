//! Figures read from a latency–load curve, repeat by repeat, so that they have intervals like any
//! other figure: latency at equal load, load at equal latency, and the highest load within a
//! search's limit.
//!
//! Half of its own maximum is a different load for each subject, so a sweep of shares is compared
//! here and not point by point.

use crate::analysis::claim::pairing::{PairedSheet, Seat, lag, pairs};
use crate::analysis::comparison::StepPlace;
use crate::analysis::facts::{
    AxisPosition, CellFacts, Comparisons, MeasuredFacts, StepFacts, Subjects,
};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::analysis::points::point_summary::P99;
use dyno_core::plan::Field;
use dyno_core::plan::search::Search;
use dyno_core::stats::curve::{self, knee, latency_at, load_at};
use dyno_core::stats::family::{Observation, Sheet};
use dyno_core::stats::level::geometric_mean;

/// Fewer points do not form a curve.
const FEWEST_POINTS: usize = 4;

/// Whether the points along an axis of this field form a latency–load curve.
pub fn is_of_loads(field: Field) -> bool {
    matches!(field, Field::LoadPercent | Field::OpsPerSec)
}

/// A subject's curve in one repeat.
struct RepeatCurve {
    seat: Seat,
    points: Vec<curve::LoadAndLatency>,
}

/// The metrics in which a step's curves are compared.
pub fn of_step(
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
    step: &StepFacts,
) -> Vec<PairedSheet> {
    let mut all = Vec::new();
    let lag = lag(measured, step.test);
    let compared = |metric, at, row| compared(subjects, comparisons, lag, step, metric, at, row);
    if let Some(search) = &step.search {
        let row = within_limit(subjects, measured, step, search);
        let mut made = compared(Metric::total(PointFigure::Ops), StepPlace::Limit, row);
        // Nothing is known between two values of the sweep.
        let known = |w: &&[AxisPosition]| w[0].number > 0.0 && w[1].number.is_finite();
        let numbers = step.values.raw.windows(2).filter(known);
        let gap = numbers.map(|w| (w[1].number / w[0].number).ln()).fold(0.0, f64::max);
        made.sheet.resolution = gap;
        all.push(made);
    }
    let field = step.axis.as_ref().map(|a| a.field);
    if step.values.len() < FEWEST_POINTS || !field.is_some_and(is_of_loads) {
        return all;
    }
    let curves: Vec<Vec<RepeatCurve>> = subjects.keys().map(|s| of_subject(step, s)).collect();
    if field == Some(Field::LoadPercent) {
        let loads: Vec<f64> = common_loads(&curves);
        // Loads read from one curve share its points, so each is a separate sheet, and their mean
        // is taken within repeats: as points of one sheet they would count as independent
        // observations.
        for load in &loads {
            let row = read(&curves, &|c: &RepeatCurve| latency_at(&c.points, *load));
            all.push(compared(Metric::p99(), StepPlace::Load(*load), row));
        }
        if !loads.is_empty() {
            let row = read(&curves, &|c: &RepeatCurve| mean_latency(&c.points, &loads));
            let mean = compared(Metric::p99(), StepPlace::Mean, row);
            all.push(PairedSheet { loads: loads.len(), ..mean });
        }
    }
    if let Some(knee) = knee(&mean_curve(step, SubjectKey(0))) {
        let row = read(&curves, &|c: &RepeatCurve| load_at(&c.points, knee.latency));
        let ops = Metric::total(PointFigure::Ops);
        all.push(compared(ops, StepPlace::Latency(knee.latency), row));
    }
    all
}

type CurveRow = Vec<Vec<Observation>>;

fn compared(
    subjects: &Subjects,
    comparisons: &Comparisons,
    lag: usize,
    step: &StepFacts,
    metric: Metric,
    at: StepPlace,
    row: CurveRow,
) -> PairedSheet {
    let comparable = vec![pairs(subjects, comparisons, step, |a, b| {
        ![a, b].iter().any(|s| row[s.0].is_empty())
    })];
    let cells = vec![row];
    let sheet = Sheet { cells, comparable, step: step.key.0, lag, ..Sheet::default() };
    PairedSheet {
        step: step.key,
        metric,
        points: vec![at],
        loads: 0,
        sheet,
        not_the_drives: vec![vec![None; subjects.len()]],
    }
}

/// The geometric mean of a curve's latencies at some loads.
fn mean_latency(points: &[curve::LoadAndLatency], loads: &[f64]) -> Option<f64> {
    let all = loads.iter().map(|load| latency_at(points, *load)).collect::<Option<Vec<f64>>>()?;
    Some(geometric_mean(&all))
}

/// A figure of every subject, if the curve of every repeat has it: no extrapolation.
fn read(curves: &[Vec<RepeatCurve>], of: &dyn Fn(&RepeatCurve) -> Option<f64>) -> CurveRow {
    let observed = |c: &RepeatCurve| Some(c.seat.observation(of(c)?));
    curves
        .iter()
        .map(|own| own.iter().map(observed).collect::<Option<Vec<_>>>().unwrap_or_default())
        .collect()
}

/// The comparable paced points; without the maximum, whose closed-loop latency is of a different
/// kind.
fn paced(step: &StepFacts, subject: SubjectKey) -> Vec<&CellFacts> {
    let cells = step
        .cells
        .iter()
        .filter(|c| c.subject == subject && step.values[c.value].number.is_finite());
    cells.filter(|c| !c.is_barred() && c.not_the_drive().is_none()).collect()
}

/// The subject's curve in each repeat: p99 against ops/s.
fn of_subject(step: &StepFacts, subject: SubjectKey) -> Vec<RepeatCurve> {
    let cells = paced(step, subject);
    let Some(first) = cells.first() else { return Vec::new() };
    let fit: Vec<&&CellFacts> = cells.iter().filter(|c| c.repeats == first.repeats).collect();
    let of_repeat = |i: usize| {
        let point = |cell: &&&CellFacts| {
            let total = cell.total.as_ref()?;
            let times = total.user_latency(step.class)?;
            Some(curve::LoadAndLatency {
                load: *total.by_repeat.get(i)?,
                latency: *times.measured(P99).get(i)?,
            })
        };
        RepeatCurve {
            seat: Seat::of(first, i),
            points: curve::rising(&fit.iter().filter_map(point).collect::<Vec<_>>()),
        }
    };
    (0..first.repeats.len()).map(of_repeat).collect()
}

/// p99 against ops/s over all repeats.
pub fn mean_curve(step: &StepFacts, subject: SubjectKey) -> Vec<curve::LoadAndLatency> {
    let point = |cell: &CellFacts| {
        let total = cell.total.as_ref()?;
        let load = total.ops_per_s.as_ref()?.value;
        let p99 = total.p99_ns(step.class).filter(|p99| !p99.at_least)?;
        Some(curve::LoadAndLatency { load, latency: p99.value })
    };
    paced(step, subject).into_iter().filter_map(point).collect()
}

/// The geometric mean of p99 over the loads common to all curves.
pub fn mean_over_loads(subjects: &Subjects, step: &StepFacts, subject: SubjectKey) -> Option<f64> {
    let curves: Vec<Vec<curve::LoadAndLatency>> = subjects
        .keys()
        .map(|s| curve::rising(&mean_curve(step, s)))
        .filter(|c| c.len() > 1)
        .collect();
    let loads = loads_between(&curves.iter().map(Vec::as_slice).collect::<Vec<_>>());
    if loads.is_empty() {
        None
    } else {
        mean_latency(&curve::rising(&mean_curve(step, subject)), &loads)
    }
}

/// Tenths of the range of loads common to all subjects' curves.
fn common_loads(curves: &[Vec<RepeatCurve>]) -> Vec<f64> {
    let all = curves.iter().flatten().filter(|c| c.points.len() > 1);
    loads_between(&all.map(|c| &c.points[..]).collect::<Vec<_>>())
}

fn loads_between(curves: &[&[curve::LoadAndLatency]]) -> Vec<f64> {
    const TENTHS: u32 = 10;
    let low = curves.iter().map(|c| c[0].load).fold(0.0, f64::max);
    let high = curves.iter().map(|c| c[c.len() - 1].load).fold(f64::INFINITY, f64::min);
    if !(high.is_finite() && high > low) {
        return Vec::new();
    }
    (0..TENTHS).map(|i| low + (high - low) * (f64::from(i) + 0.5) / f64::from(TENTHS)).collect()
}

/// ops/s at the highest value of a search that passed, in each repeat.
fn within_limit(
    subjects: &Subjects,
    measured: &MeasuredFacts,
    step: &StepFacts,
    search: &Search,
) -> CurveRow {
    let of = |subject: SubjectKey| {
        let cells: Vec<&CellFacts> =
            step.cells.iter().filter(|c| c.subject == subject && !c.is_barred()).collect();
        let mut repeats: Vec<u32> = cells.iter().flat_map(|c| c.repeats.clone()).collect();
        repeats.sort_unstable();
        repeats.dedup();
        let below = |repeat| measured.fell_behind(step, subject, Some(repeat)).min();
        let held = |r: &u32| held(&cells, *r, search, below(*r));
        repeats.iter().filter_map(held).collect::<Vec<Observation>>()
    };
    subjects.keys().map(of).collect()
}

/// The highest passing value of a repeat, below the first failing one.
fn held(
    cells: &[&CellFacts],
    repeat: u32,
    search: &Search,
    failed: Option<ValueKey>,
) -> Option<Observation> {
    let mut found = None;
    for cell in cells.iter().take_while(|cell| failed.is_none_or(|value| cell.value < value)) {
        let Some(i) = cell.repeats.iter().position(|r| *r == repeat) else { continue };
        match cell.holds_in(search, i) {
            Some(true) => {}
            Some(false) => break,
            None => continue,
        }
        found = Some(Seat::of(cell, i).observation(*cell.total.as_ref()?.by_repeat.get(i)?));
    }
    found
}
