//! What the work of a cell costs: of the drive's life, in energy and in money.

use crate::analysis::cost::life::{self, Life};
use crate::analysis::facts::{CellFacts, StepFacts, SubjectFacts};
use crate::analysis::limits::writes::{CellWrites, Layers};
use crate::analysis::metric_values::instruments;
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::plan::specification::Specification;

/// A cell's writes by layer, if more is known of them than what the kernel counts of every run.
pub fn counted(cell: &CellFacts) -> Option<(&CellWrites, Layers)> {
    let writes = cell.writes.as_ref()?;
    let layers = writes.layers();
    (writes.source().is_some() || !layers.parts.is_empty()).then_some((writes, layers))
}

/// How many times the subject's capacity was written, if the drives' own counters were read.
pub fn fills(subject: &SubjectFacts, writes: &CellWrites) -> Option<f64> {
    let one = subject.capacity_bytes.filter(|_| writes.source().is_some())?;
    Some(writes.fills(one * subject.drive_count() as f64))
}

/// What one drive of the subject is written, and its life at that.
pub fn life_of(subject: &SubjectFacts, stated: &Specification, cell: &CellFacts) -> Option<Life> {
    let per_drive = cell.writes.as_ref()?.received_per_s()? / subject.drive_count() as f64;
    Life::at(per_drive, subject.capacity_bytes, life::rated_bytes(stated))
}

/// Joules per terabyte by the step's first instrument, and idle power by it in watts.
pub fn energy(step: &StepFacts, cell: &CellFacts) -> [Option<f64>; 2] {
    let by = instruments(step).into_iter().next();
    let idle = by.as_ref().and_then(|by| cell.power_by(by)?.rest_watts);
    let metric = by.map(|by| Metric::total(PointFigure::JoulesPerTb(by)));
    let per_tb = metric.and_then(|metric| metric.of(step, cell)).map(|(e, _)| e.value);
    [per_tb, idle]
}

/// Price of a thousand ops/s, and of a terabyte written over the rated life, in the currency in
/// which the price is stated.
pub fn money(subject: &SubjectFacts, stated: &Specification, cell: &CellFacts) -> [Option<f64>; 2] {
    let ops = cell.total.as_ref().and_then(|total| total.ops_per_s.as_ref());
    let ops = ops.map(|ops| ops.value).filter(|ops| *ops > 0.0);
    let paid = stated.price.as_ref().map(|p| p.amount * subject.drive_count() as f64);
    let per_iops = paid.zip(ops).map(|(paid, ops)| paid / ops * 1e3);
    [per_iops, life::price_per_tb_written(stated)]
}
