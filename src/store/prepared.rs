//! What was done to the drives of a run, and how it left them.

use rusqlite::{Connection, params};

use super::histograms::count;
use super::schema::signed;
use crate::base::error::{Context, Result};
use crate::record::{DriveState, Prepared};

/// The tables of their own.
pub(super) const TABLES: &str = "
CREATE TABLE preparation (
    id INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    drive INTEGER NOT NULL,
    action TEXT NOT NULL,
    asked TEXT NOT NULL,
    outcome TEXT NOT NULL,
    steady TEXT,
    ended_unix_ns INTEGER NOT NULL
);
CREATE TABLE drive_state (
    subject TEXT NOT NULL,
    drive INTEGER NOT NULL,
    serial TEXT NOT NULL,
    counter TEXT NOT NULL,
    written_bytes INTEGER NOT NULL,
    PRIMARY KEY (subject, drive)
);
";

pub(super) fn insert(conn: &Connection, prepared: &[Prepared]) -> Result<()> {
    for p in prepared {
        let steady = p.steady.as_ref().map(serde_json::to_string).transpose()?;
        conn.prepare_cached(
            "INSERT INTO preparation (subject, drive, action, asked, outcome, steady, ended_unix_ns) \
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            p.subject,
            p.drive,
            p.action,
            p.asked,
            p.outcome,
            steady,
            signed(p.ended_unix_ns)
        ])?;
    }
    Ok(())
}

pub(super) fn insert_states(conn: &Connection, states: &[DriveState]) -> Result<()> {
    for s in states {
        conn.prepare_cached(
            "INSERT OR REPLACE INTO drive_state (subject, drive, serial, counter, written_bytes) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![s.subject, s.drive, s.serial, s.counter, signed(s.written_bytes)])?;
    }
    Ok(())
}

/// Everything that was done, in order.
pub(super) fn read(conn: &Connection) -> Result<Vec<Prepared>> {
    let sql = "SELECT subject, drive, action, asked, outcome, steady, ended_unix_ns FROM preparation ORDER BY id";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let steady = row.get::<_, Option<String>>(5)?;
        let steady = steady.map(|text| serde_json::from_str(&text)).transpose().context("a steady state")?;
        all.push(Prepared {
            subject: row.get(0)?,
            drive: count(row, 1)?,
            action: row.get(2)?,
            asked: row.get(3)?,
            outcome: row.get(4)?,
            steady,
            ended_unix_ns: count(row, 6)?,
        });
    }
    Ok(all)
}

pub(super) fn read_states(conn: &Connection) -> Result<Vec<DriveState>> {
    let sql = "SELECT subject, drive, serial, counter, written_bytes FROM drive_state ORDER BY subject, drive";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(DriveState {
            subject: row.get(0)?,
            drive: count(row, 1)?,
            serial: row.get(2)?,
            counter: row.get(3)?,
            written_bytes: count(row, 4)?,
        });
    }
    Ok(all)
}
