//! How an engine or a workload declares itself: name, summary, the requests it knows, its knobs.
//!
//! The plan parser checks a user's keys against these, `dyno list` prints them, and the reference
//! page is made from them, so a knob is described once, beside the code that reads it.

use super::model::Knobs;

/// Which requests a workload makes and an engine can execute. The two must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestFamily {
    /// Reads and writes at offsets of a file or device.
    Block,
    /// Gets, puts and seeks on numbered keys.
    KeyValue,
    /// Transactions of SQL statements.
    Sql,
    /// Either: the null engine.
    Any,
}

impl RequestFamily {
    /// Whether a workload of this family runs on an engine of the other, or the reverse.
    pub fn suits(self, other: RequestFamily) -> bool {
        self == other || self == RequestFamily::Any || other == RequestFamily::Any
    }
}

impl std::fmt::Display for RequestFamily {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            RequestFamily::Block => "block",
            RequestFamily::KeyValue => "key-value",
            RequestFamily::Sql => "SQL",
            RequestFamily::Any => "any",
        })
    }
}

/// Whether a workload writes.
#[derive(Clone, Copy, Debug)]
pub enum Writes {
    /// With no knobs.
    Never,
    /// With any knobs.
    Always,
    /// Its knobs decide.
    By(fn(&Knobs) -> bool),
}

impl Writes {
    /// Whether it does with some knobs.
    pub fn ever(self) -> bool {
        !matches!(self, Writes::Never)
    }

    /// Whether it does with these.
    pub fn with(self, knobs: &Knobs) -> bool {
        match self {
            Writes::Never => false,
            Writes::Always => true,
            Writes::By(of) => of(knobs),
        }
    }
}

/// An engine's or workload's own description.
#[derive(Debug)]
pub struct Info {
    /// The name in a plan, lower case.
    pub name: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
    /// What requests it makes or takes.
    pub family: RequestFamily,
    /// For a workload: whether it writes, and so may not be pointed at a drive that must not be
    /// written to. An engine says `Never`; it is not read.
    pub writes: Writes,
    /// For an engine: the deepest queue that its I/O contexts take, 1 for a synchronous one. A
    /// workload says 1; it is not read.
    pub max_depth: u32,
    /// The knobs that a plan may set, in the order of help and of the reference.
    pub knobs: &'static [Knob],
    /// Where the definition comes from: document and section; empty where it is ours.
    pub source: &'static str,
}

/// One setting of an engine or workload.
#[derive(Debug)]
pub struct Knob {
    /// The key in a plan, lower case.
    pub name: &'static str,
    /// What its value may be.
    pub kind: KnobKind,
    /// Its value where the plan does not name it.
    pub default: DefaultValue,
    /// What it does, its range and its unit.
    pub doc: &'static str,
}

/// What may stand behind a knob, and how its resolved JSON value looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KnobKind {
    /// `true` or `false`, as a JSON boolean.
    Bool,
    /// A whole number in a range, as a JSON integer.
    Int {
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
    },
    /// A number in a range, as a JSON float.
    Float {
        /// The least value.
        min: f64,
        /// The greatest value.
        max: f64,
    },
    /// "4KiB" or a bare number; resolved to a JSON integer of bytes.
    Bytes,
    /// "20m"; resolved to a JSON integer of nanoseconds.
    Time,
    /// Any text, as a JSON string.
    Text,
    /// A command or other list of words, as a JSON array of strings.
    Words,
    /// One of a few words, as a JSON string.
    Choice(&'static [&'static str]),
    /// A size, or sizes with weights `[["4KiB", 60], ["64KiB", 40]]`; resolved to a JSON array of
    /// [bytes, weight].
    Sizes,
    /// Names and scalar values that the engine itself checks (RocksDB options), as a JSON object of
    /// strings.
    Options,
}

/// What a knob is when the plan does not say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultValue {
    /// The plan must say.
    Required,
    /// The knob is then left out of the resolved knobs.
    Absent,
    /// As if the plan had said this text (a TOML value: `4096`, `"4KiB"`, `true`).
    Is(&'static str),
}
