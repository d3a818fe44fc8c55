//! The ends of a compiled file: the signature at its start, and the summary and index at its end,
//! which are known only after all requests are written.
//!
//! ```text
//! "DYNTRACE", u32 version, u32 zero
//! blocks
//! footer: u32 bytes of the summary, the summary as JSON,
//!         for each block: u64 place, u64 time of its first request, u32 requests
//! u64 place of the footer, u64 its bytes, u64 its XXH3, "DYNTREND"
//! ```

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::block::{BLOCK_REQUESTS, HEADER_BYTES};
use super::request::{MOST_DEVICES, Request, RequestKind};
use dyno_core::base::error::{Context, Result, bail, ensure};
use dyno_core::base::file;

const MAGIC: &[u8; 8] = b"DYNTRACE";
const END: &[u8; 8] = b"DYNTREND";
const VERSION: u32 = 1;
/// Size of the header before the first block, bytes.
pub const OPENING_BYTES: u64 = 16;
const ENDING_BYTES: u64 = 32;
const ENTRY_BYTES: usize = 20;
/// Maximum size of the footer, bytes: the index of 5 × 10^10 requests.
const MOST_FOOTER_BYTES: u64 = 256 << 20;

/// Totals of the requests of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindTotal {
    /// Number of requests.
    pub requests: u64,
    /// Total bytes.
    pub bytes: u64,
    /// Length of the longest request, bytes.
    pub longest: u32,
}

impl KindTotal {
    /// Adds a request.
    pub fn add(&mut self, request: &Request) {
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(u64::from(request.length));
        self.longest = self.longest.max(request.length);
    }
}

/// One device of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceDevice {
    /// Name of the device in the source.
    pub name: String,
    /// Number of requests to it.
    pub requests: u64,
    /// First byte after the highest one accessed: the minimum size of a device for the replay.
    pub end: u64,
}

/// Summary of a trace, available without reading its requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The time of the first request by the clock of the source, in ns.
    pub origin_ns: u64,
    /// Time from the first request to the last, in ns.
    pub span_ns: u64,
    /// Number of requests of all kinds to all devices.
    pub requests: u64,
    /// Totals by kind, in the order of `RequestKind::ALL`.
    pub kinds: [KindTotal; 4],
    /// Table of devices, indexed by `Request::device`.
    pub devices: Vec<TraceDevice>,
    /// Number of requests that are known to be missing: refused lines and events lost by the
    /// recorder.
    pub missing: u64,
}

impl Summary {
    /// Totals of one kind.
    pub fn of(&self, kind: RequestKind) -> KindTotal {
        self.kinds[kind as usize]
    }

    /// Bytes read, written and discarded.
    pub fn bytes(&self) -> u64 {
        self.kinds.iter().map(|total| total.bytes).fold(0, u64::saturating_add)
    }

    /// Adds a request, which must not be earlier than the previous one.
    pub fn add(&mut self, request: &Request) {
        if self.requests == 0 {
            self.origin_ns = request.at_ns;
        }
        self.span_ns = request.at_ns - self.origin_ns;
        self.requests += 1;
        self.kinds[request.kind as usize].add(request);
        if let Some(device) = self.devices.get_mut(usize::from(request.device)) {
            device.requests += 1;
            device.end = device.end.max(request.end());
        }
    }
}

/// Position and start time of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPlace {
    pub place: u64,
    pub first_ns: u64,
    pub requests: u32,
}

/// Whether a file starts with the signature of a compiled trace.
pub fn is_compiled(path: &Path) -> bool {
    let mut begin = [0; 8];
    file::open(path).is_ok_and(|file| file.read_exact_at(&mut begin, 0).is_ok()) && &begin == MAGIC
}

pub fn opening() -> [u8; OPENING_BYTES as usize] {
    let mut bytes = [0; OPENING_BYTES as usize];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes
}

