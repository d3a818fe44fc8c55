//! MSR Cambridge traces (SNIA IOTTA 388): `Timestamp,Hostname,DiskNumber,Type,Offset,Size,
//! ResponseTime`. Windows file times (100 ns since 1601), bytes. A device is `Hostname.DiskNumber`.

use std::path::Path;

use super::TraceFormat;
use super::fields::{columns, in_units, whole};
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::Result;

const FILE_TIME: u64 = 100;

pub struct MsrCambridge;

impl TraceFormat for MsrCambridge {
    fn name(&self) -> &'static str {
        "MSR Cambridge"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        beginning.has(|line| row(line).is_ok())
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        lines::requests(file, sink, "Timestamp,", row)
    }
}

fn row(line: &str) -> Result<SourceRequest<'_>, String> {
    let [time, host, disk, kind, offset, length, _response] = columns(line)?;
    let kind = match () {
        () if kind.eq_ignore_ascii_case("read") => RequestKind::Read,
        () if kind.eq_ignore_ascii_case("write") => RequestKind::Write,
        () => return Err(format!("'{kind}' is neither Read nor Write")),
    };
    let at_ns = in_units(time, FILE_TIME, "time")?;
    let (offset, length) = (whole(offset, "offset")?, whole(length, "size")?);
    let device = format!("{host}.{}", whole(disk, "number of the disk")?);
    Ok(SourceRequest { at_ns, device: device.into(), kind, offset, length })
}
