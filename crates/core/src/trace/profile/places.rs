//! A set of numbers below a limit that counts those up to any of them: a bit for each, and the sums
//! of words in a tree (Fenwick, "A new data structure for cumulative frequency tables", Software:
//! Practice and Experience 24 (3), 1994), small enough for a processor's first cache.

/// The set.
pub struct PlaceSet {
    words: Vec<u64>,
    /// From one on: the numbers in the last words up to this one, as many words as its lowest bit.
    sums: Vec<u32>,
    limit: usize,
}

impl PlaceSet {
    /// An empty set of numbers below `limit`.
    pub fn new(limit: usize) -> PlaceSet {
        let words = limit.div_ceil(u64::BITS as usize);
        PlaceSet { words: vec![0; words], sums: vec![0; words + 1], limit }
    }

    /// Its numbers are below this.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Adds a number that is not in the set.
    pub fn insert(&mut self, place: usize) {
        self.flip(place, 1);
    }

    /// Takes away one that is.
    pub fn remove(&mut self, place: usize) {
        self.flip(place, u32::MAX);
    }

    fn flip(&mut self, place: usize, by: u32) {
        let word = place / 64;
        self.words[word] ^= 1 << (place % 64);
        let mut at = word + 1;
        while at < self.sums.len() {
            self.sums[at] = self.sums[at].wrapping_add(by);
            at += at & at.wrapping_neg();
        }
    }

    /// The number of those up to this one, which counts itself.
    pub fn up_to(&self, place: usize) -> u64 {
        let word = place / 64;
        let within = self.words[word] << (63 - place % 64);
        let (mut at, mut sum) = (word, within.count_ones());
        while at > 0 {
            sum += self.sums[at];
            at -= at & at.wrapping_neg();
        }
        u64::from(sum)
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.sums.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::base::rng::Seed;

    #[test]
    fn it_counts_as_a_sorted_set_does() {
        let (seed, limit) = (Seed::new(1, 0, 0), 1000);
        let (mut set, mut expected) = (PlaceSet::new(limit), BTreeSet::new());
        for n in 0..5000 {
            let place = seed.at(n).below(limit as u64) as usize;
            if expected.insert(place) {
                set.insert(place);
            } else {
                expected.remove(&place);
                set.remove(place);
            }
            for until in [place, 0, 63, 64, limit - 1] {
                assert_eq!(set.up_to(until), expected.range(..=until).count() as u64);
            }
        }
        set.clear();
        assert_eq!(set.up_to(limit - 1), 0);
    }
}
