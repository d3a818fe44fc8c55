//! Reads a compiled trace as a stream: one block in memory, from any time on, as often as wanted.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::block::{BlockDecoder, BlockHead, HEADER_BYTES, MOST_BYTES};
use super::layout::{BlockPlace, Summary, read_ends};
use super::request::Request;
use crate::base::error::{Context, Error, Result, ensure, failed};
use crate::base::file;

/// A compiled trace, open.
pub struct Reader {
    path: PathBuf,
    file: File,
    summary: Summary,
    index: Vec<BlockPlace>,
    /// The block to be read next.
    next: usize,
    decoder: BlockDecoder,
    bytes: Vec<u8>,
    requests: Vec<Request>,
    /// The request of `requests` to be given next.
    given: usize,
}

impl Reader {
    /// Opens a compiled file and checks its ends; blocks are checked as they are read.
    pub fn open(path: &Path) -> Result<Reader> {
        Reader::over(file::open(path)?, path)
    }

    /// `open` for a file that is open; `path` stands in errors.
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

    /// What the trace holds.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Continues with the first request that is `at_ns` or later since the first of the trace; 0
    /// begins again.
    pub fn seek_to(&mut self, at_ns: u64) -> Result<()> {
        let by_source = self.summary.origin_ns.saturating_add(at_ns);
        // Requests of that very time may end the block before the first that begins with it.
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

    /// The next request; none behind the last.
    pub fn next_request(&mut self) -> Result<Option<Request>> {
        if self.given == self.requests.len() {
            self.load()?;
        }
        let request = self.requests.get(self.given).copied();
        self.given += usize::from(request.is_some());
        Ok(request)
    }

    /// The next requests, at most those of a block (4,096), in place of what `requests` held; none
    /// behind the last.
    pub fn next_requests(&mut self, requests: &mut Vec<Request>) -> Result<()> {
        if self.given == self.requests.len() {
            self.load()?;
        }
        requests.clear();
        requests.extend_from_slice(&self.requests[self.given..]);
        self.given = self.requests.len();
        Ok(())
    }

    /// Reads the next block; behind the last there are no requests.
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
