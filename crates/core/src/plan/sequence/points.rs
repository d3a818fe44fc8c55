//! The points of a plan in the order of measurement.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::base::units::Rate;
use crate::plan::model::{
    Axis, AxisValue, Field, Load, Order, Plan, PointKey, PointPlan, Step, Stream, Subject, Sweep,
};
use crate::plan::search::Search;
use crate::plan::sequence::cells::{StepValue, axes_of, cells};
use crate::plan::sequence::order;
use crate::plan::steps::knobs::one_size;

/// All points, in running order, each made when it is reached: there may be very many.
///
/// Interleaved, each point is measured on every subject in turn before the next, in an order
/// balanced by `order`, so that slow drift of the machine or the room affects all alike. A repeat
/// is completed before the next begins, so the maximum of a load sweep precedes its shares in every
/// repeat.
pub fn points(plan: &Plan) -> impl Iterator<Item = PointPlan> {
    points_where(plan, |_| true)
}

/// Those of a certain key; the others are not made.
pub fn points_where(
    plan: &Plan,
    is_wanted: impl Fn(&PointKey) -> bool,
) -> impl Iterator<Item = PointPlan> {
    let bare: HashMap<&str, Step> =
        plan.protocol.steps.iter().map(|s| (s.name.as_str(), bare(s))).collect();
    let cells = cells(plan);
    places(plan, &cells).into_iter().filter_map(move |(subject, cell, repeat)| {
        let (subject, cell) = (&plan.subjects[subject], &cells[cell]);
        let axis = cell.axis.as_ref();
        let key = PointKey {
            subject: subject.name.clone(),
            step: cell.step.name.clone(),
            axis: axis.cloned(),
            repeat,
        };
        let step = bare.get(cell.step.name.as_str()).unwrap_or(cell.step);
        is_wanted(&key).then(|| PointPlan {
            key,
            subject: subject.clone(),
            step: step_at(step, subject, axis),
        })
    })
}

/// The subject, cell and repeat of every point, in running order.
fn places(plan: &Plan, cells: &[StepValue<'_>]) -> Vec<(usize, usize, u32)> {
    let (subjects, repeats) = (0..plan.subjects.len(), 1..=plan.repeats);
    let all = 0..cells.len();
    match plan.order {
        Order::Interleaved => repeats
            .flat_map(|repeat| all.clone().map(move |cell| (cell, repeat)))
            .flat_map(|(cell, repeat)| {
                let turns = order::turns(plan, cells[cell].point, repeat);
                turns.into_iter().map(move |subject| (subject, cell, repeat))
            })
            .collect(),
        Order::Blocked | Order::Returned | Order::NotGiven => {
            let blocks = subjects.map(|subject| (subject, repeats.clone()));
            let mut blocks: Vec<(usize, RangeInclusive<u32>)> = blocks.collect();
            if let (Order::Returned, Some(first)) = (plan.order, blocks.first_mut()) {
                let half = order::before_return(plan.repeats);
                first.1 = 1..=half;
                blocks.push((0, half + 1..=plan.repeats));
            }
            blocks
                .into_iter()
                .flat_map(|(subject, repeats)| repeats.map(move |repeat| (subject, repeat)))
                .flat_map(|(subject, repeat)| all.clone().map(move |cell| (subject, cell, repeat)))
                .collect()
        }
    }
}

/// A point's copy of its step: without the sweep's values, of which there would otherwise be as
/// many copies as points.
fn bare(step: &Step) -> Step {
    let mut bare = step.clone();
    if let Some(sweep) = bare.sweep.as_mut() {
        sweep.values = Vec::new();
    }
    bare
}

/// A step for a subject's point at a value of its axis.
fn step_at(step: &Step, subject: &Subject, axis: Option<&Axis>) -> Step {
    let mut applied = step.clone();
    for own in subject.overrides.iter().filter(|own| own.step == step.name) {
        for stream in applied.streams.iter_mut().filter(|stream| stream.name == own.stream) {
            stream.part_mut(own.of).knobs.0.insert(own.knob.clone(), own.value.clone());
        }
    }
    if let (Some(sweep), Some(axis)) = (&step.sweep, axis) {
        applied
            .streams
            .iter_mut()
            .filter(|s| sweep.field == Field::Rates || s.name == sweep.stream)
            .for_each(|stream| apply(axis, sweep, stream));
        if let Some(search) = &sweep.search {
            applied.duration_ns = searched_ns(&applied, search);
        }
    }
    applied
}

/// The window of a searched point, long enough for the samples of its percentile. Their number is
/// known in advance only for a rate in ops/s.
fn searched_ns(step: &Step, search: &Search) -> u64 {
    let of_search = step.streams.iter().find(|stream| stream.name == search.stream);
    match of_search.map(|stream| &stream.load) {
        Some(Load::Rate(Rate::OpsPerSec(rate))) => search.window_ns(*rate, step.duration_ns),
        _ => step.duration_ns,
    }
}

/// The actions of each point of a step on a subject, in one repeat, without the points themselves,
/// which may be very many.
pub fn steps_at<'p>(step: &'p Step, subject: &'p Subject) -> impl Iterator<Item = Step> + 'p {
    let bare = bare(step);
    axes_of(step).into_iter().map(move |axis| step_at(&bare, subject, axis.as_ref()))
}

/// Sets the swept field. The maximum is a closed loop, whatever the stream's rate.
fn apply(axis: &Axis, sweep: &Sweep, stream: &mut Stream) {
    let AxisValue::Number(value) = axis.value else {
        stream.load = Load::Closed;
        return;
    };
    match axis.field {
        Field::Threads => stream.threads = value as u32,
        Field::Depth => stream.depth = value as u32,
        Field::OpsPerSec => stream.load = Load::Rate(Rate::OpsPerSec(value)),
        Field::BytesPerSec => stream.load = Load::Rate(Rate::BytesPerSec(value)),
        Field::LoadPercent => stream.load = Load::PercentOfMaximum(value),
        Field::Instances => stream.instances = value as u32,
        Field::Rates => {
            if let Load::Rate(rate) = stream.load {
                stream.load = Load::Rate(rate.times(value));
            }
        }
        Field::Scale => {
            stream.workload.knobs.0.insert("scale".to_string(), value.into());
        }
        Field::Knob => {
            let knobs = &mut stream.workload.knobs.0;
            let swept = sweep.knob.as_ref();
            let value = swept.and_then(|knob| Some((knob, knob.at(axis.value)?)));
            knobs.extend(value.map(|(knob, (_, value))| (knob.name.clone(), value.clone())));
        }
        Field::Block => {
            stream.workload.knobs.0.insert("block".to_string(), one_size(value as u64));
        }
    }
}
