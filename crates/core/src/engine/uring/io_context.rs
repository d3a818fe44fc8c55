//! A worker's handle on its ring: requests are queued as they are staged, and one system call
//! submits a batch and waits.

use std::os::fd::RawFd;

use io_uring::{IoUring, cqueue, squeue};

use super::super::block_buffers::ContextBuffers;
use super::polling::Poll;
use super::ring::{Ring, RingOptions};
use crate::base::clock::Clock;
use crate::base::error::{Context, Error, Result, failed};
use crate::measure::{Completion, IoContext, Op, OpKind, Wait};

/// How often the processor is offered to others before a wait for a completion sleeps: measured,
/// docs/benchmarks.md.
const YIELDS: u32 = 2;

/// How many requests alone are handed over and waited for in one call before it is looked again
/// whether their completions still come at once.
const AT_ONCE: u32 = 64;

/// How many looks in a row must have found a completion before that.
const PROMPT: u32 = 4;

/// Marks the write of a pair of write and flush, whose slot is in the other bits. It answers only
/// where it failed, and the flush is then cancelled.
pub const FIRST_OF_PAIR: u64 = 1 << 32;

/// How an I/O context's requests are sent: as reads and writes of a file, or as NVMe commands.
pub trait RequestForm: Send {
    /// The ring's submission entries.
    type Sq: squeue::EntryMarker + Send + 'static;
    /// Its completion entries.
    type Cq: cqueue::EntryMarker + Send + 'static;

    /// Whether each slot's buffer is registered by itself.
    const BUFFERS_APART: bool;

    /// A read or write at an offset of the device or file.
    fn plain(&self, write: bool, place: &SlotTarget, at: u64, len: u32) -> Self::Sq;

    /// What is neither.
    fn other(&self, place: &SlotTarget, at: u64, op: &Op) -> RingRequest<Self::Sq>;

    /// What a read or write of that length answers when all went well.
    fn answer(&self, len: u32) -> i32;

    /// A request that does nothing.
    fn nop(&self) -> Self::Sq;

    /// An entry with these user data.
    fn set_user_data(entry: Self::Sq, data: u64) -> Self::Sq;

    /// The cause that another answer stands for.
    fn failure(&self, result: i32) -> std::io::Error;
}

/// Where a slot's requests go.
#[derive(Clone, Copy)]
pub struct SlotTarget {
    /// The slot itself.
    pub slot: u32,
    /// The number of its drive's file among those registered.
    pub file: u32,
    /// Its buffer.
    pub address: *mut u8,
    /// The number of the registered buffer that it lies in.
    pub buffer: u16,
    /// Where the range in use begins.
    base: u64,
}

/// An op as the ring gets it.
pub struct RingRequest<S> {
    /// Queued before it; has its user data already.
    pub before: Option<S>,
    /// The request that completes the op.
    pub entry: S,
    /// What it answers when all went well.
    pub answer: i32,
}

/// A slot, with its request, for errors and short transfers.
struct Slot {
    place: SlotTarget,
    at: u64,
    len: u32,
    /// What the kernel answers when all went well: the length, or 0 where no data are moved.
    answer: i32,
}

/// One worker's ring.
pub struct UringContext<F: RequestForm> {
    /// First, so that it is dropped before the buffers that it refers to.
    ring: Ring<F::Sq, F::Cq>,
    drives: ContextBuffers,
    slots: Vec<Slot>,
    form: F,
    nop: bool,
    /// The kernel looks for completions in the worker's own calls, and ignores how long they may
    /// take.
    polls: bool,
    clock: Clock,
    in_flight: usize,
    /// How many more requests alone are expected to complete within the call that submits them, as
    /// those of memory do.
    at_once: u32,
    /// How many looks in a row have found a completion as the call returned.
    prompt: u32,
}

// SAFETY: the addresses point into the buffers of `drives`, which the I/O context owns.
unsafe impl<F: RequestForm> Send for UringContext<F> {}

