//! The state of one block: which of its writes a read may return.
//!
//! One 64-bit number per block, so that it changes in one atomic step and no worker waits:
//!
//! | bits | meaning |
//! |---|---|
//! | 0–37 | issued: the generation of the latest started write |
//! | 38–49 | spread: number of earlier generations that may still be there; 4,095: any |
//! | 50–61 | writes in flight |
//! | 62 | zeroes may be there |
//! | 63 | known: whether anything is known at all |
//!
//! **Of two concurrent writes to one block, either may persist.** Excluding the second would change
//! the load (op *n* would depend on the drive's speed) or wait within a latency, and drives
//! guarantee no order. So a block stores a range of generations. A write that started while no
//! other was in flight supersedes all earlier ones when it completes; one that started while
//! another was in flight supersedes nothing, because the order is unknown. The next write that
//! starts alone makes the range narrow again.

/// The state of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockState(pub u64);

const ISSUED_BITS: u32 = 38;
const MOST_ISSUED: u64 = (1 << ISSUED_BITS) - 1;
const MOST_SPREAD: u64 = 0xFFF;
const MOST_IN_FLIGHT: u64 = 0xFFF;
const SPREAD_AT: u32 = 38;
const IN_FLIGHT_AT: u32 = 50;
const ZEROES: u64 = 1 << 62;
const KNOWN: u64 = 1 << 63;

/// The contents that a write leaves in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Sealed data.
    Data,
    /// Zeroes.
    Zeroes,
    /// Zeroes or the previous contents: a trim that the drive may ignore.
    ZeroesOrBefore,
    /// Anything.
    Anything,
}

/// A started write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its number among the block's writes.
    pub generation: u64,
    /// No other write of the block was in flight when it started.
    pub alone: bool,
}

impl Begun {
    /// The started write as one number.
    pub fn packed(self) -> u64 {
        self.generation << 1 | u64::from(self.alone)
    }

    /// From that number.
    pub fn unpacked(number: u64) -> Begun {
        Begun { generation: number >> 1, alone: number & 1 == 1 }
    }
}

impl BlockState {
    /// Nothing is known of it.
    pub const UNKNOWN: BlockState = BlockState(0);

    /// The generation of the latest started write.
    pub fn issued(self) -> u64 {
        self.0 & MOST_ISSUED
    }

    /// The earliest generation that may still be there.
    pub fn lowest(self) -> u64 {
        match self.spread() {
            MOST_SPREAD => 0,
            spread => self.issued().saturating_sub(spread),
        }
    }

    fn spread(self) -> u64 {
        self.0 >> SPREAD_AT & MOST_SPREAD
    }

    /// Writes that have started but not ended.
    pub fn in_flight(self) -> u64 {
        self.0 >> IN_FLIGHT_AT & MOST_IN_FLIGHT
    }

    /// Whether zeroes may be there.
    pub fn zeroes(self) -> bool {
        self.0 & ZEROES != 0
    }

    /// Whether the permitted contents are known.
    pub fn known(self) -> bool {
        self.0 & KNOWN != 0
    }

    fn with(self, issued: u64, spread: u64, in_flight: u64) -> BlockState {
        let flags = self.0 & (ZEROES | KNOWN);
        let spread = spread.min(MOST_SPREAD) << SPREAD_AT;
        BlockState(flags | issued | spread | in_flight << IN_FLIGHT_AT)
    }

    fn flag(self, flag: u64, on: bool) -> BlockState {
        BlockState(if on { self.0 | flag } else { self.0 & !flag })
    }

    /// A write starts; None if more are in flight, or were started, than can be counted.
    #[inline]
    pub fn begin(self, leaves: Leaves) -> Option<(BlockState, Begun)> {
        let (issued, in_flight) = (self.issued() + 1, self.in_flight());
        if issued > MOST_ISSUED || in_flight == MOST_IN_FLIGHT {
            return None;
        }
        let begun = Begun { generation: issued, alone: in_flight == 0 };
        let next = self.with(issued, self.spread() + 1, in_flight + 1);
        let next = match leaves {
            Leaves::Data => next,
            Leaves::Zeroes | Leaves::ZeroesOrBefore => next.flag(ZEROES, true),
            Leaves::Anything => next.flag(KNOWN, false),
        };
        Some((next, begun))
    }

    /// A write is complete.
    #[inline]
    pub fn end(self, begun: Begun, leaves: Leaves) -> BlockState {
        let in_flight = self.in_flight().saturating_sub(1);
        let (issued, mut spread) = (self.issued(), self.spread());
        if !begun.alone || leaves == Leaves::ZeroesOrBefore {
            return self.with(issued, spread, in_flight);
        }
        spread = spread.min(issued - begun.generation.min(issued));
        let next = self.with(issued, spread, in_flight);
        if begun.generation != issued {
            // Writes that started since may have left something else.
            return next;
        }
        next.flag(ZEROES, leaves == Leaves::Zeroes).flag(KNOWN, leaves != Leaves::Anything)
    }

