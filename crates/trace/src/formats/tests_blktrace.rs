//! Records of blktrace as in its files and its pipe: of several processors, truncated, padded, and
//! mixed with other bytes.

use super::tests::{Made, compiled, source};
use crate::RequestKind::{Discard, Flush, Read, Write};
use crate::read_blktrace;

/// A `struct blk_io_trace` followed by `more` bytes of data.
fn record(big: bool, (time, sector, bytes): (u64, u64, u32), action: u32, more: u16) -> Vec<u8> {
    let device = (259u32 << 20) | 3;
    let mut out = Vec::new();
    let mut put = |bytes: &mut [u8]| {
        if big {
            bytes.reverse();
        }
        out.extend_from_slice(bytes);
    };
    put(&mut 0x6561_7407u32.to_le_bytes());
    put(&mut 1u32.to_le_bytes());
    put(&mut time.to_le_bytes());
    put(&mut sector.to_le_bytes());
    [bytes, action, 42, device, 0].iter().for_each(|n| put(&mut n.to_le_bytes()));
    put(&mut 0u16.to_le_bytes());
    put(&mut more.to_le_bytes());
    out.extend(vec![7; usize::from(more)]);
    out
}

const QUEUED_READ: u32 = 1 | (1 | 1 << 4) << 16;
const QUEUED_WRITE: u32 = 1 | (1 << 1 | 1 << 4) << 16;

#[test]
fn blktrace_files_of_all_processors_are_merged_by_time() {
    for big in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let discard = QUEUED_WRITE | 1 << (16 + 13);
        let preflush = QUEUED_WRITE | 1 << (16 + 2);
        let first = [
            record(big, (0, 0, 0), 1 | 1 << (16 + 10), 16),
            record(big, (10, 8, 4096), QUEUED_READ, 0),
            record(big, (11, 8, 4096), 4 | QUEUED_READ & !0xffff, 0),
            record(big, (30, 16, 512), QUEUED_WRITE, 3),
            record(big, (40, 0, 0), preflush, 0),
        ];
        let second =
            [record(big, (20, 24, 1 << 20), discard, 0), record(big, (35, 32, 512), preflush, 0)];
        std::fs::write(at("nvme0n1.blktrace.0"), first.concat()).unwrap();
        std::fs::write(at("nvme0n1.blktrace.1"), second.concat()).unwrap();
        std::fs::write(at("other.blktrace.0"), record(big, (1, 0, 512), QUEUED_READ, 0)).unwrap();
        let (compiled, rows) = compiled(&Made { source: at("nvme0n1.blktrace.1"), folder });
        assert_eq!((compiled.format, compiled.refusals.count), ("blktrace", 0));
        let rows: Vec<_> = rows.into_iter().map(|r| (r.0, r.2, r.3, r.4)).collect();
        let expected = [
            (0, Read, 4096, 4096),
            (10, Discard, 24 * 512, 1 << 20),
            (20, Write, 16 * 512, 512),
            (25, Flush, 0, 0),
            (25, Write, 32 * 512, 512),
            (30, Flush, 0, 0),
        ];
        assert_eq!(rows, expected);
        assert_eq!(compiled.summary.devices[0].name, "259,3");
    }
}

/// A read of sector `n` at `n` ns.
fn read_of(n: u64) -> Vec<u8> {
    record(false, (n, n, 4096), QUEUED_READ, 0)
}

/// A notification about a process, followed by its name.
fn note() -> Vec<u8> {
    record(false, (9, 0, 0), 1 << (16 + 10), 16)
}

/// The sectors of all requests parsed from a stream, and the refusals.
fn sectors(bytes: &[u8]) -> (Vec<u64>, Vec<String>) {
    let (compiled, rows) = compiled(&source(bytes));
    assert_eq!(compiled.summary.missing, compiled.refusals.count);
    (rows.into_iter().map(|row| row.3 / 512).collect(), compiled.refusals.lines())
}

#[test]
fn a_file_that_ends_within_a_record_keeps_those_before() {
    let whole = [read_of(1), read_of(2), note()].concat();
    for (end, reads, place) in [(150, 2, 96), (130, 2, 96), (60, 1, 48), (52, 1, 48)] {
        let (read, refused) = sectors(&whole[..end]);
        assert_eq!(read.len(), reads, "{end}");
        let says = format!("byte {place} of source: the file ends within a record");
        assert!(refused.len() == 1 && refused[0].starts_with(&says), "{end}: {refused:?}");
    }
}

