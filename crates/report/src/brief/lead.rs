//! The first page: one sentence that states which subject is better, at what and by how much, or
//! why none can be ranked; then a few findings, with the losses of the brief's subject in addition
//! to its gains. Everything is derived from the comparisons of `analysis`; nothing is re-evaluated.

use super::fleet as words;
use crate::analysis::claim::compare::Comparison;
use crate::analysis::claim::course::{Basis, Course};
use crate::analysis::comparison::StepLead;
use crate::analysis::facts::{CellFacts, Facts, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey};
use crate::analysis::points::metric::Metric;
use crate::brief::number_format;
use crate::brief::text::causes::{self, SaidRemedies};
use crate::brief::text::outcome::{Said, key};
use crate::brief::text::{bottleneck_text, leaders, metric_text, outcome, published, wording};
use crate::language::Language;
use crate::say;

/// Maximum number of findings of each kind after the first sentence: gains of the brief's subject,
/// and its losses.
pub const MOST_FINDINGS: usize = 3;

/// Maximum number of measures of imported figures after the first.
const MOST_PUBLISHED: usize = 3;

/// The text of the first page.
pub struct Lead {
    /// Which subject is better, at what and by how much, with the interval; or why no drive can be
    /// ranked.
    pub sentence: String,
    /// Further findings, one sentence each, most important first.
    pub findings: Vec<String>,
    /// The step of its figure.
    pub step: Option<StepKey>,
    /// Whether the sentence ranks a subject.
    pub ranks: bool,
    /// The remedies in it.
    pub remedies: SaidRemedies,
}

impl Lead {
    /// The first page of these facts.
    pub fn of(l: Language, facts: &Facts) -> Lead {
        let step = facts.comparisons.headline;
        if facts.subjects.are_a_fleet() {
            return of_fleet(l, facts, step);
        }
        let (Some(key), true) = (step, facts.subjects.len() > 1) else {
            return alone(l, facts, step);
        };
        if facts.comparisons.published {
            let found = published::lead(l, facts, MOST_PUBLISHED);
            let nothing = || match published::are_compared(facts) {
                true => (say!(l, "published-no-difference"), Vec::new()),
                false => (say!(l, "published-not-compared"), published::apart(facts)),
            };
            let (sentence, findings) = found.unwrap_or_else(nothing);
            return Lead { sentence, findings, step, ranks: false, remedies: Vec::new() };
        }
        let outcome = &facts.comparisons.leads[key];
        let own = &facts.measured.steps[key];
        let mut remedies = SaidRemedies::new();
        match first(l, facts, outcome, &mut remedies) {
            Some((sentence, said)) => {
                let mut findings = leaders::rises(l, facts);
                findings.extend(claims_beside(l, facts, own, said));
                Lead { sentence, findings, step, ranks: true, remedies }
            }
            None => {
                let subjects = &facts.subjects;
                let open = || outcome.all.iter().map(|c| not_shown(l, subjects, own, c));
                let level = |s| outcome::level(l, subjects, own, s);
                let levels = || subjects.keys().filter_map(level);
                let as_measured = as_measured(l, facts, own);
                let mut findings: Vec<String> = match as_measured.is_empty() {
                    true => open().chain(levels()).collect(),
                    false => as_measured,
                };
                findings.truncate(MOST_FINDINGS.max(subjects.len() + 1));
                let sentence = causes::no_claim(l, facts, &mut remedies);
                Lead { sentence, findings, step, ranks: false, remedies }
            }
        }
    }
}

/// Of subjects that were not measured in turns: who is better where, as measured, and where a drive
/// leaves its level.
fn as_measured(l: Language, facts: &Facts, step: &StepFacts) -> Vec<String> {
    let course = Course::of(facts, step, &step.headline_metric);
    if course.basis != Basis::SeparateRuns {
        return Vec::new();
    }
    let said = leaders::of_course(l, facts, step, &course);
    let said = said.map(|said| say!(l, "as-measured", sentence = said));
    said.into_iter().chain(leaders::rises(l, facts)).collect()
}

