//! Scan of the replayed part of a trace before the load: the capabilities that engines need, the
//! size of buffers, and the range that would be written. Results are cached for later points.

use std::fs::File;
use std::hash::Hasher;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use twox_hash::XxHash3_64;

use super::compaction::Compaction;
use super::selection::{Remap, Selection};
use crate::{KindTotal, Reader, Request, RequestKind};
use dyno_core::base::error::{Context, Result, failed};
use dyno_core::base::units;
use dyno_core::workload::last_few::LastFew;

/// Maximum length of a replayed read or write, bytes: each slot of the queue has a buffer for it.
const LONGEST_BYTES: u32 = 256 << 20;

/// Approximate number of points of a figure of arrivals over time.
const MOST_ARRIVALS: u64 = 600;

/// Maximum unit that is considered, bytes: larger ones make no difference.
const MOST_UNIT: u64 = 1 << 20;

/// Result of the scan.
#[derive(Debug)]
pub struct Survey {
    /// Totals by kind, in the order of `RequestKind::ALL`.
    pub kinds: [KindTotal; 4],
    /// The last request's time since the start of the window.
    pub last_ns: u64,
    /// First byte after the highest one accessed, by device of the trace.
    pub ends: Vec<u64>,
    /// Greatest power of two, up to `MOST_UNIT`, that divides all offsets and lengths, bytes.
    pub unit_bytes: u64,
    /// Checksum of all requests and their times.
    pub checksum: u64,
    /// Width of a bin of `arrivals`, nanoseconds.
    pub arrivals_every_ns: u64,
    /// Number of requests per bin, from the start of the window.
    pub arrivals: Vec<u64>,
    /// Accessed extents, if the address space is compacted.
    pub touched: Option<Compaction>,
}

/// Key of a survey: the identity of the compiled file, and the selected part.
type SurveyKey = (u64, u64, i64, i64, Selection);

static KNOWN: LastFew<SurveyKey, Survey> = LastFew::new(8);

/// Scans the selected part, or returns the result of an earlier scan.
pub fn survey(selection: &Selection, reader: &mut Reader) -> Result<Arc<Survey>> {
    KNOWN.get(key(selection, reader.file())?, || look(selection, reader))
}

fn key(selection: &Selection, file: &File) -> Result<SurveyKey> {
    let found = file.metadata().context("looking at the compiled trace")?;
    Ok((found.dev(), found.ino(), found.mtime(), found.mtime_nsec(), selection.clone()))
}

fn look(selection: &Selection, reader: &mut Reader) -> Result<Survey> {
    let end_ns = selection.end_ns.min(reader.summary().span_ns);
    let window_ns = end_ns.saturating_sub(selection.start_ns);
    let mut survey = Survey {
        kinds: Default::default(),
        last_ns: 0,
        ends: vec![0; reader.summary().devices.len()],
        unit_bytes: MOST_UNIT,
        checksum: 0,
        arrivals_every_ns: (window_ns / MOST_ARRIVALS).max(1_000_000_000),
        arrivals: Vec::new(),
        touched: (selection.remap == Remap::Compact).then(Compaction::default),
    };
    let mut bits = survey.unit_bytes;
    let mut hasher = XxHash3_64::new();
    selection.each(reader, |taken| {
        bits |= taken.offset | u64::from(taken.length);
        for word in words(&taken, selection.start_ns) {
            hasher.write(&word.to_le_bytes());
        }
        survey.add(&taken, selection.start_ns)?;
        Ok(ControlFlow::Continue(()))
    })?;
    survey.unit_bytes = 1 << bits.trailing_zeros();
    survey.checksum = hasher.finish();
    survey.touched.iter_mut().for_each(Compaction::number);
    survey.check(selection)?;
    Ok(survey)
}

/// A request as three words, for the checksum.
fn words(request: &Request, start_ns: u64) -> [u64; 3] {
    let rest = u64::from(request.device) << 48 | (request.kind as u64) << 32;
    [request.at_ns - start_ns, request.offset, rest | u64::from(request.length)]
}

impl Survey {
    fn add(&mut self, request: &Request, start_ns: u64) -> Result<()> {
        self.kinds[request.kind as usize].add(request);
        self.last_ns = request.at_ns - start_ns;
        let place = (self.last_ns / self.arrivals_every_ns) as usize;
        if place >= self.arrivals.len() {
            self.arrivals.resize(place + 1, 0);
        }
        self.arrivals[place] += 1;
        if let Some(end) = self.ends.get_mut(usize::from(request.device)) {
            *end = (*end).max(request.end());
        }
        match &mut self.touched {
            Some(touched) if request.length > 0 => {
                touched.touch(request.device, request.offset, request.length)
            }
            _ => Ok(()),
        }
    }

    fn check(&self, selection: &Selection) -> Result<()> {
        let file = selection.file.display();
        if self.requests() == 0 {
            return Err(failed(
                format!("no request of the trace {file} is selected"),
                "look at its times and devices with `dyno trace info`; change start, end, device \
                 or ops",
            ));
        }
        let longest = self.longest_moved();
        if longest > LONGEST_BYTES {
            let limit = units::bytes(u64::from(LONGEST_BYTES));
            return Err(failed(
                format!("the trace {file} has a read or write of {longest} bytes"),
                format!("requests of up to {limit} are replayed: leave it out of the window"),
            ));
        }
        Ok(())
    }

    /// Number of requests of all kinds.
    pub fn requests(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.requests).sum()
    }

    /// Totals of one kind.
    pub fn of(&self, kind: RequestKind) -> KindTotal {
        self.kinds[kind as usize]
    }

    /// Length of the longest request that transfers data, bytes.
    pub fn longest_moved(&self) -> u32 {
        self.of(RequestKind::Read).longest.max(self.of(RequestKind::Write).longest)
    }

    /// Length of the longest request, bytes.
    pub fn longest(&self) -> u32 {
        self.kinds.iter().map(|kind| kind.longest).max().unwrap_or(0)
    }
}
