//! A row for each reading of each meter at each point.

use super::Stored;
use super::{Column, Kind, Table, Value, key};
use crate::base::error::Result;

pub struct Samples;

const MEASURES: [Column; 4] = [
    ("meter", Kind::Text),
    ("reading", Kind::Text),
    ("at_ns", Kind::Whole),
    ("number", Kind::Real),
];

impl Table for Samples {
    fn name(&self) -> &'static str {
        "samples"
    }

    fn columns(&self) -> Vec<Column> {
        [&key::POINT[..], &MEASURES, &[("bundle", Kind::Text)]].concat()
    }

    fn rows(
        &self,
        stored: &Stored<'_>,
        row: &mut dyn FnMut(Vec<Value>) -> Result<()>,
    ) -> Result<()> {
        let point = key::of_point(&stored.point.point.key);
        for sample in stored.bundle.samples(stored.point.id)? {
            let (meter, name) = (sample.meter.as_str().into(), sample.name.as_str().into());
            let measures =
                vec![meter, name, sample.at_ns.into(), sample.value.into(), stored.file.into()];
            row([point.clone(), measures].concat())?;
        }
        Ok(())
    }
}
