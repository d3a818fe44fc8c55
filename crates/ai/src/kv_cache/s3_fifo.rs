//! S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023) with the
//! choices of libCacheSim 0.3.5 (`S3FIFO.c`): a small queue of a tenth of the cache, a main queue,
//! a ghost of nine tenths; two hits move a block to the main queue; until the first eviction,
//! blocks for which the small queue has no room go to the main queue.

use std::collections::HashMap;

use hashlink::LinkedHashSet;

use super::rule::Eviction;

/// Minimum number of blocks: the small queue must hold more than one.
pub const LEAST_BLOCKS: u64 = 20;

/// Number of hits in the small queue that move a block to the main queue.
const MOVE_HITS: u32 = 2;
/// Maximum number of rounds that a block survives in the main queue without a hit.
const MOST_ROUNDS: u32 = 3;

/// The policy S3-FIFO.
pub struct S3Fifo {
    blocks: usize,
    small_blocks: usize,
    ghost_blocks: usize,
    /// The queues, each with the oldest block first.
    small: LinkedHashSet<u64>,
    main: LinkedHashSet<u64>,
    ghost: LinkedHashSet<u64>,
    /// Hits of the blocks in both queues.
    hits: HashMap<u64, u32>,
    has_evicted: bool,
}

impl S3Fifo {
    pub fn new(blocks: u64) -> S3Fifo {
        let part = |share: f64| (blocks as f64 * share) as usize;
        S3Fifo {
            blocks: blocks as usize,
            small_blocks: part(0.1),
            ghost_blocks: part(0.9),
            small: LinkedHashSet::new(),
            main: LinkedHashSet::new(),
            ghost: LinkedHashSet::new(),
            hits: HashMap::new(),
            has_evicted: false,
        }
    }

    fn evict(&mut self, evicted: &mut Vec<u64>) {
        self.has_evicted = true;
        if self.main.len() > self.blocks - self.small_blocks || self.small.is_empty() {
            self.evict_main(evicted);
        } else {
            self.evict_small(evicted);
        }
    }

    fn evict_small(&mut self, evicted: &mut Vec<u64>) {
        while let Some(block) = self.small.pop_front() {
            if self.hits.insert(block, 0).unwrap_or(0) >= MOVE_HITS {
                self.main.insert(block);
                continue;
            }
            self.hits.remove(&block);
            if self.ghost.len() == self.ghost_blocks {
                self.ghost.pop_front();
            }
            self.ghost.insert(block);
            evicted.push(block);
            return;
        }
    }

    fn evict_main(&mut self, evicted: &mut Vec<u64>) {
        while let Some(block) = self.main.pop_front() {
            let hits = self.hits.remove(&block).unwrap_or(0);
            if hits == 0 {
                evicted.push(block);
                return;
            }
            self.main.insert(block);
            self.hits.insert(block, hits.min(MOST_ROUNDS) - 1);
        }
    }
}

impl Eviction for S3Fifo {
    fn access(&mut self, block: u64, evicted: &mut Vec<u64>) -> bool {
        if let Some(hits) = self.hits.get_mut(&block) {
            *hits = hits.saturating_add(1);
            return true;
        }
        let known = self.ghost.remove(&block);
        while self.small.len() + self.main.len() >= self.blocks {
            self.evict(evicted);
        }
        let full = !self.has_evicted && self.small.len() >= self.small_blocks;
        let queue = if known || full { &mut self.main } else { &mut self.small };
        queue.insert(block);
        self.hits.insert(block, 0);
        false
    }
}
