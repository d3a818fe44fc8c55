//! The host that loses power: threads that write sealed blocks, make them durable, and send each
//! acknowledgement before they continue.
//!
//! Writes go through io_uring with direct I/O, one at a time for each thread: its `RWF_DSYNC` is
//! one write with FUA if the drive has it, whereas pwritev2 on a block device adds a flush, which
//! would hide a drive that ignores FUA.

use std::fs::File;
use std::io::{Read, Write as _};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread::Builder;
use std::time::Duration;

use io_uring::{IoUring, opcode, types};
use rustix::fs::{OFlags, fcntl_setfl, fdatasync};

use super::journal::{DurabilityRequests, JournalRecord, Write, opening};
use super::session::{LAYOUT, ThreadDurability, VERSION, WriteSession};
use dyno_core::base::block_seal;
use dyno_core::base::clock::Clock;
use dyno_core::base::error::{Context, Error, Result, bail, failed};
use dyno_core::lab::drive::atomic::AtomicWrites;
use dyno_core::lab::drive::drives::model_and_firmware;
use dyno_core::lab::drive::exclusive::Exclusive;
use dyno_core::lab::drive::write_cache;
use dyno_core::lab::folder::data;
use dyno_core::lab::guard::disk::Disk;
use dyno_core::lab::machine::processors::{self, Processors};
use dyno_core::lab::machine::task_limit::TaskLimit;
use dyno_core::plan::{Drive, DrivePlace, Load, Plan, Step, Stream, Subject};
use dyno_core::run::admit::{Leftovers, admit};
use dyno_core::run::datasets::before::Before;

/// Time for the listener to accept a session.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes per write of the layout.
const LAYOUT_BYTES: usize = 1 << 20;

/// Memory alignment for direct I/O.
const ALIGN: usize = 4096;

/// Writes until the power fails, the listener disconnects, or `stop` is set. `say` receives
/// messages.
pub fn write(
    plan: &Plan,
    stop: &AtomicBool,
    clock: Clock,
    say: &mut dyn FnMut(&str),
) -> Result<()> {
    let (subject, drive) = only_drive(plan)?;
    let step = only_step(plan)?;
    let cuts = plan.powercut.as_ref().ok_or_else(|| {
        failed(
            "the plan does not say where acknowledgements go",
            "add [powercut] with listener = \"HOST:PORT\" and cut = [\"COMMAND\", …]",
        )
    })?;
    let mut session = describe(subject, drive, step)?;
    let pins = admit(plan, &Before::default(), (true, Leftovers::Remove), clock)?;
    let held = Exclusive::take(&pins.drive(drive))?;
    let here = held.disk.bytes();
    size(&mut session, step, here)?;
    session.logical_bytes = held.disk.logical_block_bytes();
    let atomic = AtomicWrites::of_drive(&held.disk.whole(), session.logical_bytes);
    session.atomic_bytes = atomic.bytes;
    session.atomic_boundary_bytes = atomic.boundary_bytes;
    // The range's addresses are those of a partition if the drive is one.
    session.atomic_offset_bytes = atomic.offset_bytes;
    session.check()?;
    let file = held.file();
    fcntl_setfl(file, OFlags::DIRECT).context("asking for direct I/O")?;
    // Nothing is erased before the listener has accepted.
    let socket = call(&cuts.listener, &session)?;
    let counted = RequestCount::begin(&held.disk.whole(), &session, say);
    say(&format!("session {:016x}: laying out {} blocks", session.identity, session.blocks));
    lay_out(file, &session, stop)?;
    let sent = counted.so_far();
    let line = ListenerLink { socket: Mutex::new(socket), stop };
    sent.map_or(Ok(()), |sent| line.send(JournalRecord::Requests(sent)))?;
    line.send(JournalRecord::LaidOut)?;
    say("writing; the listener cuts the power");
    let first_failure = Mutex::new(None);
    let fail = |error| {
        line.stop.store(true, Relaxed);
        first_failure.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(error);
    };
    std::thread::scope(|scope| {
        let threads = session.threads.len();
        for thread in 0..threads {
            let (session, line, counted, fail) = (&session, &line, &counted, &fail);
            let body = move || work(file, session, thread, (line, counted)).unwrap_or_else(fail);
            if let Err(cause) = Builder::new().spawn_scoped(scope, body) {
                fail(TaskLimit::exceeded(thread as u64, threads as u64, &cause));
                break;
            }
        }
        counted.report(&line, clock).unwrap_or_else(fail);
    });
    let failure = first_failure.into_inner().unwrap_or_else(|e| e.into_inner());
    failure.map_or(Ok(()), Err)
}

