//! What a step is swept along, in words.

use crate::base::units;
use crate::plan::{Axis, Field};

pub struct AxisFacts {
    /// As the plan says: "read.threads".
    pub name: String,
    pub field: Field,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AxisValue {
    pub number: f64,
    pub label: String,
}

pub fn field_label(field: Field) -> &'static str {
    match field {
        Field::Threads => "threads",
        Field::Depth => "depth",
        Field::OpsPerSec => "asked ops/s",
        Field::BytesPerSec => "asked rate",
        Field::LoadPercent => "load",
        Field::Block => "block",
        Field::Instances => "instances",
    }
}

impl AxisValue {
    pub fn of(axis: Option<&Axis>) -> AxisValue {
        let Some(axis) = axis else { return AxisValue { number: 0.0, label: String::new() } };
        let number = axis.value.as_f64();
        let whole = number.round() as u64;
        let label = match axis.field {
            _ if axis.value.is_maximum() => "maximum".to_string(),
            Field::Threads | Field::Depth | Field::Instances | Field::OpsPerSec => units::grouped(whole),
            Field::BytesPerSec => format!("{}/s", units::bytes(whole)),
            Field::LoadPercent => format!("{number} %"),
            Field::Block => units::bytes(whole),
        };
        AxisValue { number, label }
    }
}
