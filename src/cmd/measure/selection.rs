//! The selected part of a comparison or protocol: `--only`, `--skip` and `--step`.

use clap::Args;

use crate::base::error::{Result, failed};
use crate::plan::{Plan, remedy};

/// The tests and steps to measure.
#[derive(Args, Default)]
pub struct Selection {
    /// Of a comparison, measure this test only, by the name of its protocol; repeatable
    #[arg(long, value_name = "TEST")]
    only: Vec<String>,
    /// Of a comparison, leave out this test; repeatable
    #[arg(long, value_name = "TEST")]
    skip: Vec<String>,
    /// Measure this step only, and of a comparison only the tests that have it; repeatable
    #[arg(long, value_name = "STEP")]
    step: Vec<String>,
}

impl Selection {
    /// The selected tests, with the selected steps.
    pub fn of(&self, mut plans: Vec<Plan>) -> Result<Vec<Plan>> {
        self.check(&plans)?;
        plans.retain(|plan| self.has_test(plan));
        plans.iter_mut().for_each(|plan| self.cut(plan));
        Ok(plans)
    }

    /// An error if a test or step does not exist, or if nothing is selected.
    pub fn check<'p>(&self, plans: impl IntoIterator<Item = &'p Plan>) -> Result<()> {
        let plans: Vec<&Plan> = plans.into_iter().collect();
        let tests: Vec<&str> = plans.iter().map(|plan| plan.protocol.name.as_str()).collect();
        let steps = plans.iter().flat_map(|plan| &plan.protocol.steps);
        let steps: Vec<&str> = steps.map(|step| step.name.as_str()).collect();
        let named = self.only.iter().chain(&self.skip).map(|name| (name, "test", &tests));
        for (name, what, known) in named.chain(self.step.iter().map(|n| (n, "step", &steps))) {
            if !known.contains(&name.as_str()) {
                return Err(failed(
                    format!("there is no {what} '{name}'"),
                    remedy(name, &format!("{what}s"), known.iter().copied()),
                ));
            }
        }
        if plans.iter().any(|plan| self.has_test(plan)) {
            return Ok(());
        }
        let next = format!("the tests are {}", tests.join(", "));
        Err(failed("the selection leaves nothing to measure", next))
    }

    /// Whether a test is selected.
    pub fn has_test(&self, plan: &Plan) -> bool {
        let is_in = |names: &[String]| names.contains(&plan.protocol.name);
        let has_step = plan.protocol.steps.iter().any(|step| self.has_step(&step.name));
        (self.only.is_empty() || is_in(&self.only)) && !is_in(&self.skip) && has_step
    }

    /// Whether a step of a selected test is selected.
    pub fn has_step(&self, name: &str) -> bool {
        self.step.is_empty() || self.step.iter().any(|step| step == name)
    }

    /// Removes the other steps, with what only they need.
    fn cut(&self, plan: &mut Plan) {
        if self.step.is_empty() {
            return;
        }
        let protocol = &mut plan.protocol;
        protocol.steps.retain(|step| self.has_step(&step.name));
        let headline = protocol.headline.as_ref();
        if headline.is_some_and(|headline| !self.has_step(&headline.step)) {
            protocol.headline = None;
        }
        let streams = protocol.steps.iter().flat_map(|step| &step.streams);
        let prepared = protocol.prepare.iter().map(|load| &load.stream);
        let steadied = protocol.preparation.steady.iter().map(|steady| &steady.stream);
        let used = streams.chain(prepared).chain(steadied).map(|stream| stream.dataset.clone());
        let used: Vec<String> = used.collect();
        protocol.datasets.retain(|dataset| used.contains(&dataset.name));
        for subject in &mut plan.subjects {
            subject.overrides.retain(|own| self.has_step(&own.step));
        }
    }
}
