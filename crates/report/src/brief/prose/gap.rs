//! Differences between the first subject and each other: where their order changes along the axis,
//! the difference in the figure's own unit at a stated load, and its change with the block size.

use crate::analysis::claim::compare::{ComparedFigure, Comparison, Standing, StepPlace};
use crate::analysis::claim::published::{better_at, crossovers};
use crate::analysis::comparison::Crossover;
use crate::analysis::facts::{AxisFacts, Comparisons, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey};
use crate::analysis::points::metric::Metric;
use crate::brief::text::metric_text::rounded;
use crate::brief::text::{published, wording};
use crate::chart::StepDrawing;
use crate::language::Language;
use crate::say;
use dyno_core::base::units;
use dyno_core::plan::Field;

/// Fewer sizes do not show a trend.
const FEWEST_SIZES: usize = 3;

/// The positions at which another subject becomes better: in figures other than the step's
/// headline, and as arithmetic in all figures of imports without repeats.
pub fn crossed(drawing: &StepDrawing<'_>) -> Vec<String> {
    let &StepDrawing { language: l, subjects, comparisons, step, .. } = drawing;
    let led = &step.headline_metric;
    let found: Vec<Crossover> = match comparisons.published {
        true => pairs(subjects).flat_map(|pair| crossovers(step, pair, rounded)).collect(),
        false => {
            let own = |c: &&Crossover| c.step == step.key && c.metric != *led;
            comparisons.crossovers.iter().filter(own).cloned().collect()
        }
    };
    found.iter().map(|c| wording::crossed(l, subjects, step, c)).collect()
}

/// The pairs of the brief's subject with each rival.
fn pairs(subjects: &Subjects) -> impl Iterator<Item = (SubjectKey, SubjectKey)> {
    let own = subjects.headline;
    subjects.rivals().map(move |rival| (own, rival))
}

/// The other one of a pair.
fn other((a, b): (SubjectKey, SubjectKey), one: SubjectKey) -> SubjectKey {
    if one == a { b } else { a }
}

/// "A's p99 read latency is 108 µs lower than B's at 800 MB/s (169 µs against 277 µs)": for each
/// rival at the largest difference.
pub fn at_a_load(drawing: &StepDrawing<'_>) -> Vec<String> {
    // A share of its own maximum is not a load that two subjects have in common.
    let is_of_shares = |axis: &AxisFacts| axis.field == Field::LoadPercent;
    if drawing.step.axis.as_ref().is_none_or(is_of_shares) {
        return Vec::new();
    }
    pairs(drawing.subjects).filter_map(|pair| widest(drawing, pair)).collect()
}

fn widest(drawing: &StepDrawing<'_>, pair: (SubjectKey, SubjectKey)) -> Option<String> {
    let &StepDrawing { language: l, subjects, comparisons, step, .. } = drawing;
    let led = &step.headline_metric;
    let metric = if led.is_latency() { led.clone() } else { Metric::p99() };
    let of = |subject, value| rounded(&metric, step, step.cell(subject, value)?);
    let mut found: Option<(f64, String)> = None;
    for value in step.values.keys() {
        let at = StepPlace::Value(value);
        let by = ComparedFigure { step, metric: &metric, at };
        let Some(better) = shown_better(comparisons, by, pair) else { continue };
        let worse = other(pair, better);
        let (own, rivals) = (of(better, value)?, of(worse, value)?);
        if rivals - own <= found.as_ref().map_or(0.0, |(most, _)| *most) {
            continue;
        }
        let text = |ns: f64| super::latency(l, step, ns);
        let said = say!(
            l,
            "lower-by",
            better = &subjects[better].name,
            worse = &subjects[worse].name,
            what = wording::metric(l, &metric, step),
            difference = text(rivals - own),
            at = wording::place(l, step, &[value]),
            own = text(own),
            other = text(rivals)
        );
        found = Some((rivals - own, said));
    }
    found.map(|(_, said)| said)
}

/// Which of a pair is better at a point: by a claim, or as published.
fn shown_better(
    comparisons: &Comparisons,
    by: ComparedFigure<'_>,
    pair: (SubjectKey, SubjectKey),
) -> Option<SubjectKey> {
    if let (true, StepPlace::Value(value)) = (comparisons.published, by.at) {
        return Some(better_at(by.step, by.metric, (pair, value), rounded)?.0);
    }
    let own = comparisons.between(by, pair.0, pair.1)?;
    is_shown(own).then_some(own.better)
}

