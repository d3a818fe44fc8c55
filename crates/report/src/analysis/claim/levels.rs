//! Conclusions over a whole axis: a subject's average figure, for steps without one representative
//! point, and the knee of its latency–load curve.

use crate::analysis::claim::curves;
use crate::analysis::facts::{AxisAverage, OverAxis, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::analysis::points::metric::Metric;
use dyno_core::plan::model::headline::AxisPlace;
use dyno_core::stats::curve::knee;
use dyno_core::stats::level::geometric_mean;

impl OverAxis {
    /// The levels of a step; none for a fleet's subjects.
    pub fn of(subjects: &Subjects, step: &StepFacts) -> OverAxis {
        if subjects.are_a_fleet() {
            return OverAxis::default();
        }
        let is_marked = |subject: &SubjectKey| {
            step.cells.iter().any(|c| c.subject == *subject && c.is_not_the_drives())
        };
        let is_curve = step.axis.as_ref().is_some_and(|axis| curves::is_of_loads(axis.field));
        let knee = |subject| knee(&curves::mean_curve(step, subject)).filter(|_| is_curve);
        let averages = match step.place {
            AxisPlace::EqualLoad | AxisPlace::Mean => {
                let mut metrics = step.metrics.clone();
                if !metrics.contains(&step.headline_metric) {
                    metrics.push(step.headline_metric.clone());
                }
                metrics.into_iter().map(|metric| AxisAverage::of(subjects, step, metric)).collect()
            }
            AxisPlace::Top | AxisPlace::Value(_) | AxisPlace::EqualLatency | AxisPlace::Limit => {
                Vec::new()
            }
        };
        OverAxis {
            marked: subjects.keys().filter(is_marked).collect(),
            knees: subjects.keys().map(knee).collect(),
            averages,
        }
    }
}

impl AxisAverage {
    fn of(subjects: &Subjects, step: &StepFacts, metric: Metric) -> AxisAverage {
        let points = shared(subjects, step, &metric);
        let level = |subject| match step.place {
            AxisPlace::EqualLoad => curves::mean_over_loads(subjects, step, subject),
            _ => {
                let figures = points.iter().filter_map(|at| figure(step, &metric, (subject, *at)));
                let all: Vec<f64> = figures.collect();
                (!all.is_empty()).then(|| geometric_mean(&all))
            }
        };
        let levels = subjects.keys().map(level).collect();
        AxisAverage { metric, points, levels }
    }
}

fn shared(subjects: &Subjects, step: &StepFacts, metric: &Metric) -> Vec<ValueKey> {
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
    let (estimate, _) = metric.of(step, step.cell(subject, value)?)?;
    Some(estimate.value).filter(|_| !estimate.at_least)
}
