//! Every point as comma-separated values: a row for each stream, drive, instance and class, in plain units, for other
//! tools. An empty cell was not measured.

use std::io::Write;

use super::metered::Metered;
use super::reading::{ClassNumbers, Numbers};
use crate::base::error::Result;
use crate::base::units::Rate;
use crate::plan::PointKey;
use crate::record::{Cell, Outcome, POWER_CLASSES, Point};

pub const HEADER: &str = "subject,step,axis,value,repeat,stream,headline,drive,instance,class,threads,depth,ops,\
ops_per_s,bytes_per_s,mean_ns,p50_ns,p95_ns,p99_ns,p999_ns,p9999_ns,max_ns,response_mean_ns,response_p99_ns,late,\
backlog_max,backlog_end,asked,asked_unit,misses,window_ns,outcome,\
drive_watts,drive_joules,slot_watts,slot_joules,system_watts,system_joules,cpu_watts,cpu_joules,limited_by,because";

/// Columns between the key and the outcome, which a point that failed before it measured anything leaves empty.
const MEASURES: usize = 25;

pub fn write_point(out: &mut dyn Write, point: &Point, metered: &Metered) -> Result<()> {
    let watched = watched(metered);
    let outcome = match &point.outcome {
        Outcome::Measured => "measured".to_string(),
        Outcome::Failed { cause } => format!("failed: {cause}"),
    };
    let mut rows = 0;
    for cell in &point.cells {
        let numbers = Numbers::of(&[cell], point.window_ns);
        for class in &numbers.classes {
            let mut row = key(&point.key);
            row.extend(measures(cell, class, point.window_ns));
            row.extend([point.window_ns.to_string(), outcome.clone()]);
            row.extend(watched.clone());
            write_row(out, &row)?;
            rows += 1;
        }
    }
    if rows == 0 {
        let mut row = key(&point.key);
        row.extend(std::iter::repeat_n(String::new(), MEASURES));
        row.extend([point.window_ns.to_string(), outcome]);
        row.extend(watched);
        write_row(out, &row)?;
    }
    Ok(())
}

/// The same in every row of a point: mean power and energy by class, from the first instrument of each, and what limited it.
fn watched(metered: &Metered) -> Vec<String> {
    let mut row = Vec::new();
    for class in POWER_CLASSES {
        let series = metered.power.iter().find(|s| s.class == class);
        let power = series.and_then(|s| s.over(metered.window_s));
        row.push(power.as_ref().map(|p| format!("{:.6}", p.mean_watts.value)).unwrap_or_default());
        row.push(power.and_then(|p| p.joules).map(|j| format!("{j:.6}")).unwrap_or_default());
    }
    let verdict = metered.verdict.as_ref();
    row.push(verdict.map(|v| v.limit.name().to_string()).unwrap_or_default());
    row.push(verdict.map(|v| v.evidence.clone()).unwrap_or_default());
    row
}

fn key(key: &PointKey) -> Vec<String> {
    let (axis, value) = match &key.axis {
        Some(axis) if axis.value.is_infinite() => (axis.name.clone(), "max".to_string()),
        Some(axis) => (axis.name.clone(), axis.value.to_string()),
        None => Default::default(),
    };
    vec![key.subject.clone(), key.step.clone(), axis, value, key.repeat.to_string()]
}

fn measures(cell: &Cell, class: &ClassNumbers, window_ns: u64) -> Vec<String> {
    let seconds = window_ns.max(1) as f64 / 1e9;
    let number = |value: Option<f64>| value.map(|v| format!("{v:.0}")).unwrap_or_default();
    let (asked, unit) = match cell.asked {
        Some(Rate::OpsPerSec(rate)) => (rate.to_string(), "ops/s"),
        Some(Rate::BytesPerSec(rate)) => (rate.to_string(), "bytes/s"),
        None => (String::new(), ""),
    };
    let mut row = vec![
        cell.stream.clone(),
        cell.headline.to_string(),
        cell.drive.to_string(),
        cell.instance.to_string(),
        class.class.name().to_string(),
        cell.threads.to_string(),
        cell.depth.to_string(),
        class.ops.to_string(),
        format!("{:.3}", class.ops as f64 / seconds),
        format!("{:.3}", class.bytes as f64 / seconds),
        number(class.service.mean_ns),
    ];
    row.extend(class.service.percentiles_ns.iter().map(|p| number(*p)));
    row.push(class.service.max_ns.to_string());
    row.push(number(class.response.as_ref().and_then(|r| r.mean_ns)));
    row.push(number(class.response.as_ref().and_then(|r| r.percentiles_ns[super::reading::P99])));
    let open = |n: u64| if cell.asked.is_some() { n.to_string() } else { String::new() };
    row.extend([open(cell.late), open(cell.backlog_max), open(cell.backlog_end), asked, unit.to_string()]);
    row.push(class.misses.to_string());
    row
}

fn write_row(out: &mut dyn Write, cells: &[String]) -> Result<()> {
    let quoted: Vec<String> = cells.iter().map(|c| quote(c)).collect();
    writeln!(out, "{}", quoted.join(","))?;
    Ok(())
}

fn quote(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_as_many_cells_as_the_header() {
        let key_cells = 5;
        assert_eq!(HEADER.split(',').count(), key_cells + MEASURES + 2 + watched(&Metered::default()).len());
    }

    #[test]
    fn commas_and_quotes_are_quoted() {
        assert_eq!(quote("a, \"b\""), "\"a, \"\"b\"\"\"");
        assert_eq!(quote("plain"), "plain");
    }
}
