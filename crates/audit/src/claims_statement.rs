//! Translates a statement into a computation.

use super::claims_file::{Against, Head, PointRef, WrittenClaim};
use crate::says::{self, StatedNumber, StatedPoint, StatedUnit};
use crate::text::{self as audit, PublishedFigures, unit_of};
use crate::{Amount, Bound, ComputedKind, Formula, PublishedStatement};
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
    let amount = match claim.says.trim() {
        "better" if claim.up_to || claim.formula.is_some() => {
            return unread(
                "\"better\" has no maximum and no formula",
                "leave up_to and formula away",
            );
        }
        "better" => None,
        says => Some(amount(says, claim, better, of.unit)?),
    };
    let as_change = quantity(&claim.says).is_ok_and(|said| said.is_change);
    if claim.up_to && amount.is_some_and(|a| a.bound != Bound::Plain) {
        return unread(
            "a bound has no maximum",
            "write \"up to\" as up_to = true and only the number",
        );
    }
    let table = data.map(|d| d.table(&of)).unwrap_or_default();
    let at = place(claim, head, &subject, data, &table.points)?;
    let says_all = matches!(at, Scope::Every)
        || (matches!(at, Scope::Unnamed) && amount.is_none() && is_of_all_points(&claim.words));
    let is_range = !matches!(at, Scope::Unnamed | Scope::OneOf(_));
    let (points, names_points) = match at {
        Scope::Unnamed => (table.points.clone(), false),
        Scope::Every => (table.points.clone(), true),
        Scope::Each(points) | Scope::OneOf(points) => (points, true),
    };
    let others = || table.figures.keys().filter(|s| **s != subject).cloned().collect::<Vec<_>>();
    let (rivals, names_rivals, every_rival) = match &claim.against {
        None => (others(), false, amount.is_none()),
        Some(Against::One(all)) if all == "all" => (others(), true, true),
        Some(Against::One(name)) => (vec![name.clone()], true, true),
        Some(Against::Many(names)) => (names.clone(), true, true),
    };
    if rivals.contains(&subject) {
        return unread(format!("{subject} is compared with itself"), "name another rival");
    }
    let every_point = !claim.up_to && (is_range || (amount.is_none() && !names_points));
    let of_a_rival = head.subject.as_ref().is_some_and(|own| *own != subject);
    Ok(PublishedStatement {
        subject,
        amount,
        points,
        names_points,
        every_point,
        several_points: every_point && says_all,
        rivals,
        names_rivals,
        every_rival: every_rival && !claim.up_to,
        up_to: claim.up_to,
        better,
        of_a_rival,
        as_change,
    })
}

/// Whether the words claim more than one point although the statement names none.
fn is_of_all_points(words: &str) -> bool {
    const WORDS: [&str; 6] =
        ["consistent", "at all ", "at every ", "at each ", "across ", "throughout"];
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
) -> Result<Scope, Unread> {
    match &claim.at {
        None => Ok(Scope::Unnamed),
        Some(PointRef::One(text)) => Ok(match says::place(&text.text(), points) {
            StatedPoint::Every => Scope::Every,
            place => Scope::Each(place.points(points)),
        }),
        Some(PointRef::Many(texts)) if texts.is_empty() => {
            unread("at names no point", "specify one, or omit it")
        }
        Some(PointRef::Many(texts)) => Ok(Scope::Each(texts.iter().map(|t| t.text()).collect())),
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
                let is = quantity(says)?;
                let scale = scale(&is, says, name, of.unit)?;
                let fit = data.points_where(subject, &of, &is, scale);
                left.retain(|at| fit.contains(at));
            }
            Ok(Scope::OneOf(left))
        }
    }
}

fn quantity(says: &str) -> Result<StatedNumber, Unread> {
    let next = "write \"21 %\", \"1.8 ×\", \"more than 2 ×\", \"151 µs\", \"1.3 M\", or \"better\"";
    says::quantity(says).map_err(|what| (what, next.to_string()))
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
    better: Better,
) -> Result<Amount, Unread> {
    let is_percent = said.unit == StatedUnit::Percent && said.bound == Bound::Plain;
    if !said.is_change || !is_percent || named.is_some_and(|name| name != CHANGE) {
        let next = "write it as \"−54 %\", with formula = \"change\" or none: (new − old) ÷ old";
        return unread(format!("'{says}' is not a signed change in percent"), next);
    }
    let formula = match better {
        Better::Higher if said.value > 0.0 => Formula::Gain,
        Better::Lower if said.value < 0.0 => Formula::Reduction,
        _ => {
            let what = format!("'{says}' states that the subject is not better");
            return unread(what, "state it of the other subject");
        }
    };
    let kind = ComputedKind::Relative(formula);
    Ok(Amount { value: said.value.abs(), unit: said.last, kind, bound: Bound::Plain })
}

fn amount(says: &str, claim: &WrittenClaim, better: Better, unit: &str) -> Result<Amount, Unread> {
    let said = quantity(says)?;
    let named = claim.formula.as_deref();
    if said.is_change || named == Some(CHANGE) {
        return change(says, &said, named, better);
    }
    let relative = Formula::ALL.into_iter().find(|f| named == Some(f.name()));
    let kind = match (&said.unit, named, relative) {
        (_, Some(name), None) if name != "value" && name != "difference" => {
            let next = "write gain, reduction, factor, change, difference or value";
            return unread(format!("there is no formula '{name}'"), next);
        }
        (StatedUnit::Percent, None, _) if better == Better::Higher => {
            ComputedKind::Relative(Formula::Gain)
        }
        (StatedUnit::Percent, None, _) => {
            let next = "add formula = \"gain\" (old ÷ new − 1) or \"reduction\" (1 − new ÷ old): \
                        they differ widely";
            return unread("a percentage of a latency can be two things", next);
        }
        (StatedUnit::Percent, _, Some(formula)) if formula != Formula::Factor => {
            ComputedKind::Relative(formula)
        }
        (StatedUnit::Times, None, _) | (StatedUnit::Times, _, Some(Formula::Factor)) => {
            ComputedKind::Relative(Formula::Factor)
        }
        (_, Some("difference"), _) => ComputedKind::Difference,
        (_, Some("value"), _) => ComputedKind::Value,
        (StatedUnit::Of(_), None, _) if claim.against.is_none() => ComputedKind::Value,
        (StatedUnit::Of(_), None, _) => {
            let next = "add formula = \"difference\", or leave against away if it is the subject's \
                        own figure";
            return unread(format!("'{says}' against a rival is ambiguous"), next);
        }
        _ => {
            return unread(
                format!("'{says}' is no {}", named.unwrap_or("figure")),
                "see the formulas in docs/audit.md",
            );
        }
    };
    let scale = match kind {
        ComputedKind::Relative(_) => 1.0,
        _ => scale(&said, says, &claim.metric, unit)?,
    };
    if matches!(kind, ComputedKind::Relative(_))
        && matches!(said.bound, Bound::AtMost | Bound::LessThan)
    {
        return unread(
            format!("'{says}' bounds an advantage from above"),
            "state it of the other subject, or as a number",
        );
    }
    if kind == ComputedKind::Value && claim.against.is_some() {
        return unread(
            "a figure of the subject's own is against nobody",
            "leave against away, or write formula = \"difference\"",
        );
    }
    Ok(Amount { value: said.value * scale, unit: said.last * scale, kind, bound: said.bound })
}
