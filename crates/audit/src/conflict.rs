//! Statements of one document that cannot both be true.
//!
//! Each statement limits its figures to a range; two with disjoint ranges contradict each other.
//! Unspecified parts of a statement (the point, the rival) limit nothing, and neither does a number
//! that is met "or better".

use std::collections::{BTreeMap, BTreeSet};

use super::{AuditVerdict, Bound, ComputedKind, Judgement, PublishedStatement, Trend, Wording};
use dyno_core::stats::Better;

/// A statement and its data.
#[derive(Clone, Debug)]
pub struct Filed<'a> {
    /// The table's file.
    pub data: &'a str,
    /// The table's metric: "ops/s", "p99".
    pub metric: &'a str,
    /// The statement.
    pub stated: &'a PublishedStatement,
}

/// The quantity that a statement limits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BoundedFigure {
    /// The first divided by the second, with names in order.
    Times {
        first: String,
        second: String,
        at: String,
    },
    Difference {
        first: String,
        second: String,
        at: String,
    },
    Value {
        subject: String,
        at: String,
    },
    /// The metric by whose maximum the point is identified.
    Maximum {
        subject: String,
        rivals: Vec<String>,
        points: Vec<String>,
        kind: &'static str,
    },
}

struct Bounds {
    quantity: BoundedFigure,
    low: f64,
    high: f64,
}

/// A statement's index, and its limits for a figure.
type BoundedRange = (usize, f64, f64);

