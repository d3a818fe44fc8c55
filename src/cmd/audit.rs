//! `dyno audit`: the claims of a file computed again from published tables or bundles, and judged.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::base::error::{Context, Result, failed};
use crate::report::audit::{Dataset, describe};
use crate::report::{Facts, audit};
use crate::stats::Better;
use crate::stats::audit::{Figure, Formula, Stated, Verdict, judge};

/// A claims file. docs/audit.md describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    title: String,
    /// Whose claims they are, unless a claim says otherwise.
    subject: Option<String>,
    #[serde(default)]
    columns: Columns,
    #[serde(default)]
    metric: BTreeMap<String, Metric>,
    claim: Vec<Claim>,
}

/// Which columns of a table say whose and where a row is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Columns {
    subject: String,
    at: String,
}

impl Default for Columns {
    fn default() -> Columns {
        Columns { subject: "subject".into(), at: "at".into() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metric {
    better: Way,
    /// Two columns, the first to be divided by the second.
    ratio: Option<[String; 2]>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    Higher,
    Lower,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    words: String,
    data: Option<String>,
    metric: String,
    says: String,
    formula: Option<String>,
    subject: Option<String>,
    at: Option<String>,
    against: Option<String>,
    #[serde(default)]
    up_to: bool,
}

/// Judges every claim; the exit code: 0 if all hold, 2 if any does not.
pub fn audit(claims: &Path, data: &[PathBuf], out: &mut dyn Write) -> Result<u8> {
    let text = std::fs::read_to_string(claims).with_context(|| format!("reading {}", claims.display()))?;
    let read: Claims = toml::from_str(&text).map_err(|e| failed(format!("{}: {e}", claims.display()), HELP))?;
    let mut datasets = Vec::new();
    for path in data {
        datasets.extend(match is_bundle(path)? {
            true => audit::of_bundle(&Facts::load(std::slice::from_ref(path))?),
            false => vec![of_csv(path, &read.columns)?],
        });
    }
    writeln!(out, "{}\n", read.title)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, claim) in read.claim.iter().enumerate() {
        let stated = stated(claim, &read).with_context(|| format!("claim {} ('{}')", number + 1, claim.words))?;
        let dataset = match &claim.data {
            Some(name) => datasets.iter().find(|d| d.name == *name),
            None if datasets.len() == 1 => datasets.first(),
            None => {
                let names: Vec<&str> = datasets.iter().map(|d| d.name.as_str()).collect();
                let help = format!("add data = \"…\" to it; there are: {}", names.join(", "));
                return Err(failed(format!("claim {} does not say which data it is of", number + 1), help));
            }
        };
        let table = dataset.map(|d| d.table(&claim.metric, ratio(&read, &claim.metric))).unwrap_or_default();
        let judged = judge(&table, &stated);
        *counts.entry(judged.verdicts[0].words()).or_default() += 1;
        let label = dataset.map_or("", |d| d.at_label.as_str());
        writeln!(out, "{}. “{}”\n{}", number + 1, claim.words, describe(&stated, &judged, &claim.metric, label))?;
    }
    let parts: Vec<String> = counts.iter().map(|(verdict, n)| format!("{n} {verdict}")).collect();
    writeln!(out, "{} claims: {}", read.claim.len(), parts.join(", "))?;
    let all_hold = counts.keys().all(|verdict| *verdict == Verdict::Holds.words());
    Ok(if all_hold { 0 } else { 2 })
}

const HELP: &str = "docs/audit.md describes claims files; examples/audit has one";

fn ratio<'a>(claims: &'a Claims, metric: &str) -> Option<&'a [String; 2]> {
    claims.metric.get(metric).and_then(|m| m.ratio.as_ref())
}

