//! The cache of a language model's keys and values that a stream replays: its size, its eviction
//! policy, and the hits of a recording's blocks.

use serde::{Deserialize, Serialize};

use crate::record::Fact;

/// A cache, and the part of the recording that is replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Capacity of the additional cache in memory, in blocks; 0 without one.
    pub memory: u64,
    /// Blocks of these requests that were in memory: neither hits nor misses of the drive.
    pub memory_hits: u64,
}

impl CachedBlocks {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
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
        Fact::new("Key-value cache", &self.stream, value)
    }
}
