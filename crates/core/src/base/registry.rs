//! A list of all items of one kind: Dyno's own, in display order, and those that a program which
//! uses Dyno as a library adds before its first run.

use std::sync::{PoisonError, RwLock};

/// An ordered list of Dyno's own and added items.
pub struct Registry<T: Copy + 'static> {
    own: &'static [T],
    added: RwLock<Vec<T>>,
}

impl<T: Copy> Registry<T> {
    /// A registry of Dyno's own items, in the order in which help and `dyno list` show them.
    pub const fn new(own: &'static [T]) -> Registry<T> {
        Registry { own, added: RwLock::new(Vec::new()) }
    }

    /// Adds another program's item, after Dyno's own.
    pub fn add(&self, one: T) {
        self.added.write().unwrap_or_else(PoisonError::into_inner).push(one);
    }

    /// Dyno's own items, then the added ones, in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<T> {
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.own.iter().copied().chain(added)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_comes_after_dynos_own() {
        static ALL: Registry<&str> = Registry::new(&["own"]);
        ALL.add("another's");
        assert_eq!(ALL.iter().collect::<Vec<_>>(), ["own", "another's"]);
    }
}
