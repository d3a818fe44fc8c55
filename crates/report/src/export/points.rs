//! A row for each point, stream, drive, instance and class of op, with rates and percentiles.

use super::{Column, ColumnKind, ExportTable, ExportValue, Stored, TakeRow, key};
use crate::analysis::limits::meter_facts::Metered;
use crate::analysis::points::point_numbers::{ClassNumbers, Numbers, Times};
use crate::analysis::points::point_summary::{P50, P95, P99, P999, P9999, P99999};
use crate::base::error::Result;
use crate::base::units::Rate;
use crate::brief::text::bottleneck_text;
use crate::language::Language;
use crate::record::gauge::power;
use crate::record::{Cell, Class, Outcome, POWER_CLASSES};

pub struct Points;

/// A class of op of a cell, as shown in a row.
struct OpClassRow<'a> {
    cell: &'a Cell,
    class: &'a ClassNumbers,
}

/// A column, and its contents.
type Filled = (Column, fn(&OpClassRow<'_>) -> ExportValue);

/// Columns between the key and the outcome, empty for a point that failed before it measured
/// anything.
const MEASURES: [Filled; 29] = [
    (key::PART[0], |r| r.cell.stream.as_str().into()),
    (("headline", ColumnKind::Truth), |r| r.cell.headline.into()),
    (key::PART[1], |r| r.cell.drive.into()),
    (key::PART[2], |r| r.cell.instance.into()),
    (key::PART[3], |r| r.class.class.name().into()),
    (("threads", ColumnKind::Whole), |r| r.cell.threads.into()),
    (("depth", ColumnKind::Whole), |r| r.cell.depth.into()),
    (("ops", ColumnKind::Whole), |r| r.class.ops.into()),
    (("ops_per_s", ColumnKind::Real), |r| r.rate(r.class.ops_per_s).into()),
    (("bytes_per_s", ColumnKind::Real), |r| r.rate(r.class.bytes_per_s).into()),
    (("mean_ns", ColumnKind::Real), |r| r.class.service.mean_ns.into()),
    (("p50_ns", ColumnKind::Real), |r| r.class.service.percentiles_ns[P50].into()),
    (("p95_ns", ColumnKind::Real), |r| r.class.service.percentiles_ns[P95].into()),
    (("p99_ns", ColumnKind::Real), |r| r.class.service.percentiles_ns[P99].into()),
    (("p999_ns", ColumnKind::Real), |r| r.class.service.percentiles_ns[P999].into()),
    (("p9999_ns", ColumnKind::Real), |r| r.class.service.percentiles_ns[P9999].into()),
    (("p99999_ns", ColumnKind::Real), |r| r.class.service.percentiles_ns[P99999].into()),
    // An imported point may have no latencies at all; its maximum is then unknown, not zero.
    (("max_ns", ColumnKind::Whole), |r| r.class.service.max_ns.into()),
    (("p99_low_ns", ColumnKind::Real), |r| {
        r.class.service.bounds_ns[P99].map(|(low, _)| low).into()
    }),
    (("p99_high_ns", ColumnKind::Real), |r| {
        r.class.service.bounds_ns[P99].map(|(_, high)| high).into()
    }),
    (("response_mean_ns", ColumnKind::Real), |r| r.response().and_then(|t| t.mean_ns).into()),
    (("response_p99_ns", ColumnKind::Real), |r| {
        r.response().and_then(|t| t.percentiles_ns[P99]).into()
    }),
    (("late", ColumnKind::Whole), |r| r.open(r.cell.late)),
    (("backlog_max", ColumnKind::Whole), |r| r.open(r.cell.backlog_max)),
    (("backlog_end", ColumnKind::Whole), |r| r.open(r.cell.backlog_end)),
    (("asked", ColumnKind::Real), |r| r.asked().map(|(rate, _)| rate).into()),
    (("asked_unit", ColumnKind::Text), |r| r.asked().map(|(_, unit)| unit).into()),
    (("misses", ColumnKind::Whole), |r| r.counted(r.class.misses)),
    (("given_up", ColumnKind::Whole), |r| r.counted(r.class.given_up)),
];

impl<'a> OpClassRow<'a> {
    /// A rate; None for a check, which is not a load.
    fn rate(&self, per_s: Option<f64>) -> Option<f64> {
        per_s.filter(|_| self.class.class != Class::CHECK)
    }

    /// A count; None if the source of imported figures only gives rates.
    fn counted(&self, n: u64) -> ExportValue {
        self.class.ops.map(|_| n).into()
    }

    fn response(&self) -> Option<&'a Times> {
        self.class.response.as_deref()
    }

    /// Only for an open loop.
    fn open(&self, n: u64) -> ExportValue {
        self.cell.asked.map(|_| n).into()
    }

    fn asked(&self) -> Option<(f64, &'static str)> {
        Some(match self.cell.asked? {
            Rate::OpsPerSec(rate) => (rate, "ops/s"),
            Rate::BytesPerSec(rate) => (rate, "bytes/s"),
        })
    }
}

const END: [Column; 4] = [
    ("window_ns", ColumnKind::Whole),
    ("outcome", ColumnKind::Text),
    ("started_unix_ns", ColumnKind::Whole),
    ("bundle", ColumnKind::Text),
];

/// The same in every row of a point: mean power and energy by class, from the first instrument of
/// each, and its bottleneck.
const WATCHED: [Column; 10] = [
    (power::DRIVE_WATTS, ColumnKind::Real),
    ("drive_joules", ColumnKind::Real),
    (power::SLOT_WATTS, ColumnKind::Real),
    ("slot_joules", ColumnKind::Real),
    (power::SYSTEM_WATTS, ColumnKind::Real),
    ("system_joules", ColumnKind::Real),
    (power::CPU_WATTS, ColumnKind::Real),
    ("cpu_joules", ColumnKind::Real),
    ("limited_by", ColumnKind::Text),
    ("because", ColumnKind::Text),
];

impl ExportTable for Points {
    fn name(&self) -> &'static str {
        "points"
    }

    fn columns(&self) -> Vec<Column> {
        let measures = MEASURES.map(|(column, _)| column);
        [&key::POINT[..], &measures, &WATCHED, &END].concat()
    }

    fn rows(&self, stored: &Stored<'_>, row: &mut TakeRow<'_>) -> Result<()> {
        each(stored, &mut |_, values| row(values))
    }
}

