//! `trace`: replay of a recorded load at its recorded times (docs/trace.md).
//!
//! `selection` holds the knobs and `compiled` caches the compact form of the trace. `survey` scans
//! the selected part before the load, `properties` are the results that engines and streams need.
//! `mapping` and `compaction` map its offsets to the target, and `reuse` measures the effect on
//! reuse distances. `ahead` is the read-ahead thread of a worker, and `ring` the queue between the
//! two.

pub mod ahead;
mod compaction;
mod compiled;
pub mod mapping;
pub mod properties;
mod reuse;
mod ring;
pub mod selection;
pub mod survey;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub use self::compiled::SYNTHETIC;

use self::ahead::{ReplayPart, TraceSource};
use self::mapping::OffsetMapping;
use self::properties::{KINDS, no_rate, recorded_load, recording};
use self::selection::{Remap, ReplayPace, Selection};
use self::survey::survey;
use crate::{Reader, RequestKind};
use dyno_core::base::error::Result;
use dyno_core::measure::{AddressSpace, OpGenerator, OpKind};
use dyno_core::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use dyno_core::record::{Class, RemappedTrace};
use dyno_core::workload::{GeneratorInputs, RecordedLoad, Workload};

/// The workload `trace`.
pub struct Trace;

/// The knob `pace`.
pub const PACE: Knob = Knob {
    name: "pace",
    kind: KnobKind::Choice(&["recorded", "asap"]),
    default: DefaultValue::Is("\"recorded\""),
    doc: "recorded: each request is due at its recorded time, divided by `scale`; asap: as \
          soon as a slot of the queue is free, in the recorded order.",
};

/// The knob `scale`.
pub const SCALE: Knob = Knob {
    name: "scale",
    kind: KnobKind::Float { min: 0.01, max: 1000.0 },
    default: DefaultValue::Is("1"),
    doc: "How much faster than recorded: 2 replays in half the time.",
};

/// The knob `start`.
pub const START: Knob = Knob {
    name: "start",
    kind: KnobKind::Time,
    default: DefaultValue::Absent,
    doc: "Start of the window that is replayed, after the trace's first request; by \
          default the first request.",
};

/// The knob `end`.
pub const END: Knob = Knob {
    name: "end",
    kind: KnobKind::Time,
    default: DefaultValue::Absent,
    doc: "End of the window, after the trace's first request; by default the last request.",
};

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
        PACE,
        SCALE,
        START,
        END,
        Knob {
            name: "length",
            kind: KnobKind::Time,
            default: DefaultValue::Absent,
            doc: "Length of the window from `start` on, in place of `end`: a sweep of `start` then \
                  moves the window.",
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

    fn recording<'k>(&self, knobs: &'k Knobs) -> Option<&'k str> {
        recording(knobs)
    }

    fn recorded(&self, knobs: &Knobs) -> Result<Option<RecordedLoad>> {
        let (selection, pace) = (Selection::of(knobs)?, ReplayPace::of(knobs)?);
        let found = survey(&selection, &mut open(&selection)?)?;
        Ok(Some(recorded_load(&selection, pace, &found)))
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

    fn check(&self, share: &GeneratorInputs<'_>) -> Result<()> {
        Selection::of(share.knobs)?;
        ReplayPace::of(share.knobs).map(drop)
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
            write: OpKind::Write,
            group_class: None,
            selection,
            pace,
        };
        Ok(Box::new(TraceSource::start(part, reader, share.seed)?))
    }
}

fn class(kind: RequestKind) -> Class {
    match kind {
        RequestKind::Read => Class::READ,
        RequestKind::Write => Class::WRITE,
        RequestKind::Discard => Class::TRIM,
        RequestKind::Flush => Class::FLUSH,
    }
}

/// Opens the compiled trace.
fn open(selection: &Selection) -> Result<Reader> {
    compiled::open(&selection.file)
}
