//! `dyno export`: points, intervals, histograms or meters' samples of bundles as a table for other
//! tools, or all data of points as a part of a dataset.

use std::io::{BufWriter, IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::analysis::Question;
use crate::base::error::{Result, exit, failed, misused};
use crate::base::output::Output;
use crate::base::units::{grouped, plural};
use crate::brief::BriefOptions;
use crate::bundles;
use crate::catalogue::{Contents, RunState};
use crate::cmd::load::{self, AskedOptions};
use crate::export::dataset::LockedDataset;
use crate::export::{self, FORMS, TABLES};

/// The bundles, the format, and the destination.
#[derive(Args)]
pub struct ExportArgs {
    /// Bundles, or folders of bundles
    #[arg(required = true, value_name = "BUNDLE")]
    paths: Vec<PathBuf>,
    /// Format: csv, json or parquet [default: by the extension of --output, otherwise csv]
    #[arg(long)]
    format: Option<String>,
    /// Table: points, intervals (about 1 s each), histograms (a row per bucket), samples (meter
    /// readings), slow-ops or comparisons
    #[arg(long, default_value = "points")]
    table: String,
    /// Add the bundles to the Parquet dataset in the folder --output, partitioned by protocol,
    /// model, firmware and month; the folder is created if missing (docs/dataset.md)
    #[arg(long, requires = "output", conflicts_with_all = ["format", "table", "vary", "metric"])]
    partition: bool,
    /// Output file; with --partition, the dataset's folder [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// A brief.toml, whose masks also apply here (docs/brief.md)
    #[arg(long, value_name = "FILE", conflicts_with = "partition")]
    brief: Option<PathBuf>,
    #[command(flatten)]
    asked: AskedOptions,
}

/// Writes the table, or adds to the dataset; returns the exit code. An error if the file exists and
/// Dyno did not write it.
pub fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<u8> {
    let paths = load::each(&args.paths)?;
    match &args.output {
        Some(folder) if args.partition => partition(folder, paths, out),
        _ => table(args, &paths).map(|()| 0),
    }
}

fn table(args: &ExportArgs, paths: &[PathBuf]) -> Result<()> {
    let unknown = |what: &str, names: Vec<&str>| failed(what, format!("use {}", names.join(", ")));
    let extension = args.output.as_ref().and_then(|path| path.extension()?.to_str());
    let of_file = extension.map(str::to_lowercase);
    let named = |name: &str| FORMS.iter().find(|form| form.name() == name);
    let by_file = of_file.as_deref().and_then(named);
    let form = match (&args.format, by_file) {
        (None, found) => found.or_else(|| named("csv")),
        (Some(asked), found) => {
            let form = named(asked);
            if let (Some(form), Some(found)) = (form, found)
                && form.name() != found.name()
            {
                let what = format!(
                    "--format {asked} into a file whose name ends in .{}",
                    extension.unwrap_or_default()
                );
                return Err(misused(what, "let the two agree, or leave --format out"));
            }
            form
        }
    };
    let form = form.ok_or_else(|| {
        unknown(
            &format!("'{}' is not a form of data", args.format.as_deref().unwrap_or_default()),
            FORMS.iter().map(|f| f.name()).collect(),
        )
    })?;
    let table = TABLES.iter().find(|t| t.name() == args.table).ok_or_else(|| {
        unknown(
            &format!("'{}' is not a table of a bundle", args.table),
            TABLES.iter().map(|t| t.name()).collect(),
        )
    })?;
    let options = args.brief.as_deref().map(BriefOptions::load).transpose()?.unwrap_or_default();
    let question = Question { masks: options.masks(), ..args.asked.question()? };
    let facts = bundles::facts(paths, &question)?;
    options.check_masks(&facts.subjects, &facts.statements.mask)?;
    let of = (paths, &facts);
    let inputs: Vec<&Path> = paths.iter().chain(&args.brief).map(PathBuf::as_path).collect();
    if let Some(path) = &args.output {
        let mut output = Output::begin(path, &inputs)?;
        export::export(of, table, form, Box::new(BufWriter::new(&mut output)))?;
        return output.finish(&inputs);
    }
    if form.name() == "parquet" && stdout().is_terminal() {
        return Err(failed(
            "Parquet is not text for a terminal",
            "say where to write it: -o points.parquet",
        ));
    }
    export::export(of, table, form, Box::new(BufWriter::new(stdout())))
}

/// Adds every bundle whose run has ended, because added bundles never change.
fn partition(folder: &Path, paths: Vec<PathBuf>, out: &mut dyn Write) -> Result<u8> {
    let mut dataset = LockedDataset::open(folder)?;
    let (mut ended, mut left_out) = (Vec::new(), Vec::new());
    for path in paths {
        match Contents::of(&path, &path.to_string_lossy()) {
            Contents::Bundle(of) if matches!(of.state, RunState::Whole | RunState::Failed) => {
                ended.push(path);
            }
            Contents::Bundle(of) if of.state == RunState::Running => {
                left_out.push((path, "its run goes on".to_string()));
            }
            Contents::Bundle(_) => {
                left_out.push((path, "its run was cut short; resume it".to_string()));
            }
            Contents::Broken(why) => left_out.push((path, why)),
        }
    }
    let added = dataset.add(&ended)?;
    left_out.extend(added.broken);
    let number = |n: usize| grouped(n as u64);
    writeln!(
        out,
        "{} added ({}), {} already in {}, which now has {}",
        plural(added.added, "bundle"),
        plural(added.rows, "row"),
        number(added.known),
        folder.display(),
        number(dataset.bundles())
    )?;
    for (path, why) in &left_out {
        writeln!(out, "not added: {}: {why}", path.display())?;
    }
    Ok(if left_out.is_empty() { 0 } else { exit::NOT_ALL })
}
