//! A difference in test conditions, with its grade.

use crate::language::Message;

/// How much a difference matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The subjects did not do the same, or not to like drives.
    Disqualifying,
    /// It may have changed the numbers: a confounding factor.
    Confounder,
    /// It is disclosed and changes no numbers.
    Harmless,
}

/// Something that is not alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// How much it matters.
    pub grade: Grade,
    /// What differs: a setting, a fact of host or drive.
    pub what: Message,
    /// "512 bytes (A), 4096 bytes (B)"
    pub values: Message,
}

/// Two subjects, by index, that may not be compared: in one step, or in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Barred {
    /// The two subjects' indices, the lower first.
    pub pair: (usize, usize),
    /// Index of the step; None where they may not be compared in any.
    pub step: Option<usize>,
    /// What differs, and what each of the two has.
    pub differences: Vec<Difference>,
}
