//! The seam between the worker loop and an engine: an I/O context is one thread's private handle.
//!
//! fio's engines answer each request with done, queued or busy. Here an I/O context is given its
//! depth when it is opened and never handed more, so busy cannot happen; and the two others fold
//! into one call, because one call for a batch is one system call and one clock read for the batch:
//! `stage` everything that is due, stamp, `run`, stamp, tally. A synchronous I/O context does its
//! one op inside
//! `run`; io_uring submits and reaps there.

use super::op::Op;
use crate::base::error::Result;

/// How long `run` may block for a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all: collect what is there.
    No,
    /// Until at least one op is complete.
    One,
    /// Until at least one op is complete or this time of the job's clock has come.
    Until(u64),
}

/// A completed op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The slot in which the op was staged.
    pub slot: u32,
    /// Bytes moved; 0 where the op moves none.
    pub bytes: u32,
    /// A lookup found its key; everything else always has.
    pub hit: bool,
    /// It was tried and rolled back too often, and did not come through: no op, and nothing to
    /// time.
    pub given_up: bool,
}

/// One thread's handle on an engine. Slots are numbered below the depth that the I/O context was
/// opened with.
pub trait IoContext: Send {
    /// Gets `op` ready in a free slot: its key, its data, its queue entry. Outside the timed
    /// bracket. Allocates nothing.
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()>;

    /// Starts all that is staged and adds to `done` what has completed. An error ends the point
    /// with its cause.
    fn run(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<()>;

    /// Starts the one op that is staged and waits until it is complete, where there are no others.
    #[inline(always)]
    fn run_alone(&mut self, done: &mut Vec<Completion>) -> Result<Option<Completion>> {
        self.run(Wait::One, done)?;
        Ok(done.pop())
    }

    /// Looks at what these ops have read, once their latencies are taken and before their slots are
    /// used again. Allocates nothing. An error ends the point with its cause.
    #[inline(always)]
    fn check(&mut self, done: &[Completion]) -> Result<()> {
        let _ = done;
        Ok(())
    }
}
