//! A step's result for the brief's subject: where it is better, where a rival is, and which
//! comparisons are undecided. Everything is derived from the comparisons of `analysis`; nothing is
//! re-evaluated.

use crate::analysis::claim::compare::{Comparison, Standing};
use crate::analysis::comparison::{Crossover, StepLead};
use crate::analysis::facts::{Facts, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey, unordered};
use crate::analysis::points::metric::Metric;
use crate::brief::text::causes::{self, SaidRemedies};
use crate::brief::text::wording;
use crate::language::Language;
use crate::say;

/// Beyond this factor, an interval is not useful to a reader.
const WIDE: f64 = 3.0;

/// Maximum number of rivals in a sentence.
const MOST_RIVALS: usize = 2;

/// Identifies a claim by its step, metric and pair: one of several with the same identity is
/// enough.
pub type Said = (StepKey, Metric, SubjectKey, SubjectKey);

/// The identity of a comparison's claim.
pub fn key(c: &Comparison) -> Said {
    let (a, b) = unordered(c.better, c.worse);
    (c.step, c.metric.clone(), a, b)
}

/// The result of a step in its headline metric, without its title: sentences about the subject's
/// gains, each of its losses, the rivals that cannot be distinguished from it and those that are
/// not compared with it; with the claims that they contain. None if nothing is claimed about the
/// subject there.
pub fn of_subject(
    l: Language,
    facts: &Facts,
    outcome: &StepLead,
    remedies: &mut SaidRemedies,
) -> Option<(String, Vec<Said>)> {
    let (subjects, step) = (&facts.subjects, &facts.measured.steps[outcome.step]);
    let own = subjects.headline;
    let crossed = crossed(subjects, outcome);
    let is_crossed = |c: &&Comparison| crossed.iter().any(|o| c.is_of(o.before, o.after));
    let [mut gains, mut losses] = outcome.claims_of(own);
    gains.retain(|c| !is_crossed(c));
    losses.retain(|c| !is_crossed(c));
    let mut all: Vec<String> =
        crossed.iter().map(|c| wording::crossed(l, subjects, step, c)).collect();
    let joined = |claims: &[&Comparison]| wording::joined(l, subjects, step, claims);
    all.extend(gains.chunks(MOST_RIVALS).chain(losses.chunks(1)).map(joined));
    if all.is_empty() {
        return None;
    }
    let mut said: Vec<Said> = gains.iter().chain(&losses).map(|c| key(c)).collect();
    said.extend(crossed.iter().map(|c| {
        let (a, b) = unordered(c.before, c.after);
        (c.step, c.metric.clone(), a, b)
    }));
    let compared = |rival: SubjectKey| outcome.all.iter().find(|c| c.is_of(own, rival));
    let is_said =
        |rival: SubjectKey| said.iter().any(|(.., a, b)| (*a, *b) == unordered(own, rival));
    let open = |judged: bool| {
        let is_open = |rival: &SubjectKey| {
            let found = compared(*rival).filter(|c| c.interval.is_some() == judged);
            found.is_some() && !is_said(*rival)
        };
        let names = |rival| l.list(&[own, rival].map(|s| subjects[s].name.clone()));
        subjects.rivals().filter(is_open).map(names).collect::<Vec<String>>()
    };
    if !open(true).is_empty() {
        all.push(say!(l, "undecided-there", pairs = open(true).join(&say!(l, "nor"))));
    }
    if !open(false).is_empty() {
        all.push(say!(l, "apart-there", pairs = open(false).join(&say!(l, "list-comma"))));
    }
    let mut all: Vec<String> = all.into_iter().map(|said| wording::stopped(l, said)).collect();
    for rival in subjects.rivals().filter(|rival| !is_said(*rival) && compared(*rival).is_none()) {
        let causes = causes::of_pair(l, facts, outcome.step, (own, rival), remedies);
        if !causes.is_empty() {
            let none = say!(l, "not-compared-here", subject = &subjects[rival].name);
            all.extend(std::iter::once(none).chain(causes));
        }
    }
    Some((wording::sentences(l, all), said))
}

/// For each rival, the first place on the axis from which another of the two is better.
fn crossed<'o>(subjects: &Subjects, outcome: &'o StepLead) -> Vec<&'o Crossover> {
    let own = subjects.headline;
    let mut all: Vec<&Crossover> = Vec::new();
    let pair = |c: &Crossover| unordered(c.before, c.after);
    for c in outcome.crossovers.iter().filter(|c| c.before == own || c.after == own) {
        if !all.iter().any(|known| pair(known) == pair(c)) {
            all.push(c);
        }
    }
    all
}

/// The number of further changes of the better one of the subject and a rival.
pub fn more_changes(subjects: &Subjects, outcome: &StepLead) -> usize {
    let own = subjects.headline;
    let all = outcome.crossovers.iter().filter(|c| c.before == own || c.after == own).count();
    all - crossed(subjects, outcome).len()
}

/// "A and B cannot be distinguished by ops/s at 4 threads; the difference is 0.4 % [−2.0, 3.0]."
pub fn open(l: Language, subjects: &Subjects, step: &StepFacts, c: &Comparison) -> String {
    let (a, b) = unordered(c.better, c.worse);
    let (a, b) = (&subjects[a].name, &subjects[b].name);
    let what = wording::metric(l, &c.metric, step) + &wording::at(l, step, c);
    match c.standing {
        Standing::NotTheDrives => say!(l, "open-not-limited", first = a, other = b, what),
        Standing::SeparateRuns | Standing::OrderNotGiven => {
            let what = match wording::figures_beside(l, step, c) {
                Some(detail) => say!(l, "with-detail", what, detail),
                None => what,
            };
            match c.standing {
                Standing::OrderNotGiven => {
                    say!(l, "open-order-not-given", first = a, other = b, what)
                }
                _ => say!(l, "open-separate-runs", first = a, other = b, what),
            }
        }
        _ if c.interval.is_some_and(|(_, high)| high > WIDE) => {
            say!(l, "open-too-few", first = a, other = b, what, repeats = c.repeats)
        }
        _ => {
            let by = wording::difference(l, c);
            say!(l, "open-difference", first = a, other = b, what, difference = by)
        }
    }
}

/// "RocksDB random reads: Disk, 31,630 ops/s at 4 threads." None if the number is marked, or has a
/// caveat other than a lack of repeats.
pub fn level(
    l: Language,
    subjects: &Subjects,
    step: &StepFacts,
    subject: SubjectKey,
) -> Option<String> {
    let (metric, value) = (&step.headline_metric, step.headline_value);
    let value = value.or(step.values.last_key())?;
    let cell = step.cell(subject, value)?;
    if cell.is_not_the_drives() || cell.caveats.iter().any(|c| c.bars() && !c.is_few_repeats()) {
        return None;
    }
    let figure = wording::printed_with_unit(l, metric, step, cell)?;
    let place = wording::place(l, step, &[value]);
    Some(say!(
        l,
        "level",
        step = &step.title,
        subject = &subjects[subject].name,
        figure,
        at = place
    ))
}
