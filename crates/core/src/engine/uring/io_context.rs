//! A worker's handle on its ring: requests are queued as they are staged, and one system call
//! submits a batch and waits.

use std::os::fd::RawFd;

use io_uring::{IoUring, cqueue, squeue};

use super::super::block_buffers::ContextBuffers;
use super::batching::{self, Batch};
use super::polling::Poll;
use super::ring::{Ring, RingOptions};
use crate::base::clock::Clock;
use crate::base::error::{Context, Error, Result, failed};
use crate::measure::portion::{LEAST_PORTION, MOST_PORTION};
use crate::measure::{Completion, IoContext, Op, OpKind, Wait};

/// Number of times the processor is yielded before waiting for a completion sleeps: measured,
/// docs/benchmarks.md.
const YIELDS: u32 = 2;

/// The number of single requests that are submitted and waited for in one call before checking
/// again whether completions still arrive immediately.
const AT_ONCE: u32 = 64;

/// The number of consecutive checks that must have found a completion before that.
const PROMPT: u32 = 4;

/// Marks the write of a write–flush pair, whose slot is in the bits below. It only completes
/// visibly if it failed, and the flush is then cancelled.
pub const FIRST_OF_PAIR: u64 = 1 << 32;

/// A plain read's or write's length is in the bits from here on, unless it needs more of them: the
/// record of a request is displaced from the processor's caches by the time that it completes.
const LENGTH_FROM: u32 = 33;

/// The user data of a plain request.
#[inline(always)]
fn user_data(slot: u32, len: u32) -> u64 {
    let len = u64::from(len);
    let fits = len >> (u64::BITS - LENGTH_FROM) == 0;
    u64::from(slot) | if fits { len << LENGTH_FROM } else { 0 }
}

/// The kind of an I/O context's requests: reads and writes of a file, or NVMe commands.
pub trait RequestForm: Send {
    /// The ring's submission entries.
    type Sq: squeue::EntryMarker + Send + 'static;
    /// Its completion entries.
    type Cq: cqueue::EntryMarker + Send + 'static;

    /// Whether each slot's buffer is registered separately.
    const BUFFERS_APART: bool;

    /// A read or write at an offset of the device or file.
    fn plain(&self, write: bool, place: &SlotTarget, at: u64, len: u32) -> Self::Sq;

    /// Any other op.
    fn other(&self, place: &SlotTarget, at: u64, op: &Op) -> RingRequest<Self::Sq>;

    /// The expected result of a read or write of that length.
    fn answer(&self, len: u32) -> i32;

    /// A request that does nothing.
    fn nop(&self) -> Self::Sq;

    /// An entry with these user data.
    fn set_user_data(entry: Self::Sq, data: u64) -> Self::Sq;

    /// The error for a different result.
    fn failure(&self, result: i32) -> std::io::Error;
}

/// The destination of a slot's requests.
#[derive(Clone, Copy)]
pub struct SlotTarget {
    /// The slot itself.
    pub slot: u32,
    /// The index of its drive's file among the registered ones.
    pub file: u32,
    /// Its buffer.
    pub address: *mut u8,
    /// The index of the registered buffer that contains it.
    pub buffer: u16,
    /// Start of the range in use.
    base: u64,
}

/// An op as submitted to the ring.
pub struct RingRequest<S> {
    /// Queued before it, with its user data set.
    pub before: Option<S>,
    /// The request that completes the op.
    pub entry: S,
    /// The expected result.
    pub answer: i32,
}

/// A slot's request, for errors and short transfers.
#[derive(Clone, Copy, Default)]
struct Sent {
    at: u64,
    len: u32,
    /// The kernel's expected result: the length, or 0 if no data are moved.
    answer: i32,
}

/// Locations of one drive's slots. They are computed, because a record for each slot would have to
/// be read from memory.
#[repr(align(32))]
struct DriveSlots {
    /// Start of the first slot's buffer.
    address: *mut u8,
    /// Bytes of a buffer.
    each: usize,
    /// The index of its first registered buffer.
    buffer: u16,
    /// Start of the range in use.
    base: u64,
}

/// One worker's ring. What every op needs comes first, in few cache lines: they are cold after a
/// worker has slept.
#[repr(C, align(64))]
pub struct UringContext<F: RequestForm> {
    /// Before the buffers to which it refers, so that it is dropped before them.
    ring: Ring<F::Sq, F::Cq>,
    in_flight: usize,
    /// The number of further single requests expected to complete within the call that submits
    /// them, as in memory.
    at_once: u32,
    /// The number of consecutive checks that found a completion when the call returned.
    prompt: u32,
    /// The number of slots that share a registered buffer, as an exponent.
    together: u32,
    nop: bool,
    /// Whether the kernel finds completions only in the worker's own calls, and ignores timeouts.
    polls: bool,
    batch: Batch,
    /// Slots by drive.
    places: Box<[DriveSlots]>,
    /// Requests by slot.
    sent: Box<[Sent]>,
    drives: ContextBuffers,
    form: F,
    clock: Clock,
}

