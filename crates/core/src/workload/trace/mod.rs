//! `trace`: a recorded load, replayed at its own times (docs/trace.md).
//!
//! `selection` is what the knobs ask for, `compiled` keeps the trace in its compact form, `survey`
//! looks through that part of it before the load, `mapping` and `compaction` bring its offsets onto
//! the target, `reuse` says what that changes, `ahead` is the thread that reads ahead of a worker,
//! and `ring` the queue between the two.

mod ahead;
mod compaction;
mod compiled;
mod mapping;
mod reuse;
mod ring;
mod selection;
mod survey;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_throttled;

use serde_json::{Value, json};

use self::ahead::{ReplayPart, TraceSource};
use self::mapping::OffsetMapping;
use self::selection::{Remap, ReplayPace, Selection};
use self::survey::{Survey, survey};
use crate::base::error::{Result, failed};
use crate::measure::pacer::ReplayTimes;
use crate::measure::{AddressSpace, OpGenerator};
use crate::plan::{Component, DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use crate::record::{Class, RecordedKind, RemappedTrace, Replayed};
use crate::trace::{KindTotal, Reader, RequestKind};
use crate::workload::{GeneratorInputs, RecordedLoad, Workload};

/// The workload `trace`.
pub struct Trace;

static INFO: Info = Info {
    name: "trace",
    summary: "a recorded load (block trace), replayed at its own times",
    family: RequestFamily::Block,
    writes: Writes::By(|knobs| knobs.text("ops").ok() != Some("reads")),
    max_depth: 1,
    knobs: &[
        Knob {
            name: "file",
            kind: KnobKind::Text,
            default: DefaultValue::Is("\"synthetic\""),
            doc: "The trace: a file in a format of docs/trace.md, or synthetic, a made-up minute \
                  that ships with Dyno.",
        },
        Knob {
            name: "pace",
            kind: KnobKind::Choice(&["recorded", "asap"]),
            default: DefaultValue::Is("\"recorded\""),
            doc: "recorded: each request is due at its recorded time, divided by `scale`; asap: as \
                  soon as a slot of the queue is free, in the recorded order.",
        },
        Knob {
            name: "scale",
            kind: KnobKind::Float { min: 0.01, max: 1000.0 },
            default: DefaultValue::Is("1"),
            doc: "How much faster than recorded: 2 replays in half the time.",
        },
        Knob {
            name: "start",
            kind: KnobKind::Time,
            default: DefaultValue::Absent,
            doc: "Start of the window that is replayed, after the trace's first request; by \
                  default the first request.",
        },
        Knob {
            name: "end",
            kind: KnobKind::Time,
            default: DefaultValue::Absent,
            doc: "End of the window, after the trace's first request; by default the last request.",
        },
        Knob {
            name: "device",
            kind: KnobKind::Text,
            default: DefaultValue::Absent,
            doc: "The one device of the trace that is replayed, as `dyno trace info` names it; by \
                  default all, one behind the other.",
        },
        Knob {
            name: "ops",
            kind: KnobKind::Choice(&["all", "reads"]),
            default: DefaultValue::Is("\"all\""),
            doc: "reads: only the reads, which need no permission to write.",
        },
        Knob {
            name: "remap",
            kind: KnobKind::Choice(Remap::WORDS),
            default: DefaultValue::Is("\"none\""),
            doc: "How offsets beyond the range under test are brought into it: none refuses them; \
                  modulo takes them modulo its size; compact leaves out the extents of 64 KiB that \
                  the trace does not touch.",
        },
        Knob {
            name: "align",
            kind: KnobKind::Bytes,
            default: DefaultValue::Absent,
            doc: "Round offsets down, and ends of requests up, to multiples of this power of two.",
        },
    ],
    source: "",
};

/// After its last request is due, a replay ends at the latest: time to submit that request.
const TAIL_NS: u64 = 100_000_000;

/// Knobs that the trace itself answers: `block` and the shares of kinds are those by which engines
/// prepare themselves, `kinds` the names of those that there are.
const KINDS: &str = "kinds";

impl Workload for Trace {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, knobs: &Knobs) -> Vec<Class> {
        let there = knobs.get(KINDS).and_then(Value::as_array);
        let is_there = |kind: &RequestKind| {
            there.is_none_or(|there| there.iter().any(|name| name == kind.name()))
        };
        RequestKind::ALL.into_iter().filter(is_there).map(class).collect()
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Err(no_rate())
    }

    fn recorded(&self, knobs: &Knobs) -> Result<Option<RecordedLoad>> {
        let (selection, pace) = (Selection::of(knobs)?, ReplayPace::of(knobs)?);
        let found = survey(&selection, &mut open(&selection)?)?;
        let at_recorded_times = pace.times == ReplayTimes::Recorded;
        Ok(Some(RecordedLoad {
            times: pace.times,
            length_ns: at_recorded_times.then(|| pace.after_ns(found.last_ns) + TAIL_NS),
            answers: answers(&found),
            replayed: replayed(&selection, &found),
            arrivals_every_ns: found.arrivals_every_ns as f64 / pace.scale,
            arrivals: if at_recorded_times { found.arrivals.clone() } else { Vec::new() },
        }))
    }

    fn remapped(&self, knobs: &Knobs, space: AddressSpace) -> Result<Option<RemappedTrace>> {
        let selection = Selection::of(knobs)?;
        if selection.remap == Remap::None {
            return Ok(None);
        }
        let mut reader = open(&selection)?;
        let found = survey(&selection, &mut reader)?;
        let mapping = OffsetMapping::new(&selection, &found, space)?;
        reuse::remapped(&selection, &mapping, &mut reader).map(Some)
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let knobs = share.knobs;
        let (selection, pace) = (Selection::of(knobs)?, ReplayPace::of(knobs)?);
        let mut reader = open(&selection)?;
        let found = survey(&selection, &mut reader)?;
        let classes = self.classes(knobs);
        let place = |kind| classes.iter().position(|own| *own == class(kind)).unwrap_or(0) as u8;
        let part = ReplayPart {
            mapping: OffsetMapping::new(&selection, &found, share.space)?,
            classes: RequestKind::ALL.map(place),
            share: (share.thread, share.threads),
            selection,
            pace,
        };
        Ok(Box::new(TraceSource::start(part, reader, share.seed)?))
    }
}

