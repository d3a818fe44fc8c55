//! The hot loop: one worker from the barrier to the join.
//!
//! Each turn stages every op that is due and has a free slot, takes a timestamp, runs the I/O
//! context, takes a timestamp, and tallies the completions. Rates are of the ops that complete
//! inside the measured window; latencies are of those *intended* inside it. Ops in flight when the
//! window closes are waited for, those that were due and not submitted are submitted for up to
//! [`DRAIN_NS`], and the rest count with their ages, so that slow ones are not lost. In closed loop
//! an op is intended when it is submitted. A worker may drive several drives through one I/O
//! context, each with its own requests, schedule, slots and recorder. The loop takes no lock,
//! allocates nothing, prints nothing, and writes only to its own recorders.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::groups::NO_GROUP;
use super::io_context::{Completion, IoContext, Wait};
pub use super::job::{DriveJob, MeasuredWindow, WorkerJob};
use super::op::{Cycles, NextDue, Op, OpKind};
use super::pacer::{DRAIN_NS, LATE_NS, SPIN_NS, Schedule};
use super::portion::Portion;
use super::recorder::{Ended, Recorder, Stamps};
use super::slots::Queue;
pub use super::slots::Slots;
use super::slowest::SlowestOp;
use super::tally::{count, count_at_edge, tally_closed, tally_open};
use crate::base::clock::Clock;
use crate::base::error::Result;

/// An I/O context behind a pointer: the registry of engines returns boxed I/O contexts, and this
/// trait dispatches once to the concrete type, so that the loop is compiled for each I/O context
/// and calls it without indirection.
pub trait AnyIoContext: Send {
    /// Works until the window closes, the limits are reached or `stop` is set, and returns when
    /// nothing is in flight. An error of the I/O context ends it immediately.
    fn work(&mut self, job: WorkerJob<'_, '_>) -> Result<()>;
}

impl<L: IoContext> AnyIoContext for L {
    fn work(&mut self, job: WorkerJob<'_, '_>) -> Result<()> {
        work(self, job)
    }
}

/// Runs `io_context` until the window closes, the limits are reached or `stop` is set.
pub fn work<L: IoContext>(io_context: &mut L, mut job: WorkerJob<'_, '_>) -> Result<()> {
    let mut slots = std::mem::replace(&mut job.slots, Slots::new(0, 0));
    slots.portion = Portion::of_at_least(io_context.least_portion());
    if let [drive] = &mut job.drives[..] {
        let times = (job.clock, job.window);
        if drive.source.cycles().is_some() {
            return work_in_cycles(io_context, drive, times, job.stop, &mut slots.done);
        }
        if slots.held.len() == 1 && drive.schedule.is_none() {
            return work_one_at_a_time(io_context, drive, times, job.stop, &mut slots);
        }
    }
    for (drive, queue) in job.drives.iter().zip(&mut slots.queues) {
        queue.groups.class = drive.source.group_class();
    }
    match job.drives.iter().any(|drive| drive.schedule.is_some()) {
        true => {
            work_on_schedule(io_context, &mut job, &mut slots)?;
            drain(io_context, &mut job, &mut slots)
        }
        false => work_in_closed_loop(io_context, &mut job, &mut slots),
    }
}

/// Whether a drive has ops left to submit.
#[inline(always)]
fn going_on(job: &WorkerJob<'_, '_>, slots: &Slots, now_ns: u64) -> bool {
    let mut all = job.drives.iter().zip(&slots.queues);
    let unfinished = all.any(|(drive, queue)| queue.next < drive.limit());
    now_ns < job.window.until_ns && !job.stop.load(Relaxed) && unfinished
}

fn work_in_closed_loop<L: IoContext>(
    io_context: &mut L,
    job: &mut WorkerJob<'_, '_>,
    slots: &mut Slots,
) -> Result<()> {
    let mut now_ns = job.clock.now_ns();
    loop {
        if going_on(job, slots, now_ns) {
            stage_portion(io_context, job, slots)?;
        } else if slots.in_flight == 0 {
            return Ok(());
        }
        // If slots are left for the next portion, do not wait.
        let more = slots.staged.len() == slots.portion.ops && !slots.full();
        let wait = if more { Wait::No } else { Wait::One };
        now_ns = turn(io_context, job, slots, wait)?;
        tally_closed(job, slots, now_ns)?;
        slots.settle(wait != Wait::No);
    }
}