/// The first sentence, with the claims that it contains.
fn first(
    l: Language,
    facts: &Facts,
    outcome: &StepLead,
    remedies: &mut SaidRemedies,
) -> Option<(String, Vec<Said>)> {
    let (subjects, measured) = (&facts.subjects, &facts.measured);
    let own = subjects.headline;
    let step = &measured.steps[outcome.step];
    let course = Course::of(facts, step, &outcome.metric);
    // Of many drives, who leads in which range says more than changes of pairs.
    if course.basis == Basis::Claims && subjects.len() > 2 && course.ranges().len() > 1 {
        let said = leaders::of_course(l, facts, step, &course)?;
        let claims = outcome.claims_of(own).concat();
        let said = wording::of_step(l, step, wording::stopped(l, said));
        return Some((said, claims.into_iter().map(key).collect()));
    }
    if let Some((sentence, said)) = outcome::of_subject(l, facts, outcome, remedies) {
        let sentence = wording::of_step(l, step, sentence);
        let sentence = match outcome::more_changes(subjects, outcome) {
            0 => sentence,
            count => say!(l, "changes-more-times", sentence, count),
        };
        return Some((sentence, said));
    }
    // No claim for the subject at the protocol's headline: the strongest claim elsewhere, stated as
    // such.
    let all = &facts.comparisons.claims;
    let rank =
        |c: &Comparison| (!c.is_with(own), c.step != outcome.step, c.metric != outcome.metric);
    let strongest = all.iter().map(|c| &c.comparison).min_by_key(|c| rank(c))?;
    let mut sentence = said_of_step(l, subjects, measured, strongest);
    if let Some(c) = outcome.all.iter().min_by_key(|c| !c.is_with(own)) {
        let step = &measured.steps[c.step];
        let open = match c.step == strongest.step {
            true => outcome::open(l, subjects, step, c),
            false => not_shown(l, subjects, step, c),
        };
        sentence = say!(l, "two-sentences", first = sentence, second = open);
    }
    Some((sentence, vec![key(strongest)]))
}

/// "4 KiB reads: A delivers 21 % [19, 24] more ops/s than B at 96 threads."
fn said_of_step(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    c: &Comparison,
) -> String {
    let step = &measured.steps[c.step];
    wording::of_step(l, step, wording::stopped(l, wording::sentence(l, subjects, step, c)))
}

fn not_shown(l: Language, subjects: &Subjects, step: &StepFacts, c: &Comparison) -> String {
    wording::of_step(l, step, outcome::open(l, subjects, step, c))
}

/// Claims after the first sentence, for each kind most important first: other figures of the same
/// step, then the headline of each other step, then the strongest. First those for the brief's
/// subject, then those for a rival; claims among rivals only if there are no others. The number of
/// further losses is stated.
fn claims_beside(l: Language, facts: &Facts, step: &StepFacts, said: Vec<Said>) -> Vec<String> {
    let own = facts.subjects.headline;
    let all = &facts.comparisons.claims;
    let leads = |c: &&Comparison| c.step == step.key && c.metric != step.headline_metric;
    let claimed = || all.iter().map(|c| &c.comparison);
    let same_step = claimed().filter(leads);
    let other_steps = facts
        .measured
        .steps
        .keys()
        .filter(|other| *other != step.key)
        .flat_map(|other| facts.comparisons.leads[other].claims_of(own).concat());
    let ordered: Vec<&Comparison> = same_step.chain(other_steps).chain(claimed()).collect();
    let kind = |kind: &dyn Fn(&Comparison) -> bool| {
        let mut known = said.clone();
        let mut found = ordered.iter().copied().filter(|c| kind(c)).collect::<Vec<_>>();
        found.retain(|c| {
            let fresh = !known.contains(&key(c));
            known.push(key(c));
            fresh
        });
        found
    };
    let (gains, losses) = (kind(&|c| c.better == own), kind(&|c| c.worse == own));
    let mut shown: Vec<&Comparison> = gains.iter().take(MOST_FINDINGS).copied().collect();
    shown.extend(losses.iter().take(MOST_FINDINGS));
    if shown.is_empty() {
        shown = kind(&|c| !c.is_with(own)).into_iter().take(MOST_FINDINGS).collect();
    }
    let mut out: Vec<String> = Vec::new();
    for sentence in shown.into_iter().map(|c| one_finding(l, facts, c)) {
        // A change of the better subject is both a gain and a loss.
        if !out.contains(&sentence) {
            out.push(sentence);
        }
    }
    if losses.len() > MOST_FINDINGS {
        let count = losses.len() - MOST_FINDINGS;
        let subject = &facts.subjects[own].name;
        out.push(say!(l, "more-losses", count, subject));
    }
    out
}

