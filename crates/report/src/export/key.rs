//! The columns that every table begins with: which point, and which part of it.

use super::{Column, Kind, Value};
use crate::plan::PointKey;

pub const POINT: [Column; 5] = [
    ("subject", Kind::Text),
    ("step", Kind::Text),
    ("axis", Kind::Text),
    ("value", Kind::Real),
    ("repeat", Kind::Whole),
];

pub fn of_point(key: &PointKey) -> Vec<Value> {
    vec![
        key.subject.as_str().into(),
        key.step.as_str().into(),
        key.axis.as_ref().map(|a| a.name.as_str()).into(),
        key.axis.as_ref().map(|a| a.value.as_f64()).into(),
        key.repeat.into(),
    ]
}

pub const PART: [Column; 4] = [
    ("stream", Kind::Text),
    ("drive", Kind::Whole),
    ("instance", Kind::Whole),
    ("class", Kind::Text),
];

pub fn of_part(stream: &str, drive: u32, instance: u32, class: crate::record::Class) -> [Value; 4] {
    [stream.into(), drive.into(), instance.into(), class.name().into()]
}
