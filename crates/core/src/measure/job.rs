//! The input of a worker: its drives, its slots, and the window to measure.

use std::sync::atomic::AtomicBool;

use super::op::OpGenerator;
use super::pacer::Schedule;
use super::recorder::Recorder;
use super::slots::Slots;
use super::slowest::Slowest;
use crate::base::clock::Clock;

/// What a worker is given.
pub struct WorkerJob<'a, 'd> {
    /// The clock of all stamps.
    pub clock: Clock,
    /// At least one. Either all have a schedule or none has.
    pub drives: &'a mut [DriveJob<'d>],
    /// For as many drives, and as many ops at once on each, as the I/O context was opened with.
    pub slots: Slots,
    /// Warm-up ends and the window closes at these times.
    pub window: MeasuredWindow,
    /// Set to stop all workers.
    pub stop: &'a AtomicBool,
}

/// What a worker does to one of its drives.
pub struct DriveJob<'d> {
    /// What the requests are.
    pub source: Box<dyn OpGenerator>,
    /// None: closed loop.
    pub schedule: Option<Schedule>,
    /// Stop after this many ops: the length of a fill.
    pub limit: Option<u64>,
    /// Where completed ops are tallied.
    pub recorder: &'d Recorder,
    /// Where the slowest of them are kept.
    pub slowest: Slowest,
}

impl DriveJob<'_> {
    /// The ops after which it stops.
    #[inline(always)]
    pub fn limit(&self) -> u64 {
        self.limit.unwrap_or(u64::MAX)
    }
}

/// The measured window on the job's clock; what is intended before it is warm-up.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredWindow {
    /// Start, nanoseconds of the job's clock.
    pub from_ns: u64,
    /// End, nanoseconds of the job's clock.
    pub until_ns: u64,
}
