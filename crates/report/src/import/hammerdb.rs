//! HammerDB's logs of TPROC-C: the result lines of one run or of an autopilot's many.

use super::text::{number, written, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, ImportedPoint, Input, cell};
use crate::base::error::Result;
use crate::plan::Field;
use crate::record::{Class, Fact, Reported};

pub struct HammerDb;

/// The log's text about a timed run before its result.
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
                "all latencies",
                "intervals",
                "readings of meters",
                "the mix of transactions beside TPM",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let mut found = ImportedFile::default();
        let mut run = TimedRun::default();
        for (index, line) in input.text.lines().enumerate() {
            let at = index + 1;
            if let Some(before) = line
                .split(" Active Virtual Users configured")
                .next()
                .filter(|b| b.len() < line.len())
            {
                let word = before.rsplit([' ', ':']).next().unwrap_or_default();
                let users = number(input.file, at, "number of users", word)?;
                run.users = Some(users.clamp(1.0, 65_536.0));
            } else if let Some((_, rest)) = line.split_once("Timing test period of ") {
                let word = rest.split_whitespace().next().unwrap_or_default();
                run.minutes = Some(number(input.file, at, "length in minutes", word)?);
            } else if let Some((_, rest)) = line.split_once("System achieved ") {
                found.entries.push(result(input.file, at, rest, run, &mut found.facts)?);
                // The next run prints its number of users again.
                run.users = None;
            }
        }
        if found.entries.is_empty() {
            let last = input.text.lines().count().max(1);
            let next = "give the log of a timed run (AWR or timed driver) to its end";
            return Err(wrong(
                input.file,
                last,
                "the log ends without 'System achieved … NOPM'",
                next,
            ));
        }
        Ok(found)
    }
}

/// "45110 NOPM from 104764 MySQL TPM"; before HammerDB 4: "104764 MySQL TPM at 45110 NOPM"
fn result(
    file: &str,
    at: usize,
    rest: &str,
    TimedRun { users, minutes }: TimedRun,
    facts: &mut Vec<Fact>,
) -> Result<ImportedPoint> {
    let words: Vec<&str> = rest.split_whitespace().collect();
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
    let rate = written(file, at, "NOPM", words[nopm - 1])?.times(1.0 / 60.0);
    let total = words[..tpm].iter().rev().find_map(|w| w.parse::<f64>().ok()).unwrap_or(0.0);
    let window_ns = minutes.filter(|m| *m > 0.0).map(|m| (m * 60e9).min(1e18) as u64);
    let mut entry = ImportedPoint::new("tproc-c", users.map(|n| (Field::Threads, n)), window_ns);
    let threads = users.map(|n| n as u32);
    entry.point.cells.push(cell("hammerdb", 0, threads, None, Vec::new()));
    entry.report(("hammerdb", Class::WRITE), Reported::OPS_PER_S, rate, None);
    let name = users.map_or_else(|| "TPM".to_string(), |n| format!("TPM at {n} users"));
    facts.push(Fact::new("Imported", name, total));
    Ok(entry)
}
