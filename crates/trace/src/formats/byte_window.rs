//! A sliding window over a file or pipe of lines or records: bytes ahead can be examined before
//! they are consumed, in bounded memory.

use std::io::{ErrorKind, Read, Result};

/// Minimum size of a window, bytes.
pub const WINDOW_BYTES: usize = 256 << 10;

/// The part of a stream that is in memory.
pub struct ByteWindow<'r> {
    reader: &'r mut dyn Read,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    place: u64,
    ended: bool,
}

impl<'r> ByteWindow<'r> {
    /// Creates a window at the start of a stream. `most` is the maximum number of bytes requested
    /// at once.
    pub fn new(reader: &'r mut dyn Read, most: usize) -> ByteWindow<'r> {
        let bytes = vec![0; WINDOW_BYTES.max(2 * most)];
        ByteWindow { reader, bytes, start: 0, end: 0, place: 0, ended: false }
    }

    /// Bytes from the current position: at least the requested number, or fewer at the end of the
    /// stream.
    #[inline]
    pub fn ahead(&mut self, least: usize) -> Result<&[u8]> {
        if self.end - self.start < least {
            self.read(least)?;
        }
        Ok(&self.bytes[self.start..self.end])
    }

    #[cold]
    fn read(&mut self, least: usize) -> Result<()> {
        while self.end - self.start < least && !self.ended {
            if self.start + least > self.bytes.len() {
                self.bytes.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            }
            match self.reader.read(&mut self.bytes[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Consumes `bytes`.
    pub fn pass(&mut self, bytes: usize) {
        self.start += bytes;
        self.place += bytes as u64;
    }

    /// Number of bytes consumed.
    pub fn place(&self) -> u64 {
        self.place
    }
}
