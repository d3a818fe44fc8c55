//! Translates a statement into a computation.

use super::claims_file::{Against, Head, PointRef, WrittenClaim};
use crate::lexicon::{Relation, Sense};
use crate::phrase;
use crate::place::{Axis, StatedPoint, place as stated_point};
use crate::says::{self, quantity};
use crate::stated::{Nearness, StatedNumber, StatedUnit};
use crate::text::{self as audit, PublishedFigures, unit_of};
use crate::{
    Amount, Bound, ComputedKind, FigureTable, Formula, PublishedStatement, StatedTrend, Trend,
    Wording, judge,
};
use dyno_core::stats::Better;

/// At the best figure of a metric, wherever it is: "at maximum performance".
const MAXIMUM: &str = "maximum";

/// The error in a statement, and what to write instead.
pub type Unread = (String, String);

fn unread<T>(what: impl Into<String>, next: impl Into<String>) -> Result<T, Unread> {
    Err((what.into(), next.into()))
}

/// A metric's meaning and better direction: from the claims file, or known for a bundle.
pub fn metric<'a>(
    head: &'a Head,
    name: &'a str,
    data: Option<&PublishedFigures>,
) -> Result<(audit::AuditMetric<'a>, Better), Unread> {
    let known = data.and_then(|d| d.better.get(name)).copied();
    let described = head.metric.get(name);
    let better = match (described.map(|m| (m.better(), m.ratio.is_some())), known) {
        (Some((said, false)), Some(known)) if said != known => {
            let next =
                format!("omit [metric.{name}]: the direction of a bundle's figures is known");
            return unread(format!("[metric.{name}] has the wrong direction"), next);
        }
        (Some((said, _)), _) => said,
        (None, Some(known)) => known,
        (None, None) => {
            let next = format!("add [metric.{name}] with better = \"higher\" or \"lower\"");
            return unread(format!("the metric '{name}' is not described"), next);
        }
    };
    let unit = unit_of(name, described.and_then(|m| m.unit.as_deref()));
    Ok((audit::AuditMetric { name, ratio: described.and_then(|m| m.ratio.as_ref()), unit }, better))
}

/// The statement with the data's points and rivals; without data, with those that it names.
pub fn read(
    claim: &WrittenClaim,
    head: &Head,
    data: Option<&PublishedFigures>,
) -> Result<PublishedStatement, Unread> {
    let (of, better) = metric(head, &claim.metric, data)?;
    let Some(subject) = claim.subject.clone().or_else(|| head.subject.clone()) else {
        return unread(
            "nobody is named of whom it is stated",
            "add subject = \"…\" to it or at the top",
        );
    };
    let names = names(claim, head, data);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let of_a_rival = head.subject.as_ref().is_some_and(|own| *own != subject);
    let stated = said(claim, &names, better, of.unit)?;
    let is_one_sided = of_a_rival || stated.only || stated.up_to;
    let must_equal = stated.amount.is_some_and(|a| {
        let is_share = matches!(a.kind, ComputedKind::Share(_));
        a.bound == Bound::Plain
            && match is_share {
                true => !is_one_sided && stated.towards != better,
                // "Only 5 % lower" is not met by 30 % lower.
                false => stated.only && !of_a_rival && a.kind != ComputedKind::Value,
            }
    });
    let as_change = quantity(&claim.says, &names).is_ok_and(|said| said.is_change);
    let up_to = claim.up_to || stated.up_to;
    if up_to && stated.amount.is_some_and(|a| a.bound != Bound::Plain || a.high.is_some()) {
        return unread(
            "a bound has no maximum",
            "write \"up to\" as up_to = true and only the number",
        );
    }
    let amount = stated.amount;
    let table = data.map(|d| d.table(&of)).unwrap_or_default();
    let at = place(claim, head, &subject, data, &table.points, &names)?;
    let is_worded = amount.is_none();
    let is_trend = is_worded && matches!(stated.wording, Wording::Trend(_));
    let is_range_of_values = amount.is_some_and(|a| a.high.is_some());
    let says_all = matches!(at, Scope::Every)
        || (matches!(at, Scope::Unnamed) && is_worded && is_of_all_points(&claim.words));
    let is_range = !matches!(at, Scope::Unnamed | Scope::OneOf(_));
    let (points, names_points) = match at {
        Scope::Unnamed => (table.points.clone(), false),
        Scope::Every => (table.points.clone(), true),
        Scope::Each(points) | Scope::OneOf(points) => (points, true),
    };
    let others = || table.subjects().filter(|s| **s != subject).cloned().collect::<Vec<_>>();
    let (rivals, names_rivals, every_rival) = match &claim.against {
        None => (others(), false, is_worded || is_range_of_values),
        Some(Against::One(all)) if all == "all" => (others(), true, true),
        Some(Against::One(name)) => (vec![name.clone()], true, true),
        Some(Against::Many(names)) => (names.clone(), true, true),
    };
    if rivals.contains(&subject) {
        return unread(format!("{subject} is compared with itself"), "name another rival");
    }
    let is_open = stated.is_open;
    let is_of_each = is_range || (!names_points && (is_worded || is_range_of_values));
    let every_point = !up_to && is_of_each && !stated.average;
    let read = PublishedStatement {
        subject,
        amount,
        wording: stated.wording,
        towards: stated.towards,
        must_equal,
        average: stated.average,
        points,
        names_points: names_points && !is_trend,
        every_point,
        several_points: every_point && says_all,
        rivals,
        names_rivals,
        every_rival: every_rival && !up_to,
        up_to,
        better,
        of_a_rival,
        as_change,
    };
    Ok(if is_open { in_its_favour(read, &table) } else { read })
}

