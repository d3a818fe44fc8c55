//! A test's identity: the same for all copies, independent of their file names.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};

use super::limits::{self, QueryMeter};
use crate::base::error::Result;

/// The digested data: the run, its points, the sums of their tallies, and other tools' figures.
/// Histograms are omitted to save time.
const SELECT: [&str; 4] = [
    "SELECT dyno_version, started_unix_ns, plan FROM run WHERE id = ?",
    "SELECT subject, step, axis_name, axis_value, repeat, started_unix_ns, window_ns, failure \
     FROM point WHERE run = ? ORDER BY id",
    "SELECT c.point, count(*), total(t.ops), total(t.bytes), total(t.misses) FROM point p \
     JOIN cell c ON c.point = p.id JOIN tally t ON t.cell = c.id WHERE p.run = ? GROUP BY \
     c.point ORDER BY c.point",
    "SELECT point, count(*), total(value) FROM reported WHERE point IN (SELECT id FROM \
     point WHERE run = ?) GROUP BY point ORDER BY point",
];

/// Half of a SHA-256, as hexadecimal digits.
pub fn of(conn: &Connection, run: i64, meter: &QueryMeter) -> Result<String> {
    let mut digest = Sha256::new();
    for sql in SELECT {
        meter.begin();
        let mut statement = conn.prepare(sql)?;
        let columns = statement.column_count();
        let (mut rows, mut found) = (statement.query([run])?, 0);
        while let Some(row) = rows.next()? {
            found += 1;
            limits::POINTS.check(found)?;
            limits::text_bytes(row)?;
            for column in 0..columns {
                let (kind, bytes) = match row.get_ref(column)? {
                    ValueRef::Null => (0u8, Vec::new()),
                    ValueRef::Integer(n) => (1, n.to_le_bytes().to_vec()),
                    ValueRef::Real(n) => (2, n.to_bits().to_le_bytes().to_vec()),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => (3, bytes.to_vec()),
                };
                // Including its length, so that rows are delimited.
                digest.update([kind]);
                digest.update((bytes.len() as u64).to_le_bytes());
                digest.update(&bytes);
            }
        }
        digest.update([0xff]);
    }
    Ok(digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
}
