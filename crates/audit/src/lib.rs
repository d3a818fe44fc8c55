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
mod lexicon;
pub mod phrase;
pub mod place;
pub mod says;
pub mod stated;
pub mod table;
pub mod text;
pub mod trend;

pub use conflict::{Filed, contradictions, same_figure_elsewhere};
pub use derived::Derived;
pub use dyno_core::stats::percent::Formula;
pub use judge::judge;
pub use table::{FigureCell, FigureTable, GivenFrom, GivenResult, Missing, PublishedFigure};
pub use trend::{StatedTrend, Trend, TrendFinding};

use dyno_core::stats::Better;

/// The quantity that a statement computes for a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputedKind {
    /// Its advantage over a rival, in percent or as a factor.
    Relative(Formula),
    /// Its advantage over a rival, in the metric's unit.
    Difference,
    /// Its own figure.
    Value,
    /// Its figure divided by a rival's: in percent if true, otherwise as a multiple.
    Share(bool),
}

impl ComputedKind {
    /// The value of two equal figures; None for a figure of its own.
    pub fn of_equals(self) -> Option<f64> {
        match self {
            ComputedKind::Relative(Formula::Factor) | ComputedKind::Share(false) => Some(1.0),
            ComputedKind::Share(true) => Some(100.0),
            ComputedKind::Relative(_) | ComputedKind::Difference => Some(0.0),
            ComputedKind::Value => None,
        }
    }
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
    /// The tolerance of "about" and "nearly"; 0 if it is stated as exact.
    pub about: f64,
    /// The upper end, if it is a range.
    pub high: Option<f64>,
}

impl Amount {
    /// A number that is stated as exact.
    pub fn plain(value: f64, unit: f64, kind: ComputedKind) -> Amount {
        Amount { value, unit, kind, bound: Bound::Plain, about: 0.0, high: None }
    }

    /// The tolerance of a number, which may have been rounded or truncated.
    pub fn range(self) -> (f64, f64) {
        if let Some(high) = self.high {
            return (self.value - self.unit, high + self.unit);
        }
        let unit = self.unit.max(self.about);
        match self.bound {
            Bound::Plain if self.about > 0.0 => (self.value - unit, self.value + unit),
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
    /// None if only a direction is stated.
    pub amount: Option<Amount>,
    /// What is stated without a number.
    pub wording: Wording,
    /// The direction that is stated, which may be the worse one.
    pub towards: Better,
    /// It must be equal and not only reached: "65 % of", stated of the publisher's own subject.
    pub must_equal: bool,
    /// It is about the mean over its points.
    pub average: bool,
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
            Some((ComputedKind::Share(_), Bound::Plain)) => self.towards == Better::Higher,
            _ => true,
        }
    }

    /// Whether the subject is stated to be worse.
    pub fn says_worse(&self) -> bool {
        self.towards != self.better
    }
}

/// What is stated without a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wording {
    /// "better", "lower".
    Direction,
    /// "slightly better": by at most [`CLOSE_PERCENT`].
    Slight,
    /// "similar": within [`CLOSE_PERCENT`].
    Similar,
    /// "the advantage grows", "more linear".
    Trend(StatedTrend),
}

/// Figures that differ by at most this much are "similar", and the greater one is "slightly" so.
pub const CLOSE_PERCENT: f64 = 10.0;

/// The verdicts on a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditVerdict {
    /// The computed value, rounded like the statement, is the stated one or better.
    Holds,
    /// Reached only by rounding half up at its last digit.
    RoundedUp,
    /// The statement is within the rounding of the printed figures.
    MayHold,
    /// The stated and the computed value differ by a power of ten.
    Units,
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
    pub const ALL: [AuditVerdict; 13] = [
        AuditVerdict::Holds,
        AuditVerdict::RoundedUp,
        AuditVerdict::MayHold,
        AuditVerdict::Units,
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
            AuditVerdict::Units => "units",
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
    /// The power of ten by which the deciding cell differs from the stated value.
    pub power: Option<i32>,
    /// The computation of a trend.
    pub trend: Option<TrendFinding>,
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
