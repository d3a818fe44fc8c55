//! The tables, their version, and opening a file with the checks that it is a readable bundle.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::beside;
use super::limits::{self, QueryMeter};
use crate::base::error::{Context, Error, Result, describe, failed};
use crate::base::secret;
use crate::base::text::{visible, visible_json};
use crate::record::{Plan, Run};

/// "DYNO": distinguishes a bundle from other SQLite files.
const APPLICATION_ID: i64 = 0x4459_4E4F;

/// More tables and indices than Dyno creates.
const MOST_OBJECTS: usize = 200;

/// The version of the schema, as a bundle's `user_version`. From the first release on, a new
/// version only adds to the one before.
pub const VERSION: i64 = 1;

/// All tables and indices.
pub const SCHEMA: &str = "
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    dyno_version TEXT NOT NULL,
    started_unix_ns INTEGER NOT NULL,
    plan TEXT NOT NULL
);
CREATE TABLE host (
    run INTEGER PRIMARY KEY REFERENCES run,
    setup TEXT NOT NULL
);
CREATE TABLE drive (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL DEFAULT 1 REFERENCES run,
    subject TEXT NOT NULL,
    drive INTEGER NOT NULL,
    setup TEXT NOT NULL
);
CREATE UNIQUE INDEX drive_key ON drive (run, subject, drive);
CREATE TABLE point (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL DEFAULT 1 REFERENCES run,
    subject TEXT NOT NULL,
    step TEXT NOT NULL,
    axis_name TEXT,
    axis_field TEXT,
    axis_value REAL,
    repeat INTEGER NOT NULL,
    started_unix_ns INTEGER NOT NULL,
    window_ns INTEGER NOT NULL,
    failure TEXT
);
CREATE UNIQUE INDEX point_key ON point (run, subject, step, ifnull(axis_name, ''), ifnull(axis_value, 0), repeat);
CREATE TABLE fact (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL DEFAULT 1 REFERENCES run,
    point INTEGER REFERENCES point ON DELETE CASCADE,
    heading TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    server_drive INTEGER,
    server_instance INTEGER
);
CREATE INDEX fact_point ON fact (point);
CREATE TABLE observation (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL DEFAULT 1 REFERENCES run,
    point INTEGER REFERENCES point ON DELETE CASCADE,
    stream TEXT,
    kind TEXT NOT NULL,
    json TEXT NOT NULL
);
CREATE INDEX observation_point ON observation (point);
CREATE TABLE cell (
    id INTEGER PRIMARY KEY,
    point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
    stream TEXT NOT NULL,
    drive INTEGER NOT NULL,
    instance INTEGER NOT NULL,
    headline INTEGER NOT NULL,
    threads INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    asked_ops_per_s REAL,
    asked_bytes_per_s REAL,
    late INTEGER NOT NULL,
    backlog_max INTEGER NOT NULL,
    backlog_end INTEGER NOT NULL,
    in_flight REAL
);
CREATE INDEX cell_point ON cell (point);
CREATE TABLE tally (
    id INTEGER PRIMARY KEY,
    cell INTEGER NOT NULL REFERENCES cell ON DELETE CASCADE,
    class TEXT NOT NULL,
    ops INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    misses INTEGER NOT NULL,
    given_up INTEGER NOT NULL DEFAULT 0,
    censored INTEGER NOT NULL DEFAULT 0,
    censored_from_ns INTEGER,
    service BLOB NOT NULL,
    service_sum_ns INTEGER NOT NULL,
    service_min_ns INTEGER,
    service_max_ns INTEGER NOT NULL,
    service_overflow INTEGER NOT NULL,
    response BLOB,
    response_sum_ns INTEGER,
    response_min_ns INTEGER,
    response_max_ns INTEGER,
    response_overflow INTEGER
);
CREATE INDEX tally_cell ON tally (cell);
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
    stream TEXT NOT NULL,
    drive INTEGER NOT NULL,
    instance INTEGER NOT NULL,
    class TEXT NOT NULL
);
CREATE INDEX series_point ON series (point);
CREATE TABLE interval (
    id INTEGER PRIMARY KEY,
    series INTEGER NOT NULL REFERENCES series ON DELETE CASCADE,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL,
    ops INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    service_sum_ns INTEGER NOT NULL,
    service_max_ns INTEGER NOT NULL,
    service_overflow INTEGER NOT NULL,
    service BLOB NOT NULL,
    response_sum_ns INTEGER,
    response_max_ns INTEGER,
    response_overflow INTEGER,
    response BLOB,
    timed INTEGER NOT NULL
);
CREATE INDEX interval_series ON interval (series);
CREATE TABLE gauge (
    id INTEGER PRIMARY KEY,
    point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
    meter TEXT NOT NULL,
    name TEXT NOT NULL
);
CREATE INDEX gauge_point ON gauge (point);
CREATE TABLE sample (
    gauge INTEGER NOT NULL REFERENCES gauge ON DELETE CASCADE,
    at_ns INTEGER NOT NULL,
    value REAL,
    PRIMARY KEY (gauge, at_ns)
) WITHOUT ROWID;
CREATE TABLE reported (
    id INTEGER PRIMARY KEY,
    point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
    stream TEXT NOT NULL,
    class TEXT NOT NULL,
    name TEXT NOT NULL,
    value REAL NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    samples INTEGER,
    digits INTEGER
);
CREATE INDEX reported_point ON reported (point);
CREATE TABLE preparation (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL DEFAULT 1 REFERENCES run,
    subject TEXT NOT NULL,
    drive INTEGER NOT NULL,
    action TEXT NOT NULL,
    asked TEXT NOT NULL,
    outcome TEXT NOT NULL,
    filesystem_uuid TEXT,
    steady TEXT,
    ended_unix_ns INTEGER NOT NULL
);
CREATE TABLE drive_state (
    subject TEXT NOT NULL,
    drive INTEGER NOT NULL,
    serial TEXT NOT NULL,
    counter TEXT NOT NULL,
    written_bytes INTEGER NOT NULL,
    contents TEXT NOT NULL,
    PRIMARY KEY (subject, drive)
);
CREATE TABLE slow_op (
    id INTEGER PRIMARY KEY,
    point INTEGER NOT NULL REFERENCES point ON DELETE CASCADE,
    stream TEXT NOT NULL,
    drive INTEGER NOT NULL,
    instance INTEGER NOT NULL,
    worker INTEGER NOT NULL,
    class TEXT NOT NULL,
    at_ns INTEGER NOT NULL,
    late_ns INTEGER NOT NULL,
    response_ns INTEGER NOT NULL,
    address INTEGER NOT NULL,
    size INTEGER NOT NULL,
    in_flight INTEGER NOT NULL,
    direct INTEGER NOT NULL,
    waited_least_ns INTEGER,
    waited_most_ns INTEGER,
    stopped_least_ns INTEGER,
    stopped_most_ns INTEGER,
    steal_most_ns INTEGER,
    switches INTEGER,
    device_stalled_ns INTEGER,
    device_idle_ns INTEGER
);
CREATE INDEX slow_op_point ON slow_op (point);
";

