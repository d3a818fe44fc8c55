//! The part of a drive that a stream uses: the whole dataset, or one of several equal slices, for
//! neighbours that share a drive. Written `target = "namespace:2/6"`: the second of six.

use serde::{Deserialize, Serialize};

use crate::plan::syntax::fields;
use crate::plan::syntax::mistakes::Mistakes;
use crate::plan::syntax::node::Node;

/// More than any controller has namespaces.
const MOST: u32 = 1024;

/// Slices begin at multiples of this if they are large enough, so that no page or flash block is
/// shared.
const UNIT_BYTES: u64 = 1 << 20;
/// Otherwise at multiples of this.
const LEAST_UNIT_BYTES: u64 = 4096;

/// Number `index` (from 1) of `of` equal slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSlice {
    /// Index of the slice, from 1.
    pub index: u32,
    /// Number of slices; 1 is the whole dataset.
    pub of: u32,
}

impl Default for PlannedSlice {
    fn default() -> PlannedSlice {
        PlannedSlice { index: 1, of: 1 }
    }
}

impl PlannedSlice {
    /// Whether it is the whole dataset.
    pub fn is_whole(&self) -> bool {
        self.of <= 1
    }

    /// Start and length of the slice, of `bytes` in total. All slices have the same length.
    pub fn range(&self, bytes: u64) -> (u64, u64) {
        if self.is_whole() {
            return (0, bytes);
        }
        let even = bytes / u64::from(self.of);
        let unit = if even >= UNIT_BYTES { UNIT_BYTES } else { LEAST_UNIT_BYTES };
        let len = even / unit * unit;
        (len * u64::from(self.index.saturating_sub(1)), len)
    }
}

/// Reads "namespace:2/6".
pub fn target(node: &Node, log: &mut Mistakes) -> Option<PlannedSlice> {
    let written = fields::text(node, log)?;
    let parts = written.strip_prefix("namespace:").and_then(|rest| rest.split_once('/'));
    let numbers =
        parts.and_then(|(index, of)| Some((index.trim().parse().ok()?, of.trim().parse().ok()?)));
    match numbers {
        Some((index, of)) if (1..=of).contains(&index) && of <= MOST => {
            Some(PlannedSlice { index, of })
        }
        _ => {
            let message = format!("'{written}' is not a part of a drive");
            log.note(
                node.at,
                message,
                "not a target",
                "write namespace:INDEX/COUNT, as in \"namespace:1/6\"",
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_equal_lie_side_by_side_and_stay_inside() {
        for (bytes, of) in [(6 << 30, 6), ((1 << 30) + 12_345, 7), (100_000, 3)] {
            let ranges: Vec<_> =
                (1..=of).map(|index| PlannedSlice { index, of }.range(bytes)).collect();
            for (i, (from, len)) in ranges.iter().enumerate() {
                assert!(*len > 0 && len.is_multiple_of(4096));
                assert_eq!((*from, *len), (i as u64 * ranges[0].1, ranges[0].1));
                assert!(from + len <= bytes);
            }
        }
        assert_eq!(PlannedSlice::default().range(12_345), (0, 12_345));
    }
}
