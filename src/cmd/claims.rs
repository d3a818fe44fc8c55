//! `dyno claims`: what may be claimed from bundles, strongest first, those of every subject; as
//! text or JSON.

use std::io::Write;

use serde_json::{Value, json};

use super::load::Bundles;
use crate::analysis::claims::{self, Claim};
use crate::analysis::compare::{At, Comparison};
use crate::analysis::facts::Facts;
use crate::base::error::{Context, Result};
use crate::brief::{caveat_text, notes, screens, wording};
use crate::render::terminal::terminal;

/// Prints the claims as text, or as the JSON that docs/claims.md describes.
pub fn claims(bundles: &Bundles, as_json: bool, out: &mut dyn Write) -> Result<()> {
    write(&bundles.facts()?, as_json, out)
}

/// The claims of facts that were loaded.
pub fn write(facts: &Facts, as_json: bool, out: &mut dyn Write) -> Result<()> {
    if as_json {
        let found = claims::all(facts);
        serde_json::to_writer_pretty(&mut *out, &document(facts, &found))
            .context("writing JSON")?;
        writeln!(out)?;
        return Ok(());
    }
    out.write_all(terminal(&screens::claims(facts)).as_bytes())?;
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
    let crossovers = claims::crossovers(facts);
    let barred = facts.barred.iter();
    json!({
        "subjects": facts.subjects,
        "comparisons_in_family": facts.searched(),
        "claims": found.iter().map(claim).collect::<Vec<_>>(),
        "comparisons": facts.comparisons.iter().map(|c| comparison(facts, c)).collect::<Vec<_>>(),
        "crossovers": crossovers.iter().map(|c| wording::crossover(facts, c)).collect::<Vec<_>>(),
        "not_comparable": barred.map(|b| wording::barred(facts, b)).collect::<Vec<_>>(),
        "caveats": caveat_text::caveats(facts),
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
        "part": c.metric.part.name(),
        "at": value.map(|v| v.label.clone()),
        "where": wording::at(facts, c).trim(),
        "better": facts.subjects[c.better],
        "worse": facts.subjects[c.worse],
        "standing": format!("{:?}", c.standing),
        "factor": [c.factor, c.low, c.high],
        "percent": [percent, low, high],
        "printed": wording::difference(facts.language, c),
        "repeats": c.repeats,
    })
}
