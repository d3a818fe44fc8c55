//! A bundle's data for a catalogue, read without its measurements: nothing is written to the file,
//! not even to upgrade an older one.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use super::limits;
use super::schema::{self, OpenMode, text};
use crate::base::error::{Error, Result};
use crate::record::{Fact, Run};

/// A summary of a bundle.
pub struct Glance {
    /// The run with its resolved plan.
    pub run: Run,
    /// The number of points of each subject and step, and of failed ones among them.
    pub points: BTreeMap<(String, String), PointCount>,
    /// Facts about the run's drives: heading, name and value.
    pub facts: Vec<Fact>,
}

/// Points of a subject in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointCount {
    /// All, including failed ones.
    pub all: u64,
    /// Those that failed.
    pub failed: u64,
    /// Values of the step's axis that have points.
    pub values: u64,
    /// The minimum number of repeats at any of them.
    pub fewest: u64,
}

/// Reads it. An error if the file is not a bundle, is damaged or exceeds a limit.
pub fn glance(path: &Path) -> Result<Glance> {
    let (conn, meter) = schema::open(path, OpenMode::Look)?;
    let read = || {
        let run = schema::read_run(&conn)?;
        meter.begin();
        let points = points(&conn)?;
        meter.begin();
        Ok(Glance { run, points, facts: facts(&conn)? })
    };
    read().map_err(|e: Error| schema::not_read(path, e))
}

fn points(conn: &Connection) -> Result<BTreeMap<(String, String), PointCount>> {
    let sql = "SELECT subject, step, sum(n), sum(failed), count(*), min(n) FROM (SELECT subject, \
               step, count(*) AS n, sum(failure IS NOT NULL) AS failed FROM point GROUP BY \
               subject, step, ifnull(axis_name, ''), ifnull(axis_value, 0)) GROUP BY subject, step";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
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

fn facts(conn: &Connection) -> Result<Vec<Fact>> {
    let sql = "SELECT heading, name, value FROM fact WHERE point IS NULL AND heading LIKE \
               'Drive: %' ORDER BY id";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        limits::FACTS.check(all.len() as u64 + 1)?;
        limits::text_bytes(row)?;
        all.push(Fact { group: text(row, 0)?, name: text(row, 1)?, value: text(row, 2)? });
    }
    Ok(all)
}
