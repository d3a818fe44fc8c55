//! Imported figures without repeats: their differences are arithmetic, not claims.

use crate::analysis::claim::compare::{ComparedFigure, StepPlace};
use crate::analysis::claim::published::{PairAt, PrintedDifference};
use crate::analysis::comparison::Gap;
use crate::analysis::facts::{Comparisons, Facts, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::keys::SubjectKey;
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::brief::text::metric_text::rounded_both;
use crate::brief::text::{metric_text, wording};
use crate::language::Language;
use crate::say;
use dyno_core::record::key::NOT_COMPARED;
use dyno_core::stats::Better;
use dyno_core::stats::percent::Formula;

/// The columns of the table of published differences.
pub fn head(l: Language) -> [String; 8] {
    [
        say!(l, "column-figure"),
        say!(l, "column-subject"),
        say!(l, "column-with"),
        say!(l, "column-at"),
        say!(l, "column-calculation"),
        say!(l, "column-result"),
        say!(l, "column-other-formula"),
        say!(l, "column-step"),
    ]
}

/// The computation of these differences, and what is unknown.
pub fn how(l: Language) -> String {
    say!(l, "published-how")
}

/// Maximum number of rows.
const MOST: usize = 400;

/// The first page for imported figures without repeats: the metrics in which the brief's subject
/// leads or trails, at the largest differences over the points; first the brief's headline, then
/// the other measures, step by step. None without differences.
pub fn lead<'f>(l: Language, facts: &'f Facts, most: usize) -> Option<(String, Vec<String>)> {
    let leading = facts.comparisons.headline?;
    let of_step = |step: &'f StepFacts| {
        let first = &step.headline_metric;
        let mut metrics = step.metrics.clone();
        // The step's headline comes first.
        metrics.sort_by_key(|metric| metric != first);
        metrics.into_iter().filter_map(move |metric| {
            let sentences = sentences(l, &facts.subjects, &facts.comparisons, step, &metric);
            (!sentences.is_empty()).then(|| (step, wording::sentences(l, sentences)))
        })
    };
    let several = facts.measured.steps.iter().filter(|s| !s.cells.is_empty()).count() > 1;
    let others = || facts.measured.steps.iter().filter(|step| step.key != leading);
    // The first result of each other step precedes further measures.
    let mut firsts: Vec<_> = others().filter_map(|step| of_step(step).next()).collect();
    firsts.sort_by_key(|(step, _)| seen(facts, step));
    let own = of_step(&facts.measured.steps[leading]);
    let mut own: Vec<_> = own.collect();
    let further = own.split_off(own.len().min(1));
    let rest = others().flat_map(|step| of_step(step).skip(1));
    let mut all = own.into_iter().chain(firsts).chain(further).chain(rest);
    let (step, sentence) = all.next()?;
    let first = match several {
        true => say!(l, "published-lead-of-step", step = &step.title, sentence),
        false => say!(l, "published-lead", sentence),
    };
    let finding = |(step, sentence): (&StepFacts, String)| match several {
        true => wording::of_step(l, step, sentence),
        false => sentence,
    };
    let mut findings: Vec<String> = all.map(finding).collect();
    if findings.len() > most {
        let left = findings.len() - most;
        findings.truncate(most);
        findings.push(say!(l, "published-more-measures", count = left));
    }
    Some((first, findings))
}

/// Whether a step is not the first of its test: the first of each precedes the others.
fn seen(facts: &Facts, step: &StepFacts) -> bool {
    facts.measured.steps_of(step.test).next().is_some_and(|first| first.key != step.key)
}

/// Whether any two subjects have figures at the same point.
pub fn are_compared(facts: &Facts) -> bool {
    let has = |step: &StepFacts, subject: SubjectKey, value| {
        step.cell(subject, value).is_some_and(|cell| cell.total.is_some())
    };
    let of_step = |step: &StepFacts| {
        let shared = |value| {
            let pairs = facts.subjects.pairs();
            pairs.into_iter().any(|(a, b)| has(step, a, value) && has(step, b, value))
        };
        step.values.keys().any(shared)
    };
    facts.measured.steps.iter().any(of_step)
}

/// Maximum number of differences that the first page names.
const MOST_APART: usize = 3;

/// The differences that rule out comparing imported subjects, as noted by the import.
pub fn apart(facts: &Facts) -> Vec<String> {
    let rows = facts.setup.disclosure.iter().flat_map(|group| &group.rows);
    let said = rows.filter_map(|(_, value)| value.strip_prefix(NOT_COMPARED));
    let mut all: Vec<String> = said.map(|said| format!("{}.", said.trim())).collect();
    all.dedup();
    all.truncate(MOST_APART);
    all
}

/// Maximum number of rivals in a sentence.
const MOST_RIVALS: usize = 2;

/// "Micron 7600 completes 892,202 ops/s at 96 threads, 21 % more than Kioxia CD8P-R (735,861).":
/// first the leads of the brief's subject where they are largest, then those of its rivals, one
/// sentence each.
pub fn sentences(
    l: Language,
    subjects: &Subjects,
    comparisons: &Comparisons,
    step: &StepFacts,
    metric: &Metric,
) -> Vec<String> {
    let [ahead, behind] = comparisons.gaps_of(subjects, step.key, metric);
    let all = ahead.chunks(MOST_RIVALS).chain(behind.chunks(1));
    all.map(|gaps| wording::stopped(l, of_gaps(l, subjects, step, gaps))).collect()
}

