//! `uring`: io_uring with registered buffers and a registered file, batched submission and
//! completion.
//!
//! A ring belongs to one worker thread, which lets the kernel run completions there and nowhere
//! else (SINGLE_ISSUER and DEFER_TASKRUN, Linux 6.1); older kernels get the ring without. One
//! system call submits a turn's batch and waits.

use std::os::fd::AsRawFd;
use std::sync::Arc;

use io_uring::{IoUring, opcode, squeue, types};

use super::blockfile::{BlockFile, Buffers, COMPRESSIBLE, OFFSET, SIZE, largest_op};
use super::uring_commands::{self as commands, FIRST_OF_PAIR};
use super::{Engine, Site, Target};
use crate::base::clock::Clock;
use crate::base::error::{Context, Error, Result, failed};
use crate::base::rng::Seed;
use crate::load::{AnyLane, Done, Lane, Op, OpKind, Space, Wait};
use crate::plan::{DefaultValue, Family, Info, Kind, Knob, Stream};
use crate::record::Fact;

/// How often the processor is offered to others before a wait for a completion sleeps: measured,
/// docs/benchmarks.md.
const YIELDS: u32 = 2;

/// The engine `uring`.
pub struct Uring;

static INFO: Info = Info {
    name: "uring",
    summary: "io_uring with registered buffers and file, batched",
    family: Family::Block,
    writes: false,
    max_depth: 4096,
    knobs: &[
        SIZE,
        Knob {
            name: "direct",
            kind: Kind::Bool,
            default: DefaultValue::Is("true"),
            doc: "Open with O_DIRECT, past the page cache.",
        },
        OFFSET,
        COMPRESSIBLE,
        Knob {
            name: "nop",
            kind: Kind::Bool,
            default: DefaultValue::Is("false"),
            doc: "Send NOP requests in place of reads and writes: what the engine itself costs.",
        },
    ],
    source: "",
};

impl Engine for Uring {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &Site<'_>) -> Result<Box<dyn Target>> {
        let file = Arc::new(BlockFile::open(site)?);
        Ok(Box::new(UringTarget { file, nop: site.knobs.flag("nop")?, clock: site.clock }))
    }
}

struct UringTarget {
    file: Arc<BlockFile>,
    nop: bool,
    clock: Clock,
}

impl Target for UringTarget {
    fn space(&self) -> Space {
        self.file.space()
    }

    fn lane(&self, stream: &Stream, thread: u32) -> Result<Box<dyn AnyLane>> {
        let depth = stream.depth;
        let seed = Seed::new(0, 1, u64::from(thread));
        let mut buffers = Buffers::new(depth, largest_op(stream)?, self.file.compressible, seed)?;
        // A write with the flush that follows it is two requests.
        let mut ring = ring(if commands::pairs(stream) { 2 * depth } else { depth })?;
        let addresses: Vec<*mut u8> =
            (0..depth).map(|slot| buffers.slot(slot).as_mut_ptr()).collect();
        register(&ring, &mut buffers, &self.file, depth)?;
        if !self.nop {
            commands::check(&mut ring, &self.file, stream)?;
        }
        let ops = vec![InFlight::default(); depth as usize];
        let (file, nop, clock) = (Arc::clone(&self.file), self.nop, self.clock);
        Ok(Box::new(UringLane { ring, buffers, addresses, file, nop, clock, ops, in_flight: 0 }))
    }

    fn sync(&self) -> Result<()> {
        self.file.sync()
    }

    fn facts(&self) -> Vec<Fact> {
        self.file.facts("uring")
    }
}

/// A ring with everything that the kernel has to make it cheap.
fn ring(depth: u32) -> Result<IoUring> {
    let entries = depth.next_power_of_two();
    let best = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .build(entries);
    let ring = match best {
        Err(cause) if cause.raw_os_error() == Some(libc::EINVAL) => IoUring::new(entries),
        other => other,
    };
    ring.map_err(|cause| {
        let hint = match cause.raw_os_error() {
            Some(libc::EPERM) => {
                "io_uring is switched off here: try `sysctl -w kernel.io_uring_disabled=0`"
            }
            Some(libc::ENOSYS) => {
                "this kernel has no io_uring: use the engine psync, or Linux 5.11 and later"
            }
            Some(libc::ENOMEM) => "raise the limit of locked memory: `ulimit -l unlimited`",
            _ => "lower the depth, or use the engine psync",
        };
        failed(format!("cannot make an io_uring of {entries} entries: {cause}"), hint)
    })
}

