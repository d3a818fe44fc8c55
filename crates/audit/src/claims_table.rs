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

/// Tables of one file.
const MOST_TABLES: usize = 200;

/// A table's name: its file's, without the extension.
pub fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Lines that begin with # state the source.
pub fn read(path: &Path, head: &Head) -> Result<Vec<PublishedFigures>> {
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
    let mut tables: Vec<(PublishedFigures, SeenRows)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(refuse)?;
        let line = record.position().map_or(0, |p| p.line());
        let place = format!("{}, line {line}", path.display());
        let (subject, at) = (&record[found.subject], &record[found.at]);
        let rival = found.rival.map(|column| record[column].to_string());
        if subject.is_empty() || at.is_empty() || rival.as_ref().is_some_and(String::is_empty) {
            let what = format!("{place}: no {} or no {}", columns.subject, columns.at);
            return Err(failed(what, "every row must have a subject and a point"));
        }
        let of_row = found.split.map_or(name.as_str(), |column| &record[column]);
        let index = tables.iter().position(|(table, _)| table.name == of_row);
        let index = index.unwrap_or_else(|| {
            tables.push(empty(of_row, &name, head, &columns));
            tables.len() - 1
        });
        let (table, seen) = &mut tables[index];
        let row = format!("{subject} {}", rival.as_deref().unwrap_or(""));
        if !seen.rows.insert((row, at.to_string())) {
            let what = format!("{place}: a second row of {subject} at {at} {}", columns.at);
            return Err(failed(
                what,
                "one table has one row for each subject and point; split it into several files, \
                 or by a column with split = \"…\"",
            ));
        }
        seen.point(table, at);
        seen.subjects.insert(subject.to_string());
        if seen.subjects.len() * seen.points.len() > MOST_CELLS || tables.len() > MOST_TABLES {
            let what = format!("{place}: more than {MOST_CELLS} subjects times points");
            return Err(failed(
                what,
                "this is a log, not a published table: give only its figures",
            ));
        }
        figures(&mut tables[index].0, &record, &found, &place)?;
    }
    if tables.is_empty() {
        return Err(failed(
            format!("{} has no rows", path.display()),
            "give the table with its figures",
        ));
    }
    Ok(tables.into_iter().map(|(table, _)| table).collect())
}

/// A table with the points that the claims file names.
fn empty(name: &str, file: &str, head: &Head, columns: &Columns) -> (PublishedFigures, SeenRows) {
    let mut table = PublishedFigures {
        name: name.to_string(),
        at_column: columns.at.clone(),
        at_label: columns.label.clone().unwrap_or_else(|| columns.at.clone()),
        drives: columns.drives,
        points: Vec::new(),
        metrics: BTreeMap::new(),
        better: BTreeMap::new(),
    };
    let mut seen = SeenRows::default();
    for point in head.points(file) {
        seen.point(&mut table, &point);
    }
    (table, seen)
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
        let of_metric = table.metrics.entry(metric.to_string()).or_default();
        let of_subject = match found.rival {
            Some(rival) => {
                let pair = (subject.to_string(), record[rival].to_string());
                of_metric.differences.entry(pair).or_default()
            }
            None => of_metric.figures.entry(subject.to_string()).or_default(),
        };
        of_subject.insert(at.to_string(), figure);
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
    rival: Option<usize>,
    split: Option<usize>,
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
        let rival = columns.difference_to.as_deref().map(column).transpose()?;
        let split = columns.split.as_deref().map(column).transpose()?;
        let is_key = |i: usize| i == subject || i == at || rival == Some(i) || split == Some(i);
        let rest = headings.iter().enumerate().filter(|(i, _)| !is_key(*i));
        let metrics = rest.map(|(i, name)| (i, name.clone())).collect();
        Ok(Headings { subject, at, rival, split, metrics })
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
