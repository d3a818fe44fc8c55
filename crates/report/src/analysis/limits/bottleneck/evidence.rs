//! What the meters' counts say of a point's requests: which were at the device, whose they were,
//! and which never came there.

use super::{BottleneckInputs, DeviceLoad};

const SECTOR_BYTES: f64 = 512.0;
/// What a filesystem's journal writes for one flush beside the data, at most: descriptor, inodes,
/// bitmaps, commit.
const JOURNAL_BYTES: f64 = 32_768.0;

/// What others had at the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreign {
    /// Of the time of all requests there.
    pub share: f64,
    /// Requests in flight, on average.
    pub queue: f64,
    /// Bytes that others read, per second.
    pub read_bytes_per_s: f64,
    /// Bytes that others wrote, per second.
    pub written_bytes_per_s: f64,
}

/// What the device did and the load did not. The time of reads and that of writes are divided by
/// bytes. What the load had left in memory before, and the journal that its own writes move, are
/// not others'.
pub fn foreign(p: &BottleneckInputs) -> Option<Foreign> {
    let (device, own) = (p.device.as_ref()?, p.own.as_ref()?);
    let journal = device.flushes_per_s.min(own.write_calls_per_s) * JOURNAL_BYTES;
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
    let all = device.read_queue + device.write_queue;
    let share = if all > 0.0 { queue / all } else { 0.0 };
    Some(Foreign { share, queue, read_bytes_per_s: read, written_bytes_per_s: written })
}

/// A process's bytes are counted as it hands requests over, a device's as it completes them: what
/// was in flight as the window began is in the second count alone. At most all that the load may
/// have in flight, per second of the window.
fn in_flight_before(p: &BottleneckInputs, ops_per_s: f64, bytes_per_s: f64) -> f64 {
    if ops_per_s <= 0.0 || p.window_s <= 0.0 {
        return 0.0;
    }
    bytes_per_s / ops_per_s * p.outstanding / p.window_s
}

/// Where the load's own requests were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtDevice {
    /// The share of those that it may have under way.
    pub requests: f64,
    /// The share of the window in which any of them was at the device.
    pub window: f64,
    /// The share of the window in which the device flushed.
    pub flushing: f64,
}

/// Of the requests at the device those that are the load's; all of them where nobody counted whose
/// they were.
pub fn at_device(p: &BottleneckInputs) -> Option<AtDevice> {
    let device = p.device.as_ref()?;
    let queue = (device.queue - foreign(p).map_or(0.0, |f| f.queue)).max(0.0);
    let requests = (queue / p.outstanding.max(1.0)).min(1.0);
    // The kernel counts busy time in coarse ticks; requests of which there are fewer than one on
    // average are not always there.
    let window = device.busy.min(queue).min(1.0);
    Some(AtDevice { requests, window, flushing: device.flushing.min(window) })
}

/// The share of reads that never reached the device; at least so much, since a read may take
/// several of the device's. Blocks are counted in bytes, because the kernel reads ahead in larger
/// ones.
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

/// A neighbour's reads do not make the load's come from the device.
fn own_read_bytes_per_s(p: &BottleneckInputs, device: &DeviceLoad) -> f64 {
    let counted = p.own.as_ref().map_or(device.read_bytes_per_s, |own| own.read_bytes_per_s);
    counted.min(device.read_bytes_per_s)
}

/// The share of the bytes written that had not reached the device; known of whole blocks only.
pub fn kept_in_memory(p: &BottleneckInputs) -> Option<f64> {
    let device = p.device.as_ref().filter(|_| in_blocks(p.writes_per_s, p.written_bytes_per_s))?;
    Some((1.0 - device.written_bytes_per_s / p.written_bytes_per_s).max(0.0))
}

/// Whether requests are of whole blocks: values of a database are not, and may be compressed
/// besides.
fn in_blocks(ops_per_s: f64, bytes_per_s: f64) -> bool {
    let size_bytes = (bytes_per_s / ops_per_s).round();
    size_bytes >= SECTOR_BYTES && size_bytes % SECTOR_BYTES == 0.0
}

/// The share of the time that a worker was on a processor, what its server computed for it
/// included.
pub fn on_processor(p: &BottleneckInputs) -> Option<f64> {
    Some((p.own_busy? * p.cores / p.workers.max(1.0)).min(1.0))
}

/// The share of the processors that neither Dyno nor what it started used.
pub fn strangers(p: &BottleneckInputs) -> Option<f64> {
    Some((p.host_busy? - p.own_busy?).max(0.0))
}
