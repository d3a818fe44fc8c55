//! The points of a plan in the order in which they are measured.

use super::knobs::one_size;
use super::model::{Axis, Field, Load, Order, Plan, PointKey, PointPlan, Step, Subject, Sweep};
use crate::base::units::Rate;

/// All points, in running order.
///
/// Interleaved, each point is measured on every subject in turn before the next, and every second repeat takes the
/// subjects in the opposite order (A B, then B A), so that slow drift of the machine or the room meets all alike.
pub fn points(plan: &Plan) -> Vec<PointPlan> {
    let repeats = 1..=plan.repeats;
    let mut points = Vec::new();
    match plan.order {
        Order::Interleaved => {
            for repeat in repeats {
                let mut subjects: Vec<&Subject> = plan.subjects.iter().collect();
                if repeat % 2 == 0 {
                    subjects.reverse();
                }
                for (step, axis) in cells(plan) {
                    points.extend(subjects.iter().map(|subject| point(subject, step, axis.clone(), repeat)));
                }
            }
        }
        Order::Blocked => {
            for subject in &plan.subjects {
                for repeat in repeats.clone() {
                    points.extend(cells(plan).map(|(step, axis)| point(subject, step, axis, repeat)));
                }
            }
        }
    }
    points
}

/// Each step with each value of its axis.
fn cells(plan: &Plan) -> impl Iterator<Item = (&Step, Option<Axis>)> {
    plan.protocol.steps.iter().flat_map(|step| {
        let axes = match &step.sweep {
            Some(sweep) => axes(sweep).into_iter().map(Some).collect(),
            None => vec![None],
        };
        axes.into_iter().map(move |axis| (step, axis))
    })
}

fn axes(sweep: &Sweep) -> Vec<Axis> {
    // Shares of a maximum need the maximum first.
    let maximum = (sweep.field == Field::LoadPercent).then_some(f64::INFINITY);
    let values = maximum.into_iter().chain(sweep.values.iter().copied());
    values.map(|value| Axis { name: sweep.axis_name(), field: sweep.field, value }).collect()
}

fn point(subject: &Subject, step: &Step, axis: Option<Axis>, repeat: u32) -> PointPlan {
    let mut applied = step.clone();
    if let (Some(sweep), Some(axis)) = (&step.sweep, &axis) {
        for stream in applied.streams.iter_mut().filter(|s| s.name == sweep.stream) {
            let value = axis.value;
            match axis.field {
                Field::Threads => stream.threads = value as u32,
                Field::Depth => stream.depth = value as u32,
                Field::OpsPerSec => stream.load = Load::Rate(Rate::OpsPerSec(value)),
                Field::BytesPerSec => stream.load = Load::Rate(Rate::BytesPerSec(value)),
                Field::LoadPercent if value.is_infinite() => stream.load = Load::Closed,
                Field::LoadPercent => stream.load = Load::PercentOfMaximum(value),
                Field::Instances => stream.instances = value as u32,
                Field::Block => {
                    stream.workload.knobs.0.insert("block".to_string(), one_size(value as u64));
                }
            }
        }
    }
    let key = PointKey { subject: subject.name.clone(), step: step.name.clone(), axis, repeat };
    PointPlan { key, subject: subject.clone(), step: applied }
}
