//! `libaio`: the kernel's older asynchronous interface (io_submit, io_getevents), for kernels
//! without io_uring and for comparison with earlier results. It is asynchronous only with direct
//! I/O: through the page cache io_submit itself blocks.
//!
//! Reads, writes and writes with FUA are asynchronous. The worker executes the others (flush, write
//! with fdatasync, trim, write zeroes) itself, one at a time and in order: a flush starts when the
//! ops before it have completed.
//!
//! The system calls are made directly, so no C library is needed.

use std::os::fd::AsRawFd;
use std::sync::Arc;

use super::block_buffers::ContextBuffers;
use super::block_target::{BlockTarget, block_knobs};
use super::blockfile::{self, BlockFile};
use super::{DatasetAccess, Engine, Target, block_commands as commands};
use crate::base::clock::Clock;
use crate::base::error::{Error, Result, failed};
use crate::measure::{AddressSpace, AnyIoContext, Completion, IoContext, Op, OpKind, Wait};
use crate::plan::{Info, Knobs, RequestFamily, Stream, Writes};

/// The engine `libaio`.
pub struct Libaio;

static INFO: Info = Info {
    name: "libaio",
    summary: "io_submit and io_getevents, batched",
    family: RequestFamily::Block,
    writes: Writes::Never,
    max_depth: 4096,
    knobs: block_knobs!(
        "true",
        "Open with O_DIRECT, bypassing the page cache. Without it, submitting a request waits for \
         it."
    ),
    source: "",
};

impl Engine for Libaio {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn planned_space(&self, knobs: &Knobs) -> Option<AddressSpace> {
        blockfile::planned_space(knobs)
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        Ok(Box::new(LibaioTarget { file: Arc::new(BlockFile::open(site)?), clock: site.clock }))
    }
}

struct LibaioTarget {
    file: Arc<BlockFile>,
    clock: Clock,
}

impl BlockTarget for LibaioTarget {
    const ENGINE: &'static str = "libaio";

    fn file(&self) -> &Arc<BlockFile> {
        &self.file
    }

    /// One context, many files.
    fn open_io_context(
        targets: &[&Self],
        stream: &Stream,
        thread: u32,
    ) -> Result<Box<dyn AnyIoContext>> {
        let files: Vec<_> = targets.iter().map(|target| Arc::clone(&target.file)).collect();
        files.iter().try_for_each(|file| commands::check(file, stream))?;
        let mut drives = ContextBuffers::new(files, stream, thread)?;
        let slots = drives.slots();
        let request = |slot: u32| AioControlBlock {
            data: u64::from(slot),
            file: drives.files[drives.drive(slot)].file.as_raw_fd() as u32,
            buffer: drives.slot(slot).as_mut_ptr() as u64,
            ..AioControlBlock::default()
        };
        let mut requests: Vec<AioControlBlock> = (0..slots).map(request).collect();
        let addresses =
            requests.iter_mut().map(|request| request as *mut AioControlBlock).collect();
        Ok(Box::new(LibaioContext {
            context: Context::new(slots)?,
            drives,
            requests,
            addresses,
            staged: Vec::with_capacity(slots as usize),
            later: Vec::with_capacity(slots as usize),
            events: vec![Event::default(); slots as usize],
            clock: targets[0].clock,
            in_flight: 0,
        }))
    }
}

/// `struct iocb` of linux/aio_abi.h.
#[repr(C)]
#[derive(Default)]
struct AioControlBlock {
    data: u64,
    #[cfg(target_endian = "little")]
    key: u32,
    flags: i32,
    #[cfg(target_endian = "big")]
    key: u32,
    opcode: u16,
    priority: i16,
    file: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    more_flags: u32,
    event_file: u32,
}

/// `struct io_event` of linux/aio_abi.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Event {
    data: u64,
    request: u64,
    result: i64,
    second: i64,
}

/// `IOCB_CMD_PREAD` and `IOCB_CMD_PWRITE` of linux/aio_abi.h.
const READ: u16 = 0;
const WRITE: u16 = 1;

/// `aio_context_t`; destroying it waits for requests in flight.
struct Context(libc::c_ulong);

impl Context {
    fn new(depth: u32) -> Result<Context> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the kernel writes one context there, which is zero as required.
        let made = unsafe { libc::syscall(libc::SYS_io_setup, depth, &raw mut context) };
        if made == 0 {
            return Ok(Context(context));
        }
        let cause = std::io::Error::last_os_error();
        let hint = match cause.raw_os_error() {
            Some(libc::EAGAIN) => {
                "raise the limit of asynchronous requests: `sysctl -w fs.aio-max-nr=1048576`"
            }
            Some(libc::ENOSYS) => "this kernel has no asynchronous I/O: use the engine psync",
            _ => "lower the depth, or use the engine uring or psync",
        };
        Err(failed(format!("cannot create an aio context of {depth} requests: {cause}"), hint))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context was created in `new` and is destroyed once.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}

struct LibaioContext {
    /// First, so that requests in flight have ended before their buffers are dropped.
    context: Context,
    drives: ContextBuffers,
    requests: Vec<AioControlBlock>,
    /// Address of each slot's request: the vector above is never resized.
    addresses: Vec<*mut AioControlBlock>,
    staged: Vec<*mut AioControlBlock>,
    /// Pending ops, starting with the first that the worker executes itself, in order.
    later: Vec<(u32, Op)>,
    events: Vec<Event>,
    clock: Clock,
    in_flight: usize,
}

// SAFETY: the addresses point into `requests`, which the I/O context owns.
unsafe impl Send for LibaioContext {}

impl LibaioContext {
    #[inline(always)]
    fn file(&self, slot: u32) -> &Arc<BlockFile> {
        &self.drives.files[self.drives.drive(slot)]
    }

