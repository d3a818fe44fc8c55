//! Reference loops for the worker loop, which do nothing else.
//!
//! `bare clock SECONDS`: two clock reads and two histogram records per op. `bare ring SECONDS DEPTH
//! PORTION`: the same for each portion of at most 32 NOP requests submitted to an io_uring,
//! recording every request. `bare requests SECONDS [DEPTH PORTION]`: the first, or the second, plus
//! the generation of a random read's offset for each op. `bare reads SECONDS DEPTH FILE
//! [COMPLETIONS]`: direct random reads of 4 KiB, submitted as soon as others have completed, as
//! with `batch = "latency"`; or waiting 2 µs for so many completions, as with `batch = "cpu"`.
//! `bare preads SECONDS FILE`: random reads of 4 KiB by `pread`, one by one, through the page
//! cache.
//!
//! Prints ops/s. `benches/run.py` compares the null engine, io_uring's NOP and the processor time
//! of reads with the loops.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use dyno_core::base::clock::Clock;
use dyno_core::base::error::{Context, Result, failed};
use dyno_core::base::histogram::{BUCKETS, bucket_of};
use dyno_core::base::rng::Seed;
use dyno_core::measure::portion::{LEAST_PORTION, MOST_PORTION, Portion};
use io_uring::{IoUring, opcode, types};

/// Only a histogram: the bucket, the sum and the maximum.
struct Bare {
    counts: Vec<u64>,
    sum_ns: u64,
    max_ns: u64,
}

impl Bare {
    fn new() -> Bare {
        Bare { counts: vec![0; BUCKETS], sum_ns: 0, max_ns: 0 }
    }

    #[inline(always)]
    fn record(&mut self, ns: u64) {
        if let Some(count) = self.counts.get_mut(bucket_of(ns)) {
            *count += 1;
        }
        self.sum_ns += ns;
        self.max_ns = self.max_ns.max(ns);
    }
}

fn clock_loop(clock: Clock, length_ns: u64) -> f64 {
    let (mut service, mut response) = (Bare::new(), Bare::new());
    let from_ns = clock.now_ns();
    let (mut now_ns, mut ops) = (from_ns, 0u64);
    while now_ns < from_ns + length_ns {
        let submitted_ns = clock.now_ns();
        now_ns = black_box(clock.now_ns());
        service.record(now_ns - submitted_ns);
        response.record(now_ns - submitted_ns);
        ops += 1;
    }
    black_box((service.counts, service.sum_ns, service.max_ns));
    black_box((response.counts, response.sum_ns, response.max_ns));
    ops as f64 / ((now_ns - from_ns) as f64 / 1e9)
}

/// Blocks of 4 KiB in the 1 TiB that requests without a file refer to.
const BLOCKS: u64 = 1 << 28;

/// Requests like those of the workload `random`: reads of 4 KiB, determined by a seed and their
/// number.
struct Requests {
    seed: Seed,
    blocks: u64,
    made: [(u64, u32); 32],
}

impl Requests {
    fn new(blocks: u64) -> Requests {
        Requests { seed: Seed::new(1, 2, 3), blocks: black_box(blocks), made: [(0, 0); 32] }
    }

    /// The requests from number `n` on, at most one portion.
    #[inline(always)]
    fn from(&mut self, n: u64, count: usize) -> &[(u64, u32)] {
        for (n, request) in (n..).zip(&mut self.made[..count]) {
            let mut rng = self.seed.at(n);
            rng.skip();
            *request = (rng.below(self.blocks) * 4096, 4096);
        }
        black_box(&self.made[..count])
    }
}

/// Each request is made and carried out by itself.
#[inline(always)]
fn one_by_one(
    clock: Clock,
    length_ns: u64,
    blocks: u64,
    mut carry_out: impl FnMut((u64, u32)) -> Result<()>,
) -> Result<f64> {
    let (mut service, mut response) = (Bare::new(), Bare::new());
    let mut requests = Requests::new(blocks);
    let from_ns = clock.now_ns();
    let (mut now_ns, mut ops) = (from_ns, 0u64);
    while now_ns < from_ns + length_ns {
        for &request in requests.from(ops, 32) {
            let submitted_ns = clock.now_ns();
            carry_out(request)?;
            now_ns = black_box(clock.now_ns());
            service.record(now_ns - submitted_ns);
            response.record(now_ns - submitted_ns);
        }
        ops += 32;
    }
    black_box((service.counts, service.sum_ns, service.max_ns));
    black_box((response.counts, response.sum_ns, response.max_ns));
    Ok(ops as f64 / ((now_ns - from_ns) as f64 / 1e9))
}