/// If the better subject changes along the axis, this is stated, because one end does not represent
/// the whole.
fn one_finding(l: Language, facts: &Facts, c: &Comparison) -> String {
    let Facts { subjects, measured, comparisons, .. } = facts;
    let mut same =
        comparisons.crossovers.iter().filter(|o| o.step == c.step && o.metric == c.metric);
    match same.find(|o| c.is_of(o.before, o.after)) {
        Some(c) => wording::stopped(l, wording::crossover(l, subjects, measured, c)),
        None => said_of_step(l, subjects, measured, c),
    }
}

/// The first page of a fleet: the number of drives, the differences between their models, and
/// outlying drives.
fn of_fleet(l: Language, facts: &Facts, step: Option<StepKey>) -> Lead {
    let fleet = step.and_then(|key| facts.comparisons.fleets[key].as_ref());
    let Some(fleet) = fleet else {
        let sentence = say!(l, "fleet-not-shown", drives = facts.subjects.len());
        let (findings, remedies) = (Vec::new(), Vec::new());
        return Lead { sentence, findings, step, ranks: false, remedies };
    };
    let drives: usize = fleet.models.iter().map(|m| m.specimens.len()).sum();
    let apart: usize = fleet.models.iter().map(|m| m.apart.len()).sum();
    let drives = say!(l, "fleet-drives", count = drives);
    let models = fleet.models.len();
    let sentence = say!(l, "fleet-lead", drives, models, apart);
    let own = &facts.measured.steps[fleet.step];
    let said = words::sentences(l, &facts.subjects, own, fleet).into_iter();
    let mut findings: Vec<String> = said.map(|said| wording::stopped(l, said)).collect();
    findings.truncate(MOST_FINDINGS);
    Lead { sentence, findings, step, ranks: false, remedies: Vec::new() }
}

/// What a single subject does at the headline, by which limit, and at the headlines of other steps;
/// or why nothing is known.
fn alone(l: Language, facts: &Facts, step: Option<StepKey>) -> Lead {
    let Facts { subjects, measured, .. } = facts;
    let mut remedies = SaidRemedies::new();
    let does = |key: StepKey| {
        let own = &measured.steps[key];
        let (value, cell) = headline_cell(own)?;
        let mut figures = vec![metric_text::printed_with_unit(l, &own.headline_metric, own, cell)?];
        if own.headline_metric != Metric::p99() {
            figures.extend(metric_text::printed_with_unit(l, &Metric::p99(), own, cell));
        }
        let watts = cell.power.first().map(|power| number_format::watts_of(l, &power.mean_watts));
        figures.extend(watts.map(|watts| say!(l, "alone-watts", watts)));
        let at = wording::place(l, own, &[value]);
        let subject = &subjects[cell.subject].name;
        let figures = l.sequence(&figures);
        let said = say!(l, "level", step = &own.title, subject, figure = figures, at);
        match limited_by(l, own, cell) {
            Some(limit) => Some(wording::sentences(l, [said, limit])),
            None => Some(said),
        }
    };
    let sentence = step.and_then(does);
    let others = measured.steps.keys().filter(|key| Some(*key) != step).filter_map(does);
    let findings = match &sentence {
        Some(_) => others.take(MOST_FINDINGS).collect(),
        None => Vec::new(),
    };
    let sentence = sentence.unwrap_or_else(|| causes::no_claim(l, facts, &mut remedies));
    Lead { sentence, findings, step, ranks: false, remedies }
}

/// The point of a step's headline.
fn headline_cell(step: &StepFacts) -> Option<(ValueKey, &CellFacts)> {
    let value = step.headline_value.or(step.values.last_key())?;
    Some((value, step.cell(SubjectKey(0), value)?))
}

/// What limits the headline's point; if it is the drive, from which value of the axis on.
fn limited_by(l: Language, step: &StepFacts, cell: &CellFacts) -> Option<String> {
    let verdict = cell.limit.as_ref()?;
    if !verdict.limit.is_drive() {
        let limit = bottleneck_text::limit(l, verdict.limit);
        return Some(say!(l, "alone-limited-otherwise", limit));
    }
    let is_drives = |value: &ValueKey| {
        let cell = step.cell(SubjectKey(0), *value);
        cell.and_then(|cell| cell.limit.as_ref()).is_some_and(|verdict| verdict.limit.is_drive())
    };
    let all: Vec<ValueKey> = step.values.keys().collect();
    let from = all.iter().rev().take_while(|value| is_drives(value)).last();
    Some(match from.filter(|from| step.axis.is_some() && all.first() != Some(*from)) {
        Some(from) => say!(l, "alone-limited-from", at = wording::place(l, step, &[*from])),
        None => say!(l, "alone-limited-by-drive"),
    })
}
