//! A row for each reading of each meter at each point.

use super::{Column, ColumnKind, ExportTable, Stored, TakeRow, key};
use dyno_core::base::error::Result;

pub struct Samples;

const MEASURES: [Column; 4] = [
    ("meter", ColumnKind::Text),
    ("reading", ColumnKind::Text),
    ("at_ns", ColumnKind::Whole),
    ("number", ColumnKind::Real),
];

impl ExportTable for Samples {
    fn name(&self) -> &'static str {
        "samples"
    }

    fn columns(&self) -> Vec<Column> {
        key::columns(&MEASURES)
    }

    fn rows(&self, stored: &Stored<'_>, row: &mut TakeRow<'_>) -> Result<()> {
        for sample in stored.bundle.samples(stored.point.id)? {
            let (meter, name) = (sample.meter.as_str().into(), sample.name.as_str().into());
            row(key::row(stored, &[], &[meter, name, sample.at_ns.into(), sample.value.into()]))?;
        }
        Ok(())
    }
}
