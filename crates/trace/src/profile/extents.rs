//! Footprint and skew of the accessed extents. Up to a limit every extent is counted. Above it,
//! only extents whose hash is below a bound are counted, and the bound decreases as their number
//! grows (spatial sampling: Waldspurger and others, "Efficient MRC Construction with SHARDS", FAST
//! 2015).

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::exponent;
use crate::request::Request;
use dyno_core::base::rng::mix;

/// Maximum number of extents counted at a time.
const MOST_EXTENTS: usize = 1 << 19;
/// Maximum number of extents counted per request: no real request touches more.
const MOST_TOUCHED: usize = 4096;
/// Shares of the most popular extents for which the share of accesses is reported.
pub const TOP: [f64; 3] = [0.01, 0.10, 0.20];

/// Use of the extents of one size by reads and writes.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtentUse {
    /// Size of an extent, bytes.
    pub extent: u64,
    /// Total size of all accessed extents, bytes.
    pub footprint_bytes: u64,
    /// The share of accesses that go to the most popular 1, 10 and 20 % of the accessed extents.
    /// Each extent that a request touches is one access.
    pub top: [f64; 3],
    /// The exponent of the zipfian distribution, over all extents up to the end of each device,
    /// that gives the same probability that two accesses hit the same extent. None with fewer than
    /// two accesses.
    pub theta: Option<f64>,
    /// Whether footprint and skew are estimates from a sample of the extents.
    pub sampled: bool,
}

/// Identifier of an extent of a device.
pub fn identity(device: u16, extent: u64) -> u64 {
    mix(extent.wrapping_add(mix(u64::from(device))))
}

/// Identifiers of a request's extents, of a very long request only the first ones. `extent` is a
/// power of two.
pub fn touched(request: &Request, extent: u64) -> impl Iterator<Item = u64> + use<> {
    let (device, bits) = (request.device, extent.trailing_zeros());
    let (first, last) = (request.offset >> bits, request.end().saturating_sub(1) >> bits);
    (first..=last).take(MOST_TOUCHED).map(move |n| identity(device, n))
}

/// Number of accesses per extent.
pub struct ExtentCounts {
    extent: u64,
    /// Maximum number of extents counted at a time.
    most: usize,
    bound: u64,
    counts: HashMap<u64, u64, RandomState>,
    accesses: u64,
}

impl ExtentCounts {
    pub fn new(extent: u64) -> ExtentCounts {
        ExtentCounts::with_limit(extent, MOST_EXTENTS)
    }

    fn with_limit(extent: u64, most: usize) -> ExtentCounts {
        ExtentCounts { extent, most, bound: u64::MAX, counts: HashMap::default(), accesses: 0 }
    }

    pub fn add(&mut self, request: &Request) {
        for identity in touched(request, self.extent) {
            self.accesses += 1;
            if identity > self.bound {
                continue;
            }
            *self.counts.entry(identity).or_default() += 1;
            if self.counts.len() > self.most {
                self.bound /= 2;
                let bound = self.bound;
                self.counts.retain(|identity, _| *identity <= bound);
            }
        }
    }

    /// `span` is the number of extents up to the end of each device.
    pub fn summarise(&self, span: u64) -> ExtentUse {
        let share = self.bound as f64 / u64::MAX as f64;
        let mut counts: Vec<u64> = self.counts.values().copied().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let all: u64 = counts.iter().sum();
        let top = |part: f64| {
            let number = (counts.len() as f64 * part).ceil() as usize;
            counts[..number].iter().sum::<u64>() as f64 / all.max(1) as f64
        };
        let pairs: f64 = counts.iter().map(|&c| c as f64 * (c as f64 - 1.0)).sum::<f64>() / share;
        let accesses = self.accesses as f64;
        let meet = pairs / (accesses * (accesses - 1.0));
        ExtentUse {
            extent: self.extent,
            footprint_bytes: ((counts.len() as f64 / share).round() as u64) * self.extent,
            top: TOP.map(top),
            theta: (self.accesses > 1).then(|| exponent::theta(meet, span)),
            sampled: self.bound < u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::RequestKind;
    use dyno_core::base::rng::Seed;
    use dyno_core::base::zipf::Zipf;

    fn read(offset: u64, length: u32) -> Request {
        Request { at_ns: 0, device: 0, kind: RequestKind::Read, offset, length }
    }

    #[test]
    fn the_hot_tenth_gets_its_share_of_accesses() {
        // Of 1,000 extents, 100 are read nine times, the others once.
        let mut counts = ExtentCounts::new(4096);
        for n in 0..1000 {
            (0..if n < 100 { 9 } else { 1 }).for_each(|_| counts.add(&read(n * 4096, 4096)));
        }
        let used = counts.summarise(1000);
        assert_eq!(used.footprint_bytes, 1000 * 4096);
        assert_eq!(used.top, [0.05, 0.5, 1000.0 / 1800.0]);
        assert!(!used.sampled);
    }

    #[test]
    fn a_request_touches_every_extent_from_its_first_to_its_last_byte() {
        let number = |offset, length| touched(&read(offset, length), 4096).count();
        assert_eq!([number(0, 4096), number(4095, 2), number(512, 512)], [1, 2, 1]);
        assert_eq!(number(100, 1 << 20), 257);
        assert_ne!(identity(0, 7), identity(1, 7));
    }

    #[test]
    fn a_footprint_beyond_the_limit_is_estimated() {
        let mut counts = ExtentCounts::with_limit(4096, 1 << 14);
        let extents = 3 << 14;
        (0..2).for_each(|_| (0..extents).for_each(|n| counts.add(&read(n * 4096, 4096))));
        let used = counts.summarise(extents);
        assert!(used.sampled);
        let error = used.footprint_bytes as f64 / (extents * 4096) as f64 - 1.0;
        // At least 2^13 extents are counted, so the standard error is 1.1 %.
        assert!(error.abs() < 0.05, "{error}");
        assert!((used.top[1] - 0.1).abs() < 1e-3, "{:?}", used.top);
        assert!(used.theta.unwrap() < 0.05);
    }

    #[test]
    fn zipfian_accesses_give_back_their_exponent() {
        for (theta, extents) in [(0.0, 10_000u64), (0.6, 100_000), (0.99, 100_000), (1.2, 10_000)] {
            let mut counts = ExtentCounts::new(4096);
            let (zipf, seed) = (Zipf::new(theta, extents), Seed::new(3, 0, 0));
            for n in 0..200_000 {
                counts.add(&read(zipf.draw(&mut seed.at(n)) * 4096, 4096));
            }
            let fitted = counts.summarise(extents).theta.unwrap();
            assert!((fitted - theta).abs() < 0.05, "{fitted} for {theta}");
        }
    }
}
