//! Compaction of a trace's address space: the extents that the trace accesses are moved together in
//! order, and all others are left out. Adjacent extents stay adjacent, so sequential runs and hot
//! areas do not change.

use std::collections::HashMap;

use dyno_core::base::error::{Result, failed};

/// Unit of relocation, bytes: small enough to leave out most of the unused space, large enough to
/// keep neighbouring requests together.
pub const EXTENT_BYTES: u64 = 64 << 10;

/// Extents per word of the map.
const WORD: u64 = u64::BITS as u64;

/// Maximum number of words of the map: 256 TiB of a dense trace, and about 800 MB of memory for a
/// sparse one.
const MOST_WORDS: usize = 1 << 24;

/// Accessed extents. They have positions after `number` is called.
#[derive(Clone, Debug, Default)]
pub struct Compaction {
    /// Words by device and word number: a bit for each extent, and the number of extents before the
    /// word.
    words: HashMap<u64, (u64, u64)>,
    extents: u64,
}

/// The key of a word of the map: the device above bit 42, the word's index on the device below it.
fn key(device: u16, extent: u64) -> u64 {
    (u64::from(device) << 42) | (extent / WORD)
}

impl Compaction {
    /// Marks these bytes of a device as accessed.
    pub fn touch(&mut self, device: u16, offset: u64, length: u32) -> Result<()> {
        let last = (offset + u64::from(length).max(1) - 1) / EXTENT_BYTES;
        let mut extent = offset / EXTENT_BYTES;
        while extent <= last {
            let within = extent % WORD;
            let many = (last - extent + 1).min(WORD - within);
            let bits = if many == WORD { u64::MAX } else { ((1 << many) - 1) << within };
            self.words.entry(key(device, extent)).or_default().0 |= bits;
            extent += many;
        }
        if self.words.len() > MOST_WORDS {
            return Err(failed(
                "the trace's offsets are too scattered to be compacted",
                "use remap = \"modulo\", or a window of the trace",
            ));
        }
        Ok(())
    }

    /// Numbers the accessed extents in the order of devices and offsets.
    pub fn number(&mut self) {
        let mut keys: Vec<u64> = self.words.keys().copied().collect();
        keys.sort_unstable();
        self.extents = 0;
        for key in keys {
            if let Some((bits, before)) = self.words.get_mut(&key) {
                *before = self.extents;
                self.extents += u64::from(bits.count_ones());
            }
        }
    }

    /// Total size of the accessed extents, bytes.
    pub fn bytes(&self) -> u64 {
        self.extents * EXTENT_BYTES
    }

    /// Position of an accessed offset; None if it is not accessed.
    pub fn place(&self, device: u16, offset: u64) -> Option<u64> {
        let extent = offset / EXTENT_BYTES;
        let (bits, before) = self.words.get(&key(device, extent))?;
        let bit = 1u64 << (extent % WORD);
        let rank = before + u64::from((bits & (bit - 1)).count_ones());
        (bits & bit != 0).then_some(rank * EXTENT_BYTES + offset % EXTENT_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(touched: &[(u16, u64, u32)]) -> Compaction {
        let mut all = Compaction::default();
        touched.iter().try_for_each(|(d, at, len)| all.touch(*d, *at, *len)).unwrap();
        all.number();
        all
    }

    #[test]
    fn extents_move_together_and_neighbours_stay_neighbours() {
        let far = 1u64 << 40;
        let map = of(&[(0, far, 4096), (0, 0, 4096), (1, 512, 512), (0, far + 60_000, 100_000)]);
        assert_eq!(map.bytes(), 5 * EXTENT_BYTES);
        assert_eq!(map.place(0, 100), Some(100));
        assert_eq!(map.place(0, far), Some(EXTENT_BYTES));
        assert_eq!(map.place(0, far + 60_000 + 99_999), Some(EXTENT_BYTES + 159_999));
        assert_eq!(map.place(1, 512), Some(4 * EXTENT_BYTES + 512));
        assert_eq!(map.place(0, EXTENT_BYTES), None);
    }

    proptest! {
        #[test]
        fn no_two_bytes_share_a_place_and_all_lie_inside(
            touched in proptest::collection::vec(
                (0u16..3, 0u64..(1 << 45), 1u32..(1 << 20)), 1..50),
        ) {
            let map = of(&touched);
            let mut places: Vec<u64> = Vec::new();
            for (device, at, len) in &touched {
                let (first, last) = (at / EXTENT_BYTES, (at + u64::from(*len) - 1) / EXTENT_BYTES);
                let from = map.place(*device, *at).unwrap();
                let end = at + u64::from(*len) - 1;
                prop_assert_eq!(map.place(*device, end), Some(from + u64::from(*len) - 1));
                prop_assert!(from + u64::from(*len) <= map.bytes());
                places.extend((first..=last).map(|extent| {
                    map.place(*device, extent * EXTENT_BYTES).unwrap()
                }));
            }
            places.sort_unstable();
            places.dedup();
            prop_assert_eq!(places.len() as u64 * EXTENT_BYTES, map.bytes());
        }
    }
}
