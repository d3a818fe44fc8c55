//! Reading a bundle. It may come from anyone, so whatever stands in it ends in data or in an error.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Row};

use super::histograms::{self, count};
use super::schema;
use crate::base::error::{Context, Error, Result, anyhow};
use crate::base::units::Rate;
use crate::record::{
    Axis, Cell, Class, DriveState, Fact, Interval, Outcome, Point, PointKey, Prepared, Run, Sample, Tally, Told,
};

/// A bundle, open for reading.
pub struct Bundle {
    conn: Connection,
    path: PathBuf,
    run: Run,
}

/// A point with its number in the bundle, by which its intervals and samples are asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPoint {
    pub id: i64,
    pub point: Point,
}

/// An interval without its latencies, which are most of its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct RateInterval {
    pub stream: String,
    pub drive: u32,
    pub instance: u32,
    pub class: Class,
    /// Both since the start of the measured window.
    pub start_ns: u64,
    pub end_ns: u64,
    pub ops: u64,
    pub bytes: u64,
}

impl Bundle {
    pub fn open(path: &Path) -> Result<Bundle> {
        let conn = schema::open(path, false)?;
        let run = schema::read_run(&conn).map_err(|e| schema::damaged(path).context(format!("{e:#}")))?;
        Ok(Bundle { conn, path: path.to_owned(), run })
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What holds for the run as a whole, in the order in which it was noted.
    pub fn facts(&self) -> Result<Vec<Fact>> {
        let sql = "SELECT heading, name, value FROM fact WHERE point IS NULL ORDER BY id";
        self.rows(sql, None, |row| fact(row, 0))
    }

    /// All points, in the order in which they were measured.
    pub fn points(&self) -> Result<Vec<StoredPoint>> {
        // A run that goes on cannot commit a point between the queries.
        let _reading = self.conn.unchecked_transaction().map_err(|_| schema::damaged(&self.path))?;
        let sql = "SELECT id, subject, step, axis_name, axis_field, axis_value, repeat, started_unix_ns, window_ns, \
                   failure FROM point ORDER BY id";
        let mut points = self.rows(sql, None, point)?;
        let at: HashMap<i64, usize> = points.iter().enumerate().map(|(at, p)| (p.id, at)).collect();
        let of = |id: i64| at.get(&id).copied().ok_or_else(|| anyhow!("a row belongs to no point"));

        let sql = "SELECT id, point, stream, drive, instance, headline, threads, depth, asked_ops_per_s, \
                   asked_bytes_per_s, late, backlog_max, backlog_end FROM cell ORDER BY id";
        let mut cells: HashMap<i64, (usize, usize)> = HashMap::new();
        for (id, point_id, cell) in self.rows(sql, None, |row| Ok((row.get(0)?, row.get(1)?, cell(row)?)))? {
            let to = of(point_id)?;
            points[to].point.cells.push(cell);
            cells.insert(id, (to, points[to].point.cells.len() - 1));
        }

        let sql = "SELECT cell, class, ops, bytes, misses, service, service_sum_ns, service_max_ns, \
                   service_overflow, service_min_ns, response, response_sum_ns, response_max_ns, response_overflow, \
                   response_min_ns FROM tally ORDER BY id";
        for (cell_id, tally) in self.rows(sql, None, |row| Ok((row.get::<_, i64>(0)?, tally(row)?)))? {
            let &(point, cell) = cells.get(&cell_id).ok_or_else(|| schema::damaged(&self.path))?;
            points[point].point.cells[cell].tallies.push(tally);
        }

        let sql = "SELECT point, heading, name, value FROM fact WHERE point IS NOT NULL ORDER BY id";
        for (point_id, fact) in self.rows(sql, None, |row| Ok((row.get(0)?, fact(row, 1)?)))? {
            points[of(point_id)?].point.facts.push(fact);
        }
        Ok(points)
    }

    /// A point's intervals, in the order of time within each series.
    pub fn intervals(&self, point: i64) -> Result<Vec<Interval>> {
        let sql = "SELECT s.stream, s.drive, s.instance, s.class, i.start_ns, i.end_ns, i.bytes, \
                   i.service, i.service_sum_ns, i.service_max_ns, i.service_overflow, \
                   i.response, i.response_sum_ns, i.response_max_ns, i.response_overflow \
                   FROM series s JOIN interval i ON i.series = s.id WHERE s.point = ? ORDER BY s.id, i.id";
        self.rows(sql, Some(point), |row| {
            Ok(Interval {
                stream: row.get(0)?,
                drive: count(row, 1)?,
                instance: count(row, 2)?,
                class: class(row, 3)?,
                start_ns: count(row, 4)?,
                end_ns: count(row, 5)?,
                bytes: count(row, 6)?,
                service: histograms::read(row, 7, false)?.context("an interval has no latencies")?,
                response: histograms::read(row, 11, false)?,
            })
        })
    }

    /// A point's intervals without their latencies.
    pub fn rates(&self, point: i64) -> Result<Vec<RateInterval>> {
        let sql = "SELECT s.stream, s.drive, s.instance, s.class, i.start_ns, i.end_ns, i.ops, i.bytes \
                   FROM series s JOIN interval i ON i.series = s.id WHERE s.point = ? ORDER BY s.id, i.id";
        self.rows(sql, Some(point), |row| {
            Ok(RateInterval {
                stream: row.get(0)?,
                drive: count(row, 1)?,
                instance: count(row, 2)?,
                class: class(row, 3)?,
                start_ns: count(row, 4)?,
                end_ns: count(row, 5)?,
                ops: count(row, 6)?,
                bytes: count(row, 7)?,
            })
        })
    }

    /// What the meters read at a point, gauge by gauge, in the order of time.
    pub fn samples(&self, point: i64) -> Result<Vec<Sample>> {
        let sql = "SELECT v.at_ns, g.meter, g.name, v.value FROM gauge g JOIN sample v ON v.gauge = g.id \
                   WHERE g.point = ? ORDER BY g.id, v.at_ns";
        self.rows(sql, Some(point), |row| {
            // SQLite has no NaN; it keeps one as NULL.
            let value = row.get::<_, Option<f64>>(3)?.unwrap_or(f64::NAN);
            Ok(Sample { at_ns: row.get(0)?, meter: row.get(1)?, name: row.get(2)?, value })
        })
    }

    /// What other tools told of imported points, by the point's number.
    pub fn told(&self) -> Result<HashMap<i64, Vec<Told>>> {
        super::told::read(&self.conn).map_err(|e| schema::damaged(&self.path).context(format!("{e:#}")))
    }

    /// What was done to the drives before their points, in order.
    pub fn prepared(&self) -> Result<Vec<Prepared>> {
        super::prepared::read(&self.conn).map_err(|e| schema::damaged(&self.path).context(format!("{e:#}")))
    }

    /// How the run left its drives.
    pub fn states(&self) -> Result<Vec<DriveState>> {
        super::prepared::read_states(&self.conn).map_err(|e| schema::damaged(&self.path).context(format!("{e:#}")))
    }

    fn rows<T>(&self, sql: &str, id: Option<i64>, read: impl FnMut(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
        rows(&self.conn, sql, id, read).map_err(|e| schema::damaged(&self.path).context(format!("{e:#}")))
    }
}

/// Reads every row of a query that takes at most an id.
fn rows<T>(
    conn: &Connection,
    sql: &str,
    id: Option<i64>,
    mut read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    statement.query_and_then(rusqlite::params_from_iter(id), |row| read(row))?.collect()
}

/// The keys of the points that were measured to their end.
pub(super) fn finished(conn: &Connection) -> Result<Vec<PointKey>> {
    let sql = "SELECT subject, step, axis_name, axis_field, axis_value, repeat FROM point \
               WHERE failure IS NULL ORDER BY id";
    rows(conn, sql, None, |row| key(row, 0))
}

fn key(row: &Row<'_>, first: usize) -> Result<PointKey> {
    let name: Option<String> = row.get(first + 2)?;
    let axis = match name {
        None => None,
        Some(name) => {
            let field: String = row.get(first + 3)?;
            let field = serde_json::from_value(field.into()).context("a point's axis_field")?;
            Some(Axis { name, field, value: row.get::<_, f64>(first + 4)?.into() })
        }
    };
    Ok(PointKey { subject: row.get(first)?, step: row.get(first + 1)?, axis, repeat: count(row, first + 5)? })
}

fn point(row: &Row<'_>) -> Result<StoredPoint> {
    let outcome = match row.get::<_, Option<String>>(9)? {
        None => Outcome::Measured,
        Some(cause) => Outcome::Failed { cause },
    };
    let point = Point {
        key: key(row, 1)?,
        started_unix_ns: count(row, 7)?,
        window_ns: count(row, 8)?,
        outcome,
        cells: Vec::new(),
        facts: Vec::new(),
    };
    Ok(StoredPoint { id: row.get(0)?, point })
}

fn cell(row: &Row<'_>) -> Result<Cell> {
    let ops = row.get::<_, Option<f64>>(8)?.map(Rate::OpsPerSec);
    let bytes = row.get::<_, Option<f64>>(9)?.map(Rate::BytesPerSec);
    Ok(Cell {
        stream: row.get(2)?,
        drive: count(row, 3)?,
        instance: count(row, 4)?,
        headline: row.get(5)?,
        threads: count(row, 6)?,
        depth: count(row, 7)?,
        asked: ops.or(bytes),
        late: count(row, 10)?,
        backlog_max: count(row, 11)?,
        backlog_end: count(row, 12)?,
        tallies: Vec::new(),
    })
}

fn tally(row: &Row<'_>) -> Result<Tally> {
    Ok(Tally {
        class: class(row, 1)?,
        ops: count(row, 2)?,
        bytes: count(row, 3)?,
        misses: count(row, 4)?,
        service: histograms::read(row, 5, true)?.context("a tally has no latencies")?,
        response: histograms::read(row, 10, true)?,
    })
}

fn fact(row: &Row<'_>, first: usize) -> Result<Fact> {
    Ok(Fact { group: row.get(first)?, name: row.get(first + 1)?, value: row.get(first + 2)? })
}

fn class(row: &Row<'_>, column: usize) -> Result<Class> {
    let name: String = row.get(column)?;
    let known = Class::ALL.into_iter().find(|class| class.name() == name);
    known.ok_or_else(|| Error::msg(format!("'{name}' is no class of op")))
}
