//! A worker's handle on its ring: requests are queued as they are staged, and one system call
//! submits a batch and waits.

use std::os::fd::AsRawFd;
use std::sync::Arc;

use io_uring::{IoUring, cqueue, squeue, types};

use super::super::block_buffers::Buffers;
use super::super::blockfile::BlockFile;
use super::polling::Poll;
use super::ring::{Options, register};
use crate::base::clock::Clock;
use crate::base::error::{Context, Error, Result, failed};
use crate::load::{Done, Lane, Op, OpKind, Wait};

/// How often the processor is offered to others before a wait for a completion sleeps: measured,
/// docs/benchmarks.md.
const YIELDS: u32 = 2;

/// Marks the write of a pair of write and flush, whose slot is in the other bits. It answers only
/// where it failed, and the flush is then cancelled.
pub const FIRST_OF_PAIR: u64 = 1 << 32;

/// How a lane's requests are sent: as reads and writes of a file, or as NVMe commands.
pub trait Form: Send {
    /// The ring's submission entries.
    type Sq: squeue::EntryMarker + Send;
    /// Its completion entries.
    type Cq: cqueue::EntryMarker + Send;

    /// A read or write at an offset of the device or file.
    fn plain(&self, write: bool, slot: u32, address: *mut u8, at: u64, len: u32) -> Self::Sq;

    /// What is neither.
    fn other(&self, slot: (u32, *mut u8), at: u64, op: &Op) -> Request<Self::Sq>;

    /// What a read or write of that length answers when all went well.
    fn answer(&self, len: u32) -> i32;

    /// A request that does nothing.
    fn nop(&self) -> Self::Sq;

    /// An entry with these user data.
    fn set_user_data(entry: Self::Sq, data: u64) -> Self::Sq;

    /// The cause that another answer stands for.
    fn failure(&self, result: i32) -> std::io::Error;
}

/// An op as the ring gets it.
pub struct Request<S> {
    /// Queued before it; has its user data already.
    pub before: Option<S>,
    /// The request that completes the op.
    pub entry: S,
    /// What it answers when all went well.
    pub answer: i32,
}

/// What a slot's request is, for errors and short transfers.
#[derive(Clone, Copy, Default)]
struct InFlight {
    at: u64,
    len: u32,
    /// What the kernel answers when all went well: the length, or 0 where no data are moved.
    answer: i32,
}

/// One worker's ring.
pub struct UringLane<F: Form> {
    /// First, so that it is dropped before the buffers that it refers to.
    ring: IoUring<F::Sq, F::Cq>,
    buffers: Buffers,
    addresses: Vec<*mut u8>,
    form: F,
    file: Arc<BlockFile>,
    nop: bool,
    /// The kernel looks for completions in the worker's own calls, and ignores how long they may
    /// take.
    polls: bool,
    clock: Clock,
    /// By slot.
    ops: Vec<InFlight>,
    in_flight: u32,
}

// SAFETY: the addresses point into `buffers`, which the lane owns.
unsafe impl<F: Form> Send for UringLane<F> {}

/// What a lane is opened with.
pub struct Parts {
    /// A buffer for each slot.
    pub buffers: Buffers,
    /// Slots.
    pub depth: u32,
    /// What is worked on.
    pub file: Arc<BlockFile>,
    /// Nothing but NOPs is sent.
    pub nop: bool,
    /// The ring's.
    pub options: Options,
    /// The job's.
    pub clock: Clock,
}

impl<F: Form> UringLane<F> {
    /// Registers the buffers and the descriptor that requests go to.
    pub fn new(
        ring: IoUring<F::Sq, F::Cq>,
        form: F,
        descriptor: &impl AsRawFd,
        parts: Parts,
    ) -> Result<UringLane<F>> {
        let Parts { mut buffers, depth, file, nop, options, clock } = parts;
        register(&ring, &mut buffers, descriptor, depth)?;
        let addresses = (0..depth).map(|slot| buffers.slot(slot).as_mut_ptr()).collect();
        let ops = vec![InFlight::default(); depth as usize];
        let polls = options.poll != Poll::None && !options.sqpoll;
        Ok(UringLane { ring, buffers, addresses, form, file, nop, polls, clock, ops, in_flight: 0 })
    }

    /// The ring, to be asked before the load begins.
    pub fn ring(&mut self) -> &mut IoUring<F::Sq, F::Cq> {
        &mut self.ring
    }

    #[cold]
    fn failed(&self, slot: u32, result: i32) -> Error {
        let InFlight { at, len, answer } = self.ops[slot as usize];
        match result >= 0 && answer > 0 {
            true => self.file.short("a request", at, result as usize, len),
            false => self.file.op_failed("a request", at, self.form.failure(result)),
        }
    }

    /// Submits and waits for a completion. Going to sleep and being woken costs more than a fast
    /// drive takes, so the processor is first offered to others a few times; the kernel raises a
    /// flag when a completion has come.
    #[inline(always)]
    fn submit_and_look_before_sleeping(&mut self) -> std::io::Result<usize> {
        let submitted = self.ring.submit()?;
        for _ in 0..YIELDS {
            if self.ring.submission().taskrun() || !self.ring.completion().is_empty() {
                break;
            }
            std::thread::yield_now();
        }
        if self.ring.completion().is_empty() {
            self.ring.submit_and_wait(1)?;
        }
        Ok(submitted)
    }

