//! What lies between the first subject and each other: where their order changes along the axis,
//! by how much in the figure's own unit at a named load, and how that moves with the block size.

use crate::analysis::claim::claims::Crossover;
use crate::analysis::claim::compare::{ComparedFigure, Comparison, Standing, StepPlace};
use crate::analysis::claim::lead::StepLead;
use crate::analysis::claim::{claims, lead};
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::points::metric::Metric;
use crate::base::units;
use crate::brief::text::{published, wording};
use crate::plan::{Field, Step};
use crate::say;
use crate::stats::Better;

/// Fewer sizes show no course.
const FEWEST_SIZES: usize = 3;

/// Where another subject becomes the better one: in the figures that the step does not lead with,
/// and as arithmetic in all figures of imports without repeats.
pub fn crossed(facts: &Facts, index: usize) -> Vec<String> {
    let step = &facts.steps[index];
    let led = lead::metric(facts, step);
    let found: Vec<Crossover> = match published::is_published(facts) {
        true => rivals(facts).flat_map(|rival| as_published(facts, index, rival)).collect(),
        false => {
            let own = |c: &Crossover| c.step == index && c.metric != led;
            claims::crossovers(facts).into_iter().filter(own).collect()
        }
    };
    found.iter().map(|c| wording::crossed(facts, c)).collect()
}

fn rivals(facts: &Facts) -> impl Iterator<Item = usize> {
    (0..facts.subjects.len()).filter(|subject| *subject != facts.headline_subject)
}

fn as_published(facts: &Facts, index: usize, rival: usize) -> Vec<Crossover> {
    let step = &facts.steps[index];
    let mut found = Vec::new();
    for metric in Metric::of_step(step, &facts.metrics) {
        let mut last: Option<(usize, usize)> = None;
        for value in 0..step.values.len() {
            let Some(better) =
                better_at(facts, step, &metric, (facts.headline_subject, rival), value)
            else {
                continue;
            };
            if let Some((before, until)) = last.filter(|(before, _)| *before != better) {
                let metric = metric.clone();
                let (after, from) = (better, value);
                found.push(Crossover { step: index, metric, before, until, after, from });
            }
            last = Some((better, value));
        }
    }
    found
}

/// Which of a pair has the better figure, as printed; nothing of equal ones.
fn better_at(
    facts: &Facts,
    step: &StepFacts,
    metric: &Metric,
    (a, b): (usize, usize),
    value: usize,
) -> Option<usize> {
    let of = |subject: usize| {
        Some(wording::printed(facts.language, metric, step, step.cell(subject, value)?)?.0)
    };
    let (own, other) = (of(a)?, of(b)?);
    let a_is_better = match metric.better() {
        Better::Higher => own > other,
        Better::Lower => own < other,
    };
    (own != other).then_some(if a_is_better { a } else { b })
}

/// "A's p99 read latency is 108 µs lower than B's at 800 MB/s (169 µs against 277 µs)": of each
/// rival where the difference is greatest.
pub fn at_a_load(facts: &Facts, index: usize) -> Vec<String> {
    let step = &facts.steps[index];
    // A share of one's own maximum is no load that two subjects have in common.
    let is_of_shares = |axis: &crate::analysis::facts::AxisFacts| axis.field == Field::LoadPercent;
    if step.axis.as_ref().is_none_or(is_of_shares) {
        return Vec::new();
    }
    rivals(facts).filter_map(|rival| widest(facts, index, rival)).collect()
}

fn widest(facts: &Facts, index: usize, rival: usize) -> Option<String> {
    let (l, step) = (facts.language, &facts.steps[index]);
    let led = lead::metric(facts, step);
    let metric = if led.is_latency() { led } else { Metric::p99() };
    let figure = |subject: usize, value| {
        Some(wording::printed(l, &metric, step, step.cell(subject, value)?)?.0)
    };
    let mut found: Option<(f64, String)> = None;
    for value in 0..step.values.len() {
        let Some(better) = shown_better(facts, index, &metric, rival, value) else { continue };
        let worse = if better == facts.headline_subject { rival } else { facts.headline_subject };
        let (own, other) = (figure(better, value)?, figure(worse, value)?);
        if other - own <= found.as_ref().map_or(0.0, |(most, _)| *most) {
            continue;
        }
        let text = |ns: f64| super::latency(facts, ns);
        let said = say!(
            l,
            "lower-by",
            better = &facts.subjects[better],
            worse = &facts.subjects[worse],
            what = wording::metric(l, &metric, step),
            difference = text(other - own),
            at = wording::place(l, step, &[value]),
            own = text(own),
            other = text(other)
        );
        found = Some((other - own, said));
    }
    found.map(|(_, said)| said)
}

/// Who is better than the other at a point: by a claim, or as published.
fn shown_better(
    facts: &Facts,
    index: usize,
    metric: &Metric,
    rival: usize,
    value: usize,
) -> Option<usize> {
    if published::is_published(facts) {
        return better_at(
            facts,
            &facts.steps[index],
            metric,
            (facts.headline_subject, rival),
            value,
        );
    }
    let by = ComparedFigure { step: index, metric, at: StepPlace::Value(value) };
    let own = facts.comparison(by, facts.headline_subject, rival)?;
    is_shown(own).then_some(own.better)
}

/// A bound leaves open how far apart the two are.
fn is_shown(comparison: &Comparison) -> bool {
    comparison.standing == Standing::Claimed
}

