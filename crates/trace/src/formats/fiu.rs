//! Traces of Florida International University (SNIA IOTTA 390 and 391: mail, homes, web-vm and
//! others): time, process id, process, sector, sectors, W or R, major and minor number of the
//! device, digest of the data. Nanoseconds, sectors of 512 bytes.

use std::path::Path;

use super::TraceFormat;
use super::fields::{in_units, whole};
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::Result;

const SECTOR: u64 = 512;

pub struct Fiu;

impl TraceFormat for Fiu {
    fn name(&self) -> &'static str {
        "FIU"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        beginning.has(|line| row(line).is_ok())
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        lines::requests(file, sink, "[", row)
    }
}

fn row(line: &str) -> Result<SourceRequest<'_>, String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    // A process may have blanks in its name, and a line without digests none at its end.
    let Some(at) = fields.iter().rposition(|field| ["W", "R"].contains(field)) else {
        return Err("it has neither W nor R".to_string());
    };
    let (true, [major, minor, digests @ ..]) = (at >= 5, &fields[at + 1..]) else {
        return Err("a column is missing".to_string());
    };
    if digests.len() > 1 {
        return Err("it has more than 9 columns".to_string());
    }
    let kind = if fields[at] == "W" { RequestKind::Write } else { RequestKind::Read };
    whole(fields[1], "number of the process")?;
    let device = format!("{},{}", whole(major, "major number")?, whole(minor, "minor number")?);
    let at_ns = whole(fields[0], "time")?;
    let offset = in_units(fields[at - 2], SECTOR, "sector")?;
    let length = in_units(fields[at - 1], SECTOR, "size")?;
    Ok(SourceRequest { at_ns, device: device.into(), kind, offset, length })
}
