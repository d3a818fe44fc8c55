//! YCSB's output ("[READ], AverageLatency(us), 100.5") and go-ycsb's ("READ - Takes(s): 10.0, …").

use std::collections::BTreeMap;

use super::load::field;
use super::text::{latency_of_pair, number, pairs, percentile, window_ns, written};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, Observation, Written, cell, tally};
use dyno_core::base::error::Result;
use dyno_core::plan::Timing;
use dyno_core::record::{Class, Fact, Reported, Tally};

pub struct Ycsb;

const STREAM: &str = "ycsb";
const MODIFY: Class = Class::new("read-modify-write");

/// Settings that define a load, by the name of the property.
const PROPERTIES: [(&str, &str); 16] = [
    ("threadcount", field::THREADS),
    ("recordcount", field::RECORDS),
    ("target", field::RATE),
    ("fieldlength", "field length"),
    ("fieldcount", "fields"),
    ("workload", "workload"),
    ("requestdistribution", "distribution"),
    ("readproportion", "reads of all"),
    ("updateproportion", "updates of all"),
    ("insertproportion", "inserts of all"),
    ("scanproportion", "scans of all"),
    ("readmodifywriteproportion", "read-modify-writes of all"),
    ("maxscanlength", "longest scan"),
    ("readallfields", "reads all fields"),
    ("writeallfields", "writes all fields"),
    ("command", "phase"),
];

impl ImportFormat for Ycsb {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "ycsb",
            summary: "what YCSB or go-ycsb prints at the end of a load or run",
            missing: &[
                "percentiles but those that it printed",
                "settings of the workload's file, unless go-ycsb printed them",
                "intervals",
                "readings of meters",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let mut found = ImportedFile::default();
        let of_java = input.lines().any(|(_, line)| line.starts_with("[OVERALL],"));
        let observation = match of_java {
            true => java(input, &mut found)?,
            false => go(input, &mut found)?,
        };
        found.observations.push(observation);
        Ok(found)
    }
}

fn class_of(name: &str) -> Option<Class> {
    Some(match name.to_uppercase().as_str() {
        "READ" => Class::READ,
        "UPDATE" => Class::new("update"),
        "INSERT" => Class::new("insert"),
        "SCAN" => Class::new("scan"),
        "DELETE" => Class::new("delete"),
        "READ-MODIFY-WRITE" | "READ_MODIFY_WRITE" => MODIFY,
        "COMMIT" => super::TRANSACTION,
        _ => return None,
    })
}

/// Sets the field of the load that corresponds to a property.
fn set_property(observation: &mut Observation, key: &str, value: &str) {
    let known = PROPERTIES.iter().find(|(own, _)| *own == key);
    // Other sizes of the data set belong to its loading.
    let Some((_, name)) = known.filter(|_| !value.trim().is_empty()) else { return };
    observation.load.set_text(name, value);
}