/// "The lead of A over B in ops/s grows with the block size: 3 % at 4 KiB, …", of a sweep of sizes,
/// or of steps that are the same in all else; it is said at the last of them, and only where the
/// intervals of the first and the last size have nothing in common.
pub fn over_block_sizes(facts: &Facts, index: usize) -> Vec<String> {
    rivals(facts).filter_map(|rival| of_sizes(facts, index, rival)).collect()
}

/// A size, who is better there, by what factor with the ends of its interval, and that as it is
/// printed.
struct AtSize {
    size: String,
    better: usize,
    factor: f64,
    interval: (f64, f64),
    difference: String,
}

fn of_sizes(facts: &Facts, index: usize, rival: usize) -> Option<String> {
    let (l, step) = (facts.language, &facts.steps[index]);
    let metric = lead::metric(facts, step);
    let all = match step.axis.as_ref().is_some_and(|axis| axis.field == Field::Block) {
        true => along_the_axis(facts, index, &metric, rival)?,
        false => over_steps(facts, index, rival)?,
    };
    let (first, last) = (all.first()?, all.last()?);
    let better = first.better;
    let of_one = all.iter().all(|at| at.better == better);
    if all.len() < FEWEST_SIZES || !of_one {
        return None;
    }
    let each: Vec<String> = all
        .iter()
        .map(|at| say!(l, "difference-at-size", difference = &at.difference, size = &at.size))
        .collect();
    let names =
        [better, if better == facts.headline_subject { rival } else { facts.headline_subject }]
            .map(|s| facts.subjects[s].clone());
    let what = wording::metric(l, &metric, step);
    let differences = l.list(&each);
    let by = |before: &dyn Fn(f64, f64) -> bool| {
        all.windows(2).all(|pair| before(pair[0].factor, pair[1].factor))
    };
    let [better, worse] = names;
    let grows = by(&|a, b| a < b) && first.interval.1 < last.interval.0;
    let shrinks = by(&|a, b| a > b) && first.interval.0 > last.interval.1;
    match (grows, shrinks) {
        (true, _) => Some(say!(
            l,
            "grows-with-size",
            better = better,
            worse = worse,
            what = what,
            differences = differences
        )),
        (_, true) => Some(say!(
            l,
            "shrinks-with-size",
            better = better,
            worse = worse,
            what = what,
            differences = differences
        )),
        _ => None,
    }
}

fn along_the_axis(
    facts: &Facts,
    index: usize,
    metric: &Metric,
    rival: usize,
) -> Option<Vec<AtSize>> {
    let (l, step) = (facts.language, &facts.steps[index]);
    let at = |value: usize| {
        let size = step.values[value].text(l);
        if !published::is_published(facts) {
            let by = ComparedFigure { step: index, metric, at: StepPlace::Value(value) };
            let c = facts.comparison(by, facts.headline_subject, rival)?;
            return is_shown(c).then(|| of_comparison(facts, c, size));
        }
        let better = better_at(facts, step, metric, (facts.headline_subject, rival), value)?;
        let worse = if better == facts.headline_subject { rival } else { facts.headline_subject };
        let of = |subject| Some(wording::printed(l, metric, step, step.cell(subject, value)?)?.0);
        let (own, other) = (of(better)?, of(worse)?);
        let factor = (own / other).max(other / own);
        let difference =
            published::difference(facts, step, metric, value, (facts.headline_subject, rival))?;
        Some(AtSize { size, better, factor, interval: (factor, factor), difference })
    };
    (0..step.values.len()).map(at).collect()
}

fn of_comparison(facts: &Facts, c: &Comparison, size: String) -> AtSize {
    let difference = wording::difference(facts.language, c);
    AtSize { size, better: c.better, factor: c.factor, interval: (c.low, c.high), difference }
}

/// Steps that differ in the block size and their names alone, this one the last of them.
fn over_steps(facts: &Facts, index: usize, rival: usize) -> Option<Vec<AtSize>> {
    let protocol = &facts.runs.first()?.resolved.protocol;
    let of = |name: &str| protocol.steps.iter().find(|step| step.name == name);
    let own = without_size(of(&facts.steps[index].name)?)?.0;
    let mut found: Vec<(u64, usize)> = Vec::new();
    for (other, step) in facts.steps.iter().enumerate() {
        if let Some((rest, size)) = of(&step.name).and_then(without_size)
            && rest == own
        {
            found.push((size, other));
        }
    }
    if found.last()?.1 != index {
        return None;
    }
    found.sort_unstable();
    let at = |(size, step): (u64, usize)| {
        let outcome = StepLead::of(facts, step);
        let mut all = outcome.all.iter().filter(|c| is_shown(c));
        let c = all.find(|c| c.is_of(facts.headline_subject, rival))?;
        Some(of_comparison(facts, c, units::bytes(size)))
    };
    found.into_iter().map(at).collect()
}

/// The step without its names and its one block size, and that size.
fn without_size(step: &Step) -> Option<(Step, u64)> {
    let mut rest = Step { name: String::new(), title: String::new(), ..step.clone() };
    let mut size = None;
    for stream in &mut rest.streams {
        let sizes = stream.workload.knobs.sizes("block").ok()?;
        let [(own, _)] = sizes[..] else { return None };
        if size.is_some_and(|other| other != own) {
            return None;
        }
        size = Some(own);
        stream.workload.knobs.0.remove("block");
    }
    Some((rest, size?))
}
