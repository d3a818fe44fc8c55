//! HammerDB's logs of TPROC-C: the result lines of one run or of an autopilot's many, the results
//! of its jobs as JSON, and time profiles.

use super::text::{self, leading, number, time_unit, written, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, Observation, cell};
use dyno_core::base::error::Result;
use dyno_core::record::{Class, Fact, Reported};

pub struct HammerDb;

/// The stream of its virtual users.
const USERS: &str = "hammerdb";

/// New-Order transactions, which NOPM counts.
const NEW_ORDER: Class = Class::new("new-order");

/// The log's text about a timed run that precedes its result.
#[derive(Clone, Copy, Default)]
struct TimedRun {
    users: Option<f64>,
    minutes: Option<f64>,
}

impl ImportFormat for HammerDb {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "hammerdb",
            summary: "HammerDB's log of a timed TPROC-C run; ops are New-Orders (NOPM)",
            missing: &[
                "latencies, unless the run has a time profile",
                "intervals",
                "readings of meters",
                "the mix of transactions beside TPM",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let mut found = ImportedFile::default();
        let mut run = TimedRun::default();
        let mut results: Vec<(f64, f64)> = Vec::new();
        let mut profile = Profile::default();
        let mut in_json = false;
        for (at, line) in input.lines() {
            let trimmed = line.trim();
            // The job's result repeats that of the run, as text in JSON.
            if trimmed == "HAMMERDB RESULT" {
                in_json = true;
            } else if in_json && trimmed == "]" {
                in_json = false;
            }
            let plain = trimmed.trim_start_matches('"');
            if let Some((before, _)) = plain.split_once(" Active Virtual Users configured") {
                let word = before.rsplit([' ', ':', '"']).next().unwrap_or_default();
                run.users = Some(number(input.file, at, "number of users", word)?);
            } else if let Some((_, rest)) = plain.split_once("Timing test period of ") {
                let word = rest.split_whitespace().next().unwrap_or_default();
                run.minutes = Some(number(input.file, at, "length in minutes", word)?);
            } else if let Some((_, rest)) = plain.split_once("System achieved ") {
                let (observation, result) = result(input.file, at, rest, run)?;
                let repeated = in_json && results.contains(&result);
                if !repeated {
                    let name = run
                        .users
                        .map_or_else(|| "TPM".to_string(), |n| format!("TPM at {n} users"));
                    found.facts.push(Fact::new("Imported", name, result.1));
                    results.push(result);
                    found.observations.push(observation);
                    profile = Profile::default();
                }
                // The next run prints its number of users again.
                run.users = None;
            } else {
                profile.line(input.file, at, plain, &mut found)?;
            }
        }
        if found.observations.is_empty() {
            let next = "give the log of a timed run (AWR or timed driver) to its end";
            return Err(input.wrong_at_end("the log ends without 'System achieved … NOPM'", next));
        }
        Ok(found)
    }
}

/// "45110 NOPM from 104764 MySQL TPM"; before HammerDB 4: "104764 MySQL TPM at 45110 NOPM". Returns
/// NOPM and TPM too.
fn result(
    file: &str,
    at: usize,
    rest: &str,
    TimedRun { users, minutes }: TimedRun,
) -> Result<(Observation, (f64, f64))> {
    let words: Vec<&str> =
        rest.split_whitespace().map(|word| word.trim_matches(['"', ','])).collect();
    let nopm = words.iter().position(|w| *w == "NOPM").filter(|i| *i > 0);
    let tpm = words.iter().position(|w| *w == "TPM").filter(|i| *i > 1);
    let (Some(nopm), Some(tpm)) = (nopm, tpm) else {
        return Err(wrong(
            file,
            at,
            "a result without NOPM and TPM",
            "the line may be truncated; use the complete log",
        ));
    };
    let written = written(file, at, "NOPM", words[nopm - 1])?;
    let total = words[..tpm].iter().rev().find_map(|w| w.parse::<f64>().ok()).unwrap_or(0.0);
    let window_ns = minutes.and_then(|m| text::window_ns(m * 60e9));
    let mut observation = Observation::new("tproc-c", window_ns);
    observation.set_threads(users);
    if let Some(engine) = words.get(tpm - 1).filter(|word| word.parse::<f64>().is_err()) {
        observation.load.set(super::load::field::ENGINE, *engine);
    }
    let threads = observation.load.workers(super::load::field::THREADS);
    observation.point.cells.push(cell(USERS, 0, threads, None, Vec::new()));
    let rate = written.times(1.0 / 60.0);
    observation.report((USERS, NEW_ORDER), Reported::OPS_PER_S, rate, None);
    Ok((observation, (written.value, total)))
}

/// A time profile: calls and latencies of each stored procedure, of one virtual user or of all.
#[derive(Default)]
struct Profile {
    /// The procedure of the following lines.
    class: Option<Class>,
    /// Its calls.
    calls: Option<u64>,
    /// Whether the lines are for all virtual users together.
    summary: bool,
}

/// The procedures of TPROC-C.
fn procedure(name: &str) -> Option<Class> {
    Some(match name.trim().to_uppercase().as_str() {
        "NEWORD" => NEW_ORDER,
        "PAYMENT" => Class::new("payment"),
        "DELIVERY" => Class::new("delivery"),
        "SLEV" => Class::new("stock-level"),
        "OSTAT" => Class::new("order-status"),
        _ => return None,
    })
}

impl Profile {
    fn line(&mut self, file: &str, at: usize, line: &str, found: &mut ImportedFile) -> Result<()> {
        if line.contains("SUMMARY OF") && line.contains("ACTIVE VIRTUAL USERS") {
            (self.summary, self.class) = (true, None);
        } else if line.contains("VIRTUAL USER") && line.contains("ELAPSED TIME") {
            self.class = None;
        }
        if let Some((_, name)) = line.split_once("PROC:") {
            self.class = procedure(name.split(';').next().unwrap_or(name));
        }
        let Some(class) = self.class else { return Ok(()) };
        let Some(observation) = found.observations.last_mut() else { return Ok(()) };
        if let Some((_, rest)) = line.split_once("CALLS:") {
            // Percentiles of several users cannot be added; the summary of all replaces the first
            // one's.
            let known =
                observation.reported.iter().any(|r| r.class == class && r.name == "mean_ns");
            if known && !self.summary {
                self.class = None;
                return Ok(());
            }
            observation.reported.retain(|r| r.class != class || r.name == Reported::OPS_PER_S);
            self.calls = leading(rest).and_then(|(number, _)| number.parse().ok());
        }
        let value = |key: &str| {
            let text = line.split_once(key)?.1.trim_start();
            let (number, rest) = leading(text)?;
            let unit = rest.split([' ', '\t', ';']).next().unwrap_or_default();
            Some((number, time_unit(unit)?))
        };
        let figures = [
            ("AVG:", "mean_ns"),
            ("MAX:", "max_ns"),
            ("P50:", "p50_ns"),
            ("P95:", "p95_ns"),
            ("P99:", "p99_ns"),
        ];
        let mut any = false;
        for (key, name) in figures {
            if let Some((number, unit)) = value(key) {
                let figure = written(file, at, name, number)?.times(unit);
                observation.report((USERS, class), name, figure, self.calls);
                any = true;
            }
        }
        if !any {
            return Ok(());
        }
        let whose = match self.summary {
            true => "of all virtual users",
            false => "of one virtual user, the first in its time profile",
        };
        found.note(format!("latencies in {file} are {whose}"));
        Ok(())
    }
}