/// Creates the tables in an empty database, in the caller's transaction.
pub(super) fn lay_out(conn: &Connection) -> Result<()> {
    conn.execute_batch(SCHEMA)?;
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    conn.pragma_update(None, "user_version", VERSION)?;
    Ok(())
}

/// The settings for writing a bundle.
pub(super) fn configure_for_writing(conn: &Connection) -> Result<()> {
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    // A commit has reached the drive when it returns, and an interrupted commit is undone on the
    // next opening.
    conn.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // 16 MiB: enough for a point of an hour without spilling to the file before its end.
    conn.pragma_update(None, "cache_size", -16_384)?;
    Ok(())
}

/// The purpose of opening a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenMode {
    /// A summary: nothing is written, not even from a journal.
    Look,
    /// A complete read. An unfinished point is undone.
    Read,
    /// Continuing its run.
    Write,
}

/// Opens an existing bundle and checks that it has Dyno's tables and nothing else.
pub(super) fn open(path: &Path, access: OpenMode) -> Result<(Connection, QueryMeter)> {
    let shown = path.display();
    if !path.is_file() {
        return Err(failed(
            format!("there is no bundle at {shown}"),
            "check the path; a bundle is the file that 'dyno run' writes",
        ));
    }
    beside::check(path)?;
    let flags = match access {
        OpenMode::Look => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NOFOLLOW,
        OpenMode::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        OpenMode::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let open_as = |flags| {
        let (conn, meter) = connect(path, flags)?;
        let version = version_of(&conn)?;
        Ok::<_, rusqlite::Error>((conn, meter, version))
    };
    let opened = open_as(flags).or_else(|error| match error.sqlite_error_code() {
        // A killed run left a journal; undoing the unfinished point requires a writing connection.
        Some(ErrorCode::ReadOnly) if access == OpenMode::Read => {
            open_as(OpenFlags::SQLITE_OPEN_READ_WRITE)
        }
        _ => Err(error),
    });
    let (conn, meter, version) = opened.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::ReadOnly) if access == OpenMode::Look => failed(
            format!("{shown} was left by a run that was killed"),
            "`dyno run --resume` continues it, `dyno show` undoes its unfinished point",
        ),
        _ => explain(error, path),
    })?;
    check(&conn, path, version)?;
    Ok((conn, meter))
}

