//! The only latency histogram: nanoseconds, fixed bounds, relative error at most 0.1 %.
//!
//! The layout is HdrHistogram's with three significant digits. Values up to 2,047 have a bucket
//! each; above that, every octave [2^k, 2^(k+1)) is divided into `HALF` = 1,024 equal buckets, so
//! the width of a bucket is at most 1/1,024 of its values. Because the layout is HdrHistogram's
//! own, converting to and from the V2 format moves no count. A value above `HIGHEST_NS` (one hour)
//! is counted in `overflow` and in the maximum, never clipped silently.

use std::io::Read;
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

/// Buckets per octave.
const HALF: usize = 1024;
const HALF_BITS: u32 = HALF.trailing_zeros();

/// The largest latency that has a bucket: one hour.
pub const HIGHEST_NS: u64 = 3_600_000_000_000;

/// The width of a bucket relative to its bounds: 1,024 per octave.
pub const RESOLUTION: f64 = 1.0 / 1024.0;

/// The number of buckets up to `HIGHEST_NS`.
pub const BUCKETS: usize = bucket_of(HIGHEST_NS) + 1;

/// A percentile counts as measured if at least this many samples lie above it.
pub const SAMPLES_ABOVE: u64 = 100;

/// The bucket that counts `ns`.
#[inline(always)]
pub const fn bucket_of(ns: u64) -> usize {
    // Below 2 * HALF the shift is zero and the bucket is the value itself.
    let shift = (ns | (2 * HALF as u64 - 1)).ilog2() - HALF_BITS;
    ((shift as usize) << HALF_BITS) + (ns >> shift) as usize
}

/// The largest value that bucket `index` counts.
pub const fn highest_in(index: usize) -> u64 {
    let shift = (index >> HALF_BITS).saturating_sub(1) as u32;
    let within = (index - ((shift as usize) << HALF_BITS)) as u64;
    ((within + 1) << shift) - 1
}

/// A latency histogram, mergeable, with exact count, sum, minimum and maximum in addition to the
/// buckets.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    /// The buckets from the lowest to the highest that hold something. They are few of many, and a
    /// report reads a hundred thousand histograms.
    counts: Vec<u64>,
    /// The index of the first of them; 0 where there are none.
    first: usize,
    /// Number of values, including those above `HIGHEST_NS`.
    pub count: u64,
    /// Their exact sum, nanoseconds; it saturates.
    pub sum_ns: u64,
    /// The smallest value, exact; `u64::MAX` if there is none.
    pub min_ns: u64,
    /// The largest value, exact; 0 if there is none.
    pub max_ns: u64,
    /// Values above `HIGHEST_NS`; also included in `count`, `sum_ns` and `max_ns`.
    pub overflow: u64,
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mean, max) = (self.mean_ns().unwrap_or(0.0), self.max_ns);
        write!(f, "Histogram(n {}, mean {mean:.0} ns, max {max} ns)", self.count)
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram::new()
    }
}

impl Histogram {
    /// Empty.
    pub fn new() -> Histogram {
        Histogram {
            counts: Vec::new(),
            first: 0,
            count: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            overflow: 0,
        }
    }