/// "65 %" and "1.5 ×" alone: a gain, or what is left of a rival's figure if that is true.
fn in_its_favour(read: PublishedStatement, table: &FigureTable) -> PublishedStatement {
    let Some(amount) = read.amount else { return read };
    let percent = match amount.kind {
        ComputedKind::Relative(Formula::Gain) => true,
        ComputedKind::Relative(Formula::Factor) => false,
        _ => return read,
    };
    if amount.bound != Bound::Plain || judge(table, &read).verdict().is_fine() {
        return read;
    }
    let equal = if percent { 100.0 } else { 1.0 };
    let towards = if amount.value < equal { Better::Lower } else { Better::Higher };
    let kind = ComputedKind::Share(percent);
    let share = PublishedStatement {
        amount: Some(Amount { kind, ..amount }),
        towards,
        must_equal: true,
        ..read.clone()
    };
    if judge(table, &share).verdict().is_fine() { share } else { read }
}

/// The subjects' names and their parts, which have no meaning of their own in a statement.
fn names(claim: &WrittenClaim, head: &Head, data: Option<&PublishedFigures>) -> Vec<String> {
    let mut all: Vec<String> = head.subject.iter().chain(&claim.subject).cloned().collect();
    match &claim.against {
        Some(Against::One(name)) => all.push(name.clone()),
        Some(Against::Many(names)) => all.extend(names.iter().cloned()),
        None => {}
    }
    let tables = data.into_iter().flat_map(|d| d.metrics.values());
    all.extend(tables.flat_map(|t| t.subjects().cloned().collect::<Vec<_>>()));
    let parts: Vec<String> = all
        .iter()
        .flat_map(|name| name.split([' ', '-', '_']))
        .filter(|part| part.chars().count() > 1)
        .map(String::from)
        .collect();
    all.extend(parts);
    all.sort();
    all.dedup();
    all
}

/// The stated value or direction.
struct Said {
    amount: Option<Amount>,
    wording: Wording,
    towards: Better,
    up_to: bool,
    only: bool,
    average: bool,
    /// A number without anything around it that states what it is of.
    is_open: bool,
}

fn opposite(better: Better) -> Better {
    match better {
        Better::Higher => Better::Lower,
        Better::Lower => Better::Higher,
    }
}

/// The direction of a relation.
fn direction_of(relation: Relation, better: Better) -> Better {
    match relation {
        Relation::More => Better::Higher,
        Relation::Less => Better::Lower,
        Relation::Worse => opposite(better),
        Relation::Better | Relation::Open | Relation::Share => better,
    }
}

fn said(claim: &WrittenClaim, names: &[&str], better: Better, unit: &str) -> Result<Said, Unread> {
    let number = match quantity(&claim.says, names) {
        Ok(number) => number,
        Err(what) => return worded(claim, names, better, what),
    };
    let number = completed(number, claim, names);
    let (amount, towards) = amount(&claim.says, &number, claim, better, unit)?;
    Ok(Said {
        amount: Some(amount),
        wording: Wording::Direction,
        towards,
        up_to: number.up_to,
        only: number.only,
        average: number.average,
        is_open: number.relation == Relation::Open && claim.formula.is_none() && !number.is_change,
    })
}

