//! The declaration of an engine or workload: name, summary, supported requests, knobs.
//!
//! The plan parser checks a user's keys against these, `dyno list` prints them, and the reference
//! page is generated from them, so a knob is described once, next to the code that reads it.

use super::model::Knobs;

/// The requests that a workload makes and an engine can execute. The two must match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestFamily {
    /// Reads and writes at offsets of a file or device.
    Block,
    /// Gets, puts and seeks on numbered keys.
    KeyValue,
    /// Queries for the nearest vectors.
    Vector,
    /// Transactions of SQL statements.
    Sql,
    /// Either: the null engine.
    Any,
}

impl RequestFamily {
    /// Whether a workload of this family runs on an engine of the other, or vice versa.
    pub fn suits(self, other: RequestFamily) -> bool {
        self == other || self == RequestFamily::Any || other == RequestFamily::Any
    }
}

impl std::fmt::Display for RequestFamily {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            RequestFamily::Block => "block",
            RequestFamily::KeyValue => "key-value",
            RequestFamily::Vector => "vector",
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
    /// Depends on its knobs.
    By(fn(&Knobs) -> bool),
}

impl Writes {
    /// Whether it may, with some knobs.
    pub fn ever(self) -> bool {
        !matches!(self, Writes::Never)
    }

    /// Whether it does, with these.
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
    /// The family of its requests.
    pub family: RequestFamily,
    /// For a workload: whether it writes, in which case it may not use a write-protected drive.
    /// Engines use `Never`, which is not read.
    pub writes: Writes,
    /// For an engine: the maximum queue depth of its I/O contexts, 1 for a synchronous one.
    /// Workloads use 1, which is not read.
    pub max_depth: u32,
    /// The knobs that a plan may set, in the order of help and reference.
    pub knobs: &'static [Knob],
    /// The source of the definition: document and section; empty if it is ours.
    pub source: &'static str,
}

/// One setting of an engine or workload.
#[derive(Debug)]
pub struct Knob {
    /// The key in a plan, lower case.
    pub name: &'static str,
    /// The type of its value.
    pub kind: KnobKind,
    /// Its value if the plan does not set it.
    pub default: DefaultValue,
    /// What it does, its range and its unit.
    pub doc: &'static str,
}

/// The type of a knob's value, and its resolved JSON form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KnobKind {
    /// `true` or `false`, as a JSON boolean.
    Bool,
    /// A whole number in a range, as a JSON integer.
    Int {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// A number in a range, as a JSON float.
    Float {
        /// The minimum.
        min: f64,
        /// The maximum.
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

/// A knob's value if the plan does not set it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultValue {
    /// The plan must set it.
    Required,
    /// The knob is omitted from the resolved knobs.
    Absent,
    /// As if the plan contained this text (a TOML value: `4096`, `"4KiB"`, `true`).
    Is(&'static str),
}
