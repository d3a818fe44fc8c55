//! Storage of histograms: in the HdrHistogram V2 format, with additional columns for data that the
//! format lacks.
//!
//! A point's totals have three digits and are not deflated, so that reports read them fast. Its
//! intervals are hundreds of times as numerous, and the noise in their counts does not compress, so
//! they have one digit, which is 16 buckets per octave, and are read back at the middle of a
//! bucket: an interval's latencies are accurate to 3.2 %.

use hdrhistogram::serialization::{Serializer, V2Serializer};
use rusqlite::Row;

use super::limits;
use crate::base::error::{Context, Result};
use crate::base::histogram::{BUCKETS, HIGHEST_NS, Histogram};

/// log2 of the buckets per octave with one digit.
const KEPT_BITS: u32 = 4;

/// The magic bytes of V2 that is not deflated.
const PLAIN_V2: u32 = 0x1C84_9313;

/// A histogram's columns.
pub(super) struct HistogramColumns {
    pub v2: Vec<u8>,
    pub sum_ns: i64,
    pub min_ns: Option<i64>,
    pub max_ns: i64,
    pub overflow: i64,
}

/// A point's total, with all counts in their original buckets.
pub(super) fn total(histogram: &Histogram) -> Result<HistogramColumns> {
    let mut v2 = Vec::new();
    let mut hdr = hdrhistogram::Histogram::<u64>::new_with_bounds(1, HIGHEST_NS, 3)?;
    histogram.buckets().try_for_each(|(ns, n)| hdr.record_n(ns.min(HIGHEST_NS), n))?;
    V2Serializer::new().serialize(&hdr, &mut v2).context("serialising a histogram")?;
    Ok(columns(histogram, v2))
}

/// An interval's.
pub(super) fn interval(histogram: &Histogram) -> Result<HistogramColumns> {
    Ok(columns(histogram, histogram.to_v2(1)?))
}

fn columns(histogram: &Histogram, v2: Vec<u8>) -> HistogramColumns {
    use super::schema::signed;
    HistogramColumns {
        v2,
        sum_ns: signed(histogram.sum_ns),
        min_ns: (!histogram.is_empty()).then(|| signed(histogram.min_ns)),
        max_ns: signed(histogram.max_ns),
        overflow: signed(histogram.overflow),
    }
}

/// An interval's counts, moved from the top of their coarse bucket to its middle.
fn centred(read: &Histogram) -> Histogram {
    let mut centred = Histogram::new();
    for (ns, n) in read.buckets() {
        let width = 1 << (ns | 1).ilog2().saturating_sub(KEPT_BITS);
        centred.add_n((ns & !(width - 1)) + width / 2, n);
    }
    centred
}

/// Fast path for V2 that is not deflated and has Dyno's bounds and digits: its counts are then our
/// buckets in order, and a report's thousand histograms are read in a fraction of the time. `None`
/// for any other.
fn plain_v2(bytes: &[u8]) -> Option<Histogram> {
    let (header, mut rest) = bytes.split_at_checked(40)?;
    let word = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
    if word(0)? != PLAIN_V2 || word(4)? as usize != rest.len() || word(8)? != 0 || word(12)? != 3 {
        return None;
    }
    let bounds = [1u64.to_be_bytes(), HIGHEST_NS.to_be_bytes(), 1f64.to_be_bytes()];
    if header[16..] != *bounds.as_flattened() {
        return None;
    }
    let (mut first, mut index) = (0, 0usize);
    let mut counts = Vec::with_capacity(rest.len().min(BUCKETS));
    while let [byte, after @ ..] = rest {
        // Nearly all counts have one byte.
        let n = match byte {
            0..0x80 => {
                rest = after;
                signed(u64::from(*byte))
            }
            _ => zig_zag(&mut rest)?,
        };
        if n <= 0 {
            // A run of zeros; a single one is stored as itself.
            index = index.checked_add(usize::try_from(n.unsigned_abs().max(1)).ok()?)?;
        } else if index < BUCKETS && n as u64 <= limits::REQUESTS.most {
            if counts.is_empty() {
                first = index;
            } else if counts.len() < index - first {
                counts.resize(index - first, 0);
            }
            counts.push(n as u64);
            index += 1;
        } else {
            return None;
        }
    }
    Some(Histogram::of_counts(first, counts))
}

