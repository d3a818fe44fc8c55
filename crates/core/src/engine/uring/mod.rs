//! `uring`: io_uring with registered buffers and file, batched submission and completion; if the
//! plan requests it, with polling, a kernel submission thread, or NVMe passthrough.
//!
//! A ring belongs to one worker thread, so the kernel runs completions only there (SINGLE_ISSUER
//! and DEFER_TASKRUN, Linux 6.1; older kernels create the ring without them). One system call
//! submits a turn's batch and waits.

mod batching;
mod commands;
mod io_context;
mod passthrough;
mod polling;
mod ring;

use std::os::fd::{AsRawFd, RawFd};
use std::sync::{Arc, OnceLock};

use io_uring::{cqueue, squeue};

use super::block_buffers::ContextBuffers;
use super::block_target::{BlockTarget, block_knobs};
use super::blockfile::{self, BlockFile};
use super::{Access, DatasetAccess, Engine, Target, block_commands};
use crate::base::clock::Clock;
use crate::base::error::{Result, failed};
use crate::measure::{AddressSpace, AnyIoContext};
use crate::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Stream, Writes};
use crate::record::Fact;
use batching::Batch;
use commands::Plain;
use io_context::{Parts, UringContext};
use passthrough::{Commands, Generic};
use polling::Poll;
use ring::{RingOptions, hybrid_ring, ring};

/// The engine `uring`.
pub struct Uring;

static INFO: Info = Info {
    name: "uring",
    summary: "io_uring with registered buffers and file, batched",
    family: RequestFamily::Block,
    writes: Writes::Never,
    max_depth: 4096,
    knobs: block_knobs!(
        "true",
        "Open with O_DIRECT, bypassing the page cache.",
        Knob {
            name: "nop",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("false"),
            doc: "Send NOP requests instead of reads and writes, to measure the cost of the \
                engine itself.",
        },
        Knob {
            name: "poll",
            kind: KnobKind::Choice(Poll::WORDS),
            default: DefaultValue::Absent,
            doc: "How completions are detected: \"none\" (interrupts, the default), \"iopoll\" \
                (the worker's processor polls) or \"hybrid\" (it first sleeps for half of the \
                usual time, Linux 6.13). Needs queues for polling: \
                  nvme.poll_queues=N on the kernel's command line.",
        },
        Knob {
            name: "sqpoll",
            kind: KnobKind::Bool,
            default: DefaultValue::Absent,
            doc: "Let a kernel thread per worker submit requests: no system calls, one more \
                processor.",
        },
        Knob {
            name: "batch",
            kind: KnobKind::Choice(Batch::WORDS),
            default: DefaultValue::Absent,
            doc: "Closed loop, depth above 1: \"latency\" (the default) takes each completion at \
                once, \"cpu\" waits for 16 of them, after 2 µs for one only, which takes fewer \
                system calls and makes each latency longer by the wait (docs/performance.md).",
        },
        Knob {
            name: "passthrough",
            kind: KnobKind::Bool,
            default: DefaultValue::Absent,
            doc: "Send NVMe commands to the generic device of the namespace (/dev/ng0n1), \
                bypassing the block layer. For whole NVMe namespaces, Linux 6.1.",
        },
        Knob {
            name: "placement_hints",
            kind: KnobKind::Bool,
            default: DefaultValue::Absent,
            doc: "Whether writes carry the hints of their streams' `placement` (the default); \
                false leaves them out, to measure the same load without.",
        },
    ),
    source: "",
};

impl Engine for Uring {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn check_kernel(&self, knobs: &Knobs) -> Result<()> {
        let passthrough = knobs.get("passthrough").is_some_and(|value| value == true);
        try_ring(passthrough, options(knobs))
    }

    fn planned_space(&self, knobs: &Knobs) -> Option<AddressSpace> {
        blockfile::planned_space(knobs)
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        let flag = |name: &str| site.knobs.get(name).is_some_and(|value| value == true);
        let options = options(site.knobs);
        let poll = options.poll;
        let batch = Batch::named(site.knobs.text("batch").unwrap_or_default());
        batch.check(options)?;
        let file = Arc::new(BlockFile::open(site)?);
        poll.check(&file)?;
        if file.known.is_some() && site.knobs.flag("nop")? {
            return Err(failed(
                "NOP requests transfer no data that could be verified",
                "leave out `nop` or `verify`",
            ));
        }
        let generic = match flag("passthrough") {
            true => Some(Arc::new(Generic::of(&file, site.access != Access::ReadOnly)?)),
            false => None,
        };
        let (nop, clock, given) = (site.knobs.flag("nop")?, site.clock, OnceLock::new());
        let hints = site.knobs.get("placement_hints").is_none_or(|value| value == true);
        let target = UringTarget { file, generic, options, batch, nop, hints, clock, given };
        // Missing kernel support is detected before a worker starts.
        try_ring(target.generic.is_some(), target.options)?;
        Ok(Box::new(target))
    }
}

