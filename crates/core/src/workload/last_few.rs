//! A small cache of the most recently created values.

use std::sync::{Arc, Mutex, PoisonError};

use crate::base::error::Result;

/// At most a fixed number of values by their keys; the most recently created one is first.
pub struct LastFew<K, V> {
    most: usize,
    kept: Mutex<Vec<(K, Arc<V>)>>,
}

impl<K: PartialEq, V> LastFew<K, V> {
    /// Creates a cache of at most `most` values.
    pub const fn new(most: usize) -> LastFew<K, V> {
        LastFew { most, kept: Mutex::new(Vec::new()) }
    }

    /// The value of this key; created if it is not in the cache.
    pub fn get(&self, key: K, make: impl FnOnce() -> Result<V>) -> Result<Arc<V>> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = kept().iter().find(|(of, _)| *of == key) {
            return Ok(Arc::clone(known));
        }
        // Not locked during creation, which may take long.
        let made = Arc::new(make()?);
        let mut all = kept();
        all.truncate(self.most - 1);
        all.insert(0, (key, Arc::clone(&made)));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_few_are_kept_and_what_failed_is_made_again() {
        let few = LastFew::new(2);
        let mut made = Vec::new();
        for key in [1, 1, 2, 1, 3, 1] {
            few.get(key, || {
                made.push(key);
                Ok(key)
            })
            .unwrap();
        }
        assert_eq!(made, [1, 2, 3, 1], "1 was made before 2, and so left before it");
        assert!(few.get(7, || Err(crate::base::error::Error::msg("no"))).is_err());
        assert_eq!(*few.get(7, || Ok(70)).unwrap(), 70);
    }
}
