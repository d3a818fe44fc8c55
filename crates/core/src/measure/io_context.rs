//! The interface between the worker loop and an engine: an I/O context is one thread's private
//! handle.
//!
//! fio's engines answer each request with done, queued or busy. Here an I/O context gets its depth
//! when it is opened and never receives more, so busy cannot happen. The other two are combined in
//! one call, because one call per batch is one system call and one clock read per batch: `stage`
//! everything that is due, timestamp, `run`, timestamp, tally. A synchronous I/O context executes
//! its single op inside `run`; io_uring submits and reaps there.

use super::op::Op;
use super::portion::LEAST_PORTION;
use crate::base::error::Result;

/// The maximum time that `run` may block for a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all: collect available completions.
    No,
    /// Until at least one op is complete.
    One,
    /// Until at least one op is complete, or the job's clock reaches this time.
    Until(u64),
}

/// A completed op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The slot in which the op was staged.
    pub slot: u32,
    /// The op's bytes; they count only in classes that move data.
    pub bytes: u32,
    /// A lookup found its key; always true for other ops.
    pub hit: bool,
    /// Rolled back repeatedly and abandoned: not counted as an op, and not timed.
    pub given_up: bool,
}

/// One thread's handle to an engine. Slots are numbered from 0 to the depth with which the I/O
/// context was opened.
pub trait IoContext: Send {
    /// Prepares `op` in a free slot: its key, data and queue entry. Outside the timed bracket.
    /// Allocates nothing.
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()>;

    /// Starts all staged ops and adds completed ones to `done`. An error ends the point with its
    /// cause.
    fn run(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<()>;

    /// The minimum number of ops that a turn of a closed loop submits if slots are free.
    fn least_portion(&self) -> usize {
        LEAST_PORTION
    }

    /// Starts the single staged op and waits for its completion, if no others are in flight.
    #[inline(always)]
    fn run_alone(&mut self, done: &mut Vec<Completion>) -> Result<Option<Completion>> {
        self.run(Wait::One, done)?;
        Ok(done.pop())
    }

    /// Examines the data read by these ops, after their latencies are recorded and before their
    /// slots are reused. Allocates nothing. An error ends the point with its cause.
    #[inline(always)]
    fn check(&mut self, done: &[Completion]) -> Result<()> {
        let _ = done;
        Ok(())
    }
}
