//! The reader's question: what is compared, which differences are permitted, and which subjects are
//! masked.

use crate::analysis::merged::SameSubject;
use crate::analysis::points::metric::MetricRequest;
use dyno_core::plan::Plan;
use dyno_core::plan::declaration::Declaration;
use dyno_core::record::{Mask, Masked, RunContents};

/// The reader's question.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Permitted differences between the resolved plans, in addition to the plans' own.
    pub vary: Vec<String>,
    /// The metrics to compare; the headline metrics of each step if empty.
    pub metrics: Vec<MetricRequest>,
    /// Whether the slowest ops are shown, which are most of a bundle's rows.
    pub outliers: bool,
    /// The subjects to include, each with the index of its run; all if empty.
    pub subjects: Vec<(usize, String)>,
    /// Whether bundles of one subject are its sessions, if there are other subjects; otherwise each
    /// of them has a subject of its own.
    pub joins_sessions: bool,
    /// Subjects of different bundles that are one, although their names or drives differ.
    pub same: Vec<SameSubject>,
    /// Subjects to mask, in addition to those masked in the plans.
    pub masks: Vec<String>,
}

impl Question {
    /// The mask for the subjects of these bundles; `name` makes a masked name from a letter.
    pub fn mask(&self, runs: &[RunContents], name: &dyn Fn(&str) -> String) -> Mask {
        let of = runs.iter().map(|r| (&r.run.plan, r.setup.drives.as_slice()));
        let of: Vec<Masked<'_>> = of.collect();
        Mask::of(&of, &self.masks, name)
    }

    /// The same, with the masked names.
    pub fn masked(mut self, mask: &Mask) -> Question {
        self.subjects.iter_mut().for_each(|(_, name)| mask.own(name));
        for SameSubject { name, other } in &mut self.same {
            [name, other].into_iter().for_each(|name| mask.own(name));
        }
        self
    }
}

/// The plans' declarations; the first takes precedence.
pub fn declared(plans: &[&Plan]) -> Declaration {
    plans.iter().fold(Declaration::default(), |first, plan| first.or(&plan.declared))
}
