//! Traces of VMware's vSCSI layer, as published by CloudPhysics: records of 32 bytes (version 1) or
//! 40 (version 2), little-endian, as libCacheSim reads them (traceReader, vscsi.h). Microseconds,
//! sectors of 512 bytes, bytes. Only reads, writes and flushes (SYNCHRONIZE CACHE) are requests.

use std::path::Path;

use super::TraceFormat;
use super::byte_window::{ByteWindow, WINDOW_BYTES};
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::{Context, Result};

const SECTOR: u64 = 512;
const MICROSECOND: u64 = 1000;

pub struct Vscsi;

/// Where a version has its fields.
struct RecordLayout {
    version: u16,
    bytes: usize,
    command: usize,
    version_at: usize,
    length: usize,
    sector: usize,
    time: usize,
}

const LAYOUTS: [RecordLayout; 2] = [
    RecordLayout {
        version: 1,
        bytes: 32,
        command: 12,
        version_at: 14,
        length: 4,
        sector: 16,
        time: 24,
    },
    RecordLayout {
        version: 2,
        bytes: 40,
        command: 0,
        version_at: 2,
        length: 8,
        sector: 16,
        time: 24,
    },
];

impl TraceFormat for Vscsi {
    fn name(&self) -> &'static str {
        "vSCSI (CloudPhysics)"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        layout_of(&beginning.bytes).is_some()
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        let reading = || format!("reading {}", file.display());
        let Some(layout) = layout_of(&lines::beginning(file)?.bytes) else { return Ok(()) };
        let mut source = lines::open(file)?;
        let mut window = ByteWindow::new(&mut *source, WINDOW_BYTES / 2);
        loop {
            let bytes = window.ahead(layout.bytes).with_context(reading)?;
            if bytes.is_empty() {
                return Ok(());
            }
            let (there, arrival) = (bytes.len(), layout.arrival(bytes));
            let place = window.place();
            window.pass(layout.bytes.min(there));
            let reason = match arrival {
                Ok(Some(arrival)) => sink.take(&arrival)?,
                Ok(None) => None,
                Err(reason) => Some(reason),
            };
            if let Some(reason) = reason {
                sink.as_mut().add(|| format!("byte {place}"), "", reason);
            }
        }
    }
}

/// The layout of the records at the start of a file: the first two have the version and a command
/// of SCSI that is known.
fn layout_of(bytes: &[u8]) -> Option<&'static RecordLayout> {
    LAYOUTS.iter().find(|layout| {
        let records = bytes.chunks_exact(layout.bytes).take(2);
        records.len() > 0 && bytes.chunks_exact(layout.bytes).take(2).all(|r| layout.fits(r))
    })
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut own = [0; N];
    own.copy_from_slice(&bytes[at..at + N]);
    own
}

impl RecordLayout {
    /// The minor version is in the low byte.
    fn fits(&self, record: &[u8]) -> bool {
        u16::from_le_bytes(number(record, self.version_at)) >> 8 == self.version
    }

    /// None for a command that is not a request.
    fn arrival(&self, bytes: &[u8]) -> Result<Option<SourceRequest<'static>>, String> {
        let Some(record) = bytes.get(..self.bytes) else {
            return Err("the file ends within a record".to_string());
        };
        if !self.fits(record) {
            return Err(format!("it is not a record of version {}", self.version));
        }
        let kind = match u16::from_le_bytes(number(record, self.command)) {
            // READ and WRITE of 6, 10, 12 and 16 bytes.
            0x08 | 0x28 | 0xa8 | 0x88 => RequestKind::Read,
            0x0a | 0x2a | 0xaa | 0x8a => RequestKind::Write,
            // SYNCHRONIZE CACHE of 10 and 16 bytes.
            0x35 | 0x91 => RequestKind::Flush,
            _ => return Ok(None),
        };
        let time = u64::from_le_bytes(number(record, self.time));
        let sector = u64::from_le_bytes(number(record, self.sector));
        let at_ns = time.checked_mul(MICROSECOND);
        let at_ns = at_ns.ok_or_else(|| format!("the time {time} is too large"))?;
        let (offset, length) = match kind {
            RequestKind::Flush => (Some(0), 0),
            _ => {
                let length = u32::from_le_bytes(number(record, self.length));
                (sector.checked_mul(SECTOR), u64::from(length))
            }
        };
        let offset = offset.ok_or_else(|| format!("sector {sector} is beyond 2^64 bytes"))?;
        Ok(Some(SourceRequest { at_ns, device: "disk".into(), kind, offset, length }))
    }
}
