//! Tencent cloud block storage traces (SNIA IOTTA 27917): `Timestamp,Offset,Size,IOType, VolumeID`.
//! Seconds, sectors of 512 bytes; type 0 reads, 1 writes. Requests of one second arrive at its
//! start, because the source has no finer times.

use std::path::Path;

use super::TraceFormat;
use super::fields::{columns, in_units, seconds, whole};
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::Result;

const SECTOR: u64 = 512;

pub struct Tencent;

impl TraceFormat for Tencent {
    fn name(&self) -> &'static str {
        "Tencent block storage"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        beginning.has(|line| row(line).is_ok())
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        lines::requests(file, sink, "Timestamp,", row)
    }
}

fn row(line: &str) -> Result<SourceRequest<'_>, String> {
    let [time, offset, length, kind, device] = columns(line)?;
    let kind = match kind {
        "0" => RequestKind::Read,
        "1" => RequestKind::Write,
        _ => return Err(format!("type '{kind}' is neither 0 (read) nor 1 (write)")),
    };
    whole(device, "number of the volume")?;
    let at_ns = seconds(time, "time")?;
    let offset = in_units(offset, SECTOR, "offset")?;
    let length = in_units(length, SECTOR, "size")?;
    Ok(SourceRequest { at_ns, device: device.into(), kind, offset, length })
}