fn work_on_schedule<L: IoContext>(
    io_context: &mut L,
    job: &mut WorkerJob<'_, '_>,
    slots: &mut Slots,
) -> Result<()> {
    let mut now_ns = job.clock.now_ns();
    while going_on(job, slots, now_ns) {
        for at in 0..job.drives.len() {
            stage_due(io_context, job, slots, at, now_ns)?;
        }
        now_ns = match waiting(job, slots) {
            Some(wait) => turn_on_schedule(io_context, job, slots, wait)?,
            None => idle_until(job.clock, next_due_ns(job, slots), job.stop),
        };
    }
    Ok(())
}

/// Waits for the ops in flight when the window closes, submits those that were due and had no free
/// slot for up to `DRAIN_NS`, and counts the rest with their ages.
#[cold]
fn drain<L: IoContext>(
    io_context: &mut L,
    job: &mut WorkerJob<'_, '_>,
    slots: &mut Slots,
) -> Result<()> {
    let until_ns = job.window.until_ns.saturating_add(DRAIN_NS);
    let mut now_ns = job.clock.now_ns();
    loop {
        let submits = now_ns < until_ns && !job.stop.load(Relaxed);
        for at in (0..job.drives.len()).filter(|_| submits) {
            if job.drives[at].schedule.as_ref().is_some_and(Schedule::has_due_times) {
                let before = slots.staged.len();
                stage_due(io_context, job, slots, at, now_ns)?;
                let staged = slots.staged[before..].iter();
                let classes = staged.map(|&slot| slots.held[slot as usize].class);
                let recorder = job.drives[at].recorder;
                let ops = classes.filter(|&class| recorder.counts_as_op(class)).count();
                slots.queues[at].backlog += ops as u64;
            }
        }
        if slots.in_flight == 0 && slots.staged.is_empty() {
            break;
        }
        now_ns = turn_on_schedule(io_context, job, slots, Wait::One)?;
    }
    let now_ns = job.clock.now_ns();
    for (drive, queue) in job.drives.iter_mut().zip(&mut slots.queues) {
        count_unsent(drive, queue, job.window, now_ns, job.stop)?;
    }
    Ok(())
}

/// Counts the ops of a drive that were due inside the window and never submitted, each by its age,
/// and the backlog at the window's end. A load that was stopped has none: its window ended there.
#[cold]
fn count_unsent(
    DriveJob { schedule, source, recorder, limit, .. }: &mut DriveJob<'_>,
    queue: &mut Queue,
    window: MeasuredWindow,
    now_ns: u64,
    stop: &AtomicBool,
) -> Result<()> {
    let Some(schedule) = schedule else { return Ok(()) };
    let limit = limit.unwrap_or(u64::MAX);
    let mut group_intended_ns = queue.groups.open_since_ns();
    while queue.next < limit {
        if stop.load(Relaxed) {
            return Ok(());
        }
        if schedule.is_recorded() {
            match source.next_due()? {
                NextDue::At(ns) => schedule.due_after(ns, window.until_ns),
                NextDue::Unread => {
                    std::thread::yield_now();
                    continue;
                }
                NextDue::Never => break,
            }
        }
        let intended_ns = schedule.due_ns();
        if intended_ns >= window.until_ns {
            break;
        }
        let op = source.op(queue.next);
        queue.next += 1;
        if op.kind != OpKind::Flush {
            schedule.advance(queue.next - 1, if op.kind.moves_data() { op.len } else { 0 });
            queue.backlog += 1;
        }
        if !schedule.has_due_times() {
            continue;
        }
        add_unsent(recorder, op.class, window, intended_ns, now_ns);
        if let (Some(class), OpKind::Read) = (queue.groups.class, op.kind) {
            let since_ns = *group_intended_ns.get_or_insert(intended_ns);
            if source.ends_group() {
                group_intended_ns = None;
                if since_ns >= window.from_ns {
                    recorder.add_censored(class, now_ns.saturating_sub(since_ns));
                }
            }
        }
    }
    recorder.set_backlog_end(queue.backlog);
    Ok(())
}