    /// The program ended with writes in flight: each may or may not have taken effect.
    pub fn settled(self) -> BlockState {
        self.with(self.issued(), self.spread(), 0)
    }

    /// Zeroes were found that the journal does not record yet.
    pub fn or_zeroes(self) -> BlockState {
        self.flag(ZEROES, true)
    }

    /// Generations of this range were found in the block that a lagging journal does not record
    /// yet.
    pub fn raised_to(self, lowest: u64, highest: u64) -> BlockState {
        let highest = highest.min(MOST_ISSUED);
        self.with(highest, highest.saturating_sub(lowest), 0).flag(KNOWN, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(state: BlockState, leaves: Leaves) -> BlockState {
        let (state, begun) = state.begin(leaves).expect("begun");
        state.end(begun, leaves)
    }

    #[test]
    fn a_write_alone_leaves_one_generation() {
        let mut state = BlockState::UNKNOWN;
        for generation in 1..10_000 {
            state = written(state, Leaves::Data);
            assert_eq!((state.lowest(), state.issued()), (generation, generation));
        }
        assert!(state.known() && !state.zeroes() && state.in_flight() == 0);
    }

    #[test]
    fn of_two_writes_at_once_both_may_last_until_a_third_comes_alone() {
        let state = written(BlockState::UNKNOWN, Leaves::Data);
        let (state, one) = state.begin(Leaves::Data).expect("begun");
        let (state, two) = state.begin(Leaves::Data).expect("begun");
        // While they are in flight, a read may also return the previous contents.
        assert_eq!((state.lowest(), state.issued(), state.in_flight()), (1, 3, 2));
        for (first, second) in [(one, two), (two, one)] {
            let state = state.end(first, Leaves::Data).end(second, Leaves::Data);
            assert_eq!((state.lowest(), state.issued(), state.in_flight()), (2, 3, 0));
            let state = written(state, Leaves::Data);
            assert_eq!((state.lowest(), state.issued()), (4, 4));
        }
    }

    #[test]
    fn what_a_trim_leaves_is_what_the_drive_promises() {
        let data = written(BlockState::UNKNOWN, Leaves::Data);
        let zeroes = written(data, Leaves::Zeroes);
        assert!(zeroes.zeroes() && zeroes.known() && zeroes.lowest() == 2);
        let either = written(data, Leaves::ZeroesOrBefore);
        assert!(either.zeroes() && either.known() && either.lowest() == 1);
        assert!(!written(data, Leaves::Anything).known());
        for state in [zeroes, either, written(data, Leaves::Anything)] {
            let again = written(state, Leaves::Data);
            assert!(again.known() && !again.zeroes() && again.lowest() == 3);
        }
    }

    #[test]
    fn a_write_that_never_ended_may_have_happened_or_not() {
        let state = written(BlockState::UNKNOWN, Leaves::Data);
        let (state, _) = state.begin(Leaves::Data).expect("begun");
        let state = state.settled();
        assert_eq!((state.lowest(), state.issued(), state.in_flight()), (1, 2, 0));
    }

    proptest! {
        /// A block that executes writes in any permitted order: each takes effect between its start
        /// and its end.
        #[test]
        fn what_a_block_holds_is_always_allowed(
            steps in prop::collection::vec((0u8..4, 0u8..3, any::<prop::sample::Index>()), 1..200)
        ) {
            let mut state = BlockState::UNKNOWN;
            // (write, what it leaves, whether it has taken effect)
            let mut flying: Vec<(Begun, Leaves, bool)> = Vec::new();
            // None: never written. Otherwise the generation, and whether it is zeroes.
            let mut held: Option<(u64, bool)> = None;
            for (what, leaves, which) in steps {
                let all = [Leaves::Data, Leaves::Zeroes, Leaves::ZeroesOrBefore];
                let leaves = all[leaves as usize];
                match what {
                    0 | 1 => {
                        let (next, begun) = state.begin(leaves).expect("begun");
                        state = next;
                        flying.push((begun, leaves, false));
                    }
                    _ if flying.is_empty() => {}
                    2 => {
                        let one = which.index(flying.len());
                        let (begun, leaves, effected) = &mut flying[one];
                        let ignored = *leaves == Leaves::ZeroesOrBefore && which.index(2) == 1;
                        if !*effected && !ignored {
                            held = Some((begun.generation, *leaves != Leaves::Data));
                        }
                        *effected = true;
                    }
                    _ => {
                        let one = which.index(flying.len());
                        let (begun, leaves, effected) = flying.swap_remove(one);
                        if !effected && leaves != Leaves::ZeroesOrBefore {
                            held = Some((begun.generation, leaves != Leaves::Data));
                        }
                        state = state.end(begun, leaves);
                    }
                }
                match held {
                    _ if !state.known() => {}
                    None => prop_assert!(false, "known, and never written"),
                    Some((_, true)) => prop_assert!(state.zeroes()),
                    Some((generation, false)) => {
                        prop_assert!((state.lowest()..=state.issued()).contains(&generation));
                    }
                }
            }
            prop_assert_eq!(state.in_flight() as usize, flying.len());
        }
    }
}
