//! A row for each of the slowest ops of each point, with its evidence and its cause.

use super::{Column, Kind, Stored, Table, TakeRow, Value, key};
use crate::analysis::outlier_cause::judge;
use crate::base::error::Result;

pub struct SlowOps;

const MEASURES: [Column; 18] = [
    ("worker", Kind::Whole),
    ("at_ns", Kind::Whole),
    ("late_ns", Kind::Whole),
    ("response_ns", Kind::Whole),
    ("address", Kind::Whole),
    ("size", Kind::Whole),
    ("in_flight", Kind::Whole),
    ("direct", Kind::Truth),
    ("cause", Kind::Text),
    ("reason", Kind::Text),
    ("waited_least_ns", Kind::Whole),
    ("waited_most_ns", Kind::Whole),
    ("stopped_least_ns", Kind::Whole),
    ("stopped_most_ns", Kind::Whole),
    ("steal_most_ns", Kind::Whole),
    ("switches", Kind::Whole),
    ("device_stalled_ns", Kind::Whole),
    ("device_idle_ns", Kind::Whole),
];

impl Table for SlowOps {
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
            let measures: [Value; MEASURES.len()] = [
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
