//! The socket of a session whose protocol bypasses the library that connected: data to send, and
//! received data that has not been consumed, in a reused buffer.

use std::ops::Range;
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::sockopt::socket_domain;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, recv, send};

use dyno_core::measure::sql::{SqlError, SqlResult};

/// Room for most results; it grows with the longest row.
const BUFFER: usize = 64 * 1024;

/// The received bytes.
pub struct Received {
    buffer: Vec<u8>,
    /// Start of the bytes not yet consumed.
    from: usize,
    to: usize,
    /// Whether a request was sent and nothing has been received since.
    asked: bool,
    /// Whether the socket is local; known after the first answer.
    local: Option<bool>,
}

impl Received {
    pub fn new() -> Received {
        Received::with_room(BUFFER)
    }

    pub fn with_room(bytes: usize) -> Received {
        Received { buffer: vec![0; bytes], from: 0, to: 0, asked: false, local: None }
    }

    /// Before a request: drops unconsumed data.
    pub fn clear(&mut self) {
        (self.from, self.to, self.asked) = (0, 0, true);
    }

    /// Before a request: restarts at the front once everything is consumed.
    pub fn rewind(&mut self) {
        if self.from == self.to {
            self.clear();
        }
    }

    /// Receives until this many unconsumed bytes are available.
    #[inline(always)]
    pub fn have(&mut self, socket: &impl AsFd, bytes: usize) -> SqlResult<()> {
        if self.to - self.from >= bytes { Ok(()) } else { self.receive(socket, bytes) }
    }

    fn receive(&mut self, socket: &impl AsFd, bytes: usize) -> SqlResult<()> {
        while self.to - self.from < bytes {
            if self.from + bytes > self.buffer.len() {
                self.buffer.copy_within(self.from..self.to, 0);
                (self.from, self.to) = (0, self.to - self.from);
            }
            if bytes > self.buffer.len() {
                self.buffer.resize(bytes, 0);
            }
            if std::mem::take(&mut self.asked) && *self.local.get_or_insert_with(|| local(socket)) {
                await_answer(socket)?;
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

fn local(socket: &impl AsFd) -> bool {
    socket_domain(socket).is_ok_and(|domain| domain == AddressFamily::UNIX)
}

/// Waits for the first byte of an answer on a local socket, where `recv` would also be woken when
/// the server takes the request: the kernel then announces room for writing.
fn await_answer(socket: &impl AsFd) -> SqlResult<()> {
    match poll(&mut [PollFd::new(socket, PollFlags::IN)], None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(lost(error)),
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
