//! The host and the drives of each run: one row each, as JSON.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::schema;
use crate::base::error::Result;
use crate::record::setup::{DriveSetup, DriveWriteCache, HostSetup};

pub(super) fn insert(
    conn: &Connection,
    run: i64,
    host: &HostSetup,
    drives: &[DriveSetup],
) -> Result<()> {
    if !host.is_empty() {
        let sql = "INSERT INTO host (run, setup) VALUES (?, ?)";
        conn.execute(sql, params![run, schema::to_json(host)?])?;
    }
    drives.iter().try_for_each(|drive| insert_drive(conn, run, drive))
}

fn insert_drive(conn: &Connection, run: i64, drive: &DriveSetup) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO drive (run, subject, drive, setup) VALUES (?, ?, ?, ?)";
    let row = params![run, drive.subject, drive.drive, schema::to_json(drive)?];
    conn.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// Adds states of write caches to the setups of their drives.
pub(super) fn note_write_caches(
    conn: &Connection,
    run: i64,
    states: &[DriveWriteCache],
) -> Result<()> {
    let sql = "SELECT id, setup FROM drive WHERE run = ? AND subject = ? AND drive = ?";
    for DriveWriteCache { subject, drive, time, state } in states {
        let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?));
        let known = conn.query_row(sql, params![run, subject, drive], read).optional()?;
        match known {
            Some((id, setup)) => {
                let mut setup: DriveSetup = serde_json::from_str(&setup)?;
                setup.note_write_cache(*time, *state);
                let row = params![schema::to_json(&setup)?, id];
                conn.execute("UPDATE drive SET setup = ? WHERE id = ?", row)?;
            }
            None => {
                let mut setup =
                    DriveSetup { subject: subject.clone(), drive: *drive, ..DriveSetup::default() };
                setup.note_write_cache(*time, *state);
                insert_drive(conn, run, &setup)?;
            }
        }
    }
    Ok(())
}

pub(super) const SELECT_HOST: &str = "SELECT setup FROM host WHERE run = ?";

pub(super) const SELECT_DRIVES: &str =
    "SELECT subject, drive, setup FROM drive WHERE run = ? ORDER BY id";

pub(super) fn host(row: &Row<'_>) -> Result<HostSetup> {
    schema::json(row, 0)
}

/// The columns identify the drive, regardless of the JSON.
pub(super) fn drive(row: &Row<'_>) -> Result<DriveSetup> {
    let setup: DriveSetup = schema::json(row, 2)?;
    let drive = super::histograms::count(row, 1)?;
    Ok(DriveSetup { subject: schema::text(row, 0)?, drive, ..setup })
}
