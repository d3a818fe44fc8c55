//! What formats hand on: requests by the name of their device, and refused lines with their reason.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use foldhash::fast::RandomState;

use crate::base::error::{Result, failed};
use crate::base::stderr::note;
use crate::base::text::visible;
use crate::trace::request::{MOST_DEVICES, Request, RequestKind};
use crate::trace::sort::Sorter;

/// Refused lines that are named.
const NAMED: usize = 10;
/// Characters of a refused line that are shown.
const SHOWN: usize = 80;

/// A line or record that is no request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// "line 12", or "byte 96" in a binary file.
    pub place: String,
    /// Its beginning.
    pub text: String,
    /// Why.
    pub reason: String,
}

/// What was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// The number of lines or records.
    pub count: u64,
    /// The first ten.
    pub first: Vec<Refused>,
    /// Events that the recorder lost before anyone could read them.
    pub lost: u64,
}

impl Refusals {
    /// One line for each of the first, and one for the others.
    pub fn lines(&self) -> Vec<String> {
        let named = |r: &Refused| match r.text.is_empty() {
            true => format!("{}: {}", r.place, r.reason),
            false => format!("{}: {}: {}", r.place, r.reason, visible(&r.text)),
        };
        let mut lines: Vec<String> = self.first.iter().map(named).collect();
        let others = self.count - self.first.len() as u64;
        if others > 0 {
            lines.push(format!("and {others} more"));
        }
        lines
    }

    /// Counts what is no request, and keeps the first.
    pub fn add(&mut self, place: impl FnOnce() -> String, text: &str, reason: String) {
        self.count += 1;
        if self.first.len() < NAMED {
            let text = text.chars().take(SHOWN).collect();
            self.first.push(Refused { place: place(), text, reason });
        }
    }

    /// States on standard error what of a source with so many requests was refused.
    pub fn note(&self, source: &Path, requests: u64) {
        if self.count > 0 {
            let (shown, count) = (source.display(), self.count);
            note(&format!("{shown}: {requests} requests read; {count} lines or records refused:"));
            self.lines().iter().for_each(|line| note(&format!("  {line}")));
        }
    }
}

/// One request as a source has it.
pub struct SourceRequest<'a> {
    /// Its time by the clock of the source.
    pub at_ns: u64,
    /// The name of its device.
    pub device: Cow<'a, str>,
    /// What it does.
    pub kind: RequestKind,
    /// Its first byte.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
}

/// Takes what a format reads.
pub struct RequestSink {
    sorter: Sorter,
    devices: HashMap<String, u16, RandomState>,
    refusals: Refusals,
}

impl RequestSink {
    /// A sink that sorts.
    pub fn new(sorter: Sorter) -> RequestSink {
        RequestSink { sorter, devices: HashMap::default(), refusals: Refusals::default() }
    }

    /// Takes a request; the reason where it cannot be one.
    pub fn take(&mut self, arrival: &SourceRequest) -> Result<Option<String>> {
        let Ok(length) = u32::try_from(arrival.length) else {
            return Ok(Some(format!("a length of {} bytes is beyond 2^32", arrival.length)));
        };
        let (at_ns, kind, offset) = (arrival.at_ns, arrival.kind, arrival.offset);
        let request = Request { at_ns, device: 0, kind, offset, length };
        if let Some(fault) = request.fault() {
            return Ok(Some(fault.to_string()));
        }
        let name = &*arrival.device;
        let device = match self.devices.get(name) {
            Some(device) => *device,
            None if self.devices.len() == MOST_DEVICES => {
                let what = format!("the trace has more than {MOST_DEVICES} devices");
                return Err(failed(what, "keep the lines of fewer devices"));
            }
            None => {
                let device = self.devices.len() as u16;
                self.sorter.add_device(name);
                self.devices.insert(name.to_string(), device);
                device
            }
        };
        self.sorter.push(Request { device, ..request })?;
        Ok(None)
    }

    /// Counts events that the recorder lost.
    pub fn lose(&mut self, events: u64) {
        self.refusals.lost += events;
    }

    /// What came.
    pub fn into_parts(self) -> (Sorter, Refusals) {
        (self.sorter, self.refusals)
    }
}

impl AsMut<Refusals> for RequestSink {
    fn as_mut(&mut self) -> &mut Refusals {
        &mut self.refusals
    }
}
