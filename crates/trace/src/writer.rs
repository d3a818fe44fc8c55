//! Writes a compiled trace as a stream, with one block in memory and twenty bytes per written
//! block.

use std::collections::HashMap;
use std::io::Write;

use super::block::{BLOCK_REQUESTS, encode_block};
use super::layout::{BlockPlace, OPENING_BYTES, Summary, TraceDevice, ending, opening};
use super::request::{MOST_DEVICES, Request};
use dyno_core::base::error::{Context, Result, bail, ensure};

/// A compiled trace that is being written to `out`.
pub struct Writer<W: Write> {
    out: W,
    summary: Summary,
    names: HashMap<String, u16>,
    requests: Vec<Request>,
    index: Vec<BlockPlace>,
    bytes: Vec<u8>,
    place: u64,
}

impl<W: Write> Writer<W> {
    /// Starts a trace.
    pub fn new(mut out: W) -> Result<Writer<W>> {
        out.write_all(&opening()).context("writing a compiled trace")?;
        Ok(Writer {
            out,
            summary: Summary::default(),
            names: HashMap::new(),
            requests: Vec::with_capacity(BLOCK_REQUESTS),
            index: Vec::new(),
            bytes: Vec::new(),
            place: OPENING_BYTES,
        })
    }

    /// The index of a device, which is added to the table on first use.
    pub fn device(&mut self, name: &str) -> Result<u16> {
        if let Some(index) = self.names.get(name) {
            return Ok(*index);
        }
        let index = self.summary.devices.len();
        ensure!(index < MOST_DEVICES, "a trace has at most {MOST_DEVICES} devices");
        self.summary.devices.push(TraceDevice { name: name.to_string(), ..Default::default() });
        self.names.insert(name.to_string(), index as u16);
        Ok(index as u16)
    }

    /// Adds a request, which must not be earlier than the previous one.
    pub fn push(&mut self, request: &Request) -> Result<()> {
        if let Some(fault) = request.fault() {
            bail!("a request at {} ns cannot be: {fault}", request.at_ns);
        }
        let last_ns = self.summary.origin_ns + self.summary.span_ns;
        let ordered = self.summary.requests == 0 || request.at_ns >= last_ns;
        ensure!(ordered, "a request at {} ns follows one at {last_ns} ns", request.at_ns);
        let known = usize::from(request.device) < self.summary.devices.len();
        ensure!(known, "device {} is not in the table", request.device);
        self.summary.add(request);
        self.requests.push(*request);
        if self.requests.len() == BLOCK_REQUESTS {
            self.write_block()?;
        }
        Ok(())
    }

    /// Counts requests that are missing from the trace.
    pub fn add_missing(&mut self, requests: u64) {
        self.summary.missing += requests;
    }

    fn write_block(&mut self) -> Result<()> {
        let Some(first) = self.requests.first() else { return Ok(()) };
        let requests = self.requests.len() as u32;
        self.index.push(BlockPlace { place: self.place, first_ns: first.at_ns, requests });
        self.bytes.clear();
        encode_block(&self.requests, &mut self.bytes);
        self.requests.clear();
        self.out.write_all(&self.bytes).context("writing a compiled trace")?;
        self.place += self.bytes.len() as u64;
        Ok(())
    }

    /// Writes the remaining requests and the summary.
    pub fn finish(mut self) -> Result<(W, Summary)> {
        self.write_block()?;
        let end = ending(&self.summary, &self.index, self.place)?;
        self.out.write_all(&end).context("writing a compiled trace")?;
        self.out.flush().context("writing a compiled trace")?;
        Ok((self.out, self.summary))
    }
}
