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
    /// Tokens of a block of the recording.
    pub tokens: u64,
    /// Bytes of a token's keys and values in the model.
    pub token_bytes: u64,
    /// Rate at which the model computes blocks that are not cached, tokens per second.
    pub prefill: u64,
    /// The order in which the blocks of a request are accessed.
    pub touch: String,
    /// Requests to the model.
    pub requests: u64,
    /// Requests of which the first block was on the drive or in memory, and a block is read.
    pub prefixes: u64,
    /// Blocks of these requests that were in the cache, and are read.
    pub hits: u64,
    /// Blocks that were in the cache behind the first missing block of their request: they are
    /// computed again, and not read.
    pub behind: u64,
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
        let CachedBlocks { model, eviction, touch, spread, .. } = self;
        let value = format!(
            "{model}; {eviction}, {touch} first; {spread}; {} blocks of {} bytes and {} tokens, \
             computed at {} tokens/s; {} requests, {} prefixes, {} hits, {} behind a missing \
             block, {} misses, {} evictions; {} blocks in memory, {} found there",
            self.blocks,
            self.block_bytes,
            self.tokens,
            self.prefill,
            self.requests,
            self.prefixes,
            self.hits,
            self.behind,
            self.misses,
            self.evictions,
            self.memory,
            self.memory_hits
        );
        Fact::new("Key-value cache", &self.stream, value)
    }

    /// Tokens whose keys and values a block's bytes hold: fewer than `tokens` if the plan made
    /// blocks smaller than the model's.
    pub fn tokens_held(&self) -> f64 {
        let held = self.block_bytes as f64 / self.token_bytes.max(1) as f64;
        // Blocks are padded to whole pages.
        held.min(self.tokens as f64)
    }

    /// Tokens of a prefix that is read, on average; None without one.
    pub fn tokens_of_prefix(&self) -> Option<f64> {
        let blocks = self.hits as f64 / self.prefixes as f64;
        (self.prefixes > 0).then(|| blocks * self.tokens_held())
    }
}