fn requests_loop(clock: Clock, length_ns: u64) -> Result<f64> {
    one_by_one(clock, length_ns, BLOCKS, |request| {
        black_box(request);
        Ok(())
    })
}

fn preads_loop(clock: Clock, length_ns: u64, file: &File) -> Result<f64> {
    let size = file.metadata().context("looking at the file")?.len();
    let mut block = Block([0; 4096]);
    one_by_one(clock, length_ns, size / 4096, |(at, _)| {
        file.read_exact_at(&mut block.0, at).context("reading")
    })
}

/// `makes`: each portion's requests are generated too.
fn ring_loop(
    clock: Clock,
    length_ns: u64,
    (depth, portion): (u32, u32),
    makes: bool,
) -> Result<f64> {
    let mut builder = IoUring::builder();
    builder.setup_single_issuer().setup_defer_taskrun();
    let mut ring: IoUring = builder.build(depth.next_power_of_two()).context("making a ring")?;
    let (submitter, mut entries, mut answers) = ring.split();
    let (mut service, mut response) = (Bare::new(), Bare::new());
    let mut requests = Requests::new(BLOCKS);
    let from_ns = clock.now_ns();
    let (mut now_ns, mut ops, mut in_flight) = (from_ns, 0u64, 0);
    while now_ns < from_ns + length_ns {
        let room = portion.min(depth - in_flight);
        if makes {
            requests.from(ops, room as usize);
        }
        for slot in 0..room {
            let nop = opcode::Nop::new().build().user_data(u64::from(slot));
            // SAFETY: the request refers to no memory.
            unsafe { entries.push(&nop) }.context("queueing a NOP")?;
            in_flight += 1;
        }
        entries.sync();
        let submitted_ns = clock.now_ns();
        submitter.submit_and_wait(usize::from(in_flight == depth)).context("submitting")?;
        now_ns = clock.now_ns();
        entries.sync();
        answers.sync();
        for answer in &mut answers {
            black_box(answer.user_data());
            service.record(now_ns - submitted_ns);
            response.record(now_ns - submitted_ns);
            ops += 1;
            in_flight -= 1;
        }
    }
    black_box((service.counts, response.counts));
    Ok(ops as f64 / ((now_ns - from_ns) as f64 / 1e9))
}

/// A buffer for each request in flight, aligned for direct I/O.
#[repr(C, align(4096))]
#[derive(Clone)]
struct Block([u8; 4096]);

/// How many times the processor is yielded before a call sleeps, as in Dyno.
const YIELDS: u32 = 2;

/// A request in flight, for the slowest ones and an error's message. In a cache line of its own,
/// as in Dyno.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct InFlight {
    at: u64,
    length: u32,
    submitted_ns: u64,
}

