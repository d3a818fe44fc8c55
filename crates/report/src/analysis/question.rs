//! What the reader asks of bundles: what is compared, what varies on purpose, and who is masked.

use crate::analysis::points::metric::MetricRequest;
use crate::language::Language;
use crate::plan::Plan;
use crate::plan::declaration::Declaration;
use crate::record::{Mask, Masked, RunContents};
use crate::say;

/// What the reader asks.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Differences between the resolved plans that are the question, besides those that the plans
    /// name.
    pub vary: Vec<String>,
    /// The metrics to compare; those that each step leads with where none is named.
    pub metrics: Vec<MetricRequest>,
    /// Whether the slowest ops are shown; they are most of what a bundle holds in rows.
    pub outliers: bool,
    /// The subjects to take, each with the index of its run; all where none is named.
    pub subjects: Vec<(usize, String)>,
    /// Subjects to mask, besides those that the plans mask.
    pub masks: Vec<String>,
    /// What masked subjects are named in.
    pub language: Language,
}

impl Question {
    /// What masks the subjects of these bundles.
    pub fn mask(&self, runs: &[RunContents]) -> Mask {
        let of: Vec<Masked<'_>> = runs.iter().map(|r| (&r.run.plan, r.facts.as_slice())).collect();
        Mask::of(&of, &self.masks, &|letter| say!(self.language, "competitor", letter = letter))
    }

    /// The same, by the names that a mask gives.
    pub fn masked(mut self, mask: &Mask) -> Question {
        self.subjects.iter_mut().for_each(|(_, name)| mask.own(name));
        self
    }
}

/// What the plans declare, the first one's word before the others'.
pub fn declared(plans: &[&Plan]) -> Declaration {
    plans.iter().fold(Declaration::default(), |first, plan| first.or(&plan.declared))
}