// SAFETY: the addresses point into the buffers of `drives`, which the I/O context owns.
unsafe impl<F: RequestForm> Send for UringContext<F> {}

/// The parameters for opening an I/O context.
pub struct Parts {
    /// The open files, with a buffer for each slot.
    pub drives: ContextBuffers,
    /// Whether only NOPs are sent.
    pub nop: bool,
    /// Options of the ring.
    pub options: RingOptions,
    /// When completions are reaped.
    pub batch: Batch,
    /// Clock of the job.
    pub clock: Clock,
}

impl<F: RequestForm> UringContext<F> {
    /// Registers the ring, the buffers and the target descriptors.
    pub fn new(
        ring: IoUring<F::Sq, F::Cq>,
        form: F,
        descriptors: &[RawFd],
        parts: Parts,
    ) -> Result<UringContext<F>> {
        let Parts { mut drives, nop, options, batch, clock } = parts;
        let ring = Ring::new(ring);
        let together = ring.register(&mut drives, descriptors, F::BUFFERS_APART)?;
        let registered = (drives.depth as usize).div_ceil(1 << together);
        let bases = drives.files.iter().map(|file| file.base);
        let places = drives.buffers.iter_mut().zip(bases).enumerate().map(|(n, (own, base))| {
            let first = own.slot(0);
            let (each, address) = (first.len(), first.as_mut_ptr());
            DriveSlots { address, each, buffer: (n * registered) as u16, base }
        });
        let places = places.collect();
        let sent = vec![Sent::default(); drives.slots() as usize].into();
        let polls = options.poll != Poll::None && !options.sqpoll;
        Ok(UringContext {
            ring,
            drives,
            places,
            together,
            sent,
            form,
            nop,
            polls,
            batch,
            clock,
            in_flight: 0,
            at_once: 0,
            prompt: 0,
        })
    }

    /// The features granted by the kernel, for the disclosure: whether its ring is registered, and
    /// the pages of its buffers.
    pub fn given(&self) -> (bool, &'static str) {
        (self.ring.registered, self.drives.buffers[0].pages())
    }

    /// The ring, for queries before the load begins.
    pub fn ring(&mut self) -> &mut Ring<F::Sq, F::Cq> {
        &mut self.ring
    }

    /// The destination of a slot's requests.
    #[inline(always)]
    fn place(&self, slot: u32) -> SlotTarget {
        let drive = self.drives.drive(slot);
        let DriveSlots { address, each, buffer, base } = self.places[drive];
        let own = slot as usize - drive * self.drives.depth as usize;
        SlotTarget {
            slot,
            file: drive as u32,
            address: address.wrapping_add(own * each),
            buffer: buffer + (own >> self.together) as u16,
            base,
        }
    }

    #[cold]
    fn failed(&self, slot: u32, result: i32) -> Error {
        let Sent { at, len, answer } = self.sent[slot as usize];
        let file = &self.drives.files[self.place(slot).file as usize];
        match result >= 0 && answer > 0 {
            true => file.short("a request", at, result as usize, len),
            false => file.op_failed("a request", at, self.form.failure(result)),
        }
    }

    /// Submits and waits for a completion. Sleeping and waking takes longer than a fast drive, so
    /// the processor is first yielded a few times; the kernel sets a flag when a completion is
    /// available. If one is available as soon as the call returns, the next requests use a single
    /// call.
    #[inline(always)]
    fn submit_and_look_before_sleeping(&mut self) -> std::io::Result<()> {
        self.ring.submit(0)?;
        let mut ready = self.ring.is_ready();
        // A drive's completion is occasionally there already, if the host delayed the call.
        self.prompt = if ready { self.prompt.saturating_add(1) } else { 0 };
        self.at_once = if self.prompt >= PROMPT { AT_ONCE } else { 0 };
        for _ in 0..YIELDS {
            if ready {
                break;
            }
            std::thread::yield_now();
            ready = self.ring.is_ready();
        }
        if self.ring.has_answers() { Ok(()) } else { self.ring.submit(1) }
    }

    /// Polls for completions until there is one or the time is up.
    fn poll_until(&mut self, until_ns: u64) -> std::io::Result<()> {
        self.ring.submit(0)?;
        while !self.ring.has_answers() && self.clock.now_ns() < until_ns {
            self.ring.submit(0)?;
        }
        Ok(())
    }

