//! The plain data that flows from a run to a bundle and from a bundle to a report. No behaviour
//! beyond sums.
//!
//! `Sink` is the interface to which a run writes it. `class`, `key` and `gauge` are the names
//! shared by writers and readers of bundles: classes of op, facts, readings. `live` is the live
//! feed of a run, `common_start` a start shared by several hosts.

mod accelerators;
mod class;
mod contents;
pub mod gauge;
pub mod host;
mod idle_power;
mod io_limit;
pub mod key;
pub mod live;
mod mask;
mod method;
pub mod observed;
mod open_loop;
mod prepared;
mod reported;
pub mod selftest;
pub mod setup;
mod slow_op;
mod vector_search;
mod verified;
mod worker_processors;

use serde::{Deserialize, Serialize};

use crate::base::error::Result;
use crate::base::histogram::{Histogram, bucket_of};
pub use crate::plan::{Axis, Plan, PointKey};
pub use accelerators::Accelerators;
pub use class::Class;
pub use contents::{PointContents, RateInterval, RunContents};
pub use host::common_start::{ClockOffset, CommonStart};
pub use host::server_share::ServerShare;
pub use host::standstill::{STOOD_STILL, Standstill};
pub use idle_power::IdlePower;
pub use io_limit::{IoLimit, IoLimitKind};
pub use mask::{Mask, Masked, masked_name};
pub use method::METHOD;
pub use observed::{Observation, Observed};
pub use open_loop::cached_blocks::CachedBlocks;
pub use open_loop::pacing::{Ceiling, LatenessCause, NEAR_CEILING, OwnLateness, PacingFloor};
pub use open_loop::replayed::{Arrivals, RecordedKind, RemappedTrace, Replayed};
pub use open_loop::worst_period::WorstPeriod;
pub use prepared::{DriveState, PreparationStep, SteadyState, SteadyWindow};
pub use reported::Reported;
pub use selftest::SelfTest;
pub use setup::Setup;
pub use slow_op::{Evidence, SlowOp};
pub use vector_search::VectorSearch;
pub use verified::Verified;
pub use worker_processors::WorkerProcessors;

/// One execution of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The resolved plan, with all defaults, so that it can be run again.
    pub plan: Plan,
    /// Nanoseconds since 1970, UTC.
    pub started_unix_ns: u64,
    /// Version of the Dyno that ran it.
    pub dyno_version: String,
}

/// One measured cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Subject, step, axis value and repeat: unique in a run.
    pub key: PointKey,
    /// Start of the measured window, nanoseconds since 1970 (UTC).
    pub started_unix_ns: u64,
    /// The measured window's length, warm-up excluded; None if the point has no window, or an
    /// imported one's source does not give it.
    pub window_ns: Option<u64>,
    /// Whether it was measured completely.
    pub outcome: Outcome,
    /// One for each stream, drive and instance.
    pub cells: Vec<Cell>,
    /// The engines' own counters over the window (RocksDB's counters, stalls, levels …).
    pub facts: Vec<Fact>,
    /// What was observed beyond latencies.
    pub observed: Vec<Observed>,
}

impl Point {
    /// Whether its headline streams completed no op, and have no duration of a check: it then has
    /// no figures, regardless of its outcome.
    pub fn did_nothing(&self) -> bool {
        let headline = || self.cells.iter().filter(|cell| cell.headline);
        let mut tallies = headline().flat_map(|cell| &cell.tallies);
        headline().next().is_some() && !tallies.any(Tally::has_result)
    }

    /// A point without any data yet.
    pub fn begun(key: PointKey, started_unix_ns: u64) -> Point {
        Point {
            key,
            started_unix_ns,
            window_ns: None,
            outcome: Outcome::Measured,
            cells: Vec::new(),
            facts: Vec::new(),
            observed: Vec::new(),
        }
    }
}

/// The outcome of a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The whole window was measured.
    Measured,
    /// It ended early; its data are stored but excluded from all estimates.
    Failed {
        /// The cause of the failure, with its remedy if there is one.
        cause: String,
    },
}

/// The result of one stream on one drive (and instance) over the window.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The stream's name in its step.
    pub stream: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// Index of the stream's copy on that drive, from 0.
    pub instance: u32,
    /// Whether the stream counts in the step's result.
    pub headline: bool,
    /// Workers of this cell; None if the source of imported figures does not give it.
    pub threads: Option<u32>,
    /// Requests in flight for each worker; None likewise.
    pub depth: Option<u32>,
    /// Open loop: the target rate over all workers, in ops/s or bytes/s as in the plan.
    pub asked: Option<crate::base::units::Rate>,
    /// Open loop: ops that were submitted more than `load::pacer::LATE_NS` after they were due, or
    /// never.
    pub late: u64,
    /// Open loop: the maximum number of ops due but not yet submitted, summed over workers.
    pub backlog_max: u64,
    /// Open loop: ops due but not submitted when the window closed; at most `backlog_max`.
    pub backlog_end: u64,
    /// The mean number of ops in flight over the window; None if unknown.
    pub in_flight: Option<f64>,
    /// One for each class of op that occurred and was counted. Empty for imported figures without
    /// counts: see [`Reported`].
    pub tallies: Vec<Tally>,
}

