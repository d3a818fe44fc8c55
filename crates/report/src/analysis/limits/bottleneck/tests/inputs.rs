//! Points with their observations, as inputs for the verdicts.

use super::{BottleneckInputs, DeviceLoad, DynoIo};

/// Thirty-two workers whose requests are nearly all at the device.
pub fn point() -> BottleneckInputs {
    BottleneckInputs {
        window_s: 10.0,
        outstanding: 32.0,
        workers: 32.0,
        in_flight: Some(31.0),
        reads_per_s: 100_000.0,
        read_bytes_per_s: 40_000_000.0,
        device: device(100_000.0, 30.0, 1.0),
        host_busy: Some(0.4),
        own_busy: Some(0.35),
        cores: 8.0,
        busiest_core: Some(0.6),
        ..BottleneckInputs::default()
    }
}

/// One that only reads, in blocks of 4 KiB.
pub fn device(reads_per_s: f64, queue: f64, busy: f64) -> Option<DeviceLoad> {
    let read_bytes_per_s = 4096.0 * reads_per_s;
    Some(DeviceLoad {
        reads_per_s,
        read_bytes_per_s,
        queue,
        read_queue: queue,
        busy,
        ..DeviceLoad::default()
    })
}

/// Writes that are flushed one by one: this share of the window is spent writing and flushing, with
/// one request at a time.
pub fn flushed(share: f64) -> BottleneckInputs {
    let device = DeviceLoad {
        written_bytes_per_s: 20e6,
        queue: share,
        write_queue: share,
        busy: share,
        flushes_per_s: 500.0,
        flushing: share / 2.0,
        ..DeviceLoad::default()
    };
    let own = DynoIo { written_bytes_per_s: 9e6, write_calls_per_s: 600.0, ..DynoIo::default() };
    let values = BottleneckInputs {
        reads_per_s: 0.0,
        read_bytes_per_s: 0.0,
        writes_per_s: 9_000.0,
        ..point()
    };
    BottleneckInputs {
        written_bytes_per_s: 420.0 * 9_000.0,
        device: Some(device),
        own: Some(own),
        own_busy: Some(0.1),
        ..values
    }
}

/// Direct reads of 4 KiB while another process writes.
pub fn beside(written_bytes_per_s: f64, write_queue: f64) -> BottleneckInputs {
    let own = DynoIo {
        read_bytes_per_s: 4096.0 * 20_000.0,
        written_bytes_per_s: 1e4,
        write_calls_per_s: 10.0,
    };
    let device = DeviceLoad {
        reads_per_s: 20_000.0,
        read_bytes_per_s: own.read_bytes_per_s,
        written_bytes_per_s,
        read_queue: 30.0,
        write_queue,
        queue: 30.0 + write_queue,
        busy: 1.0,
        ..DeviceLoad::default()
    };
    let reads = BottleneckInputs {
        reads_per_s: 20_000.0,
        read_bytes_per_s: own.read_bytes_per_s,
        ..point()
    };
    BottleneckInputs { device: Some(device), own: Some(own), ..reads }
}
