//! One of the slowest ops of a point, with the evidence of what it waited for: readings, no
//! verdict, so that better rules serve old bundles too. docs/outliers.md says how they are made.

use super::Class;

/// One of the 1,000 slowest ops of a point, by response time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowOp {
    /// The stream's name in its step.
    pub stream: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// Which copy of the stream on that drive, from 0.
    pub instance: u32,
    /// Which of the stream's workers there, from 0.
    pub worker: u32,
    /// The op's class.
    pub class: Class,
    /// When it was due, nanoseconds since the start of the measured window; in closed loop when it
    /// was handed over.
    pub at_ns: u64,
    /// Handed over − due, nanoseconds.
    pub late_ns: u64,
    /// Completed − due, nanoseconds.
    pub response_ns: u64,
    /// An offset in bytes, or the number of a key or transaction.
    pub address: u64,
    /// Its size in bytes, or a count of entries.
    pub size: u64,
    /// Ops of its worker in flight when it was seen to be complete, itself included.
    pub in_flight: u32,
    /// The engine hands each op to the kernel itself, past the page cache.
    pub direct: bool,
    /// None where nothing watched the whole of it.
    pub evidence: Option<Evidence>,
}

/// What was read while an op was under way, about every 10 ms. Where a reading's interval reaches
/// beyond the op, least and most bound the part that is the op's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The worker was runnable and not run at least this long, nanoseconds.
    pub waited_least_ns: u64,
    /// And at most this long, or a thread of the kernel's on its behalf.
    pub waited_most_ns: u64,
    /// Dyno as a whole did not run (stopped by a signal, frozen, its machine paused) at least this
    /// long, nanoseconds.
    pub stopped_least_ns: u64,
    /// And at most this long.
    pub stopped_most_ns: u64,
    /// Time that a hypervisor took from all processors together, at most, nanoseconds.
    pub steal_most_ns: u64,
    /// How often its worker was given a processor meanwhile, where that was often.
    pub switches: u64,
    /// The device had requests and completed none for so long, nanoseconds; None without a device.
    pub device_stalled_ns: Option<u64>,
    /// The device had no request for so long, nanoseconds; None without a device.
    pub device_idle_ns: Option<u64>,
}
