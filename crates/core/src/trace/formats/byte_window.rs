//! A file or a pipe of lines or records as a window that moves over it: what lies ahead can be
//! looked at before it is passed, in bounded memory.

use std::io::{ErrorKind, Read, Result};

/// Bytes of a window, at least.
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
    /// A window at the beginning of a stream, from which at most so many bytes are asked for at
    /// once.
    pub fn new(reader: &'r mut dyn Read, most: usize) -> ByteWindow<'r> {
        let bytes = vec![0; WINDOW_BYTES.max(2 * most)];
        ByteWindow { reader, bytes, start: 0, end: 0, place: 0, ended: false }
    }

    /// The bytes from here on: at least as many as are asked for, and fewer only where the stream
    /// ends.
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

    /// Passes over so many of the bytes ahead.
    pub fn pass(&mut self, bytes: usize) {
        self.start += bytes;
        self.place += bytes as u64;
    }

    /// The number of bytes that were passed.
    pub fn place(&self) -> u64 {
        self.place
    }
}
