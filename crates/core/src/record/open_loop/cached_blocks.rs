//! The cache of a language model's keys and values that a stream replays, stored as a fact: its
//! size, its eviction policy, and the hits of a recording's blocks.

use super::pacing::numbers;
use crate::record::Fact;

/// A cache, and the part of the recording that is replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CachedBlocks {
    /// The stream's name.
    pub stream: String,
    /// The language model.
    pub model: String,
    /// The eviction policy.
    pub eviction: String,
    /// The spread of requests with the same time.
    pub spread: String,
    /// Capacity of the cache, in blocks.
    pub blocks: u64,
    /// Bytes of a block.
    pub block_bytes: u64,
    /// Tokens of a block.
    pub tokens: u64,
    /// Requests to the model.
    pub requests: u64,
    /// Blocks of these requests that were in the cache, and are read.
    pub hits: u64,
    /// Blocks that were not in the cache, and are written.
    pub misses: u64,
    /// Blocks evicted for them.
    pub evictions: u64,
    /// Capacity of the additional cache in memory, in blocks; 0 in bundles of versions without one.
    pub memory: u64,
    /// Blocks of these requests that were in memory: neither hits nor misses of the drive.
    pub memory_hits: u64,
}

impl CachedBlocks {
    /// The heading of the fact.
    pub const GROUP: &str = "Key-value cache";

    /// The fact of a point, named after the stream.
    pub fn to_fact(&self) -> Fact {
        let CachedBlocks { model, eviction, spread, .. } = self;
        let value = format!(
            "{model}; {eviction}; {spread}; {} blocks of {} bytes and {} tokens; {} requests, {} \
             hits, {} misses, {} evictions; {} blocks in memory, {} found there",
            self.blocks,
            self.block_bytes,
            self.tokens,
            self.requests,
            self.hits,
            self.misses,
            self.evictions,
            self.memory,
            self.memory_hits
        );
        Fact::new(CachedBlocks::GROUP, &self.stream, value)
    }

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<CachedBlocks> {
        if fact.group != CachedBlocks::GROUP {
            return None;
        }
        let mut parts = fact.value.splitn(4, "; ").map(str::to_string);
        let (model, eviction, spread) = (parts.next()?, parts.next()?, parts.next()?);
        let counts = parts.next()?;
        // Earlier versions had no blocks in memory.
        let counts = numbers(&counts).or_else(|| numbers(&format!("{counts}, 0 0")))?;
        let [blocks, block_bytes, tokens, requests, hits, misses, evictions, memory, memory_hits] =
            counts;
        Some(CachedBlocks {
            stream: fact.name.clone(),
            model,
            eviction,
            spread,
            blocks,
            block_bytes,
            tokens,
            requests,
            hits,
            misses,
            evictions,
            memory,
            memory_hits,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_cache_comes_back() {
        let cached = CachedBlocks {
            stream: "io 2".into(),
            model: "llama-3.1-8b".into(),
            eviction: "s3-fifo".into(),
            spread: "uniform".into(),
            blocks: 1,
            block_bytes: 2,
            tokens: 3,
            requests: 4,
            hits: 5,
            misses: 6,
            evictions: 7,
            memory: 8,
            memory_hits: 9,
        };
        assert_eq!(CachedBlocks::of_fact(&cached.to_fact()), Some(cached.clone()));
        let mut before = cached.to_fact();
        before.value.truncate(before.value.rfind("; ").unwrap());
        let without = CachedBlocks { memory: 0, memory_hits: 0, ..cached };
        assert_eq!(CachedBlocks::of_fact(&before), Some(without), "of an earlier version");
    }
}
