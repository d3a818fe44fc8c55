//! Limits of a bundle's contents. It may come from anyone, so its contents are bounded before they
//! are in memory, regardless of the sizes that the file states. docs/schema.md has this table, and
//! a test compares the two.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, limits};

use crate::base::error::{Result, failed};
use crate::plan::Plan;

/// One limit: the counted quantity, and its maximum.
pub struct QueryLimit {
    /// The counted quantity.
    pub what: &'static str,
    /// The maximum.
    pub most: u64,
    /// The unit of the count.
    pub unit: &'static str,
}

const fn limit(what: &'static str, most: u64, unit: &'static str) -> QueryLimit {
    QueryLimit { what, most, unit }
}

/// Points of a bundle.
pub static POINTS: QueryLimit = limit("points", 250_000, "rows");
/// Tests of a comparison.
pub static TESTS: QueryLimit = limit("tests of a bundle", 100, "of them");
/// Subjects of a plan.
pub static SUBJECTS: QueryLimit = limit("subjects", 100, "of them");
/// Drives of one subject.
pub static DRIVES: QueryLimit = limit("drives of a subject", 1_024, "of them");
/// Steps, datasets and loads of the preparation of a plan, each.
pub static PARTS: QueryLimit =
    limit("steps, datasets and loads of the preparation", 1_000, "of them");
/// Streams of one step.
pub static STREAMS: QueryLimit = limit("streams of a step", 256, "of them");
/// Meters of a run, or of one subject.
pub static METERS: QueryLimit = limit("meters of a run, or of a subject", 64, "of them");
/// Any one time in a plan: a year.
pub static TIME: QueryLimit =
    limit("any one time in a plan", 366 * 24 * 3_600 * 1_000_000_000, "ns");
/// Workers of one stream.
pub static WORKERS: QueryLimit = limit("workers of a stream", 65_536, "of them");
/// Cells of one point: streams, drives and instances.
pub static CELLS: QueryLimit = limit("cells of one point", 4_096, "rows");
/// Tallies of one point: its cells' classes of op.
pub static TALLIES: QueryLimit = limit("tallies of one point", 16_384, "rows");
/// Histograms of one point, inflated.
pub static HISTOGRAMS: QueryLimit = limit("histograms of one point, in memory", 256 << 20, "bytes");
/// Intervals of one point.
pub static INTERVALS: QueryLimit = limit("intervals of one point", 1_000_000, "rows");
/// Samples of one point.
pub static SAMPLES: QueryLimit = limit("samples of one point", 2_000_000, "rows");
/// Slowest ops of one point.
pub static SLOW_OPS: QueryLimit = limit("slowest ops of one point", 1_000, "rows");
/// Facts of the run, or of one point.
pub static FACTS: QueryLimit = limit("facts of the run, or of one point", 10_000, "rows");
/// All facts together, as text.
pub static FACT_BYTES: QueryLimit =
    limit("facts of the run, or of all points, as text", 64 << 20, "bytes");
/// Figures reported by other tools.
pub static REPORTED: QueryLimit = limit("figures reported by other tools", 1_000_000, "rows");
/// Preparation actions, and final states.
pub static PREPARED: QueryLimit = limit("preparations and drive states", 100_000, "rows");
/// The plan, as JSON.
pub static PLAN: QueryLimit = limit("the resolved plan", 8 << 20, "bytes");
/// Any other text or blob.
pub static VALUE: QueryLimit = limit("any other value (a text, a histogram)", 1 << 20, "bytes");
/// Text that one query returns.
pub static READ: QueryLimit = limit("what one query returns as text", 64 << 20, "bytes");
/// Instructions of SQLite's virtual machine per query (`sqlite3_progress_handler`).
pub static STEPS: QueryLimit =
    limit("the work of one query", 50_000_000, "steps of SQLite's virtual machine");
/// Requests counted by one tally or interval.
pub static REQUESTS: QueryLimit = limit("a count of requests", 1 << 43, "requests");
/// Bytes counted by one tally or interval.
pub static BYTES: QueryLimit = limit("a count of bytes moved", 1 << 51, "bytes");
/// SQLite's own memory (`sqlite3_hard_heap_limit64`).
pub static HEAP: QueryLimit = limit("SQLite's own memory", 192 << 20, "bytes");

/// Every limit, in the order of docs/schema.md.
pub static LIMITS: &[&QueryLimit] = &[
    &POINTS,
    &TESTS,
    &SUBJECTS,
    &DRIVES,
    &PARTS,
    &STREAMS,
    &METERS,
    &TIME,
    &WORKERS,
    &CELLS,
    &TALLIES,
    &HISTOGRAMS,
    &INTERVALS,
    &SAMPLES,
    &SLOW_OPS,
    &FACTS,
    &FACT_BYTES,
    &REPORTED,
    &PREPARED,
    &PLAN,
    &VALUE,
    &READ,
    &STEPS,
    &REQUESTS,
    &BYTES,
    &HEAP,
];

