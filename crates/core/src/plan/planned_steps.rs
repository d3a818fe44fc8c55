//! The constraints of the loads of all steps.

use crate::plan::Catalogue;
use crate::plan::model::{Plan, Subject};
use crate::plan::planned::{StreamPlace, check_stream};
use crate::plan::sequence::points::steps_at;
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan};

/// Checks the streams of all steps, at each value of the axis, as the plan states them and with
/// each subject's own knobs.
pub fn check_steps(plan: &Plan, places: &[StreamPlace], catalogue: &Catalogue, log: &mut Mistakes) {
    let plain = Subject::default();
    let own = plan.subjects.iter().filter(|subject| !subject.overrides.is_empty());
    for subject in std::iter::once(&plain).chain(own) {
        for step in plan.protocol.steps.iter().flat_map(|step| steps_at(step, subject)) {
            for stream in &step.streams {
                let here =
                    |place: &&StreamPlace| place.step == step.name && place.stream == stream.name;
                let at = places.iter().find(here).map_or(SourceSpan::NOWHERE, |place| place.at);
                check_stream(stream, &plan.protocol.datasets, at, catalogue, log);
            }
        }
    }
}
