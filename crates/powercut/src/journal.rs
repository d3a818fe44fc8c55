//! The journal of a session, which is also the network protocol: magic bytes, the length of the
//! session's description, the description as JSON, then records of 24 bytes. Little-endian:
//!
//! | bytes | contents |
//! |---|---|
//! | 0 | 1 written, 2 durable, 3 flushed, 4 laid out, 5 cut, 6 silent, 7 flush begins, 8 requests |
//! | 1 | 0 |
//! | 2–3 | thread |
//! | 4–7 | 0 |
//! | 8–15 | generation; for "cut" the time, nanoseconds since 1970 (UTC); for "requests" flushes |
//! | 16–23 | block; for "requests" writes with FUA |
//!
//! "Cut" and "silent" are from the listener, the others from the writer. Either part may be forged,
//! so every number is checked against the session.

use std::io::{ErrorKind, Read};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::session::WriteSession;
use dyno_core::base::error::{Context, Result, failed};

/// A journal's magic bytes.
pub const MARK: &[u8; 8] = b"DYNOCUT1";

/// Bytes of a record.
pub const RECORD: usize = 24;

/// Maximum length of a session's description.
const MOST_DESCRIPTION: u32 = 1 << 16;

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalRecord {
    /// A write was acknowledged, but is not durable yet.
    Written(Write),
    /// A write with FUA was acknowledged.
    Durable(Write),
    /// A thread is about to flush: the flush covers all writes acknowledged so far, of every
    /// thread.
    FlushBegins {
        /// The thread.
        thread: u16,
    },
    /// The flush of this thread was acknowledged: the writes that it covers are durable.
    Flushed {
        /// The thread.
        thread: u16,
    },
    /// Requests that have reached the drive since before the layout.
    Requests(DurabilityRequests),
    /// The whole range was written once and flushed.
    LaidOut,
    /// The hook that cuts the power was started.
    Cut {
        /// Time, nanoseconds since 1970 (UTC).
        unix_ns: u64,
    },
    /// The hook succeeded, and nothing was received from the host afterwards.
    Silent,
}

/// Requests for durability that the kernel sent to the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DurabilityRequests {
    /// Flushes, by the kernel's count (`/sys/block/*/stat`, column 16).
    pub flushes: u64,
    /// Writes with FUA: those of the load, if the kernel passes FUA on; otherwise 0, because a
    /// flush follows each of them.
    pub fua_writes: u64,
}

impl DurabilityRequests {
    /// The sum of both; 0 if the drive received no such request.
    pub fn total(self) -> u64 {
        self.flushes.saturating_add(self.fua_writes)
    }
}

/// A write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Its thread.
    pub thread: u16,
    /// The thread's count of writes.
    pub generation: u64,
    /// Its block.
    pub block: u64,
}

impl JournalRecord {
    /// The record as bytes.
    pub fn encode(&self) -> [u8; RECORD] {
        let (kind, thread, generation, block) = match *self {
            JournalRecord::Written(Write { thread, generation, block }) => {
                (1, thread, generation, block)
            }
            JournalRecord::Durable(Write { thread, generation, block }) => {
                (2, thread, generation, block)
            }
            JournalRecord::Flushed { thread } => (3, thread, 0, 0),
            JournalRecord::LaidOut => (4, 0, 0, 0),
            JournalRecord::Cut { unix_ns } => (5, 0, unix_ns, 0),
            JournalRecord::Silent => (6, 0, 0, 0),
            JournalRecord::FlushBegins { thread } => (7, thread, 0, 0),
            JournalRecord::Requests(sent) => (8, 0, sent.flushes, sent.fua_writes),
        };
        let mut bytes = [0; RECORD];
        bytes[0] = kind;
        bytes[2..4].copy_from_slice(&thread.to_le_bytes());
        bytes[8..16].copy_from_slice(&generation.to_le_bytes());
        bytes[16..24].copy_from_slice(&block.to_le_bytes());
        bytes
    }