struct UringTarget {
    file: Arc<BlockFile>,
    generic: Option<Arc<Generic>>,
    options: RingOptions,
    batch: Batch,
    nop: bool,
    /// Whether writes carry their streams' placement hints.
    hints: bool,
    clock: Clock,
    /// The features of the first I/O context: whether its ring is registered, and the pages of its
    /// buffers.
    given: OnceLock<(bool, &'static str)>,
}

fn options(knobs: &Knobs) -> RingOptions {
    let poll = Poll::named(knobs.text("poll").unwrap_or_default());
    RingOptions { poll, sqpoll: knobs.get("sqpoll").is_some_and(|value| value == true) }
}

fn try_ring(passthrough: bool, options: RingOptions) -> Result<()> {
    match (passthrough, options.poll) {
        (true, Poll::Hybrid) => Err(failed(
            "Dyno does not support hybrid polling for NVMe commands",
            "set `poll = \"iopoll\"`, or `passthrough = false`",
        )),
        (false, Poll::Hybrid) if options.sqpoll => Err(failed(
            "Dyno does not support hybrid polling with a submitting thread",
            "set `poll = \"iopoll\"`, or `sqpoll = false`",
        )),
        (false, Poll::Hybrid) => hybrid_ring(1, options).map(drop),
        (false, _) => ring::<squeue::Entry, cqueue::Entry>(1, options).map(drop),
        (true, _) => ring::<squeue::Entry128, cqueue::Entry32>(1, options).map(drop),
    }
}

/// Refuses ops that a drive's commands cannot execute.
fn check_commands(generic: &Generic, file: &BlockFile, stream: &Stream, nop: bool) -> Result<()> {
    let sizes = stream.workload.knobs.sizes("block")?;
    let sizes: Vec<u64> = sizes.iter().map(|size| size.0).collect();
    generic.check(file.base, &sizes)?;
    if nop { Ok(()) } else { block_commands::check_kinds(file, stream) }
}

impl BlockTarget for UringTarget {
    const ENGINE: &'static str = "uring";

    fn file(&self) -> &Arc<BlockFile> {
        &self.file
    }

    fn unit_bytes(&self) -> u32 {
        self.generic.as_ref().map_or(1, |generic| generic.block_bytes())
    }

    /// One ring, many files.
    fn open_io_context(
        targets: &[&Self],
        stream: &Stream,
        thread: u32,
    ) -> Result<Box<dyn AnyIoContext>> {
        // The plan's engine settings are the same for all of them.
        let UringTarget { options, batch, nop, hints, clock, given, generic, .. } = targets[0];
        commands::check_polled(options.poll, generic.is_some(), stream)?;
        let files: Vec<_> = targets.iter().map(|target| Arc::clone(&target.file)).collect();
        let drives = ContextBuffers::new(files.clone(), stream, thread)?;
        // A write followed by a flush is two requests.
        let entries = drives.slots() * if commands::pairs(stream) { 2 } else { 1 };
        let (options, batch, nop, clock) = (*options, *batch, *nop, *clock);
        let parts = Parts { drives, nop, options, batch, clock };
        let generics: Option<Vec<_>> =
            targets.iter().map(|target| target.generic.clone()).collect();
        if let Some(generics) = generics {
            for (generic, file) in generics.iter().zip(&files) {
                check_commands(generic, file, stream, nop)?;
            }
            let descriptors: Vec<RawFd> = generics.iter().map(|g| g.as_raw_fd()).collect();
            let placement = block_commands::placement(stream).filter(|_| *hints);
            let hints = generics.iter().map(|generic| generic.hint(placement));
            let hints = hints.collect::<Result<Vec<_>>>()?;
            let (form, ring) = (Commands { generics, hints }, ring(entries, options)?);
            let io_context = UringContext::new(ring, form, &descriptors, parts)?;
            given.get_or_init(|| io_context.given());
            return Ok(Box::new(io_context));
        }
        let ring = match options.poll {
            Poll::Hybrid => hybrid_ring(entries, options)?,
            _ => ring(entries, options)?,
        };
        let descriptors: Vec<RawFd> = files.iter().map(|file| file.file.as_raw_fd()).collect();
        let mut io_context =
            UringContext::new(ring, Plain { files: files.clone() }, &descriptors, parts)?;
        if !nop {
            files.iter().try_for_each(|file| commands::check(io_context.ring(), file, stream))?;
        }
        given.get_or_init(|| io_context.given());
        Ok(Box::new(io_context))
    }

    fn io_context_facts(&self) -> Vec<Fact> {
        let Some((registered, pages)) = self.given.get() else { return Vec::new() };
        let ring = if *registered { "registered" } else { "not registered (Linux 5.18)" };
        let fact = |name: &str, value: &str| Fact::new("io_uring", name, value);
        vec![fact("Ring", ring), fact("Buffers", &format!("registered, {pages}"))]
    }

    fn access_facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut say = |name: &str, value: &str| {
            facts.push(Fact::new("Dataset (uring)", name, value));
        };
        if self.options.poll != Poll::None {
            say("Polling", self.options.poll.name());
        }
        if self.batch != Batch::Latency {
            say("Batch", self.batch.name());
        }
        if self.options.sqpoll {
            say("Submission", "by a thread of the kernel (SQPOLL)");
        }
        if let Some(generic) = &self.generic {
            say("Passthrough", &format!("NVMe commands to {}", generic.name));
        }
        facts
    }
}