/// As many requests as have completed are submitted, in portions as in Dyno. The processor is
/// yielded before sleeping, unless `several` completions are waited for with the submitting call.
fn reads_loop(
    clock: Clock,
    length_ns: u64,
    depth: u32,
    file: &File,
    several: Option<usize>,
) -> Result<f64> {
    let size = file.metadata().context("looking at the file")?.len();
    let mut blocks = vec![Block([0; 4096]); depth as usize];
    let mut builder = IoUring::builder();
    builder.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag();
    let mut ring: IoUring = builder.build(depth.next_power_of_two()).context("making a ring")?;
    let (mut submitter, mut entries, mut answers) = ring.split();
    let whole =
        libc::iovec { iov_base: blocks.as_mut_ptr().cast(), iov_len: size_of_val(&*blocks) };
    // SAFETY: the blocks outlive the ring's last request.
    unsafe { submitter.register_buffers(&[whole]) }.context("registering the buffers")?;
    submitter.register_files(&[file.as_raw_fd()]).context("registering the file")?;
    submitter.register_ring_fd().context("registering the ring")?;
    let (mut service, mut response) = (Bare::new(), Bare::new());
    let mut requests = Requests::new(size / 4096);
    let long = types::Timespec::new().sec(1);
    let mut in_flight = vec![InFlight::default(); depth as usize];
    let mut free: Vec<u32> = (0..depth).collect();
    let least = if several.is_some() { MOST_PORTION } else { LEAST_PORTION };
    let mut portion = Portion::of_at_least(least);
    let from_ns = clock.now_ns();
    let (mut now_ns, mut ops) = (from_ns, 0u64);
    while now_ns < from_ns + length_ns || free.len() < depth as usize {
        let room = if now_ns < from_ns + length_ns { free.len().min(portion.ops) } else { 0 };
        let begun_ns = clock.now_ns();
        for &(at, length) in requests.from(ops, room) {
            let slot = free
                .pop()
                .ok_or_else(|| failed("no slot is free", "this is a bug in this loop"))?;
            let to = blocks[slot as usize].0.as_mut_ptr();
            let read = opcode::ReadFixed::new(types::Fixed(0), to, length, 0).offset(at);
            in_flight[slot as usize] = InFlight { at, length, submitted_ns: begun_ns };
            // SAFETY: the slot's block is not read, and lives until the completion.
            unsafe { entries.push(&read.build().user_data(u64::from(slot))) }
                .context("queueing")?;
        }
        ops += room as u64;
        // If requests are left for the next portion, do not wait.
        let waits = room < portion.ops || free.is_empty();
        entries.sync();
        let submitted = match several {
            Some(several) if waits => {
                let args = types::SubmitArgs::new().min_wait_usec(2).timespec(&long);
                submitter.submit_with_args(several.min(depth as usize - free.len()), &args)
            }
            _ => submitter.submit(),
        };
        submitted.context("submitting")?;
        entries.sync();
        answers.sync();
        for _ in 0..if waits && several.is_none() { YIELDS } else { 0 } {
            if !answers.is_empty() || entries.taskrun() {
                break;
            }
            std::thread::yield_now();
            answers.sync();
        }
        if waits && answers.is_empty() {
            submitter.submit_and_wait(1).context("waiting")?;
            answers.sync();
        }
        now_ns = clock.now_ns();
        portion.follow(answers.len(), waits);
        for answer in &mut answers {
            let slot = answer.user_data() as u32;
            let InFlight { at, length, submitted_ns } = in_flight[slot as usize];
            if answer.result() != length as i32 {
                return Err(failed(
                    format!("a read at {at} returned {}", answer.result()),
                    "use a larger FILE",
                ));
            }
            service.record(now_ns - submitted_ns);
            response.record(now_ns - submitted_ns);
            free.push(slot);
        }
    }
    black_box((service.counts, response.counts));
    Ok(ops as f64 / ((now_ns - from_ns) as f64 / 1e9))
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u32>().ok());
    let clock = Clock::start();
    let length_ns = u64::from(number(1).unwrap_or(1)) * 1_000_000_000;
    let ops = match (words.first().map(String::as_str), number(2), number(3)) {
        (Some("clock"), _, _) => clock_loop(clock, length_ns),
        (Some("requests"), None, _) => requests_loop(clock, length_ns)?,
        (Some(how @ ("ring" | "requests")), Some(depth), Some(portion @ 1..=32)) => {
            ring_loop(clock, length_ns, (depth, portion), how == "requests")?
        }
        (Some("reads"), Some(depth), _) => {
            let file =
                words.get(3).ok_or_else(|| failed("no FILE", "bare reads SECONDS DEPTH FILE"))?;
            let several = number(4).map(|several| several as usize);
            let direct = OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(file);
            reads_loop(clock, length_ns, depth, &direct.context(file.clone())?, several)?
        }
        (Some("preads"), _, _) => {
            let file = words.get(2).ok_or_else(|| failed("no FILE", "bare preads SECONDS FILE"))?;
            preads_loop(clock, length_ns, &File::open(file).context(file.clone())?)?
        }
        _ => {
            return Err(failed(
                "nothing to measure",
                "bare clock SECONDS, bare ring SECONDS DEPTH PORTION, bare requests SECONDS \
                 [DEPTH PORTION], bare reads SECONDS DEPTH FILE [COMPLETIONS], or bare preads \
                 SECONDS FILE",
            ));
        }
    };
    println!("{ops:.0}");
    Ok(())
}
