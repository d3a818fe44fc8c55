//! Published statements recomputed from the underlying figures, and judged.
//!
//! An audit accuses someone in public, so no verdict is harsher than the printed figures allow:
//! they are rounded, and a statement that is true within their rounding is not called false.
//! Unspecified parts of a statement are interpreted in its favour: without a rival any will do,
//! without a point any will do.

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

/// The quantity that a statement computes for a subject.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ComputedKind {
    /// Its advantage over a rival, in percent or as a factor.
    Relative(Formula),
    /// Its advantage over a rival, in the metric's unit.
    Difference,
    /// Its own figure.
    Value,
}

/// The interpretation of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Equal: rounded or truncated.
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
    /// The number as stated, percentages in percent.
    pub value: f64,
    /// One unit of its last digit.
    pub unit: f64,
    /// Its quantity.
    pub kind: ComputedKind,
    /// Its interpretation.
    pub bound: Bound,
}

impl Amount {
    /// The tolerance of a number, which may have been rounded or truncated.
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

/// A statement about `subject`.
#[derive(Clone, Debug)]
pub struct PublishedStatement {
    /// The subject's name in the table.
    pub subject: String,
    /// None if it is only stated to be better.
    pub amount: Option<Amount>,
    /// Its points, and whether it names them; otherwise all points of the table.
    pub points: Vec<String>,
    /// Whether it names them.
    pub names_points: bool,
    /// It must hold at each of the points; otherwise at one.
    pub every_point: bool,
    /// It contains "all" or "consistently", which a single point cannot show.
    pub several_points: bool,
    /// Its rivals, and whether it names them; otherwise all of the table.
    pub rivals: Vec<String>,
    /// Whether it names them.
    pub names_rivals: bool,
    /// It must hold against each rival; otherwise against one.
    pub every_rival: bool,
    /// It is about a maximum, over all points and its rivals.
    pub up_to: bool,
    /// The better direction.
    pub better: Better,
    /// The figure of a publisher's rival, which is overstated if stated as worse than it is.
    pub of_a_rival: bool,
    /// A percentage with a sign: (new − old) ÷ old.
    pub as_change: bool,
}

impl PublishedStatement {
    /// It has a single point, so the value may occur at another.
    fn of_one_point(&self) -> bool {
        self.names_points && self.points.len() == 1
    }

    /// Whether a greater value is a stronger claim.
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

/// The verdicts on a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditVerdict {
    /// The computed value, rounded like the statement, is the stated one or better.
    Holds,
    /// Reached only by rounding half up at its last digit.
    RoundedUp,
    /// The statement is within the rounding of the printed figures.
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
    /// Another figure, or another statement of the document, contradicts it.
    Contradicted,
    /// Another statement of the document has the same figure at another point, and the data support
    /// neither.
    Conflict,
    /// The table lacks some of its points or rivals.
    Incomplete,
    /// The table lacks the figures for its computation.
    CannotBeVerified,
}

impl AuditVerdict {
    /// All verdicts, in order of declaration.
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

    /// The printed verdict.
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

    /// No error in the statement, according to the printed figures.
    pub fn is_fine(self) -> bool {
        matches!(self, AuditVerdict::Holds | AuditVerdict::RoundedUp | AuditVerdict::MayHold)
    }
}

/// A recomputed statement.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// All that apply, most serious first; never empty.
    pub verdicts: Vec<AuditVerdict>,
    /// The deciding cell.
    pub about: Option<FigureCell>,
    /// The stated value equals the computed one, and is not merely less.
    pub exact: bool,
    /// The best cell, if the statement is about a maximum and names another.
    pub maximum: Option<FigureCell>,
    /// Where, and by which formula, the stated value occurs, if not as stated.
    pub occurs: Vec<(FigureCell, ComputedKind)>,
    /// Cells of a statement about several that do not reach the stated value.
    pub short: Vec<FigureCell>,
    /// Cells outside the statement in which the subject is worse.
    pub worse: Vec<FigureCell>,
    /// Its points that the table lacks.
    pub missing: Vec<Missing>,
    /// Its rivals that the table lacks completely.
    pub absent: Vec<String>,
    /// The indices of contradicting statements of the same document.
    pub others: Vec<usize>,
    /// The indices of statements of the same document with the same figure at another point.
    pub elsewhere: Vec<usize>,
    /// The statements from which it was computed, if there are no data for it.
    pub derived: Option<Derived>,
}

impl Judgement {
    /// The most serious verdict.
    pub fn verdict(&self) -> AuditVerdict {
        self.verdicts.first().copied().unwrap_or(AuditVerdict::CannotBeVerified)
    }
}

#[cfg(test)]
mod tests;
