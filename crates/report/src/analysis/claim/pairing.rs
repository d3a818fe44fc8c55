//! Comparable subjects at a point, and the block and place in which each was measured.

use crate::analysis::comparison::StepPlace;
use crate::analysis::facts::{CellFacts, Facts};
use crate::analysis::limits::bottleneck::Bottleneck;
use crate::analysis::points::metric::Metric;
use crate::stats::family::Sheet;

/// One sheet of the family, with the meaning of its points.
pub struct PairedSheet {
    pub step: usize,
    pub metric: Metric,
    pub points: Vec<StepPlace>,
    pub sheet: Sheet,
    /// For each point and subject, the bottleneck if it was not the drive.
    pub not_the_drives: Vec<Vec<Option<Bottleneck>>>,
}

/// The comparable pairs of subjects in a step.
pub fn pairs(
    facts: &Facts,
    step: usize,
    fit: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let all = (0..facts.subjects.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    all.filter(|&(a, b)| fit(a, b) && facts.bar(step, a, b).is_none()).collect()
}

/// Blocks of one run are its repeats; if the subjects did not alternate, each has its own blocks.
pub fn seat(cell: &CellFacts, repeat: usize) -> (u32, u32) {
    const RUN: u32 = 1 << 20;
    const SUBJECT: u32 = 1 << 14;
    let number = cell.repeats[repeat];
    match cell.places[repeat] {
        Some(place) => (cell.bundle as u32 * RUN + number, place),
        None => (cell.bundle as u32 * RUN + (cell.subject as u32 + 1) * SUBJECT + number, 0),
    }
}
