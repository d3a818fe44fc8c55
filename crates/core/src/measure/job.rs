//! The input of a worker: its drives, its slots, and the window to measure.

use std::sync::atomic::AtomicBool;

use super::op::OpGenerator;
use super::pacer::Schedule;
use super::recorder::Recorder;
use super::slots::Slots;
use super::slowest::Slowest;
pub use super::window::MeasuredWindow;
use crate::base::clock::Clock;

/// The input of a worker.
pub struct WorkerJob<'a, 'd> {
    /// The clock for all timestamps.
    pub clock: Clock,
    /// At least one. Either all or none have a schedule.
    pub drives: &'a mut [DriveJob<'d>],
    /// The slots for the number of drives, and of concurrent ops on each, with which the I/O
    /// context was opened.
    pub slots: Slots,
    /// Times at which the warm-up ends and the window closes.
    pub window: MeasuredWindow,
    /// Set to stop all workers.
    pub stop: &'a AtomicBool,
}

/// The load of a worker on one of its drives. What every op reads is in one cache line.
#[repr(C, align(64))]
pub struct DriveJob<'d> {
    /// The requests.
    pub source: Box<dyn OpGenerator>,
    /// The recorder of completed ops.
    pub recorder: &'d Recorder,
    /// Stop after this number of ops: the length of a fill.
    pub limit: Option<u64>,
    /// The slowest ops.
    pub slowest: Slowest,
    /// None: closed loop.
    pub schedule: Option<Schedule>,
}

impl DriveJob<'_> {
    /// The number of ops after which it stops.
    #[inline(always)]
    pub fn limit(&self) -> u64 {
        self.limit.unwrap_or(u64::MAX)
    }
}