/// What the number alone does not state is taken from the published words around it.
fn completed(number: StatedNumber, claim: &WrittenClaim, names: &[&str]) -> StatedNumber {
    let is_bare = number.relation == Relation::Open
        && number.bound == Bound::Plain
        && number.nearness == Nearness::Exact
        && number.high.is_none();
    if !is_bare || number.is_change {
        return number;
    }
    let same = |other: &StatedNumber| {
        let (a, b) = (number.value, other.value);
        let is_times = |n: &StatedNumber| n.unit == StatedUnit::Times;
        (a - b).abs() <= 1e-9 * a.abs()
            && (other.unit == number.unit || (is_times(other) && is_times(&number)))
            && other.high.is_none()
    };
    let found: Vec<StatedNumber> =
        phrase::all(&claim.words, names).into_iter().filter(|other| same(other)).collect();
    let Some(first) = found.first() else { return number };
    let alike = |other: &StatedNumber| {
        (other.relation, other.bound, other.nearness)
            == (first.relation, first.bound, first.nearness)
    };
    if !found.iter().all(alike) {
        return number;
    }
    let is_relative = matches!(number.unit, StatedUnit::Percent | StatedUnit::Times);
    let is_compared = is_relative || claim.against.is_some();
    let relation = match claim.formula {
        None if is_compared => first.relation,
        _ => Relation::Open,
    };
    StatedNumber {
        relation,
        bound: first.bound,
        nearness: first.nearness,
        up_to: number.up_to || (first.up_to && first.bound == Bound::Plain),
        only: number.only || first.only,
        average: number.average || first.average,
        ..number
    }
}

/// "Better", "slightly lower", "similar", "the advantage grows".
fn worded(
    claim: &WrittenClaim,
    names: &[&str],
    better: Better,
    no_number: String,
) -> Result<Said, Unread> {
    let next = "write \"21 %\", \"1.8 ×\", \"more than double\", \"only 65 % of\", \"30 % lower\", \
                \"151 µs\", \"1.3 M\", \"better\", \"similar\", or \"the advantage grows\"";
    let found = match phrase::direction(&claim.says, names) {
        Ok(found) => found,
        Err(what) if what.contains("contains a number") => return unread(no_number, next),
        Err(what) => return unread(what, next),
    };
    let has = |sense: Sense| found.senses.contains(&sense);
    let formula = claim.formula.as_deref();
    let trend_formula = match formula {
        None => None,
        Some("difference") => Some(ComputedKind::Difference),
        Some(name) => match Formula::ALL.into_iter().find(|f| f.name() == name) {
            Some(formula) => Some(ComputedKind::Relative(formula)),
            None => return unread(format!("there is no formula '{name}' of a trend"), next),
        },
    };
    let trend = |trend: Trend, is_opposite: bool| {
        Wording::Trend(StatedTrend { trend, is_opposite, formula: trend_formula })
    };
    let is_less = matches!(found.relation, Some(Relation::Less | Relation::Worse));
    let is_compared = has(Sense::Advantage)
        || claim.against.is_some()
        || matches!(found.relation, Some(Relation::Better));
    let wording = match () {
        _ if has(Sense::Linear) => trend(Trend::MoreLinear, is_less),
        _ if has(Sense::Flat) => trend(Trend::Flatter, is_less),
        _ if has(Sense::Grows) || has(Sense::Shrinks) => {
            let which = if is_compared { Trend::AdvantageGrows } else { Trend::Grows };
            trend(which, has(Sense::Shrinks))
        }
        _ if has(Sense::Scales) => trend(Trend::ScalesBetter, is_less),
        _ if has(Sense::Similar) => Wording::Similar,
        _ if found.relation.is_none() && !has(Sense::Advantage) => return unread(no_number, next),
        _ if has(Sense::Slight) => Wording::Slight,
        _ => Wording::Direction,
    };
    let is_trend = matches!(wording, Wording::Trend(_));
    if claim.up_to || (formula.is_some() && !is_trend) {
        return unread(
            format!("\"{}\" has no maximum and no formula", claim.says.trim()),
            "leave up_to and formula away",
        );
    }
    let relation = found.relation.unwrap_or(Relation::Better);
    let towards = match wording {
        Wording::Direction | Wording::Slight => direction_of(relation, better),
        _ => better,
    };
    let amount = None;
    let (up_to, only, average, is_open) = (false, false, false, false);
    Ok(Said { amount, wording, towards, up_to, only, average, is_open })
}

/// Whether the words claim more than one point although the statement names none.
fn is_of_all_points(words: &str) -> bool {
    const WORDS: [&str; 14] = [
        "consistent",
        "at all ",
        "at every ",
        "at each ",
        "across ",
        "throughout",
        "em todos",
        "em todas",
        "em cada",
        "sempre",
        "一貫",
        "すべての",
        "全ての",
        "各スレッド",
    ];
    let words = words.to_lowercase();
    WORDS.iter().any(|word| words.contains(word))
}

