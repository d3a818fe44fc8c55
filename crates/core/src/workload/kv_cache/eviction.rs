//! Which blocks a cache of a fixed number keeps: LRU, FIFO and S3-FIFO, as libCacheSim simulates
//! them. A test compares hits and evictions with libCacheSim's.

use hashlink::LinkedHashSet;

use super::rule::Eviction;
use super::s3_fifo::S3Fifo;

/// The names of all, for the knob.
pub const NAMES: &[&str] = &["lru", "fifo", "s3-fifo"];

/// The rule of that name, for a cache of so many blocks.
pub fn of(name: &str, blocks: u64) -> Box<dyn Eviction> {
    match name {
        "fifo" => Box::new(Aged { queue: LinkedHashSet::new(), blocks, renews: false }),
        "s3-fifo" => Box::new(S3Fifo::new(blocks)),
        _ => Box::new(Aged { queue: LinkedHashSet::new(), blocks, renews: true }),
    }
}

/// LRU if a hit makes a block the youngest, FIFO if it does not.
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
            // A block that is there becomes the youngest.
            self.queue.insert(block);
        }
        hit
    }
}
