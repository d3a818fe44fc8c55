//! Figures reported by other tools: stored separately from points, because only imported points
//! have them.

use rusqlite::{Connection, Row, params};

use super::histograms::count;
use super::schema::text;
use crate::base::error::{Error, Result};
use crate::record::{Class, Reported};

pub(super) fn insert(conn: &Connection, point: i64, reported: &Reported) -> Result<()> {
    let sql = "INSERT INTO reported (point, stream, class, name, value, low, high, samples, \
               digits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let samples = reported.samples.map(super::schema::signed);
    let row = params![
        point,
        reported.stream,
        reported.class.name(),
        reported.name,
        reported.value,
        reported.low,
        reported.high,
        samples,
        reported.digits
    ];
    conn.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// Dyno's numbers do not have more digits than this.
const MOST_DIGITS: i64 = 17;

/// All reported figures.
pub(super) const SELECT: &str = "SELECT point, stream, class, name, value, low, high, samples, \
                                 digits FROM reported WHERE point IN (SELECT id FROM point \
                                 WHERE run = ?) ORDER BY id";

/// A row: the number of its point, and the figure.
pub(super) fn row(row: &Row<'_>) -> Result<(i64, Reported)> {
    let class: String = row.get(2)?;
    let class = Class::stored(&class)?;
    let samples = row.get::<_, Option<i64>>(7)?.map(|_| count(row, 7)).transpose()?;
    let (value, low, high): (f64, f64, f64) = (row.get(4)?, row.get(5)?, row.get(6)?);
    if ![value, low, high].iter().all(|v| v.is_finite()) || low > value || value > high {
        return Err(Error::msg("a reported figure is outside its bounds"));
    }
    let digits = row.get::<_, Option<i64>>(8)?.map(|n| n.clamp(1, MOST_DIGITS) as u32);
    let (stream, name) = (text(row, 1)?, text(row, 3)?);
    Ok((row.get(0)?, Reported { stream, class, name, value, low, high, samples, digits }))
}
