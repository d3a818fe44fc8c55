//! The leading and trailing columns of every table of points: the point, its part, and its bundle.

use super::{Column, ColumnKind, ExportValue, Stored};
use dyno_core::record::Class;

pub const POINT: [Column; 6] = [
    ("subject", ColumnKind::Text),
    ("step", ColumnKind::Text),
    ("axis", ColumnKind::Text),
    ("value", ColumnKind::Real),
    ("value_text", ColumnKind::Text),
    ("repeat", ColumnKind::Whole),
];

pub fn of_point(stored: &Stored<'_>) -> Vec<ExportValue> {
    let key = &stored.point.point.key;
    let axis = key.axis.as_ref();
    let step = stored.bundle.run().plan.protocol.step(&key.step);
    vec![
        key.subject.as_str().into(),
        key.step.as_str().into(),
        axis.map(|a| a.name.as_str()).into(),
        axis.map(|a| a.value.as_f64()).into(),
        step.and_then(|step| step.written(axis)).into(),
        key.repeat.into(),
    ]
}

pub const PART: [Column; 4] = [
    ("stream", ColumnKind::Text),
    ("drive", ColumnKind::Whole),
    ("instance", ColumnKind::Whole),
    ("class", ColumnKind::Text),
];

pub fn of_part(stream: &str, drive: u32, instance: u32, class: Class) -> [ExportValue; 4] {
    [stream.into(), drive.into(), instance.into(), class.name().into()]
}

const BUNDLE: Column = ("bundle", ColumnKind::Text);

/// The columns of a table with measurements of whole points.
pub fn columns(measures: &[Column]) -> Vec<Column> {
    [&POINT[..], measures, &[BUNDLE]].concat()
}

/// The columns of a table with measurements of parts of points.
pub fn columns_of_parts(measures: &[Column]) -> Vec<Column> {
    columns(&[&PART[..], measures].concat())
}

/// A row of either kind.
pub fn row(
    stored: &Stored<'_>,
    part: &[ExportValue],
    measures: &[ExportValue],
) -> Vec<ExportValue> {
    let (point, bundle) = (of_point(stored), [ExportValue::from(stored.file)]);
    [&point[..], part, measures, &bundle].concat()
}
