//! The hot loop: one worker from the barrier to the join.
//!
//! Each turn stages every op that is due and has a free slot, stamps, runs the lane, stamps, and
//! tallies what has completed. An op belongs to the measured window when it was *intended* inside
//! it; ops in flight when the window closes are waited for and counted, so that the slow ones are
//! not lost. In closed loop an op is intended when it is submitted. The loop takes no lock,
//! allocates nothing, prints nothing, and writes only its own recorder.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::lane::{Done, Lane, Wait};
use super::op::{Cycles, Op, OpKind, Source};
use super::pacer::{LATE_NS, SPIN_NS, Schedule};
use super::recorder::{Recorder, Stamps};
use super::slowest::{Kept, Slowest};
use crate::base::clock::Clock;
use crate::base::error::{Result, failed};

/// At most this many ops are handed over in one turn of a closed loop: a drive that gets its queue
/// refilled in small portions is kept busier than one that gets it in heaps (measured,
/// docs/benchmarks.md).
const PORTION: usize = 4;

/// What a worker is given.
pub struct Job<'a> {
    /// The clock of all stamps.
    pub clock: Clock,
    /// What the requests are.
    pub source: &'a mut dyn Source,
    /// None: closed loop.
    pub schedule: Option<Schedule>,
    /// For as many ops at once as the lane was opened with.
    pub slots: Slots,
    /// Warm-up ends and the window closes at these times.
    pub window: Window,
    /// Stop after this many ops: the length of a fill.
    pub limit: Option<u64>,
    /// Where completed ops are tallied.
    pub recorder: &'a Recorder,
    /// Where the slowest of them are kept.
    pub slowest: &'a Slowest,
    /// Set by whoever wants all workers to stop.
    pub stop: &'a AtomicBool,
}

/// The measured window on the job's clock; what is intended before it is warm-up.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Start, nanoseconds of the job's clock.
    pub from_ns: u64,
    /// End, nanoseconds of the job's clock.
    pub until_ns: u64,
}

/// An op that has been staged and not yet completed.
#[derive(Clone, Copy)]
struct InFlight {
    class: u8,
    len: u32,
    at: u64,
    /// Open loop: when it was due. Closed loop: not yet known when it is staged.
    intended_ns: u64,
    submitted_ns: u64,
}

impl InFlight {
    #[cold]
    fn kept(&self, stamps: Stamps, in_flight: usize) -> Kept {
        let InFlight { class, len, at, .. } = *self;
        Kept { stamps, at, len, class, in_flight: in_flight as u32 }
    }
}

/// The slots of a lane: which are free, and what the others hold. Allocated before the barrier.
#[derive(Default)]
pub struct Slots {
    free: Vec<u32>,
    held: Vec<InFlight>,
    /// Staged in this turn and not yet stamped.
    staged: Vec<u32>,
    done: Vec<Done>,
    /// A slot is free for the next op of the schedule, which is not due yet.
    awaiting: bool,
}

impl Slots {
    /// Slots for a lane of this depth, all free.
    pub fn new(depth: u32) -> Slots {
        let empty = InFlight { class: 0, len: 0, at: 0, intended_ns: 0, submitted_ns: 0 };
        let n = depth as usize;
        Slots {
            free: (0..depth).rev().collect(),
            held: vec![empty; n],
            staged: Vec::with_capacity(n),
            done: Vec::with_capacity(n),
            awaiting: false,
        }
    }

    #[inline(always)]
    fn in_flight(&self) -> bool {
        self.free.len() < self.held.len()
    }
}