/// Receives a row, with its cell and class.
type Visit<'a> = dyn FnMut(Option<(&Cell, Class)>, Vec<ExportValue>) -> Result<()> + 'a;

/// Every row of a point, with its cell and class; a point that failed before it measured anything
/// has a single row with neither.
pub fn each(stored: &Stored<'_>, row: &mut Visit<'_>) -> Result<()> {
    let point = &stored.point.point;
    let outcome = match &point.outcome {
        Outcome::Measured => "measured".to_string(),
        Outcome::Failed { cause } => format!("failed: {cause}"),
    };
    let watched = watched(stored.metered);
    let mut write = |of: Option<(&Cell, Class)>, measures: Vec<ExportValue>| {
        let started = Some(point.started_unix_ns).filter(|t| *t > 0);
        let end =
            [point.window_ns.into(), outcome.as_str().into(), started.into(), stored.file.into()];
        row(of, [key::of_point(stored), measures, watched.clone(), end.to_vec()].concat())
    };
    let mut rows = 0;
    for cell in &point.cells {
        let mut numbers = Numbers::of(&[cell], point.window_ns);
        // Reported figures apply to the whole stream.
        if point.cells.iter().filter(|c| c.stream == cell.stream).count() == 1 {
            let own = stored.reported.iter().filter(|t| t.stream == cell.stream);
            numbers.report(&own.collect::<Vec<_>>());
        }
        for class in &numbers.classes {
            let made = OpClassRow { cell, class };
            let measures = MEASURES.iter().map(|(_, value)| value(&made)).collect();
            write(Some((cell, class.class)), measures)?;
            rows += 1;
        }
    }
    if rows == 0 {
        write(None, vec![ExportValue::Missing; MEASURES.len()])?;
    }
    Ok(())
}

fn watched(metered: &Metered) -> Vec<ExportValue> {
    let mut row = Vec::new();
    for class in POWER_CLASSES {
        let series = metered.power.iter().find(|s| s.class == class);
        row.push(series.and_then(|s| s.mean_watts(metered.window_s)).into());
        row.push(series.and_then(|s| s.over(metered.window_s)?.joules).into());
    }
    let verdict = metered.verdict.as_ref();
    row.push(verdict.map(|v| v.limit.name()).into());
    row.push(verdict.map(|v| bottleneck_text::evidence(Language::ENGLISH, v)).as_deref().into());
    row
}
