//! A difference in test conditions, with its grade.

use crate::language::Message;

/// The grade of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The subjects had different tests, or different kinds of drives.
    Disqualifying,
    /// It may have affected the figures: a confounding factor.
    Confounder,
    /// It is disclosed and affects no figures.
    Harmless,
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its grade.
    pub grade: Grade,
    /// What differs: a setting, a fact about host or drive.
    pub what: Message,
    /// "512 bytes (A), 4096 bytes (B)"
    pub values: Message,
}

/// Two subjects, by index, that may not be compared, in one step or in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Barred {
    /// The two subjects' indices, the lower first.
    pub pair: (usize, usize),
    /// Index of the step; None if they may not be compared in any.
    pub step: Option<usize>,
    /// The difference, with the values of both.
    pub differences: Vec<Difference>,
}