fn register(ring: &IoUring, buffers: &mut Buffers, file: &BlockFile, depth: u32) -> Result<()> {
    let iovecs: Vec<libc::iovec> = (0..depth)
        .map(|slot| {
            let data = buffers.slot(slot);
            libc::iovec { iov_base: data.as_mut_ptr().cast(), iov_len: data.len() }
        })
        .collect();
    // SAFETY: the buffers live in the lane beside the ring and are dropped after it (field order in
    // `UringLane`).
    unsafe { ring.submitter().register_buffers(&iovecs) }.map_err(|e| {
        failed(
            format!("registering buffers: {e}"),
            "raise the limit of locked memory: `ulimit -l unlimited`",
        )
    })?;
    ring.submitter()
        .register_files(&[file.file.as_raw_fd()])
        .context("registering the file with io_uring")
}

/// What a slot's request is, for errors and short transfers.
#[derive(Clone, Copy, Default)]
struct InFlight {
    at: u64,
    len: u32,
    /// What the kernel answers when all went well: the length, or 0 where no data are moved.
    answer: i32,
}

struct UringLane {
    /// First, so that it is dropped before the buffers that it refers to.
    ring: IoUring,
    buffers: Buffers,
    addresses: Vec<*mut u8>,
    file: Arc<BlockFile>,
    nop: bool,
    clock: Clock,
    /// By slot.
    ops: Vec<InFlight>,
    in_flight: u32,
}

// SAFETY: the addresses point into `buffers`, which the lane owns.
unsafe impl Send for UringLane {}

impl UringLane {
    #[cold]
    fn failed(&self, slot: u32, result: i32) -> Error {
        let InFlight { at, len, .. } = self.ops[slot as usize];
        if result < 0 {
            self.file.op_failed("a request", at, std::io::Error::from_raw_os_error(-result))
        } else {
            self.file.short("a request", at, result as usize, len)
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

    /// Submits what is staged and waits as long as is said.
    #[inline(always)]
    fn enter(&mut self, wait: Wait) -> Result<()> {
        let entered = match wait {
            Wait::No => self.ring.submit(),
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
}

impl UringLane {
    #[inline(always)]
    fn push(&mut self, entry: &squeue::Entry) -> Result<()> {
        // SAFETY: the buffer of a slot is not touched until its completion has been reaped.
        let pushed = unsafe { self.ring.submission().push(entry) };
        pushed.map_err(|_| {
            failed("the submission queue is full", "this is a defect of Dyno: please report it")
        })
    }

    /// Queues what comes before an op that is neither a plain read nor a plain write, and returns
    /// its own request.
    #[inline(never)]
    fn command(&mut self, slot: u32, op: &Op) -> Result<squeue::Entry> {
        if op.kind.sends_data() {
            self.buffers.stamp(slot, op);
        }
        let address = self.addresses[slot as usize];
        let (before, entry) = commands::entries(&self.file, (slot, address), op);
        before.map_or(Ok(()), |before| self.push(&before))?;
        Ok(entry)
    }

    /// Adds what has completed to `done`.
    #[inline(always)]
    fn reap(&mut self, done: &mut Vec<Done>) -> Result<()> {
        let mut bad = None;
        for completion in self.ring.completion() {
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

impl Lane for UringLane {
    #[inline(always)]
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        let (fd, address) = (types::Fixed(0), self.addresses[slot as usize]);
        let at = self.file.base + op.at;
        let mut answer = op.len as i32;
        let entry: squeue::Entry = if self.nop {
            opcode::Nop::new().build()
        } else if op.kind == OpKind::Write {
            self.buffers.stamp(slot, op);
            opcode::WriteFixed::new(fd, address, op.len, slot as u16).offset(at).build()
        } else if op.kind == OpKind::Read {
            opcode::ReadFixed::new(fd, address, op.len, slot as u16).offset(at).build()
        } else {
            // Only a write answers with its length; of a pair the flush is what answers.
            answer = if op.kind == OpKind::WriteFua { answer } else { 0 };
            self.command(slot, op)?
        };
        self.ops[slot as usize] = InFlight { at, len: op.len, answer };
        self.in_flight += 1;
        self.push(&entry.user_data(u64::from(slot)))
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
}
