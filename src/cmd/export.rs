//! `dyno export`: points, intervals, histograms or meters' samples of bundles as a table for other
//! tools.

use std::io::{BufWriter, IsTerminal, stdout};
use std::path::{Path, PathBuf};

use clap::Args;

use super::load::AskedOptions;
use crate::base::error::{Result, failed};
use crate::base::output::Output;
use crate::bundles;
use crate::export::{self, FORMS, TABLES};

/// What to export, in which form, and where to.
#[derive(Args)]
pub struct ExportArgs {
    /// Bundles, as `dyno run` and `dyno import` write them
    #[arg(required = true, value_name = "BUNDLE")]
    paths: Vec<PathBuf>,
    /// Form: csv, json or parquet
    #[arg(long, default_value = "csv")]
    format: String,
    /// Table: points, intervals (about 1 s each), histograms (a row per bucket), samples (of
    /// meters) or comparisons
    #[arg(long, default_value = "points")]
    table: String,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    asked: AskedOptions,
}

/// Writes the table; an error where the file exists and Dyno did not write it.
pub fn export(args: &ExportArgs) -> Result<()> {
    let unknown = |what: &str, names: Vec<&str>| failed(what, format!("use {}", names.join(", ")));
    let form = FORMS.iter().find(|f| f.name() == args.format).ok_or_else(|| {
        unknown(
            &format!("'{}' is no form of data", args.format),
            FORMS.iter().map(|f| f.name()).collect(),
        )
    })?;
    let table = TABLES.iter().find(|t| t.name() == args.table).ok_or_else(|| {
        unknown(
            &format!("'{}' is no table of a bundle", args.table),
            TABLES.iter().map(|t| t.name()).collect(),
        )
    })?;
    let facts = bundles::facts(&args.paths, &args.asked.question()?)?;
    let of = (&*args.paths, &facts);
    let inputs: Vec<&Path> = args.paths.iter().map(PathBuf::as_path).collect();
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
