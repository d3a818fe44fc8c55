//! Observations of a point, or of the run: one row each, as JSON.

use rusqlite::{Connection, Row, params};

use super::schema;
use crate::base::error::Result;
use crate::record::Observed;

pub(super) fn insert(
    conn: &Connection,
    (run, point): (i64, Option<i64>),
    observed: &[Observed],
) -> Result<()> {
    let sql = "INSERT INTO observation (run, point, stream, kind, json) VALUES (?, ?, ?, ?, ?)";
    for one in observed {
        let row = params![run, point, one.stream(), one.kind(), schema::to_json(one)?];
        conn.prepare_cached(sql)?.execute(row)?;
    }
    Ok(())
}

pub(super) const SELECT_OF_RUN: &str =
    "SELECT json FROM observation WHERE point IS NULL AND run = ? ORDER BY id";

pub(super) const SELECT_OF_POINT: &str = "SELECT json FROM observation WHERE point = ? ORDER BY id";

/// Bytes of the JSON.
pub(super) fn bytes(row: &Row<'_>) -> Result<u64> {
    Ok(row.get_ref(0)?.as_str()?.len() as u64)
}

pub(super) fn row(row: &Row<'_>) -> Result<Observed> {
    schema::json(row, 0)
}
