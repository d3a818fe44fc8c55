//! The slots of an I/O context: the free ones for each drive's next op, and the ops in the others.
//!
//! A worker that drives several drives has `depth` slots for each, numbered in the drives' order,
//! so that a slow drive does not reduce the queue depth of the others. Everything is allocated
//! before the barrier.

use super::groups::{Groups, NO_GROUP};
use super::io_context::Completion;
use super::op::Op;
use super::portion::{LEAST_PORTION, MOST_PORTION, Portion};
use super::recorder::Stamps;
use super::slowest::SlowestOp;

/// An op that has been staged and not yet completed. In a cache line of its own, because the kernel
/// has displaced it by the time the op completes.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub struct InFlight {
    /// The index of its drive among the worker's drives.
    pub drive: u32,
    /// Its class.
    pub class: u8,
    /// The op's length.
    pub len: u32,
    /// The op's offset or number.
    pub at: u64,
    /// Its group, if the load has groups.
    pub group: u32,
    /// Open loop: when it was due. Closed loop: 0, since it is intended when it is submitted.
    pub intended_ns: u64,
    /// The timestamp before it was submitted.
    pub submitted_ns: u64,
}

impl InFlight {
    /// The op's entry in the list of the slowest ops.
    #[cold]
    pub fn kept(&self, stamps: Stamps, in_flight: usize) -> SlowestOp {
        let InFlight { class, len, at, .. } = *self;
        SlowestOp { stamps, at, len, class, in_flight: in_flight as u32 }
    }

    /// Whether two ops of a closed loop were submitted together, to one drive and of one class.
    #[inline(always)]
    pub fn alike(&self, other: &InFlight) -> bool {
        // One branch for all three.
        let differs = u64::from(self.drive ^ other.drive) | u64::from(self.class ^ other.class);
        (self.submitted_ns ^ other.submitted_ns) | differs == 0
    }
}

/// One drive's part of the slots.
#[derive(Default)]
pub struct Queue {
    /// Free slots.
    pub free: Vec<u32>,
    /// The number of the drive's next op.
    pub next: u64,
    /// Ops that were due and not submitted when the window closed, if they are counted.
    pub backlog: u64,
    /// A slot is free for the schedule's next op, which is not due yet.
    pub awaiting: bool,
    /// The last time at which a slot was free and the next op of a recorded load had not been read.
    pub unread_ns: u64,
    /// Reads that are timed together.
    pub groups: Groups,
}

/// The slots of an I/O context.
pub struct Slots {
    /// Slots per drive.
    pub depth: usize,
    /// Queues by drive.
    pub queues: Vec<Queue>,
    /// Ops by slot.
    pub held: Vec<InFlight>,
    /// Staged in this turn, without a timestamp yet.
    pub staged: Vec<u32>,
    /// Room for the requests of a portion.
    pub ops: [Op; MOST_PORTION],
    /// The completions of a turn.
    pub done: Vec<Completion>,
    /// Number of ops submitted and not completed.
    pub in_flight: usize,
    /// The drive that is served first in the next turn of a closed loop.
    pub first: usize,
    /// The number of ops that one turn of a closed loop submits.
    pub portion: Portion,
}

impl Slots {
    /// Free slots for an I/O context of this depth on this number of drives.
    pub fn new(depth: u32, drives: u32) -> Slots {
        let all = (depth * drives) as usize;
        let queue = |drive: u32| {
            let own = drive * depth..(drive + 1) * depth;
            Queue { free: own.rev().collect(), groups: Groups::new(depth), ..Queue::default() }
        };
        let held = |slot: u32| {
            let drive = slot / depth.max(1);
            InFlight { drive, group: NO_GROUP, ..InFlight::default() }
        };
        Slots {
            depth: depth as usize,
            queues: (0..drives).map(queue).collect(),
            held: (0..depth * drives).map(held).collect(),
            staged: Vec::with_capacity(all),
            ops: [Op::NONE; MOST_PORTION],
            done: Vec::with_capacity(all),
            in_flight: 0,
            first: 0,
            portion: Portion::of_at_least(LEAST_PORTION),
        }
    }

    /// Whether every slot holds a submitted or staged op.
    #[inline(always)]
    pub fn full(&self) -> bool {
        self.in_flight + self.staged.len() == self.held.len()
    }

    /// Called after the tally of a turn's completions.
    #[inline(always)]
    pub fn settle(&mut self, waited: bool) {
        self.in_flight -= self.done.len();
        self.portion.follow(self.done.len(), waited);
        self.done.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_drive_has_slots_of_its_own() {
        let slots = Slots::new(2, 3);
        let free: Vec<&[u32]> = slots.queues.iter().map(|queue| &queue.free[..]).collect();
        assert_eq!(free, [[1, 0], [3, 2], [5, 4]]);
        let drives: Vec<u32> = slots.held.iter().map(|held| held.drive).collect();
        assert_eq!(drives, [0, 0, 1, 1, 2, 2]);
    }
}
