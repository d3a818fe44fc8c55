//! Reuse distances: the number of distinct extents accessed between two accesses to the same one,
//! which is the cache size that would hold it (Mattson and others, 1970). If there are many
//! extents, only a sample is tracked, and distances are scaled by its share (SHARDS, FAST 2015).

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::extents::touched;
use super::places::PlaceSet;
use crate::request::Request;

/// Maximum number of extents tracked at a time.
const MOST_EXTENTS: usize = 1 << 16;
/// Positions per extent before positions are renumbered.
const PLACES: usize = 4;

/// Share of accesses whose reuse distance lies in one power-of-two range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReuseBucket {
    /// Upper bound of the distance, exclusive; the lower bound is half of it.
    pub below_bytes: u64,
    /// Share of all accesses.
    pub share: f64,
}

/// Collects the reuse distances of reads and writes.
pub struct ReuseDistances {
    extent: u64,
    /// Maximum number of extents tracked at a time.
    most: usize,
    /// An extent is tracked if its identifier is at most this.
    bound: u64,
    /// Number of accesses that each access to a tracked extent represents.
    weight: f64,
    /// Position of the last access to each extent.
    last: HashMap<u64, usize, RandomState>,
    /// All of these positions.
    places: PlaceSet,
    next: usize,
    /// Accesses by the number of bits of their distance in extents, weighted.
    buckets: [f64; 65],
    first: f64,
    sampled: bool,
}

impl ReuseDistances {
    /// `extent` is the unit of distances, bytes.
    pub fn new(extent: u64) -> ReuseDistances {
        ReuseDistances::with_limit(extent, MOST_EXTENTS)
    }

    fn with_limit(extent: u64, most: usize) -> ReuseDistances {
        ReuseDistances {
            extent,
            most,
            bound: u64::MAX,
            weight: 1.0,
            last: HashMap::default(),
            places: PlaceSet::new(PLACES * most),
            next: 0,
            buckets: [0.0; 65],
            first: 0.0,
            sampled: false,
        }
    }

    /// Adds a read or a write. Requests must be added in order of time.
    pub fn add(&mut self, request: &Request) {
        for identity in touched(request, self.extent) {
            if identity <= self.bound {
                self.access(identity);
            }
        }
    }

    fn access(&mut self, identity: u64) {
        if self.next == self.places.limit() {
            self.place_anew();
        }
        match self.last.insert(identity, self.next) {
            None => self.first += self.weight,
            Some(before) => {
                let between = self.last.len() as u64 - self.places.up_to(before);
                let distance = (between as f64 * self.weight) as u64;
                self.buckets[(u64::BITS - distance.leading_zeros()) as usize] += self.weight;
                self.places.remove(before);
            }
        }
        self.places.insert(self.next);
        self.next += 1;
        if self.last.len() > self.most {
            self.bound /= 2;
            self.weight = u64::MAX as f64 / self.bound as f64;
            self.sampled = true;
            let bound = self.bound;
            self.last.retain(|identity, _| *identity <= bound);
            self.place_anew();
        }
    }

    /// Renumbers the positions from 0 and keeps their order.
    fn place_anew(&mut self) {
        let mut order: Vec<(usize, u64)> = self.last.iter().map(|(id, at)| (*at, *id)).collect();
        order.sort_unstable();
        self.places.clear();
        for (place, (_, identity)) in order.iter().enumerate() {
            self.last.insert(*identity, place);
            self.places.insert(place);
        }
        self.next = order.len();
    }

    /// Shares of accesses by distance, in ascending order.
    pub fn buckets(&self) -> Vec<ReuseBucket> {
        let all = (self.buckets.iter().sum::<f64>() + self.first).max(1.0);
        let last = self.buckets.iter().rposition(|count| *count > 0.0).map_or(0, |bits| bits + 1);
        let bucket = |bits: usize| ReuseBucket {
            below_bytes: self.extent.checked_shl(bits as u32).unwrap_or(u64::MAX),
            share: self.buckets[bits] / all,
        };
        (0..last).map(bucket).collect()
    }

    /// Share of accesses that are the first to their extent.
    pub fn first_share(&self) -> f64 {
        self.first / (self.buckets.iter().sum::<f64>() + self.first).max(1.0)
    }

    /// Whether only a sample of the extents was tracked.
    pub fn is_sampled(&self) -> bool {
        self.sampled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::RequestKind;
    use dyno_core::base::rng::Seed;

    const SMALL: usize = 1 << 10;

    fn distances(extents: impl Iterator<Item = u64>) -> ReuseDistances {
        let mut reuse = ReuseDistances::with_limit(4096, SMALL);
        for n in extents {
            let (kind, offset) = (RequestKind::Read, n * 4096);
            reuse.add(&Request { at_ns: 0, device: 0, kind, offset, length: 4096 });
        }
        reuse
    }

    #[test]
    fn a_loop_over_extents_has_their_number_as_its_distance() {
        let reuse = distances((0..100_000).map(|n| n % 100));
        let buckets = reuse.buckets();
        let last = buckets.last().unwrap();
        // 99 other extents lie between: the range from 64 to below 128 extents.
        assert_eq!(last.below_bytes, 128 * 4096);
        assert!((last.share - 0.999).abs() < 1e-6 && (reuse.first_share() - 1e-3).abs() < 1e-9);
    }

    #[test]
    fn distances_are_those_of_a_list_in_the_order_of_use() {
        let seed = Seed::new(1, 0, 0);
        let extents: Vec<u64> = (0..3000).map(|n| seed.at(n).below(1 + n % 300)).collect();
        let (mut list, mut expected) = (Vec::new(), [0.0; 65]);
        for extent in &extents {
            if let Some(at) = list.iter().rposition(|other| other == extent) {
                let distance = (list.len() - 1 - at) as u64;
                expected[(u64::BITS - distance.leading_zeros()) as usize] += 1.0;
                list.remove(at);
            }
            list.push(*extent);
        }
        assert_eq!(distances(extents.into_iter()).buckets, expected);
    }

    #[test]
    fn a_sample_gives_the_distances_of_all() {
        let extents = SMALL as u64 * 5;
        let reuse = distances((0..extents * 3).map(|n| n % extents));
        assert!(reuse.is_sampled());
        let last = *reuse.buckets().last().unwrap();
        assert_eq!(last.below_bytes / 4096, extents.next_power_of_two());
        assert!((reuse.first_share() - 1.0 / 3.0).abs() < 0.05, "{}", reuse.first_share());
    }
}
