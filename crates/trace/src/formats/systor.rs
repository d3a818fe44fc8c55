//! Traces of SYSTOR '17 (SNIA IOTTA 4928), an enterprise's virtual desktops:
//! `Timestamp,Response,IOType,LUN,Offset,Size`. Seconds since 1970, bytes. Lines with a blank type
//! are refused, because they state no request.

use std::path::Path;

use super::TraceFormat;
use super::fields::{columns, seconds, whole};
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::Result;

pub struct Systor;

impl TraceFormat for Systor {
    fn name(&self) -> &'static str {
        "SYSTOR '17"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        beginning.has(|line| row(line).is_ok())
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        lines::requests(file, sink, "Timestamp,", row)
    }
}

fn row(line: &str) -> Result<SourceRequest<'_>, String> {
    let [time, _response, kind, unit, offset, length] = columns(line)?;
    let kind = match kind {
        "R" => RequestKind::Read,
        "W" => RequestKind::Write,
        "" => return Err("its type is blank".to_string()),
        _ => return Err(format!("'{kind}' is neither R nor W")),
    };
    whole(unit, "number of the LUN")?;
    let at_ns = seconds(time, "time")?;
    let (offset, length) = (whole(offset, "offset")?, whole(length, "size")?);
    Ok(SourceRequest { at_ns, device: unit.into(), kind, offset, length })
}
