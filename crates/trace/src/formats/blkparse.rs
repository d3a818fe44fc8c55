//! The text of blkparse, in its default format (blkparse(1)): device, processor, sequence, time,
//! process, action, flags, sector and sectors, as in `8,0 3 1 0.000000000 697 Q WS 223490 + 8
//! [kjournald]`. Seconds, and sectors of 512 bytes. A request arrives with its action Q (queued);
//! all other actions, and the summary at the end, are skipped.

use std::path::Path;

use super::TraceFormat;
use super::fields::{in_units, seconds};
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::Result;

const SECTOR: u64 = 512;

pub struct Blkparse;

impl TraceFormat for Blkparse {
    fn name(&self) -> &'static str {
        "blkparse"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        beginning.has(|line| event(line).is_some_and(|event| seconds(event.time, "time").is_ok()))
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        lines::each(file, lines::LONGEST, sink, |line, sink: &mut RequestSink| {
            let Some(event) = event(line).filter(|event| event.action == "Q") else {
                return Ok(None);
            };
            let arrivals = match event.arrivals() {
                Err(reason) => return Ok(Some(reason)),
                Ok(arrivals) => arrivals,
            };
            for arrival in arrivals.iter().flatten() {
                if let Some(reason) = sink.take(arrival)? {
                    return Ok(Some(reason));
                }
            }
            Ok(None)
        })
    }
}

/// An event line: it starts with `major,minor cpu sequence time pid action rwbs`.
struct BlockEvent<'a> {
    device: &'a str,
    time: &'a str,
    action: &'a str,
    flags: &'a str,
    rest: [&'a str; 3],
}

fn event(line: &str) -> Option<BlockEvent<'_>> {
    let mut words = line.split_whitespace();
    let device = words.next()?;
    let (major, minor) = device.split_once(',')?;
    let number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    if !(number(major) && number(minor) && number(words.next()?) && number(words.next()?)) {
        return None;
    }
    let (time, _pid, action) = (words.next()?, words.next()?, words.next()?);
    let mut next = || words.next().unwrap_or("");
    Some(BlockEvent { device, time, action, flags: next(), rest: [next(), next(), next()] })
}

impl<'a> BlockEvent<'a> {
    /// A write with a preceding flush gives both requests.
    fn arrivals(&self) -> Result<[Option<SourceRequest<'a>>; 2], String> {
        let (at_ns, device) = (seconds(self.time, "time")?, self.device);
        let first = self.flags.chars().next();
        let flush = first == Some('F');
        let kind = match self.flags.trim_start_matches('F').chars().next() {
            Some('R') => Some(RequestKind::Read),
            Some('W') => Some(RequestKind::Write),
            Some('D') => Some(RequestKind::Discard),
            _ if flush => None,
            _ => return Err(format!("'{}' is neither R, W, D nor F", self.flags)),
        };
        let flush = flush.then_some(SourceRequest {
            at_ns,
            device: device.into(),
            kind: RequestKind::Flush,
            offset: 0,
            length: 0,
        });
        let [sector, plus, sectors] = self.rest;
        let moves = match kind {
            _ if flush.is_some() && plus != "+" => None,
            None => None,
            Some(_) if plus != "+" => return Err("it has no 'sector + sectors'".into()),
            Some(kind) => {
                let offset = in_units(sector, SECTOR, "sector")?;
                let length = in_units(sectors, SECTOR, "number of sectors")?;
                Some(SourceRequest { at_ns, device: device.into(), kind, offset, length })
            }
        };
        let empty = moves.as_ref().is_some_and(|moves| moves.length == 0) && flush.is_some();
        Ok([flush, moves.filter(|_| !empty)])
    }
}