    /// Of the counts of successive buckets, the first with this index; neither the first nor the
    /// last count is 0.
    pub fn of_counts(first: usize, counts: Vec<u64>) -> Histogram {
        let count = counts.iter().fold(0, |sum: u64, n| sum.saturating_add(*n));
        Histogram { counts, first, count, ..Histogram::new() }
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The memory for its counts: buckets between the lowest and the highest non-empty one.
    pub fn used_bytes(&self) -> u64 {
        8 * self.counts.len() as u64
    }

    /// Counts one latency.
    pub fn add(&mut self, ns: u64) {
        self.add_n(ns, 1);
    }

    /// Counts `n` latencies of the same length.
    pub fn add_n(&mut self, ns: u64, n: u64) {
        if n == 0 {
            return;
        }
        match bucket_of(ns) {
            index if index < BUCKETS => self.add_to_bucket(index, n),
            _ => {
                self.overflow = self.overflow.saturating_add(n);
                self.count = self.count.saturating_add(n);
            }
        }
        self.sum_ns = self.sum_ns.saturating_add(ns.saturating_mul(n));
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Adds all of `other`'s counts to these.
    pub fn merge(&mut self, other: &Histogram) {
        if !other.counts.is_empty() {
            self.cover(other.used());
        }
        let own = &mut self.counts[other.first.saturating_sub(self.first)..];
        for (own, n) in own.iter_mut().zip(&other.counts) {
            *own = own.saturating_add(*n);
        }
        self.count = self.count.saturating_add(other.count);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.overflow = self.overflow.saturating_add(other.overflow);
    }

    /// Adds counts directly to a bucket, to convert a recorder's snapshots to a histogram. `count`
    /// is updated.
    pub fn add_to_bucket(&mut self, index: usize, n: u64) {
        self.cover(index..index + 1);
        let own = &mut self.counts[index - self.first];
        *own = own.saturating_add(n);
        self.count = self.count.saturating_add(n);
    }

    /// The indices of its buckets.
    fn used(&self) -> Range<usize> {
        self.first..self.first + self.counts.len()
    }

    /// Has a count for each of these buckets, of which there is at least one.
    fn cover(&mut self, buckets: Range<usize>) {
        if self.counts.is_empty() {
            self.first = buckets.start;
        }
        if buckets.start < self.first {
            let more = self.first - buckets.start;
            self.counts.splice(0..0, std::iter::repeat_n(0, more));
            self.first = buckets.start;
        }
        if buckets.end > self.used().end {
            self.counts.resize(buckets.end - self.first, 0);
        }
    }

    /// What bucket `index` counts.
    fn count_in(&self, index: usize) -> u64 {
        index.checked_sub(self.first).and_then(|at| self.counts.get(at)).map_or(0, |n| *n)
    }

    /// Adds values that the buckets lack: the exact sum, the extremes and the overflow.
    pub fn add_exact(&mut self, sum_ns: u64, min_ns: u64, max_ns: u64, overflow: u64) {
        self.sum_ns = self.sum_ns.saturating_add(sum_ns);
        self.min_ns = self.min_ns.min(min_ns);
        self.max_ns = self.max_ns.max(max_ns);
        self.overflow += overflow;
        self.count += overflow;
    }

    /// The values counted since `earlier`, a former state of this histogram. The extremes are those
    /// of the buckets.
    pub fn since(&self, earlier: &Histogram) -> Histogram {
        let mut part = Histogram::new();
        for index in self.used() {
            let (now, then) = (self.count_in(index), earlier.count_in(index));
            if now > then {
                part.add_to_bucket(index, now - then);
                part.min_ns = part.min_ns.min(highest_in(index));
                part.max_ns = highest_in(index);
            }
        }
        part.sum_ns = self.sum_ns.saturating_sub(earlier.sum_ns);
        part.overflow = self.overflow.saturating_sub(earlier.overflow);
        part.count += part.overflow;
        if part.overflow > 0 {
            part.max_ns = self.max_ns;
        }
        part
    }

    /// The exact mean, nanoseconds; None for an empty histogram.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// The latency that a share `q` (0 to 1) of the ops did not exceed, rounded up to the top of
    /// its bucket, regardless of the number of samples; `None` only if there are none. Use
    /// `percentile_ns` for printing.
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        let [quantile] = self.quantiles_ns([q]);
        quantile
    }

    /// The same of ascending shares, in one pass.
    fn quantiles_ns<const N: usize>(&self, shares: [f64; N]) -> [Option<u64>; N] {
        // The counts of the first `passed` buckets together.
        let (mut below, mut passed) = (0, 0);
        shares.map(|q| {
            let rank = ((q * self.count as f64).ceil() as u64).clamp(1, self.count.max(1));
            // Many at a time, as far as the rank is beyond them.
            while let Some(many) = self.counts.get(passed..passed + 64) {
                let more: u64 = below + many.iter().sum::<u64>();
                if more >= rank {
                    break;
                }
                (below, passed) = (more, passed + 64);
            }
            while let (true, Some(n)) = (below < rank, self.counts.get(passed)) {
                (below, passed) = (below + n, passed + 1);
            }
            let last = passed.checked_sub(1).filter(|_| below >= rank);
            let least = self.min_ns.min(self.max_ns);
            let reached = last.map(|at| highest_in(self.first + at).clamp(least, self.max_ns));
            (self.count > 0).then_some(reached.unwrap_or(self.max_ns))
        })
    }

    /// `quantile_ns`, but only if at least `SAMPLES_ABOVE` samples lie above it; otherwise it was
    /// not measured.
    pub fn percentile_ns(&self, q: f64) -> Option<u64> {
        let [percentile] = self.percentiles_ns([q]);
        percentile
    }

    /// The same of ascending shares, in one pass.
    pub fn percentiles_ns<const N: usize>(&self, shares: [f64; N]) -> [Option<u64>; N] {
        let mut quantiles = self.quantiles_ns(shares);
        for (quantile, q) in quantiles.iter_mut().zip(shares) {
            let above = self.count as f64 * (1.0 - q);
            // The tolerance only covers the rounding of 1 - 0.99: it is below a sample of 10^9.
            if above + 1e-9 * (SAMPLES_ABOVE as f64) < SAMPLES_ABOVE as f64 {
                *quantile = None;
            }
        }
        quantiles
    }

    /// The shares of values of at least each of these ascending latencies, to the bottom of its
    /// bucket, in one pass; `None` where there is no value.
    pub fn shares_from<const N: usize>(&self, ns: [u64; N]) -> [Option<f64>; N] {
        let (mut shares, mut end, mut above) = ([None; N], self.counts.len(), self.overflow);
        for (share, ns) in shares.iter_mut().zip(ns).rev() {
            let from = bucket_of(ns).saturating_sub(self.first).min(end);
            above = above.saturating_add(self.counts[from..end].iter().sum());
            end = from;
            *share = (self.count > 0).then(|| (above as f64 / self.count as f64).min(1.0));
        }
        shares
    }

    /// The numbers of values up to each of these ascending latencies that are above the one before,
    /// by the tops of their buckets, in one pass.
    pub fn counts_up_to<const N: usize>(&self, ns: [u64; N]) -> [u64; N] {
        let mut from = 0;
        ns.map(|ns| {
            let end = bucket_of(ns + 1).saturating_sub(self.first).clamp(from, self.counts.len());
            self.counts[std::mem::replace(&mut from, end)..end].iter().sum()
        })
    }

    /// How many values are at least this latency, to the bottom of its bucket.
    pub fn count_from(&self, ns: u64) -> u64 {
        let from = bucket_of(ns).saturating_sub(self.first).min(self.counts.len());
        self.counts[from..].iter().sum::<u64>() + self.overflow
    }

    /// The non-empty buckets: (largest value of the bucket, count), ascending; without the
    /// overflow.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let counts = self.used().zip(self.counts.iter().copied());
        counts.filter(|&(_, n)| n > 0).map(|(index, n)| (highest_in(index), n))
    }