/// The format's integers: seven bits per byte, lowest first, a ninth byte in full; the sign is the
/// lowest bit.
fn zig_zag(rest: &mut &[u8]) -> Option<i64> {
    let (mut value, mut bits) = (0u64, 0);
    loop {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        if byte < 0x80 || bits == 56 {
            return Some(signed(value | u64::from(byte) << bits));
        }
        value |= u64::from(byte & 0x7F) << bits;
        bits += 7;
    }
}

fn signed(zig_zag: u64) -> i64 {
    (zig_zag >> 1) as i64 ^ -((zig_zag & 1) as i64)
}

/// Reads the columns from `first` on: V2, sum, maximum, overflow and, if `min` is set, the minimum
/// after these.
pub(super) fn read(row: &Row<'_>, first: usize, min: bool) -> Result<Option<Histogram>> {
    let Some(v2) = row.get_ref(first)?.as_blob_or_null().context("a histogram's column")? else {
        return Ok(None);
    };
    let mut histogram = plain_v2(v2).map_or_else(|| Histogram::from_v2(v2), Ok)?;
    if !min {
        histogram = centred(&histogram);
    }
    histogram.sum_ns = count(row, first + 1)?;
    histogram.max_ns = count(row, first + 2)?;
    histogram.overflow = count(row, first + 3)?;
    histogram.count = histogram.count.saturating_add(histogram.overflow);
    // Sums over a report's points then fit 64 bits.
    limits::REQUESTS.check(histogram.count)?;
    if min {
        histogram.min_ns =
            row.get::<_, Option<i64>>(first + 4)?.map_or(u64::MAX, |n| n.max(0) as u64);
    } else if histogram.count > 0 {
        histogram.min_ns = histogram.min_ns.min(histogram.max_ns);
    }
    Ok(Some(histogram))
}

/// A column that counts requests, or bytes.
pub fn bounded(row: &Row<'_>, column: usize, limit: &limits::QueryLimit) -> Result<u64> {
    let value = count(row, column)?;
    limit.check(value).map(|()| value)
}

/// A column that counts something.
pub fn count<T: TryFrom<i64>>(row: &Row<'_>, column: usize) -> Result<T> {
    let value: i64 = row.get(column)?;
    T::try_from(value).ok().with_context(|| format!("{value} is out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_keeps_latencies_to_three_percent_and_count_sum_and_maximum_exactly() {
        for ns in [1, 40, 63, 64, 127, 1_000, 85_300, 1_234_567, 3_000_000_000] {
            let mut h = Histogram::new();
            h.add_n(ns, 7);
            let back = centred(&Histogram::from_v2(&interval(&h).unwrap().v2).unwrap());
            let read = back.quantile_ns(0.5).unwrap();
            assert!(read.abs_diff(ns) as f64 <= ns as f64 / 31.0, "{ns} ns is read as {read} ns");
            assert_eq!(back.count, 7);
        }
    }

    #[test]
    fn a_total_is_plain_v2_and_read_the_same_by_us_and_by_the_library() {
        let mut h = Histogram::new();
        [1, 5, 6, 2_047, 2_048, 85_300, 1_234_567, HIGHEST_NS]
            .iter()
            .zip(1..)
            .for_each(|(&ns, i)| h.add_n(ns, 1 << (5 * i)));
        let v2 = total(&h).unwrap().v2;
        let ours = plain_v2(&v2).unwrap();
        assert!(ours.buckets().eq(h.buckets()));
        assert!(ours.buckets().eq(Histogram::from_v2(&v2).unwrap().buckets()));
        assert_eq!(plain_v2(&v2[..v2.len() - 1]), None);
        assert_eq!(plain_v2(&h.to_v2(3).unwrap()), None);
    }
}
