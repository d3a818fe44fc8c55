//! Periods with a counted quantity, of which only the largest are stored: memory is bounded for a
//! window of any length, and everything omitted is known to be below a bound.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The amount counted between two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stretch {
    /// The counted amount, nanoseconds. First, because stretches are ordered by it.
    pub ns: u64,
    /// The earlier reading.
    pub from_ns: u64,
    /// The later one.
    pub until_ns: u64,
    /// Number of times that a worker was scheduled in between.
    pub switches: u64,
}

/// The largest stretches of one kind.
#[derive(Default)]
pub struct Stretches {
    largest: BinaryHeap<Reverse<Stretch>>,
    /// One that may still be continuing.
    open: Option<Stretch>,
    /// The largest omitted one.
    dropped_ns: u64,
}

/// Maximum number of stretches stored for a worker or a device. A stretch takes 32 bytes.
const ROOM: usize = 4_096;

impl Stretches {
    /// Adds one.
    pub fn add(&mut self, stretch: Stretch) {
        if self.largest.len() == ROOM {
            let least = self.largest.peek().map_or(0, |least| least.0.ns);
            if stretch.ns <= least {
                self.dropped_ns = self.dropped_ns.max(stretch.ns);
                return;
            }
            self.largest.pop();
            self.dropped_ns = self.dropped_ns.max(least);
        }
        self.largest.push(Reverse(stretch));
    }

    /// Records that a condition lasted from one reading to the next: continuous ones form one
    /// stretch.
    pub fn lasted(&mut self, from_ns: u64, until_ns: u64) {
        let from_ns = match self.open.take() {
            Some(open) if open.until_ns == from_ns => open.from_ns,
            open => {
                open.into_iter().for_each(|open| self.add(open));
                from_ns
            }
        };
        self.open = Some(Stretch { ns: until_ns - from_ns, from_ns, until_ns, switches: 0 });
    }

    fn all(&self) -> impl Iterator<Item = &Stretch> {
        self.largest.iter().map(|Reverse(stretch)| stretch).chain(&self.open)
    }

    /// The amount between two times: minimum and maximum. The kernel counts a wait when it ends, so
    /// one may have started before the preceding reading.
    pub fn between(&self, from_ns: u64, until_ns: u64) -> (u64, u64) {
        let (mut least, mut most) = (0, 0);
        for s in self.all() {
            let began_ns = s.from_ns.saturating_sub(s.ns);
            let (length, common) =
                (s.until_ns - began_ns, overlap((began_ns, s.until_ns), (from_ns, until_ns)));
            most += s.ns.min(common);
            least += s.ns.saturating_sub(length - common);
        }
        let whole = until_ns.saturating_sub(from_ns);
        (least.min(whole), most.min(whole))
    }

    /// The part of the time between two times that is within continuous stretches.
    pub fn covered(&self, from_ns: u64, until_ns: u64) -> u64 {
        self.all().map(|s| overlap((s.from_ns, s.until_ns), (from_ns, until_ns))).sum()
    }

    /// Maximum number of times that a worker was scheduled between two times.
    pub fn switches(&self, from_ns: u64, until_ns: u64) -> u64 {
        let touches = |s: &&Stretch| overlap((s.from_ns, s.until_ns), (from_ns, until_ns)) > 0;
        self.all().filter(touches).map(|s| s.switches).sum()
    }

    /// Maximum possible length of one stretch between two times.
    pub fn longest(&self, from_ns: u64, until_ns: u64) -> u64 {
        let parts = self.all().map(|s| overlap((s.from_ns, s.until_ns), (from_ns, until_ns)));
        parts.max().unwrap_or(0).max(self.dropped_ns).min(until_ns.saturating_sub(from_ns))
    }

    /// No omitted stretch is larger.
    pub fn dropped_ns(&self) -> u64 {
        self.dropped_ns
    }
}

/// The overlap of two time spans.
fn overlap(a: (u64, u64), b: (u64, u64)) -> u64 {
    a.1.min(b.1).saturating_sub(a.0.max(b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(from_ns: u64, until_ns: u64, ns: u64) -> Stretch {
        Stretch { ns, from_ns, until_ns, switches: 1 }
    }

    #[test]
    fn a_wait_longer_than_the_time_between_readings_began_before_the_first() {
        let mut waits = Stretches::default();
        // A wait of 100 recorded between readings at 990 and 1,000.
        waits.add(stretch(990, 1_000, 100));
        assert_eq!(waits.between(880, 1_010), (100, 100));
        assert_eq!(waits.between(0, 880), (0, 0));
        // An op that ended when the worker ran again, soon after the reading.
        assert_eq!(waits.between(880, 992), (92, 100));
    }

    #[test]
    fn a_short_wait_beside_an_op_may_or_may_not_be_the_ops() {
        let mut waits = Stretches::default();
        waits.add(stretch(100, 110, 2));
        assert_eq!(waits.between(105, 120), (0, 2));
        assert_eq!(waits.between(50, 200), (2, 2));
    }

    #[test]
    fn what_goes_on_is_one_stretch_and_what_is_left_out_is_bounded() {
        let mut idle = Stretches::default();
        [(0, 10), (10, 20), (30, 40)].into_iter().for_each(|(a, b)| idle.lasted(a, b));
        assert_eq!((idle.covered(5, 35), idle.all().count()), (20, 2));
        assert_eq!((idle.longest(5, 35), idle.longest(20, 30)), (15, 0));
        let mut many = Stretches::default();
        (0..2 * ROOM as u64).for_each(|n| many.add(stretch(n * 10, n * 10 + 10, n)));
        assert_eq!(many.dropped_ns(), ROOM as u64 - 1);
    }
}