/// A lower bound does not determine the difference.
fn is_shown(comparison: &Comparison) -> bool {
    comparison.standing == Standing::Claimed
}

/// "The lead of A over B in ops/s grows with the block size: 3 % at 4 KiB, …", for a sweep of
/// sizes, or for steps that differ in nothing else; stated for the last of them, and only if the
/// intervals of the first and the last size are disjoint.
pub fn over_block_sizes(drawing: &StepDrawing<'_>) -> Vec<String> {
    pairs(drawing.subjects).filter_map(|pair| of_sizes(drawing, pair)).collect()
}

/// A size, the better subject there, the factor with its interval limits, and its printed form.
struct AtSize {
    size: String,
    better: SubjectKey,
    factor: f64,
    interval: (f64, f64),
    difference: String,
}

fn of_sizes(drawing: &StepDrawing<'_>, pair: (SubjectKey, SubjectKey)) -> Option<String> {
    let &StepDrawing { language: l, subjects, comparisons, step, .. } = drawing;
    let metric = &step.headline_metric;
    let all = match step.axis.as_ref().is_some_and(|axis| axis.field == Field::Block) {
        true => along_the_axis(drawing, metric, pair)?,
        false => over_steps(l, comparisons, step, pair)?,
    };
    let (first, last) = (all.first()?, all.last()?);
    let better = first.better;
    if all.len() < FEWEST_SIZES || all.iter().any(|at| at.better != better) {
        return None;
    }
    let each: Vec<String> = all
        .iter()
        .map(|at| say!(l, "difference-at-size", difference = &at.difference, size = &at.size))
        .collect();
    let differences = l.list(&each);
    let what = wording::metric(l, metric, step);
    let [better, worse] = [better, other(pair, better)].map(|s| &subjects[s].name);
    let by = |before: &dyn Fn(f64, f64) -> bool| {
        all.windows(2).all(|pair| before(pair[0].factor, pair[1].factor))
    };
    let grows = by(&|a, b| a < b) && first.interval.1 < last.interval.0;
    let shrinks = by(&|a, b| a > b) && first.interval.0 > last.interval.1;
    match (grows, shrinks) {
        (true, _) => Some(say!(l, "grows-with-size", better, worse, what, differences)),
        (_, true) => Some(say!(l, "shrinks-with-size", better, worse, what, differences)),
        _ => None,
    }
}

fn along_the_axis(
    drawing: &StepDrawing<'_>,
    metric: &Metric,
    pair: (SubjectKey, SubjectKey),
) -> Option<Vec<AtSize>> {
    let &StepDrawing { language: l, subjects, comparisons, step, .. } = drawing;
    let at = |value: ValueKey| {
        let size = step.values[value].text(l);
        let by = ComparedFigure { step, metric, at: StepPlace::Value(value) };
        if !comparisons.published {
            let c = comparisons.between(by, pair.0, pair.1)?;
            return is_shown(c).then(|| of_comparison(l, c, size));
        }
        let (better, factor) = better_at(step, metric, (pair, value), rounded)?;
        let difference = published::difference(l, subjects, comparisons, by, pair)?;
        Some(AtSize { size, better, factor, interval: (factor, factor), difference })
    };
    step.values.keys().map(at).collect()
}

fn of_comparison(l: Language, c: &Comparison, size: String) -> AtSize {
    let difference = wording::difference(l, c);
    AtSize {
        size,
        better: c.better,
        factor: c.factor,
        interval: c.interval.unwrap_or((c.factor, c.factor)),
        difference,
    }
}

/// The differences over steps that differ only in block size and name, of which this is the last.
fn over_steps(
    l: Language,
    comparisons: &Comparisons,
    step: &StepFacts,
    pair: (SubjectKey, SubjectKey),
) -> Option<Vec<AtSize>> {
    let is_last = |group: &&Vec<(u64, StepKey)>| group.last().is_some_and(|l| l.1 == step.key);
    let mut found = comparisons.by_size.iter().find(is_last)?.clone();
    found.sort_unstable();
    let at = |(size, step): (u64, StepKey)| {
        let mut all = comparisons.leads[step].all.iter().filter(|c| is_shown(c));
        let c = all.find(|c| c.is_of(pair.0, pair.1))?;
        Some(of_comparison(l, c, units::bytes(size)))
    };
    found.into_iter().map(at).collect()
}