/// Counts an op that was due and never submitted.
fn add_unsent(
    recorder: &Recorder,
    class: u8,
    window: MeasuredWindow,
    intended_ns: u64,
    now_ns: u64,
) {
    if intended_ns < window.from_ns {
        return;
    }
    let age_ns = now_ns.saturating_sub(intended_ns);
    recorder.add_censored(class, age_ns);
    if age_ns > LATE_NS {
        recorder.late.add(1);
    }
}

fn turn_on_schedule<L: IoContext>(
    io_context: &mut L,
    job: &WorkerJob<'_, '_>,
    slots: &mut Slots,
    wait: Wait,
) -> Result<u64> {
    let now_ns = turn(io_context, job, slots, wait)?;
    tally_open(job, slots, now_ns)?;
    slots.settle(wait != Wait::No);
    Ok(now_ns)
}

/// The same loop for one op at a time in closed loop, without slot accounting, which would add a
/// third to the loop's cost (docs/benchmarks.md). RocksDB and pread are driven this way.
fn work_one_at_a_time<L: IoContext>(
    io_context: &mut L,
    drive: &mut DriveJob<'_>,
    (clock, window): (Clock, MeasuredWindow),
    stop: &AtomicBool,
    slots: &mut Slots,
) -> Result<()> {
    let Slots { ops, done, .. } = slots;
    let (limit, recorder) = (drive.limit(), drive.recorder);
    let (mut n, mut now_ns) = (0, clock.now_ns());
    while n < limit && now_ns < window.until_ns {
        let room = (limit - n).min(ops.len() as u64) as usize;
        drive.source.ops(n, &mut ops[..room]);
        for op in &ops[..room] {
            if stop.load(Relaxed) {
                return Ok(());
            }
            io_context.stage(0, op)?;
            let submitted_ns = clock.now_ns();
            let ended = io_context.run_alone(done)?;
            now_ns = clock.now_ns();
            io_context.check(ended.as_slice())?;
            n += 1;
            recorder.issued.set(n);
            let intended_ns = submitted_ns;
            let stamps = Stamps { intended_ns, submitted_ns, completed_ns: now_ns };
            let Op { class, len, at, .. } = *op;
            let slow_op = || SlowestOp { stamps, at, len, class, in_flight: 1 };
            if now_ns >= window.until_ns {
                if let Some(done) = ended
                    && count_at_edge(drive, window, class, stamps, Ended::one(&done))?
                {
                    drive.slowest.note(stamps, slow_op);
                }
                return Ok(());
            }
            let Some(done) = ended else { continue };
            if submitted_ns >= window.from_ns {
                count(drive, class, stamps, Ended::one(&done))?;
                if !done.given_up {
                    drive.slowest.note(stamps, slow_op);
                }
            } else {
                count_at_edge(drive, window, class, stamps, Ended::one(&done))?;
            }
        }
    }
    Ok(())
}

