//! Traces in the format of the Storage Performance Council, as in the UMass Trace Repository
//! (Financial, WebSearch): `ASU,LBA,Size,Opcode,Timestamp`, and optional fields after them. Sectors
//! of 512 bytes, bytes, seconds. A device is an application-specific unit (ASU).

use std::path::Path;

use super::TraceFormat;
use super::fields::{in_units, seconds, whole};
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::Result;

const SECTOR: u64 = 512;

pub struct Spc;

impl TraceFormat for Spc {
    fn name(&self) -> &'static str {
        "SPC trace"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        beginning.has(|line| row(line).is_ok())
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        lines::requests(file, sink, "ASU,", row)
    }
}

fn row(line: &str) -> Result<SourceRequest<'_>, String> {
    let mut fields = line.split(',').map(str::trim);
    let mut next = || fields.next().ok_or("it has fewer than 5 columns");
    let [unit, offset, length, kind, time] = [next()?, next()?, next()?, next()?, next()?];
    let kind = match kind {
        "R" | "r" => RequestKind::Read,
        "W" | "w" => RequestKind::Write,
        _ => return Err(format!("'{kind}' is neither R nor W")),
    };
    whole(unit, "number of the unit")?;
    let at_ns = seconds(time, "time")?;
    let (offset, length) = (in_units(offset, SECTOR, "address")?, whole(length, "size")?);
    Ok(SourceRequest { at_ns, device: unit.into(), kind, offset, length })
}
