//! The cost of a cell's work: of the drive's life, energy and money.

use crate::analysis::cost::life;
use crate::analysis::facts::{
    CellCost, CellFacts, Facts, Life, ReportStatements, StepFacts, SubjectFacts,
};
use crate::analysis::limits::writes::{CellWrites, Layers};
use crate::analysis::metric_values::instruments;
use crate::analysis::points::metric::{Instrument, Metric, PointFigure};
use dyno_core::plan::specification::Specification;

/// Adds the cost of every cell, from the specifications of the drives.
pub fn note(facts: &mut Facts) {
    let Facts { subjects, statements, measured, .. } = facts;
    for step in &mut measured.steps {
        let by = instruments(step).into_iter().next();
        let of =
            |cell: &CellFacts| cost(&subjects[cell.subject], statements, (step, by.as_ref()), cell);
        let all: Vec<CellCost> = step.cells.iter().map(of).collect();
        step.cells.iter_mut().zip(all).for_each(|(cell, own)| cell.cost = own);
    }
}

fn cost(
    subject: &SubjectFacts,
    statements: &ReportStatements,
    (step, by): (&StepFacts, Option<&Instrument>),
    cell: &CellFacts,
) -> CellCost {
    let stated = statements.of_drives(subject);
    let layers = counted(cell);
    let [joules_per_tb, idle_watts] = by.map(|by| energy(step, by, cell)).unwrap_or_default();
    let [per_thousand_iops, per_tb_written] =
        stated.map(|stated| money(subject, stated, cell)).unwrap_or_default();
    CellCost {
        fills: cell.writes.as_ref().filter(|_| layers.is_some()).and_then(|w| fills(subject, w)),
        life: life_of(subject, stated, cell).filter(|_| stated.is_some() || layers.is_some()),
        layers,
        joules_per_tb,
        idle_watts,
        per_thousand_iops,
        per_tb_written,
    }
}

fn counted(cell: &CellFacts) -> Option<Layers> {
    let writes = cell.writes.as_ref()?;
    let layers = writes.layers();
    let counts = writes.source().is_some() || writes.lacks_a_log();
    (counts || !layers.parts.is_empty()).then_some(layers)
}

fn fills(subject: &SubjectFacts, writes: &CellWrites) -> Option<f64> {
    let one = subject.capacity_bytes.filter(|_| writes.source().is_some())?;
    Some(writes.fills(one * subject.drive_count() as f64))
}

/// Without a rating, only the drive writes per day of the load are known.
fn life_of(
    subject: &SubjectFacts,
    stated: Option<&Specification>,
    cell: &CellFacts,
) -> Option<Life> {
    let per_drive = cell.writes.as_ref()?.received_per_s()? / subject.drive_count() as f64;
    Life::at(per_drive, subject.capacity_bytes, stated.and_then(life::rated_bytes))
}

/// Joules per terabyte and idle watts, by the step's first instrument.
fn energy(step: &StepFacts, by: &Instrument, cell: &CellFacts) -> [Option<f64>; 2] {
    let idle = cell.power_by(by).and_then(|power| power.rest_watts);
    let metric = Metric::total(PointFigure::JoulesPerTb(by.clone()));
    let per_tb = metric.of(step, cell).map(|(e, _)| e.value);
    [per_tb, idle]
}

fn money(subject: &SubjectFacts, stated: &Specification, cell: &CellFacts) -> [Option<f64>; 2] {
    let ops = cell.total.as_ref().and_then(|total| total.ops_per_s.as_ref());
    let ops = ops.map(|ops| ops.value).filter(|ops| *ops > 0.0);
    let paid = stated.price.as_ref().map(|p| p.amount * subject.drive_count() as f64);
    let per_iops = paid.zip(ops).map(|(paid, ops)| paid / ops * 1e3);
    [per_iops, life::price_per_tb_written(stated)]
}
