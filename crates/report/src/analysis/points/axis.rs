//! The axis of a step, and its values.

use crate::analysis::keys::{Keyed, ValueKey};
use dyno_core::base::units;
use dyno_core::plan::{Axis, Field};

/// The swept field of a step.
pub struct AxisFacts {
    /// The field in the plan's notation: "read.threads".
    pub name: String,
    /// The field of the stream.
    pub field: Field,
}

/// A value of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisPosition {
    /// The number, in the field's unit; not a number without a sweep.
    pub number: f64,
    /// The English text of the value, as written by a plan's author: "64", "128 KiB", "50 %".
    pub label: String,
    /// The label is a word of the plan, and the number only its position.
    pub is_word: bool,
}

impl AxisPosition {
    /// The value of a point's axis.
    pub fn of(axis: Option<&Axis>) -> AxisPosition {
        let bare = AxisPosition { number: 0.0, label: String::new(), is_word: false };
        let Some(axis) = axis else { return bare };
        let number = axis.value.as_f64();
        let whole = number.round() as u64;
        let label = match axis.field {
            _ if axis.value.is_maximum() => "maximum".to_string(),
            Field::Threads | Field::Depth | Field::Instances | Field::OpsPerSec => {
                units::grouped(whole)
            }
            Field::BytesPerSec => format!("{}/s", units::bytes(whole)),
            Field::LoadPercent => format!("{number} %"),
            Field::Rates | Field::Scale => format!("{number} ×"),
            Field::Block => units::bytes(whole),
            Field::Knob => format!("{number}"),
        };
        AxisPosition { number, label, is_word: false }
    }

    /// The value of a swept knob, as written in its plan. Two plans may number the same words
    /// differently, so its number is its position among the known values of the step.
    pub fn of_knob(written: &str, known: &Keyed<ValueKey, AxisPosition>) -> AxisPosition {
        let place = known.iter().find(|value| value.label == written).map(|value| value.number);
        let number = place.unwrap_or(known.len() as f64 + 1.0);
        AxisPosition { number, label: written.to_string(), is_word: true }
    }
}
