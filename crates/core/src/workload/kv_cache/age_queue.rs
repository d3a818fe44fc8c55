//! Blocks by their age, from which rules of eviction are made.

use std::collections::{BTreeMap, HashMap};

/// The rule by which blocks are evicted.
pub trait Eviction {
    /// Whether the block is in the cache. If not, it is inserted, and evicted blocks are added to
    /// `evicted`.
    fn access(&mut self, block: u64, evicted: &mut Vec<u64>) -> bool;
}

/// Blocks by their age.
#[derive(Default)]
pub struct AgeQueue {
    ages: HashMap<u64, u64>,
    by_age: BTreeMap<u64, u64>,
    next: u64,
}

impl AgeQueue {
    pub fn len(&self) -> u64 {
        self.ages.len() as u64
    }

    pub fn holds(&self, block: u64) -> bool {
        self.ages.contains_key(&block)
    }

    /// Adds a block as the youngest.
    pub fn push(&mut self, block: u64) {
        self.remove(block);
        self.ages.insert(block, self.next);
        self.by_age.insert(self.next, block);
        self.next += 1;
    }

    /// Takes the oldest block.
    pub fn pop(&mut self) -> Option<u64> {
        let (_, block) = self.by_age.pop_first()?;
        self.ages.remove(&block);
        Some(block)
    }

    /// Whether the block was there.
    pub fn remove(&mut self, block: u64) -> bool {
        let age = self.ages.remove(&block);
        age.is_some_and(|age| self.by_age.remove(&age).is_some())
    }
}
