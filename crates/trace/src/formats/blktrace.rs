//! Output of blktrace: records `struct blk_io_trace` (linux/blktrace_api.h), one file for each
//! processor, `NAME.blktrace.0`, `NAME.blktrace.1` and so on, which together are one trace.
//! Nanoseconds, sectors of 512 bytes, of either byte order. A request arrives with its action Q
//! (queued).

use std::io::Read;
use std::path::{Path, PathBuf};

use super::TraceFormat;
use super::byte_window::{ByteWindow, WINDOW_BYTES};
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::{Context, Result};
use dyno_core::base::{file, units};

const SECTOR: u64 = 512;
const RECORD_BYTES: usize = 48;
const MAGIC_BYTES: usize = 4;
/// The last byte is the version of the records.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
/// `__BLK_TA_QUEUE`
const QUEUED: u32 = 1;
/// `BLK_TC_WRITE`, `BLK_TC_FLUSH`, `BLK_TC_PC`, `BLK_TC_NOTIFY` and `BLK_TC_DISCARD`.
const WRITE: u32 = 1 << (16 + 1);
const FLUSH: u32 = 1 << (16 + 2);
const NOT_OF_FILES: u32 = 1 << (16 + 9);
const NOTICE: u32 = 1 << (16 + 10);
const DISCARD: u32 = 1 << (16 + 13);

pub struct Blktrace;

impl TraceFormat for Blktrace {
    fn name(&self) -> &'static str {
        "blktrace"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        Endian::of(&beginning.bytes).is_some()
    }

    fn files(&self, named: &Path) -> Result<Vec<PathBuf>> {
        let name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let number = |name: &str| {
            let (base, number) = name.rsplit_once(".blktrace.")?;
            number.parse::<u32>().ok().map(|number| (base.to_string(), number))
        };
        let Some((base, _)) = number(&name) else { return Ok(vec![named.to_path_buf()]) };
        let entries = std::fs::read_dir(file::folder_of(named))
            .with_context(|| format!("looking for the other files of {}", named.display()))?;
        let mut files: Vec<(u32, PathBuf)> = entries
            .flatten()
            .filter_map(|entry| {
                let (of, number) = number(&entry.file_name().to_string_lossy())?;
                (of == base).then(|| (number, entry.path()))
            })
            .collect();
        files.sort();
        Ok(files.into_iter().map(|(_, path)| path).collect())
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        records(&mut lines::raw(file)?, &name, sink)
    }
}

/// Reads records to the end of a file or a pipe. Skips bytes between records that are not a record,
/// and skips a record that is cut by the start of another one.
pub fn records(reader: &mut dyn Read, name: &str, sink: &mut RequestSink) -> Result<()> {
    let mut window = ByteWindow::new(reader, WINDOW_BYTES / 2);
    let reading = || format!("reading {name}");
    loop {
        let bytes = window.ahead(RECORD_BYTES).with_context(reading)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let Some(record) = Record::of(bytes) else {
            pass_over(&mut window, name, sink).with_context(reading)?;
            continue;
        };
        let place = window.place();
        let at = || format!("byte {place} of {name}");
        let whole = record.whole_bytes();
        let bytes = window.ahead(whole + MAGIC_BYTES).with_context(reading)?;
        let (own, there) = (cut_bytes(bytes, whole), bytes.len());
        window.pass(own.min(there));
        if own < RECORD_BYTES {
            sink.as_mut().add(at, "", "another record begins within it".to_string());
            continue;
        }
        for arrival in record.arrivals().into_iter().flatten() {
            let reason = match arrival {
                Err(reason) => Some(reason),
                Ok(arrival) => sink.take(&arrival)?,
            };
            if let Some(reason) = reason {
                sink.as_mut().add(at, "", reason);
            }
        }
        if there < own {
            sink.as_mut().add(at, "", ENDS_WITHIN.to_string());
        }
    }
}

const ENDS_WITHIN: &str = "the file ends within a record";

/// Available length of the record at the start of `bytes`, whose header states `whole` bytes: less
/// if the next record starts earlier, because then the end of this one is missing.
fn cut_bytes(bytes: &[u8], whole: usize) -> usize {
    let within = &bytes[MAGIC_BYTES..bytes.len().min(whole + MAGIC_BYTES - 1)];
    match bytes.get(whole..) {
        Some(next) if Endian::of(next).is_some() => whole,
        _ => next_record(within).map_or(whole, |at| MAGIC_BYTES + at),
    }
}