/// Marks statements that another contradicts. If the data show which of two is right, only the
/// other is marked.
pub fn contradictions(filed: &[Filed<'_>], judged: &mut [Judgement]) {
    let mut ranges: BTreeMap<(&str, &str, BoundedFigure), Vec<BoundedRange>> = BTreeMap::new();
    // A statement that holds by a different formula only states that.
    let by_its_formula =
        |index: &usize| !judged[*index].verdicts.contains(&AuditVerdict::WrongFormula);
    for index in (0..filed.len()).filter(by_its_formula) {
        let f = &filed[index];
        for bounds in of(f.stated) {
            let range = (index, bounds.low, bounds.high);
            ranges.entry((f.data, f.metric, bounds.quantity)).or_default().push(range);
        }
    }
    let mut apart = BTreeSet::new();
    for of_one in ranges.values() {
        for (i, (a, a_low, a_high)) in of_one.iter().enumerate() {
            let others = of_one[i + 1..].iter().filter(|(b, ..)| a != b);
            apart.extend(
                others
                    .filter(|(_, low, high)| a_low >= high || low >= a_high)
                    .map(|(b, ..)| (*a, *b)),
            );
        }
    }
    apart.extend(maxima_before_the_end(filed, judged));
    let is_right: Vec<bool> = judged.iter().map(|j| j.verdict().is_fine() && j.exact).collect();
    for (a, b) in apart {
        judged[a].others.push(b);
        judged[b].others.push(a);
        if !is_right[a] || is_right[b] {
            mark(&mut judged[a]);
        }
        if !is_right[b] || is_right[a] {
            mark(&mut judged[b]);
        }
    }
}

/// An advantage that grows up to the last point is not greatest before it, unless the data show
/// that it grows: one may be meant as a gain, and the other as a difference.
fn maxima_before_the_end(filed: &[Filed<'_>], judged: &[Judgement]) -> Vec<(usize, usize)> {
    let grows = |stated: &PublishedStatement| {
        matches!(stated.wording, Wording::Trend(t)
            if t.trend == Trend::AdvantageGrows && !t.is_opposite && stated.amount.is_none())
    };
    let mut found = Vec::new();
    let is_open = |a: usize| !judged[a].verdict().is_fine();
    let trends = filed.iter().enumerate().filter(|(a, f)| grows(f.stated) && is_open(*a));
    for (a, trend) in trends {
        for (b, maximum) in filed.iter().enumerate() {
            let (of_a, of_b) = (trend.stated, maximum.stated);
            let is_before = match (of_b.points.as_slice(), of_a.points.last()) {
                ([at], Some(last)) => at != last && of_a.points.contains(at),
                _ => false,
            };
            let is_of_the_same = (trend.data, trend.metric, &of_a.subject)
                == (maximum.data, maximum.metric, &of_b.subject)
                && of_b.rivals.iter().all(|r| of_a.rivals.contains(r));
            if of_b.up_to && of_b.names_points && is_before && is_of_the_same {
                found.push((a.min(b), a.max(b)));
            }
        }
    }
    found
}

/// Marks statements with the same figure for one pair at different points. Both can be right only
/// if the figure is the same at both, as shown or left open by the data.
pub fn same_figure_elsewhere(filed: &[Filed<'_>], judged: &mut [Judgement]) {
    for a in 0..filed.len() {
        for b in a + 1..filed.len() {
            let both_hold = judged[a].verdict().is_fine() && judged[b].verdict().is_fine();
            if both_hold || !is_moved(&filed[a], &filed[b]) {
                continue;
            }
            for (own, other) in [(a, b), (b, a)] {
                judged[own].elsewhere.push(other);
                if judged[own].verdicts == [AuditVerdict::CannotBeVerified] {
                    judged[own].verdicts = vec![AuditVerdict::Conflict];
                }
            }
        }
    }
}

fn is_moved(a: &Filed<'_>, b: &Filed<'_>) -> bool {
    let (of_a, of_b) = (a.stated, b.stated);
    (a.data, a.metric) == (b.data, b.metric)
        && of_a.amount.is_some()
        && (of_a.amount, &of_a.subject, &of_a.rivals) == (of_b.amount, &of_b.subject, &of_b.rivals)
        && of_a.of_one_point()
        && of_b.of_one_point()
        && of_a.points != of_b.points
}

fn mark(judged: &mut Judgement) {
    judged.verdicts.retain(|v| !v.is_fine() && *v != AuditVerdict::Contradicted);
    let graver = judged.verdicts.iter().take_while(|v| **v < AuditVerdict::Contradicted).count();
    judged.verdicts.insert(graver, AuditVerdict::Contradicted);
}

fn of(stated: &PublishedStatement) -> Vec<Bounds> {
    let is_worded = matches!(stated.wording, Wording::Similar | Wording::Trend(_));
    if stated.average || (stated.amount.is_none() && is_worded) {
        return Vec::new();
    }
    let (kind, low, high) = match stated.amount {
        None => (ComputedKind::Difference, 0.0, f64::INFINITY),
        Some(amount) => {
            let (low, high) = amount.range();
            (amount.kind, low, high)
        }
    };
    let places: Vec<(&String, Option<&String>)> = match kind {
        ComputedKind::Value => stated.points.iter().map(|at| (at, None)).collect(),
        _ => stated
            .points
            .iter()
            .flat_map(|at| stated.rivals.iter().map(move |r| (at, Some(r))))
            .collect(),
    };
    let one = places.len() == 1;
    let each = one
        || ((stated.every_point || stated.points.len() == 1)
            && (stated.every_rival || stated.rivals.len() == 1));
    // "20 % more at all points" is satisfied by 25 % at one of them.
    let is_least = stated.amount.is_some_and(|a| a.bound == Bound::Plain) && !one;
    let (low, high) = match (is_least, stated.is_bolder_upwards()) {
        (true, true) => (low, f64::INFINITY),
        (true, false) => (f64::NEG_INFINITY, high),
        (false, _) => (low, high),
    };
    let mut found = Vec::new();
    if each && !stated.up_to || one {
        found.extend(
            places.iter().flat_map(|(at, rival)| at_place(stated, kind, at, *rival, (low, high))),
        );
    }
    if let (true, Some(amount)) = (stated.up_to, stated.amount) {
        let (low, high) = amount.range();
        let kind = name(kind);
        let mut rivals = stated.rivals.clone();
        rivals.sort();
        let points = if stated.points.len() > 1 { stated.points.clone() } else { Vec::new() };
        let points = if stated.names_points { points } else { Vec::new() };
        let subject = stated.subject.clone();
        found.push(Bounds {
            quantity: BoundedFigure::Maximum { subject, rivals, points, kind },
            low,
            high,
        });
        let limit = if stated.is_bolder_upwards() {
            (f64::NEG_INFINITY, high)
        } else {
            (low, f64::INFINITY)
        };
        if !stated.names_points {
            found.extend(
                places
                    .iter()
                    .flat_map(|(at, rival)| at_place(stated, amount.kind, at, *rival, limit)),
            );
        }
    }
    found
}

fn name(kind: ComputedKind) -> &'static str {
    match kind {
        ComputedKind::Relative(formula) => formula.name(),
        ComputedKind::Difference => "difference",
        ComputedKind::Value => "value",
        ComputedKind::Share(_) => "share",
    }
}

/// The limits at one point: for a difference also its sign, so that it can be compared with a
/// factor.
fn at_place(
    stated: &PublishedStatement,
    kind: ComputedKind,
    at: &str,
    rival: Option<&String>,
    (low, high): (f64, f64),
) -> Vec<Bounds> {
    let at = at.to_string();
    let Some(rival) = rival else {
        let quantity = BoundedFigure::Value { subject: stated.subject.clone(), at };
        return vec![Bounds { quantity, low, high }];
    };
    let is_first = stated.subject < *rival;
    let (first, second) =
        if is_first { (&stated.subject, rival) } else { (rival, &stated.subject) };
    let (first, second) = (first.clone(), second.clone());
    // The subject's advantage, although the opposite may be stated.
    let times = |low: f64, high: f64, is_worse: bool| {
        let quantity =
            BoundedFigure::Times { first: first.clone(), second: second.clone(), at: at.clone() };
        let (low, high) = if is_first != is_worse { (low, high) } else { (1.0 / high, 1.0 / low) };
        Bounds { quantity, low, high }
    };
    match kind {
        ComputedKind::Relative(formula) => {
            let of = |value: f64| {
                if value.is_finite() { formula.times(value).max(0.0) } else { value.max(0.0) }
            };
            vec![times(of(low), of(high), stated.says_worse())]
        }
        ComputedKind::Share(percent) => {
            let of = |value: f64| (if percent { value / 100.0 } else { value }).max(0.0);
            vec![times(of(low), of(high), stated.better == Better::Lower)]
        }
        _ => {
            let quantity = BoundedFigure::Difference {
                first: first.clone(),
                second: second.clone(),
                at: at.clone(),
            };
            let is_worse = stated.says_worse();
            let (own_low, own_high) =
                if is_first != is_worse { (low, high) } else { (-high, -low) };
            let mut found = vec![Bounds { quantity, low: own_low, high: own_high }];
            if low >= 0.0 {
                found.push(times(1.0, f64::INFINITY, is_worse));
            }
            found
        }
    }
}