fn replayed(selection: &Selection, found: &Survey) -> Replayed {
    let kind = |kind| {
        let KindTotal { requests, bytes, .. } = found.of(kind);
        RecordedKind { requests, bytes }
    };
    Replayed {
        stream: String::new(),
        file: selection.file.display().to_string(),
        checksum: found.checksum,
        length_ns: found.last_ns,
        reads: kind(RequestKind::Read),
        writes: kind(RequestKind::Write),
        discards: kind(RequestKind::Discard),
        flushes: found.of(RequestKind::Flush).requests,
    }
}

/// What the trace answers, as knobs.
fn answers(found: &Survey) -> Vec<(&'static str, Value)> {
    let share = |kind| found.of(kind).requests as f64 / found.requests() as f64 * 100.0;
    let there = RequestKind::ALL.into_iter().filter(|kind| found.of(*kind).requests > 0);
    let names: Vec<&str> = there.map(RequestKind::name).collect();
    vec![
        ("block", json!([[found.longest_moved().max(512), 1.0]])),
        ("read", json!(share(RequestKind::Read))),
        ("trim", json!(share(RequestKind::Discard))),
        ("flush", json!(share(RequestKind::Flush))),
        (KINDS, json!(names)),
    ]
}

/// The file that a workload reads, where it replays one that does not ship with Dyno.
pub fn file(workload: &Component) -> Option<&str> {
    let file = workload.knobs.text("file").ok().filter(|_| workload.name == INFO.name);
    file.filter(|file| *file != compiled::SYNTHETIC)
}

fn class(kind: RequestKind) -> Class {
    match kind {
        RequestKind::Read => Class::READ,
        RequestKind::Write => Class::WRITE,
        RequestKind::Discard => Class::TRIM,
        RequestKind::Flush => Class::FLUSH,
    }
}

fn no_rate() -> crate::base::error::Error {
    failed(
        "a trace has times of its own, and no rate",
        "leave `rate` out; `scale` makes the trace faster or slower",
    )
}

/// The compiled trace.
fn open(selection: &Selection) -> Result<Reader> {
    compiled::open(&selection.file)
}
