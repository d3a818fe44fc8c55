//! A row for each point, stream, drive, instance and class of op, with rates and percentiles. A mix
//! of reads and writes has one of the class `all` in addition.

use super::{Column, ColumnKind, ExportTable, ExportValue, Stored, TakeRow, key};
use crate::analysis::limits::meter_facts::Metered;
use crate::analysis::points::point_numbers::{ClassNumbers, Numbers};
use crate::analysis::points::point_summary::{P99, PERCENTILES};
use crate::brief::text::bottleneck_text;
use crate::language::Language;
use dyno_core::base::error::Result;
use dyno_core::base::units::Rate;
use dyno_core::record::gauge::power;
use dyno_core::record::{Cell, Censored, Class, Outcome, POWER_CLASSES};

pub struct Points;

/// A class of op of a cell, as shown in a row.
struct OpClassRow<'a> {
    cell: &'a Cell,
    class: &'a ClassNumbers,
}

/// A column, and its contents.
type Filled = (Column, fn(&OpClassRow<'_>) -> ExportValue);

/// Columns of one kind of latency: mean, the percentiles of `PERCENTILES`, maximum.
type LatencyColumns = [&'static str; PERCENTILES.len() + 2];

const SERVICE: LatencyColumns = [
    "service_mean_ns",
    "service_p50_ns",
    "service_p90_ns",
    "service_p95_ns",
    "service_p99_ns",
    "service_p999_ns",
    "service_p9999_ns",
    "service_p99999_ns",
    "service_max_ns",
];

const RESPONSE: LatencyColumns = [
    "response_mean_ns",
    "response_p50_ns",
    "response_p90_ns",
    "response_p95_ns",
    "response_p99_ns",
    "response_p999_ns",
    "response_p9999_ns",
    "response_p99999_ns",
    "response_max_ns",
];

/// Columns from the key to the latencies, empty for a point that failed before it measured
/// anything, like the following ones.
const COUNTS: [Filled; 10] = [
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
];

/// Columns from the latencies to the outcome.
const MEASURES: [Filled; 12] = [
    (("latency_shown", ColumnKind::Text), |r| {
        if r.class.response.is_some() { "response" } else { "service" }.into()
    }),
    (("service_p99_low_ns", ColumnKind::Real), |r| {
        r.class.service.bounds_ns[P99].map(|(low, _)| low).into()
    }),
    (("service_p99_high_ns", ColumnKind::Real), |r| {
        r.class.service.bounds_ns[P99].map(|(_, high)| high).into()
    }),
    (("censored", ColumnKind::Whole), |r| r.open(r.censored().map_or(0, |censored| censored.ops))),
    (("at_least_from_ns", ColumnKind::Whole), |r| {
        r.censored().map(|censored| censored.from_ns).into()
    }),
    (("late", ColumnKind::Whole), |r| r.open(r.cell.late)),
    (("backlog_max", ColumnKind::Whole), |r| r.open(r.cell.backlog_max)),
    (("backlog_end", ColumnKind::Whole), |r| r.open(r.cell.backlog_end)),
    (("asked", ColumnKind::Real), |r| r.asked().map(|(rate, _)| rate).into()),
    (("asked_unit", ColumnKind::Text), |r| r.asked().map(|(_, unit)| unit).into()),
    (("misses", ColumnKind::Whole), |r| r.counted(r.class.misses)),
    (("given_up", ColumnKind::Whole), |r| r.counted(r.class.given_up)),
];

impl OpClassRow<'_> {
    /// A rate; None for a check, which is not a load.
    fn rate(&self, per_s: Option<f64>) -> Option<f64> {
        per_s.filter(|_| self.class.class != Class::CHECK)
    }

    /// A count; None if the source of imported figures only gives rates.
    fn counted(&self, n: u64) -> ExportValue {
        self.class.ops.map(|_| n).into()
    }

    /// The ops that were due and never submitted.
    fn censored(&self) -> Option<Censored> {
        self.class.response.as_deref()?.censored
    }

    /// All its columns, in order.
    fn values(&self) -> Vec<ExportValue> {
        let of = |(_, value): &Filled| value(self);
        let latencies = [Some(&self.class.service), self.class.response.as_deref()];
        let latencies = latencies.into_iter().flat_map(|times| {
            let mean = times.and_then(|times| times.mean_ns).into();
            let of = move |at: usize| times.and_then(|times| times.percentiles_ns[at]).into();
            // An imported point may have no latencies at all; its maximum is then unknown, not
            // zero.
            let max = times.and_then(|times| times.max_ns).into();
            [mean].into_iter().chain((0..PERCENTILES.len()).map(of)).chain([max])
        });
        COUNTS.iter().map(of).chain(latencies).chain(MEASURES.iter().map(of)).collect()
    }

    /// A count that exists only in open loop.
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

/// Columns that are equal in every row of a point: mean power and energy by class, from the first
/// instrument of each, and its bottleneck.
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
        [key::POINT.to_vec(), measures(), WATCHED.to_vec(), END.to_vec()].concat()
    }

    fn rows(&self, stored: &Stored<'_>, row: &mut TakeRow<'_>) -> Result<()> {
        each(stored, &mut |_, values| row(values))
    }
}

/// Every column between the key and the columns that are equal in every row of a point.
fn measures() -> Vec<Column> {
    let own = |filled: &[Filled]| filled.iter().map(|(column, _)| *column).collect::<Vec<_>>();
    let latency = |names: LatencyColumns| {
        let last = names.len() - 1;
        let kind = |at| if at == last { ColumnKind::Whole } else { ColumnKind::Real };
        names.into_iter().enumerate().map(|(at, name)| (name, kind(at))).collect::<Vec<_>>()
    };
    [own(&COUNTS), latency(SERVICE), latency(RESPONSE), own(&MEASURES)].concat()
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
            write(Some((cell, class.class)), made.values())?;
            rows += 1;
        }
        if let Some(class) = &numbers.all {
            write(Some((cell, class.class)), OpClassRow { cell, class }.values())?;
        }
    }
    if rows == 0 {
        write(None, vec![ExportValue::Missing; measures().len()])?;
    }
    Ok(())
}

fn watched(metered: &Metered) -> Vec<ExportValue> {
    let mut row = Vec::new();
    for class in POWER_CLASSES {
        let series = metered.power.iter().find(|s| s.class == class);
        let (watts, joules) =
            series.map(|s| s.mean_and_energy(metered.window_s)).unwrap_or_default();
        row.extend([watts.into(), joules.into()]);
    }
    let verdict = metered.verdict.as_ref();
    row.push(verdict.map(|v| v.limit.name()).into());
    row.push(verdict.map(|v| bottleneck_text::evidence(Language::ENGLISH, v)).as_deref().into());
    row
}
