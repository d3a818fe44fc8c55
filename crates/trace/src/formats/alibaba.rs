//! Alibaba block traces (github.com/alibaba/block-traces): `device_id,opcode,offset,length,
//! timestamp`. Bytes, microseconds.

use std::path::Path;

use super::TraceFormat;
use super::fields::{columns, in_units, whole};
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::Result;

const MICROSECOND: u64 = 1000;

pub struct Alibaba;

impl TraceFormat for Alibaba {
    fn name(&self) -> &'static str {
        "Alibaba block traces"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        beginning.has(|line| row(line).is_ok())
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        lines::requests(file, sink, "device_id,", row)
    }
}

fn row(line: &str) -> Result<SourceRequest<'_>, String> {
    let [device, kind, offset, length, time] = columns(line)?;
    let kind = match kind {
        "R" => RequestKind::Read,
        "W" => RequestKind::Write,
        _ => return Err(format!("'{kind}' is neither R nor W")),
    };
    whole(device, "number of the device")?;
    let at_ns = in_units(time, MICROSECOND, "time")?;
    let (offset, length) = (whole(offset, "offset")?, whole(length, "length")?);
    Ok(SourceRequest { at_ns, device: device.into(), kind, offset, length })
}
