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

use crate::analysis::facts::{CellFacts, Facts, MeasuredFacts, StepFacts};
use crate::analysis::points::metric::Metric;
use crate::base::units;
use crate::brief::number_format;
use crate::brief::text::wording;
use crate::language::Language;

/// Maximum number of sentences for a step's table.
const MOST: usize = 10;

/// The sentences about a step below its table.
pub fn of_step(l: Language, facts: &Facts, step: &StepFacts) -> Vec<String> {
    let mut all = course::from_start_to_peak(l, &facts.subjects, &facts.measured, step);
    all.extend(course::beyond(l, &facts.subjects, step));
    all.extend(course::saturated(l, &facts.subjects, step));
    all.extend(gap::crossed(l, facts, step));
    all.extend(gap::at_a_load(l, facts, step));
    all.extend(gap::over_block_sizes(l, facts, step));
    all.extend(parts::of_drives(l, facts, step));
    all.extend(parts::of_streams(l, facts, step));
    all.truncate(MOST);
    all.into_iter().map(|said| wording::stopped(l, said)).collect()
}

/// A latency of a cell, if it has one.
fn latency_of(
    l: Language,
    measured: &MeasuredFacts,
    step: &StepFacts,
    metric: &Metric,
    cell: &CellFacts,
) -> Option<String> {
    Some(latency(l, measured, metric.of(step, cell)?.0.value))
}

/// Nanoseconds with three digits; for published figures everything that the source prints, which is
/// whole microseconds.
fn latency(l: Language, measured: &MeasuredFacts, ns: f64) -> String {
    let micros = (ns / 1e3).round();
    let is_whole = (ns / 1e3 - micros).abs() < micros * 1e-6;
    match measured.published && is_whole {
        true => l.number(&format!("{} µs", units::grouped(micros as u64))),
        false => number_format::time(l, ns),
    }
}
