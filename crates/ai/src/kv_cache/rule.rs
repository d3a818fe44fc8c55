//! Common interface of the eviction policies.

/// An eviction policy.
pub trait Eviction {
    /// Whether the block is in the cache. If not, it is inserted, and evicted blocks are added to
    /// `evicted`.
    fn access(&mut self, block: u64, evicted: &mut Vec<u64>) -> bool;
}