fn only_drive(plan: &Plan) -> Result<(&Subject, &Drive)> {
    match &plan.subjects[..] {
        [subject] if subject.drives.len() == 1 => match &subject.drives[0].place {
            DrivePlace::Device { .. } => Ok((subject, &subject.drives[0])),
            DrivePlace::Directory(path) => Err(failed(
                format!("{} is a directory, and a cut is judged on a bare drive", path.display()),
                "use a block device: device = …, serial = …, erase = true",
            )),
        },
        _ => Err(failed(
            "a session of power-cut writes has one subject with one drive",
            "write a plan for each drive",
        )),
    }
}

fn only_step(plan: &Plan) -> Result<&Step> {
    let protocol = &plan.protocol;
    if !protocol.prepare.is_empty() || protocol.preparation != Default::default() {
        return Err(failed(
            "power-cut writes lay their range out themselves, and the protocol has [prepare]",
            "omit it; prepare the drive with `dyno run` and a separate plan",
        ));
    }
    match &protocol.steps[..] {
        [step] if step.sweep.is_none() => Ok(step),
        _ => Err(failed(
            "a session of power-cut writes has one step without a sweep",
            "use the protocol \"powercut\", or write one like it",
        )),
    }
}

/// The session for a step on a drive, without its size.
fn describe(subject: &Subject, drive: &Drive, step: &Step) -> Result<WriteSession> {
    let read = |path: &str| {
        std::fs::read_to_string(path).map(|text| text.trim().to_string()).context(path.to_string())
    };
    let drawn = data::identity()?;
    let mut halves = drawn.split('-').map(|part| u64::from_str_radix(part, 16).unwrap_or(0));
    let mut threads = Vec::new();
    let mut block_bytes = None;
    for stream in &step.streams {
        let (block, manner) = manner(stream)?;
        if *block_bytes.get_or_insert(block) != block {
            return Err(failed(
                "its streams write blocks of two sizes",
                "give them one block size",
            ));
        }
        threads.extend(std::iter::repeat_n(manner, stream.threads as usize));
    }
    let (serial, disk) = match &drive.place {
        DrivePlace::Device { serial, path, .. } => (serial.clone(), Disk::of(path)?.whole()),
        DrivePlace::Directory(_) => bail!("a directory has no serial number"),
    };
    let (model, firmware) = model_and_firmware(&disk);
    let own = write_cache::of_drive(&disk).map_or("unknown".to_string(), |own| own.to_string());
    Ok(WriteSession {
        version: VERSION,
        dyno_version: env!("CARGO_PKG_VERSION").to_string(),
        identity: halves.next_back().unwrap_or(0),
        seed: halves.next().unwrap_or(0),
        host: read("/proc/sys/kernel/hostname")?,
        boot_id: read(super::checker::BOOT_ID)?,
        subject: subject.name.clone(),
        serial,
        model,
        firmware,
        write_cache: own,
        kernel_cache: write_cache::of_kernel(&disk).unwrap_or("unknown".to_string()),
        kernel_fua: write_cache::kernel_sends_fua(&disk),
        offset: 0,
        logical_bytes: 0,
        atomic_bytes: 0,
        atomic_boundary_bytes: 0,
        atomic_offset_bytes: 0,
        block_bytes: block_bytes.unwrap_or(0),
        blocks: 0,
        threads,
        warmup_ns: step.warmup_ns,
        window_ns: step.duration_ns,
    })
}