/// The loop for clients with their own cycles, one op at a time. An op that becomes due while
/// another runs waits: its response time counts from its due time.
fn work_in_cycles<L: IoContext>(
    io_context: &mut L,
    DriveJob { source, recorder, slowest, .. }: &mut DriveJob<'_>,
    (clock, window): (Clock, MeasuredWindow),
    stop: &AtomicBool,
    done: &mut Vec<Completion>,
) -> Result<()> {
    let Some(cycles) = source.cycles() else { return Ok(()) };
    let (mut n, mut now_ns, mut drained) = (0, clock.now_ns(), 0);
    cycles.start(now_ns);
    let drained_ns = window.until_ns.saturating_add(DRAIN_NS);
    while now_ns < drained_ns && !stop.load(Relaxed) {
        let intended_ns = cycles.due_ns();
        if intended_ns >= window.until_ns && now_ns >= window.until_ns {
            break;
        }
        if intended_ns > now_ns {
            now_ns = idle_until(clock, intended_ns.min(window.until_ns), stop);
            continue;
        }
        drained += u64::from(now_ns >= window.until_ns);
        let op = cycles.next();
        io_context.stage(0, &op)?;
        let submitted_ns = clock.now_ns();
        let ended = io_context.run_alone(done)?;
        now_ns = clock.now_ns();
        io_context.check(ended.as_slice())?;
        cycles.completed(now_ns);
        n += 1;
        recorder.issued.set(n);
        let stamps = Stamps { intended_ns, submitted_ns, completed_ns: now_ns };
        let Some(done) = ended else { continue };
        let Op { class, len, at, .. } = op;
        if recorder.add_at_edge(class, stamps, Ended::one(&done), window) {
            slowest.note(stamps, || SlowestOp { stamps, at, len, class, in_flight: 1 });
        }
        if intended_ns >= window.from_ns && submitted_ns.saturating_sub(intended_ns) > LATE_NS {
            // Gaps differ from op to op, so the backlog is counted one op at a time.
            let overdue_ns = submitted_ns.min(window.until_ns - 1);
            recorder.add_late(cycles.overdue(overdue_ns) + 1, 1.0);
        }
    }
    if !stop.load(Relaxed) {
        let left = count_unsent_cycles(cycles, recorder, window, clock.now_ns());
        recorder.set_backlog_end(drained + left);
    }
    Ok(())
}

/// Counts the ops of waiting clients that were due inside the window and never submitted.
#[cold]
fn count_unsent_cycles(
    cycles: &mut dyn Cycles,
    recorder: &Recorder,
    window: MeasuredWindow,
    now_ns: u64,
) -> u64 {
    let left = cycles.overdue(window.until_ns - 1);
    for _ in 0..left {
        let intended_ns = cycles.due_ns();
        add_unsent(recorder, cycles.next().class, window, intended_ns, now_ns);
    }
    left
}

/// Stages a portion of a closed loop's ops, alternating between drives.
#[inline(always)]
fn stage_portion<L: IoContext>(
    io_context: &mut L,
    job: &mut WorkerJob<'_, '_>,
    slots: &mut Slots,
) -> Result<()> {
    for _ in 0..job.drives.len() {
        let (drive, queue) = (&mut job.drives[slots.first], &mut slots.queues[slots.first]);
        let left = drive.limit() - queue.next;
        let room = (slots.portion.ops - slots.staged.len()).min(queue.free.len());
        let ops = &mut slots.ops[..left.min(room as u64) as usize];
        drive.source.ops(queue.next, ops);
        let free = queue.free.len() - ops.len();
        for (op, &slot) in ops.iter().zip(&queue.free[free..]) {
            io_context.stage(slot, op)?;
            let held = &mut slots.held[slot as usize];
            (held.class, held.len, held.at) = (op.class, op.len, op.at);
            slots.staged.push(slot);
        }
        queue.free.truncate(free);
        queue.next += ops.len() as u64;
        drive.recorder.issued.set(queue.next);
        slots.first = if slots.first + 1 < job.drives.len() { slots.first + 1 } else { 0 };
        if slots.staged.len() == slots.portion.ops {
            break;
        }
    }
    Ok(())
}