    /// Decodes bytes; None if they are not a record.
    pub fn decode(bytes: &[u8; RECORD]) -> Option<JournalRecord> {
        let number = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(eight)
        };
        let thread = u16::from_le_bytes([bytes[2], bytes[3]]);
        let write = Write { thread, generation: number(8), block: number(16) };
        let record = match bytes[0] {
            1 => JournalRecord::Written(write),
            2 => JournalRecord::Durable(write),
            3 => JournalRecord::Flushed { thread },
            4 => JournalRecord::LaidOut,
            5 => JournalRecord::Cut { unix_ns: number(8) },
            6 => JournalRecord::Silent,
            7 => JournalRecord::FlushBegins { thread },
            8 => JournalRecord::Requests(DurabilityRequests {
                flushes: number(8),
                fua_writes: number(16),
            }),
            _ => return None,
        };
        // Unused fields are zero, so each record has a single form.
        (record.encode() == *bytes).then_some(record)
    }

    /// Whether it is a writer's record; the others are the listener's.
    pub fn is_of_a_writer(&self) -> bool {
        !matches!(self, JournalRecord::Cut { .. } | JournalRecord::Silent)
    }
}

/// The opening of a session.
pub fn opening(session: &WriteSession) -> Result<Vec<u8>> {
    let described = serde_json::to_vec(session).context("describing the session")?;
    let mut bytes = MARK.to_vec();
    bytes.extend((described.len() as u32).to_le_bytes());
    bytes.extend(described);
    Ok(bytes)
}

/// Reads the opening of a session.
pub fn read_opening(from: &mut impl Read) -> Result<WriteSession> {
    let no_session = || {
        failed(
            "this is not a journal of power-cut writes",
            "use a file written by `dyno powercut listen`",
        )
    };
    let mut head = [0; 12];
    from.read_exact(&mut head).map_err(|_| no_session())?;
    let length = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
    if &head[..8] != MARK || length > MOST_DESCRIPTION {
        return Err(no_session());
    }
    let mut described = vec![0; length as usize];
    from.read_exact(&mut described).map_err(|_| no_session())?;
    let session: WriteSession = serde_json::from_slice(&described).map_err(|_| no_session())?;
    session.check().map(|()| session)
}

/// Reads the next record; None at the end. An incomplete record ends a journal, because its writer
/// or listener was interrupted.
pub fn read_record(from: &mut impl Read) -> Result<Option<JournalRecord>> {
    let mut bytes = [0; RECORD];
    match from.read_exact(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        read => read.context("reading the journal")?,
    }
    JournalRecord::decode(&bytes).map(Some).ok_or_else(|| {
        failed("the journal contains an invalid record", "copy it again from the listener")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tests::small;
    use proptest::prelude::*;

    fn all() -> Vec<JournalRecord> {
        let write = Write { thread: 3, generation: u64::MAX, block: 9 };
        vec![
            JournalRecord::Written(write),
            JournalRecord::Durable(write),
            JournalRecord::FlushBegins { thread: 7 },
            JournalRecord::Flushed { thread: 7 },
            JournalRecord::Requests(DurabilityRequests { flushes: 3, fua_writes: 4 }),
            JournalRecord::LaidOut,
            JournalRecord::Cut { unix_ns: 5 },
            JournalRecord::Silent,
        ]
    }

    #[test]
    fn a_journal_is_read_as_it_was_written() {
        let mut bytes = opening(&small(8)).expect("opened");
        all().iter().for_each(|record| bytes.extend(record.encode()));
        // Interrupted within a record.
        bytes.extend([1, 0, 0]);
        let from = &mut &bytes[..];
        assert_eq!(read_opening(from).expect("a session"), small(8));
        let read: Vec<JournalRecord> =
            std::iter::from_fn(|| read_record(from).expect("a record")).collect();
        assert_eq!(read, all());
    }

    proptest! {
        #[test]
        fn bytes_of_anybodys_are_a_record_in_one_form_or_none(bytes: [u8; RECORD]) {
            if let Some(record) = JournalRecord::decode(&bytes) {
                prop_assert_eq!(record.encode(), bytes);
            }
        }

        #[test]
        fn no_bytes_make_the_reader_panic_or_take_much_memory(
            mut bytes: Vec<u8>, marked: bool, length: u32,
        ) {
            if marked {
                bytes.splice(0..0, MARK.iter().copied().chain(length.to_le_bytes()));
            }
            prop_assert!(read_opening(&mut &bytes[..]).is_err());
        }
    }
}
