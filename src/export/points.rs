//! A row for each point, stream, drive, instance and class of op, with rates and percentiles.

use super::Stored;
use super::{Column, Kind, Table, Value, key};
use crate::analysis::meter_facts::Metered;
use crate::analysis::point_numbers::{ClassNumbers, Numbers};
use crate::analysis::point_summary::{P99, PERCENTILES};
use crate::base::error::Result;
use crate::base::units::Rate;
use crate::language::Language;
use crate::record::gauge::power;
use crate::record::{Cell, Outcome, POWER_CLASSES};

pub struct Points;

/// Columns between the key and the outcome, which a point that failed before it measured anything
/// leaves empty.
const MEASURES: [Column; 28] = [
    ("stream", Kind::Text),
    ("headline", Kind::Truth),
    ("drive", Kind::Whole),
    ("instance", Kind::Whole),
    ("class", Kind::Text),
    ("threads", Kind::Whole),
    ("depth", Kind::Whole),
    ("ops", Kind::Whole),
    ("ops_per_s", Kind::Real),
    ("bytes_per_s", Kind::Real),
    ("mean_ns", Kind::Real),
    ("p50_ns", Kind::Real),
    ("p95_ns", Kind::Real),
    ("p99_ns", Kind::Real),
    ("p999_ns", Kind::Real),
    ("p9999_ns", Kind::Real),
    ("max_ns", Kind::Whole),
    ("p99_low_ns", Kind::Real),
    ("p99_high_ns", Kind::Real),
    ("response_mean_ns", Kind::Real),
    ("response_p99_ns", Kind::Real),
    ("late", Kind::Whole),
    ("backlog_max", Kind::Whole),
    ("backlog_end", Kind::Whole),
    ("asked", Kind::Real),
    ("asked_unit", Kind::Text),
    ("misses", Kind::Whole),
    ("given_up", Kind::Whole),
];

const END: [Column; 4] = [
    ("window_ns", Kind::Whole),
    ("outcome", Kind::Text),
    ("started_unix_ns", Kind::Whole),
    ("bundle", Kind::Text),
];

/// The same in every row of a point: mean power and energy by class, from the first instrument of
/// each, and what limited it.
const WATCHED: [Column; 10] = [
    (power::DRIVE_WATTS, Kind::Real),
    ("drive_joules", Kind::Real),
    (power::SLOT_WATTS, Kind::Real),
    ("slot_joules", Kind::Real),
    (power::SYSTEM_WATTS, Kind::Real),
    ("system_joules", Kind::Real),
    (power::CPU_WATTS, Kind::Real),
    ("cpu_joules", Kind::Real),
    ("limited_by", Kind::Text),
    ("because", Kind::Text),
];

impl Table for Points {
    fn name(&self) -> &'static str {
        "points"
    }

    fn columns(&self) -> Vec<Column> {
        [&key::POINT[..], &MEASURES, &WATCHED, &END].concat()
    }

    fn rows(
        &self,
        stored: &Stored<'_>,
        row: &mut dyn FnMut(Vec<Value>) -> Result<()>,
    ) -> Result<()> {
        let point = &stored.point.point;
        let outcome = match &point.outcome {
            Outcome::Measured => "measured".to_string(),
            Outcome::Failed { cause } => format!("failed: {cause}"),
        };
        let watched = watched(stored.metered);
        let mut write = |measures: Vec<Value>| {
            let started = Some(point.started_unix_ns).filter(|t| *t > 0);
            let end = [
                point.window_ns.into(),
                outcome.as_str().into(),
                started.into(),
                stored.file.into(),
            ];
            row([key::of_point(&point.key), measures, watched.clone(), end.to_vec()].concat())
        };
        let mut rows = 0;
        for cell in &point.cells {
            let mut numbers = Numbers::of(&[cell], point.window_ns);
            // Reported figures are of the stream as a whole.
            if point.cells.iter().filter(|c| c.stream == cell.stream).count() == 1 {
                stored
                    .reported
                    .iter()
                    .filter(|t| t.stream == cell.stream)
                    .for_each(|t| numbers.report(t));
            }
            for class in &numbers.classes {
                write(measures(cell, class, point.window_ns))?;
                rows += 1;
            }
        }
        if rows == 0 {
            write(vec![Value::Missing; MEASURES.len()])?;
        }
        Ok(())
    }
}

fn watched(metered: &Metered) -> Vec<Value> {
    let mut row = Vec::new();
    for class in POWER_CLASSES {
        let series = metered.power.iter().find(|s| s.class == class);
        let power = series.and_then(|s| s.over(metered.window_s));
        row.push(power.as_ref().map(|p| p.mean_watts).into());
        row.push(power.and_then(|p| p.joules).into());
    }
    let verdict = metered.verdict.as_ref();
    row.push(verdict.map(|v| v.limit.name()).into());
    row.push(verdict.map(|v| Language::ENGLISH.text(&v.evidence)).as_deref().into());
    row
}

fn measures(cell: &Cell, class: &ClassNumbers, window_ns: u64) -> Vec<Value> {
    let per_s = |n: u64| n as f64 / (window_ns.max(1) as f64 / 1e9);
    let (asked, unit) = match cell.asked {
        Some(Rate::OpsPerSec(rate)) => (Some(rate), Some("ops/s")),
        Some(Rate::BytesPerSec(rate)) => (Some(rate), Some("bytes/s")),
        None => (None, None),
    };
    let [low, high] = match class.service.bounds_ns[P99] {
        Some((low, high)) => [low.into(), high.into()],
        None => [Value::Missing, Value::Missing],
    };
    let open = |n: u64| cell.asked.map(|_| n).into();
    let response = class.response.as_ref();
    let [stream, drive, instance, name] =
        key::of_part(&cell.stream, cell.drive, cell.instance, class.class);
    let mut row = vec![stream, cell.headline.into(), drive, instance, name];
    row.extend([cell.threads.into(), cell.depth.into(), class.ops.into()]);
    row.extend([per_s(class.ops).into(), per_s(class.bytes).into(), class.service.mean_ns.into()]);
    row.extend((0..PERCENTILES.len()).map(|i| class.service.percentiles_ns[i].into()));
    // An imported point may have no latencies at all; its maximum is then unknown, and not zero.
    row.push(Some(class.service.max_ns).filter(|ns| *ns > 0).into());
    row.extend([low, high]);
    row.push(response.and_then(|r| r.mean_ns).into());
    row.push(response.and_then(|r| r.percentiles_ns[P99]).into());
    row.extend([
        open(cell.late),
        open(cell.backlog_max),
        open(cell.backlog_end),
        asked.into(),
        unit.into(),
    ]);
    row.extend([class.misses.into(), class.given_up.into()]);
    row
}
