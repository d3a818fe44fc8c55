//! How histograms are kept: in the HdrHistogram V2 format, with what that format lacks in columns beside it.
//!
//! A point's totals keep three digits. Its intervals are hundreds of times as many, and the noise in their counts does
//! not compress, so they keep one, which is 16 buckets to an octave, and are read back at the middle of a bucket: an
//! interval's latencies are right to 3.2 %.

use rusqlite::Row;

use crate::base::error::{Context, Result};
use crate::base::histogram::Histogram;

/// log2 of the buckets that an octave has in the format with one digit.
const KEPT_BITS: u32 = 4;

/// A histogram's columns.
pub(super) struct Columns {
    pub v2: Vec<u8>,
    pub sum_ns: i64,
    pub min_ns: Option<i64>,
    pub max_ns: i64,
    pub overflow: i64,
}

/// A point's total, every count in its place.
pub(super) fn total(histogram: &Histogram) -> Result<Columns> {
    Ok(columns(histogram, histogram.to_v2(3)?))
}

/// An interval's.
pub(super) fn interval(histogram: &Histogram) -> Result<Columns> {
    Ok(columns(histogram, histogram.to_v2(1)?))
}

fn columns(histogram: &Histogram, v2: Vec<u8>) -> Columns {
    use super::schema::signed;
    Columns {
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
        centred.add_n(ns & !(width - 1) | width / 2, n);
    }
    centred
}

/// Reads the columns from `first` on: V2, sum, maximum, overflow and, where `min` says so, the minimum after these.
pub(super) fn read(row: &Row<'_>, first: usize, min: bool) -> Result<Option<Histogram>> {
    let Some(v2) = row.get_ref(first)?.as_blob_or_null().context("a histogram's column")? else { return Ok(None) };
    let mut histogram = Histogram::from_v2(v2)?;
    if !min {
        histogram = centred(&histogram);
    }
    histogram.sum_ns = count(row, first + 1)?;
    histogram.max_ns = count(row, first + 2)?;
    histogram.overflow = count(row, first + 3)?;
    histogram.count = histogram.count.saturating_add(histogram.overflow);
    if min {
        histogram.min_ns = row.get::<_, Option<i64>>(first + 4)?.map_or(u64::MAX, |n| n.max(0) as u64);
    } else if histogram.count > 0 {
        histogram.min_ns = histogram.min_ns.min(histogram.max_ns);
    }
    Ok(Some(histogram))
}

/// A column that counts something.
pub(super) fn count<T: TryFrom<i64>>(row: &Row<'_>, column: usize) -> Result<T> {
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
            let told = back.quantile_ns(0.5).unwrap();
            assert!(told.abs_diff(ns) as f64 <= ns as f64 / 31.0, "{ns} ns is read as {told} ns");
            assert_eq!(back.count, 7);
        }
    }
}
