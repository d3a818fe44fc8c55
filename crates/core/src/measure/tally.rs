//! Processes a turn's completions: records latencies, frees slots, keeps the slowest ops.

use super::io_context::Completion;
use super::job::{DriveJob, MeasuredWindow, WorkerJob};
use super::pacer::LATE_NS;
use super::recorder::{Ended, Stamps};
use super::slots::{InFlight, Queue, Slots};
use crate::base::error::{Result, failed};

/// Closed loop: ops of one drive and class that were submitted and completed together have the same
/// latency, which is looked up in the histogram once.
#[inline(always)]
pub fn tally_closed(job: &WorkerJob<'_, '_>, slots: &mut Slots, completed_ns: u64) -> Result<()> {
    let Slots { done, held, queues, depth, .. } = slots;
    let inner_from_ns = job.window.inner_from_ns(completed_ns);
    let mut rest = &done[..];
    while let Some((first, others)) = rest.split_first() {
        let shared = held[first.slot as usize];
        let mut ended = Ended::one(first);
        if !first.given_up {
            for next in others {
                if !held[next.slot as usize].alike(&shared) || next.given_up {
                    break;
                }
                ended.add(next);
            }
        }
        let (together, later) = rest.split_at(ended.ops as usize);
        rest = later;
        let Queue { free, .. } = &mut queues[shared.drive as usize];
        let drive = &job.drives[shared.drive as usize];
        let in_flight = *depth - free.len();
        free.extend(together.iter().map(|done| done.slot));
        let submitted_ns = shared.submitted_ns;
        let stamps = Stamps { intended_ns: submitted_ns, submitted_ns, completed_ns };
        if submitted_ns < inner_from_ns {
            if count_at_edge(drive, job.window, shared.class, stamps, ended)? {
                keep_slowest(drive, stamps, held, (together, in_flight));
            }
            continue;
        }
        if drive.slowest.takes(stamps) && !ended.given_up {
            keep_slowest(drive, stamps, held, (together, in_flight));
        }
        count(drive, shared.class, stamps, ended)?;
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn keep_slowest(
    drive: &DriveJob<'_>,
    stamps: Stamps,
    held: &[InFlight],
    (together, in_flight): (&[Completion], usize),
) {
    for done in together {
        drive.slowest.note(stamps, || held[done.slot as usize].kept(stamps, in_flight));
    }
}

/// Open loop: each op has its own latency.
#[inline(always)]
pub fn tally_open(job: &WorkerJob<'_, '_>, slots: &mut Slots, completed_ns: u64) -> Result<()> {
    let window = job.window;
    let inner_from_ns = window.inner_from_ns(completed_ns);
    for done in &slots.done {
        let held = slots.held[done.slot as usize];
        let InFlight { drive, class, intended_ns, submitted_ns, .. } = held;
        let queue = &mut slots.queues[drive as usize];
        let in_flight = slots.depth - queue.free.len();
        queue.free.push(done.slot);
        let drive = &job.drives[drive as usize];
        if let Some(class) = queue.groups.class
            && let Some(stamps) = queue.groups.complete(held.group, submitted_ns, completed_ns)
        {
            drive.recorder.add_at_edge(class, stamps, Ended::TOGETHER, window);
        }
        let stamps = Stamps { intended_ns, submitted_ns, completed_ns };
        if intended_ns < inner_from_ns {
            if !count_at_edge(drive, window, class, stamps, Ended::one(done))? {
                continue;
            }
        } else {
            count(drive, class, stamps, Ended::one(done))?;
        }
        if !done.given_up {
            drive.slowest.note(stamps, || held.kept(stamps, in_flight));
        }
        let late_ns = submitted_ns.saturating_sub(intended_ns);
        if let (Some(schedule), true) = (&drive.schedule, late_ns > LATE_NS)
            && intended_ns >= window.from_ns
        {
            // Nothing becomes due after the window.
            let waited_ns = submitted_ns.min(window.until_ns).saturating_sub(intended_ns);
            drive.recorder.add_late(waited_ns, schedule.mean_gap_ns());
        }
    }
    Ok(())
}

/// Counts ops that were intended or ended outside the window; returns whether they count in the
/// latencies.
#[cold]
#[inline(never)]
pub fn count_at_edge(
    drive: &DriveJob<'_>,
    window: MeasuredWindow,
    class: u8,
    stamps: Stamps,
    ended: Ended,
) -> Result<bool> {
    let timed = drive.recorder.add_at_edge(class, stamps, ended, window);
    abandoned(drive, ended)?;
    Ok(timed)
}

/// Counts ops that were intended and ended in the window; a fill fails if ops were abandoned.
#[inline(always)]
pub fn count(drive: &DriveJob<'_>, class: u8, stamps: Stamps, ended: Ended) -> Result<()> {
    drive.recorder.add(class, stamps, ended);
    abandoned(drive, ended)
}

#[inline(always)]
fn abandoned(drive: &DriveJob<'_>, ended: Ended) -> Result<()> {
    match (ended.given_up, drive.limit) {
        (true, Some(_)) => Err(failed(
            "a transaction of the dataset's load was rolled back repeatedly and abandoned",
            "load with fewer threads, or at a lower isolation level",
        )),
        _ => Ok(()),
    }
}