/// What an I/O context is opened with.
pub struct Parts {
    /// What is worked on, with a buffer for each slot.
    pub drives: ContextBuffers,
    /// Nothing but NOPs is sent.
    pub nop: bool,
    /// The ring's.
    pub options: RingOptions,
    /// The job's.
    pub clock: Clock,
}

impl<F: RequestForm> UringContext<F> {
    /// Registers the ring, the buffers and the descriptors that requests go to.
    pub fn new(
        ring: IoUring<F::Sq, F::Cq>,
        form: F,
        descriptors: &[RawFd],
        parts: Parts,
    ) -> Result<UringContext<F>> {
        let Parts { mut drives, nop, options, clock } = parts;
        let (ring, slots) = (Ring::new(ring), drives.slots());
        let registered = ring.register(&mut drives, descriptors, F::BUFFERS_APART)?;
        let slot = |(slot, buffer): (u32, u16)| {
            let (drive, address) = (drives.drive(slot), drives.slot(slot).as_mut_ptr());
            let base = drives.files[drive].base;
            let place = SlotTarget { slot, file: drive as u32, address, buffer, base };
            Slot { place, at: 0, len: 0, answer: 0 }
        };
        let slots = (0..slots).zip(registered).map(slot).collect();
        let polls = options.poll != Poll::None && !options.sqpoll;
        Ok(UringContext {
            ring,
            drives,
            slots,
            form,
            nop,
            polls,
            clock,
            in_flight: 0,
            at_once: 0,
            prompt: 0,
        })
    }

    /// What it has been given by the kernel, for the disclosure: whether its ring is registered,
    /// and in which pages its buffers are.
    pub fn given(&self) -> (bool, &'static str) {
        (self.ring.registered, self.drives.buffers[0].pages())
    }

    /// The ring, to be asked before the load begins.
    pub fn ring(&mut self) -> &mut Ring<F::Sq, F::Cq> {
        &mut self.ring
    }

    #[cold]
    fn failed(&self, slot: u32, result: i32) -> Error {
        let Slot { place, at, len, answer } = self.slots[slot as usize];
        let file = &self.drives.files[place.file as usize];
        match result >= 0 && answer > 0 {
            true => file.short("a request", at, result as usize, len),
            false => file.op_failed("a request", at, self.form.failure(result)),
        }
    }

    /// Submits and waits for a completion. Going to sleep and being woken costs more than a fast
    /// drive takes, so the processor is first offered to others a few times; the kernel raises a
    /// flag when a completion has come. Where one has come already as the call returns, one call
    /// does for the next ones.
    #[inline(always)]
    fn submit_and_look_before_sleeping(&mut self) -> std::io::Result<usize> {
        let submitted = self.ring.submit(0)?;
        // A drive's completion is there now and then, where the host held the call up.
        let prompt = self.ring.has_answers() || self.ring.withholds();
        self.prompt = if prompt { self.prompt.saturating_add(1) } else { 0 };
        self.at_once = if self.prompt >= PROMPT { AT_ONCE } else { 0 };
        for _ in 0..YIELDS {
            if self.ring.has_answers() || self.ring.withholds() {
                break;
            }
            std::thread::yield_now();
        }
        if !self.ring.has_answers() {
            self.ring.submit(1)?;
        }
        Ok(submitted)
    }

    /// Looks for completions until there is one or the time is up.
    fn poll_until(&mut self, until_ns: u64) -> std::io::Result<usize> {
        let mut submitted = self.ring.submit(0)?;
        while !self.ring.has_answers() && self.clock.now_ns() < until_ns {
            submitted += self.ring.submit(0)?;
        }
        Ok(submitted)
    }