/// The points to which it applies.
enum Scope {
    Unnamed,
    Every,
    Each(Vec<String>),
    /// Identified by another figure: one of them is meant.
    OneOf(Vec<String>),
}

fn place(
    claim: &WrittenClaim,
    head: &Head,
    subject: &str,
    data: Option<&PublishedFigures>,
    points: &[String],
    names: &[&str],
) -> Result<Scope, Unread> {
    let columns = head.columns(claim.data.as_deref().unwrap_or(""));
    let label = data.map_or(columns.at.as_str(), |d| d.at_column.as_str());
    let drives = data.map_or(columns.drives, |d| d.drives);
    let axis = Axis { points, label, drives };
    match &claim.at {
        None => Ok(Scope::Unnamed),
        Some(PointRef::One(text)) => Ok(match stated_point(&text.text(), &axis) {
            StatedPoint::Every => Scope::Every,
            StatedPoint::Each(points) => Scope::Each(points),
        }),
        Some(PointRef::Many(texts)) if texts.is_empty() => {
            unread("at names no point", "specify one, or omit it")
        }
        Some(PointRef::Many(texts)) => {
            let each = texts.iter().flat_map(|t| match stated_point(&t.text(), &axis) {
                StatedPoint::Every => points.to_vec(),
                StatedPoint::Each(points) => points,
            });
            Ok(Scope::Each(each.collect()))
        }
        Some(PointRef::Where(figures)) => {
            let Some(data) = data else {
                let named = figures.iter().map(|(name, says)| format!("{says} {name}"));
                return Ok(Scope::Each(vec![named.collect::<Vec<_>>().join(", ")]));
            };
            let mut left = points.to_vec();
            for (name, says) in figures {
                let (of, better) = metric(head, name, Some(data))?;
                if says.trim() == MAXIMUM {
                    let best = data.best_point(subject, &of, better);
                    left.retain(|at| best.as_ref() == Some(at));
                    continue;
                }
                let is = number(says, names)?;
                let scale = scale(&is, says, name, of.unit)?;
                let fit = data.points_where(subject, &of, &is, scale);
                left.retain(|at| fit.contains(at));
            }
            Ok(Scope::OneOf(left))
        }
    }
}

fn number(says: &str, names: &[&str]) -> Result<StatedNumber, Unread> {
    let next = "write \"1.3 M\", \"151 µs\" or \"maximum\"";
    quantity(says, names).map_err(|what| (what, next.to_string()))
}

/// The number of the metric's units in one stated unit.
fn scale(said: &StatedNumber, says: &str, metric: &str, unit: &str) -> Result<f64, Unread> {
    let text = match &said.unit {
        StatedUnit::Of(text) => text.as_str(),
        StatedUnit::Percent => "%",
        StatedUnit::Times => "×",
    };
    match says::scale(text, unit) {
        Some(scale) => Ok(scale),
        None if unit.is_empty() => unread(
            format!("'{says}' has a unit, and {metric} has none"),
            format!("add unit = \"{text}\" to [metric.{metric}]"),
        ),
        None => unread(
            format!("'{says}' is not in the unit of {metric}"),
            format!("write it in {unit}"),
        ),
    }
}

/// (new − old) ÷ old, in percent with its sign.
const CHANGE: &str = "change";

fn change(
    says: &str,
    said: &StatedNumber,
    named: Option<&str>,
) -> Result<(Amount, Better), Unread> {
    let is_percent = said.unit == StatedUnit::Percent && said.bound == Bound::Plain;
    if !said.is_change || !is_percent || named.is_some_and(|name| name != CHANGE) {
        let next = "write it as \"−54 %\", with formula = \"change\" or none: (new − old) ÷ old";
        return unread(format!("'{says}' is not a signed change in percent"), next);
    }
    let (formula, towards) = match said.value {
        value if value > 0.0 => (Formula::Gain, Better::Higher),
        value if value < 0.0 => (Formula::Reduction, Better::Lower),
        _ => return unread(format!("'{says}' states no change"), "write \"similar\""),
    };
    let kind = ComputedKind::Relative(formula);
    Ok((Amount::plain(said.value.abs(), said.last, kind), towards))
}

