//! Axes of steps, and the values on them.

use crate::analysis::facts::{AxisPosition, StepFacts};
use crate::language::Language;
use crate::say;
use dyno_core::plan::Field;

/// The name of an axis that varies this field.
pub fn field_text(l: Language, field: Field) -> String {
    match field {
        Field::Threads => say!(l, "axis-threads"),
        Field::Depth => say!(l, "axis-depth"),
        Field::OpsPerSec => say!(l, "axis-asked-ops"),
        Field::BytesPerSec => say!(l, "axis-asked-rate"),
        Field::LoadPercent => say!(l, "axis-load"),
        Field::Block => say!(l, "axis-block"),
        Field::Instances => say!(l, "axis-instances"),
        Field::Rates => say!(l, "axis-rates"),
        Field::Scale => say!(l, "axis-scale"),
        Field::Knob => say!(l, "axis-knob"),
    }
}

/// The name of an axis of a workload's knob.
fn knob_text(l: Language, knob: &str) -> String {
    match knob {
        "device" => say!(l, "axis-trace-device"),
        "start" => say!(l, "axis-trace-start"),
        "remap" => say!(l, "axis-trace-remap"),
        "pace" => say!(l, "axis-trace-pace"),
        "search_list" => say!(l, "axis-search-list"),
        "beam" => say!(l, "axis-beam"),
        _ => field_text(l, Field::Knob),
    }
}

impl AxisPosition {
    /// The value in a brief.
    pub fn text(&self, l: Language) -> String {
        match self.number.is_infinite() {
            true => say!(l, "maximum"),
            // A word of the plan, such as a device's name, is not a number to format.
            false if self.is_word => self.label.clone(),
            false => l.number(&self.label),
        }
    }
}

impl StepFacts {
    /// The quantity on the axis, for a column heading.
    pub fn axis_text(&self, l: Language) -> String {
        let Some(axis) = &self.axis else { return String::new() };
        match (axis.field, axis.name.rsplit_once('.')) {
            (Field::Knob, Some((_, knob))) => knob_text(l, knob),
            _ => field_text(l, axis.field),
        }
    }
}