    /// The HdrHistogram V2 format, deflated, with `digits` significant digits: 3 preserves every
    /// count's bucket; 2 (error at most 0.8 %) is for intervals, which are numerous.
    pub fn to_v2(&self, digits: u8) -> Result<Vec<u8>> {
        let mut hdr = hdrhistogram::Histogram::<u64>::new_with_bounds(1, HIGHEST_NS, digits)?;
        for (value, n) in self.buckets() {
            // The top bucket's upper edge may lie beyond the bound that the format was given.
            hdr.record_n(value.min(HIGHEST_NS), n)?;
        }
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&hdr, &mut bytes)
            .context("serialising a histogram")?;
        Ok(bytes)
    }

    /// Reads the output of `to_v2` (or of another HdrHistogram tool, in nanoseconds). The format
    /// contains neither the exact sum nor the extremes, so they are set to the buckets' values
    /// until the caller, which stores them separately, sets them.
    pub fn from_v2(bytes: &[u8]) -> Result<Histogram> {
        let plain = plain_v2(bytes)?;
        let hdr: hdrhistogram::Histogram<u64> = Deserializer::new()
            .deserialize(&mut &plain[..])
            .map_err(|e| anyhow::anyhow!("not a histogram: {e}"))?;
        let mut histogram = Histogram::new();
        for bucket in hdr.iter_recorded() {
            histogram.add_n(bucket.value_iterated_to().min(HIGHEST_NS), bucket.count_at_value());
        }
        Ok(histogram)
    }
}

/// The magic bytes of deflated V2, and of V2 after inflating.
const DEFLATED: [u8; 4] = 0x1C84_9314u32.to_be_bytes();
const PLAIN: [u8; 4] = 0x1C84_9313u32.to_be_bytes();

