//! Tables of values separated by commas, tabs or semicolons, with a mapping that defines the
//! columns: published tables, or any tool's output.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::load::{name_of, workers};
use super::text::{decimal_comma, number, percentile, window_ns, written, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, Observation, Written, cell};
use dyno_core::base::error::{Result, failed};
use dyno_core::base::units;
use dyno_core::plan::Field;
use dyno_core::record::{Class, Fact, Reported};

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
    class: Option<ClassName>,
    /// "," if decimals follow a comma, and thousands are separated by points.
    #[serde(default)]
    decimal: Decimal,
    /// Further columns that define the load, by the field's name.
    #[serde(default)]
    load: BTreeMap<String, String>,
    /// Columns that do not define the load, such as the number of a repeat.
    #[serde(default)]
    ignore: Vec<String>,
    /// The columns of keys.
    subject: Option<String>,
    step_column: Option<String>,
    axis: Option<AxisColumn>,
    /// Measured seconds, the same for all rows.
    window_s: Option<f64>,
    figures: BTreeMap<String, CsvColumn>,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq)]
enum Decimal {
    #[default]
    #[serde(rename = ".")]
    Point,
    #[serde(rename = ",")]
    Comma,
}

/// The kind of op of a table.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum ClassName {
    Read,
    Write,
    Seek,
    Scan,
    Update,
    Insert,
    Transaction,
    NewOrder,
    Trim,
    Flush,
}

impl ClassName {
    fn class(self) -> Class {
        match self {
            ClassName::Read => Class::READ,
            ClassName::Write => Class::WRITE,
            ClassName::Seek => super::SEEK,
            ClassName::Scan => Class::new("scan"),
            ClassName::Update => Class::new("update"),
            ClassName::Insert => Class::new("insert"),
            ClassName::Transaction => super::TRANSACTION,
            ClassName::NewOrder => Class::new("new-order"),
            ClassName::Trim => Class::TRIM,
            ClassName::Flush => Class::FLUSH,
        }
    }
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
            summary: "values separated by commas, tabs or semicolons, with --mapping MAPPING.toml \
                for the meaning of the columns",
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
        let mut rows = input.lines().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
        let Some((at, first)) = rows.next() else {
            return Err(wrong(
                input.file,
                1,
                "there is no line of column names",
                "give a table with a heading",
            ));
        };
        let separator = separator(first);
        let head = split(input.file, at, first, separator)?;
        let table = CsvTable {
            input,
            mapping: &mapping,
            scales: &scales,
            head: &head,
            head_at: at,
            separator,
        };
        // Concatenated tables repeat their heading.
        let rows = rows.filter(|(_, line)| line.trim_end() != first.trim_end());
        let mut observations: Vec<Observation> = Vec::new();
        let mut firsts: HashMap<String, (usize, Vec<String>)> = HashMap::new();
        for (at, line) in rows {
            let Some((observation, cells)) = table.row(at, line)? else { continue };
            let Observation { subject, step, load, .. } = &observation;
            match firsts.entry(format!("{subject:?} {step:?} {load:?}")) {
                Entry::Occupied(first) => table.are_repeats(first.get(), (at, &cells))?,
                Entry::Vacant(first) => {
                    first.insert((at, cells));
                }
            }
            observations.push(observation);
        }
        if observations.is_empty() {
            return Err(wrong(input.file, at, "the table has no figures", "give the whole file"));
        }
        let (title, source) = (mapping.title.clone(), mapping.source.clone());
        Ok(ImportedFile { observations, title, source, facts: notes(input), notes: Vec::new() })
    }
}

/// The separator: the most frequent one of commas, tabs and semicolons in the heading.
fn separator(head: &str) -> char {
    let count = |c: char| head.matches(c).count();
    [',', '\t', ';'].into_iter().rev().max_by_key(|c| count(*c)).unwrap_or(',')
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
        let percentile = name.strip_prefix('p').and_then(|p| percentile(p.parse().ok()?));
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
    separator: char,
}

