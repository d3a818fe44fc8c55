//! Eviction policies for a cache of a fixed number of blocks: LRU, FIFO and S3-FIFO, as simulated
//! by libCacheSim. A test compares hits and evictions with those of libCacheSim.

use hashlink::LinkedHashSet;

use super::rule::Eviction;
use super::s3_fifo::S3Fifo;

/// Names of the policies, for the knob.
pub const NAMES: &[&str] = &["lru", "fifo", "s3-fifo"];

/// The policy with this name, for a cache of `blocks` blocks.
pub fn of(name: &str, blocks: u64) -> Box<dyn Eviction> {
    match name {
        "fifo" => Box::new(Aged { queue: LinkedHashSet::new(), blocks, renews: false }),
        "s3-fifo" => Box::new(S3Fifo::new(blocks)),
        _ => Box::new(Aged { queue: LinkedHashSet::new(), blocks, renews: true }),
    }
}

/// LRU if a hit makes a block the youngest, otherwise FIFO.
struct Aged {
    /// The oldest block first.
    queue: LinkedHashSet<u64>,
    blocks: u64,
    renews: bool,
}

impl Eviction for Aged {
    fn access(&mut self, block: u64, evicted: &mut Vec<u64>) -> bool {
        let hit = self.queue.contains(&block);
        if !hit && self.queue.len() as u64 == self.blocks {
            evicted.extend(self.queue.pop_front());
        }
        if !hit || self.renews {
            // A block in the cache becomes the youngest.
            self.queue.insert(block);
        }
        hit
    }
}