/// Checks that it is a bundle with Dyno's tables.
fn check(conn: &Connection, path: &Path, (id, version): (i64, i64)) -> Result<()> {
    let shown = path.display();
    if id != APPLICATION_ID {
        return Err(failed(
            format!("{shown} is a database, but not a Dyno bundle"),
            "give a file that 'dyno run' wrote",
        ));
    }
    match version {
        VERSION => check_schema(conn).map_err(|e| not_read(path, e)),
        newer if newer > VERSION => Err(failed(
            format!("{shown} was made by a newer Dyno (schema {newer}, this one knows {VERSION})"),
            "read it with that version of Dyno or a later one",
        )),
        _ => Err(damaged(path)),
    }
}

fn connect(path: &Path, access: OpenFlags) -> rusqlite::Result<(Connection, QueryMeter)> {
    let mut conn = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    let meter = QueryMeter::install(&mut conn)?;
    Ok((conn, meter))
}

fn version_of(conn: &Connection) -> rusqlite::Result<(i64, i64)> {
    let number = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok((number("application_id")?, number("user_version")?))
}

/// Every table and index by name, with its CREATE statement.
fn described(conn: &Connection) -> Result<Vec<(String, String, String)>> {
    let mut statement =
        conn.prepare("SELECT type, name, ifnull(sql, '') FROM sqlite_schema ORDER BY type, name")?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((row.get(0)?, row.get(1)?, row.get(2)?));
        if found.len() > MOST_OBJECTS {
            return Err(Error::msg(
                "it contains tables, views or triggers that are not a bundle's",
            ));
        }
    }
    Ok(found)
}

/// Views, triggers and generated columns are programs; a bundle has only Dyno's tables and indices.
fn check_schema(conn: &Connection) -> Result<()> {
    let expected = Connection::open_in_memory()?;
    expected.execute_batch(SCHEMA)?;
    let (found, expected) = (described(conn)?, described(&expected)?);
    if found == expected {
        return Ok(());
    }
    let strange = found.iter().find(|object| !expected.contains(object));
    let strange = strange.or_else(|| expected.iter().find(|object| !found.contains(object)));
    let (kind, name) = strange.map_or(("table", ""), |(kind, name, _)| (kind, name));
    Err(Error::msg(format!("its {kind} '{}' is not as Dyno creates it", visible(name))))
}

/// Whether the file is intact, because it will be written to.
pub(super) fn check_whole(conn: &Connection) -> Result<()> {
    let said: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(Error::msg(said)) }
}

