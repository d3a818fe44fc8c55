//! `dyno import`: converts results of other tools to a bundle that can be shown, compared and
//! reported like Dyno's own.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Result, failed};
use crate::base::file;
use crate::base::units::plural;
use crate::cmd::json::{self, OutputFormat};
use crate::import::{self, ImportedFrom, Input};

/// The files, their format, and the bundle.
#[derive(Args)]
pub struct ImportArgs {
    /// Format of the files: benchbase, csv, db_bench, diskspd, elbencho, fio, fio_log, go_tpc,
    /// hammerdb, iob, mlperf, pgbench, sysbench, vdbench, ycsb
    kind: String,
    /// Files to import; a prefix names the subject, and the step if its file names it badly
    #[arg(required = true, value_name = "[SUBJECT[/STEP]=]FILE")]
    files: Vec<String>,
    /// Bundle to write
    #[arg(short, long, value_name = "BUNDLE")]
    output: PathBuf,
    /// Column definitions for a CSV file (docs/import.md)
    #[arg(long, value_name = "TOML")]
    mapping: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
}

/// The result of an import.
#[derive(Serialize, JsonSchema)]
pub struct Imported {
    /// The new bundle.
    bundle: PathBuf,
    /// Its number of points.
    points: usize,
    /// Values that files of this kind do not report.
    not_reported: Vec<&'static str>,
    /// What was left out, is unknown or cannot be compared in these files.
    notes: Vec<String>,
}

/// Creates the bundle, and prints what its files do not report.
pub fn import(args: &ImportArgs, out: &mut dyn Write) -> Result<()> {
    let names: Vec<&str> = import::ALL.iter().map(|f| f.info().name).collect();
    let format = import::ALL.iter().find(|f| f.info().name == args.kind).ok_or_else(|| {
        failed(
            format!("Dyno does not import files of the kind '{}'", args.kind),
            format!("use {}", names.join(", ")),
        )
    })?;
    if args.mapping.is_some() && args.kind != "csv" {
        return Err(failed("--mapping applies only to csv", "leave it out"));
    }
    let mapping = args
        .mapping
        .as_ref()
        .map(|path| read(path).map(|text| (path.display().to_string(), text)))
        .transpose()?;
    let mut found = Vec::new();
    for file in &args.files {
        let (prefix, path) = match file.split_once('=') {
            Some((prefix, path)) if !Path::new(file).exists() => (prefix, PathBuf::from(path)),
            _ => ("", PathBuf::from(file)),
        };
        let (subject, step) = match prefix.split_once('/') {
            Some((subject, step)) => (subject, Some(step.trim()).filter(|step| !step.is_empty())),
            None => (prefix, None),
        };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let subject = if subject.is_empty() { stem } else { subject.to_string() };
        let (text, name) = (read(&path)?, path.display().to_string());
        let mapping = mapping.as_ref().map(|(name, text)| (name.as_str(), text.as_str()));
        let contents = format.read(&Input::new(&name, &text, mapping))?;
        let shown = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let step = step.map(str::to_string);
        found.push(ImportedFrom { file: shown, subject, step, contents });
    }
    let written = import::import(format, found, &args.output)?;
    if args.format.json {
        let imported = Imported {
            bundle: args.output.clone(),
            points: written.points,
            not_reported: format.info().missing.to_vec(),
            notes: written.notes,
        };
        return json::print(&imported, out);
    }
    writeln!(
        out,
        "{} imported into {}; not reported by {}:",
        plural(written.points, "point"),
        args.output.display(),
        args.kind
    )?;
    for what in format.info().missing {
        writeln!(out, "  {what}")?;
    }
    if !written.notes.is_empty() {
        writeln!(out, "In these files:")?;
    }
    for note in &written.notes {
        writeln!(out, "  {note}")?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    file::read_text(path, file::MOST_DATA)
}
