//! An engine that records requests and completes them in their order, each when the next is asked
//! for, so that as many are in flight as the load has slots.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, Once, PoisonError};

use dyno::base::error::Result;
use dyno::engine::{self, DatasetAccess, Engine, Target};
use dyno::measure::{AddressSpace, AnyIoContext, Completion, IoContext, Op, OpKind, Wait};
use dyno::plan::{DefaultValue, Info, Knob, KnobKind, RequestFamily, Stream, Writes};

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Read,
    Write,
    Trim,
    Flush,
}

/// The requests of a stream or job, counted.
#[derive(Clone, Default)]
pub struct Requests {
    /// By kind and size.
    pub sizes: BTreeMap<(Kind, u64), u64>,
    pub flushes: u64,
    /// Requests that begin where the one before them, or the one of their kind, ends.
    pub following: u64,
    /// The most in flight.
    pub depth: u64,
    ends: BTreeMap<Kind, u64>,
    end: u64,
}

impl Requests {
    pub fn add(&mut self, kind: Kind, at: u64, bytes: u64) {
        if kind == Kind::Flush {
            self.flushes += 1;
            return;
        }
        *self.sizes.entry((kind, bytes)).or_default() += 1;
        let follows = self.end == at || self.ends.get(&kind) == Some(&at);
        self.following += u64::from(follows);
        self.end = at + bytes;
        self.ends.insert(kind, at + bytes);
    }

    pub fn of(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Flush => self.flushes,
            _ => self.sizes.iter().filter(|((of, _), _)| *of == kind).map(|(_, n)| n).sum(),
        }
    }

    /// All but flushes.
    pub fn moved(&self) -> u64 {
        self.sizes.values().sum()
    }

    fn merge(&mut self, other: &Requests) {
        for (size, n) in &other.sizes {
            *self.sizes.entry(*size).or_default() += n;
        }
        self.flushes += other.flushes;
        self.following += other.following;
        self.depth = self.depth.max(other.depth);
    }
}

impl fmt::Display for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |n: u64| n as f64 / self.moved().max(1) as f64 * 100.0;
        let bytes: u64 = self.sizes.iter().map(|((_, bytes), n)| bytes * n).sum();
        write!(
            f,
            "{} requests of {} bytes, {:.1} % reads, {:.1} % following, {} flushes, depth {}",
            self.moved(),
            bytes / self.moved().max(1),
            percent(self.of(Kind::Read)),
            percent(self.following),
            self.flushes,
            self.depth
        )
    }
}

static RECORDED: Mutex<BTreeMap<String, Requests>> = Mutex::new(BTreeMap::new());

fn recorded() -> std::sync::MutexGuard<'static, BTreeMap<String, Requests>> {
    RECORDED.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn begin() {
    recorded().clear();
}

/// The requests by stream.
pub fn end() -> BTreeMap<String, Requests> {
    std::mem::take(&mut recorded())
}

struct Recorder;

static INFO: Info = Info {
    name: "recorder",
    summary: "records requests",
    family: RequestFamily::Block,
    writes: Writes::Never,
    max_depth: 4096,
    knobs: &[Knob {
        name: "size",
        kind: KnobKind::Bytes,
        default: DefaultValue::Is("\"64MiB\""),
        doc: "The range.",
    }],
    source: "",
};

pub fn add() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| engine::ALL.add(&Recorder));
}

impl Engine for Recorder {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        Ok(Box::new(Range { bytes: site.knobs.int("size")? }))
    }
}

struct Range {
    bytes: u64,
}

impl Target for Range {
    fn space(&self) -> AddressSpace {
        AddressSpace { bytes: self.bytes, align_bytes: 512, ..AddressSpace::default() }
    }

    fn io_context(&self, stream: &Stream, _thread: u32) -> Result<Box<dyn AnyIoContext>> {
        Ok(Box::new(Record {
            stream: stream.name.clone(),
            requests: Requests::default(),
            in_flight: VecDeque::new(),
        }))
    }
}

struct Record {
    stream: String,
    requests: Requests,
    in_flight: VecDeque<Completion>,
}

impl IoContext for Record {
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        let kind = match op.kind {
            OpKind::Read => Kind::Read,
            OpKind::Flush => Kind::Flush,
            OpKind::Trim => Kind::Trim,
            _ => Kind::Write,
        };
        self.requests.add(kind, op.at, u64::from(op.len));
        self.in_flight.push_back(Completion { slot, bytes: op.len, hit: true, given_up: false });
        Ok(())
    }

    fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        self.requests.depth = self.requests.depth.max(self.in_flight.len() as u64);
        done.extend(self.in_flight.pop_front());
        Ok(())
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        recorded().entry(self.stream.clone()).or_default().merge(&self.requests);
    }
}
