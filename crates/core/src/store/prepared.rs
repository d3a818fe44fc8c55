//! The preparation of a run's drives, and their final state.

use rusqlite::{Connection, Row, params};

use super::histograms::count;
use super::schema::{optional_text, signed, text};
use crate::base::error::{Context, Result};
use crate::record::{DriveState, PreparationStep};

pub(super) fn insert(conn: &Connection, run: i64, prepared: &[PreparationStep]) -> Result<()> {
    for p in prepared {
        let steady = p.steady.as_ref().map(serde_json::to_string).transpose()?;
        conn.prepare_cached(
            "INSERT INTO preparation (run, subject, drive, action, asked, outcome, \
             filesystem_uuid, steady, ended_unix_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            run,
            p.subject,
            p.drive,
            p.action,
            p.asked,
            p.outcome,
            p.filesystem_uuid,
            steady,
            signed(p.ended_unix_ns)
        ])?;
    }
    Ok(())
}

pub(super) fn insert_states(conn: &Connection, states: &[DriveState]) -> Result<()> {
    for s in states {
        conn.prepare_cached(
            "INSERT OR REPLACE INTO drive_state (subject, drive, serial, counter, written_bytes, \
             contents) VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            s.subject,
            s.drive,
            s.serial,
            s.counter,
            signed(s.written_bytes),
            s.contents
        ])?;
    }
    Ok(())
}

/// All actions of a test, in order.
pub(super) const SELECT: &str = "SELECT subject, drive, action, asked, outcome, steady, \
                                 ended_unix_ns, filesystem_uuid FROM preparation WHERE run = ? \
                                 ORDER BY id";

/// The same of the other tests.
pub(super) const SELECT_OF_OTHERS: &str = "SELECT subject, drive, action, asked, outcome, steady, \
                                           ended_unix_ns, filesystem_uuid FROM preparation WHERE \
                                           run != ? ORDER BY id";

pub(super) fn row(row: &Row<'_>) -> Result<PreparationStep> {
    let steady = optional_text(row, 5)?;
    let steady =
        steady.map(|text| serde_json::from_str(&text)).transpose().context("a steady state")?;
    Ok(PreparationStep {
        subject: text(row, 0)?,
        drive: count(row, 1)?,
        action: text(row, 2)?,
        asked: text(row, 3)?,
        outcome: text(row, 4)?,
        filesystem_uuid: optional_text(row, 7)?,
        steady,
        ended_unix_ns: count(row, 6)?,
    })
}

/// The final state of the drives.
pub(super) const SELECT_STATES: &str = "SELECT subject, drive, serial, counter, written_bytes, \
    contents FROM drive_state ORDER BY subject, drive";

pub(super) fn state(row: &Row<'_>) -> Result<DriveState> {
    Ok(DriveState {
        subject: text(row, 0)?,
        drive: count(row, 1)?,
        serial: text(row, 2)?,
        counter: text(row, 3)?,
        written_bytes: count(row, 4)?,
        contents: text(row, 5)?,
    })
}
