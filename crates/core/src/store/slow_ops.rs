//! The slowest ops of a point.

use rusqlite::{Connection, Row, params};

use super::histograms::{bounded, count};
use super::limits;
use super::schema::{signed, text};
use crate::base::error::Result;
use crate::record::{Class, Evidence, SlowOp};

/// Adds one to a point.
pub fn insert(conn: &Connection, point: i64, op: &SlowOp) -> Result<()> {
    let e = op.evidence;
    conn.prepare_cached(
        "INSERT INTO slow_op (point, stream, drive, instance, worker, class, at_ns, late_ns, \
         response_ns, address, size, in_flight, direct, waited_least_ns, waited_most_ns, \
         stopped_least_ns, stopped_most_ns, steal_most_ns, switches, device_stalled_ns, \
         device_idle_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute(params![
        point,
        op.stream,
        op.drive,
        op.instance,
        op.worker,
        op.class.name(),
        signed(op.at_ns),
        signed(op.late_ns),
        signed(op.response_ns),
        // A key uses all 64 bits: stored as the signed number of the same bits.
        op.address as i64,
        signed(op.size),
        op.in_flight,
        op.direct,
        e.map(|e| signed(e.waited_least_ns)),
        e.map(|e| signed(e.waited_most_ns)),
        e.map(|e| signed(e.stopped_least_ns)),
        e.map(|e| signed(e.stopped_most_ns)),
        e.map(|e| signed(e.steal_most_ns)),
        e.map(|e| signed(e.switches)),
        e.and_then(|e| e.device_stalled_ns).map(signed),
        e.and_then(|e| e.device_idle_ns).map(signed),
    ])?;
    Ok(())
}

/// The slowest ops of one point, as written: slowest first.
pub const SELECT: &str = "SELECT stream, drive, instance, worker, class, at_ns, late_ns, \
    response_ns, address, size, in_flight, direct, waited_least_ns, waited_most_ns, \
    stopped_least_ns, stopped_most_ns, steal_most_ns, switches, device_stalled_ns, \
    device_idle_ns FROM slow_op WHERE point = ? ORDER BY id";

/// A row of a `SELECT`.
pub fn row(row: &Row<'_>) -> Result<SlowOp> {
    let class: String = row.get(4)?;
    Ok(SlowOp {
        stream: text(row, 0)?,
        drive: count(row, 1)?,
        instance: count(row, 2)?,
        worker: bounded(row, 3, &limits::WORKERS)? as u32,
        class: Class::stored(&class)?,
        at_ns: bounded(row, 5, &limits::TIME)?,
        late_ns: bounded(row, 6, &limits::TIME)?,
        response_ns: bounded(row, 7, &limits::TIME)?,
        address: row.get::<_, i64>(8)? as u64,
        size: count(row, 9)?,
        in_flight: count(row, 10)?,
        direct: row.get(11)?,
        evidence: evidence(row)?,
    })
}

fn evidence(row: &Row<'_>) -> Result<Option<Evidence>> {
    if row.get::<_, Option<i64>>(12)?.is_none() {
        return Ok(None);
    }
    let time = |column: usize| bounded(row, column, &limits::TIME);
    let of_device = |column: usize| match row.get::<_, Option<i64>>(column)? {
        Some(_) => time(column).map(Some),
        None => Ok(None),
    };
    Ok(Some(Evidence {
        waited_least_ns: time(12)?,
        waited_most_ns: time(13)?,
        stopped_least_ns: time(14)?,
        stopped_most_ns: time(15)?,
        steal_most_ns: time(16)?,
        switches: count(row, 17)?,
        device_stalled_ns: of_device(18)?,
        device_idle_ns: of_device(19)?,
    }))
}
