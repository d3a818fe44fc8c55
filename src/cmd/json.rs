//! The documents of `--json`: one per command, from types whose JSON Schema `dyno schema` prints
//! (docs/json.md). Names end in their unit; unknown values are null; fields are added, never
//! removed.

use std::io::Write;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Context, Result};
use crate::stats::estimate::{Estimate, IntervalMethod};

/// Text for people, or JSON for programs.
#[derive(Args, Clone, Copy, Default)]
pub struct OutputFormat {
    /// Print JSON (docs/json.md; `dyno schema` prints its schema)
    #[arg(long)]
    pub json: bool,
}

/// One document, indented, with a final newline.
pub fn print(document: &impl Serialize, out: &mut dyn Write) -> Result<()> {
    serde_json::to_writer_pretty(&mut *out, document).context("writing JSON")?;
    writeln!(out)?;
    Ok(())
}

/// A figure with its 95 % interval.
#[derive(Serialize, JsonSchema)]
pub struct JsonFigure {
    /// The value, in the unit at the end of the field's name.
    pub value: f64,
    /// Lower limit of the interval, or the minimum observed if there is none; null if unlimited.
    pub low: Option<f64>,
    /// Upper limit of the interval, or the maximum observed; null if unlimited.
    pub high: Option<f64>,
    /// Whether `low` and `high` are a 95 % interval. With fewer than three repeats they are the
    /// extremes.
    pub interval: bool,
    /// Whether the value is only a lower bound: ops that were due had not been submitted when the
    /// load ended. `high` is then null.
    pub at_least: bool,
    /// Number of repeats, or of samples of the tool that reported it.
    pub n: usize,
}

impl From<&Estimate> for JsonFigure {
    fn from(of: &Estimate) -> JsonFigure {
        JsonFigure {
            value: of.value,
            low: crate::base::units::finite(of.low),
            high: crate::base::units::finite(of.high).filter(|_| !of.at_least),
            interval: of.method != IntervalMethod::Single,
            at_least: of.at_least,
            n: of.n,
        }
    }
}

/// A time in RFC 3339 format, UTC, in seconds; None if unknown.
pub fn moment(unix_ns: u64) -> Option<String> {
    if unix_ns == 0 {
        return None;
    }
    let seconds = i64::try_from(unix_ns / 1_000_000_000).ok()?;
    jiff::Timestamp::from_second(seconds).ok().map(|at| at.to_string())
}
