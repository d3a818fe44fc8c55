//! The figures for comparison with statements, with their rounding.

use std::collections::BTreeMap;

use super::{ComputedKind, Formula};
use dyno_core::stats::Better;
use dyno_core::stats::percent::times_as_good;

/// Relative tolerance of comparisons: figures that differ by less were equal in decimal.
pub(super) const SAME: f64 = 1e-9;

/// One published figure, with the range of its rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedFigure {
    /// The figure as published.
    pub value: f64,
    /// The smallest value that would be printed like this.
    pub low: f64,
    /// The largest value that would be printed like this.
    pub high: f64,
    /// Printed decimals; unknown if it was computed from others.
    pub decimals: Option<usize>,
}

impl PublishedFigure {
    /// A figure that was not rounded.
    pub fn exact(value: f64) -> PublishedFigure {
        PublishedFigure { value, low: value, high: value, decimals: None }
    }

    /// A plain decimal number of at most 15 digits, such as "10.5", with a tolerance of half a unit
    /// of its last digit.
    pub fn printed(text: &str) -> Option<PublishedFigure> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, after) = digits.split_once('.').unwrap_or((digits, "0"));
        let plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !plain(whole) || !plain(after) || digits.len() > 16 {
            return None;
        }
        let decimals = digits.split_once('.').map_or(0, |(_, after)| after.len());
        let value: f64 = text.parse().ok()?;
        let half = 0.5 * 0.1f64.powi(decimals as i32);
        Some(PublishedFigure {
            value,
            low: value - half,
            high: value + half,
            decimals: Some(decimals),
        })
    }

    /// The figure in another unit.
    pub fn scaled(self, by: f64) -> PublishedFigure {
        if by == 1.0 {
            return self;
        }
        PublishedFigure {
            value: self.value * by,
            low: self.low * by,
            high: self.high * by,
            decimals: None,
        }
    }

    /// A figure divided by a positive one.
    pub fn over(self, under: PublishedFigure) -> Option<PublishedFigure> {
        let figure = PublishedFigure {
            value: self.value / under.value,
            low: self.low / under.high,
            high: self.high / under.low,
            decimals: None,
        };
        (self.low >= 0.0 && under.low > 0.0).then_some(figure)
    }
}

/// One metric of every subject at every point.
#[derive(Clone, Debug, Default)]
pub struct FigureTable {
    /// Figures by subject, then by point.
    pub figures: BTreeMap<String, BTreeMap<String, PublishedFigure>>,
    /// All measured points of any metric; this one may lack some.
    pub points: Vec<String>,
}

/// A cell of a statement that the table lacks.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// The point.
    pub at: String,
    /// None if only the subject's own figure was needed.
    pub rival: Option<String>,
}

/// One subject at one point, with one rival if the statement is about a difference.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureCell {
    /// The subject's name.
    pub subject: String,
    /// The point.
    pub at: String,
    /// The subject's figure.
    pub own: PublishedFigure,
    /// The rival and its figure.
    pub against: Option<(String, PublishedFigure)>,
    /// The better direction.
    pub better: Better,
}

impl FigureTable {
    /// Whether the table has the subject.
    pub fn has(&self, subject: &str) -> bool {
        self.figures.contains_key(subject)
    }

    /// The subject's figure at a point; None if the table has none.
    pub fn figure(&self, subject: &str, at: &str) -> Option<PublishedFigure> {
        self.figures.get(subject)?.get(at).copied()
    }

    pub(super) fn cell(
        &self,
        subject: &str,
        rival: Option<&str>,
        at: &str,
        kind: ComputedKind,
        better: Better,
    ) -> Option<FigureCell> {
        let own = self.figure(subject, at)?;
        let against = match rival {
            Some(rival) => Some((rival.to_string(), self.figure(rival, at)?)),
            None => None,
        };
        let cell =
            FigureCell { subject: subject.to_string(), at: at.to_string(), own, against, better };
        cell.value(kind).is_some().then_some(cell)
    }
}

impl FigureCell {
    /// The computed value, from the figures as printed.
    pub fn value(&self, kind: ComputedKind) -> Option<f64> {
        computed(kind, self.better, self.own.value, self.against.as_ref().map(|(_, f)| f.value))
    }

    /// The range of the printed figures' rounding.
    pub fn range(&self, kind: ComputedKind) -> Option<(f64, f64)> {
        let ends = self.against.as_ref().map(|(_, other)| (other.low, other.high));
        let one = computed_or_limit(kind, self.better, self.own.low, ends.map(|e| e.1))?;
        let two = computed_or_limit(kind, self.better, self.own.high, ends.map(|e| e.0))?;
        Some((one.min(two), one.max(two)))
    }

    /// The subject's figure relative to the rival's, above 1 if better.
    pub fn times(&self) -> Option<f64> {
        self.value(ComputedKind::Relative(Formula::Factor))
    }

    /// Whether the subject is worse by more than the rounding explains.
    pub fn is_clearly_worse(&self) -> bool {
        self.against.is_some()
            && self.range(ComputedKind::Difference).is_some_and(|(_, high)| high < 0.0)
    }

    /// Whether the subject is worse, by the figures as printed.
    pub fn is_worse(&self) -> bool {
        self.against.is_some() && self.value(ComputedKind::Difference).is_some_and(|d| d < 0.0)
    }
}

fn computed(kind: ComputedKind, better: Better, own: f64, other: Option<f64>) -> Option<f64> {
    match kind {
        ComputedKind::Value => Some(own),
        ComputedKind::Difference => {
            let (difference, scale) = (own - other?, own.abs().max(other?.abs()));
            let difference = if difference.abs() < scale * SAME { 0.0 } else { difference };
            Some(if better == Better::Higher { difference } else { -difference })
        }
        ComputedKind::Relative(formula) => {
            times_as_good(own, other?, better).map(|times| formula.of(times))
        }
    }
}

/// The limit at the end of a range: a figure that may be zero makes a factor unlimited.
fn computed_or_limit(
    kind: ComputedKind,
    better: Better,
    own: f64,
    other: Option<f64>,
) -> Option<f64> {
    let ComputedKind::Relative(formula) = kind else { return computed(kind, better, own, other) };
    let (over, under) = if better == Better::Higher { (own, other?) } else { (other?, own) };
    let times = if under > 0.0 { (over / under).max(0.0) } else { f64::INFINITY };
    Some(formula.of(times))
}
