//! Levels over a whole axis: a subject's average figure, for steps without one representative
//! point.

use crate::analysis::claim::curves;
use crate::analysis::facts::{StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::analysis::points::metric::Metric;
use crate::plan::model::headline::AxisPlace;
use crate::stats::level::geometric_mean;

/// Whether one of a subject's points was not limited by the drive.
pub fn has_marks(step: &StepFacts, subject: SubjectKey) -> bool {
    step.cells.iter().any(|c| c.subject == subject && c.is_not_the_drives())
}

/// The geometric mean over the points common to all subjects, or for latencies over the loads that
/// all reach.
pub fn over_axis(
    subjects: &Subjects,
    step: &StepFacts,
    metric: &Metric,
    subject: SubjectKey,
) -> Option<f64> {
    match step.place {
        AxisPlace::EqualLoad => curves::mean_over_loads(subjects, step, subject),
        AxisPlace::Mean => {
            let shared = shared(subjects, step, metric).into_iter();
            let of = |at| figure(step, metric, (subject, at));
            let all: Vec<f64> = shared.filter_map(of).collect();
            (!all.is_empty()).then(|| geometric_mean(&all))
        }
        AxisPlace::Top | AxisPlace::Value(_) | AxisPlace::EqualLatency | AxisPlace::Limit => None,
    }
}

/// The points at which every subject has this figure: those of its mean over the axis.
pub fn shared(subjects: &Subjects, step: &StepFacts, metric: &Metric) -> Vec<ValueKey> {
    let all = |value: &ValueKey| {
        subjects
            .keys()
            .all(|subject| figure(step, metric, (subject, *value)).is_some_and(|v| v > 0.0))
    };
    step.values.keys().filter(all).collect()
}

fn figure(
    step: &StepFacts,
    metric: &Metric,
    (subject, value): (SubjectKey, ValueKey),
) -> Option<f64> {
    Some(metric.of(step, step.cell(subject, value)?)?.0.value)
}
