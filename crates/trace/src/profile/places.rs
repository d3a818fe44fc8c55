//! A set of numbers below a limit that counts its members up to a given number: one bit for each
//! number, and a tree of sums over words (Fenwick, "A new data structure for cumulative frequency
//! tables", Software: Practice and Experience 24 (3), 1994). It fits into a processor's L1 cache.

/// The set.
pub struct PlaceSet {
    words: Vec<u64>,
    /// Indexed from 1: the number of members in the last words up to this one, as many words as its
    /// lowest set bit.
    sums: Vec<u32>,
    limit: usize,
}

impl PlaceSet {
    /// Creates an empty set of numbers below `limit`.
    pub fn new(limit: usize) -> PlaceSet {
        let words = limit.div_ceil(u64::BITS as usize);
        PlaceSet { words: vec![0; words], sums: vec![0; words + 1], limit }
    }

    /// Upper limit of the numbers, exclusive.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Adds a number that is not a member.
    pub fn insert(&mut self, place: usize) {
        self.flip(place, 1);
    }

    /// Removes a member.
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

    /// The number of members up to `place`, inclusive.
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

    /// Removes all members.
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.sums.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use dyno_core::base::rng::Seed;

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
