//! A summary of a step in at most three sentences: which subject is better, how the figures change
//! along the axis, and what limited them.

use crate::analysis::facts::{CellFacts, Comparisons, Facts, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::brief::number_format;
use crate::brief::text::causes::{self, SaidRemedies};
use crate::brief::text::{bottleneck_text, outcome, published, wording};
use crate::language::Language;
use crate::say;
use dyno_core::plan::Field;

/// The sentences of a step, in order, with remedies that are not printed yet.
pub fn of_step(
    l: Language,
    facts: &Facts,
    step: &StepFacts,
    said: &mut SaidRemedies,
) -> Vec<String> {
    let first = match facts.comparisons.published {
        true => as_published(l, &facts.subjects, &facts.comparisons, step),
        false => outcome_of(l, facts, step, said),
    };
    let limits = bottleneck_text::limited(l, step.cells.iter());
    [first, along(l, &facts.subjects, step), limits].into_iter().flatten().collect()
}

/// The results of imported figures, in the step's headline metric.
fn as_published(
    l: Language,
    subjects: &Subjects,
    comparisons: &Comparisons,
    step: &StepFacts,
) -> Option<String> {
    let sentences = published::sentences(l, subjects, comparisons, step, &step.headline_metric);
    (!sentences.is_empty()).then(|| wording::sentences(l, sentences))
}

/// Which subject is better, in the step's headline metric.
fn outcome_of(
    l: Language,
    facts: &Facts,
    step: &StepFacts,
    said: &mut SaidRemedies,
) -> Option<String> {
    if facts.subjects.len() < 2 {
        return outcome::level(l, &facts.subjects, step, SubjectKey(0));
    }
    let found = &facts.comparisons.leads[step.key];
    if let Some((sentence, _)) = outcome::of_subject(l, facts, found, said) {
        return Some(sentence);
    }
    // Undecided comparisons between the brief's subject and another, or why nothing was compared.
    let own = facts.subjects.headline;
    if let Some(c) = found.all.iter().min_by_key(|c| !c.is_with(own)) {
        return Some(outcome::open(l, &facts.subjects, step, c));
    }
    let causes = facts
        .subjects
        .rivals()
        .map(|rival| causes::of_pair(l, facts, step.key, (own, rival), said))
        .find(|causes| !causes.is_empty());
    let none = std::iter::once(say!(l, "none-compared-here"));
    Some(wording::sentences(l, none.chain(causes.unwrap_or_default())))
}

/// The change of figures along the axis, for every subject.
fn along(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<String> {
    let field = step.axis.as_ref().map(|a| a.field)?;
    match field {
        Field::LoadPercent => knees(l, subjects, step),
        field if field.sets_rates() => ends(l, subjects, step),
        _ => last_of_load(l, subjects, step),
    }
}

/// "The knee of the curve is at 31,000 ops/s with a p99 of 210 µs (A) and at …".
fn knees(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<String> {
    let each = subjects.keys().filter_map(|subject| {
        let found = step.over_axis.knee(subject)?;
        let load = number_format::count(l, found.load);
        let p99 = number_format::time(l, found.latency);
        Some(say!(l, "knee-at", load, p99, subject = &subjects[subject].name))
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| say!(l, "knees", knees = l.list(&each)))
}

/// "From 10 MB/s to 700 MB/s p99 goes from 388 µs to 709 µs (A) and from …".
fn ends(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<String> {
    let mut each = Vec::new();
    for subject in subjects.keys() {
        let kept = figures(step, subject);
        let [first, .., last] = &kept[..] else { continue };
        each.push(say!(
            l,
            "p99-from-to",
            low = number_format::time(l, first.2),
            from = step.values[first.0].text(l),
            high = number_format::time(l, last.2),
            to = step.values[last.0].text(l),
            subject = &subjects[subject].name
        ));
    }
    (!each.is_empty()).then(|| say!(l, "p99-moves", moves = l.list(&each)))
}

/// The effect of the last increase in load: more ops, or only longer waits.
fn last_of_load(l: Language, subjects: &Subjects, step: &StepFacts) -> Option<String> {
    let (mut each, mut between) = (Vec::new(), None);
    for subject in subjects.keys() {
        let kept = figures(step, subject);
        let [.., before, last] = &kept[..] else { continue };
        let (Some(from), Some(to)) = (before.1, last.1) else { continue };
        between.get_or_insert((before.0, last.0));
        if between == Some((before.0, last.0)) {
            let change =
                |from: f64, to: f64| number_format::signed_percent(l, (to / from - 1.0) * 100.0);
            let (ops, p99) = (change(from, to), change(before.2, last.2));
            let subject = &subjects[subject].name;
            each.push(match each.is_empty() {
                true => say!(l, "ops-and-p99-change", ops, p99, subject),
                false => say!(l, "ops-and-p99", ops, p99, subject),
            });
        }
    }
    let (before, last) = between?;
    let (from, to) = (step.values[before].text(l), step.values[last].text(l));
    let changes = each.join(&say!(l, "list-comma"));
    Some(match step.axis.as_ref()?.field {
        Field::Threads => say!(l, "from-to-threads", from, to, changes),
        Field::Instances => say!(l, "from-to-instances", from, to, changes),
        _ => say!(l, "from-to", from, to, changes),
    })
}

/// (axis value, ops/s if known, p99 in ns) of a subject, unless there is a caveat other than the
/// host's limits.
fn figures(step: &StepFacts, subject: SubjectKey) -> Vec<(ValueKey, Option<f64>, f64)> {
    let read = |cell: &CellFacts| {
        let total = cell.total.as_ref().filter(|_| !cell.missed_its_rate())?;
        let ops = total.ops_per_s.as_ref().map(|ops| ops.value);
        Some((cell.value, ops, total.p99_ns(step.class)?.value))
    };
    step.cells_of(subject).into_iter().flatten().filter_map(read).collect()
}
