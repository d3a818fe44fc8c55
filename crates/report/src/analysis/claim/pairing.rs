//! Comparable subjects at a point, and the block and place in which each was measured.

use crate::analysis::comparison::StepPlace;
use crate::analysis::facts::{CellFacts, Comparisons, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::keys::{StepKey, SubjectKey, TestKey, ValueKey};
use crate::analysis::limits::bottleneck::Bottleneck;
use crate::analysis::points::metric::Metric;
use dyno_core::stats::family::{Observation, Sheet};

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
    step: &StepFacts,
    fit: impl Fn(SubjectKey, SubjectKey) -> bool,
) -> Vec<(usize, usize)> {
    let all = subjects.pairs();
    let fit = all.filter(|&(a, b)| fit(a, b) && comparisons.bar(step, a, b).is_none());
    fit.map(|(a, b)| (a.0, b.0)).collect()
}

/// The time at which a repeat was measured.
#[derive(Clone, Copy, Debug)]
pub struct Seat {
    /// Repeats of one run; if the subjects did not alternate, each has its own blocks.
    pub block: u32,
    /// The place in the block's order.
    pub place: u32,
    /// A period in which one subject was measured, or several that alternated.
    pub session: u32,
}

impl Seat {
    /// The seat of a cell's repeat.
    pub fn of(cell: &CellFacts, repeat: usize) -> Seat {
        const RUN: u32 = 1 << 20;
        const SUBJECT: u32 = 1 << 14;
        let run = cell.run.0 as u32 * RUN;
        let of_run = run + cell.repeats[repeat];
        let session = cell.sessions[repeat];
        match cell.places[repeat] {
            Some(place) => Seat { block: of_run, place, session },
            None => {
                let block = of_run + (cell.subject.0 as u32 + 1) * SUBJECT;
                Seat { block, place: 0, session }
            }
        }
    }

    /// An observation of a figure in this seat.
    pub fn observation(self, value: f64) -> Observation {
        let Seat { block, place, session } = self;
        Observation { value, block, place, session }
    }
}

/// Number of points of a test that a subject measures from one repeat of a point to the next.
pub fn lag(measured: &MeasuredFacts, test: TestKey) -> usize {
    measured.steps_of(test).map(|step| step.values.len()).sum()
}
