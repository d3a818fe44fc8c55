//! `dyno gate`: whether a new run is worse than its base by more than a limit, with an exit code
//! for scripts; as text, JSON and JUnit XML.

mod history;
mod junit;

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::load;
use crate::analysis::facts::Facts;
use crate::analysis::gate::{Gate, Judged, Verdict, Why, judge};
use crate::analysis::metric::Asked;
use crate::analysis::{At, Question};
use crate::base::error::{Context, NoVerdict, Result, exit, failed};
use crate::base::output;
use crate::brief::gate as text;
use crate::render::terminal::terminal;
use crate::stats::gate::{Shown, Unit};

/// The base, the new run, and what is asked of them.
#[derive(Args)]
pub struct GateArgs {
    /// Bundle to compare with; with --last a folder of bundles
    base: PathBuf,
    /// Bundle that is judged
    new: PathBuf,
    /// Metric that must not become worse, as in `dyno compare --metric`: p99, ops/s, reader-4:p99;
    /// repeatable
    #[arg(long, visible_alias = "metric", required = true, value_name = "METRIC")]
    measure: Vec<String>,
    /// Loss that is allowed, as in 5%: p99 may rise, ops/s may fall by so much
    #[arg(long, required = true, value_name = "PERCENT", value_parser = limit)]
    worse_than: f64,
    /// Compare with the newest N runs of the folder BASE that are of the new run's protocol
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(3..))]
    last: Option<u16>,
    /// A field that is varied on purpose, as in io.block, or "host"; repeatable
    #[arg(long, value_name = "PATH")]
    vary: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also write a JUnit XML report: a failure where a figure is worse, skipped where nothing is
    /// shown
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// "5%", "5 %" or "5" as a share.
fn limit(text: &str) -> std::result::Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    match number {
        Ok(percent) if (0.0..100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("say a loss from 0% to below 100%, as in 5%".to_string()),
    }
}

/// Judges the new run; the exit code says what came of it.
pub fn gate(args: &GateArgs, out: &mut dyn Write) -> Result<u8> {
    verdict(args, out).context(NoVerdict)
}

fn verdict(args: &GateArgs, out: &mut dyn Write) -> Result<u8> {
    let metrics = args.measure.iter().map(|m| Asked::parse(m)).collect::<Result<_>>()?;
    let question = Question { vary: args.vary.clone(), metrics, outliers: false };
    let mut paths = match args.last {
        Some(last) => history::newest(&args.base, &args.new, usize::from(last))?,
        None => vec![args.base.clone()],
    };
    paths.push(args.new.clone());
    let facts = load::facts(&paths, &question)?;
    let gate = judge(&facts, args.worse_than);
    if gate.rows.is_empty() {
        return Err(nothing_in_common(&facts));
    }
    if let Some(path) = &args.junit {
        let inputs: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        output::write(path, &inputs, junit::report(&facts, &gate)?.as_bytes())?;
    }
    let said = match args.json {
        true => format!("{:#}\n", document(&facts, &gate)),
        false => terminal(&text::blocks(&facts, &gate)),
    };
    match out.write_all(said.as_bytes()) {
        // Whoever reads no further has the verdict all the same.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error.into()),
        _ => {}
    }
    Ok(match gate.verdict() {
        Shown::NotWorse => 0,
        Shown::Worse => exit::WORSE,
        Shown::Neither => exit::NOT_SHOWN,
    })
}

fn nothing_in_common(facts: &Facts) -> crate::base::error::Error {
    let of = |run: usize| {
        let own = (0..facts.subjects.len()).filter(|s| facts.run_of[*s] == run);
        own.map(|s| &*facts.own_names[s]).collect::<Vec<_>>().join(", ")
    };
    failed(
        format!(
            "the base (subjects {}) has nothing that the new run (subjects {}) could be judged by",
            of(0),
            of(facts.runs.len() - 1)
        ),
        "give the same subject the same name in both plans, and name a metric that both have",
    )
}

/// Everything with full precision; docs/gate.md describes it.
fn document(facts: &Facts, gate: &Gate) -> Value {
    let files: Vec<&str> = facts.runs.iter().map(|run| &*run.file).collect();
    let (new, base) = files.split_last().unwrap_or((&"", &[]));
    let unit = match gate.unit {
        Unit::Repeats => "repeats",
        Unit::Runs => "runs",
    };
    json!({
        "verdict": text::word(gate.verdict()),
        "worse_than": gate.limit,
        "base": base,
        "new": new,
        "unit": unit,
        "figures": gate.rows.iter().map(|row| figure(facts, gate, row)).collect::<Vec<_>>(),
        "not_paired": gate.unpaired.iter().map(|s| &*facts.subjects[*s]).collect::<Vec<_>>(),
    })
}

fn figure(facts: &Facts, gate: &Gate, row: &Judged) -> Value {
    let step = &facts.steps[row.step];
    let value = if let At::Value(value) = row.at { Some(&step.values[value]) } else { None };
    let enough = match row.verdict {
        Verdict::NotShown(Why::Scatter(enough)) => enough,
        _ => None,
    };
    json!({
        "step": step.name,
        "subject": facts.own_names[row.subject],
        "metric": row.metric.short(),
        "axis": step.axis.as_ref().map(|axis| &axis.name),
        "at": value.filter(|v| v.number.is_finite()).map(|v| v.number),
        "mean": row.at == At::Mean,
        "verdict": text::word_of(&row.verdict),
        "why": text::verdict(facts, gate, row),
        "ratio": row.change.as_ref().map(|c| c.ratio),
        "low": row.change.as_ref().map(|c| c.low),
        "high": row.change.as_ref().map(|c| c.high),
        "n": row.change.as_ref().map(|c| c.n),
        "enough": enough,
    })
}
