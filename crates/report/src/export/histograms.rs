//! A row for each non-empty bucket of each point's latencies.

use super::{Column, ColumnKind, ExportTable, Stored, TakeRow, key};
use dyno_core::base::error::Result;
use dyno_core::base::histogram::Histogram;

pub struct Histograms;

const MEASURES: [Column; 3] =
    [("time", ColumnKind::Text), ("to_ns", ColumnKind::Whole), ("count", ColumnKind::Whole)];

impl ExportTable for Histograms {
    fn name(&self) -> &'static str {
        "histograms"
    }

    fn columns(&self) -> Vec<Column> {
        key::columns_of_parts(&MEASURES)
    }

    fn rows(&self, stored: &Stored<'_>, row: &mut TakeRow<'_>) -> Result<()> {
        let point = &stored.point.point;
        for (cell, tally) in point.cells.iter().flat_map(|c| c.tallies.iter().map(move |t| (c, t)))
        {
            let part = key::of_part(&cell.stream, cell.drive, cell.instance, tally.class);
            let mut of = |time: &str, histogram: &Histogram| -> Result<()> {
                // Overflow has no bucket; it is above all others.
                let beyond =
                    (histogram.overflow > 0).then_some((histogram.max_ns, histogram.overflow));
                for (to_ns, count) in histogram.buckets().chain(beyond) {
                    row(key::row(stored, &part, &[time.into(), to_ns.into(), count.into()]))?;
                }
                Ok(())
            };
            of("service", &tally.service)?;
            tally.response.as_ref().map_or(Ok(()), |response| of("response", response))?;
        }
        Ok(())
    }
}
