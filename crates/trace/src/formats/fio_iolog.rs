//! fio iolog, versions 2 and 3 (HOWTO, "Trace file format"). Bytes; times in microseconds: version
//! 3 has one in each line, version 2 only `wait`, "relative to the previous wait statement", so
//! requests between two waits arrive at the same time.

use std::path::Path;

use arrayvec::ArrayVec;

use super::TraceFormat;
use super::fields::{in_units, whole};
use super::lines::{self, Beginning};
use super::parsed::{RequestSink, SourceRequest};
use crate::request::RequestKind;
use dyno_core::base::error::Result;

const MICROSECOND: u64 = 1000;

pub struct FioIolog;

impl TraceFormat for FioIolog {
    fn name(&self) -> &'static str {
        "fio iolog"
    }

    fn recognises(&self, beginning: &Beginning) -> bool {
        beginning.lines().first().is_some_and(|line| version(line).is_some())
    }

    fn read(&self, file: &Path, sink: &mut RequestSink) -> Result<()> {
        let (mut of_version, mut now_ns) = (0, 0u64);
        lines::each(file, lines::LONGEST, sink, |line, sink: &mut RequestSink| {
            if let Some(version) = version(line) {
                of_version = version;
                return Ok(None);
            }
            let parsed = match of_version {
                3 => with_time(line),
                _ => without_time(line, &mut now_ns),
            };
            match parsed {
                Err(reason) => Ok(Some(reason)),
                Ok(None) => Ok(None),
                Ok(Some(arrival)) => sink.take(&arrival),
            }
        })
    }
}

fn version(line: &str) -> Option<u32> {
    let rest = line.trim().strip_prefix("fio version ")?;
    rest.strip_suffix(" iolog")?.parse().ok().filter(|version| [2, 3].contains(version))
}

/// `timestamp filename action [offset length]`
fn with_time(line: &str) -> Result<Option<SourceRequest<'_>>, String> {
    let (time, rest) = line.split_once(' ').ok_or("it has no action")?;
    let at_ns = in_units(time, MICROSECOND, "time")?;
    action(&words(rest), at_ns)
}

/// `filename action [offset length]`; a wait advances the time.
fn without_time<'a>(line: &'a str, now_ns: &mut u64) -> Result<Option<SourceRequest<'a>>, String> {
    let words = words(line);
    if let [_, "wait", time, ..] = words[..] {
        let later = now_ns.checked_add(in_units(time, MICROSECOND, "time to wait")?);
        *now_ns = later.ok_or("the times to wait add up to more than 2^64 ns")?;
        return Ok(None);
    }
    action(&words, *now_ns)
}

/// Words of a request, plus one to detect excess words.
const MOST_WORDS: usize = 5;

fn words(line: &str) -> ArrayVec<&str, MOST_WORDS> {
    line.split_whitespace().take(MOST_WORDS).collect()
}

fn action<'a>(words: &[&'a str], at_ns: u64) -> Result<Option<SourceRequest<'a>>, String> {
    let (device, action, place) = match *words {
        [_, "add" | "open" | "close"] => return Ok(None),
        [device, action] => (device, action, None),
        [device, action, offset, length] => (device, action, Some((offset, length))),
        _ => return Err("it is neither 'file action' nor 'file action offset length'".into()),
    };
    let kind = match action {
        "read" => RequestKind::Read,
        "write" => RequestKind::Write,
        "trim" => RequestKind::Discard,
        "sync" | "datasync" => RequestKind::Flush,
        _ => return Err(format!("'{action}' is no action that can be replayed")),
    };
    let (offset, length) = match place {
        _ if kind == RequestKind::Flush => (0, 0),
        None => return Err("it has no offset and no length".into()),
        Some((offset, length)) => (whole(offset, "offset")?, whole(length, "length")?),
    };
    Ok(Some(SourceRequest { at_ns, device: device.into(), kind, offset, length }))
}