/// The block size of a stream and the durability of its writes.
fn manner(stream: &Stream) -> Result<(u32, ThreadDurability)> {
    let knobs = &stream.workload.knobs;
    let refused = |what: &str, next: &str| {
        failed(format!("stream '{}' {what}, which power-cut writes do not", stream.name), next)
    };
    let plain = stream.workload.name == "random"
        && knobs.float("read")? == 0.0
        && ["trim", "write_zeroes", "flush"].iter().all(|k| knobs.float(k).unwrap_or(0.0) == 0.0);
    if !plain {
        return Err(refused(
            "does something besides random writes",
            "use workload = { kind = \"random\", read = 0, … }",
        ));
    }
    if stream.depth != 1 || stream.instances != 1 || stream.load != Load::Closed {
        return Err(refused(
            "has a depth, instances or a rate",
            "omit them; `threads` is the number of writes in flight",
        ));
    }
    let sizes = knobs.sizes("block")?;
    let [(block, _)] = sizes[..] else {
        return Err(refused("writes blocks of several sizes", "give it one block size"));
    };
    let every = knobs.int("fdatasync")?;
    let manner = match knobs.text("sync")? {
        "fua" if every == 0 => ThreadDurability::Fua,
        "fdatasync" => ThreadDurability::Flush { every: 1 },
        "none" if every > 0 => ThreadDurability::Flush { every: every as u32 },
        "none" => ThreadDurability::ByOthers,
        _ => {
            return Err(failed(
                format!("stream '{}' must make its writes durable in a single way", stream.name),
                "say sync = \"fua\", sync = \"fdatasync\" or fdatasync = N; or none of them, for \
                 writes that the flushes of other streams make durable",
            ));
        }
    };
    Ok((block as u32, manner))
}

/// The range: the first stream's dataset, or the whole drive.
fn size(session: &mut WriteSession, step: &Step, here: u64) -> Result<()> {
    let knobs = &step.streams[0].engine.knobs;
    let one_dataset = step.streams.iter().all(|s| s.dataset == step.streams[0].dataset);
    let (Ok(size), Ok(offset), true) = (knobs.int("size"), knobs.int("offset"), one_dataset) else {
        return Err(failed(
            "the streams have no range of a block device in common",
            "give them one dataset of the engine psync or uring, with a size",
        ));
    };
    let bytes = if size == 0 { here.saturating_sub(offset) } else { size };
    if offset.saturating_add(bytes) > here {
        return Err(failed(
            format!(
                "the drive has {here} bytes, but the plan uses {bytes} from offset {offset} on"
            ),
            "reduce the dataset's `size`",
        ));
    }
    session.offset = offset;
    session.blocks = bytes / u64::from(session.block_bytes.max(1));
    Ok(())
}

/// Opens the session with the listener, which answers with one byte.
fn call(listener: &str, session: &WriteSession) -> Result<TcpStream> {
    let no_listener = |cause: &dyn std::fmt::Display| {
        failed(
            format!("no listener at {listener}: {cause}"),
            "start `dyno powercut listen PLAN` on another machine, which this one reaches",
        )
    };
    let mut addresses = listener.to_socket_addrs().map_err(|e| no_listener(&e))?;
    let address = addresses.next().ok_or_else(|| no_listener(&"the name has no address"))?;
    let mut socket = TcpStream::connect_timeout(&address, PATIENCE).map_err(|e| no_listener(&e))?;
    socket.set_nodelay(true).context("asking for no delay")?;
    socket.set_read_timeout(Some(PATIENCE)).context("asking for a time limit")?;
    socket.write_all(&opening(session)?).map_err(|e| no_listener(&e))?;
    socket.read_exact(&mut [0]).map_err(|_| {
        failed(
            format!("the listener at {listener} did not accept the session"),
            "check its output; it only accepts drives from its own copy of the plan",
        )
    })?;
    Ok(socket)
}

