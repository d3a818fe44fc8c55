//! fio's JSON output: `--output-format=json`, or json+ with its histograms.

use serde_json::Value;

use super::text::wrong;
use super::{FormatInfo, ImportFormat, ImportedFile, ImportedPoint, Input, Written, cell};
use crate::base::error::{Result, failed};
use crate::base::histogram::Histogram;
use crate::plan::{LoopKind, Timing};
use crate::record::{Class, Fact, Outcome, Tally};

pub struct Fio;

/// fio counts latencies up to about 17 s, and an op takes a nanosecond at least.
const MOST_OPS: u64 = 1 << 50;

impl ImportFormat for Fio {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "fio",
            summary: "fio's JSON (--output-format=json or json+); json+ contains all latencies",
            missing: &[
                "intervals",
                "readings of meters",
                "when an op was due: all latencies are service times (clat)",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        // fio's warnings precede the JSON if both go to the same file.
        let start = input.text.find('{').unwrap_or(0);
        let before = input.text[..start]
            .lines()
            .count()
            .saturating_sub(usize::from(start > 0 && !input.text[..start].ends_with('\n')));
        let root: Value = serde_json::from_str(input.text[start..].trim_end()).map_err(|e| {
            let next =
                "use the complete file written by fio with --output-format=json; a killed run \
                 leaves a partial one";
            wrong(input.file, before + e.line(), format!("not JSON as fio writes it: {e}"), next)
        })?;
        let strange = |what: &str| {
            failed(format!("{}: {what}", input.file), "give the JSON output of fio 3.0 or later")
        };
        let version =
            root["fio version"].as_str().ok_or_else(|| strange("there is no \"fio version\""))?;
        let jobs = root["jobs"]
            .as_array()
            .filter(|jobs| !jobs.is_empty())
            .ok_or_else(|| strange("there are no jobs"))?;
        let started = root["timestamp_ms"].as_u64().unwrap_or(0).saturating_mul(1_000_000);
        let mut found = ImportedFile::default();
        found.facts.push(Fact::new("Imported", "fio version", version));
        let mut group = None;
        for job in jobs {
            let name = job["jobname"].as_str().ok_or_else(|| strange("a job has no name"))?;
            let place = format!("{}, job '{name}'", input.file);
            // Jobs of one group run at the same time.
            let of = job["groupid"].as_u64();
            if group != Some(of) {
                group = Some(of);
                let mut entry = ImportedPoint::new(name, None, Some(runtime_ns(job)));
                entry.point.started_unix_ns = started;
                (entry.timing, entry.loop_kind) = (Some(Timing::Service), Some(LoopKind::Closed));
                found.entries.push(entry);
            }
            if let Some(entry) = found.entries.last_mut() {
                add_job(entry, &root, job, name, &place)?;
            }
        }
        for entry in &mut found.entries {
            found.facts.extend(several(entry));
        }
        Ok(found)
    }
}

fn runtime_ns(job: &Value) -> u64 {
    let of = |direction: &str| job[direction]["runtime"].as_u64().unwrap_or(0);
    of("read").max(of("write")).max(1).saturating_mul(1_000_000)
}

/// Whether fio's output shows that a job had a target rate, or does not contain its options.
fn may_be_paced(root: &Value, job: &Value) -> bool {
    let said = [&job["job options"], &root["global options"]];
    let paced = |options: &Value| ["rate", "rate_iops"].iter().any(|key| !options[key].is_null());
    job["job options"].is_null() || said.into_iter().any(paced)
}

