//! What blktrace writes: records `struct blk_io_trace` (linux/blktrace_api.h), one file for each
//! processor, `NAME.blktrace.0`, `NAME.blktrace.1` and so on, which belong together. Nanoseconds,
//! sectors of 512 bytes, of either byte order. A request arrives with its action Q (queued).

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::TraceFormat;
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::base::error::{Context, Result};
use crate::base::file;
use crate::trace::request::RequestKind;

const SECTOR: u64 = 512;
const RECORD_BYTES: usize = 48;
/// The version of records is the last byte.
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
        beginning.bytes.first_chunk().is_some_and(|record| Endian::of(record).is_some())
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

/// Reads records to the end of a file or a pipe.
pub fn records(reader: &mut dyn Read, name: &str, sink: &mut RequestSink) -> Result<()> {
    let mut place = 0u64;
    loop {
        let mut record = [0; RECORD_BYTES];
        let read = fill(reader, &mut record).with_context(|| format!("reading {name}"))?;
        let at = || format!("byte {place} of {name}");
        if read == 0 {
            return Ok(());
        }
        let Some(endian) = Endian::of(record[..4].try_into()?).filter(|_| read == RECORD_BYTES)
        else {
            // Where the next record would begin is not known.
            let reason = match read {
                RECORD_BYTES => "it is no record of blktrace's version 7; nothing is read on",
                _ => "the file ends within a record",
            };
            sink.as_mut().add(at, "", reason.to_string());
            return Ok(());
        };
        let record = Record { bytes: record, endian };
        for arrival in record.arrivals().into_iter().flatten() {
            let reason = match arrival {
                Err(reason) => Some(reason),
                Ok(arrival) => sink.take(&arrival.of(&record.device()))?,
            };
            if let Some(reason) = reason {
                sink.as_mut().add(at, "", reason);
            }
        }
        let more = u64::from(record.u16(46));
        let passed = std::io::copy(&mut (&mut *reader).take(more), &mut std::io::sink())?;
        if passed < more {
            sink.as_mut().add(at, "", "the file ends within a record".to_string());
        }
        place += RECORD_BYTES as u64 + passed;
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[derive(Clone, Copy)]
enum Endian {
    Little,
    Big,
}

impl Endian {
    fn of(magic: &[u8; 4]) -> Option<Endian> {
        let expected = MAGIC | VERSION;
        match () {
            () if u32::from_le_bytes(*magic) == expected => Some(Endian::Little),
            () if u32::from_be_bytes(*magic) == expected => Some(Endian::Big),
            () => None,
        }
    }
}

struct Record {
    bytes: [u8; RECORD_BYTES],
    endian: Endian,
}

/// An arrival whose device is still a number.
struct Unnamed {
    at_ns: u64,
    kind: RequestKind,
    offset: u64,
    length: u64,
}

impl Unnamed {
    fn of<'a>(&self, device: &'a str) -> SourceRequest<'a> {
        let Unnamed { at_ns, kind, offset, length } = *self;
        SourceRequest { at_ns, device: device.into(), kind, offset, length }
    }
}

impl Record {
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

    /// `major,minor`, as blkparse prints it (MINORBITS is 20).
    fn device(&self) -> String {
        let device = self.u32(36);
        format!("{},{}", device >> 20, device & 0xf_ffff)
    }

    /// A write with a flush before it is both.
    fn arrivals(&self) -> [Option<Result<Unnamed, String>>; 2] {
        let action = self.u32(28);
        if action & 0xffff != QUEUED || action & (NOTICE | NOT_OF_FILES) != 0 {
            return [None, None];
        }
        let (at_ns, length) = (self.u64(8), u64::from(self.u32(24)));
        let flush = Unnamed { at_ns, kind: RequestKind::Flush, offset: 0, length: 0 };
        let flush = (action & FLUSH != 0).then_some(Ok(flush));
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
        [flush, Some(offset.map(|offset| Unnamed { at_ns, kind, offset, length }))]
    }
}
