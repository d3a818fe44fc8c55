//! The number of ops that one turn of a closed loop submits.
//!
//! A slow disk stays busier if its queue is refilled in small portions than in large ones; for ops
//! that complete as fast as they are submitted, large portions cost less (measured,
//! docs/benchmarks.md). So the portion follows the completions.

/// The fewest ops of a portion, unless the I/O context asks for more.
pub const LEAST_PORTION: usize = 4;
/// The most ops of a portion.
pub const MOST_PORTION: usize = 32;

/// The number of ops that the next turn submits if slots are free.
pub struct Portion {
    /// That number.
    pub ops: usize,
    least: usize,
}

impl Portion {
    /// A portion that starts with, and never falls below, this number of ops.
    pub fn of_at_least(least: usize) -> Portion {
        Portion { ops: least, least }
    }

    /// Doubles after a turn that did not wait and collected a whole portion, and halves after one
    /// that collected less.
    #[inline(always)]
    pub fn follow(&mut self, collected: usize, waited: bool) {
        if collected < self.ops {
            self.ops = (self.ops / 2).max(self.least);
        } else if !waited {
            self.ops = (self.ops * 2).min(MOST_PORTION);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_completes_as_it_is_handed_over_is_handed_over_in_larger_portions() {
        let mut portion = Portion::of_at_least(LEAST_PORTION);
        let mut turn = |collected, waited| {
            portion.follow(collected, waited);
            portion.ops
        };
        assert_eq!([turn(4, false), turn(8, false), turn(16, false)], [8, 16, 32]);
        assert_eq!(
            [turn(64, false), turn(32, true), turn(31, true), turn(0, false)],
            [32, 32, 16, 8]
        );
    }

    #[test]
    fn a_heap_that_a_slow_disk_completes_after_a_wait_leaves_the_portion_small() {
        let mut portion = Portion::of_at_least(LEAST_PORTION);
        for _ in 0..8 {
            portion.follow(32, true);
            portion.follow(0, false);
        }
        assert_eq!(portion.ops, LEAST_PORTION);
    }
}