fn stated(claim: &Claim, file: &Claims) -> Result<Stated> {
    let better = match file.metric.get(&claim.metric).map(|m| m.better) {
        Some(Way::Higher) => Better::Higher,
        Some(Way::Lower) => Better::Lower,
        None => {
            let help = format!("add [metric.{}] with better = \"higher\" or \"lower\"", claim.metric);
            return Err(failed(format!("the metric '{}' is not described", claim.metric), help));
        }
    };
    let Some(subject) = claim.subject.clone().or_else(|| file.subject.clone()) else {
        return Err(failed("nobody is named of whom it is claimed", "add subject = \"…\" to it or at the top"));
    };
    let (value, decimals, factor) = number(&claim.says)?;
    let formula = match claim.formula.as_deref() {
        Some(name) => Formula::ALL
            .into_iter()
            .find(|f| f.name() == name)
            .ok_or_else(|| failed(format!("there is no formula '{name}'"), "write gain, reduction or factor"))?,
        None if factor => Formula::Factor,
        None if value.is_none() || better == Better::Higher => Formula::Gain,
        None => {
            let help = "add formula = \"gain\" (old ÷ new − 1) or \"reduction\" (1 − new ÷ old): they differ widely";
            return Err(failed("a percentage of a latency can be two things", help));
        }
    };
    let (at, against, up_to) = (claim.at.clone(), claim.against.clone(), claim.up_to);
    Ok(Stated { subject, value, decimals, formula, at, against, up_to, better })
}

/// "21 %", "20.5 %", "1.8 ×" or "better": the number, its decimals, and whether it is a factor.
fn number(says: &str) -> Result<(Option<f64>, u32, bool)> {
    let text = says.trim();
    if text == "better" {
        return Ok((None, 0, false));
    }
    let factor = text.ends_with(['×', 'x']);
    let digits = text.trim_end_matches(['%', '×', 'x']).trim();
    let value = digits.parse::<f64>().ok().filter(|v| v.is_finite());
    match value {
        Some(value) if factor || text.ends_with('%') => Ok((Some(value), decimals(digits), factor)),
        _ => Err(failed(format!("'{says}' is no claim"), "write \"21 %\", \"1.8 ×\", or \"better\"")),
    }
}

fn decimals(digits: &str) -> u32 {
    digits.split_once('.').map_or(0, |(_, after)| after.len() as u32)
}

fn is_bundle(path: &Path) -> Result<bool> {
    let mut magic = Vec::new();
    let file = std::fs::File::open(path).with_context(|| format!("opening {}", path.display()))?;
    std::io::Read::read_to_end(&mut std::io::Read::take(file, 16), &mut magic)?;
    Ok(magic == b"SQLite format 3\0")
}

/// A table with a line of headings; lines that begin with # say where it is from.
fn of_csv(path: &Path, columns: &Columns) -> Result<Dataset> {
    let reading = || format!("reading {}", path.display());
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_path(path)?;
    let head: Vec<String> = reader.headers().with_context(reading)?.iter().map(String::from).collect();
    let column = |name: &str| {
        head.iter().position(|h| h == name).ok_or_else(|| {
            let help = format!("its columns are: {}; [columns] in the claims file says which to use", head.join(", "));
            failed(format!("{} has no column '{name}'", path.display()), help)
        })
    };
    let (subject, at) = (column(&columns.subject)?, column(&columns.at)?);
    let mut dataset = Dataset {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        at_label: columns.at.clone(),
        metrics: BTreeMap::new(),
    };
    for (line, record) in reader.records().enumerate() {
        let record = record.with_context(reading)?;
        for (index, name) in head.iter().enumerate().filter(|(i, _)| *i != subject && *i != at) {
            let text = record.get(index).unwrap_or("");
            if text.is_empty() {
                continue;
            }
            let Some(value) = text.parse::<f64>().ok().filter(|v| v.is_finite()) else {
                let what = format!("{}: '{text}' in column {name}, row {}, is no number", path.display(), line + 1);
                return Err(failed(what, "write plain numbers, without thousands separators, or leave it empty"));
            };
            let figure = Figure { value, rounding: 0.5 * 0.1f64.powi(decimals(text) as i32) };
            let row = (record[subject].to_string(), record[at].to_string(), figure);
            dataset.metrics.entry(name.clone()).or_default().rows.push(row);
        }
    }
    Ok(dataset)
}
