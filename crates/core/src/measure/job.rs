//! The input of a worker: its drives, its slots, and the window to measure.

use std::sync::atomic::AtomicBool;

use super::op::OpGenerator;
use super::pacer::Schedule;
use super::recorder::{CountsIn, Recorder, Stamps};
use super::slots::Slots;
use super::slowest::Slowest;
use crate::base::clock::Clock;

/// The input of a worker.
pub struct WorkerJob<'a, 'd> {
    /// The clock for all timestamps.
    pub clock: Clock,
    /// At least one. Either all or none have a schedule.
    pub drives: &'a mut [DriveJob<'d>],
    /// For the number of drives, and of concurrent ops on each, with which the I/O context was
    /// opened.
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
    /// Where completed ops are recorded.
    pub recorder: &'d Recorder,
    /// Stop after this number of ops: the length of a fill.
    pub limit: Option<u64>,
    /// Where the slowest ops are stored.
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

/// The measured window on the job's clock. Rates are of the ops that complete inside it, latencies
/// of those intended inside it.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredWindow {
    /// Start, nanoseconds of the job's clock.
    pub from_ns: u64,
    /// End, nanoseconds of the job's clock.
    pub until_ns: u64,
}

impl MeasuredWindow {
    /// From which intended time on an op that completes at this time counts in both the rate and
    /// the latencies: one comparison for an ordinary op.
    #[inline(always)]
    pub fn inner_from_ns(&self, completed_ns: u64) -> u64 {
        if completed_ns < self.until_ns { self.from_ns } else { u64::MAX }
    }

    /// How long an op was in flight inside it.
    pub fn inside_ns(&self, Stamps { submitted_ns, completed_ns, .. }: Stamps) -> u64 {
        let from_ns = submitted_ns.max(self.from_ns);
        completed_ns.min(self.until_ns).saturating_sub(from_ns)
    }

    /// What an op counts in.
    pub fn counts(&self, stamps: Stamps) -> CountsIn {
        let Stamps { intended_ns, submitted_ns, completed_ns } = stamps;
        let in_flight_all_through = submitted_ns < self.from_ns && completed_ns >= self.until_ns;
        CountsIn {
            rate: (self.from_ns..self.until_ns).contains(&completed_ns),
            // No op is staged after the window that was not due in it.
            latency: intended_ns >= self.from_ns || in_flight_all_through,
        }
    }
}