/// Writes every block once, so that its contents are known, and flushes.
fn lay_out(file: &File, session: &WriteSession, stop: &AtomicBool) -> Result<()> {
    let block_bytes = session.block_bytes as usize;
    let at_a_time = (LAYOUT_BYTES / block_bytes).max(1);
    let mut buffer = Buffer::new(at_a_time * block_bytes);
    let mut first = 0;
    while first < session.blocks {
        if stop.load(Relaxed) {
            return Err(interrupted());
        }
        let blocks = (session.blocks - first).min(at_a_time as u64);
        let data = &mut buffer.bytes()[..blocks as usize * block_bytes];
        for (block, bytes) in (first..).zip(data.chunks_exact_mut(block_bytes)) {
            block_seal::seal(bytes, session.seal(block, LAYOUT), 0);
        }
        let at = session.address(first);
        file.write_all_at(data, at).map_err(|e| op_failed("a write", at, &e))?;
        first += blocks;
    }
    fdatasync(file).context("flushing the layout")
}

/// The connection to the listener, one record at a time.
struct ListenerLink<'a> {
    socket: Mutex<TcpStream>,
    stop: &'a AtomicBool,
}

impl ListenerLink<'_> {
    fn send(&self, record: JournalRecord) -> Result<()> {
        let mut socket = self.socket.lock().unwrap_or_else(|e| e.into_inner());
        socket.write_all(&record.encode()).map_err(|cause| {
            failed(
                format!("the listener is gone, but the power was not cut: {cause}"),
                "check the listener's output",
            )
        })
    }
}

