//! Output of the trace parsers: requests with the name of their device, and refused lines with the
//! reason.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use foldhash::fast::RandomState;

use crate::request::{MOST_DEVICES, Request, RequestKind};
use crate::sort::Sorter;
use dyno_core::base::error::{Result, failed};
use dyno_core::base::stderr::note;
use dyno_core::base::text::visible;

/// Maximum number of refused lines that are listed.
const NAMED: usize = 10;
/// Maximum number of characters of a refused line that are shown.
const SHOWN: usize = 80;

/// A line or record that is not a valid request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// "line 12", or "byte 96" of a binary file.
    pub place: String,
    /// The start of the line.
    pub text: String,
    /// Reason of the refusal.
    pub reason: String,
}

/// Refused lines or records of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// Number of refused lines or records.
    pub count: u64,
    /// The first ten of them.
    pub first: Vec<Refused>,
    /// Number of events that the recorder lost before they could be read.
    pub lost: u64,
}

impl Refusals {
    /// One line of text for each of the first, and one for the rest.
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

    /// Counts a refused line or record, and stores it if it is one of the first.
    pub fn add(&mut self, place: impl FnOnce() -> String, text: &str, reason: String) {
        self.count += 1;
        if self.first.len() < NAMED {
            let text = text.chars().take(SHOWN).collect();
            self.first.push(Refused { place: place(), text, reason });
        }
    }

    /// Reports the refused lines of a source with `requests` requests on standard error.
    pub fn note(&self, source: &Path, requests: u64) {
        if self.count > 0 {
            let (shown, count) = (source.display(), self.count);
            note(&format!("{shown}: {requests} requests read; {count} lines or records refused:"));
            self.lines().iter().for_each(|line| note(&format!("  {line}")));
        }
    }
}

/// One request as parsed from the source.
pub struct SourceRequest<'a> {
    /// Arrival time by the clock of the source, in ns.
    pub at_ns: u64,
    /// Name of the device.
    pub device: Cow<'a, str>,
    /// Type of the request.
    pub kind: RequestKind,
    /// Offset on the device, bytes.
    pub offset: u64,
    /// Length, bytes.
    pub length: u64,
}

/// Receives the requests that a format parses.
pub struct RequestSink {
    sorter: Sorter,
    devices: HashMap<String, u16, RandomState>,
    refusals: Refusals,
}

impl RequestSink {
    /// Creates a sink that sorts its requests.
    pub fn new(sorter: Sorter) -> RequestSink {
        RequestSink { sorter, devices: HashMap::default(), refusals: Refusals::default() }
    }

    /// Adds a request. Returns the reason if it is not valid.
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

    /// The sorted requests, and the refusals.
    pub fn into_parts(self) -> (Sorter, Refusals) {
        (self.sorter, self.refusals)
    }
}

impl AsMut<Refusals> for RequestSink {
    fn as_mut(&mut self) -> &mut Refusals {
        &mut self.refusals
    }
}
