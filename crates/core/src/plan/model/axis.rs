//! Where on its step's axis a point is measured.

use serde::{Deserialize, Serialize};

/// A field of a stream that can be swept; the unit of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// workers
    Threads,
    /// requests in flight for each worker
    Depth,
    /// ops/s
    OpsPerSec,
    /// bytes/s
    BytesPerSec,
    /// percent of the maximum, which a point of its own measures first
    LoadPercent,
    /// bytes, for workloads with a `block` knob
    Block,
    /// copies of the stream on each drive
    Instances,
    /// multiples of the rates that the step's streams have, all at once
    Rates,
}

impl Field {
    /// Whether it sets the rates of an open loop, so that latency and not throughput is compared.
    pub fn sets_rates(self) -> bool {
        matches!(self, Field::OpsPerSec | Field::BytesPerSec | Field::Rates)
    }
}

/// The swept field's value at a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// As the plan says: "read.threads".
    pub name: String,
    /// Which field of the stream is swept.
    pub field: Field,
    /// What it is set to at this point.
    pub value: AxisValue,
}

/// What the swept field is set to. In JSON a number, or "max".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenValue", into = "WrittenValue")]
pub enum AxisValue {
    /// In the field's unit.
    Number(f64),
    /// Closed loop: what a load sweep measures first, and takes its shares of.
    Maximum,
}

impl AxisValue {
    /// The number; None of "max".
    pub fn number(self) -> Option<f64> {
        match self {
            AxisValue::Number(value) => Some(value),
            AxisValue::Maximum => None,
        }
    }

    /// Whether it is the closed loop that a load sweep measures first.
    pub fn is_maximum(self) -> bool {
        self == AxisValue::Maximum
    }

    /// For sorting, seeds and columns of numbers: the maximum is infinite there.
    pub fn as_f64(self) -> f64 {
        self.number().unwrap_or(f64::INFINITY)
    }
}

impl From<f64> for AxisValue {
    fn from(value: f64) -> AxisValue {
        if value.is_infinite() { AxisValue::Maximum } else { AxisValue::Number(value) }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenValue {
    Number(f64),
    Word(Word),
}

#[derive(Serialize, Deserialize)]
enum Word {
    #[serde(rename = "max")]
    Max,
}

impl From<AxisValue> for WrittenValue {
    fn from(value: AxisValue) -> WrittenValue {
        value.number().map_or(WrittenValue::Word(Word::Max), WrittenValue::Number)
    }
}

impl From<WrittenValue> for AxisValue {
    fn from(written: WrittenValue) -> AxisValue {
        match written {
            WrittenValue::Number(value) => AxisValue::Number(value),
            WrittenValue::Word(Word::Max) => AxisValue::Maximum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximum_is_a_word_in_json_and_every_other_value_a_number() {
        for (value, json) in [(AxisValue::Maximum, "\"max\""), (AxisValue::Number(12.5), "12.5")] {
            assert_eq!(serde_json::to_string(&value).unwrap(), json);
            assert_eq!(serde_json::from_str::<AxisValue>(json).unwrap(), value);
            assert_eq!(AxisValue::from(value.as_f64()), value);
        }
        assert!(serde_json::from_str::<AxisValue>("\"most\"").is_err());
    }
}
