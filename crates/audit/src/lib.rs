//! Published statements computed again from the figures that they were made from, and judged.
//!
//! An audit accuses somebody in public, so no verdict is harsher than the printed figures allow:
//! they are rounded themselves, and a statement that is true for some of what they leave open is
//! not called false. What a statement does not say is taken in its favour: without a rival any will
//! do, without a point any will do.

pub mod audit_data;
pub mod bundle;
pub mod claims_file;
pub mod claims_statement;
pub mod claims_table;
pub mod conflict;
pub mod derived;
mod judge;
pub mod says;
pub mod table;
pub mod text;

pub use conflict::{Filed, contradictions, same_figure_elsewhere};
pub use derived::Derived;
pub use dyno_core::stats::percent::Formula;
pub use judge::judge;
pub use table::{FigureCell, FigureTable, Missing, PublishedFigure};

use dyno_core::stats::Better;

/// What is computed of a subject.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ComputedKind {
    /// How much better it is than a rival, in percent or as a factor.
    Relative(Formula),
    /// How much better it is than a rival, in the metric's unit.
    Difference,
    /// Its own figure.
    Value,
}

/// How a number is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// As it stands: rounded, or cut off.
    Plain,
    /// "at least": the number or more.
    AtLeast,
    /// "at most": the number or less.
    AtMost,
    /// Not rounded: 2.0 is not more than 2.
    MoreThan,
    /// Not rounded: 2.0 is not less than 2.
    LessThan,
}

/// The number of a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// The number as stated, percent as percent.
    pub value: f64,
    /// One unit of its last digit.
    pub unit: f64,
    /// What it is a number of.
    pub kind: ComputedKind,
    /// How it is meant.
    pub bound: Bound,
}

impl Amount {
    /// What a number leaves open: it may have been rounded or cut off.
    pub fn range(self) -> (f64, f64) {
        match self.bound {
            Bound::Plain => (self.value - self.unit, self.value + self.unit),
            Bound::AtLeast => (self.value - self.unit / 2.0, f64::INFINITY),
            Bound::MoreThan => (self.value, f64::INFINITY),
            Bound::AtMost => (f64::NEG_INFINITY, self.value + self.unit / 2.0),
            Bound::LessThan => (f64::NEG_INFINITY, self.value),
        }
    }
}

/// What is stated of `subject`.
#[derive(Clone, Debug)]
pub struct PublishedStatement {
    /// The subject's name in the table.
    pub subject: String,
    /// Nothing where it is only said to be better.
    pub amount: Option<Amount>,
    /// The points that it is about, and whether it names them; left unnamed they are all of the
    /// table.
    pub points: Vec<String>,
    /// Whether it names them.
    pub names_points: bool,
    /// It is to hold at each of the points; otherwise at one of them.
    pub every_point: bool,
    /// It says "all" or "consistently", which one point in the data cannot show.
    pub several_points: bool,
    /// The rivals that it is against, and whether it names them; left unnamed they are all of the
    /// table.
    pub rivals: Vec<String>,
    /// Whether it names them.
    pub names_rivals: bool,
    /// It must be true compared with each rival; otherwise with one of them.
    pub every_rival: bool,
    /// It is of a maximum, over all points and the rivals that it allows.
    pub up_to: bool,
    /// Whether more or less is better.
    pub better: Better,
    /// It is the figure of a rival of whoever published it: what is said worse than it is, is then
    /// the overstatement.
    pub of_a_rival: bool,
    /// A percentage with a sign: (new − old) ÷ old.
    pub as_change: bool,
}

impl PublishedStatement {
    /// It is of one place, so that the value may stand at another.
    fn of_one_point(&self) -> bool {
        self.names_points && self.points.len() == 1
    }

    /// Whether a greater value says more.
    pub fn is_bolder_upwards(&self) -> bool {
        match self.amount.map(|a| (a.kind, a.bound)) {
            Some((_, Bound::AtLeast | Bound::MoreThan)) => true,
            Some((_, Bound::AtMost | Bound::LessThan)) => false,
            Some((ComputedKind::Value, Bound::Plain)) => {
                (self.better == Better::Higher) != self.of_a_rival
            }
            _ => true,
        }
    }
}

