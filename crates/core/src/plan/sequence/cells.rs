//! The steps of a plan with the values of their axes, in running order.

use crate::plan::model::{Axis, AxisValue, Field, Plan, Step, Sweep};

/// A step at one value of its axis.
pub(in crate::plan) struct StepValue<'p> {
    pub step: &'p Step,
    pub axis: Option<Axis>,
    /// Its number in running order. A searched step has one for all its values, because the results
    /// determine which are measured, and when.
    pub point: usize,
}

/// Each step with each value of its axis.
pub(in crate::plan) fn cells(plan: &Plan) -> Vec<StepValue<'_>> {
    let mut cells: Vec<StepValue<'_>> = Vec::new();
    let mut point = 0;
    for step in &plan.protocol.steps {
        let searched = step.sweep.as_ref().is_some_and(|sweep| sweep.search.is_some());
        for axis in axes_of(step) {
            cells.push(StepValue { step, axis, point });
            point += usize::from(!searched);
        }
        point += usize::from(searched);
    }
    cells
}

/// The values of a step's axis in the order of measurement; a single empty one without an axis.
pub fn axes_of(step: &Step) -> Vec<Option<Axis>> {
    step.sweep.as_ref().map_or(vec![None], |sweep| axes(sweep).into_iter().map(Some).collect())
}

fn axes(sweep: &Sweep) -> Vec<Axis> {
    // Shares of a maximum require the maximum first.
    let maximum = (sweep.field == Field::LoadPercent).then_some(AxisValue::Maximum);
    let values = maximum.into_iter().chain(sweep.values.iter().copied().map(AxisValue::Number));
    values.map(|value| Axis { name: sweep.axis_name(), field: sweep.field, value }).collect()
}