/// Offset of the next record.
fn next_record(bytes: &[u8]) -> Option<usize> {
    bytes.windows(MAGIC_BYTES).position(|magic| Endian::of(magic).is_some())
}

/// Skips bytes up to the next record. Zeros are not reported as refused: if tracing is stopped, the
/// kernel may let blktrace read a buffer to which no event was written, because `relay_flush`
/// counts a buffer as full before it moves on to the next (kernel/relay.c, `relay_switch_subbuf`
/// and `relay_file_read_subbuf_avail`).
fn pass_over(
    window: &mut ByteWindow<'_>,
    name: &str,
    sink: &mut RequestSink,
) -> std::io::Result<()> {
    let place = window.place();
    // A record starts here only if the file ends within it.
    let is_cut = Endian::of(window.ahead(MAGIC_BYTES)?).is_some();
    let (mut has_events, mut from) = (false, 1);
    loop {
        let bytes = window.ahead(from + MAGIC_BYTES)?;
        let has_ended = bytes.len() < from + MAGIC_BYTES;
        let found = next_record(&bytes[from.min(bytes.len())..]).map(|at| from + at);
        let passed = match found {
            Some(at) => at,
            None if has_ended => bytes.len(),
            None => bytes.len() - (MAGIC_BYTES - 1),
        };
        has_events |= bytes[..passed].iter().any(|byte| *byte != 0);
        window.pass(passed);
        if found.is_some() || has_ended {
            break;
        }
        from = 0;
    }
    if has_events {
        let passed = units::plural((window.place() - place) as usize, "byte");
        let reason = match is_cut {
            true => ENDS_WITHIN.to_string(),
            false => format!("no record of blktrace's version {VERSION} in {passed}"),
        };
        sink.as_mut().add(|| format!("byte {place} of {name}"), "", reason);
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Endian {
    Little,
    Big,
}

impl Endian {
    /// Byte order of the record at the start of `bytes`; None if there is no record.
    fn of(bytes: &[u8]) -> Option<Endian> {
        let (magic, expected) = (*bytes.first_chunk()?, MAGIC | VERSION);
        match () {
            () if u32::from_le_bytes(magic) == expected => Some(Endian::Little),
            () if u32::from_be_bytes(magic) == expected => Some(Endian::Big),
            () => None,
        }
    }
}

struct Record {
    bytes: [u8; RECORD_BYTES],
    endian: Endian,
}

impl Record {
    /// Parses the record at the start of `bytes`, without the data after it.
    fn of(bytes: &[u8]) -> Option<Record> {
        Some(Record { bytes: *bytes.first_chunk()?, endian: Endian::of(bytes)? })
    }

    /// Length of the record, including the data after it.
    fn whole_bytes(&self) -> usize {
        RECORD_BYTES + usize::from(self.u16(46))
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[at..at + N]);
        if matches!(self.endian, Endian::Big) {
            bytes.reverse();
        }
        bytes
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.array(at))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.array(at))
    }

    /// `major,minor`, as printed by blkparse (MINORBITS is 20).
    fn device(&self) -> String {
        let device = self.u32(36);
        format!("{},{}", device >> 20, device & 0xf_ffff)
    }

    /// A write with a preceding flush gives both requests.
    fn arrivals(&self) -> [Option<Result<SourceRequest<'static>, String>>; 2] {
        let action = self.u32(28);
        if action & 0xffff != QUEUED || action & (NOTICE | NOT_OF_FILES) != 0 {
            return [None, None];
        }
        let (at_ns, length) = (self.u64(8), u64::from(self.u32(24)));
        let of = |kind, offset, length| {
            let device = self.device().into();
            SourceRequest { at_ns, device, kind, offset, length }
        };
        let flush = (action & FLUSH != 0).then(|| Ok(of(RequestKind::Flush, 0, 0)));
        if length == 0 && flush.is_some() {
            return [flush, None];
        }
        let kind = match () {
            () if action & DISCARD != 0 => RequestKind::Discard,
            () if action & WRITE != 0 => RequestKind::Write,
            () => RequestKind::Read,
        };
        let sector = self.u64(16);
        let offset = sector.checked_mul(SECTOR);
        let offset = offset.ok_or_else(|| format!("sector {sector} is beyond 2^64 bytes"));
        [flush, Some(offset.map(|offset| of(kind, offset, length)))]
    }
}
