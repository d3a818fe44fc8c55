//! One request of a trace, common to all formats.

use serde::{Deserialize, Serialize};

/// Limit of offsets and lengths, 2^63, as in the kernel (`loff_t`).
pub const SPACE_BYTES: u64 = i64::MAX as u64;
/// Maximum number of devices in a trace.
pub const MOST_DEVICES: usize = 1 << 16;

/// Type of a request.
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
    /// All kinds, in the order of their codes in the file.
    pub const ALL: [RequestKind; 4] =
        [RequestKind::Read, RequestKind::Write, RequestKind::Discard, RequestKind::Flush];

    /// Name in texts and tables.
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
    /// Arrival time, in ns: since the first request of the trace if read from a compiled file, by
    /// the clock of the source if passed to a `Writer`.
    pub at_ns: u64,
    /// Index into the table of devices (`Summary::devices`).
    pub device: u16,
    /// Type of the request.
    pub kind: RequestKind,
    /// Offset on the device, bytes; 0 for a flush.
    pub offset: u64,
    /// Length, bytes; 0 for a flush without a write.
    pub length: u32,
}

impl Request {
    /// Offset of the first byte after the request.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.length))
    }

    /// The reason if this is not a valid request of a trace.
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