    /// Looks for completions until there is one or the time is up.
    fn poll_until(&mut self, until_ns: u64) -> std::io::Result<usize> {
        let mut submitted = self.ring.submit()?;
        while self.ring.completion().is_empty() && self.clock.now_ns() < until_ns {
            submitted += self.ring.submit()?;
        }
        Ok(submitted)
    }

    /// Submits what is staged and waits as long as is said.
    #[inline(always)]
    fn enter(&mut self, wait: Wait) -> Result<()> {
        let entered = match wait {
            Wait::No => self.ring.submit(),
            Wait::One if self.polls => self.ring.submit_and_wait(1),
            Wait::Until(until_ns) if self.polls => self.poll_until(until_ns),
            Wait::One => self.submit_and_look_before_sleeping(),
            Wait::Until(until_ns) => {
                let left_ns = until_ns.saturating_sub(self.clock.now_ns());
                let left = types::Timespec::new()
                    .sec(left_ns / 1_000_000_000)
                    .nsec((left_ns % 1_000_000_000) as u32);
                self.ring.submitter().submit_with_args(1, &types::SubmitArgs::new().timespec(&left))
            }
        };
        match entered {
            Ok(_) => Ok(()),
            // The time is up; a signal came; the completion queue is to be emptied first: the next
            // turn goes on.
            Err(e)
                if matches!(
                    e.raw_os_error(),
                    Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN)
                ) =>
            {
                Ok(())
            }
            Err(e) => Err(failed(format!("io_uring_enter failed: {e}"), "try the engine psync")),
        }
    }

    #[inline(always)]
    fn push(&mut self, entry: &F::Sq) -> Result<()> {
        // SAFETY: the buffer of a slot is not touched until its completion has been reaped.
        match unsafe { self.ring.submission().push(entry) } {
            Ok(()) => Ok(()),
            Err(_) => self.push_when_there_is_room(entry),
        }
    }

    /// A thread of the kernel (`sqpoll`) takes requests off the queue in its own time, so that it
    /// may be full of such as have long been handed over.
    #[cold]
    fn push_when_there_is_room(&mut self, entry: &F::Sq) -> Result<()> {
        let waited = self.ring.submit().and_then(|_| self.ring.submitter().squeue_wait());
        waited.context("waiting for room in the submission queue")?;
        // SAFETY: as in `push`.
        let pushed = unsafe { self.ring.submission().push(entry) };
        pushed.map_err(|_| {
            failed("the submission queue is full", "this is a defect of Dyno: please report it")
        })
    }

    /// Queues what comes before an op that is neither a plain read nor a plain write, and returns
    /// its own request with what it answers.
    #[inline(never)]
    fn other(&mut self, slot: u32, at: u64, op: &Op) -> Result<(F::Sq, i32)> {
        self.buffers.stage(slot, op)?;
        let address = self.addresses[slot as usize];
        let request = self.form.other((slot, address), at, op);
        request.before.map_or(Ok(()), |before| self.push(&before))?;
        Ok((request.entry, request.answer))
    }

    /// Adds what has completed to `done`.
    #[inline(always)]
    fn reap(&mut self, done: &mut Vec<Done>) -> Result<()> {
        let mut bad = None;
        for completion in self.ring.completion() {
            let completion: cqueue::Entry = completion.into();
            let (slot, result) = (completion.user_data() as u32, completion.result());
            let InFlight { len, answer, .. } = self.ops[slot as usize];
            if result != answer && !self.nop {
                // The flush of a pair is cancelled where its write failed, which came first.
                bad = bad.or(Some((slot, result)));
            }
            if completion.user_data() & FIRST_OF_PAIR == 0 {
                self.in_flight -= 1;
                done.push(Done { slot, bytes: len, hit: true, given_up: false });
            }
        }
        match bad {
            Some((slot, result)) => Err(self.failed(slot, result)),
            None => Ok(()),
        }
    }
}

impl<F: Form> Drop for UringLane<F> {
    /// After an error ops are still under way, and the kernel writes into the buffers until they
    /// have ended: closing a ring does not wait for them. It also lets go of the file later, when a
    /// device could not yet be opened again for the run alone.
    fn drop(&mut self) {
        let mut done = Vec::new();
        while self.in_flight > 0 && self.enter(Wait::One).is_ok() {
            let _ = self.reap(&mut done);
        }
        let _ = self.ring.submitter().unregister_files();
    }
}

impl<F: Form> Lane for UringLane<F> {
    #[inline(always)]
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        let address = self.addresses[slot as usize];
        let at = self.file.base + op.at;
        let mut answer = self.form.answer(op.len);
        let entry = if self.nop {
            self.form.nop()
        } else if op.kind == OpKind::Write {
            self.buffers.stage(slot, op)?;
            self.form.plain(true, slot, address, at, op.len)
        } else if op.kind == OpKind::Read {
            self.buffers.stage(slot, op)?;
            self.form.plain(false, slot, address, at, op.len)
        } else {
            let (entry, its) = self.other(slot, at, op)?;
            answer = its;
            entry
        };
        self.ops[slot as usize] = InFlight { at, len: op.len, answer };
        self.in_flight += 1;
        self.push(&F::set_user_data(entry, u64::from(slot)))
    }

    #[inline(always)]
    fn run(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<()> {
        let wait = if self.in_flight == 0 { Wait::No } else { wait };
        loop {
            self.enter(wait)?;
            self.reap(done)?;
            // A signal ends a wait early.
            if wait != Wait::One || !done.is_empty() {
                return Ok(());
            }
        }
    }

    #[inline(always)]
    fn check(&mut self, done: &[Done]) -> Result<()> {
        self.buffers.check(done)
    }
}
