//! Figures told by other tools: written and read apart from points, since only imported ones have them.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::histograms::count;
use crate::base::error::{Context, Error, Result};
use crate::record::{Class, Told};

pub(super) fn insert(conn: &Connection, point: i64, told: &Told) -> Result<()> {
    let sql =
        "INSERT INTO told (point, stream, class, name, value, low, high, samples) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    let samples = told.samples.map(super::schema::signed);
    let row = params![point, told.stream, told.class.name(), told.name, told.value, told.low, told.high, samples];
    conn.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// All that was told, by the number of its point.
pub(super) fn read(conn: &Connection) -> Result<HashMap<i64, Vec<Told>>> {
    let sql = "SELECT point, stream, class, name, value, low, high, samples FROM told ORDER BY id";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut all: HashMap<i64, Vec<Told>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let class: String = row.get(2)?;
        let class = Class::ALL.into_iter().find(|c| c.name() == class).context("no such class of op")?;
        let samples = row.get::<_, Option<i64>>(7)?.map(|_| count(row, 7)).transpose()?;
        let (value, low, high): (f64, f64, f64) = (row.get(4)?, row.get(5)?, row.get(6)?);
        if ![value, low, high].iter().all(|v| v.is_finite()) || low > value || value > high {
            return Err(Error::msg("a told figure lies outside its bounds"));
        }
        let told = Told { stream: row.get(1)?, class, name: row.get(3)?, value, low, high, samples };
        all.entry(row.get(0)?).or_default().push(told);
    }
    Ok(all)
}
