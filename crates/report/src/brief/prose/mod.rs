//! Sentences as in published comparisons: from start to peak, changes of order, microseconds at a
//! stated load, the difference over block sizes, untested ranges, each drive and each namespace
//! individually.
//!
//! Levels are stated wherever they were measured; a difference only if it is claimed, or, for
//! imported figures without repeats, as arithmetic.

mod course;
mod gap;
mod life;
mod parts;

pub use life::total_writes;

use crate::analysis::facts::{CellFacts, StepFacts};
use crate::analysis::points::metric::Metric;
use crate::brief::number_format;
use crate::brief::text::wording;
use crate::chart::StepDrawing;
use crate::language::Language;
use dyno_core::base::units;

/// Maximum number of sentences for a step's table.
const MOST: usize = 10;

/// The sentences about a step below its table.
pub fn of_step(drawing: &StepDrawing<'_>) -> Vec<String> {
    let &StepDrawing { language: l, subjects, step, .. } = drawing;
    let mut all = course::from_start_to_peak(l, subjects, step);
    all.extend(course::beyond(l, subjects, step));
    all.extend(course::saturated(l, subjects, step));
    all.extend(gap::crossed(drawing));
    all.extend(gap::at_a_load(drawing));
    all.extend(gap::over_block_sizes(drawing));
    all.extend(parts::of_drives(l, subjects, step));
    all.extend(parts::of_streams(l, subjects, step));
    all.truncate(MOST);
    all.into_iter().map(|said| wording::stopped(l, said)).collect()
}

/// A latency of a cell, if it has one.
fn latency_of(l: Language, step: &StepFacts, metric: &Metric, cell: &CellFacts) -> Option<String> {
    let estimate = metric.of(step, cell)?.0;
    Some(number_format::at_least(estimate.at_least, latency(l, step, estimate.value)))
}

/// Nanoseconds with three digits; for imported figures everything that the source prints, which is
/// whole microseconds.
fn latency(l: Language, step: &StepFacts, ns: f64) -> String {
    let micros = (ns / 1e3).round();
    let is_whole = (ns / 1e3 - micros).abs() < micros * 1e-6;
    match step.imported && is_whole {
        true => l.number(&format!("{} µs", units::grouped(micros as u64))),
        false => number_format::time(l, ns),
    }
}
