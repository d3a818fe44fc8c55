//! `dyno gate`: whether a new run is worse than its base by more than a limit, with an exit code
//! for scripts; as text, JSON and JUnit XML.

pub mod document;
mod history;
mod junit;

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use document::Gated;

use super::json::{self, OutputFormat};
use super::load::share;
use crate::analysis::Question;
use crate::analysis::facts::{SetupFacts, Subjects};
use crate::analysis::keys::RunKey;
use crate::analysis::points::metric::MetricRequest;
use crate::analysis::verdicts::gate::judge;
use crate::base::error::{Context, NoVerdict, Result, exit, failed};
use crate::base::output;
use crate::brief::gate as text;
use crate::bundles;
use crate::cmd::screen::on_screen;
use crate::language::Language;
use crate::stats::runs::gate::ShownChange;

/// The base, the new run, and the measures.
#[derive(Args)]
pub struct GateArgs {
    /// Folder of bundles to compare with: a history of five or more earlier runs; or one bundle,
    /// whose figures are shown with the new ones, without a verdict
    base: PathBuf,
    /// Bundle to judge
    new: PathBuf,
    /// Metric that must not become worse, as in `dyno compare --metric`: p99, ops/s, reader-4:p99;
    /// repeatable
    #[arg(long, visible_alias = "metric", required = true, value_name = "METRIC")]
    measure: Vec<String>,
    /// Allowed loss, as in 5%: p99 may rise, or ops/s fall, by this much
    #[arg(long, required = true, value_name = "PERCENT", value_parser = limit)]
    worse_than: f64,
    /// Compare with the newest N runs of the new run's protocol in the folder BASE
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u16).range(5..))]
    last: u16,
    /// Field that may differ, as in io.block, or "host"; repeatable
    #[arg(long, value_name = "PATH")]
    vary: Vec<String>,
    #[command(flatten)]
    format: OutputFormat,
    /// Also write a JUnit XML report, in which `worse` is a failure and `not shown` is skipped
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

fn limit(text: &str) -> std::result::Result<f64, String> {
    share(text).ok_or_else(|| "say a loss from 0% to below 100%, as in 5%".to_string())
}

/// Judges the new run; the exit code is the result.
pub fn gate(args: &GateArgs, out: &mut dyn Write) -> Result<u8> {
    verdict(args, out).context(NoVerdict)
}

fn verdict(args: &GateArgs, out: &mut dyn Write) -> Result<u8> {
    let l = Language::ENGLISH;
    let metrics = args.measure.iter().map(|m| MetricRequest::parse(m)).collect::<Result<_>>()?;
    let question = Question { vary: args.vary.clone(), metrics, ..Question::default() };
    let mut paths = match args.base.is_dir() {
        true => history::newest(&args.base, &args.new, usize::from(args.last))?,
        false => vec![args.base.clone()],
    };
    paths.push(args.new.clone());
    let facts = bundles::facts(&paths, &question)?;
    let gate = judge(&facts, args.worse_than);
    if gate.rows.is_empty() {
        return Err(nothing_in_common(&facts.subjects, &facts.setup));
    }
    if let Some(path) = &args.junit {
        let inputs: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        output::write(path, &inputs, junit::report(l, &facts, &gate)?.as_bytes())?;
    }
    let mut said = Vec::new();
    match args.format.json {
        true => json::print(&Gated::new(l, &facts, &gate), &mut said)?,
        false => said.extend(on_screen(&text::blocks(l, &facts, &gate)).into_bytes()),
    }
    match out.write_all(&said) {
        // Even if the output is not read further, the verdict has been printed.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error.into()),
        _ => {}
    }
    Ok(match gate.verdict() {
        ShownChange::NotWorse => 0,
        ShownChange::Worse => exit::WORSE,
        ShownChange::Neither => exit::NOT_SHOWN,
    })
}

fn nothing_in_common(subjects: &Subjects, setup: &SetupFacts) -> crate::base::error::Error {
    let of = |run: Option<RunKey>| {
        let own = subjects.keys().filter(|s| Some(subjects[*s].run) == run);
        own.map(|s| &*subjects[s].own_name).collect::<Vec<_>>().join(", ")
    };
    failed(
        format!(
            "the base (subjects {}) has nothing that the new run (subjects {}) could be judged by",
            of(setup.runs.first_key()),
            of(setup.runs.last_key())
        ),
        "use the same subject names in both plans, and a metric that both have",
    )
}