/// The footer, which starts at `place`, and the fields after it.
pub fn ending(summary: &Summary, index: &[BlockPlace], place: u64) -> Result<Vec<u8>> {
    let text = serde_json::to_vec(summary).context("writing the summary of a trace")?;
    let mut footer = (text.len() as u32).to_le_bytes().to_vec();
    footer.extend(text);
    for block in index {
        footer.extend(block.place.to_le_bytes());
        footer.extend(block.first_ns.to_le_bytes());
        footer.extend(block.requests.to_le_bytes());
    }
    let (bytes, checksum) = (footer.len() as u64, XxHash3_64::oneshot(&footer));
    footer.extend([place, bytes, checksum].iter().flat_map(|word| word.to_le_bytes()));
    footer.extend(END);
    Ok(footer)
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    let found = bytes.get(at..).unwrap_or_default();
    let length = found.len().min(8);
    word[..length].copy_from_slice(&found[..length]);
    u64::from_le_bytes(word)
}

/// The summary and the index of a compiled file.
pub fn read_ends(file: &File) -> Result<(Summary, Vec<BlockPlace>)> {
    let size = file.metadata().context("looking at its size")?.len();
    ensure!(size >= OPENING_BYTES + ENDING_BYTES, "it is too short: it was truncated");
    let mut begin = [0; OPENING_BYTES as usize];
    file.read_exact_at(&mut begin, 0).context("reading its beginning")?;
    ensure!(&begin[..8] == MAGIC, "it does not begin as a compiled trace does");
    let version = word(&begin, 8);
    ensure!(version == u64::from(VERSION), "it has version {version}, and this Dyno reads 1");
    let mut end = [0; ENDING_BYTES as usize];
    file.read_exact_at(&mut end, size - ENDING_BYTES).context("reading its end")?;
    ensure!(&end[24..] == END, "it has no end mark: it was truncated");
    let (place, bytes) = (word(&end, 0), word(&end, 8));
    let whole = place >= OPENING_BYTES && place.checked_add(bytes) == Some(size - ENDING_BYTES);
    ensure!(whole, "its end mark names a place that does not exist");
    ensure!(bytes <= MOST_FOOTER_BYTES, "its summary and index take more than 256 MiB");
    let mut footer = vec![0; usize::try_from(bytes)?];
    file.read_exact_at(&mut footer, place).context("reading its summary")?;
    ensure!(XxHash3_64::oneshot(&footer) == word(&end, 16), "the checksum of its end is another");
    parse_footer(&footer, place)
}

fn parse_footer(footer: &[u8], place: u64) -> Result<(Summary, Vec<BlockPlace>)> {
    let text = word(footer, 0) as u32 as usize;
    let Some(text_and_index) = footer.get(4..).filter(|rest| text <= rest.len()) else {
        bail!("its summary is longer than its end");
    };
    let (text, index) = text_and_index.split_at(text);
    let summary: Summary = serde_json::from_slice(text).context("reading its summary")?;
    ensure!(index.len().is_multiple_of(ENTRY_BYTES), "its index ends within an entry");
    let index: Vec<BlockPlace> = index
        .chunks_exact(ENTRY_BYTES)
        .map(|entry| BlockPlace {
            place: word(entry, 0),
            first_ns: word(entry, 8),
            requests: word(entry, 16) as u32,
        })
        .collect();
    let ends = index.iter().skip(1).map(|next| next.place).chain([place]);
    let mut from = OPENING_BYTES;
    for (block, end) in index.iter().zip(ends) {
        let room = block.place == from && end >= from + HEADER_BYTES as u64;
        let some = (1..=BLOCK_REQUESTS as u32).contains(&block.requests);
        ensure!(room && some, "its index names a block that cannot be");
        from = end;
    }
    let ordered = index.is_sorted_by_key(|block| block.first_ns);
    let requests: u64 = index.iter().map(|block| u64::from(block.requests)).sum();
    ensure!(ordered && requests == summary.requests, "its index and its summary differ");
    let first_ns = index.first().map_or(summary.origin_ns, |block| block.first_ns);
    ensure!(first_ns == summary.origin_ns, "its index and its summary differ");
    ensure!(from == place, "its blocks end before its summary begins");
    ensure!(summary.devices.len() <= MOST_DEVICES, "it has more devices than can be");
    Ok((summary, index))
}
