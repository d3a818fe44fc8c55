//! Evidence from the meters about a point's requests: which were at the device, which belonged to
//! other processes, and which never reached it.

use super::{BottleneckInputs, DeviceLoad};

const SECTOR_BYTES: f64 = 512.0;
/// The maximum that a filesystem's journal writes for one flush in addition to the data:
/// descriptor, inodes, bitmaps, commit.
const JOURNAL_BYTES: f64 = 32_768.0;

/// Other processes' use of the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreign {
    /// The share of others in the time of all requests at the device.
    pub share: f64,
    /// Mean number of requests in flight.
    pub queue: f64,
    /// Bytes read by others, per second.
    pub read_bytes_per_s: f64,
    /// Bytes written by others, per second.
    pub written_bytes_per_s: f64,
}

/// The device's activity minus the load's. The times of reads and of writes are divided in
/// proportion to bytes. The load's earlier dirty data, and the journal writes caused by its own
/// writes, do not count as others'.
pub fn foreign(p: &BottleneckInputs) -> Option<Foreign> {
    let (device, own) = (p.device.as_ref()?, p.own.as_ref()?);
    // A trim of a file changes its filesystem's tables too.
    let journaled = device.flushes_per_s.min(own.write_calls_per_s) + p.trims_per_s;
    let journal = journaled * JOURNAL_BYTES;
    let begun = |ops_per_s, bytes_per_s| in_flight_before(p, ops_per_s, bytes_per_s);
    let reads = own.read_bytes_per_s + begun(p.reads_per_s, p.read_bytes_per_s);
    let writes = own.written_bytes_per_s
        + p.drained_bytes_per_s
        + journal
        + begun(p.writes_per_s, p.written_bytes_per_s);
    let read = (device.read_bytes_per_s - reads).max(0.0);
    let written = (device.written_bytes_per_s - writes).max(0.0);
    let of =
        |part: f64, whole: f64, queue: f64| if whole > 0.0 { part / whole * queue } else { 0.0 };
    let queue = of(read, device.read_bytes_per_s, device.read_queue)
        + of(written, device.written_bytes_per_s, device.write_queue);
    // All requests, also those that move no data.
    let all = (device.read_queue + device.write_queue).max(device.queue);
    let share = if all > 0.0 { queue / all } else { 0.0 };
    Some(Foreign { share, queue, read_bytes_per_s: read, written_bytes_per_s: written })
}

/// A process's bytes are counted at submission, a device's at completion, so requests in flight at
/// the start of the window are only in the second count. Returns an upper bound: all requests that
/// the load may have in flight, per second of the window.
fn in_flight_before(p: &BottleneckInputs, ops_per_s: f64, bytes_per_s: f64) -> f64 {
    if ops_per_s <= 0.0 || p.window_s <= 0.0 {
        return 0.0;
    }
    bytes_per_s / ops_per_s * p.outstanding / p.window_s
}

/// The location of the load's own requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtDevice {
    /// The share of the permitted requests in flight.
    pub requests: f64,
    /// The share of the window with any of them at the device.
    pub window: f64,
    /// The share of the window during which the device flushed.
    pub flushing: f64,
}

/// The load's part of the requests at the device; all of them if their origin was not counted.
pub fn at_device(p: &BottleneckInputs) -> Option<AtDevice> {
    let device = p.device.as_ref()?;
    let queue = (device.queue - foreign(p).map_or(0.0, |f| f.queue)).max(0.0);
    let requests = (queue / p.outstanding.max(1.0)).min(1.0);
    // The kernel counts busy time in coarse ticks; with a mean of less than one request, there is
    // not always one.
    let window = device.busy.min(queue).min(1.0);
    Some(AtDevice { requests, window, flushing: device.flushing.min(window) })
}

/// The share of reads that never reached the device; a lower bound, because one read may take
/// several of the device's. Blocks are counted in bytes, because the kernel's read-ahead uses
/// larger ones.
pub fn from_memory(p: &BottleneckInputs) -> Option<f64> {
    let device = p.device.as_ref().filter(|_| p.reads_per_s > 0.0)?;
    let bytes_per_s = own_read_bytes_per_s(p, device);
    let reached = match in_blocks(p.reads_per_s, p.read_bytes_per_s) {
        true => bytes_per_s / p.read_bytes_per_s,
        false if device.read_bytes_per_s > 0.0 => {
            device.reads_per_s * bytes_per_s / device.read_bytes_per_s / p.reads_per_s
        }
        false => 0.0,
    };
    Some((1.0 - reached).max(0.0))
}

/// A neighbour's reads do not mean that the load's came from the device.
fn own_read_bytes_per_s(p: &BottleneckInputs, device: &DeviceLoad) -> f64 {
    let counted = p.own.as_ref().map_or(device.read_bytes_per_s, |own| own.read_bytes_per_s);
    counted.min(device.read_bytes_per_s)
}

/// The share of the bytes written that had not reached the device; only known for whole blocks.
pub fn kept_in_memory(p: &BottleneckInputs) -> Option<f64> {
    let device = p.device.as_ref().filter(|_| in_blocks(p.writes_per_s, p.written_bytes_per_s))?;
    Some((1.0 - device.written_bytes_per_s / p.written_bytes_per_s).max(0.0))
}

/// Whether requests are whole blocks: values of a database are not, and may also be compressed.
fn in_blocks(ops_per_s: f64, bytes_per_s: f64) -> bool {
    let size_bytes = (bytes_per_s / ops_per_s).round();
    size_bytes >= SECTOR_BYTES && size_bytes % SECTOR_BYTES == 0.0
}

/// The share of time that a worker was on a processor, including its server's computation for it.
pub fn on_processor(p: &BottleneckInputs) -> Option<f64> {
    Some((p.own_busy? * p.cores / p.workers.max(1.0)).min(1.0))
}

/// The share of the processors used by processes other than Dyno and its descendants.
pub fn strangers(p: &BottleneckInputs) -> Option<f64> {
    Some((p.host_busy? - p.own_busy?).max(0.0))
}
