//! What a step's figures come to, in three sentences at most: who is better, how the figures move
//! along the axis, and what limited them.

use crate::analysis::curves::mean_curve;
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::lead::Outcome;
use crate::analysis::point_summary::{ClassSummary, P99};
use crate::base::units;
use crate::brief::{lead, number_format, published, wording};
use crate::plan::Field;
use crate::stats::curve::knee;

/// The sentences of a step, in order.
pub fn of_step(facts: &Facts, index: usize) -> Vec<String> {
    let step = &facts.steps[index];
    let first = if published::is_published(facts) { None } else { outcome(facts, index) };
    [first, along(facts, step), limits(step)].into_iter().flatten().collect()
}

/// Who is better, in what the step leads with.
fn outcome(facts: &Facts, index: usize) -> Option<String> {
    let step = &facts.steps[index];
    if facts.subjects.len() < 2 {
        return lead::level(facts, step, 0);
    }
    let outcome = Outcome::of(facts, index);
    if !outcome.crossovers.is_empty() {
        let all = outcome.crossovers.iter().map(|c| wording::crossed(facts, c));
        return Some(format!("{}.", all.collect::<Vec<_>>().join("; ")));
    }
    let claimed = outcome.claimed();
    if !claimed.is_empty() {
        return Some(format!("{}.", wording::joined(facts, &claimed)));
    }
    Some(
        outcome.all.first().map_or("No two subjects could be compared here.".to_string(), |c| {
            lead::open(facts, c)
        }),
    )
}

/// How the figures move along the axis, of every subject.
fn along(facts: &Facts, step: &StepFacts) -> Option<String> {
    let field = step.axis.as_ref().map(|a| a.field)?;
    match field {
        Field::LoadPercent => knees(facts, step),
        field if field.sets_rates() => ends(facts, step),
        _ => last_of_load(facts, step),
    }
}

/// "The knee of the curve lies at 31,000 ops/s with a p99 of 210 µs (A) and at …".
fn knees(facts: &Facts, step: &StepFacts) -> Option<String> {
    let each = (0..facts.subjects.len()).filter_map(|subject| {
        let found = knee(&mean_curve(step, subject))?;
        let (load, p99) = (number_format::count(found.load), units::latency(found.latency));
        Some(format!("at {load} ops/s with a p99 of {p99} ({})", facts.subjects[subject]))
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty())
        .then(|| format!("The knee of the curve lies {}.", number_format::list(&each)))
}

/// "From 10 MB/s to 700 MB/s p99 goes from 388 µs to 709 µs (A) and from …".
fn ends(facts: &Facts, step: &StepFacts) -> Option<String> {
    let mut each = Vec::new();
    for subject in 0..facts.subjects.len() {
        let kept: Vec<(usize, f64, f64)> = figures(facts, step, subject);
        let [first, .., last] = &kept[..] else { continue };
        let (from, to) = (&step.values[first.0].label, &step.values[last.0].label);
        let (low, high) = (units::latency(first.2), units::latency(last.2));
        each.push(format!("from {low} at {from} to {high} at {to} ({})", facts.subjects[subject]));
    }
    (!each.is_empty()).then(|| format!("p99 moves {}.", number_format::list(&each)))
}

/// What the last of the load brought: more ops, or only longer waits.
fn last_of_load(facts: &Facts, step: &StepFacts) -> Option<String> {
    let (mut each, mut between) = (Vec::new(), None);
    for subject in 0..facts.subjects.len() {
        let kept = figures(facts, step, subject);
        let [.., before, last] = &kept[..] else { continue };
        between.get_or_insert((before.0, last.0));
        if between == Some((before.0, last.0)) {
            let change =
                |from: f64, to: f64| number_format::signed_percent((to / from - 1.0) * 100.0);
            let (ops, p99) = (change(before.1, last.1), change(before.2, last.2));
            let name = &facts.subjects[subject];
            each.push(match each.is_empty() {
                true => format!("ops/s change by {ops} and p99 by {p99} ({name})"),
                false => format!("{ops} and {p99} ({name})"),
            });
        }
    }
    let (before, last) = between?;
    let (from, to) = (&step.values[before].label, wording::place(step, &[last]));
    let to =
        to.trim_start_matches(" at ").trim_start_matches("depth ").trim_start_matches("blocks of ");
    Some(format!("From {from} to {to}, {}.", each.join(", ")))
}

/// (axis value, ops/s, p99 in ns) of a subject, where nothing but the host's limits speaks against
/// them.
fn figures(facts: &Facts, step: &StepFacts, subject: usize) -> Vec<(usize, f64, f64)> {
    let read = |cell: &CellFacts| {
        let total = cell.total.as_ref().filter(|_| !cell.missed_its_rate())?;
        let p99 = total.class(step.class).map(ClassSummary::user_latency)?.percentiles_ns[P99]
            .as_ref()?
            .value;
        Some((cell.value, total.ops_per_s.value, p99))
    };
    facts.cells_of(step, subject).into_iter().flatten().filter_map(read).collect()
}

/// Whose limits were met, where something watched.
fn limits(step: &StepFacts) -> Option<String> {
    let watched: Vec<_> = step.cells.iter().filter_map(|c| c.limit.as_ref()).collect();
    if watched.is_empty() {
        return None;
    }
    let by_drive = watched.iter().filter(|v| v.limit.is_drive()).count();
    let mut others: Vec<(&str, usize)> = Vec::new();
    for verdict in watched.iter().filter(|v| v.limit.bars_ranking()) {
        match others.iter_mut().find(|(name, _)| *name == verdict.limit.name()) {
            Some(found) => found.1 += 1,
            None => others.push((verdict.limit.name(), 1)),
        }
    }
    let others: Vec<String> = others.iter().map(|(name, n)| format!("{name} {n}")).collect();
    let rest = if others.is_empty() {
        String::new()
    } else {
        format!("; otherwise {}", number_format::list(&others))
    };
    Some(format!("The drive limited {by_drive} of {} points{rest}.", watched.len()))
}
