//! BenchBase's `…summary.json`.

use super::load::field;
use super::text::{json, json_number, window_ns};
use super::{
    FormatInfo, ImportFormat, ImportedFile, Input, Observation, TRANSACTION, Written, cell, tally,
};
use dyno_core::base::error::{Result, failed};
use dyno_core::record::{Fact, Reported};

pub struct BenchBase;

const STREAM: &str = "benchbase";

/// Latencies, by their names in the file.
const LATENCIES: [(&str, &str); 7] = [
    ("Average Latency (microseconds)", "mean_ns"),
    ("Maximum Latency (microseconds)", "max_ns"),
    ("Median Latency (microseconds)", "p50_ns"),
    ("75th Percentile Latency (microseconds)", "p75_ns"),
    ("90th Percentile Latency (microseconds)", "p90_ns"),
    ("95th Percentile Latency (microseconds)", "p95_ns"),
    ("99th Percentile Latency (microseconds)", "p99_ns"),
];

impl ImportFormat for BenchBase {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "benchbase",
            summary: "BenchBase's summary.json",
            missing: &[
                "latencies by kind of transaction",
                "whether latencies are service or response times",
                "intervals",
                "readings of meters",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let root = json(input, "use the whole summary.json that BenchBase wrote")?;
        let rate = json_number(&root["Throughput (requests/second)"]).ok_or_else(|| {
            let next = "give BenchBase's summary.json";
            failed(format!("{}: there is no throughput", input.file), next)
        })?;
        let kind = root["Benchmark Type"].as_str().unwrap_or("benchbase");
        let window = json_number(&root["Elapsed Time (nanoseconds)"]).and_then(window_ns);
        let mut observation = Observation::new(kind, window);
        let ended = json_number(&root["Current Timestamp (milliseconds)"]).unwrap_or(0.0) * 1e6;
        let began = ended - window.unwrap_or(0) as f64;
        observation.point.started_unix_ns = began.max(0.0) as u64;
        for (key, name) in [
            ("terminals", field::THREADS),
            ("scalefactor", field::SCALE),
            ("isolation", "isolation"),
            ("DBMS Type", field::ENGINE),
        ] {
            match (json_number(&root[key]), root[key].as_str()) {
                (Some(n), _) => observation.load.set(name, n),
                (None, Some(text)) => observation.load.set(name, text),
                _ => {}
            }
        }
        observation.set_threads(observation.load.number(field::THREADS));
        let of = (STREAM, TRANSACTION);
        let count = json_number(&root["Measured Requests"]).map(|n| n as u64);
        observation.report(of, Reported::OPS_PER_S, Written::exact(rate), count);
        for (key, name) in LATENCIES {
            if let Some(us) = json_number(&root["Latency Distribution"][key]) {
                observation.report(of, name, Written::exact(us * 1e3), count);
            }
        }
        let mut found = ImportedFile::default();
        if let Some(good) = json_number(&root["Goodput (requests/second)"]) {
            found.facts.push(Fact::new(
                "Imported",
                format!("goodput of {kind}"),
                format!("{good}/s"),
            ));
            if good < rate * 0.99 {
                found.note(format!(
                    "{}: {good} of {rate} requests/s were committed (goodput)",
                    input.file
                ));
            }
        }
        if let Some(version) = root["DBMS Version"].as_str() {
            found.facts.push(Fact::new("Imported", "DBMS version", version));
        }
        let state = root["Final State"].as_str().unwrap_or("EXIT");
        if state != "EXIT" && state != "DONE" {
            observation.load.set(field::RUN, "interrupted");
            found.note(format!("{}: the run ended in the state {state}", input.file));
        }
        let tallies = count.map(|n| tally(TRANSACTION, n, 0));
        let threads = observation.load.workers(field::THREADS);
        observation.point.cells.push(cell(STREAM, 0, threads, None, tallies.into_iter().collect()));
        found.observations.push(observation);
        Ok(found)
    }
}
