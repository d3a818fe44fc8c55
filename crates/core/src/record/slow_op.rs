//! One of the slowest ops of a point, with evidence about its wait: readings, not a verdict, so
//! that improved rules apply to old bundles. docs/outliers.md describes them.

use super::Class;

/// One of the 1,000 slowest ops of a point, by response time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowOp {
    /// The stream's name in its step.
    pub stream: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// Index of the stream's copy on that drive, from 0.
    pub instance: u32,
    /// Index of the worker there, from 0.
    pub worker: u32,
    /// The op's class.
    pub class: Class,
    /// The due time, nanoseconds since the start of the measured window; in closed loop, the time
    /// of submission.
    pub at_ns: u64,
    /// Submitted − due, nanoseconds.
    pub late_ns: u64,
    /// Completed − due, nanoseconds.
    pub response_ns: u64,
    /// An offset in bytes, or the number of a key or transaction.
    pub address: u64,
    /// Its size in bytes, or a number of entries.
    pub size: u64,
    /// Ops of its worker in flight when its completion was detected, itself included.
    pub in_flight: u32,
    /// The engine submits each op to the kernel itself, bypassing the page cache.
    pub direct: bool,
    /// None if the op was not observed completely.
    pub evidence: Option<Evidence>,
}

/// Readings while an op was in flight, about every 10 ms. If a reading's interval extends beyond
/// the op, minimum and maximum bound the op's share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Minimum time that the worker was runnable but not running, nanoseconds.
    pub waited_least_ns: u64,
    /// Maximum of the same, including kernel threads on its behalf.
    pub waited_most_ns: u64,
    /// Minimum time that Dyno as a whole did not run (stopped by a signal, frozen, its machine
    /// paused), nanoseconds.
    pub stopped_least_ns: u64,
    /// Maximum of the same.
    pub stopped_most_ns: u64,
    /// Maximum steal time of all processors together, nanoseconds.
    pub steal_most_ns: u64,
    /// Number of times that its worker was scheduled meanwhile, if large.
    pub switches: u64,
    /// Time that the device had requests but completed none, nanoseconds; None without a device.
    pub device_stalled_ns: Option<u64>,
    /// Time that the device had no request, nanoseconds; None without a device.
    pub device_idle_ns: Option<u64>,
}
