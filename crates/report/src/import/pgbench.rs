//! pgbench's final output.

use super::load::field;
use super::text::{leading, number, time_unit, window_ns, written};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, Observation, TRANSACTION, cell, tally};
use dyno_core::base::error::Result;
use dyno_core::plan::{LoopKind, Timing};
use dyno_core::record::{Fact, Reported};

pub struct Pgbench;

const STREAM: &str = "pgbench";

/// Settings that define the load.
const SETTINGS: [(&str, &str); 6] = [
    ("transaction type", "transactions"),
    ("scaling factor", field::SCALE),
    ("query mode", "query mode"),
    ("number of clients", field::THREADS),
    ("number of threads", "threads of pgbench"),
    ("partition method", "partitions"),
];

impl ImportFormat for Pgbench {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "pgbench",
            summary: "what PostgreSQL's pgbench prints at its end",
            missing: &[
                "percentiles, which pgbench does not print",
                "intervals",
                "readings of meters",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let mut found = ImportedFile::default();
        let mut observation = Observation::new("pgbench", None);
        let (mut tps, mut done, mut seconds, mut failed) = (None, None, None, 0);
        let of = (STREAM, TRANSACTION);
        let file = input.file;
        let mut script = None;
        for (at, line) in input.lines() {
            let line = line.trim();
            // Settings and figures of one of several scripts are indented.
            let Some((key, value)) = line.split_once(['=', ':']) else {
                if line.starts_with("pgbench (") {
                    found.facts.push(Fact::new("Imported", "pgbench version", line));
                }
                continue;
            };
            let (key, value) = (key.trim(), value.trim());
            if let Some((_, name)) = SETTINGS.iter().find(|(own, _)| *own == key) {
                observation.load.set_text(name, value);
                continue;
            }
            // "SQL script 1: <builtin: TPC-B (sort of)>", " - weight: 1 (targets 25.0% of total)"
            if let Some(number) = key.strip_prefix("SQL script ") {
                observation.load.set(&format!("script {number}"), value);
                script = Some(number.to_string());
            } else if let (Some(number), "- weight") = (&script, key) {
                observation.load.set(&format!("weight of script {number}"), first(value));
            }
            match key {
                "duration" => seconds = Some(number(file, at, "duration", first(value))?),
                "number of transactions actually processed" => {
                    let n = first(value).split('/').next().unwrap_or_default();
                    done = Some(number(file, at, "transactions", n)? as u64);
                }
                "number of failed transactions" => {
                    failed = number(file, at, "failed transactions", first(value))? as u64;
                }
                // The rate without the time to connect, the only one printed by newer versions.
                "tps" if value.contains("including") => {
                    tps = tps.or(Some(written(file, at, "tps", first(value))?));
                }
                "tps" => tps = Some(written(file, at, "tps", first(value))?),
                "latency average" | "latency average (including failures)" => {
                    let (number, rest) = leading(value).unwrap_or((value, "ms"));
                    let unit = time_unit(rest.split_whitespace().next().unwrap_or("ms"));
                    let mean = written(file, at, "latency", number)?;
                    if !observation.reported.iter().any(|r| r.name == "mean_ns") {
                        observation.report(of, "mean_ns", mean.times(unit.unwrap_or(1e6)), done);
                    }
                }
                "rate limit schedule lag" => {
                    observation.loop_kind = Some(LoopKind::Open);
                    found.note(format!("{file}: rate limit schedule lag {value}"));
                }
                _ => {}
            }
        }
        let Some(tps) = tps else {
            let next = "give what pgbench printed to its end";
            return Err(input.wrong_at_end("the output ends without 'tps = …'", next));
        };
        observation.report(of, Reported::OPS_PER_S, tps, done);
        let window = seconds.or_else(|| Some(done? as f64 / tps.value).filter(|s| s.is_finite()));
        observation.point.window_ns = window.and_then(|s| window_ns(s * 1e9));
        observation.set_threads(observation.load.number(field::THREADS));
        // With a target rate, pgbench measures from the due time of a transaction.
        observation.timing = match observation.loop_kind {
            Some(LoopKind::Open) => Some(Timing::Response),
            _ => Some(Timing::Service),
        };
        observation.loop_kind = observation.loop_kind.or(Some(LoopKind::Closed));
        let threads = observation.load.workers(field::THREADS);
        let mut own = done.map(|n| tally(TRANSACTION, n, 0));
        if let Some(tally) = &mut own {
            tally.given_up = failed;
        }
        if failed > 0 {
            found.note(format!("{file}: {failed} transactions failed"));
        }
        observation.point.cells.push(cell(STREAM, 0, threads, None, own.into_iter().collect()));
        found.observations.push(observation);
        Ok(found)
    }
}

fn first(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}