fn explain(error: rusqlite::Error, path: &Path) -> Error {
    let shown = path.display();
    let (what, next) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => (
            format!("{shown} is not a bundle: it is not an SQLite file"),
            "give a file that 'dyno run' wrote",
        ),
        Some(ErrorCode::DatabaseCorrupt) => return damaged(path),
        Some(ErrorCode::OutOfMemory) => return not_read(path, limits::HEAP.exceeded()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (format!("{shown} is being written by another program"), "wait until its run has ended")
        }
        Some(ErrorCode::ReadOnly) => (
            format!(
                "{shown} was left by a run that was killed, and cannot be written to undo its last \
                 point"
            ),
            "make the file and its folder writable, or copy both the file and its -journal \
             elsewhere",
        ),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            (format!("cannot open {shown}"), "check that you may read the file")
        }
        _ => (format!("cannot read {shown}: {error}"), "check that the file is complete"),
    };
    failed(what, next)
}

/// The error for a bundle that does not match its schema.
pub(super) fn damaged(path: &Path) -> Error {
    failed(
        format!("{} is damaged", path.display()),
        "take another copy of the bundle; 'sqlite3 FILE .recover' may save parts of this one",
    )
}

/// The error for a bundle that could not be read in part: too large, or malformed.
pub(super) fn not_read(path: &Path, error: Error) -> Error {
    let (what, next) = describe(&error);
    let shown = path.display();
    match next.first() {
        Some(next) => failed(format!("{shown} contains more than a bundle may: {what}"), next),
        None if error.downcast_ref::<rusqlite::Error>().is_some_and(is_interrupted) => {
            not_read(path, limits::STEPS.exceeded())
        }
        None if error.downcast_ref::<rusqlite::Error>().is_some_and(is_out_of_memory) => {
            not_read(path, limits::HEAP.exceeded())
        }
        None => damaged(path).context(what),
    }
}

fn is_interrupted(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
}

fn is_out_of_memory(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::OutOfMemory)
}

/// A column's text, with control characters made visible.
pub(super) fn text(row: &Row<'_>, column: usize) -> Result<String> {
    let held = row.get_ref(column)?.as_str()?;
    Ok(visible(held).into_owned())
}

/// The same for a nullable column.
pub(super) fn optional_text(row: &Row<'_>, column: usize) -> Result<Option<String>> {
    let held = row.get_ref(column)?.as_str_or_null()?;
    Ok(held.map(|held| visible(held).into_owned()))
}

/// A column's JSON, with control characters made visible.
pub(super) fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T> {
    let mut value: serde_json::Value = serde_json::from_str(row.get_ref(column)?.as_str()?)?;
    visible_json(&mut value);
    Ok(serde_json::from_value(value)?)
}

/// A value as JSON, without secrets.
pub(super) fn to_json<T: Serialize>(value: &T) -> Result<String> {
    let mut value = serde_json::to_value(value)?;
    secret::hide_json(&mut value);
    Ok(value.to_string())
}

/// A bundle's runs, one for each of its tests, with their numbers.
pub(super) fn read_runs(conn: &Connection) -> Result<Vec<(i64, Run)>> {
    let sql = "SELECT dyno_version, started_unix_ns, plan, id FROM run ORDER BY id";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next().context("reading the run")? {
        limits::TESTS.check(all.len() as u64 + 1)?;
        all.push((row.get(3)?, read_run(row)?));
    }
    if all.is_empty() {
        return Err(Error::msg("it holds no run"));
    }
    Ok(all)
}

fn read_run(row: &Row<'_>) -> Result<Run> {
    let plan = row.get_ref(2)?.as_str().context("reading the run's resolved plan")?;
    limits::PLAN.check(plan.len() as u64)?;
    let plan: Plan = json(row, 2).context("reading the run's resolved plan")?;
    limits::check_plan(&plan)?;
    let started: i64 = row.get(1)?;
    Ok(Run { plan, started_unix_ns: started.max(0) as u64, dyno_version: text(row, 0)? })
}

/// SQLite's integers are signed; counts and times are far below the limit.
pub(super) fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
