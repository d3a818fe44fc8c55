//! A row for each of the slowest ops of each point, with its evidence and its cause.

use super::{Column, ColumnKind, ExportTable, ExportValue, Stored, TakeRow, key};
use crate::analysis::outlier_cause::judge;
use dyno_core::base::error::Result;

pub struct SlowOps;

const MEASURES: [Column; 18] = [
    ("worker", ColumnKind::Whole),
    ("at_ns", ColumnKind::Whole),
    ("late_ns", ColumnKind::Whole),
    ("response_ns", ColumnKind::Whole),
    ("address", ColumnKind::Whole),
    ("size", ColumnKind::Whole),
    ("in_flight", ColumnKind::Whole),
    ("direct", ColumnKind::Truth),
    ("cause", ColumnKind::Text),
    ("reason", ColumnKind::Text),
    ("waited_least_ns", ColumnKind::Whole),
    ("waited_most_ns", ColumnKind::Whole),
    ("stopped_least_ns", ColumnKind::Whole),
    ("stopped_most_ns", ColumnKind::Whole),
    ("steal_most_ns", ColumnKind::Whole),
    ("switches", ColumnKind::Whole),
    ("device_stalled_ns", ColumnKind::Whole),
    ("device_idle_ns", ColumnKind::Whole),
];

impl ExportTable for SlowOps {
    fn name(&self) -> &'static str {
        "slow-ops"
    }

    fn columns(&self) -> Vec<Column> {
        key::columns_of_parts(&MEASURES)
    }

    fn rows(&self, stored: &Stored<'_>, row: &mut TakeRow<'_>) -> Result<()> {
        let ops = stored.bundle.slow_ops(stored.point.id)?;
        for (op, (cause, reason)) in ops.iter().zip(judge(&ops)) {
            let part = key::of_part(&op.stream, op.drive, op.instance, op.class);
            let e = op.evidence;
            let measures: [ExportValue; MEASURES.len()] = [
                op.worker.into(),
                op.at_ns.into(),
                op.late_ns.into(),
                op.response_ns.into(),
                op.address.into(),
                op.size.into(),
                op.in_flight.into(),
                op.direct.into(),
                cause.name().into(),
                reason.name().into(),
                e.map(|e| e.waited_least_ns).into(),
                e.map(|e| e.waited_most_ns).into(),
                e.map(|e| e.stopped_least_ns).into(),
                e.map(|e| e.stopped_most_ns).into(),
                e.map(|e| e.steal_most_ns).into(),
                e.map(|e| e.switches).into(),
                e.and_then(|e| e.device_stalled_ns).into(),
                e.and_then(|e| e.device_idle_ns).into(),
            ];
            row(key::row(stored, &part, &measures))?;
        }
        Ok(())
    }
}