impl QueryLimit {
    /// An error if there is more.
    pub fn check(&self, found: u64) -> Result<()> {
        if found <= self.most { Ok(()) } else { Err(self.exceeded()) }
    }

    /// The error that states the exceeded limit.
    pub fn exceeded(&self) -> crate::base::error::Error {
        failed(
            format!("{}: more than {} {}", self.what, self.most, self.unit),
            "docs/schema.md lists the limits of a bundle; export parts of it with the sqlite3 \
             shell",
        )
    }
}

/// Limits of a plan: its points are counted, not created.
pub fn check_plan(plan: &Plan) -> Result<()> {
    let protocol = &plan.protocol;
    SUBJECTS.check(plan.subjects.len() as u64)?;
    for list in [protocol.steps.len(), protocol.datasets.len(), protocol.prepare.len()] {
        PARTS.check(list as u64)?;
    }
    if let Some(run) = &plan.imported {
        PARTS.check(run.steps.len() as u64)?;
        run.steps.iter().try_for_each(|step| STREAMS.check(step.streams.len() as u64))?;
    }
    METERS.check(plan.meters.len() as u64)?;
    TIME.check(plan.idle_ns)?;
    for subject in &plan.subjects {
        DRIVES.check(subject.drives.len() as u64)?;
        METERS.check(subject.meters.len() as u64)?;
    }
    protocol.prepare.iter().try_for_each(|load| TIME.check(load.duration_ns))?;
    let mut cells = 0u64;
    for step in &protocol.steps {
        STREAMS.check(step.streams.len() as u64)?;
        TIME.check(step.warmup_ns)
            .and(TIME.check(step.duration_ns))
            .and(TIME.check(step.cooldown_ns))?;
        step.streams.iter().try_for_each(|s| WORKERS.check(s.threads.into()))?;
        cells += step.sweep.as_ref().map_or(1, |sweep| sweep.values.len() as u64 + 1);
    }
    POINTS
        .check(cells.saturating_mul(plan.subjects.len() as u64).saturating_mul(plan.repeats.into()))
}

/// Interval of SQLite's progress callback, in virtual machine steps.
const ASK_EVERY: i32 = 1_000;

/// Limits the work of a query of a connection.
pub struct QueryMeter(Arc<AtomicU64>);

impl QueryMeter {
    /// Disables everything that a file could make SQLite do besides returning rows.
    pub fn install(conn: &mut Connection) -> rusqlite::Result<QueryMeter> {
        for (setting, on) in [
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
            (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
            // Otherwise SQLite plans a statement anew for each value that it is given (its STAT4),
            // which took half the time of reading many points.
            (DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true),
        ] {
            conn.set_db_config(setting, on)?;
        }
        for (bound, most) in [
            (limits::Limit::SQLITE_LIMIT_LENGTH, PLAN.most as i32),
            (limits::Limit::SQLITE_LIMIT_SQL_LENGTH, 64 << 10),
            (limits::Limit::SQLITE_LIMIT_COLUMN, 100),
            (limits::Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
            (limits::Limit::SQLITE_LIMIT_COMPOUND_SELECT, 10),
            (limits::Limit::SQLITE_LIMIT_ATTACHED, 0),
            (limits::Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 10),
        ] {
            conn.set_limit(bound, most)?;
        }
        let asked = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&asked);
        let too_long = move || counter.fetch_add(ASK_EVERY as u64, Relaxed) > STEPS.most;
        conn.progress_handler(ASK_EVERY, Some(too_long))?;
        conn.pragma_update(None, "cell_size_check", true)?;
        conn.pragma_update(None, "temp_store", "MEMORY")?;
        conn.pragma_update_and_check(None, "hard_heap_limit", HEAP.most as i64, |_| Ok(()))?;
        Ok(QueryMeter(asked))
    }

    /// A new query begins.
    pub fn begin(&self) {
        self.0.store(0, Relaxed);
    }
}

/// The length of a row's texts; an error if a value is too long.
pub fn text_bytes(row: &rusqlite::Row<'_>) -> Result<u64> {
    let mut bytes = 0;
    for column in 0..row.as_ref().column_count() {
        match row.get_ref(column)? {
            ValueRef::Text(held) => {
                VALUE.check(held.len() as u64)?;
                bytes += held.len() as u64;
            }
            ValueRef::Blob(held) => VALUE.check(held.len() as u64)?,
            _ => {}
        }
    }
    Ok(bytes)
}
