//! Imported figures without repeats: their differences are arithmetic, not claims.

use super::wording;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::lead;
use crate::analysis::metric::Metric;
use crate::language::Language;
use crate::say;
use crate::stats::Better;
use crate::stats::family::FEWEST;
use crate::stats::percent::{Formula, times_as_good};

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

/// How these differences are made, and what is not known of them.
pub fn how(l: Language) -> String {
    say!(l, "published-how")
}

/// Most rows that a reader can take in.
const MOST: usize = 400;

/// Whether all that there is are imported figures with too few repeats.
pub fn is_published(facts: &Facts) -> bool {
    let few = facts.steps.iter().flat_map(|s| &s.cells).all(|c| c.repeats.len() < FEWEST);
    facts.protocol.starts_with("imported") && few
}

/// A few quotients where the brief leads: of each metric the two foremost figures, superior first.
pub fn findings(facts: &Facts, most: usize) -> Option<Vec<String>> {
    if !is_published(facts) {
        return None;
    }
    let Some(step) = lead::step(facts).map(|index| &facts.steps[index]) else {
        return Some(Vec::new());
    };
    let Some(value) = lead::value(step).or(step.values.len().checked_sub(1)) else {
        return Some(Vec::new());
    };
    let finding = |metric: &Metric| {
        let figure =
            |subject: usize| Some((subject, metric.of(step, step.cell(subject, value)?)?.0.value));
        let mut all: Vec<(usize, f64)> = (0..facts.subjects.len()).filter_map(figure).collect();
        all.sort_by(|a, b| {
            if metric.better() == Better::Higher {
                b.1.total_cmp(&a.1)
            } else {
                a.1.total_cmp(&b.1)
            }
        });
        let [(a, _), (b, _), ..] = all[..] else { return None };
        let [_, subject, with, _, calculation, result, ..] =
            row(facts, step, metric, value, (a.min(b), a.max(b)))?;
        let l = facts.language;
        let at = format!("{}{}", step.title, wording::place(l, step, &[value]));
        Some(say!(
            l,
            "published-finding",
            place = at,
            what = wording::metric(l, metric, step),
            subject = subject,
            rival = with,
            calculation = calculation,
            result = result
        ))
    };
    let all = Metric::of_step(step, &facts.metrics);
    Some(all.iter().filter_map(finding).take(most).collect())
}

/// A row for each metric, point and pair of subjects; nothing unless the figures are imported and
/// have too few repeats.
pub fn rows(facts: &Facts) -> Option<Vec<[String; 8]>> {
    if !is_published(facts) {
        return None;
    }
    let mut all = Vec::new();
    for step in &facts.steps {
        for metric in Metric::of_step(step, &facts.metrics) {
            for value in 0..step.values.len() {
                for (b, a) in (0..facts.subjects.len()).flat_map(|b| (0..b).map(move |a| (b, a))) {
                    all.extend(row(facts, step, &metric, value, (a, b)));
                }
            }
        }
    }
    all.truncate(MOST);
    Some(all)
}

/// The superior subject of a pair, and by how much: "Micron 7600 21.23 %".
pub fn difference(
    facts: &Facts,
    step: &StepFacts,
    metric: &Metric,
    value: usize,
    pair: (usize, usize),
) -> Option<String> {
    let [_, subject, _, _, _, result, ..] = row(facts, step, metric, value, pair)?;
    is_published(facts).then(|| format!("{subject} {result}"))
}

/// The superior figure stands first, as the formulas have it.
fn row(
    facts: &Facts,
    step: &StepFacts,
    metric: &Metric,
    value: usize,
    (a, b): (usize, usize),
) -> Option<[String; 8]> {
    let l = facts.language;
    let figure = |subject| wording::printed(l, metric, step, step.cell(subject, value)?);
    let (of_a, of_b) = (figure(a)?, figure(b)?);
    let better = metric.better();
    let (main, other) = match better {
        Better::Higher => (Formula::Gain, Formula::Reduction),
        Better::Lower => (Formula::Reduction, Formula::Gain),
    };
    let a_first = times_as_good(of_a.0, of_b.0, better)? >= 1.0;
    let ((own, own_text), (rival, rival_text)) = if a_first { (of_a, of_b) } else { (of_b, of_a) };
    let (subject, with) = if a_first { (a, b) } else { (b, a) };
    let times = times_as_good(own, rival, better)?;
    Some([
        metric.text(l),
        facts.subjects[subject].clone(),
        facts.subjects[with].clone(),
        step.values[value].text(l),
        main.calculation(better, &own_text, &rival_text),
        l.number(&main.result(times)),
        format!("{} {}", formula(l, other), l.number(&other.result(times))),
        step.title.clone(),
    ])
}

fn formula(l: Language, formula: Formula) -> String {
    match formula {
        Formula::Gain => say!(l, "formula-gain"),
        Formula::Reduction => say!(l, "formula-reduction"),
        Formula::Factor => say!(l, "formula-factor"),
    }
}
