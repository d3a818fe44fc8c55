//! Imported figures without repeats: their differences are arithmetic and no claim.

use super::wording;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::metric::Metric;
use crate::stats::Better;
use crate::stats::family::FEWEST;
use crate::stats::percent::{Formula, times_as_good};

pub const HEAD: [&str; 8] = ["figure", "subject", "with", "at", "calculation", "result", "other formula", "step"];

pub const HOW: &str = "As published, without repeats: what the figures come to by arithmetic. Nothing is known of their \
scatter, so nothing is claimed from them.";

/// Most rows that a reader can take in.
const MOST: usize = 400;

/// A row for each metric, point and pair of subjects; nothing unless the figures are imported and have too few repeats.
pub fn rows(facts: &Facts) -> Option<Vec<[String; 8]>> {
    let few = facts.steps.iter().flat_map(|s| &s.cells).all(|c| c.repeats.len() < FEWEST);
    if !(facts.protocol.starts_with("imported") && few) {
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

/// The superior figure stands first, as the formulas have it.
fn row(facts: &Facts, step: &StepFacts, metric: &Metric, value: usize, (a, b): (usize, usize)) -> Option<[String; 8]> {
    let figure = |subject| wording::printed(metric, step, step.cell(subject, value)?);
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
        metric.short(),
        facts.subjects[subject].clone(),
        facts.subjects[with].clone(),
        step.values[value].label.clone(),
        main.calculation(better, &own_text, &rival_text),
        main.result(times),
        format!("{} {}", other.name(), other.result(times)),
        step.title.clone(),
    ])
}
