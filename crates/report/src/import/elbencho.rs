//! elbencho's results: a CSV (`--csvfile`) with a line for each phase, or JSON (`--jsonfile`) with
//! an object for each.

use std::collections::BTreeMap;

use serde_json::Value;

use super::load::{field, workers};
use super::text::{number, window_ns, written, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, OPERATION, Observation, cell};
use dyno_core::base::error::Result;
use dyno_core::plan::Timing;
use dyno_core::record::{Class, Fact, Reported};

pub struct Elbencho;

const STREAM: &str = "elbencho";

/// Phases that change no data and read none.
const NO_MEASUREMENT: [&str; 2] = ["SYNC", "DROPCACHE"];

/// Settings that define the load.
const SETTINGS: [(&str, &str); 13] = [
    ("path type", "path type"),
    ("paths", "paths"),
    ("hosts", "hosts"),
    ("threads", field::THREADS),
    ("dirs", "directories"),
    ("files", "files"),
    ("file size", field::SIZE),
    ("block size", field::BLOCK),
    ("direct io", "direct"),
    ("random", field::RANDOM),
    ("random aligned", "random aligned"),
    ("io depth", field::DEPTH),
    ("truncate", "truncate"),
];

impl ImportFormat for Elbencho {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "elbencho",
            summary: "elbencho's CSV (--csvfile) or JSON (--jsonfile)",
            missing: &["percentiles", "intervals", "readings of meters"],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let rows = match input.text.trim_start().starts_with(['{', '[']) {
            true => of_json(input.file, input.text)?,
            false => of_csv(input.file, input.text)?,
        };
        let mut found = ImportedFile::default();
        for (at, row) in &rows {
            let phase = PhaseRow { file: input.file, at: *at, row };
            if let Some(observation) = phase.observation(&mut found)? {
                found.observations.push(observation);
            }
        }
        if found.observations.is_empty() {
            let next = "give elbencho's --csvfile or --jsonfile of a run that ended";
            return Err(wrong(input.file, 1, "no phase with a rate", next));
        }
        Ok(found)
    }
}

/// A phase's values by lower-case name.
type Row = BTreeMap<String, String>;

fn of_csv(file: &str, text: &str) -> Result<Vec<(usize, Row)>> {
    let mut reader =
        ::csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(text.as_bytes());
    let (mut head, mut rows): (Vec<String>, _) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(|e| {
            let line = e.position().map_or(1, |position| position.line() as usize);
            wrong(file, line, format!("not CSV as elbencho writes it: {e}"), "use the whole file")
        })?;
        let at = record.position().map_or(1, |position| position.line() as usize);
        let words: Vec<String> = record.iter().map(|word| word.trim().to_string()).collect();
        // Runs that are appended to one file repeat the heading.
        if words[0].eq_ignore_ascii_case("ISO date") || head.is_empty() {
            head = words.iter().map(|word| word.to_lowercase()).collect();
            continue;
        }
        if words.len() != head.len() {
            let what = format!("{} values for {} columns", words.len(), head.len());
            return Err(wrong(file, at, what, "the line may be cut; use the whole file"));
        }
        rows.push((at, head.iter().cloned().zip(words).collect()));
    }
    Ok(rows)
}

fn of_json(file: &str, text: &str) -> Result<Vec<(usize, Row)>> {
    let mut rows = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let value = value.map_err(|e| {
            let next = "use the whole file that elbencho wrote";
            wrong(file, e.line(), format!("not JSON as elbencho writes it: {e}"), next)
        })?;
        let all = match value {
            Value::Array(all) => all,
            one => vec![one],
        };
        for (i, one) in all.into_iter().enumerate() {
            let Value::Object(fields) = one else { continue };
            let text = |value: Value| match value {
                Value::String(text) => text,
                Value::Null => String::new(),
                other => other.to_string(),
            };
            let row = fields.into_iter().map(|(k, v)| (k.to_lowercase(), text(v))).collect();
            rows.push((i + 1, row));
        }
    }
    Ok(rows)
}

struct PhaseRow<'a> {
    file: &'a str,
    at: usize,
    row: &'a Row,
}

impl PhaseRow<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.row.get(name).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// With or without the brackets of newer versions: "IO lat us [avg]", "IO lat us avg".
    fn latency(&self, of: &str, what: &str) -> Option<&str> {
        let named = self.get(&format!("{of} lat us [{what}]"));
        named.or_else(|| self.get(&format!("{of} lat us {what}")))
    }

    fn observation(&self, found: &mut ImportedFile) -> Result<Option<Observation>> {
        let Some(operation) = self.get("operation") else {
            let next = "give elbencho's --csvfile or --jsonfile";
            return Err(wrong(self.file, self.at, "there is no 'operation'", next));
        };
        if NO_MEASUREMENT.contains(&operation) {
            return Ok(None);
        }
        let class = match operation {
            "READ" => Class::READ,
            "WRITE" => Class::WRITE,
            "TRIM" => Class::TRIM,
            _ => OPERATION,
        };
        let window = match self.get("time ms [last]") {
            Some(text) => Some(number(self.file, self.at, "time", text)? * 1e6),
            None => None,
        };
        let window = window.and_then(window_ns);
        let mut observation = Observation::new(&operation.to_lowercase(), window);
        observation.timing = Some(Timing::Service);
        for (column, name) in SETTINGS {
            if let Some(text) = self.get(column) {
                observation.load.set_text(name, text);
            }
        }
        // A flag, which is 1 if all addresses are random.
        if let Some(random) = observation.load.number(field::RANDOM) {
            observation.load.set(field::RANDOM, if random > 0.0 { 100.0 } else { 0.0 });
        }
        if let Some(label) = self.get("label") {
            found.facts.push(Fact::new("Imported", format!("label of {operation}"), label));
        }
        if let Some(version) = self.get("version") {
            found.facts.push(Fact::new("Imported", "elbencho version", version));
        }
        let of = (STREAM, class);
        // "last" covers all threads until the last one ended.
        let requests = self.get("iops [last]");
        let (rate, kind) = match requests {
            Some(rate) => (Some(rate), "io"),
            None => (self.get("entries/s [last]"), "ent"),
        };
        let Some(rate) = rate else {
            found.note(format!("{}: phase {operation} has no rate and was left out", self.file));
            return Ok(None);
        };
        let of = match kind {
            "io" => of,
            // Files created, read or deleted, regardless of their size.
            _ => (STREAM, OPERATION),
        };
        let rate = written(self.file, self.at, "rate", rate)?;
        observation.report(of, Reported::OPS_PER_S, rate, None);
        if let Some(mib) = self.get("mib/s [last]") {
            let mib = written(self.file, self.at, "MiB/s", mib)?;
            observation.report(of, Reported::BYTES_PER_S, mib.times(1_048_576.0), None);
        }
        for (what, name) in [("avg", "mean_ns"), ("max", "max_ns")] {
            if let Some(us) = self.latency(kind, what) {
                let us = written(self.file, self.at, "latency", us)?;
                observation.report(of, name, us.times(1e3), None);
            }
        }
        let hosts = observation.load.number("hosts").unwrap_or(1.0).max(1.0);
        let threads = observation.load.number(field::THREADS).and_then(|n| workers(n * hosts));
        let depth = observation.load.workers(field::DEPTH);
        observation.point.cells.push(cell(STREAM, 0, threads, depth, Vec::new()));
        Ok(Some(observation))
    }
}