    /// Submits staged requests and waits as specified.
    #[inline(always)]
    fn enter(&mut self, wait: Wait) -> Result<()> {
        let entered = match wait {
            Wait::No => self.ring.submit(0),
            Wait::One if self.polls => self.ring.submit(1),
            // A single request cannot have completed before: one call for both.
            Wait::One if self.in_flight == 1 && self.at_once > 0 => {
                self.at_once -= 1;
                self.ring.submit(1)
            }
            Wait::One if self.batch == Batch::Cpu && self.in_flight > 1 => {
                let several = self.in_flight.min(batching::COMPLETIONS);
                self.ring.submit_for_several(several, batching::WAIT_US)
            }
            Wait::Until(until_ns) if self.polls => self.poll_until(until_ns),
            Wait::One => self.submit_and_look_before_sleeping(),
            Wait::Until(until_ns) => {
                self.ring.submit_for(until_ns.saturating_sub(self.clock.now_ns()))
            }
        };
        match entered {
            Ok(()) => Ok(()),
            // The time is up, a signal arrived, or the completion queue must be emptied first: the
            // next turn continues.
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

    /// The entry is passed by value and used nowhere else, so that it is built where the kernel
    /// reads it: one that is first written to the stack in small parts stalls the processor when it
    /// is copied in large ones (measured, docs/benchmarks.md).
    #[inline(always)]
    fn push(&mut self, entry: F::Sq) -> Result<()> {
        if self.ring.is_full() {
            self.make_room()?;
        }
        // SAFETY: a slot's buffer is not touched until its completion has been reaped.
        if unsafe { self.ring.push(entry) } { Ok(()) } else { Err(no_room()) }
    }

    /// With `sqpoll`, a kernel thread takes requests off the queue asynchronously, so it may be
    /// full of requests that were submitted long ago.
    #[cold]
    fn make_room(&mut self) -> Result<()> {
        self.ring.make_room().context("waiting for room in the submission queue")
    }

    /// Queues an op that is neither a plain read nor a plain write, with its preceding requests.
    #[inline(never)]
    fn stage_other(&mut self, slot: u32, at: u64, op: &Op) -> Result<()> {
        let request = self.form.other(&self.place(slot), at, op);
        request.before.map_or(Ok(()), |before| self.push(before))?;
        self.sent[slot as usize].answer = request.answer;
        self.push(F::set_user_data(request.entry, u64::from(slot)))
    }

    /// Adds completions to `done`.
    #[inline(always)]
    fn reap(&mut self, done: &mut Vec<Completion>) -> Result<()> {
        let mut bad = None;
        let before = done.len();
        for completion in self.ring.answers() {
            let completion: cqueue::Entry = completion.into();
            let (data, result) = (completion.user_data(), completion.result());
            let (len, answer) = match (data >> LENGTH_FROM) as u32 {
                0 => {
                    let Sent { len, answer, .. } = self.sent[data as u32 as usize];
                    (len, answer)
                }
                len => (len, self.form.answer(len)),
            };
            if result != answer && !self.nop {
                // The flush of a pair is cancelled if its write failed, which completed first.
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
    /// After an error, ops are still in flight, and the kernel writes to their buffers until they
    /// end: closing a ring does not wait for them. It also releases the file later, when reopening
    /// a device exclusively could still fail.
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
        let place = self.place(slot);
        let at = place.base + op.at;
        let answer = self.form.answer(op.len);
        self.sent[slot as usize] = Sent { at, len: op.len, answer };
        self.in_flight += 1;
        if !self.nop {
            self.drives.stage(place.file as usize, slot, op)?;
        }
        let data = user_data(slot, op.len);
        // Each kind builds and pushes its own entry: see `push`.
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

    fn least_portion(&self) -> usize {
        match self.batch {
            Batch::Latency => LEAST_PORTION,
            // Completions reaped with one call are refilled with the next one.
            Batch::Cpu => MOST_PORTION,
        }
    }

    #[inline(always)]
    fn check(&mut self, done: &[Completion]) -> Result<()> {
        self.drives.check(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_comes_back_with_its_slot_or_not_at_all_and_never_in_part() {
        for (len, back) in [(0, 0), (4096, 4096), (i32::MAX as u32, i32::MAX as u32)] {
            assert_eq!(user_data(u32::MAX, len) >> LENGTH_FROM, u64::from(back));
        }
        for slot in [0, 7, u32::MAX] {
            for len in [4096, 1 << 31, u32::MAX] {
                assert_eq!(user_data(slot, len) as u32, slot);
                assert_eq!(user_data(slot, len) & FIRST_OF_PAIR, 0);
            }
        }
        // A read that the kernel truncates to 2 GiB less 4 KiB must not count as a complete one of
        // 4 GiB less 4 KiB.
        assert_eq!([1 << 31, u32::MAX - 4095].map(|len| user_data(3, len)), [3, 3]);
    }
}
