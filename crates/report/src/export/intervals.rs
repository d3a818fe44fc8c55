//! A row for each interval (about a second) of each point, stream, drive, instance and class of op.

use super::{Column, ColumnKind, ExportTable, ExportValue, Stored, TakeRow, key};
use dyno_core::base::error::Result;

pub struct Intervals;

const MEASURES: [Column; 11] = [
    ("start_ns", ColumnKind::Whole),
    ("end_ns", ColumnKind::Whole),
    ("ops", ColumnKind::Whole),
    ("bytes", ColumnKind::Whole),
    ("ops_per_s", ColumnKind::Real),
    ("service_mean_ns", ColumnKind::Real),
    ("service_p50_ns", ColumnKind::Whole),
    ("service_p99_ns", ColumnKind::Whole),
    ("service_max_ns", ColumnKind::Whole),
    ("response_mean_ns", ColumnKind::Real),
    ("response_p99_ns", ColumnKind::Whole),
];

impl ExportTable for Intervals {
    fn name(&self) -> &'static str {
        "intervals"
    }

    fn columns(&self) -> Vec<Column> {
        key::columns_of_parts(&MEASURES)
    }

    fn rows(&self, stored: &Stored<'_>, row: &mut TakeRow<'_>) -> Result<()> {
        stored.bundle.each_interval(stored.point.id, &mut |i| {
            let seconds = i.end_ns.saturating_sub(i.start_ns).max(1) as f64 / 1e9;
            let response = i.response.as_ref();
            let measures: [ExportValue; MEASURES.len()] = [
                i.start_ns.into(),
                i.end_ns.into(),
                i.ops.into(),
                i.bytes.into(),
                (i.ops as f64 / seconds).into(),
                i.service.mean_ns().into(),
                i.service.percentile_ns(0.5).into(),
                i.service.percentile_ns(0.99).into(),
                Some(i.service.max_ns).filter(|_| !i.service.is_empty()).into(),
                response.and_then(|r| r.mean_ns()).into(),
                response.and_then(|r| r.percentile_ns(0.99)).into(),
            ];
            let part = key::of_part(&i.stream, i.drive, i.instance, i.class);
            row(key::row(stored, &part, &measures))
        })
    }
}