/// The name of a workload in its file's path.
fn workload(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Options of a command line: `-threads 16 -p recordcount=1000 -P workloads/workloada -t`.
fn set_command(observation: &mut Observation, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    for (i, word) in words.iter().enumerate() {
        let next = words.get(i + 1).copied().unwrap_or_default();
        match *word {
            "-threads" | "--threads" => set_property(observation, "threadcount", next),
            "-target" | "--target" => set_property(observation, "target", next),
            "-P" => observation.load.set("workload file", workload(next)),
            "-p" => {
                if let Some((key, value)) = next.split_once('=') {
                    set_property(observation, key, value);
                }
            }
            "-load" | "load" => observation.load.set("phase", "load"),
            "-t" | "run" => observation.load.set("phase", "run"),
            _ => {}
        }
    }
}

fn finish(observation: &mut Observation, tallies: Vec<Tally>, found: &mut ImportedFile) {
    observation.set_threads(observation.load.number(field::THREADS));
    match observation.load.number(field::RATE) {
        Some(rate) if rate > 0.0 => observation.axis = Some(dyno_core::plan::Field::OpsPerSec),
        _ => observation.load.forget(field::RATE),
    }
    if let Some(phase) = observation.load.get("phase") {
        observation.step = phase.text("phase");
    }
    let named = ["workload file", "workload"].iter().find_map(|name| observation.load.get(name));
    if let Some(name) = named.map(|name| name.text("")).filter(|name| name != "core") {
        observation.step = format!("{name} {}", observation.step);
    }
    let threads = observation.load.workers(field::THREADS);
    observation.timing = Some(Timing::Service);
    observation.point.cells.push(cell(STREAM, 0, threads, None, tallies));
    if observation.reported.iter().any(|r| r.class == MODIFY) {
        found.note(
            "the reads and updates of read-modify-writes were taken from the counts of reads and \
             updates, which YCSB counts both ways; their latencies are of all",
        );
    }
}

/// Subtracts the reads and updates of read-modify-writes from the separately counted ones.
fn without_modifies(counts: &mut BTreeMap<&'static str, (Class, u64)>) {
    let Some((_, modifies)) = counts.get(MODIFY.name()).copied() else { return };
    for name in ["read", "update"] {
        if let Some((_, n)) = counts.get_mut(name) {
            *n = n.saturating_sub(modifies);
        }
    }
}

fn java(input: &Input<'_>, found: &mut ImportedFile) -> Result<Observation> {
    let mut observation = Observation::new("run", None);
    let mut counts: BTreeMap<&'static str, (Class, u64)> = BTreeMap::new();
    let mut failed: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut missing: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut figures: Vec<(Class, String, Written)> = Vec::new();
    let file = input.file;
    for (at, line) in input.lines() {
        if let Some(command) = line.strip_prefix("Command line:") {
            set_command(&mut observation, command);
            continue;
        }
        if let Some(version) = line.strip_prefix("YCSB Client ") {
            found.facts.push(Fact::new("Imported", "YCSB version", version.trim()));
        }
        let mut words = line.splitn(3, ',').map(str::trim);
        let (Some(head), Some(key), Some(value)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let Some(head) = head.strip_prefix('[').and_then(|h| h.strip_suffix(']')) else {
            continue;
        };
        if head == "OVERALL" && key.starts_with("RunTime(ms)") {
            let ms = number(file, at, "run time", value)?;
            observation.point.window_ns = window_ns(ms * 1e6);
            continue;
        }
        if let Some(of) = head.strip_suffix("-FAILED").and_then(class_of) {
            if key == "Operations" {
                failed.insert(of.name(), number(file, at, "count", value)? as u64);
            }
            continue;
        }
        if head.starts_with("Intended-") {
            found.note("latencies from the intended start ([Intended-…]) were left out");
            continue;
        }
        let Some(class) = class_of(head) else { continue };
        match key {
            "Operations" => {
                counts.insert(class.name(), (class, number(file, at, "count", value)? as u64));
            }
            "Return=NOT_FOUND" => {
                missing.insert(class.name(), number(file, at, "count", value)? as u64);
            }
            _ => {
                // Percentiles of early versions are in milliseconds.
                let (of, unit) = match key.split_once("Latency(") {
                    Some((of, "us)")) => (of, 1e3),
                    Some((of, "ms)")) => (of, 1e6),
                    _ => continue,
                };
                let name = match of {
                    "Average" => Some("mean_ns".to_string()),
                    "Max" => Some("max_ns".to_string()),
                    // "99thPercentile", "99.9Percentile"
                    _ => of
                        .strip_suffix("Percentile")
                        .and_then(|p| percentile(p.trim_end_matches("th").parse().ok()?)),
                };
                if let Some(name) = name {
                    figures.push((class, name, written(file, at, key, value)?.times(unit)));
                }
            }
        }
    }
    if counts.is_empty() {
        let next = "use YCSB's complete output";
        return Err(input.wrong_at_end("no class of operations has a count", next));
    }
    for (class, name, figure) in figures {
        let samples = counts.get(class.name()).map(|(_, n)| *n);
        observation.report((STREAM, class), &name, figure, samples);
    }
    without_modifies(&mut counts);
    let mut tallies = Vec::new();
    for (name, (class, n)) in counts.into_iter().filter(|(_, (_, n))| *n > 0) {
        let mut tally = tally(class, n, 0);
        tally.misses = missing.get(name).copied().unwrap_or(0).min(n);
        if let Some(lost) = failed.get(name).filter(|n| **n > 0) {
            found.note(format!("{lost} operations of the class {name} failed"));
        }
        tallies.push(tally);
    }
    finish(&mut observation, tallies, found);
    rates(&mut observation);
    Ok(observation)
}

/// Rates from the counts, over the run.
fn rates(observation: &mut Observation) {
    let Some(ns) = observation.point.window_ns else { return };
    let counts: Vec<(Class, u64)> =
        observation.point.cells[0].tallies.iter().map(|t| (t.class, t.ops)).collect();
    for (class, ops) in counts {
        let rate = Written::rate(ops, ns as f64 / 1e9);
        observation.report((STREAM, class), Reported::OPS_PER_S, rate, Some(ops));
    }
}

/// "READ   - Takes(s): 10.0, Count: 500, OPS: 50.0, Avg(us): 1000, …, 99th(us): 2500"
fn go(input: &Input<'_>, found: &mut ImportedFile) -> Result<Observation> {
    let mut observation = Observation::new("run", None);
    let mut lines: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    let mut finished = false;
    let file = input.file;
    for (at, line) in input.lines() {
        // "recordcount"="1000"
        if let Some((key, value)) = line.trim().split_once("\"=\"") {
            let (key, value) = (key.trim_matches('"'), value.trim_matches('"'));
            set_property(&mut observation, key, value);
            if key == "dotransactions" {
                let phase = if value == "false" { "load" } else { "run" };
                observation.load.set("phase", phase);
            }
        } else if line.contains("Run finished, takes") {
            finished = true;
            lines.clear();
        } else if let Some((name, rest)) = line.split_once(" - Takes(s):") {
            lines.insert(name.trim().to_string(), (at, rest));
        }
    }
    if lines.is_empty() {
        let next = "give what YCSB or go-ycsb printed at the end of a run";
        return Err(input.wrong_at_end("neither '[OVERALL],' nor 'NAME - Takes(s):'", next));
    }
    if !finished {
        observation.load.set(field::RUN, "interrupted");
        found.note(format!("{file}: the run did not end; its last interim figures were read"));
    }
    let mut tallies = Vec::new();
    let mut longest = 0.0f64;
    let mut counts: BTreeMap<&'static str, (Class, u64)> = BTreeMap::new();
    for (name, (at, rest)) in &lines {
        let values = pairs(rest);
        let value = |key: &str| values.iter().find(|(own, _)| *own == key).map(|pair| pair.1);
        let count = match value("Count") {
            Some(text) => number(file, *at, "count", text)? as u64,
            None => continue,
        };
        if let Some(of) = name.strip_suffix("_ERROR") {
            found.note(format!("{count} operations of the class {of} failed"));
            continue;
        }
        let Some(class) = class_of(name) else { continue };
        let seconds = rest.split(',').next().unwrap_or_default();
        let seconds = number(file, *at, "seconds", seconds)?;
        longest = longest.max(seconds);
        counts.insert(class.name(), (class, count));
        for (key, text) in &values {
            if let Some((figure, unit)) = latency_of_pair(key) {
                let latency = written(file, *at, key, text)?.times(unit);
                observation.report((STREAM, class), &figure, latency, Some(count));
            }
        }
    }
    without_modifies(&mut counts);
    for (class, n) in counts.into_values().filter(|(_, n)| *n > 0) {
        tallies.push(tally(class, n, 0));
    }
    observation.point.window_ns = window_ns(longest * 1e9);
    finish(&mut observation, tallies, found);
    rates(&mut observation);
    Ok(observation)
}
