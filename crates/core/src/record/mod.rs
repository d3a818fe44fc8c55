//! The plain data that flows from a run to a bundle and from a bundle to a report. No behaviour
//! beyond sums.
//!
//! `Sink` is where a run writes it. `class`, `key` and `gauge` are the names that writers and
//! readers of bundles share: classes of op, facts, readings. `live` is the live feed of a run,
//! `common_start` a start shared by several hosts.

mod class;
mod contents;
pub mod gauge;
pub mod host;
mod idle_power;
pub mod key;
pub mod live;
mod mask;
mod method;
mod pacing;
mod prepared;
mod reported;
pub mod selftest;
mod slow_op;
mod verified;

use serde::{Deserialize, Serialize};

use crate::base::error::Result;
use crate::base::histogram::Histogram;
pub use crate::plan::{Axis, Plan, PointKey};
pub use class::Class;
pub use contents::{PointContents, RateInterval, RunContents};
pub use host::common_start::{ClockOffset, CommonStart};
pub use host::server_share::ServerShare;
pub use host::standstill::{STOOD_STILL, Standstill};
pub use idle_power::IdlePower;
pub use mask::{Mask, Masked};
pub use method::METHOD;
pub use pacing::{Ceiling, NEAR_CEILING, Overslept, PacingFloor};
pub use prepared::{DriveState, PreparationStep, SteadyState, SteadyWindow};
pub use reported::Reported;
pub use selftest::SelfTest;
pub use slow_op::{Evidence, SlowOp};
pub use verified::Verified;

/// One execution of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The plan, resolved: every default filled in, so that it can be run again.
    pub plan: Plan,
    /// Nanoseconds since 1970, UTC.
    pub started_unix_ns: u64,
    /// Version of the Dyno that measured.
    pub dyno_version: String,
}

/// One measured cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Subject, step, axis value and repeat: unique in a run.
    pub key: PointKey,
    /// Start of the measured window, nanoseconds since 1970 (UTC).
    pub started_unix_ns: u64,
    /// The measured window's length, warm-up excluded; None where the point has no window, or the
    /// source of an imported one does not give it.
    pub window_ns: Option<u64>,
    /// Whether it was measured to its end.
    pub outcome: Outcome,
    /// One for each stream, drive and instance.
    pub cells: Vec<Cell>,
    /// The engines' own counters over the window (RocksDB's counters, stalls, level shape …).
    pub facts: Vec<Fact>,
}

impl Point {
    /// A point without any data yet.
    pub fn begun(key: PointKey, started_unix_ns: u64) -> Point {
        Point {
            key,
            started_unix_ns,
            window_ns: None,
            outcome: Outcome::Measured,
            cells: Vec::new(),
            facts: Vec::new(),
        }
    }
}

/// How a point ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The whole window was measured.
    Measured,
    /// It ended early; what was measured until then is kept but enters no estimate.
    Failed {
        /// What failed, with its remedy where there is one.
        cause: String,
    },
}

/// What one stream did on one drive (and in one instance there) over the window.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The stream's name in its step.
    pub stream: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// Which copy of the stream on that drive, from 0.
    pub instance: u32,
    /// Whether the stream counts in the step's result.
    pub headline: bool,
    /// Workers of this cell; None where the source of imported figures does not say.
    pub threads: Option<u32>,
    /// Requests in flight for each worker; None likewise.
    pub depth: Option<u32>,
    /// Open loop: what was asked for, over all workers, in ops/s or bytes/s as the plan said.
    pub asked: Option<crate::base::units::Rate>,
    /// Open loop: ops handed to the engine more than `load::pacer::LATE_NS` after they were due.
    pub late: u64,
    /// Open loop: the most ops that were due and not yet handed over at any time, summed over
    /// workers.
    pub backlog_max: u64,
    /// Open loop: ops due inside the window that had not been handed over when it closed.
    pub backlog_end: u64,
    /// One for each class of op that occurred and was counted. Imported figures without counts
    /// have none: see [`Reported`].
    pub tallies: Vec<Tally>,
}

