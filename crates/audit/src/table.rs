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

    /// The figure with the other sign.
    pub fn negated(self) -> PublishedFigure {
        PublishedFigure { value: -self.value, low: -self.high, high: -self.low, ..self }
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
    /// Published differences without the figures: subject − rival, by the two and by point.
    pub differences: BTreeMap<(String, String), BTreeMap<String, PublishedFigure>>,
}

/// A result that was not computed from two figures of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GivenResult {
    /// Its quantity.
    pub kind: ComputedKind,
    /// The result, and the range of its rounding.
    pub figure: PublishedFigure,
    /// Its source.
    pub from: GivenFrom,
}

/// The source of a result that was not computed from two figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenFrom {
    /// Only the difference is published.
    Published,
    /// The mean of the results at this many points.
    MeanOf(usize),
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
    /// The result, if it was not computed from the two figures.
    pub given: Option<GivenResult>,
}

impl FigureTable {
    /// Whether the table has the subject.
    pub fn has(&self, subject: &str) -> bool {
        self.subjects().any(|s| s == subject)
    }

    /// All subjects, in alphabetical order for each kind of figure.
    pub fn subjects(&self) -> impl Iterator<Item = &String> {
        let pairs = self.differences.keys().flat_map(|(a, b)| [a, b]);
        let others = pairs.filter(|s| !self.figures.contains_key(*s));
        let others: std::collections::BTreeSet<&String> = others.collect();
        self.figures.keys().chain(others)
    }

    /// A published difference, subject − rival.
    fn difference(&self, subject: &str, rival: &str, at: &str) -> Option<PublishedFigure> {
        let of = |a: &str, b: &str| {
            self.differences.get(&(a.to_string(), b.to_string()))?.get(at).copied()
        };
        of(subject, rival).or_else(|| of(rival, subject).map(PublishedFigure::negated))
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
        let published = rival.filter(|_| kind == ComputedKind::Difference).and_then(|rival| {
            let less = self.difference(subject, rival, at)?;
            let figure = if better == Better::Higher { less } else { less.negated() };
            let zero = PublishedFigure::exact(0.0);
            Some(FigureCell {
                subject: subject.to_string(),
                at: at.to_string(),
                own: zero,
                against: Some((rival.to_string(), zero)),
                better,
                given: Some(GivenResult { kind, figure, from: GivenFrom::Published }),
            })
        });
        if self.figure(subject, at).is_none() || published.is_some() {
            return published;
        }
        let own = self.figure(subject, at)?;
        let against = match rival {
            Some(rival) => Some((rival.to_string(), self.figure(rival, at)?)),
            None => None,
        };
        let cell = FigureCell {
            subject: subject.to_string(),
            at: at.to_string(),
            own,
            against,
            better,
            given: None,
        };
        cell.value(kind).is_some().then_some(cell)
    }
}

impl FigureCell {
    /// The computed value, from the figures as printed.
    pub fn value(&self, kind: ComputedKind) -> Option<f64> {
        if let Some(given) = self.given {
            return (given.kind == kind).then_some(given.figure.value);
        }
        computed(kind, self.better, self.own.value, self.against.as_ref().map(|(_, f)| f.value))
    }

    /// The range of the printed figures' rounding.
    pub fn range(&self, kind: ComputedKind) -> Option<(f64, f64)> {
        if let Some(given) = self.given {
            return (given.kind == kind).then_some((given.figure.low, given.figure.high));
        }
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
        ComputedKind::Share(percent) => {
            let scale = if percent { 100.0 } else { 1.0 };
            times_as_good(own, other?, Better::Higher).map(|times| times * scale)
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
    if let ComputedKind::Share(percent) = kind {
        let times = if other? > 0.0 { (own / other?).max(0.0) } else { f64::INFINITY };
        return Some(if percent { times * 100.0 } else { times });
    }
    let ComputedKind::Relative(formula) = kind else { return computed(kind, better, own, other) };
    let (over, under) = if better == Better::Higher { (own, other?) } else { (other?, own) };
    let times = if under > 0.0 { (over / under).max(0.0) } else { f64::INFINITY };
    Some(formula.of(times))
}
