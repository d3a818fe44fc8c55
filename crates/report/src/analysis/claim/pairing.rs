//! Comparable subjects at a point, and the block and place in which each was measured.

use crate::analysis::comparison::StepPlace;
use crate::analysis::facts::{CellFacts, Comparisons, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey, ValueKey};
use crate::analysis::limits::bottleneck::Bottleneck;
use crate::analysis::points::metric::Metric;
use crate::stats::family::Sheet;

/// One sheet of the family, with the meaning of its points.
pub struct PairedSheet {
    pub step: StepKey,
    pub metric: Metric,
    pub points: Vec<StepPlace>,
    pub sheet: Sheet,
    /// The number of equal loads whose mean its only point is; 0 otherwise.
    pub loads: usize,
    /// For each point and subject, the bottleneck if it was not the drive.
    pub not_the_drives: Vec<Vec<Option<Bottleneck>>>,
}

impl PairedSheet {
    /// The axis value of a point, if it is at one.
    pub fn value(&self, point: usize) -> Option<ValueKey> {
        match self.points[point] {
            StepPlace::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Whether two subjects, the lower key first, are compared at a point.
    pub fn compares(&self, point: usize, a: SubjectKey, b: SubjectKey) -> bool {
        self.sheet.comparable[point].contains(&(a.0, b.0))
    }
}

/// The comparable pairs of subjects in a step, as positions in the rows of a sheet.
pub fn pairs(
    subjects: &Subjects,
    comparisons: &Comparisons,
    step: StepKey,
    fit: impl Fn(SubjectKey, SubjectKey) -> bool,
) -> Vec<(usize, usize)> {
    let all = subjects.pairs();
    let fit = all.filter(|&(a, b)| fit(a, b) && comparisons.bar(step, a, b).is_none());
    fit.map(|(a, b)| (a.0, b.0)).collect()
}

/// Blocks of one run are its repeats; if the subjects did not alternate, each has its own blocks.
pub fn seat(cell: &CellFacts, repeat: usize) -> (u32, u32) {
    const RUN: u32 = 1 << 20;
    const SUBJECT: u32 = 1 << 14;
    let number = cell.repeats[repeat];
    match cell.places[repeat] {
        Some(place) => (cell.run.0 as u32 * RUN + number, place),
        None => (cell.run.0 as u32 * RUN + (cell.subject.0 as u32 + 1) * SUBJECT + number, 0),
    }
}
