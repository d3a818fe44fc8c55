//! `libaio`: the kernel's older asynchronous interface (io_submit, io_getevents), for kernels
//! without io_uring and for comparison with results that were made with it. Only direct I/O is
//! asynchronous there: through the page cache io_submit itself waits.
//!
//! Reads, writes and writes with FUA are asynchronous. The rest (flush, write with its fdatasync,
//! trim, write zeroes) the worker executes itself, one at a time and in its place: a flush begins
//! when the ops before it are complete.
//!
//! The system calls are made directly, so that no C library is needed.

use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::block_buffers::{Buffers, check};
use super::block_commands as commands;
use super::blockfile::{BlockFile, COMPRESSIBLE, OFFSET, SIZE};
use super::dedupe::{DEDUPE, DEDUPE_UNIT};
use super::recheck;
use super::verify::{JOURNAL, VERIFY};
use super::{Engine, Site, Target, all_of};
use crate::base::clock::Clock;
use crate::base::error::{Error, Result, failed};
use crate::base::rng::Seed;
use crate::load::{AnyLane, Done, Lane, Op, OpKind, Space, Wait};
use crate::plan::{DefaultValue, Family, Info, Kind, Knob, Stream, Writes};
use crate::record::Fact;

/// The engine `libaio`.
pub struct Libaio;

static INFO: Info = Info {
    name: "libaio",
    summary: "io_submit and io_getevents, batched",
    family: Family::Block,
    writes: Writes::Never,
    max_depth: 4096,
    knobs: &[
        SIZE,
        Knob {
            name: "direct",
            kind: Kind::Bool,
            default: DefaultValue::Is("true"),
            doc: "Open with O_DIRECT, bypassing the page cache. Without it, submitting a request \
                waits for it.",
        },
        OFFSET,
        COMPRESSIBLE,
        DEDUPE,
        DEDUPE_UNIT,
        VERIFY,
        JOURNAL,
    ],
    source: "",
};

impl Engine for Libaio {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &Site<'_>) -> Result<Box<dyn Target>> {
        Ok(Box::new(LibaioTarget { file: Arc::new(BlockFile::open(site)?), clock: site.clock }))
    }
}

struct LibaioTarget {
    file: Arc<BlockFile>,
    clock: Clock,
}

impl Target for LibaioTarget {
    fn space(&self) -> Space {
        self.file.space()
    }

    fn lane(&self, stream: &Stream, thread: u32) -> Result<Box<dyn AnyLane>> {
        self.lane_on(&[self], stream, thread)
    }

    /// One context, many files.
    fn lane_on(
        &self,
        targets: &[&dyn Target],
        stream: &Stream,
        thread: u32,
    ) -> Result<Box<dyn AnyLane>> {
        let files =
            all_of::<LibaioTarget>(targets)?.into_iter().map(|drive| Arc::clone(&drive.file));
        let files: Vec<Arc<BlockFile>> = files.collect();
        files.iter().try_for_each(|file| commands::check(file, stream))?;
        let seed = Seed::new(0, 1, u64::from(thread));
        let slots = stream.depth * files.len() as u32;
        let depth = slots as usize;
        let buffers = files.iter().map(|file| Buffers::new(file, stream, seed));
        let mut buffers = buffers.collect::<Result<Vec<Buffers>>>()?;
        let request = |slot: u32| Request {
            data: u64::from(slot),
            file: files[(slot / stream.depth) as usize].file.as_raw_fd() as u32,
            buffer: buffers[(slot / stream.depth) as usize].slot(slot % stream.depth).as_mut_ptr()
                as u64,
            ..Request::default()
        };
        let mut requests: Vec<Request> = (0..slots).map(request).collect();
        let addresses = requests.iter_mut().map(|request| request as *mut Request).collect();
        Ok(Box::new(LibaioLane {
            context: Context::new(slots)?,
            buffers,
            requests,
            addresses,
            staged: Vec::with_capacity(depth),
            later: Vec::with_capacity(depth),
            events: vec![Event::default(); depth],
            depth: stream.depth,
            files,
            clock: self.clock,
            in_flight: 0,
        }))
    }

    fn recheck(&self, stop: &AtomicBool, look_on: &mut dyn FnMut(u64, u64)) -> Result<Option<u64>> {
        recheck::all(&self.file, stop, look_on)
    }

    fn sync(&self) -> Result<()> {
        self.file.sync()
    }

    fn window_closed(&self) -> Vec<Fact> {
        self.file.verified()
    }

    fn facts(&self) -> Vec<Fact> {
        self.file.facts("libaio")
    }
}