/// For a kernel buffer without events, blktrace writes zeros: 4 MiB, rounded down to whole records
/// of 48 bytes. See `pass_over`.
#[test]
fn buffers_to_which_nothing_was_written_are_no_events() {
    for zeros in [1, 47, 48, 49, 4_194_288, 300_000] {
        let unused = vec![0; zeros];
        let records = [read_of(1), [read_of(2), note()].concat(), read_of(3), Vec::new()];
        let bytes = records.join(&unused[..]);
        assert_eq!(sectors(&bytes), (vec![1, 2, 3], Vec::new()), "{zeros}");
    }
}

#[test]
fn what_is_no_record_is_refused_and_the_records_behind_it_are_read() {
    for length in [1, 3, 4, 47, 48, 49, 300_000] {
        let other = vec![0x65; length];
        let (read, refused) = sectors(&[read_of(1), other.clone(), read_of(2), other].concat());
        assert_eq!(read, [1, 2], "{length}");
        let bytes = dyno_core::base::units::plural(length, "byte");
        let says = format!("of source: no record of blktrace's version 7 in {bytes}");
        assert!(refused.len() == 2 && refused.iter().all(|r| r.ends_with(&says)), "{refused:?}");
        assert!(refused[0].starts_with("byte 48 "), "{refused:?}");
    }
    // A record of another version.
    let mut other = read_of(2);
    other[0] = 8;
    assert_eq!(sectors(&[read_of(1), other, read_of(3)].concat()).0, [1, 3]);
}

#[test]
fn a_record_that_is_cut_by_another_is_lost_alone() {
    let cut = record(false, (2, 2, 4096), QUEUED_READ, 40);
    for end in 1..cut.len() {
        let cut = cut[..end].to_vec();
        let (read, refused) = sectors(&[read_of(1), cut, read_of(3), note(), read_of(4)].concat());
        // The fixed fields are complete if only the data after them is cut.
        match end < 48 {
            true => assert_eq!((read, refused.len()), (vec![1, 3, 4], 1), "{end}"),
            false => assert_eq!((read, refused.len()), (vec![1, 2, 3, 4], 0), "{end}"),
        }
    }
}

#[test]
fn records_of_one_processor_within_a_record_of_another_are_read() {
    let outer = record(false, (2, 2, 4096), QUEUED_READ, 40);
    for at in 1..outer.len() {
        let [begin, end] = [&outer[..at], &outer[at..]].map(<[u8]>::to_vec);
        let inner = [read_of(3), note(), read_of(4)].concat();
        let (read, refused) = sectors(&[read_of(1), begin, inner, end, read_of(5)].concat());
        let whole: Vec<u64> = read.iter().copied().filter(|sector| *sector != 2).collect();
        assert_eq!(whole, [1, 3, 4, 5], "{at}");
        assert!((1..=2).contains(&refused.len()), "{at}: {refused:?}");
    }
}

/// A pipe returns the bytes that are available at the time.
struct Pieces<'a> {
    bytes: &'a [u8],
    of: usize,
}

impl std::io::Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.of.min(buffer.len()).min(self.bytes.len());
        let (piece, more) = self.bytes.split_at(length);
        buffer[..length].copy_from_slice(piece);
        self.bytes = more;
        Ok(length)
    }
}

#[test]
fn a_pipe_is_read_to_its_end_whatever_its_pieces_are() {
    let folder = tempfile::tempdir().unwrap();
    let many: Vec<u8> = (0..500).flat_map(|n| [read_of(n), note()].concat()).collect();
    let bytes = [many, vec![0; 700], vec![7; 100], read_of(500)].concat();
    for of in [1, 47, 48, 49, 64, 4096, bytes.len()] {
        let mut pipe = Pieces { bytes: &bytes, of };
        let (_, compiled) = read_blktrace(&mut pipe, folder.path(), || Ok(5)).unwrap();
        assert!(pipe.bytes.is_empty(), "blktrace waits for its reader");
        assert_eq!((compiled.summary.requests, compiled.summary.missing), (501, 6), "{of}");
    }
}
