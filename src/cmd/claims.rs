//! `dyno claims`: what may be claimed from bundles, strongest first, those of every subject; as text or JSON.

use std::io::Write;

use serde_json::{Value, json};

use super::load::Bundles;
use crate::analysis::claims::{self, Claim};
use crate::analysis::compare::{At, Comparison};
use crate::analysis::facts::Facts;
use crate::base::error::{Context, Result};
use crate::report::{notes, published, wording};

pub fn claims(bundles: &Bundles, as_json: bool, out: &mut dyn Write) -> Result<()> {
    write(&bundles.facts()?, as_json, out)
}

/// The claims of facts that were loaded.
pub fn write(facts: &Facts, as_json: bool, out: &mut dyn Write) -> Result<()> {
    let found = claims::all(facts);
    if as_json {
        serde_json::to_writer_pretty(&mut *out, &document(facts, &found)).context("writing JSON")?;
        writeln!(out)?;
        return Ok(());
    }
    for claim in &found {
        let (said, basis) = wording::claim(facts, claim);
        writeln!(out, "- {said} ({basis}).")?;
    }
    for crossover in claims::crossovers(facts) {
        writeln!(out, "- {}.", wording::crossover(facts, &crossover))?;
    }
    match published::rows(facts) {
        Some(rows) => {
            writeln!(out, "{}", published::HOW)?;
            for [figure, subject, with, at, calculation, result, other, step] in &rows {
                writeln!(out, "- {step}, {figure} at {at}, {subject} with {with}: {calculation} = {result} ({other})")?;
            }
        }
        None if found.is_empty() => writeln!(out, "{}", wording::no_claim(facts))?,
        None => {}
    }
    facts.barred.iter().try_for_each(|bar| writeln!(out, "{}", wording::barred(facts, bar)))?;
    let caveats = wording::caveats(facts);
    if !caveats.is_empty() {
        writeln!(out, "\nCaveats (these points support no claim, or only a bound):")?;
        caveats.iter().try_for_each(|own| writeln!(out, "- {own}"))?;
    }
    let notes = notes::all(facts);
    if !notes.is_empty() {
        writeln!(out, "\nNotes:")?;
        notes.iter().try_for_each(|own| writeln!(out, "- {own}"))?;
    }
    Ok(())
}

/// Every claim and every comparison, with full precision beside the text as printed.
fn document(facts: &Facts, found: &[Claim<'_>]) -> Value {
    let claim = |c: &Claim<'_>| {
        let (said, basis) = wording::claim(facts, c);
        let mut of = comparison(facts, c.comparison);
        of["sentence"] = json!(said);
        of["basis"] = json!(basis);
        of["of_points"] = json!(c.of_points);
        of
    };
    json!({
        "subjects": facts.subjects,
        "comparisons_in_family": facts.searched(),
        "claims": found.iter().map(claim).collect::<Vec<_>>(),
        "comparisons": facts.comparisons.iter().map(|c| comparison(facts, c)).collect::<Vec<_>>(),
        "not_comparable": facts.barred.iter().map(|b| wording::barred(facts, b)).collect::<Vec<_>>(),
        "caveats": wording::caveats(facts),
        "notes": notes::all(facts),
    })
}

fn comparison(facts: &Facts, c: &Comparison) -> Value {
    let step = &facts.steps[c.step];
    let (percent, low, high) = c.percent();
    let value = if let At::Value(value) = c.at { Some(&step.values[value]) } else { None };
    json!({
        "step": step.name,
        "metric": c.metric.short(),
        "at": value.map(|v| v.label.clone()),
        "where": wording::at(facts, c).trim(),
        "better": facts.subjects[c.better],
        "worse": facts.subjects[c.worse],
        "standing": format!("{:?}", c.standing),
        "factor": [c.factor, c.low, c.high],
        "percent": [percent, low, high],
        "printed": wording::difference(c),
        "repeats": c.repeats,
    })
}
