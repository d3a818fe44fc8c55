//! Effect of remapping on reuse distances: bytes accessed between two accesses to the same offset,
//! before and after.

use std::ops::ControlFlow;

use super::mapping::OffsetMapping;
use super::selection::Selection;
use crate::{Reader, Request, ReuseDistances};
use dyno_core::base::error::Result;
use dyno_core::record::RemappedTrace;

/// Extent size for reuse distances, bytes.
const EXTENT_BYTES: u64 = 4096;

/// Maximum number of requests examined, from the start of the window.
const MOST_REQUESTS: u64 = 1_000_000;

/// Describes the mapping of the selected part of a trace to a smaller space.
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

/// The distance below which this share of the repeated accesses lies; 0 if there are none.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{compiled, knobs, request, space};
    use crate::RequestKind;
    use crate::replay::Trace;
    use dyno_core::workload::Workload;

    const KIB: u64 = 1024;

    /// Two ranges of 64 extents are read alternately, three times. An extent is read again after
    /// the 127 others. If both ranges are mapped to one, it is read again after 0 or after the 63
    /// others.
    #[test]
    fn modulo_shortens_reuse_distances_where_places_meet_and_compaction_keeps_them() {
        let folder = tempfile::tempdir().unwrap();
        let places = (0..3 * 64).flat_map(|n| [n % 64 * 4 * KIB, 1024 * KIB + n % 64 * 4 * KIB]);
        let read = |(n, at)| request(n, 0, RequestKind::Read, at, 4096);
        let file = compiled(&folder, &(0..).zip(places).map(read).collect::<Vec<_>>());
        let of = |remap: &str| {
            let knobs = knobs(&file, json!({ "remap": remap }));
            Trace.remapped(&knobs, space(1 << 20)).unwrap().unwrap()
        };
        let (modulo, compact) = (of("modulo"), of("compact"));
        // Distances are upper bounds: powers of two of 4 KiB.
        assert_eq!(modulo.reuse_median_bytes, [512 * KIB, 4 * KIB]);
        assert_eq!(modulo.reuse_p90_bytes, [512 * KIB, 256 * KIB]);
        assert_eq!(compact.reuse_median_bytes, [512 * KIB; 2]);
        assert_eq!(compact.reuse_p90_bytes, [512 * KIB; 2]);
        assert_eq!((modulo.needed_bytes, compact.space_bytes), (1280 * KIB, 512 * KIB));
    }
}