/// `struct iocb` of linux/aio_abi.h.
#[repr(C)]
#[derive(Default)]
struct Request {
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

/// `aio_context_t`; destroying it waits for what is under way.
struct Context(libc::c_ulong);

impl Context {
    fn new(depth: u32) -> Result<Context> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the kernel writes one context there, which is zero as it asks.
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
        Err(failed(format!("cannot make an aio context of {depth} requests: {cause}"), hint))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context was made in `new` and is destroyed once.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}

struct LibaioLane {
    /// First, so that what is under way has ended before its buffers are dropped.
    context: Context,
    /// By drive.
    buffers: Vec<Buffers>,
    requests: Vec<Request>,
    /// Of each slot's request: the vector above is never resized.
    addresses: Vec<*mut Request>,
    staged: Vec<*mut Request>,
    /// From the first op on that the worker executes itself, in their order.
    later: Vec<(u32, Op)>,
    events: Vec<Event>,
    /// Slots for each drive.
    depth: u32,
    /// By drive.
    files: Vec<Arc<BlockFile>>,
    clock: Clock,
    in_flight: usize,
}

// SAFETY: the addresses point into `requests`, which the lane owns.
unsafe impl Send for LibaioLane {}

impl LibaioLane {
    #[inline(always)]
    fn file(&self, slot: u32) -> &Arc<BlockFile> {
        &self.files[(slot / self.depth) as usize]
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

    /// Submits all that is staged; the kernel may take a part at a time.
    #[inline(always)]
    fn submit(&mut self) -> Result<()> {
        let mut from = 0;
        while from < self.staged.len() {
            let rest = &mut self.staged[from..];
            // SAFETY: each request and its buffer live in the lane until its event has come.
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
        // SAFETY: the events have room for as many as are asked for.
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
            // A signal came: the next turn goes on.
            Some(libc::EINTR) => Ok(0),
            _ => Err(failed(format!("io_getevents failed: {cause}"), "try the engine psync")),
        }
    }
}

/// Whether the kernel executes it while the worker goes on.
#[inline(always)]
fn is_asynchronous(kind: OpKind) -> bool {
    matches!(kind, OpKind::Read | OpKind::Write | OpKind::WriteFua)
}

impl LibaioLane {
    /// Collects what has completed.
    #[inline(always)]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<()> {
        let came = self.events(wait)?;
        self.in_flight -= came;
        let mut bad = None;
        for event in &self.events[..came] {
            let slot = event.data as usize;
            let bytes = self.requests[slot].bytes;
            if event.result != bytes as i64 {
                bad = Some((slot, event.result));
            }
            done.push(Done { slot: slot as u32, bytes: bytes as u32, hit: true, given_up: false });
        }
        bad.map_or(Ok(()), |(slot, result)| Err(self.failed(slot, result)))
    }

    /// Executes the ops from the first one on that the worker does itself.
    #[inline(never)]
    fn in_order(&mut self, done: &mut Vec<Done>) -> Result<()> {
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
            self.execute(slot, &op)?;
            done.push(Done { slot, bytes: op.len, hit: true, given_up: false });
        }
        self.later.clear();
        self.submit()
    }

    fn execute(&mut self, slot: u32, op: &Op) -> Result<()> {
        let file = Arc::clone(self.file(slot));
        let at = file.base + op.at;
        let (name, result) = match op.kind {
            OpKind::WriteFlush => {
                let own = &mut self.buffers[(slot / self.depth) as usize];
                let data = &own.slot(slot % self.depth)[..op.len as usize];
                let written = file.file.write_at(data, at).and_then(|bytes| {
                    commands::flush(&file.file)?;
                    Ok(bytes)
                });
                match written {
                    Ok(bytes) if bytes < data.len() => {
                        return Err(file.short("writing and flushing", at, bytes, op.len));
                    }
                    written => ("writing and flushing", written.map(drop)),
                }
            }
            OpKind::Trim => ("a trim", commands::trim(&file, at, op.len)),
            OpKind::WriteZeroes => ("writing zeroes", commands::write_zeroes(&file, at, op.len)),
            _ => ("a flush", commands::flush(&file.file)),
        };
        result.map_err(|cause| file.op_failed(name, at, cause))
    }
}

impl Lane for LibaioLane {
    #[inline(always)]
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        let base = self.file(slot).base;
        self.buffers[(slot / self.depth) as usize].stage(slot % self.depth, op)?;
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
    fn run(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<()> {
        self.submit()?;
        if !self.later.is_empty() {
            self.in_order(done)?;
        }
        if self.in_flight == 0 {
            return Ok(());
        }
        self.reap(if done.is_empty() { wait } else { Wait::No }, done)
    }

    #[inline(always)]
    fn check(&mut self, done: &[Done]) -> Result<()> {
        check(&mut self.buffers, self.depth, done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_events_are_laid_out_as_the_kernel_has_them() {
        assert_eq!((size_of::<Request>(), size_of::<Event>()), (64, 32));
        assert_eq!(std::mem::offset_of!(Request, opcode), 16);
        assert_eq!(std::mem::offset_of!(Request, offset), 40);
    }
}