impl CsvTable<'_> {
    /// A number in the notation of the mapping, with its digits.
    fn written(&self, at: usize, what: &str, text: &str) -> Result<Written> {
        let file = self.input.file;
        if self.mapping.decimal == Decimal::Comma {
            let next = "the mapping says decimal = \",\": a point is then a separator of \
                        thousands, before three digits";
            let value = decimal_comma(text)
                .ok_or_else(|| wrong(file, at, format!("'{text}' is not a valid {what}"), next))?;
            return Ok(Written { value, digits: Some(units::digits_of(text)) });
        }
        // If semicolons separate values, a comma may be a decimal comma.
        if self.separator == ';' && text.contains(',') {
            let next = "say decimal = \",\" in the mapping if decimals follow a comma; otherwise \
                        remove the separators of thousands";
            return Err(wrong(file, at, format!("'{text}' may be two numbers"), next));
        }
        written(file, at, what, text)
    }

    /// None if the row has no figure: the point was not measured.
    fn row(&self, at: usize, line: &str) -> Result<Option<(Observation, Vec<String>)>> {
        let file = self.input.file;
        let cells = split(file, at, line, self.separator)?;
        if cells.len() != self.head.len() {
            let what = format!("{} values for {} columns", cells.len(), self.head.len());
            return Err(wrong(
                file,
                at,
                what,
                "the line may be cut, or a value with a separator needs quotes",
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
            Some(axis) => {
                let value = self.written(at, &axis.column, text(&axis.column)?)?.value;
                Some((axis.field, value))
            }
            None => None,
        };
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let stem = [".csv", ".tsv", ".txt"].iter().find_map(|end| name.strip_suffix(end));
        let step = match &m.step_column {
            Some(column) => text(column)?,
            None => m.step.as_deref().unwrap_or(stem.unwrap_or(name)),
        };
        let window_ns = m.window_s.and_then(|s| window_ns(s * 1e9));
        let mut entry = Observation::new(step, window_ns);
        entry.title = m.titles.get(step).cloned().unwrap_or_default();
        entry.subject = m.subject.as_deref().map(&text).transpose()?.map(str::to_string);
        for (field, column) in &m.load {
            let value = text(column)?;
            match number(file, at, column, value) {
                Ok(number) => entry.load.set(field, number),
                Err(_) if value.is_empty() => {}
                Err(_) => entry.load.set(field, value),
            }
        }
        if let Some((field, value)) = axis {
            entry.load.set(name_of(field), value);
            entry.axis = Some(field);
        }
        let class = m.class.map_or(super::OPERATION, ClassName::class);
        let mut any = false;
        for (name, column) in &m.figures {
            let cell = text(column.name())?;
            // An empty cell means not measured.
            if cell.is_empty() {
                continue;
            }
            any = true;
            let figure = self.written(at, column.name(), cell)?.times(self.scales[name]);
            let name = match name.as_str() {
                "ops_per_s" => Reported::OPS_PER_S,
                "bytes_per_s" => Reported::BYTES_PER_S,
                "watts" => Reported::DRIVE_WATTS,
                latency => &format!("{latency}_ns"),
            };
            entry.report(("table", class), name, figure, None);
        }
        let swept = |field: Field| workers(axis.filter(|(axis, _)| *axis == field)?.1);
        let (threads, depth) = (swept(Field::Threads), swept(Field::Depth));
        entry.point.cells.push(cell("table", 0, threads, depth, Vec::new()));
        Ok(any.then_some((entry, cells)))
    }

    /// Refuses two rows as repeats if they differ in a column that the mapping does not name, which
    /// may define the load.
    fn are_repeats(&self, before: &(usize, Vec<String>), row: (usize, &[String])) -> Result<()> {
        let m = self.mapping;
        let named = |column: &String| {
            m.figures.values().any(|own| own.name() == column)
                || m.load.values().chain(&m.ignore).any(|own| own == column)
                || [&m.subject, &m.step_column].into_iter().flatten().any(|own| own == column)
                || m.axis.as_ref().is_some_and(|axis| axis.column == *column)
        };
        let unnamed = self.head.iter().enumerate().filter(|(_, column)| !named(column));
        let differ = unnamed.filter(|(i, _)| before.1[*i] != row.1[*i]);
        let differ: Vec<&str> = differ.map(|(_, column)| column.as_str()).collect();
        if differ.is_empty() {
            return Ok(());
        }
        let columns = differ.join(", ");
        Err(wrong(
            self.input.file,
            row.0,
            format!(
                "the same subject, step and load as line {}, but other values of {columns}",
                before.0
            ),
            format!(
                "name in the mapping what {columns} means: under [load] or as axis if it defines \
                 the load, under ignore = [\"…\"] if the rows are repeats"
            ),
        ))
    }
}

/// The values of a line; quotes may contain separators, and a doubled quote is one quote.
fn split(file: &str, at: usize, line: &str, separator: char) -> Result<Vec<String>> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            c if c == separator && !quoted => cells.push(std::mem::take(&mut cell)),
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
