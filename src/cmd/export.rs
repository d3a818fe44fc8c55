//! `dyno export`: points, intervals, histograms or meters' samples of bundles as a table for other tools.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write, stdout};
use std::path::PathBuf;

use clap::Args;

use crate::analysis::Question;
use crate::base::error::{Context, Result, failed};
use crate::export::{self, FORMS, TABLES};

#[derive(Args)]
pub struct ExportArgs {
    /// Bundles, as `dyno run` and `dyno import` write them
    #[arg(required = true, value_name = "BUNDLE")]
    paths: Vec<PathBuf>,
    /// csv, json or parquet
    #[arg(long, default_value = "csv")]
    format: String,
    /// points, intervals (about a second each), histograms (a row a bucket) or samples (of meters)
    #[arg(long, default_value = "points")]
    table: String,
    /// Where to write it; printed without
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn export(args: &ExportArgs) -> Result<()> {
    let unknown = |what: &str, names: Vec<&str>| failed(what, format!("use {}", names.join(", ")));
    let form = FORMS.iter().find(|f| f.name() == args.format).ok_or_else(|| {
        unknown(&format!("'{}' is no form of data", args.format), FORMS.iter().map(|f| f.name()).collect())
    })?;
    let table = TABLES.iter().find(|t| t.name() == args.table).ok_or_else(|| {
        unknown(&format!("'{}' is no table of a bundle", args.table), TABLES.iter().map(|t| t.name()).collect())
    })?;
    let out: Box<dyn Write + Send> = match &args.output {
        Some(path) => Box::new(File::create(path).with_context(|| format!("writing {}", path.display()))?),
        None if form.name() == "parquet" && stdout().is_terminal() => {
            return Err(failed("Parquet is not text for a terminal", "say where to write it: -o points.parquet"));
        }
        None => Box::new(stdout()),
    };
    let facts = super::load::facts(&args.paths, &Question::default())?;
    export::export((&args.paths, &facts), *table, *form, Box::new(BufWriter::new(out)))
}