/// The number as a computation, and the direction that it states.
fn amount(
    says: &str,
    said: &StatedNumber,
    claim: &WrittenClaim,
    better: Better,
    unit: &str,
) -> Result<(Amount, Better), Unread> {
    let named = claim.formula.as_deref();
    if said.is_change || named == Some(CHANGE) {
        return change(says, said, named);
    }
    let (kind, towards) = kind(says, said, claim, better, unit)?;
    let scale = match kind {
        ComputedKind::Relative(_) | ComputedKind::Share(_) => 1.0,
        _ => scale(said, says, &claim.metric, unit)?,
    };
    if kind == ComputedKind::Value && claim.against.is_some() {
        return unread(
            "a figure of the subject's own is against nobody",
            "leave against away, or write formula = \"difference\"",
        );
    }
    if said.high.is_some_and(|high| high < said.value) {
        return unread(format!("'{says}' is a range that ends before it begins"), "turn it round");
    }
    let value = said.value * scale;
    let about = match said.nearness {
        Nearness::Exact => 0.0,
        Nearness::About | Nearness::Nearly => ABOUT * value.abs(),
    };
    let high = said.high.map(|high| high * scale);
    Ok((Amount { value, unit: said.last * scale, kind, bound: said.bound, about, high }, towards))
}

/// "About" and "nearly": within this part of the number.
const ABOUT: f64 = 0.05;

/// What the number is of, and the direction that it states.
fn kind(
    says: &str,
    said: &StatedNumber,
    claim: &WrittenClaim,
    better: Better,
    unit: &str,
) -> Result<(ComputedKind, Better), Unread> {
    let named = claim.formula.as_deref();
    let relative = Formula::ALL.into_iter().find(|f| named == Some(f.name()));
    let towards = direction_of(said.relation, better);
    let of = |formula: Formula| Ok((ComputedKind::Relative(formula), towards));
    let (is_percent, is_times) = (said.unit == StatedUnit::Percent, said.unit == StatedUnit::Times);
    let share = |percent: bool| {
        let equal = if percent { 100.0 } else { 1.0 };
        let towards = if said.value < equal || said.only { Better::Lower } else { Better::Higher };
        Ok((ComputedKind::Share(percent), towards))
    };
    match (named, relative) {
        (Some("value"), _) => return Ok((ComputedKind::Value, better)),
        (Some("difference"), _) => return Ok((ComputedKind::Difference, towards)),
        (Some("share"), _) if is_percent || is_times => return share(is_percent),
        (Some(_), Some(Formula::Factor)) if is_times && said.value < 1.0 => return share(false),
        (Some(_), Some(Formula::Factor)) if is_times => return of(Formula::Factor),
        (Some(_), Some(formula)) if is_percent && formula != Formula::Factor => {
            return of(formula);
        }
        (Some(name), None) if name != "share" => {
            let next = "write gain, reduction, factor, share, change, difference or value";
            return unread(format!("there is no formula '{name}'"), next);
        }
        (Some(name), _) => {
            return unread(format!("'{says}' is no {name}"), "see the formulas in docs/audit.md");
        }
        (None, _) => {}
    }
    let is_open = matches!(said.relation, Relation::Open | Relation::Better);
    if is_percent && unit == "%" && said.relation == Relation::Open && claim.against.is_none() {
        return Ok((ComputedKind::Value, better));
    }
    match said.unit {
        StatedUnit::Percent => match said.relation {
            Relation::Share => share(true),
            Relation::More => of(Formula::Gain),
            Relation::Less => of(Formula::Reduction),
            Relation::Worse if better == Better::Higher => of(Formula::Reduction),
            Relation::Worse => of(Formula::Gain),
            _ if better == Better::Higher => of(Formula::Gain),
            _ => {
                let next = "add formula = \"gain\" (old ÷ new − 1) or \"reduction\" (1 − new ÷ \
                            old): they differ widely; or write \"30 % lower\"";
                unread("a percentage of a latency can be two things", next)
            }
        },
        StatedUnit::Times if said.relation == Relation::Share => share(false),
        StatedUnit::Times if said.relation == Relation::Open && said.value < 1.0 => share(false),
        StatedUnit::Times => of(Formula::Factor),
        StatedUnit::Of(ref text) if text == "pp" => Ok((ComputedKind::Difference, towards)),
        StatedUnit::Of(_) if said.relation != Relation::Open => {
            Ok((ComputedKind::Difference, towards))
        }
        StatedUnit::Of(_) if claim.against.is_none() && is_open => {
            Ok((ComputedKind::Value, better))
        }
        StatedUnit::Of(_) => {
            let next = "add formula = \"difference\", or leave against away if it is the subject's \
                        own figure";
            unread(format!("'{says}' against a rival is ambiguous"), next)
        }
    }
}
