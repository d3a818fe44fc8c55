//! Data without a known signature: plain dm-crypt, a raw archive, a filesystem without its first
//! superblock. It is detected by non-zero bytes at both ends, where superblocks have their backups,
//! and at many places in between. A new, trimmed or zero-filled device has none.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::base::error::{Result, failed};

/// A plan's permission to erase such data: `erase = "unknown data"`.
pub const UNKNOWN: &str = "unknown data";

/// Examined completely at both ends, where headers and their backups are.
const END_BYTES: u64 = 1 << 20;
/// Samples evenly spread in between.
const PLACES: u64 = 2048;
const PLACE_BYTES: u64 = 4096;
/// ext4's superblock backups, in block groups of 128 MiB, and those with 1 KiB blocks.
const BACKUPS: [u64; 10] = [
    128 << 20,
    3 * (128 << 20),
    5 * (128 << 20),
    7 * (128 << 20),
    9 * (128 << 20),
    25 * (128 << 20),
    27 * (128 << 20),
    8193 << 10,
    24577 << 10,
    40961 << 10,
];

/// The position of the first non-zero byte among those examined.
pub fn found(device: &File, bytes: u64) -> Result<Option<u64>> {
    let end = END_BYTES.min(bytes);
    let mut places: Vec<(u64, u64)> = vec![(0, end), (bytes - end, end)];
    places.extend(BACKUPS.map(|at| (at, PLACE_BYTES)));
    let step = (bytes / PLACES).max(PLACE_BYTES) / PLACE_BYTES * PLACE_BYTES;
    places.extend((0..PLACES).map(|i| (i * step, PLACE_BYTES)));
    let mut buffer = vec![0; END_BYTES as usize];
    for (at, length) in places.into_iter().filter(|(at, _)| *at < bytes) {
        let buffer = &mut buffer[..length.min(bytes - at) as usize];
        device.read_exact_at(buffer, at).map_err(|error| {
            let what =
                format!("its contents cannot be determined: reading at byte {at} failed: {error}");
            failed(what, "look at `dmesg`; a drive that cannot be read is not one to measure")
        })?;
        if let Some(offset) = buffer.iter().position(|byte| *byte != 0) {
            return Ok(Some(at + offset as u64));
        }
    }
    Ok(None)
}
