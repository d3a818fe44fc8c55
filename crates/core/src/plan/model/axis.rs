//! A point's position on its step's axis.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// A field of a stream that can be swept; the unit of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// percent of the maximum, which is measured first by a separate point
    LoadPercent,
    /// bytes, for workloads with a `block` knob
    Block,
    /// copies of the stream on each drive
    Instances,
    /// multiples of the rates of the step's streams, all at once
    Rates,
    /// how much faster than recorded, for workloads with a `scale` knob
    Scale,
    /// values of a knob of the workload that are words, times or whole numbers (`Sweep::knob`),
    /// counted from 1
    Knob,
}

impl Field {
    /// Whether it sets the rates of an open loop, so that latency is compared instead of
    /// throughput.
    pub fn sets_rates(self) -> bool {
        matches!(self, Field::OpsPerSec | Field::BytesPerSec | Field::Rates | Field::Scale)
    }
}

/// The swept field's value at a point.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Axis {
    /// In the plan's notation: "read.threads".
    pub name: String,
    /// The swept field of the stream.
    pub field: Field,
    /// Its value at this point.
    pub value: AxisValue,
}

/// The swept field's value. In JSON a number, or "max".
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(from = "WrittenValue", into = "WrittenValue")]
pub enum AxisValue {
    /// In the field's unit.
    Number(f64),
    /// Closed loop: measured first by a load sweep, which takes percentages of it.
    Maximum,
}

impl AxisValue {
    /// The number; None for "max".
    pub fn number(self) -> Option<f64> {
        match self {
            AxisValue::Number(value) => Some(value),
            AxisValue::Maximum => None,
        }
    }

    /// Whether it is the closed loop measured first by a load sweep.
    pub fn is_maximum(self) -> bool {
        self == AxisValue::Maximum
    }

    /// For sorting, seeds and columns of numbers: the maximum counts as infinite.
    pub fn as_f64(self) -> f64 {
        self.number().unwrap_or(f64::INFINITY)
    }
}

/// By their bits, so that points can be found by their values.
impl PartialEq for AxisValue {
    fn eq(&self, other: &AxisValue) -> bool {
        self.as_f64().to_bits() == other.as_f64().to_bits()
    }
}

impl Eq for AxisValue {}

impl Hash for AxisValue {
    fn hash<H: Hasher>(&self, into: &mut H) {
        self.as_f64().to_bits().hash(into);
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
