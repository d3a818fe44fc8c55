//! Results by step.

pub mod differences;
pub mod durable;
pub mod energy;
pub mod equal_load;
pub mod figures;
pub mod kv_cache;
pub mod load_at_limit;
pub mod multiples;
pub mod outliers;
pub mod replay;
mod replay_model;
pub mod tpcc;
pub mod training;
pub mod vector_search;
pub mod write_cost;

use crate::analysis::facts::{CellFacts, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::points::point_summary::RepeatSummary;
use crate::language::Language;

/// A fact that a stream reported about itself at a point, with its figures.
pub struct StreamFact<'f, T> {
    /// The step.
    pub step: &'f StepFacts,
    /// The point.
    pub cell: &'f CellFacts,
    /// The fact.
    pub fact: &'f T,
    /// The stream's figures.
    pub summary: &'f RepeatSummary,
}

impl<T> StreamFact<'_, T> {
    /// The columns of step, axis value and subject.
    pub fn place(&self, l: Language, subjects: &Subjects) -> [String; 3] {
        let StreamFact { step, cell, .. } = self;
        let at = step.values[cell.value].text(l);
        [step.title.text(l), at, subjects[cell.subject].name.clone()]
    }
}

/// The facts of one kind in all cells, each with the stream that it names.
pub fn streams_with<'f, T>(
    measured: &'f MeasuredFacts,
    facts: fn(&CellFacts) -> &[T],
    stream: fn(&T) -> &str,
) -> Vec<StreamFact<'f, T>> {
    let mut all = Vec::new();
    for step in &measured.steps {
        for cell in &step.cells {
            let of = |fact: &'f T| Some((fact, cell.stream(stream(fact))?));
            let own = facts(cell).iter().filter_map(of);
            all.extend(own.map(|(fact, summary)| StreamFact { step, cell, fact, summary }));
        }
    }
    all
}