    /// Submits what is staged and waits as specified.
    #[inline(always)]
    fn enter(&mut self, wait: Wait) -> Result<()> {
        let entered = match wait {
            Wait::No => self.ring.submit(0),
            Wait::One if self.polls => self.ring.submit(1),
            // Of one request alone nothing can have come before it does: one call for both.
            Wait::One if self.in_flight == 1 && self.at_once > 0 => {
                self.at_once -= 1;
                self.ring.submit(1)
            }
            Wait::Until(until_ns) if self.polls => self.poll_until(until_ns),
            Wait::One => self.submit_and_look_before_sleeping(),
            Wait::Until(until_ns) => {
                self.ring.submit_for(until_ns.saturating_sub(self.clock.now_ns()))
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

    /// The entry goes by value and to nothing else, so that it is made where the kernel reads it:
    /// one that is written to the stack first, in small parts, stalls the processor as it is copied
    /// in large ones (measured, docs/benchmarks.md).
    #[inline(always)]
    fn push(&mut self, entry: F::Sq) -> Result<()> {
        if self.ring.is_full() {
            self.make_room()?;
        }
        // SAFETY: the buffer of a slot is not touched until its completion has been reaped.
        if unsafe { self.ring.push(entry) } { Ok(()) } else { Err(no_room()) }
    }

    /// A thread of the kernel (`sqpoll`) takes requests off the queue in its own time, so that it
    /// may be full of such as have long been handed over.
    #[cold]
    fn make_room(&mut self) -> Result<()> {
        self.ring.make_room().context("waiting for room in the submission queue")
    }

    /// Queues an op that is neither a plain read nor a plain write, with what comes before it.
    #[inline(never)]
    fn stage_other(&mut self, slot: u32, at: u64, op: &Op) -> Result<()> {
        let request = self.form.other(&self.slots[slot as usize].place, at, op);
        request.before.map_or(Ok(()), |before| self.push(before))?;
        self.slots[slot as usize].answer = request.answer;
        self.push(F::set_user_data(request.entry, u64::from(slot)))
    }

    /// Adds what has completed to `done`.
    #[inline(always)]
    fn reap(&mut self, done: &mut Vec<Completion>) -> Result<()> {
        let mut bad = None;
        let before = done.len();
        for completion in self.ring.answers() {
            let completion: cqueue::Entry = completion.into();
            let (data, result) = (completion.user_data(), completion.result());
            let Slot { len, answer, .. } = self.slots[data as u32 as usize];
            if result != answer && !self.nop {
                // The flush of a pair is cancelled where its write failed, which came first.
                bad = bad.or(Some((data as u32, result)));
            }
            if data & FIRST_OF_PAIR == 0 {
                done.push(Completion { slot: data as u32, bytes: len, hit: true, given_up: false });
            }
        }
        self.in_flight -= done.len() - before;
        match bad {
            Some((slot, result)) => Err(self.failed(slot, result)),
            None => Ok(()),
        }
    }
}

#[cold]
fn no_room() -> Error {
    failed("the submission queue is full", "this is a bug in Dyno: please report it")
}

impl<F: RequestForm> Drop for UringContext<F> {
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

impl<F: RequestForm> IoContext for UringContext<F> {
    #[inline(always)]
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        let own = &mut self.slots[slot as usize];
        let place = own.place;
        let at = place.base + op.at;
        (own.at, own.len, own.answer) = (at, op.len, self.form.answer(op.len));
        self.in_flight += 1;
        if !self.nop {
            self.drives.stage(place.file as usize, slot, op)?;
        }
        let data = u64::from(slot);
        // Each kind makes and pushes an entry of its own: see `push`.
        if self.nop {
            self.push(F::set_user_data(self.form.nop(), data))
        } else if op.kind == OpKind::Read {
            self.push(F::set_user_data(self.form.plain(false, &place, at, op.len), data))
        } else if op.kind == OpKind::Write {
            self.push(F::set_user_data(self.form.plain(true, &place, at, op.len), data))
        } else {
            self.stage_other(slot, at, op)
        }
    }

    #[inline(always)]
    fn run(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
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
    fn check(&mut self, done: &[Completion]) -> Result<()> {
        self.drives.check(done)
    }
}
