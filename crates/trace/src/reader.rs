//! Reads a compiled trace as a stream with one block in memory. Reading may start at any time of
//! the trace and may be repeated.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::block::{BlockDecoder, BlockHead, HEADER_BYTES, MOST_BYTES};
use super::layout::{BlockPlace, Summary, read_ends};
use super::request::Request;
use dyno_core::base::error::{Context, Error, Result, ensure, failed};
use dyno_core::base::file;

/// An open compiled trace.
pub struct Reader {
    path: PathBuf,
    file: File,
    summary: Summary,
    index: Vec<BlockPlace>,
    /// Index of the next block to read.
    next: usize,
    decoder: BlockDecoder,
    bytes: Vec<u8>,
    requests: Vec<Request>,
    /// Index in `requests` of the next request to return.
    given: usize,
}

impl Reader {
    /// Opens a compiled file and checks its header and footer. Blocks are checked when they are
    /// read.
    pub fn open(path: &Path) -> Result<Reader> {
        Reader::over(file::open(path)?, path)
    }

    /// Like `open`, for a file that is already open; `path` is used in error messages.
    pub fn over(file: File, path: &Path) -> Result<Reader> {
        let (summary, index) = read_ends(&file).map_err(|error| unreadable(path, &error))?;
        Ok(Reader {
            path: path.to_path_buf(),
            file,
            summary,
            index,
            next: 0,
            decoder: BlockDecoder::default(),
            bytes: Vec::new(),
            requests: Vec::new(),
            given: 0,
        })
    }

    /// The compiled file itself.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Summary of the trace.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Moves to the first request at or after `at_ns`, in ns since the first request of the trace;
    /// 0 is the start.
    pub fn seek_to(&mut self, at_ns: u64) -> Result<()> {
        let by_source = self.summary.origin_ns.saturating_add(at_ns);
        // Requests of exactly this time may be the last of the block before the first block that
        // starts with it.
        let behind = self.index.partition_point(|block| block.first_ns < by_source);
        self.next = behind.saturating_sub(1);
        self.load()?;
        while !self.requests.is_empty() {
            self.given = self.requests.partition_point(|request| request.at_ns < at_ns);
            if self.given < self.requests.len() {
                break;
            }
            self.load()?;
        }
        Ok(())
    }

    /// Returns the next request, or None at the end.
    pub fn next_request(&mut self) -> Result<Option<Request>> {
        if self.given == self.requests.len() {
            self.load()?;
        }
        let request = self.requests.get(self.given).copied();
        self.given += usize::from(request.is_some());
        Ok(request)
    }

    /// Replaces the contents of `requests` by the next requests, at most one block (4,096); empty
    /// at the end.
    pub fn next_requests(&mut self, requests: &mut Vec<Request>) -> Result<()> {
        if self.given == self.requests.len() {
            self.load()?;
        }
        requests.clear();
        requests.extend_from_slice(&self.requests[self.given..]);
        self.given = self.requests.len();
        Ok(())
    }

    /// Reads the next block; there are no requests after the last block.
    fn load(&mut self) -> Result<()> {
        self.requests.clear();
        self.given = 0;
        let Some(block) = self.index.get(self.next).copied() else { return Ok(()) };
        let number = self.next + 1;
        self.next = number;
        self.load_block(&block).map_err(|error| {
            let place = format!("block {number} at byte {}: {error:#}", block.place);
            unreadable(&self.path, &Error::msg(place))
        })
    }

    fn load_block(&mut self, block: &BlockPlace) -> Result<()> {
        let mut head = [0; HEADER_BYTES];
        self.file.read_exact_at(&mut head, block.place).context("reading it")?;
        let head = BlockHead::parse(&head);
        let as_indexed = (head.requests, head.first_ns) == (block.requests, block.first_ns);
        ensure!(as_indexed && head.bytes as usize <= MOST_BYTES, "it is not what the index says");
        self.bytes.resize(head.bytes as usize, 0);
        let place = block.place + HEADER_BYTES as u64;
        self.file.read_exact_at(&mut self.bytes, place).context("reading it")?;
        let devices = self.summary.devices.len();
        self.decoder.decode(&head, &self.bytes, devices, &mut self.requests)?;
        for request in &mut self.requests {
            request.at_ns -= self.summary.origin_ns;
        }
        Ok(())
    }
}

fn unreadable(path: &Path, error: &Error) -> Error {
    let what = format!("cannot read the compiled trace {}: {error:#}", path.display());
    failed(what, "compile the trace again from its source (docs/trace.md)")
}
