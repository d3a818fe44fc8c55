//! One request of a trace, as all formats have it.

use serde::{Deserialize, Serialize};

/// Offsets and lengths end below 2^63, as those of the kernel do (`loff_t`).
pub const SPACE_BYTES: u64 = i64::MAX as u64;
/// Devices of one trace.
pub const MOST_DEVICES: usize = 1 << 16;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RequestKind {
    /// Reads `length` bytes.
    Read,
    /// Writes `length` bytes.
    Write,
    /// Discards (trims) `length` bytes.
    Discard,
    /// Makes earlier writes durable; has neither offset nor length.
    Flush,
}

impl RequestKind {
    /// In the order of their codes in the file.
    pub const ALL: [RequestKind; 4] =
        [RequestKind::Read, RequestKind::Write, RequestKind::Discard, RequestKind::Flush];

    /// As texts and tables name it.
    pub fn name(self) -> &'static str {
        match self {
            RequestKind::Read => "read",
            RequestKind::Write => "write",
            RequestKind::Discard => "discard",
            RequestKind::Flush => "flush",
        }
    }
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its arrival, in ns. Read from a compiled file: since the first request of the trace; given
    /// to a `Writer`: by the clock of the source.
    pub at_ns: u64,
    /// Index in the table of devices (`Summary::devices`).
    pub device: u16,
    /// What it does.
    pub kind: RequestKind,
    /// Its first byte on the device; 0 for a flush.
    pub offset: u64,
    /// Bytes; 0 for a flush alone.
    pub length: u32,
}

impl Request {
    /// The byte behind its last.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.length))
    }

    /// Why it can be no request of a trace.
    pub fn fault(&self) -> Option<&'static str> {
        let flush = self.kind == RequestKind::Flush;
        match () {
            () if flush && (self.offset, self.length) != (0, 0) => {
                Some("a flush has neither offset nor length")
            }
            () if !flush && self.length == 0 => Some("its length is 0"),
            () if self.end() > SPACE_BYTES => Some("it ends beyond 2^63 bytes"),
            () => None,
        }
    }
}
