//! The socket of a session whose protocol bypasses the library that connected: data to send, and
//! received data that has not been consumed, in a reused buffer.

use std::ops::Range;
use std::os::fd::AsFd;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::measure::sql::{SqlError, SqlResult};

/// Room for most results; it grows with the longest row.
const BUFFER: usize = 64 * 1024;

/// The received bytes.
pub struct Received {
    buffer: Vec<u8>,
    /// Those not yet consumed.
    from: usize,
    to: usize,
}

impl Received {
    pub fn new() -> Received {
        Received::with_room(BUFFER)
    }

    pub fn with_room(bytes: usize) -> Received {
        Received { buffer: vec![0; bytes], from: 0, to: 0 }
    }

    /// Drops unconsumed data.
    pub fn clear(&mut self) {
        (self.from, self.to) = (0, 0);
    }

    /// Restarts at the front once everything is consumed.
    pub fn rewind(&mut self) {
        if self.from == self.to {
            self.clear();
        }
    }

    /// Receives until this many unconsumed bytes are available.
    pub fn have(&mut self, socket: &impl AsFd, bytes: usize) -> SqlResult<()> {
        while self.to - self.from < bytes {
            if self.from + bytes > self.buffer.len() {
                self.buffer.copy_within(self.from..self.to, 0);
                (self.from, self.to) = (0, self.to - self.from);
            }
            if bytes > self.buffer.len() {
                self.buffer.resize(bytes, 0);
            }
            match recv(socket, &mut self.buffer[self.to..], RecvFlags::empty())
                .map(|(read, _)| read)
            {
                Ok(0) => return Err(lost("the server closed it")),
                Ok(read) => self.to += read,
                Err(Errno::INTR) => {}
                Err(error) => return Err(lost(error)),
            }
        }
        Ok(())
    }

    /// The unconsumed data.
    pub fn ahead(&self) -> &[u8] {
        &self.buffer[self.from..self.to]
    }

    /// Consumes a header and this many buffered bytes after it; returns their position.
    pub fn take(&mut self, head: usize, bytes: usize) -> Range<usize> {
        let place = self.from + head..self.from + head + bytes;
        self.from = place.end;
        place
    }

    /// The consumed data, valid until the next receive.
    pub fn at(&self, place: Range<usize>) -> &[u8] {
        &self.buffer[place]
    }
}

/// Sends all of it.
pub fn send_all(socket: &impl AsFd, mut rest: &[u8]) -> SqlResult<()> {
    while !rest.is_empty() {
        match send(socket, rest, SendFlags::NOSIGNAL) {
            Ok(sent) => rest = &rest[sent..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(lost(error)),
        }
    }
    Ok(())
}

pub fn lost(cause: impl std::fmt::Display) -> SqlError {
    SqlError::lost(format!("the connection is gone: {cause}"))
}

pub fn unasked() -> SqlError {
    SqlError::wrong("an unexpected answer")
}