/// Stages one drive's due ops, up to its free slots.
#[inline(always)]
fn stage_due<L: IoContext>(
    io_context: &mut L,
    job: &mut WorkerJob<'_, '_>,
    slots: &mut Slots,
    at: usize,
    now_ns: u64,
) -> Result<()> {
    let (drive, queue) = (&mut job.drives[at], &mut slots.queues[at]);
    let limit = drive.limit();
    let DriveJob { schedule: Some(schedule), source, recorder, .. } = drive else { return Ok(()) };
    let mut awaited = std::mem::take(&mut queue.awaiting);
    while queue.next < limit {
        if schedule.is_recorded() {
            match source.next_due()? {
                NextDue::At(ns) => schedule.due_after(ns, now_ns),
                next => {
                    drive.limit = not_due(next, schedule, queue, now_ns).or(drive.limit);
                    break;
                }
            }
        }
        let (due_ns, intended_ns) = (schedule.due_ns(), schedule.intended_ns(now_ns));
        if due_ns > now_ns || due_ns >= job.window.until_ns {
            queue.awaiting = !queue.free.is_empty();
            break;
        }
        // After the window, the backlog is only measured.
        if now_ns < job.window.until_ns {
            schedule.check_lag(now_ns)?;
        }
        let Some(slot) = queue.free.pop() else { break };
        // The worker was waiting for this op: if it is late, the drive is not the cause.
        let (late_ns, measured) =
            (now_ns.saturating_sub(intended_ns), intended_ns >= job.window.from_ns);
        let awaited = std::mem::take(&mut awaited);
        if measured && late_ns > LATE_NS {
            if awaited {
                recorder.overslept.add(late_ns);
            } else if intended_ns <= queue.unread_ns {
                recorder.unread.add(late_ns);
            }
            if schedule.is_recorded() {
                let at_ns = now_ns.min(job.window.until_ns - 1);
                recorder.add_backlog(source.overdue(schedule.since_start_ns(at_ns)));
            }
        }
        let op = source.op(queue.next);
        io_context.stage(slot, &op)?;
        let held = &mut slots.held[slot as usize];
        (held.class, held.len, held.at) = (op.class, op.len, op.at);
        held.intended_ns = intended_ns;
        if queue.groups.class.is_some() {
            held.group = match op.kind {
                OpKind::Read => queue.groups.add(intended_ns, source.ends_group()),
                _ => NO_GROUP,
            };
        }
        slots.staged.push(slot);
        // A flush does not count towards a rate: it is due with the next op.
        if op.kind != OpKind::Flush {
            schedule.advance(queue.next, if op.kind.moves_data() { op.len } else { 0 });
        }
        queue.next += 1;
    }
    recorder.issued.set(queue.next);
    Ok(())
}

/// The recorded load has no op now: it has ended, or the next op has not been read. Returns the
/// number of ops in the first case.
#[cold]
fn not_due(next: NextDue, schedule: &mut Schedule, queue: &mut Queue, now_ns: u64) -> Option<u64> {
    if next == NextDue::Never {
        schedule.end();
        return Some(queue.next);
    }
    schedule.look_again(now_ns);
    if !queue.free.is_empty() {
        queue.unread_ns = now_ns;
    }
    None
}

/// The maximum time that a turn of an open loop may wait for a completion; `None` if nothing is in
/// flight and the next op is not yet due.
#[inline(always)]
fn waiting(job: &WorkerJob<'_, '_>, slots: &Slots) -> Option<Wait> {
    if slots.in_flight == 0 && slots.staged.is_empty() {
        return None;
    }
    let due_ns = next_due_ns(job, slots);
    if due_ns >= job.window.until_ns {
        return Some(Wait::One);
    }
    let soon = job.clock.now_ns() + SPIN_NS;
    Some(if due_ns <= soon { Wait::No } else { Wait::Until(due_ns - SPIN_NS) })
}

/// The next time at which an op becomes due whose drive has a free slot; at the latest the end of
/// the window.
#[inline(always)]
fn next_due_ns(job: &WorkerJob<'_, '_>, slots: &Slots) -> u64 {
    let free = job.drives.iter().zip(&slots.queues).filter(|(_, queue)| !queue.free.is_empty());
    let due_ns = free.filter_map(|(drive, _)| drive.schedule.as_ref().map(Schedule::due_ns));
    due_ns.fold(job.window.until_ns, u64::min)
}

/// Mostly sleeps, in short periods to notice a stop, and spins at the end.
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

/// One bracket: timestamp, run, timestamp. Returns the second timestamp.
#[inline(always)]
fn turn<L: IoContext>(
    io_context: &mut L,
    job: &WorkerJob<'_, '_>,
    slots: &mut Slots,
    wait: Wait,
) -> Result<u64> {
    let submitted_ns = job.clock.now_ns();
    for &slot in &slots.staged {
        slots.held[slot as usize].submitted_ns = submitted_ns;
    }
    slots.in_flight += slots.staged.len();
    slots.staged.clear();
    io_context.run(wait, &mut slots.done)?;
    let completed_ns = job.clock.now_ns();
    io_context.check(&slots.done)?;
    Ok(completed_ns)
}