/// The better subject, its figure and the metric are named once, and so is a common place.
fn of_gaps(l: Language, subjects: &Subjects, step: &StepFacts, gaps: &[&Gap]) -> String {
    let one_place = gaps.iter().all(|gap| gap.value == gaps[0].value);
    let said = |(i, gap): (usize, &&Gap)| match (i, one_place) {
        (0, _) => whole(l, subjects, step, gap),
        (_, true) => rival(l, subjects, step, gap),
        // At another place it has another figure.
        (_, false) => whole(l, subjects, step, gap),
    };
    let all: Vec<String> = gaps.iter().enumerate().map(said).collect();
    if one_place { l.list(&all) } else { all.join(&say!(l, "between-clauses")) }
}

/// The two figures of a gap, as printed; the better one's with its unit.
fn figures(l: Language, step: &StepFacts, gap: &Gap) -> Option<(String, String)> {
    let cells = (step.cell(gap.better, gap.value)?, step.cell(gap.worse, gap.value)?);
    let [(_, own), (_, other)] = wording::printed_both(l, &gap.metric, step, cells)?;
    let own = match gap.metric.is_latency() {
        true => own,
        false => metric_text::printed_with_unit(l, &gap.metric, step, cells.0)?,
    };
    Some((own, other))
}

fn whole(l: Language, subjects: &Subjects, step: &StepFacts, gap: &Gap) -> String {
    let (better, worse) = (&subjects[gap.better].name, &subjects[gap.worse].name);
    let (by, what) = (by(l, gap), metric_text::in_words(l, &gap.metric, step));
    let at = wording::place(l, step, &[gap.value]);
    let (own, other) = figures(l, step, gap).unwrap_or_default();
    match gap.metric.better() {
        Better::Higher if gap.metric.figure == PointFigure::Ops => {
            say!(l, "published-completes", better, own, at, by, worse, other)
        }
        Better::Higher => {
            say!(l, "published-more", better, own, at, by, worse, other)
        }
        Better::Lower => {
            say!(l, "published-lower", better, what, own, at, by, worse, other)
        }
    }
}

/// The same for a further rival: "19 % more than Samsung PM9D3a (735,914)".
fn rival(l: Language, subjects: &Subjects, step: &StepFacts, gap: &Gap) -> String {
    let worse = &subjects[gap.worse].name;
    let by = by(l, gap);
    let (_, other) = figures(l, step, gap).unwrap_or_default();
    match gap.metric.better() {
        Better::Higher => say!(l, "published-rival-more", by, worse, other),
        Better::Lower => say!(l, "published-rival-lower", by, worse, other),
    }
}

/// "21 %"
fn by(l: Language, gap: &Gap) -> String {
    l.number(&format!("{} %", gap.percent()))
}

/// A row for each metric, point and pair of subjects.
pub fn rows(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<[String; 8]> {
    let mut all = Vec::new();
    for step in &measured.steps {
        for metric in &step.metrics {
            for value in step.values.keys() {
                let row = |pair| row(l, subjects, (step, metric), (pair, value));
                all.extend(subjects.pairs().filter_map(row));
            }
        }
    }
    all.truncate(MOST);
    all
}

/// The superior subject of a pair, and the difference in its figure: "Micron 7600 +21.23 %", for
/// latencies "Micron 7600 −36.9 %".
pub fn difference(
    l: Language,
    subjects: &Subjects,
    comparisons: &Comparisons,
    by: ComparedFigure<'_>,
    pair: (SubjectKey, SubjectKey),
) -> Option<String> {
    let (true, StepPlace::Value(value)) = (comparisons.published, by.at) else { return None };
    let made = PrintedDifference::of(by.step, by.metric, (pair, value), rounded_both)?;
    let result = l.number(&made.result(made.formulas().0));
    // Equal figures have no superior one.
    let differs = result.chars().any(|c| ('1'..='9').contains(&c));
    let subject = &subjects[made.subject].name;
    let sign = if by.metric.better() == Better::Higher { "+" } else { "−" };
    Some(if differs { format!("{subject} {sign}{result}") } else { result })
}

fn row(
    l: Language,
    subjects: &Subjects,
    (step, metric): (&StepFacts, &Metric),
    (pair, value): PairAt,
) -> Option<[String; 8]> {
    let made = PrintedDifference::of(step, metric, (pair, value), rounded_both)?;
    let cells = (step.cell(made.subject, value)?, step.cell(made.rival, value)?);
    let [own, rivals] = metric_text::operands(l, metric, step, cells)?;
    let (main, other) = made.formulas();
    let [result, by_other] = [main, other].map(|formula| l.number(&made.result(formula)));
    Some([
        metric.text(l),
        subjects[made.subject].name.clone(),
        subjects[made.rival].name.clone(),
        step.values[value].text(l),
        main.calculation(metric.better(), &own, &rivals),
        result,
        format!("{} {by_other}", formula(l, other)),
        step.title.text(l),
    ])
}

fn formula(l: Language, formula: Formula) -> String {
    match formula {
        Formula::Gain => say!(l, "formula-gain"),
        Formula::Reduction => say!(l, "formula-reduction"),
        Formula::Factor => say!(l, "formula-factor"),
    }
}
