//! Data without a known signature: plain dm-crypt, a raw archive, a filesystem without its first
//! superblock. It is detected by non-zero bytes at both ends, where superblocks have their backups,
//! and at many positions in between. A new, trimmed or zero-filled device has none. A checksum of
//! the same positions recognises the state after a run.
//!
//! The device itself is read, bypassing the page cache, because the data may have been written by
//! another path: through the file under a loop device or from another host.

use std::fs::{File, OpenOptions};
use std::hash::Hasher;
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use twox_hash::XxHash3_64;

use crate::base::block_seal::{self, SECTOR};
use crate::base::error::{Context, Result, failed};

/// A plan's permission to erase such data: `erase = "unknown data"`.
pub const UNKNOWN: &str = "unknown data";

/// Size of the ranges at both ends that are examined completely, bytes: headers and their backups
/// are there.
const END_BYTES: u64 = 1 << 20;
/// Number of evenly spaced samples in between.
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

/// The examined positions and their lengths.
fn places(bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = END_BYTES.min(bytes);
    let mut places: Vec<(u64, u64)> = vec![(0, end), (bytes - end, end)];
    // Direct I/O starts at a multiple of any logical block.
    let backup = |at: u64| (at / PLACE_BYTES * PLACE_BYTES, PLACE_BYTES);
    places.extend(BACKUPS.map(backup));
    let step = (bytes / PLACES).max(PLACE_BYTES) / PLACE_BYTES * PLACE_BYTES;
    places.extend((0..PLACES).map(|i| (i * step, PLACE_BYTES)));
    let within = places.into_iter().filter(move |(at, _)| *at < bytes);
    within.map(move |(at, length)| (at, length.min(bytes - at)))
}

/// The position of the first non-zero byte among those examined.
pub fn found(device: &Path, bytes: u64) -> Result<Option<u64>> {
    let mut first = None;
    each(device, bytes, &mut |at, data| {
        let offset = data.iter().position(|byte| *byte != 0);
        first = offset.map(|offset| at + offset as u64);
        first.is_none()
    })?;
    Ok(first)
}

/// Whether every examined sector has contents that Dyno writes.
pub fn is_dynos(device: &Path, bytes: u64) -> Result<bool> {
    let mut own = true;
    each(device, bytes, &mut |_, data| {
        own = data.chunks_exact(SECTOR).all(block_seal::is_dynos);
        own
    })?;
    Ok(own)
}

/// A checksum of the size and of all bytes examined.
pub fn checksum(device: &Path, bytes: u64) -> Result<String> {
    let mut hash = XxHash3_64::with_seed(bytes);
    each(device, bytes, &mut |_, data| {
        hash.write(data);
        true
    })?;
    Ok(format!("{:016x}", hash.finish()))
}

/// Reads the positions in order, until `visit` returns false.
fn each(device: &Path, bytes: u64, visit: &mut dyn FnMut(u64, &[u8]) -> bool) -> Result<()> {
    let opened = |flags| OpenOptions::new().read(true).custom_flags(flags).open(device);
    let buffered = || opened(0).context("opening the device to examine its contents");
    let mut file: File = opened(libc::O_DIRECT).or_else(|_| buffered())?;
    let mut memory = vec![0; (END_BYTES + PLACE_BYTES) as usize];
    let aligned = memory.as_ptr().align_offset(PLACE_BYTES as usize);
    for (at, length) in places(bytes) {
        let buffer = &mut memory[aligned..][..length as usize];
        let mut read = file.read_exact_at(buffer, at);
        if read.as_ref().is_err_and(|error| error.kind() == ErrorKind::InvalidInput) {
            file = buffered()?;
            read = file.read_exact_at(buffer, at);
        }
        read.map_err(|error| {
            let what =
                format!("its contents cannot be determined: reading at byte {at} failed: {error}");
            failed(what, "look at `dmesg`; a drive that cannot be read is not one to measure")
        })?;
        if !visit(at, buffer) {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 256 << 20;

    fn disk() -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().set_len(SIZE).expect("made");
        file
    }

    #[test]
    fn a_change_of_any_examined_byte_changes_the_checksum_and_its_undoing_restores_it() {
        let disk = disk();
        let sum = || checksum(disk.path(), SIZE).expect("read");
        let blank = sum();
        for at in [0, 700_001, SIZE / 2, (128 << 20) + 56, SIZE - 1] {
            disk.as_file().write_all_at(&[1], at).expect("written");
            assert_ne!(sum(), blank, "at {at}");
            assert_eq!(found(disk.path(), SIZE).expect("read"), Some(at));
            disk.as_file().write_all_at(&[0], at).expect("written");
        }
        assert_eq!(sum(), blank);
        assert_ne!(checksum(disk.path(), SIZE / 2).expect("read"), blank, "another size");
    }

    #[test]
    fn data_longer_than_the_distance_of_two_samples_are_found_wherever_they_lie() {
        let (disk, step) = (disk(), SIZE / PLACES);
        for at in [2 << 20, (100 << 20) + 12_345, SIZE - (3 << 20)] {
            let data = vec![7; (step + PLACE_BYTES) as usize];
            disk.as_file().write_all_at(&data, at).expect("written");
            assert!(found(disk.path(), SIZE).expect("read").is_some(), "at {at}");
            disk.as_file().write_all_at(&vec![0; data.len()], at).expect("written");
        }
    }
}
