//! Comma-separated values with a mapping that defines the columns: published tables, or any tool's
//! output.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::text::{number, written, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, ImportedPoint, Input, cell};
use crate::base::error::{Result, failed};
use crate::plan::Field;
use crate::record::{Class, Fact, Reported};

pub struct CsvTables;

/// mapping.toml
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mapping {
    title: Option<String>,
    source: Option<String>,
    /// The step's name; the file's by default.
    step: Option<String>,
    /// The titles of steps, by name.
    #[serde(default)]
    titles: BTreeMap<String, String>,
    #[serde(default)]
    class: ClassName,
    /// The columns of keys.
    subject: Option<String>,
    step_column: Option<String>,
    axis: Option<AxisColumn>,
    /// Measured seconds, the same for all rows.
    window_s: Option<f64>,
    figures: BTreeMap<String, CsvColumn>,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum ClassName {
    #[default]
    Read,
    Write,
    Seek,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AxisColumn {
    column: String,
    field: Field,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum CsvColumn {
    Plain(String),
    InUnit { column: String, unit: String },
}

impl CsvColumn {
    fn name(&self) -> &str {
        match self {
            CsvColumn::Plain(name) | CsvColumn::InUnit { column: name, .. } => name,
        }
    }
}

impl ImportFormat for CsvTables {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "csv",
            summary: "comma-separated values, with --mapping MAPPING.toml for the meaning of the \
                columns",
            missing: &[
                "latencies but for the figures given",
                "intervals",
                "when the points were measured",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let Some((name, text)) = input.mapping else {
            return Err(failed(
                format!("{}: the meaning of its columns is not defined", input.file),
                "give --mapping MAPPING.toml; docs/import.md shows one",
            ));
        };
        let mapping: Mapping = toml::from_str(text).map_err(|e| {
            failed(
                format!("{name}: {}", e.to_string().trim_end()),
                "docs/import.md shows a mapping",
            )
        })?;
        let scales = scales(name, &mapping)?;
        let mut lines = input.text.lines().enumerate().map(|(i, l)| (i + 1, l));
        let mut rows = lines.by_ref().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
        let Some((at, head)) = rows.next() else {
            return Err(wrong(
                input.file,
                1,
                "there is no line of column names",
                "give a CSV with a heading",
            ));
        };
        let head = split(input.file, at, head)?;
        let table =
            CsvTable { input, mapping: &mapping, scales: &scales, head: &head, head_at: at };
        let rows = rows.filter_map(|(at, line)| table.row(at, line).transpose());
        let entries = rows.collect::<Result<Vec<_>>>()?;
        if entries.is_empty() {
            return Err(wrong(input.file, at, "the table has no figures", "give the whole file"));
        }
        let (title, source) = (mapping.title.clone(), mapping.source.clone());
        Ok(ImportedFile { entries, title, source, facts: notes(input) })
    }
}

/// The comment lines about the table, which may contain test conditions that are in no column.
fn notes(input: &Input<'_>) -> Vec<Fact> {
    let name = input.file.rsplit('/').next().unwrap_or(input.file);
    let said = input.text.lines().filter_map(|line| line.strip_prefix('#')).map(str::trim);
    let said = said.filter(|said| !said.is_empty());
    said.map(|said| Fact::new("Imported", format!("note in {name}"), said)).collect()
}

/// The factor from a figure's number to ns, ops/s, bytes/s or watts.
fn scales(file: &str, mapping: &Mapping) -> Result<BTreeMap<String, f64>> {
    let mut all = BTreeMap::new();
    for (name, column) in &mapping.figures {
        let unit = match column {
            CsvColumn::Plain(column) => column.rsplit('_').next().unwrap_or_default(),
            CsvColumn::InUnit { unit, .. } => unit,
        };
        let percentile = name
            .strip_prefix('p')
            .and_then(|p| p.parse::<f64>().ok())
            .filter(|p| *p > 0.0 && *p < 100.0);
        let time = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
        let known: &[(&str, f64)] = match name.as_str() {
            "mean" | "max" => &time,
            _ if percentile.is_some() => &time,
            "bytes_per_s" => &[
                ("bytes/s", 1.0),
                ("s", 1.0),
                ("MB/s", 1e6),
                ("MiB/s", 1_048_576.0),
                ("GB/s", 1e9),
            ],
            "ops_per_s" => &[("ops/s", 1.0), ("s", 1.0), ("kops/s", 1e3)],
            "watts" => &[("watts", 1.0), ("W", 1.0)],
            _ => {
                let next = "use ops_per_s, bytes_per_s, mean, max, watts, or a percentile such as \
                            p99 or p99.9";
                return Err(failed(format!("{file}: '{name}' is not a figure"), next));
            }
        };
        let units: Vec<&str> = known.iter().map(|(u, _)| *u).collect();
        let scale = known.iter().find(|(u, _)| *u == unit).map(|(_, by)| *by).ok_or_else(|| {
            let next = format!(
                "say {name} = {{ column = \"{}\", unit = \"…\" }} with one of {}",
                column.name(),
                units.join(", ")
            );
            failed(format!("{file}: '{unit}' is not a unit of {name}"), next)
        })?;
        all.insert(name.clone(), scale);
    }
    if all.is_empty() {
        return Err(failed(
            format!("{file}: [figures] is empty"),
            "set a column for at least one figure, such as ops_per_s or p99",
        ));
    }
    Ok(all)
}

struct CsvTable<'a> {
    input: &'a Input<'a>,
    mapping: &'a Mapping,
    scales: &'a BTreeMap<String, f64>,
    head: &'a [String],
    head_at: usize,
}

impl CsvTable<'_> {
    /// None if the row has no figure: the point was not measured.
    fn row(&self, at: usize, line: &str) -> Result<Option<ImportedPoint>> {
        let file = self.input.file;
        let cells = split(file, at, line)?;
        if cells.len() != self.head.len() {
            let what = format!("{} values for {} columns", cells.len(), self.head.len());
            return Err(wrong(
                file,
                at,
                what,
                "the line may be cut, or a value with a comma needs quotes",
            ));
        }
        let text = |column: &str| -> Result<&str> {
            let index = self.head.iter().position(|h| h == column).ok_or_else(|| {
                let next = format!("the columns are {}; correct the mapping", self.head.join(", "));
                wrong(file, self.head_at, format!("there is no column '{column}'"), next)
            })?;
            Ok(cells[index].trim())
        };
        let m = self.mapping;
        let axis = match &m.axis {
            Some(axis) => Some((axis.field, number(file, at, &axis.column, text(&axis.column)?)?)),
            None => None,
        };
        let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".csv");
        let step = match &m.step_column {
            Some(column) => text(column)?,
            None => m.step.as_deref().unwrap_or(stem),
        };
        let window_ns = m.window_s.filter(|s| *s > 0.0).map(|s| (s * 1e9).min(1e18) as u64);
        let mut entry = ImportedPoint::new(step, axis, window_ns);
        entry.title = m.titles.get(step).cloned().unwrap_or_default();
        entry.subject = m.subject.as_deref().map(&text).transpose()?.map(str::to_string);
        let class = match m.class {
            ClassName::Read => Class::READ,
            ClassName::Write => Class::WRITE,
            ClassName::Seek => super::SEEK,
        };
        let mut any = false;
        for (name, column) in &m.figures {
            let cell = text(column.name())?;
            // An empty cell means not measured.
            if cell.is_empty() {
                continue;
            }
            any = true;
            let figure = written(file, at, column.name(), cell)?.times(self.scales[name]);
            let name = match name.as_str() {
                "ops_per_s" => Reported::OPS_PER_S,
                "bytes_per_s" => Reported::BYTES_PER_S,
                "watts" => Reported::DRIVE_WATTS,
                latency => &format!("{latency}_ns"),
            };
            entry.report(("table", class), name, figure, None);
        }
        let swept =
            |field: Field| axis.filter(|a| a.0 == field).map(|a| a.1.clamp(1.0, 65_536.0) as u32);
        let (threads, depth) = (swept(Field::Threads), swept(Field::Depth));
        entry.point.cells.push(cell("table", 0, threads, depth, Vec::new()));
        Ok(any.then_some(entry))
    }
}

/// The values of a line; quotes may contain commas, and a doubled quote is one quote.
fn split(file: &str, at: usize, line: &str) -> Result<Vec<String>> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    if quoted {
        return Err(wrong(
            file,
            at,
            "a quote is not closed",
            "values over several lines are not read; join them",
        ));
    }
    cells.push(cell);
    Ok(cells.into_iter().map(|c| c.trim().to_string()).collect())
}
