//! A bundle's data for a catalogue, read without its measurements: nothing is written to the file.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use super::limits;
use super::schema::{self, OpenMode, text};
use super::setup;
use crate::base::error::{Error, Result};
use crate::record::Run;
use crate::record::setup::DriveSetup;

/// A summary of a test of a bundle.
pub struct Glance {
    /// The run with its resolved plan.
    pub run: Run,
    /// The number of points of each subject and step, and of failed ones among them.
    pub points: BTreeMap<(String, String), PointCount>,
    /// The run's drives.
    pub drives: Vec<DriveSetup>,
}

impl Glance {
    /// The number of measured points.
    pub fn measured(&self) -> u64 {
        self.points.values().map(|counted| counted.all - counted.failed).sum()
    }

    /// The number of failed points.
    pub fn failed(&self) -> u64 {
        self.points.values().map(|counted| counted.failed).sum()
    }
}

/// A point that failed.
pub struct FailedPoint {
    /// Its subject.
    pub subject: String,
    /// Its step.
    pub step: String,
    /// The cause.
    pub cause: String,
}

/// Points of a subject in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointCount {
    /// All, including failed ones.
    pub all: u64,
    /// Failed points.
    pub failed: u64,
    /// Values of the step's axis that have points.
    pub values: u64,
    /// The minimum number of repeats at any of them.
    pub fewest: u64,
}

/// Reads all tests, in order; at least one. An error if the file is not a bundle, is damaged or
/// exceeds a limit.
pub fn glance(path: &Path) -> Result<Vec<Glance>> {
    let (conn, meter) = schema::open(path, OpenMode::Look)?;
    let read = || -> Result<Vec<Glance>> {
        let of_test = |(id, run)| -> Result<Glance> {
            meter.begin();
            let points = points(&conn, id)?;
            meter.begin();
            Ok(Glance { run, points, drives: drives(&conn, id)? })
        };
        schema::read_runs(&conn)?.into_iter().map(of_test).collect()
    };
    read().map_err(|e| schema::not_read(path, e))
}

/// The first failed point of a bundle's tests.
pub fn first_failure(path: &Path) -> Result<Option<FailedPoint>> {
    let (conn, meter) = schema::open(path, OpenMode::Look)?;
    let read = || -> Result<Option<FailedPoint>> {
        meter.begin();
        let sql = "SELECT subject, step, failure FROM point WHERE failure IS NOT NULL \
                   ORDER BY run, id LIMIT 1";
        let mut statement = conn.prepare(sql)?;
        let mut rows = statement.query([])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        limits::text_bytes(row)?;
        Ok(Some(FailedPoint { subject: text(row, 0)?, step: text(row, 1)?, cause: text(row, 2)? }))
    };
    read().map_err(|e| schema::not_read(path, e))
}

fn points(conn: &Connection, run: i64) -> Result<BTreeMap<(String, String), PointCount>> {
    let sql = "SELECT subject, step, sum(n), sum(failed), count(*), min(n) FROM (SELECT subject, \
               step, count(*) AS n, sum(failure IS NOT NULL) AS failed FROM point WHERE run \
               = ? GROUP BY subject, step, ifnull(axis_name, ''), ifnull(axis_value, 0)) GROUP BY \
               subject, step";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([run])?;
    let mut all = BTreeMap::new();
    while let Some(row) = rows.next()? {
        limits::POINTS.check(all.len() as u64 + 1)?;
        limits::text_bytes(row)?;
        let count = |column: usize| Ok::<u64, Error>(row.get::<_, i64>(column)?.max(0) as u64);
        let (all_of_it, failed) = (count(2)?, count(3)?);
        let counted = PointCount { all: all_of_it, failed, values: count(4)?, fewest: count(5)? };
        all.insert((text(row, 0)?, text(row, 1)?), counted);
    }
    Ok(all)
}

fn drives(conn: &Connection, run: i64) -> Result<Vec<DriveSetup>> {
    let mut statement = conn.prepare(setup::SELECT_DRIVES)?;
    let mut rows = statement.query([run])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        limits::PREPARED.check(all.len() as u64 + 1)?;
        limits::text_bytes(row)?;
        all.push(setup::drive(row)?);
    }
    Ok(all)
}
