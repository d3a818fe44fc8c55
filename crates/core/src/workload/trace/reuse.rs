//! What remapping changes: after how many other bytes a place of the trace is accessed again,
//! before and after.

use std::ops::ControlFlow;

use super::mapping::OffsetMapping;
use super::selection::Selection;
use crate::base::error::Result;
use crate::record::RemappedTrace;
use crate::trace::{Reader, Request, ReuseDistances};

/// Places are of this size.
const EXTENT_BYTES: u64 = 4096;

/// Requests that are looked at, from the start of the window on.
const MOST_REQUESTS: u64 = 1_000_000;

/// How the selected part of a trace is brought into a smaller space.
pub fn remapped(
    selection: &Selection,
    mapping: &OffsetMapping,
    reader: &mut Reader,
) -> Result<RemappedTrace> {
    let [mut before, mut after] = [(); 2].map(|()| ReuseDistances::new(EXTENT_BYTES));
    let mut left = MOST_REQUESTS;
    selection.each(reader, |taken| {
        before.add(&taken);
        after.add(&Request { device: 0, offset: mapping.place(&taken)?, ..taken });
        left -= 1;
        Ok(if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    let of = |share| [&before, &after].map(|distances| within(distances, share));
    Ok(RemappedTrace {
        stream: String::new(),
        how: selection.remap.name().to_string(),
        needed_bytes: mapping.needed_bytes,
        space_bytes: mapping.used_bytes,
        reuse_median_bytes: of(0.5),
        reuse_p90_bytes: of(0.9),
    })
}

/// The distance that this share of the accesses that come back stay below; 0 where none does.
fn within(distances: &ReuseDistances, share: f64) -> u64 {
    let buckets = distances.buckets();
    let all: f64 = buckets.iter().map(|bucket| bucket.share).sum();
    let mut sum = 0.0;
    let found = buckets.iter().find(|bucket| {
        sum += bucket.share;
        sum >= share * all
    });
    found.map_or(0, |bucket| bucket.below_bytes)
}