/// One thread: one write at a time.
fn work(
    file: &File,
    session: &WriteSession,
    thread: usize,
    (line, counted): (&ListenerLink<'_>, &RequestCount),
) -> Result<()> {
    own_processor(thread);
    let mut ring = WriteRing(IoUring::new(1).context("making an io_uring of one entry")?);
    let mut buffer = Buffer::new(session.block_bytes as usize);
    let manner = session.threads[thread];
    for generation in LAYOUT + 1.. {
        if line.stop.load(Relaxed) {
            return Err(interrupted());
        }
        let block = session.block_of(thread, generation);
        let data = buffer.bytes();
        block_seal::seal(data, session.seal(block, generation), 0);
        ring.write(file, data, session.address(block), manner == ThreadDurability::Fua)?;
        let write = Write { thread: thread as u16, generation, block };
        match manner {
            ThreadDurability::Fua => {
                counted.fua_writes.fetch_add(1, Relaxed);
                line.send(JournalRecord::Durable(write))?;
            }
            ThreadDurability::ByOthers => line.send(JournalRecord::Written(write))?,
            ThreadDurability::Flush { every } => {
                line.send(JournalRecord::Written(write))?;
                if (generation - LAYOUT).is_multiple_of(u64::from(every)) {
                    let thread = thread as u16;
                    line.send(JournalRecord::FlushBegins { thread })?;
                    ring.flush(file)?;
                    line.send(JournalRecord::Flushed { thread })?;
                }
            }
        }
    }
    Ok(())
}

/// Threads on different processors use different queues of the drive, if it has enough of them: a
/// flush of one must cover the writes of all.
fn own_processor(thread: usize) {
    let Ok(allowed) = processors::allowed() else { return };
    if let Some(cpu) = allowed.iter().nth(thread % allowed.len().max(1)) {
        // If this fails, the threads share queues: the test finds less, but that is not an error.
        let _ = processors::pin(&Processors::from([*cpu]));
    }
}

/// The requests for durability that the kernel sends to the drive, counted from before the layout.
struct RequestCount {
    disk: Disk,
    /// The kernel's setting at the beginning, which must not change.
    kernel_cache: Option<String>,
    kernel_fua: bool,
    flushes_before: Option<u64>,
    /// Completed writes with FUA of the load.
    fua_writes: AtomicU64,
}

impl RequestCount {
    /// Time between two counts.
    const EVERY_NS: u64 = 100_000_000;

    /// Starts counting; reports if the drive will receive no such requests, because a cut then
    /// tests nothing.
    fn begin(disk: &Disk, session: &WriteSession, say: &mut dyn FnMut(&str)) -> RequestCount {
        let kernel_cache = write_cache::of_kernel(disk);
        let is_through = kernel_cache.as_deref() == Some(write_cache::THROUGH);
        if is_through && !session.drive_has_no_cache() {
            let own = match session.write_cache.as_str() {
                "on" => "the drive reports a volatile write cache that is on",
                _ => "the drive does not report that it has no volatile write cache",
            };
            let name = disk.name();
            say(&format!(
                "NOT A TEST: the kernel sends neither flushes nor FUA to {name} \
                 (queue/write_cache is \"write through\"), and {own}: the drive is asked to make \
                 nothing durable. First: echo 'write back' > /sys/block/{name}/queue/write_cache"
            ));
        }
        RequestCount {
            disk: disk.clone(),
            kernel_cache,
            kernel_fua: session.kernel_fua,
            flushes_before: write_cache::flushes(disk),
            fua_writes: AtomicU64::new(0),
        }
    }

    /// The requests so far; None if the kernel does not count flushes.
    fn so_far(&self) -> Option<DurabilityRequests> {
        let flushes = write_cache::flushes(&self.disk)?.saturating_sub(self.flushes_before?);
        let fua_writes = if self.kernel_fua { self.fua_writes.load(Relaxed) } else { 0 };
        Some(DurabilityRequests { flushes, fua_writes })
    }

    /// Sends the counts until the end.
    fn report(&self, line: &ListenerLink<'_>, clock: Clock) -> Result<()> {
        while !line.stop.load(Relaxed) {
            clock.sleep_until(clock.now_ns() + Self::EVERY_NS);
            if write_cache::of_kernel(&self.disk) != self.kernel_cache {
                return Err(failed(
                    format!("queue/write_cache of {} has changed", self.disk.name()),
                    "leave the kernel's settings alone during a session",
                ));
            }
            self.so_far().map_or(Ok(()), |sent| line.send(JournalRecord::Requests(sent)))?;
        }
        Ok(())
    }
}

/// One request at a time.
struct WriteRing(IoUring);

impl WriteRing {
    fn write(&mut self, file: &File, data: &[u8], at: u64, fua: bool) -> Result<()> {
        let fd = types::Fd(file.as_raw_fd());
        let flags = if fua { libc::RWF_DSYNC } else { 0 };
        let entry = opcode::Write::new(fd, data.as_ptr(), data.len() as u32).offset(at);
        let done = self.execute(&entry.rw_flags(flags).build());
        match done.map_err(|e| op_failed("a write", at, &e))? {
            all if all as usize == data.len() => Ok(()),
            part => Err(op_failed("a write", at, &format!("{part} bytes were written"))),
        }
    }

    fn flush(&mut self, file: &File) -> Result<()> {
        let fd = types::Fd(file.as_raw_fd());
        let entry = opcode::Fsync::new(fd).flags(types::FsyncFlags::DATASYNC).build();
        self.execute(&entry).map(drop).map_err(|e| op_failed("a flush", 0, &e))
    }

    /// Sends a request and waits for its completion.
    fn execute(&mut self, entry: &io_uring::squeue::Entry) -> std::io::Result<i32> {
        // SAFETY: the data that the entry refers to outlive this call, which waits for the
        // completion.
        let pushed = unsafe { self.0.submission().push(entry) };
        pushed.map_err(|_| std::io::Error::other("the ring is full"))?;
        loop {
            if let Some(done) = self.0.completion().next() {
                let result = done.result();
                return if result < 0 {
                    Err(std::io::Error::from_raw_os_error(-result))
                } else {
                    Ok(result)
                };
            }
            match self.0.submit_and_wait(1) {
                Err(error) if error.raw_os_error() != Some(libc::EINTR) => return Err(error),
                _ => {}
            }
        }
    }
}

/// Memory for direct I/O.
struct Buffer {
    memory: Vec<u8>,
    from: usize,
    len: usize,
}

impl Buffer {
    fn new(len: usize) -> Buffer {
        let memory = vec![0; len + ALIGN];
        let from = memory.as_ptr().align_offset(ALIGN);
        Buffer { memory, from, len }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.memory[self.from..self.from + self.len]
    }
}

fn op_failed(what: &str, at: u64, cause: &dyn std::fmt::Display) -> Error {
    failed(
        format!("{what} at byte {at} of the drive failed: {cause}"),
        "check `dmesg` for errors reported by the device",
    )
}

fn interrupted() -> Error {
    failed("interrupted before the cut", "start the listener and the writer again")
}
