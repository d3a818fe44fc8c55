//! Published tables: CSV with a header line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::claims_file::{Columns, Head, text};
use crate::PublishedFigure;
use crate::text::PublishedFigures;
use dyno_core::base::error::{Error, Result, failed};

const MOST_BYTES: u64 = 4 << 20;

/// Subjects × points: more would be a log, not a published table.
const MOST_CELLS: usize = 2_000;

/// A table's name: its file's, without the extension.
pub fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Lines that begin with # state the source.
pub fn read(path: &Path, head: &Head) -> Result<PublishedFigures> {
    let name = name(path);
    let columns = head.columns(&name);
    let text = text(path, MOST_BYTES)?;
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let refuse = |e: csv::Error| misread(path, &e);
    let headings: Vec<String> =
        reader.headers().map_err(refuse)?.iter().map(String::from).collect();
    let found = Headings::of(path, &headings, &columns)?;
    let at_label = columns.at.clone();
    let mut table = PublishedFigures {
        name,
        at_label,
        points: Vec::new(),
        metrics: BTreeMap::new(),
        better: BTreeMap::new(),
    };
    let mut seen = SeenRows::default();
    for point in head.points(&table.name) {
        seen.point(&mut table, &point);
    }
    for record in reader.records() {
        let record = record.map_err(refuse)?;
        let line = record.position().map_or(0, |p| p.line());
        let place = format!("{}, line {line}", path.display());
        let (subject, at) = (&record[found.subject], &record[found.at]);
        if subject.is_empty() || at.is_empty() {
            let what = format!("{place}: no {} or no {}", columns.subject, columns.at);
            return Err(failed(what, "every row must have a subject and a point"));
        }
        if !seen.rows.insert((subject.to_string(), at.to_string())) {
            let what = format!("{place}: a second row of {subject} at {at} {}", columns.at);
            return Err(failed(
                what,
                "one table has one row for each subject and point; split it into several files",
            ));
        }
        seen.point(&mut table, at);
        seen.subjects.insert(subject.to_string());
        if seen.subjects.len() * seen.points.len() > MOST_CELLS {
            let what = format!("{place}: more than {MOST_CELLS} subjects times points");
            return Err(failed(
                what,
                "this is a log, not a published table: give only its figures",
            ));
        }
        figures(&mut table, &record, &found, &place)?;
    }
    if seen.rows.is_empty() {
        return Err(failed(
            format!("{} has no rows", path.display()),
            "give the table with its figures",
        ));
    }
    Ok(table)
}

/// The figures of a row.
fn figures(
    table: &mut PublishedFigures,
    record: &csv::StringRecord,
    found: &Headings,
    place: &str,
) -> Result<()> {
    let (subject, at) = (&record[found.subject], &record[found.at]);
    for (index, metric) in &found.metrics {
        let text = &record[*index];
        if text.is_empty() {
            continue;
        }
        let Some(figure) = PublishedFigure::printed(text) else {
            let what = format!("{place}: '{text}' in column {metric} is not a number");
            return Err(failed(
                what,
                "write plain numbers, without thousands separators, or leave it empty",
            ));
        };
        let of_subject =
            table.metrics.entry(metric.to_string()).or_default().figures.entry(subject.to_string());
        of_subject.or_default().insert(at.to_string(), figure);
    }
    Ok(())
}

#[derive(Default)]
struct SeenRows {
    rows: BTreeSet<(String, String)>,
    points: BTreeSet<String>,
    subjects: BTreeSet<String>,
}

impl SeenRows {
    fn point(&mut self, table: &mut PublishedFigures, at: &str) {
        if self.points.insert(at.to_string()) {
            table.points.push(at.to_string());
        }
    }
}

struct Headings {
    subject: usize,
    at: usize,
    metrics: Vec<(usize, String)>,
}

impl Headings {
    fn of(path: &Path, headings: &[String], columns: &Columns) -> Result<Headings> {
        let mut names = BTreeSet::new();
        if let Some(twice) = headings.iter().find(|h| !h.is_empty() && !names.insert(h.as_str())) {
            let what = format!("{} has two columns '{twice}'", path.display());
            return Err(failed(what, "give each column a unique name"));
        }
        let column = |name: &str| {
            headings.iter().position(|h| h == name).ok_or_else(|| {
                let shown: Vec<String> =
                    headings.iter().take(20).map(|h| h.chars().take(40).collect()).collect();
                let help = format!(
                    "its columns are: {}; select one in [columns] or [data.NAME] of the claims \
                     file",
                    shown.join(", ")
                );
                failed(format!("{} has no column '{name}'", path.display()), help)
            })
        };
        let (subject, at) = (column(&columns.subject)?, column(&columns.at)?);
        let rest = headings.iter().enumerate().filter(|(i, _)| *i != subject && *i != at);
        let metrics = rest.map(|(i, name)| (i, name.clone())).collect();
        Ok(Headings { subject, at, metrics })
    }
}

/// The error of the CSV reader, with the line.
fn misread(path: &Path, error: &csv::Error) -> Error {
    let line = error.position().map_or(0, |p| p.line());
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{}, line {line}: {len} fields under {expected_len} headings", path.display())
        }
        _ => format!("{}: {error}", path.display()),
    };
    failed(what, "write commas between fields only: no thousands separators, no units")
}
