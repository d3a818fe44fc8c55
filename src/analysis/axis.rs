//! What a step is swept along, in words.

use crate::base::units;
use crate::plan::{Axis, Field};

/// What a step is swept along.
pub struct AxisFacts {
    /// As the plan says: "read.threads".
    pub name: String,
    /// Which field of a stream that is.
    pub field: Field,
}

/// A value of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisValue {
    /// The number, in the field's unit; not a number where nothing is swept.
    pub number: f64,
    /// The value as it is printed: "64", "128 KiB", "50 %".
    pub label: String,
}

/// What an axis of this field is called.
pub fn field_label(field: Field) -> &'static str {
    match field {
        Field::Threads => "threads",
        Field::Depth => "depth",
        Field::OpsPerSec => "asked ops/s",
        Field::BytesPerSec => "asked rate",
        Field::LoadPercent => "load",
        Field::Block => "block",
        Field::Instances => "instances",
        Field::Rates => "multiple of the rates",
    }
}

impl AxisValue {
    /// The value of a point's axis.
    pub fn of(axis: Option<&Axis>) -> AxisValue {
        let Some(axis) = axis else { return AxisValue { number: 0.0, label: String::new() } };
        let number = axis.value.as_f64();
        let whole = number.round() as u64;
        let label = match axis.field {
            _ if axis.value.is_maximum() => "maximum".to_string(),
            Field::Threads | Field::Depth | Field::Instances | Field::OpsPerSec => {
                units::grouped(whole)
            }
            Field::BytesPerSec => format!("{}/s", units::bytes(whole)),
            Field::LoadPercent => format!("{number} %"),
            Field::Rates => format!("{number} ×"),
            Field::Block => units::bytes(whole),
        };
        AxisValue { number, label }
    }
}