/// A lane behind a pointer: the registry of engines hands lanes out boxed, and this carries the
/// worker loop to the concrete type, so that the loop is compiled for each lane and calls it
/// without indirection.
pub trait AnyLane: Send {
    /// Works until the window closes, the limit is reached or `stop` is set, and returns when
    /// nothing is in flight. An error of the lane ends it at once.
    fn work(&mut self, job: Job<'_>) -> Result<()>;
}

impl<L: Lane> AnyLane for L {
    fn work(&mut self, job: Job<'_>) -> Result<()> {
        work(self, job)
    }
}

/// Runs `lane` until the window closes, the limit is reached or `stop` is set.
pub fn work<L: Lane>(lane: &mut L, mut job: Job<'_>) -> Result<()> {
    if let Some(cycles) = job.source.cycles() {
        return work_in_cycles(
            lane,
            cycles,
            (job.clock, job.window),
            (job.recorder, job.slowest),
            job.stop,
            job.slots.done,
        );
    }
    if job.slots.held.len() == 1 && job.schedule.is_none() {
        return work_one_at_a_time(lane, job);
    }
    let mut slots = std::mem::take(&mut job.slots);
    let mut n = 0;
    let limit = job.limit.unwrap_or(u64::MAX);
    let mut now_ns = job.clock.now_ns();
    while now_ns < job.window.until_ns && n < limit && !job.stop.load(Relaxed) {
        n = stage_due(lane, &mut job, &mut slots, n, limit, now_ns)?;
        let wait = match waiting(&job, &slots) {
            Some(wait) => wait,
            None => {
                now_ns = idle(&job);
                continue;
            }
        };
        now_ns = turn(lane, &job, &mut slots, wait)?;
        job.recorder.issued.set(n);
    }
    while slots.in_flight() {
        turn(lane, &job, &mut slots, Wait::One)?;
    }
    note_backlog(&job);
    Ok(())
}

/// The same loop for one op at a time in closed loop, where there are no slots to keep account of.
/// That account costs a third of what the loop costs (docs/benchmarks.md), and this is how RocksDB
/// and pread are driven.
fn work_one_at_a_time<L: Lane>(lane: &mut L, mut job: Job<'_>) -> Result<()> {
    let mut done = std::mem::take(&mut job.slots.done);
    let limit = job.limit.unwrap_or(u64::MAX);
    let (mut n, mut now_ns) = (0, job.clock.now_ns());
    while now_ns < job.window.until_ns && n < limit && !job.stop.load(Relaxed) {
        let op = job.source.op(n);
        lane.stage(0, &op)?;
        let submitted_ns = job.clock.now_ns();
        lane.run(Wait::One, &mut done)?;
        now_ns = job.clock.now_ns();
        lane.check(&done)?;
        n += 1;
        job.recorder.issued.set(n);
        if let Some(done) = done.pop()
            && submitted_ns >= job.window.from_ns
        {
            let stamps = Stamps { intended_ns: submitted_ns, submitted_ns, completed_ns: now_ns };
            let Op { class, len, at, .. } = op;
            let kept = || Kept { stamps, at, len, class, in_flight: 1 };
            count((job.recorder, job.slowest), job.limit, (class, stamps), &done, kept)?;
        }
    }
    Ok(())
}

/// The loop for clients with cycles of their own, one op at a time. What is due while an op runs
/// waits its turn: its response time counts from when it was due.
fn work_in_cycles<L: Lane>(
    lane: &mut L,
    cycles: &mut dyn Cycles,
    (clock, window): (Clock, Window),
    (recorder, slowest): (&Recorder, &Slowest),
    stop: &AtomicBool,
    mut done: Vec<Done>,
) -> Result<()> {
    let (mut n, mut now_ns) = (0, clock.now_ns());
    cycles.start(now_ns);
    while now_ns < window.until_ns && !stop.load(Relaxed) {
        let intended_ns = cycles.due_ns();
        if intended_ns > now_ns {
            now_ns = idle_until(clock, intended_ns.min(window.until_ns), stop);
            continue;
        }
        let op = cycles.next();
        lane.stage(0, &op)?;
        let submitted_ns = clock.now_ns();
        lane.run(Wait::One, &mut done)?;
        now_ns = clock.now_ns();
        lane.check(&done)?;
        cycles.completed(now_ns);
        n += 1;
        recorder.issued.set(n);
        let late_ns = submitted_ns.saturating_sub(intended_ns);
        if let Some(done) = done.pop()
            && intended_ns >= window.from_ns
        {
            let stamps = Stamps { intended_ns, submitted_ns, completed_ns: now_ns };
            let Op { class, len, at, .. } = op;
            let kept = || Kept { stamps, at, len, class, in_flight: 1 };
            count((recorder, slowest), None, (class, stamps), &done, kept)?;
            if late_ns > LATE_NS {
                // Gaps differ with every op, so the backlog is counted, not reckoned.
                recorder.add_late(cycles.overdue(submitted_ns) + 1, 1.0);
            }
        }
    }
    if !stop.load(Relaxed) {
        recorder.backlog_end.set(cycles.overdue(window.until_ns));
    }
    Ok(())
}

/// Stages the ops that are due, as many as there are free slots, and returns the next op's number.
#[inline(always)]
fn stage_due<L: Lane>(
    lane: &mut L,
    job: &mut Job<'_>,
    slots: &mut Slots,
    mut n: u64,
    limit: u64,
    now_ns: u64,
) -> Result<u64> {
    let mut awaited = std::mem::take(&mut slots.awaiting);
    while n < limit {
        let (due_ns, intended_ns) = match &job.schedule {
            Some(schedule) => (schedule.due_ns(), schedule.intended_ns(now_ns)),
            None => (now_ns, now_ns),
        };
        if due_ns > now_ns || due_ns >= job.window.until_ns {
            slots.awaiting = !slots.free.is_empty();
            break;
        }
        if job.schedule.is_none() && slots.staged.len() == PORTION {
            break;
        }
        if let Some(schedule) = &job.schedule {
            schedule.check_lag(now_ns)?;
        }
        let Some(slot) = slots.free.pop() else { break };
        if std::mem::take(&mut awaited) {
            note_overslept(job, intended_ns, now_ns);
        }
        let op = job.source.op(n);
        lane.stage(slot, &op)?;
        let Op { class, len, at, .. } = op;
        slots.held[slot as usize] = InFlight { class, len, at, intended_ns, submitted_ns: 0 };
        slots.staged.push(slot);
        // A flush is no op of a rate: it is due with the one after it.
        if let (Some(schedule), true) = (&mut job.schedule, op.kind != OpKind::Flush) {
            schedule.advance(n, if op.kind.moves_data() { op.len } else { 0 });
        }
        n += 1;
    }
    Ok(n)
}

/// The op that was waited for is handed over now: late, if so, through no fault of the drive.
fn note_overslept(job: &Job<'_>, intended_ns: u64, now_ns: u64) {
    let late_ns = now_ns.saturating_sub(intended_ns);
    if late_ns > LATE_NS && intended_ns >= job.window.from_ns {
        job.recorder.overslept.add(late_ns);
    }
}

/// How long this turn may wait for a completion; `None` where nothing is in flight and the next op
/// is not yet due.
#[inline(always)]
fn waiting(job: &Job<'_>, slots: &Slots) -> Option<Wait> {
    let Some(schedule) = &job.schedule else {
        return Some(if slots.free.is_empty() { Wait::One } else { Wait::No });
    };
    if !slots.in_flight() {
        return None;
    }
    if slots.free.is_empty() || schedule.due_ns() >= job.window.until_ns {
        return Some(Wait::One);
    }
    let due_ns = schedule.due_ns();
    let soon = job.clock.now_ns() + SPIN_NS;
    Some(if due_ns <= soon { Wait::No } else { Wait::Until(due_ns - SPIN_NS) })
}

/// Waits for the next op to fall due.
fn idle(job: &Job<'_>) -> u64 {
    let due_ns = job.schedule.as_ref().map_or(0, Schedule::due_ns).min(job.window.until_ns);
    idle_until(job.clock, due_ns, job.stop)
}

/// Sleeps most of the time in short stretches, so that a stop is seen, and spins the rest.
fn idle_until(clock: Clock, due_ns: u64, stop: &AtomicBool) -> u64 {
    const STRETCH_NS: u64 = 100_000_000;
    let mut now_ns = clock.now_ns();
    while now_ns < due_ns && !stop.load(Relaxed) {
        if due_ns - now_ns > 2 * SPIN_NS {
            clock.sleep_until((due_ns - SPIN_NS).min(now_ns + STRETCH_NS));
        } else {
            std::hint::spin_loop();
        }
        now_ns = clock.now_ns();
    }
    now_ns
}

/// One bracket: stamp, run, stamp, tally. Returns the second stamp.
#[inline(always)]
fn turn<L: Lane>(lane: &mut L, job: &Job<'_>, slots: &mut Slots, wait: Wait) -> Result<u64> {
    let submitted_ns = job.clock.now_ns();
    for &slot in &slots.staged {
        slots.held[slot as usize].submitted_ns = submitted_ns;
    }
    slots.staged.clear();
    lane.run(wait, &mut slots.done)?;
    let completed_ns = job.clock.now_ns();
    lane.check(&slots.done)?;
    for done in &slots.done {
        let held = &slots.held[done.slot as usize];
        let in_flight = slots.held.len() - slots.free.len();
        tally(job, held, done, completed_ns, in_flight)?;
        slots.free.push(done.slot);
    }
    slots.done.clear();
    Ok(completed_ns)
}

#[inline(always)]
fn tally(
    job: &Job<'_>,
    held: &InFlight,
    done: &Done,
    completed_ns: u64,
    in_flight: usize,
) -> Result<()> {
    let InFlight { class, intended_ns, submitted_ns, .. } = *held;
    let Some(schedule) = &job.schedule else {
        if submitted_ns >= job.window.from_ns {
            let stamps = Stamps { intended_ns: submitted_ns, submitted_ns, completed_ns };
            let kept = || held.kept(stamps, in_flight);
            count((job.recorder, job.slowest), job.limit, (class, stamps), done, kept)?;
        }
        return Ok(());
    };
    if intended_ns < job.window.from_ns {
        return Ok(());
    }
    let stamps = Stamps { intended_ns, submitted_ns, completed_ns };
    let kept = || held.kept(stamps, in_flight);
    count((job.recorder, job.slowest), job.limit, (class, stamps), done, kept)?;
    let late_ns = submitted_ns.saturating_sub(intended_ns);
    if late_ns > LATE_NS {
        job.recorder.add_late(late_ns, schedule.mean_gap_ns());
    }
    Ok(())
}

/// Counts what has ended in the window: an op, or one that was given up, which a fill cannot do
/// without.
#[inline(always)]
fn count(
    (recorder, slowest): (&Recorder, &Slowest),
    limit: Option<u64>,
    (class, stamps): (u8, Stamps),
    done: &Done,
    op: impl FnOnce() -> Kept,
) -> Result<()> {
    if !done.given_up {
        recorder.add(class, stamps, done.bytes, done.hit);
        slowest.note(stamps, op);
        return Ok(());
    }
    recorder.add_given_up(class);
    match limit {
        None => Ok(()),
        Some(_) => Err(failed(
            "a transaction of the dataset's load was rolled back again and again, and given up",
            "load with fewer threads, or at a lower isolation level",
        )),
    }
}

/// Open loop: counts the ops that were due before the window closed and could not be handed over.
fn note_backlog(job: &Job<'_>) {
    let Some(schedule) = &job.schedule else { return };
    let overdue_ns = job.window.until_ns.min(job.clock.now_ns()).saturating_sub(schedule.due_ns());
    if overdue_ns > 0 && !job.stop.load(Relaxed) {
        job.recorder.backlog_end.set((overdue_ns as f64 / schedule.mean_gap_ns()).ceil() as u64);
    }
}