fn add_job(
    entry: &mut ImportedPoint,
    root: &Value,
    job: &Value,
    name: &str,
    place: &str,
) -> Result<()> {
    let option = |key: &str| {
        let written =
            job["job options"][key].as_str().or_else(|| root["global options"][key].as_str());
        written.and_then(|v| v.parse().ok()).unwrap_or(1u32).clamp(1, 65_536)
    };
    if may_be_paced(root, job) {
        entry.loop_kind = None;
    }
    let error = job["error"].as_i64().unwrap_or(0);
    if error != 0 {
        entry.point.outcome =
            Outcome::Failed { cause: format!("fio: job {name} ended with error {error}") };
    }
    let mut tallies = Vec::new();
    for (direction, class) in [("read", Class::READ), ("write", Class::WRITE)] {
        let part = &job[direction];
        if part.is_null() {
            return Err(failed(
                format!("{place}: no {direction}s are reported"),
                "the file may be truncated; export it again",
            ));
        }
        let ops = part["total_ios"].as_u64().unwrap_or(0).min(MOST_OPS);
        if ops == 0 {
            continue;
        }
        if part["clat_ns"].is_null() {
            let what = format!("{place}: there is no \"clat_ns\" for its {direction}s");
            return Err(failed(
                what,
                "fio 2 prints microseconds, and gtod_reduce=1 omits it; run fio 3 without it",
            ));
        }
        let service = latencies(&part["clat_ns"], place)?;
        if service.is_empty() {
            report(entry, &part["clat_ns"], name, class, ops);
        }
        let bytes = part["io_bytes"].as_u64().unwrap_or(0).min(1 << 60);
        tallies.push(Tally { class, ops, bytes, misses: 0, given_up: 0, service, response: None });
    }
    let instance = entry.point.cells.iter().filter(|c| c.stream == name).count() as u32;
    // fio's own default for both is one.
    let (threads, depth) = (Some(option("numjobs")), Some(option("iodepth")));
    entry.point.cells.push(cell(name, instance, threads, depth, tallies));
    Ok(())
}

/// Jobs with the same name that fio reports individually are the clones of `numjobs`, each a
/// separate thread; figures reported for one do not apply to all. Returns what was omitted, if
/// anything.
fn several(entry: &mut ImportedPoint) -> Option<Fact> {
    let clones = |cells: &[crate::record::Cell], stream: &str| {
        cells.iter().filter(|c| c.stream == stream).count()
    };
    let names: Vec<String> = entry.point.cells.iter().map(|c| c.stream.clone()).collect();
    let cloned: Vec<&String> =
        names.iter().filter(|name| clones(&entry.point.cells, name) > 1).collect();
    for cell in &mut entry.point.cells {
        if cloned.contains(&&cell.stream) {
            cell.threads = Some(1);
        }
    }
    let before = entry.reported.len();
    entry.reported.retain(|t| !cloned.contains(&&t.stream));
    let what = "left out: fio reported them for each of several jobs, and they cannot be merged; \
                run it with group_reporting, or import json+";
    (entry.reported.len() < before)
        .then(|| Fact::new("Imported", format!("latencies of {}", entry.step), what))
}

/// json+: the bins, each a latency that represents those within 0.8 % of it. Empty for plain json.
fn latencies(clat: &Value, place: &str) -> Result<Histogram> {
    let mut all = Histogram::new();
    let Some(bins) = clat["bins"].as_object() else { return Ok(all) };
    for (ns, n) in bins {
        let (Ok(ns), Some(n)) = (ns.parse::<u64>(), n.as_u64().filter(|n| *n < MOST_OPS)) else {
            return Err(failed(
                format!("{place}: '{ns}: {n}' is not a bin"),
                "give the json+ that fio wrote, unedited",
            ));
        };
        all.add_n(ns, n);
    }
    let reported = |key: &str| clat[key].as_f64().filter(|v| v.is_finite() && *v >= 0.0);
    if let (Some(mean), Some(min), Some(max)) = (reported("mean"), reported("min"), reported("max"))
    {
        // These are exact; the bins are not.
        all.sum_ns = (mean * all.count as f64).round() as u64;
        (all.min_ns, all.max_ns) = (min as u64, max as u64);
    }
    Ok(all)
}

/// Plain json: the figures in place of latencies.
fn report(entry: &mut ImportedPoint, clat: &Value, stream: &str, class: Class, ops: u64) {
    for key in ["mean", "max"] {
        if let Some(value) = clat[key].as_f64().filter(|v| v.is_finite() && *v >= 0.0) {
            let figure = Written { value, digits: None };
            entry.report((stream, class), &format!("{key}_ns"), figure, Some(ops));
        }
    }
    let percentiles = clat["percentile"].as_object().into_iter().flatten();
    for (percentile, value) in percentiles {
        if let (Ok(p), Some(value)) =
            (percentile.parse::<f64>(), value.as_f64().filter(|v| v.is_finite() && *v >= 0.0))
        {
            // fio's bins are 1/64 of an octave wide, and it prints their middle.
            let half = value / 128.0;
            let bounds = (value - half, value + half);
            let figure = Written { value, digits: None }.within(bounds);
            entry.report_within((stream, class), &format!("p{p}_ns"), figure, Some(ops));
        }
    }
}