/// The ops of one class.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    /// Latencies of different classes are never mixed.
    pub class: Class,
    /// Ops completed inside the window, whenever they were intended: rates are of these.
    pub ops: u64,
    /// Bytes that those ops moved.
    pub bytes: u64,
    /// Reads of missing keys; they count as ops, as in db_bench.
    pub misses: u64,
    /// Transactions abandoned after repeated rollbacks; not in `ops`.
    pub given_up: u64,
    /// completed − submitted, of the ops that were intended inside the window, whenever they
    /// completed, and of those that were in flight all through it.
    pub service: Histogram,
    /// completed − intended of the same ops, and the ages of those that were never submitted; None
    /// in closed loop, where it equals the service time.
    pub response: Option<Histogram>,
    /// The ops in `response` that were never submitted; None if there are none.
    pub censored: Option<Censored>,
}

/// Ops of an open loop that were due inside the window and had not been submitted when the load
/// ended: their response times are longer than their ages at that time, by an unknown amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Censored {
    /// Number of ops.
    pub ops: u64,
    /// The smallest of their ages, nanoseconds.
    pub from_ns: u64,
}

impl Censored {
    /// Combines both.
    pub fn merged(a: Option<Censored>, b: Option<Censored>) -> Option<Censored> {
        let (Some(x), Some(y)) = (a, b) else { return a.or(b) };
        Some(Censored { ops: x.ops.saturating_add(y.ops), from_ns: x.from_ns.min(y.from_ns) })
    }

    /// Whether a latency of this length, from a histogram that includes these ops, is only a lower
    /// bound: from the smallest of their ages on, an op counted there may have taken longer.
    pub fn bounds(self, ns: u64) -> bool {
        bucket_of(ns) >= bucket_of(self.from_ns)
    }
}

impl Tally {
    /// The response time, in closed loop the service time.
    pub fn response(&self) -> &Histogram {
        self.response.as_ref().unwrap_or(&self.service)
    }

    /// Whether it has what its class is measured by: a rate of ops completed inside the window, or
    /// for a check, which has no rate, the time that one took, also if it ended after the window.
    pub fn has_result(&self) -> bool {
        self.ops > 0 || (self.class == Class::CHECK && !self.service.is_empty())
    }

    /// Whether an op of it was completed, abandoned or due.
    pub fn occurred(&self) -> bool {
        self.ops + self.given_up > 0 || !self.response().is_empty()
    }
}

/// About one second of one class of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The stream's name in its step.
    pub stream: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// Index of the stream's copy on that drive, from 0.
    pub instance: u32,
    /// The class of the counted ops.
    pub class: Class,
    /// Start of the interval, since the start of the measured window; warm-up is in no interval.
    pub start_ns: u64,
    /// End of the interval, nanoseconds since the start of the measured window.
    pub end_ns: u64,
    /// Ops completed in it.
    pub ops: u64,
    /// Bytes that its ops moved.
    pub bytes: u64,
    /// Service times of those that count in the point's latencies; in the last interval also of
    /// those that completed after the window.
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
    /// The gauge's name, ending in its unit: `package_watts`, `nvme0n1_read_bytes_per_s`.
    pub name: String,
    /// The value, in that unit.
    pub value: f64,
}

/// The scope of a power reading: its gauge is named `drive_watts` and so on.
pub const POWER_CLASSES: [&str; 4] = ["drive", "slot", "system", "cpu"];

/// A property that is only disclosed: of an engine, an import, the measuring program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Heading: "Dyno", "Physical devices", "RocksDB".
    pub group: String,
    /// The property: "Version", "Options".
    pub name: String,
    /// The printed value, with its unit.
    pub value: String,
    /// The server that it is about, if a point has several.
    pub server: Option<ServerPlace>,
}

/// One of several database servers of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ServerPlace {
    /// Index of its drive in the subject, from 0.
    pub drive: u32,
    /// The number of the server among the drive's servers, from 0.
    pub instance: u32,
}

impl Fact {
    /// A fact; the value is stored as text.
    pub fn new(group: impl Into<String>, name: impl Into<String>, value: impl ToString) -> Fact {
        Fact { group: group.into(), name: name.into(), value: value.to_string(), server: None }
    }
}

/// The destination of a run's results. `run` knows only this trait; the bundle implements it. All
/// calls between `begin` and `end` belong to one point, which is stored completely or not at all.
pub trait Sink {
    /// Opens a point, to which intervals and samples belong until `end`.
    fn begin(&mut self, key: &PointKey) -> Result<()>;
    /// One interval of the open point.
    fn interval(&mut self, interval: &Interval) -> Result<()>;
    /// One reading of a meter, of the open point.
    fn sample(&mut self, sample: &Sample) -> Result<()>;
    /// One of the slowest ops of the open point.
    fn slow_op(&mut self, op: &SlowOp) -> Result<()>;
    /// Closes and commits the point: after this returns, it survives a kill.
    fn end(&mut self, point: &Point) -> Result<()>;
    /// Abandons the open point: nothing of it is stored.
    fn discard(&mut self) -> Result<()>;
    /// Facts of the whole run; known ones are not replaced.
    fn facts(&mut self, facts: &[Fact]) -> Result<()>;
    /// What was observed of the whole run. Not while a point is open.
    fn observed(&mut self, observed: &[Observed]) -> Result<()>;
    /// States of volatile write caches, which belong to the setups of their drives. Not while a
    /// point is open.
    fn write_caches(&mut self, states: &[setup::DriveWriteCache]) -> Result<()>;
    /// Preparation of drives, in order, and their final state. Not while a point is open.
    fn prepared(&mut self, prepared: &[PreparationStep]) -> Result<()>;
    /// The state in which the drives were left. Not while a point is open.
    fn left(&mut self, states: &[DriveState]) -> Result<()>;
}