/// Inflates V2 and compares its header with the data and with our bounds: the library trusts
/// lengths and bounds in a header, and would allocate gigabytes for a few bytes.
fn plain_v2(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut plain = Vec::new();
    match bytes.strip_prefix(&DEFLATED) {
        Some(rest) => {
            let deflated = rest.get(4..).context("not a histogram: cut short")?;
            // A count takes at most nine bytes.
            let most = 40 + 9 * BUCKETS as u64;
            flate2::read::ZlibDecoder::new(deflated)
                .take(most + 1)
                .read_to_end(&mut plain)
                .context("inflating")?;
            ensure!(
                plain.len() as u64 <= most,
                "not a histogram: it inflates beyond the size of one"
            );
        }
        None => plain.extend_from_slice(bytes),
    }
    let header = plain.get(..40).context("not a histogram: cut short")?;
    let word = |at: usize| {
        u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    ensure!(
        header[..4] == PLAIN && word(4) as usize == plain.len() - 40,
        "not a histogram: its length is wrong"
    );
    ensure!((1..=3).contains(&word(12)), "not a histogram of one to three digits");
    let bounds = [1u64.to_be_bytes(), HIGHEST_NS.to_be_bytes()].concat();
    ensure!(header[16..32] == bounds, "not a histogram in nanoseconds up to an hour");
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_value_up_to_an_hour_has_a_bucket_within_a_thousandth() {
        for ns in (0..200_000).chain((0..42).flat_map(|k| [(1u64 << k) - 1, 1 << k, (1 << k) + 1]))
        {
            if ns <= HIGHEST_NS {
                let top = highest_in(bucket_of(ns));
                assert!(
                    top >= ns && (top - ns) as f64 <= ns as f64 / 1024.0,
                    "{ns} ns is counted up to {top} ns"
                );
            }
        }
        assert!(bucket_of(HIGHEST_NS) < BUCKETS && bucket_of(HIGHEST_NS * 2) >= BUCKETS);
    }

    #[test]
    fn a_percentile_without_a_hundred_samples_above_it_is_not_measured() {
        let mut h = Histogram::new();
        (1..=10_000).for_each(|us| h.add(us * 1000));
        assert_eq!(h.percentile_ns(0.99).map(|p| p / 10_000), Some(990));
        assert_eq!(h.percentile_ns(0.999), None);
        assert_eq!(h.quantile_ns(1.0), Some(10_000_000));
    }

    #[test]
    fn the_share_from_a_latency_on_counts_it_and_all_above() {
        let mut h = Histogram::new();
        h.add_n(900_000, 95);
        h.add_n(1_000_000, 2);
        h.add_n(70_000_000, 2);
        h.add(2 * HIGHEST_NS);
        let shares = h.shares_from([1_000_000, 1_100_000, 80_000_000]);
        assert_eq!(shares, [Some(0.05), Some(0.03), Some(0.01)]);
        assert_eq!(Histogram::new().shares_from([1]), [None]);
    }

    #[test]
    fn what_lies_above_an_hour_is_counted_and_shown() {
        let mut h = Histogram::new();
        h.add(2 * HIGHEST_NS);
        assert_eq!((h.count, h.overflow, h.max_ns), (1, 1, 2 * HIGHEST_NS));
        assert_eq!(h.quantile_ns(0.5), Some(2 * HIGHEST_NS));
    }

    #[test]
    fn the_difference_of_two_states_is_what_came_between() {
        let mut earlier = Histogram::new();
        earlier.add(100);
        let mut later = earlier.clone();
        later.add(5_000_000);
        let between = later.since(&earlier);
        assert_eq!((between.count, between.sum_ns), (1, 5_000_000));
        assert_eq!(
            between.quantile_ns(0.5),
            later.quantile_ns(1.0).map(|_| highest_in(bucket_of(5_000_000)))
        );
        assert!(later.since(&later).is_empty());
    }

    fn latencies() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(
            (0u32..41, any::<u64>()).prop_map(|(k, x)| x % (1 << k).max(2)),
            1..400,
        )
    }

    fn of(values: &[u64]) -> Histogram {
        let mut h = Histogram::new();
        values.iter().for_each(|&v| h.add(v));
        h
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_values(mut values in latencies(), q in 0.0f64..=1.0) {
            let h = of(&values);
            values.sort_unstable();
            let rank = ((q * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let (truth, read) = (values[rank - 1], h.quantile_ns(q).unwrap());
            prop_assert!(read >= truth && read as f64 <= truth as f64 * (1.0 + 1.0 / 1024.0) + 1.0);
        }

        #[test]
        fn percentiles_together_are_those_taken_one_by_one(values in latencies()) {
            let (h, shares) = (of(&values), [0.5, 0.9, 0.99]);
            prop_assert_eq!(h.quantiles_ns(shares), shares.map(|q| h.quantile_ns(q)));
            prop_assert_eq!(h.percentiles_ns(shares), shares.map(|q| h.percentile_ns(q)));
        }

        #[test]
        fn merging_is_the_same_as_counting_together(a in latencies(), b in latencies()) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            prop_assert_eq!(merged, of(&[a, b].concat()));
        }

        #[test]
        fn the_v2_format_moves_no_count(values in latencies()) {
            let values: Vec<u64> = values.into_iter().map(|v| v.max(1)).collect();
            let h = of(&values);
            let back = Histogram::from_v2(&h.to_v2(3).unwrap()).unwrap();
            prop_assert!(h.buckets().eq(back.buckets()));
        }
    }
}
