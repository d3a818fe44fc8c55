//! Groups of reads that are due together and are also timed as one, such as the blocks of a prefix:
//! from when they are due until the last is complete. Everything is allocated before the barrier.

use super::recorder::Stamps;

/// A group that has reads in flight.
#[derive(Clone, Copy, Default)]
struct Group {
    in_flight: u32,
    /// No more of its reads follow.
    closed: bool,
    intended_ns: u64,
    /// The earliest submission time of the completed reads.
    submitted_ns: u64,
}

/// One drive's groups.
#[derive(Default)]
pub struct Groups {
    /// The class of the groups; none if the load has no groups.
    pub class: Option<u8>,
    /// The group to which more reads are added.
    open: Option<u32>,
    free: Vec<u32>,
    all: Vec<Group>,
}

impl Groups {
    /// Room for `depth` reads in flight, each in a group of its own, and for an open group.
    pub fn new(depth: u32) -> Groups {
        let all = vec![Group::default(); depth as usize + 1];
        Groups { free: (0..=depth).rev().collect(), all, ..Groups::default() }
    }

    /// The group of a read that is staged now; `last` if no more of its reads follow.
    pub fn add(&mut self, intended_ns: u64, last: bool) -> u32 {
        let of = self.open.take().or_else(|| {
            let of = self.free.pop()?;
            let group = Group { intended_ns, submitted_ns: u64::MAX, ..Group::default() };
            self.all[of as usize] = group;
            Some(of)
        });
        // Each group but the open one has a read in flight, so there is room.
        let Some(of) = of else { return NO_GROUP };
        let group = &mut self.all[of as usize];
        group.in_flight += 1;
        group.closed = last;
        self.open = (!last).then_some(of);
        of
    }

    /// The due time of the group that still has reads to stage, if there is one.
    pub fn open_since_ns(&self) -> Option<u64> {
        self.open.map(|of| self.all[of as usize].intended_ns)
    }

    /// Completes a read of a group; returns the group's timestamps if it was the last.
    pub fn complete(&mut self, of: u32, submitted_ns: u64, completed_ns: u64) -> Option<Stamps> {
        let group = self.all.get_mut(of as usize)?;
        group.in_flight -= 1;
        group.submitted_ns = group.submitted_ns.min(submitted_ns);
        if group.in_flight > 0 || !group.closed {
            return None;
        }
        let Group { intended_ns, submitted_ns, .. } = *group;
        self.free.push(of);
        Some(Stamps { intended_ns, submitted_ns, completed_ns })
    }
}

/// An op that belongs to no group.
pub const NO_GROUP: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_ends_with_the_last_of_its_reads_whatever_their_order() {
        let mut groups = Groups::new(4);
        let (a, b) = (groups.add(10, false), groups.add(10, true));
        let c = groups.add(20, true);
        assert!(a == b && a != c);
        assert!(groups.complete(b, 12, 30).is_none());
        let stamps = groups.complete(c, 21, 31).unwrap();
        assert_eq!((stamps.intended_ns, stamps.submitted_ns, stamps.completed_ns), (20, 21, 31));
        let stamps = groups.complete(a, 11, 40).unwrap();
        assert_eq!((stamps.intended_ns, stamps.submitted_ns, stamps.completed_ns), (10, 11, 40));
    }

    #[test]
    fn a_group_of_more_reads_than_slots_is_open_until_its_last() {
        let mut groups = Groups::new(1);
        for n in 0..1_000 {
            let of = groups.add(5, n == 999);
            let ended = groups.complete(of, 100 + n, 200 + n);
            assert_eq!(
                ended.map(|all| (all.submitted_ns, all.completed_ns)),
                (n == 999).then_some((100, 1_199))
            );
        }
        assert_eq!(groups.free.len(), 2);
    }
}