    #[cold]
    fn failed(&self, slot: usize, result: i64) -> Error {
        let (request, file) = (&self.requests[slot], self.file(slot as u32));
        let at = request.offset as u64;
        if result < 0 {
            let cause = std::io::Error::from_raw_os_error(-result as i32);
            file.op_failed("a request", at, cause)
        } else {
            file.short("a request", at, result as usize, request.bytes as u32)
        }
    }

    /// Submits all staged ops; the kernel may accept some at a time.
    #[inline(always)]
    fn submit(&mut self) -> Result<()> {
        let mut from = 0;
        while from < self.staged.len() {
            let rest = &mut self.staged[from..];
            // SAFETY: each request and its buffer live in the I/O context until its event has been
            // received.
            let taken = unsafe {
                libc::syscall(libc::SYS_io_submit, self.context.0, rest.len(), rest.as_mut_ptr())
            };
            if taken >= 0 {
                from += taken as usize;
                self.in_flight += taken as usize;
                continue;
            }
            let cause = std::io::Error::last_os_error();
            match cause.raw_os_error() {
                // The device's queue is full for now.
                Some(libc::EAGAIN | libc::EINTR) => std::thread::yield_now(),
                _ => {
                    self.staged.clear();
                    return Err(failed(format!("io_submit failed: {cause}"), "try engine psync"));
                }
            }
        }
        self.staged.clear();
        Ok(())
    }

    /// The available events, after waiting for the first as specified.
    #[inline(always)]
    fn events(&mut self, wait: Wait) -> Result<usize> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let (least, limit) = match wait {
            Wait::No => (0, &raw mut time),
            Wait::One => (1, std::ptr::null_mut()),
            Wait::Until(until_ns) => {
                let left_ns = until_ns.saturating_sub(self.clock.now_ns());
                time.tv_sec = (left_ns / 1_000_000_000) as libc::time_t;
                time.tv_nsec = (left_ns % 1_000_000_000) as libc::c_long;
                (1, &raw mut time)
            }
        };
        // SAFETY: the events have room for the number requested.
        let came = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.context.0,
                least as libc::c_long,
                self.events.len() as libc::c_long,
                self.events.as_mut_ptr(),
                limit,
            )
        };
        if came >= 0 {
            return Ok(came as usize);
        }
        let cause = std::io::Error::last_os_error();
        match cause.raw_os_error() {
            // A signal arrived: the next turn continues.
            Some(libc::EINTR) => Ok(0),
            _ => Err(failed(format!("io_getevents failed: {cause}"), "try the engine psync")),
        }
    }
}

/// Whether the kernel executes it asynchronously.
#[inline(always)]
fn is_asynchronous(kind: OpKind) -> bool {
    matches!(kind, OpKind::Read | OpKind::Write | OpKind::WriteFua)
}

impl LibaioContext {
    /// Collects what has completed.
    #[inline(always)]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        let came = self.events(wait)?;
        self.in_flight -= came;
        let mut bad = None;
        for event in &self.events[..came] {
            let slot = event.data as usize;
            let bytes = self.requests[slot].bytes;
            if event.result != bytes as i64 {
                bad = Some((slot, event.result));
            }
            done.push(Completion {
                slot: slot as u32,
                bytes: bytes as u32,
                hit: true,
                given_up: false,
            });
        }
        bad.map_or(Ok(()), |(slot, result)| Err(self.failed(slot, result)))
    }

    /// Executes ops from the first one that the worker handles itself.
    #[inline(never)]
    fn in_order(&mut self, done: &mut Vec<Completion>) -> Result<()> {
        for next in 0..self.later.len() {
            let (slot, op) = self.later[next];
            if is_asynchronous(op.kind) {
                self.staged.push(self.addresses[slot as usize]);
                continue;
            }
            self.submit()?;
            while op.kind == OpKind::Flush && self.in_flight > 0 {
                self.reap(Wait::One, done)?;
            }
            let file = Arc::clone(self.file(slot));
            commands::execute(&file, &op, self.drives.slot(slot))?;
            done.push(Completion { slot, bytes: op.len, hit: true, given_up: false });
        }
        self.later.clear();
        self.submit()
    }
}

impl IoContext for LibaioContext {
    #[inline(always)]
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        let drive = self.drives.drive(slot);
        let base = self.drives.files[drive].base;
        self.drives.stage(drive, slot, op)?;
        let request = &mut self.requests[slot as usize];
        request.opcode = if op.kind == OpKind::Read { READ } else { WRITE };
        request.flags = if op.kind == OpKind::WriteFua { libc::RWF_DSYNC } else { 0 };
        request.bytes = u64::from(op.len);
        request.offset = (base + op.at) as i64;
        if is_asynchronous(op.kind) && self.later.is_empty() {
            self.staged.push(self.addresses[slot as usize]);
        } else {
            self.later.push((slot, *op));
        }
        Ok(())
    }

    #[inline(always)]
    fn run(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        self.submit()?;
        if !self.later.is_empty() {
            self.in_order(done)?;
        }
        if self.in_flight == 0 {
            return Ok(());
        }
        self.reap(if done.is_empty() { wait } else { Wait::No }, done)
    }

    /// One, as in fio: a disk with a queue depth of 32 reached 1.03 times the IOPS that it reached
    /// with portions of four (docs/benchmarks.md).
    fn least_portion(&self) -> usize {
        1
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
    fn requests_and_events_are_laid_out_as_the_kernel_has_them() {
        assert_eq!((size_of::<AioControlBlock>(), size_of::<Event>()), (64, 32));
        assert_eq!(std::mem::offset_of!(AioControlBlock, opcode), 16);
        assert_eq!(std::mem::offset_of!(AioControlBlock, offset), 40);
    }
}
