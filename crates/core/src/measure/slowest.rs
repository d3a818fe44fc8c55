//! The slowest ops of one worker, with their time, address, latency and the number in flight. An
//! ordinary op costs one comparison with the fastest stored op; all memory is allocated before the
//! barrier.

use std::cell::{Cell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::recorder::Stamps;

/// The number stored per point, and therefore the maximum per worker: all may be from one.
pub const KEPT: usize = 1_000;

/// One of the slowest ops.
#[derive(Clone, Copy, Debug)]
pub struct SlowestOp {
    /// The times at which it was due, submitted and completed.
    pub stamps: Stamps,
    /// The op's `at`: an offset in bytes, or the number of a key or transaction.
    pub at: u64,
    /// The op's `len`: bytes, or a number of entries.
    pub len: u32,
    /// The index of its class in its workload's declaration.
    pub class: u8,
    /// Ops of its worker in flight on its drive when its completion was detected, itself included.
    pub in_flight: u32,
}

impl SlowestOp {
    /// Completed − intended.
    pub fn response_ns(&self) -> u64 {
        self.stamps.completed_ns.saturating_sub(self.stamps.intended_ns)
    }
}

impl PartialEq for SlowestOp {
    fn eq(&self, other: &SlowestOp) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for SlowestOp {}

impl PartialOrd for SlowestOp {
    fn partial_cmp(&self, other: &SlowestOp) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SlowestOp {
    fn cmp(&self, other: &SlowestOp) -> Ordering {
        self.response_ns().cmp(&other.response_ns())
    }
}

/// One worker's slowest ops, written only by that worker.
#[repr(C)]
pub struct Slowest {
    /// Ops up to this response time are no longer stored.
    limit_ns: Cell<u64>,
    room: usize,
    ops: RefCell<BinaryHeap<Reverse<SlowestOp>>>,
}

impl Slowest {
    /// Room for `room` ops; with 0, nothing is stored.
    pub fn new(room: usize) -> Slowest {
        let limit_ns = Cell::new(if room == 0 { u64::MAX } else { 0 });
        Slowest { limit_ns, room, ops: RefCell::new(BinaryHeap::with_capacity(room)) }
    }

    /// Whether an op with these stamps is among the slowest so far.
    #[inline(always)]
    pub fn takes(&self, stamps: Stamps) -> bool {
        stamps.completed_ns.saturating_sub(stamps.intended_ns) > self.limit_ns.get()
    }

    /// Stores an op of the measured window if it is among the slowest; its details are only
    /// computed then.
    #[inline(always)]
    pub fn note(&self, stamps: Stamps, op: impl FnOnce() -> SlowestOp) {
        if self.takes(stamps) {
            self.keep(op());
        }
    }

    #[cold]
    #[inline(never)]
    fn keep(&self, kept: SlowestOp) {
        let mut ops = self.ops.borrow_mut();
        if ops.len() < self.room {
            ops.push(Reverse(kept));
        } else if let Some(mut least) = ops.peek_mut() {
            *least = Reverse(kept);
        }
        if ops.len() == self.room {
            self.limit_ns.set(ops.peek().map_or(0, |least| least.0.response_ns()));
        }
    }

    /// The stored ops, unordered.
    pub fn into_ops(self) -> Vec<SlowestOp> {
        self.ops.into_inner().into_iter().map(|Reverse(kept)| kept).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(at: u64, response_ns: u64) -> SlowestOp {
        let stamps = Stamps { intended_ns: 7, submitted_ns: 8, completed_ns: 7 + response_ns };
        SlowestOp { stamps, at, len: 4096, class: 0, in_flight: 1 }
    }

    #[test]
    fn the_slowest_are_kept_whatever_their_order() {
        let slowest = Slowest::new(5);
        // 0 … 99 in an order that is neither ascending nor descending.
        let ops = (0..100).map(|n| n * 37 % 100).map(|n| op(n, 1_000 + n));
        ops.for_each(|op| slowest.note(op.stamps, || op));
        let mut kept: Vec<u64> = slowest.into_ops().iter().map(|op| op.at).collect();
        kept.sort_unstable();
        assert_eq!(kept, [95, 96, 97, 98, 99]);
    }

    #[test]
    fn a_load_that_is_not_reported_keeps_none() {
        let slowest = Slowest::new(0);
        let op = op(1, u64::MAX / 2);
        slowest.note(op.stamps, || op);
        assert!(slowest.into_ops().is_empty());
    }
}