/// What came of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditVerdict {
    /// The computed value, rounded as the statement is, is the stated one or better.
    Holds,
    /// Only rounding half up at its last digit reaches it.
    RoundedUp,
    /// The printed figures leave the value open, and the statement lies within.
    MayHold,
    /// Beyond rounding, or opposite in direction.
    Inflated,
    /// The value occurs at another point.
    WrongPoint,
    /// The value occurs against another rival.
    WrongRival,
    /// The value results from another formula.
    WrongFormula,
    /// The figures are equal, and "better" is stated.
    Tie,
    /// Another figure, or another statement of the document, says otherwise.
    Contradicted,
    /// Another statement of the document has the same figure at another point, and the data settle
    /// neither.
    Conflict,
    /// The table lacks some of the points or rivals that it is about.
    Incomplete,
    /// Nothing that it could be computed from is in the table.
    CannotBeVerified,
}

impl AuditVerdict {
    /// All verdicts, in the order of the enumeration.
    pub const ALL: [AuditVerdict; 12] = [
        AuditVerdict::Holds,
        AuditVerdict::RoundedUp,
        AuditVerdict::MayHold,
        AuditVerdict::Inflated,
        AuditVerdict::WrongPoint,
        AuditVerdict::WrongRival,
        AuditVerdict::WrongFormula,
        AuditVerdict::Tie,
        AuditVerdict::Contradicted,
        AuditVerdict::Conflict,
        AuditVerdict::Incomplete,
        AuditVerdict::CannotBeVerified,
    ];

    /// The verdict as it is printed.
    pub fn words(self) -> &'static str {
        match self {
            AuditVerdict::Holds => "holds",
            AuditVerdict::RoundedUp => "holds, rounded up",
            AuditVerdict::MayHold => "may hold",
            AuditVerdict::Inflated => "inflated",
            AuditVerdict::WrongPoint => "wrong point",
            AuditVerdict::WrongRival => "wrong rival",
            AuditVerdict::WrongFormula => "wrong formula",
            AuditVerdict::Tie => "a tie",
            AuditVerdict::Contradicted => "contradicted",
            AuditVerdict::Conflict => "in conflict",
            AuditVerdict::Incomplete => "incomplete",
            AuditVerdict::CannotBeVerified => "can't be verified from the data given",
        }
    }

    /// Nothing is wrong with the statement, as far as the printed figures go.
    pub fn is_fine(self) -> bool {
        matches!(self, AuditVerdict::Holds | AuditVerdict::RoundedUp | AuditVerdict::MayHold)
    }
}

/// A statement, computed again.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// All that apply, the gravest first; never empty.
    pub verdicts: Vec<AuditVerdict>,
    /// The cell that decided.
    pub about: Option<FigureCell>,
    /// The value stated is the one computed there, and not merely less than it.
    pub exact: bool,
    /// The best cell, where the statement is of a maximum and names another.
    pub maximum: Option<FigureCell>,
    /// Where, and how computed, the stated value does occur, if not as stated.
    pub occurs: Vec<(FigureCell, ComputedKind)>,
    /// Cells of a statement about several that do not reach what is stated.
    pub short: Vec<FigureCell>,
    /// Cells that the statement does not claim, in which the subject is worse.
    pub worse: Vec<FigureCell>,
    /// Places that it is about and the table lacks.
    pub missing: Vec<Missing>,
    /// Rivals that it names and the table does not have at all.
    pub absent: Vec<String>,
    /// Statements of the same document that say otherwise, by their index.
    pub others: Vec<usize>,
    /// Statements of the same document that have the same figure at another point, by their index.
    pub elsewhere: Vec<usize>,
    /// The statements that it was computed from, where the data have nothing to compute it from.
    pub derived: Option<Derived>,
}

impl Judgement {
    /// The gravest verdict.
    pub fn verdict(&self) -> AuditVerdict {
        self.verdicts.first().copied().unwrap_or(AuditVerdict::CannotBeVerified)
    }
}

#[cfg(test)]
mod tests;