/// The ops of one class.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    /// Latencies of different classes are never mixed.
    pub class: Class,
    /// Ops that were intended in the window and completed.
    pub ops: u64,
    /// Bytes that those ops moved.
    pub bytes: u64,
    /// Reads that found no such key; they count as ops, as in db_bench.
    pub misses: u64,
    /// Transactions that were rolled back too often in a row and given up; they are not in `ops`.
    pub given_up: u64,
    /// completed − submitted
    pub service: Histogram,
    /// completed − intended; in closed loop it is the service time and not kept twice.
    pub response: Option<Histogram>,
}

impl Tally {
    /// The response time, which in closed loop is the service time.
    pub fn response(&self) -> &Histogram {
        self.response.as_ref().unwrap_or(&self.service)
    }
}

/// About one second of one class of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The stream's name in its step.
    pub stream: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// Which copy of the stream on that drive, from 0.
    pub instance: u32,
    /// The class whose ops are tallied.
    pub class: Class,
    /// Both since the start of the measured window; warm-up is not in any interval.
    pub start_ns: u64,
    /// End of the interval, nanoseconds since the start of the measured window.
    pub end_ns: u64,
    /// Bytes that its ops moved.
    pub bytes: u64,
    /// Its count is the interval's ops.
    pub service: Histogram,
    /// Response times; None in closed loop, where they are the service times.
    pub response: Option<Histogram>,
}

/// One reading of a meter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Since the start of the measured window; negative before it.
    pub at_ns: i64,
    /// The meter's name in the plan; two of one kind are numbered.
    pub meter: String,
    /// What was read, with its unit at the end: `package_watts`, `nvme0n1_read_bytes_per_s`.
    pub name: String,
    /// The reading, in the unit that ends the name.
    pub value: f64,
}

/// What a power reading is a reading of: its gauge is named `drive_watts` and so on.
pub const POWER_CLASSES: [&str; 4] = ["drive", "slot", "system", "cpu"];

/// Something true of the host, a drive or an engine, for the disclosure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Heading: "Host", "CPU", "Drive Micron 7600", "RocksDB".
    pub group: String,
    /// Which property: "Model", "Firmware".
    pub name: String,
    /// As it is printed, with its unit.
    pub value: String,
}

impl Fact {
    /// A fact; the value is kept as text.
    pub fn new(group: impl Into<String>, name: impl Into<String>, value: impl ToString) -> Fact {
        Fact { group: group.into(), name: name.into(), value: value.to_string() }
    }
}

/// Where a run puts what it measures. `run` knows only this; the bundle implements it. All calls
/// between `begin` and `end` belong to one point, which is kept whole or not at all.
pub trait Sink {
    /// Opens a point. Intervals and samples until `end` are of it.
    fn begin(&mut self, key: &PointKey) -> Result<()>;
    /// One interval of the open point.
    fn interval(&mut self, interval: &Interval) -> Result<()>;
    /// One reading of a meter, of the open point.
    fn sample(&mut self, sample: &Sample) -> Result<()>;
    /// One of the slowest ops of the open point.
    fn slow_op(&mut self, op: &SlowOp) -> Result<()>;
    /// Closes the point and commits it whole: after this returns it survives a kill.
    fn end(&mut self, point: &Point) -> Result<()>;
    /// Gives up the point that was begun: nothing of it is kept.
    fn discard(&mut self) -> Result<()>;
    /// Facts of the whole run; those already known are left alone.
    fn facts(&mut self, facts: &[Fact]) -> Result<()>;
    /// What was done to drives, in order, and how they were left. Not while a point is open.
    fn prepared(&mut self, prepared: &[PreparationStep]) -> Result<()>;
    /// In what state the drives were left. Not while a point is open.
    fn left(&mut self, states: &[DriveState]) -> Result<()>;
}
