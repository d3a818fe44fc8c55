//! go-tpc's summary of TPC-C: "[Summary] NEW_ORDER - Takes(s): 59.9, Count: 1290, TPM: …", also
//! with TPC-H queries run at the same time.

use super::text::{latency_of_pair, number, pairs, window_ns, written};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, Observation, Written, cell, tally};
use dyno_core::base::error::Result;
use dyno_core::plan::Timing;
use dyno_core::record::{Class, Fact, Reported};

pub struct GoTpc;

const STREAM: &str = "go-tpc";

impl ImportFormat for GoTpc {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "go_tpc",
            summary: "go-tpc's summary of a TPC-C run",
            missing: &[
                "threads and warehouses, which go-tpc does not print",
                "intervals",
                "readings of meters",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let mut found = ImportedFile::default();
        let mut observation = Observation::new("tpc-c", None);
        let mut tallies = Vec::new();
        let mut longest = 0.0f64;
        let file = input.file;
        for (at, line) in input.lines() {
            let line = line.trim().trim_start_matches('>').trim();
            if let Some(rest) = line.strip_prefix("tpmC:") {
                found.facts.push(Fact::new("Imported", "tpmC", rest.trim()));
            }
            let Some((name, rest)) =
                line.strip_prefix("[Summary]").and_then(|rest| rest.split_once(" - "))
            else {
                continue;
            };
            let name = name.trim();
            let values = pairs(rest);
            let value = |key: &str| values.iter().find(|(own, _)| *own == key).map(|pair| pair.1);
            let count = number(file, at, "count", value("Count").unwrap_or_default())? as u64;
            if let Some(of) = name.strip_suffix("_ERR") {
                found.note(format!("{count} transactions of {of} failed"));
                continue;
            }
            let Some(class) = class_of(name) else {
                found.note(format!("'{name}' was left out: it is not a transaction of TPC-C"));
                continue;
            };
            let seconds = value("Takes(s)").unwrap_or_default();
            let seconds = number(file, at, "seconds", seconds)?;
            longest = longest.max(seconds);
            if count == 0 || seconds <= 0.0 {
                continue;
            }
            // TPM of some versions is rounded or for another window.
            let rate = Written::rate(count, seconds);
            observation.report((STREAM, class), Reported::OPS_PER_S, rate, Some(count));
            for (key, text) in &values {
                if let Some((figure, unit)) = latency_of_pair(key) {
                    let latency = written(file, at, key, text)?.times(unit);
                    observation.report((STREAM, class), &figure, latency, Some(count));
                }
            }
            tallies.push(tally(class, count, 0));
        }
        if tallies.is_empty() {
            let next = "give what go-tpc printed to its end; interim lines begin with [Current]";
            return Err(input.wrong_at_end("no line begins with '[Summary]'", next));
        }
        observation.timing = Some(Timing::Service);
        observation.point.window_ns = window_ns(longest * 1e9);
        observation.point.cells.push(cell(STREAM, 0, None, None, tallies));
        found.observations.push(observation);
        Ok(found)
    }
}

fn class_of(name: &str) -> Option<Class> {
    Some(match name {
        "NEW_ORDER" => Class::new("new-order"),
        "PAYMENT" => Class::new("payment"),
        "DELIVERY" => Class::new("delivery"),
        "ORDER_STATUS" => Class::new("order-status"),
        "STOCK_LEVEL" => Class::new("stock-level"),
        _ => return None,
    })
}
