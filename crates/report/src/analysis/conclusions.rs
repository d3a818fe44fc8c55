//! Draws every conclusion from the figures once, in the order in which they follow from each other:
//! `brief` and `chart` only read them.

use crate::analysis::claim::compare::Compared;
use crate::analysis::claim::{claims, compare, lead, multiple, published, sizes};
use crate::analysis::comparability::{alike, caveats, conditions, specimens, together};
use crate::analysis::comparison::StepLead;
use crate::analysis::cost::work;
use crate::analysis::facts::{Durability, Facts, OverAxis, Subjects};
use crate::analysis::keys::{Keyed, TestKey};
use crate::analysis::verdicts::fleet;
use dyno_core::plan::specification::{Specification, Specifications};

impl Facts {
    /// Replaces the specifications of the subjects' drives, and repeats the conclusions that depend
    /// on them.
    pub fn state_drives(&mut self, stated: Specifications) {
        self.statements.specifications = stated;
        for subject in self.subjects.iter_mut() {
            let stated = self.statements.of_drives(subject).and_then(Specification::bytes);
            subject.capacity_bytes = stated.or(subject.capacity_bytes);
        }
        work::note(self);
    }
}

/// Adds caveats and comparisons, and what follows from them.
pub fn draw(facts: &mut Facts) {
    facts.comparisons.barred = conditions::barred(facts);
    caveats::note(facts);
    let Compared { all, trends, rises } = compare::all(facts);
    (facts.comparisons.all, facts.comparisons.trends) = (all, trends);
    facts.comparisons.rises = claims::largest_rises(rises);
    alike::note_varied(facts);
    facts.comparisons.conditions = conditions::differences(facts);
    facts.comparisons.fleets = fleet::of_steps(facts);
    multiple::note(facts);
    work::note(facts);
    let Facts { subjects, setup, measured, comparisons, tests, .. } = facts;
    measured.steps.iter_mut().for_each(|step| step.over_axis = OverAxis::of(subjects, step));
    comparisons.headline = lead::step(measured, setup);
    comparisons.durability = Durability::of(measured, setup);
    comparisons.claims = claims::all(&comparisons.all);
    let in_tests: Keyed<TestKey, Subjects> =
        tests.keys().map(|test| subjects.in_test(test)).collect();
    for claim in &mut comparisons.claims {
        let in_test = &in_tests[measured.steps[claim.comparison.step].test];
        claim.scope = specimens::scope(in_test, setup, &claim.comparison);
    }
    comparisons.crossovers = claims::crossovers(&comparisons.all);
    let steps = measured.steps.iter();
    comparisons.leads = steps.map(|step| StepLead::of(subjects, comparisons, step)).collect();
    if comparisons.published {
        comparisons.gaps = published::gaps(subjects, measured);
    }
    comparisons.by_size = sizes::groups(measured, setup);
    comparisons.not_given = conditions::unknown(subjects, measured, setup);
    comparisons.shifts = together::all(measured, setup);
    comparisons.outlying_repeats = together::alone(measured, &comparisons.shifts);
    comparisons.outlying = specimens::apart(measured);
    comparisons.models = specimens::of_models(subjects, measured, comparisons);
}
