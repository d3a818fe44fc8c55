//! The pacing floor: the response time of an engine that takes no time, through the worker loop of
//! all streams. Shorter open-loop response times are caused by Dyno and the machine, not by the
//! drive.

use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;
use std::thread::Builder;

use rustix::thread::set_current_timer_slack;

use crate::base::clock::Clock;
use crate::base::error::{Result, failed};
use crate::base::rng::Seed;
use crate::base::units::Rate;
use crate::lab::machine::task_limit::TaskLimit;
use crate::measure::io_context::{Completion, IoContext, Wait};
use crate::measure::pacer::{ArrivalSeeds, Schedule, WorkerShare};
use crate::measure::recorder::Recorder;
use crate::measure::slowest::Slowest;
use crate::measure::worker::{DriveJob, MeasuredWindow, Slots, WorkerJob, work};
use crate::measure::{Op, OpGenerator, OpKind};
use crate::plan::Arrival;
use crate::record::{Class, PacingFloor};

/// Long enough for the worker to sleep between two ops.
const OPS_PER_S: u64 = 10_000;
/// 500 ops: enough for a median and a p95, at the start of every run.
const LENGTH_NS: u64 = 50_000_000;

/// Completes ops immediately.
struct NoTime {
    staged: Option<Completion>,
}

impl IoContext for NoTime {
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        self.staged = Some(Completion { slot, bytes: op.len, hit: true, given_up: false });
        Ok(())
    }

    fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        done.extend(self.staged.take());
        Ok(())
    }
}

struct SameRead;

impl OpGenerator for SameRead {
    fn op(&mut self, _n: u64) -> Op {
        Op { kind: OpKind::Read, class: 0, len: 4096, at: 0, salt: 0 }
    }
}

/// Takes a twentieth of a second.
pub fn measure(clock: Clock) -> Result<PacingFloor> {
    let recorder = Recorder::new(&[Class::READ], true);
    // In its own thread, like workers, because the timer slack is a thread's property.
    let measured: Result<_> = std::thread::scope(|scope| {
        let thread = Builder::new().spawn_scoped(scope, || pace(clock, &recorder));
        Ok(thread.map_err(|cause| TaskLimit::exceeded(0, 1, &cause))?.join())
    });
    measured?.map_err(|_| {
        failed("the measurement of the pacing floor panicked", "please report this defect")
    })??;
    let mut tallies = Vec::new();
    recorder.add_to(&mut tallies);
    let response = tallies.first().map(|tally| tally.response());
    let quantile = |q: f64| response.and_then(|histogram| histogram.quantile_ns(q)).unwrap_or(0);
    let ops = response.map_or(0, |histogram| histogram.count);
    Ok(PacingFloor { median_ns: quantile(0.5), p95_ns: quantile(0.95), ops, ops_per_s: OPS_PER_S })
}

fn pace(clock: Clock, recorder: &Recorder) -> Result<()> {
    // As in a worker group: if the kernel refuses, the floor is higher, and this measurement shows
    // it.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
    let from_ns = clock.now_ns();
    let share = WorkerShare { thread: 0, threads: 1, extra_bytes: 0, mean_op_bytes: 0.0 };
    let rate = Rate::OpsPerSec(OPS_PER_S as f64);
    let seed = Seed::new(1, 0, 0);
    let seeds = ArrivalSeeds { own: seed, of_stream: seed };
    let schedule = Schedule::new(rate, Arrival::Fixed, share, from_ns, seeds);
    let drive = DriveJob {
        source: Box::new(SameRead),
        schedule: Some(schedule),
        limit: None,
        recorder,
        slowest: Slowest::new(0),
    };
    let job = WorkerJob {
        clock,
        drives: &mut [drive],
        slots: Slots::new(1, 1),
        window: MeasuredWindow { from_ns, until_ns: from_ns + LENGTH_NS },
        stop: &AtomicBool::new(false),
    };
    work(&mut NoTime { staged: None }, job)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_of_every_op_that_was_due_and_far_below_a_drives_latency() {
        let floor = measure(Clock::start()).expect("measured");
        assert!((1..=LENGTH_NS * OPS_PER_S / 1_000_000_000).contains(&floor.ops), "{floor:?}");
        // About a microsecond on a quiet machine; a busy one wakes threads later, at worst by a
        // scheduler time slice.
        assert!(floor.median_ns > 0 && floor.median_ns <= floor.p95_ns, "{floor:?}");
    }
}
