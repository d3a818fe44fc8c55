//! Imported figures without repeats: their differences are arithmetic, in no order of merit, and no claim.

use super::wording;
use crate::analysis::facts::Facts;
use crate::analysis::metric::Metric;
use crate::stats::family::FEWEST;

pub const HEAD: [&str; 8] = ["step", "figure", "at", "subject", "with", "its figure", "the other's", "quotient"];

pub const HOW: &str = "As published, without repeats: the quotients of the figures, by arithmetic. Nothing is known of their \
scatter, so nothing is claimed from them.";

/// Most rows that a reader can take in.
const MOST: usize = 200;

/// A row for each metric, point and pair of subjects; nothing unless the figures are imported and have too few repeats.
pub fn rows(facts: &Facts) -> Option<Vec<Vec<String>>> {
    let few = facts.steps.iter().flat_map(|s| &s.cells).all(|c| c.repeats.len() < FEWEST);
    if !(facts.protocol.starts_with("imported") && few) {
        return None;
    }
    let mut all = Vec::new();
    for step in &facts.steps {
        for metric in Metric::of_step(step, &facts.metrics) {
            for (value, at) in step.values.iter().enumerate() {
                for (b, a) in (0..facts.subjects.len()).flat_map(|b| (0..b).map(move |a| (b, a))) {
                    let figure = |subject| wording::printed(&metric, step, step.cell(subject, value)?);
                    let (Some(own), Some(other)) = (figure(a), figure(b)) else { continue };
                    let names = [facts.subjects[a].clone(), facts.subjects[b].clone()];
                    let quotient = format!("{:.3}", own.0 / other.0);
                    let mut row = vec![step.title.clone(), wording::metric(&metric, step), at.label.clone()];
                    row.extend(names);
                    row.extend([own.1, other.1, quotient]);
                    all.push(row);
                }
            }
        }
    }
    all.truncate(MOST);
    Some(all)
}
