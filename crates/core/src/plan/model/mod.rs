//! The resolved plan: plain data, every default filled in, every unit converted. It is what a
//! bundle keeps, so its JSON form is versioned with the bundle's schema: fields are only ever
//! added, with a default.

mod axis;
pub mod headline;
mod imported;
mod powercut;
pub(super) mod preparation;
mod stream;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use self::axis::{Axis, AxisValue, Field};
use self::headline::Headline;
pub use self::imported::{ImportedRun, ImportedStep, LoopKind, Timing};
pub use self::powercut::PowerCut;
pub use self::preparation::{
    Filesystem, FilesystemKind, Preparation, Purge, Steady, SteadyMetric, SteadyRule,
};
pub use self::stream::{Arrival, Component, Knobs, Load, PartOf, Stream};
use super::declaration::Declaration;
use crate::plan::search::Search;
use crate::plan::specification::Specifications;

/// A protocol applied to subjects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What is measured, and what is done before.
    pub protocol: Protocol,
    /// What is compared, in the order of the plan.
    pub subjects: Vec<Subject>,
    /// The most, where `until` lets fewer do.
    pub repeats: u32,
    /// The plan did not say how many repeats; see `repeats::default`.
    #[serde(default)]
    pub default_repeats: bool,
    /// When measuring stops before `repeats`; None measures them all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// In which order subjects take turns.
    pub order: Order,
    /// By which rule subjects take turns; see `order`. Bundles that do not say used the first.
    #[serde(default)]
    pub order_version: u32,
    /// By which method points were measured; `record::METHOD` when the run began.
    #[serde(default)]
    pub method: MethodVersion,
    /// Fields whose difference is the question, as paths: points that differ in them may be
    /// compared.
    #[serde(default)]
    pub vary: Vec<String>,
    /// What is known of the subjects' drives and is not measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stated: Specifications,
    /// What whoever publishes it declares beside the figures.
    #[serde(default, skip_serializing_if = "Declaration::is_empty")]
    pub declared: Declaration,
    /// Subjects may share a physical device: a control run.
    #[serde(default)]
    pub same_device: bool,
    /// Every random choice of the run follows from this number.
    pub seed: u64,
    /// Instruments that watch the whole run; those of one subject stand with it.
    #[serde(default)]
    pub meters: Vec<Component>,
    /// `meters = "none"`: not even the meters that always watch.
    #[serde(default)]
    pub unwatched: bool,
    /// How long the idle host is watched before the first point, where something measures power.
    #[serde(default)]
    pub idle_ns: u64,
    /// What is known of figures that Dyno did not measure; the protocol has no steps then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportedRun>,
    /// What `dyno powercut` does besides.
    #[serde(skip)]
    pub powercut: Option<PowerCut>,
}

/// Measuring goes on until half the width of the headline figure's 95 % interval is within this.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Until {
    /// Of the figure.
    pub percent: f64,
    /// Repeats that are measured in any case.
    pub at_least: u32,
}

/// A version of the measuring method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MethodVersion(pub u32);

impl Default for MethodVersion {
    /// The first, of bundles that do not say; figures of other tools have it as well.
    fn default() -> MethodVersion {
        MethodVersion(1)
    }
}

/// A procedure without drives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// Its name, as `dyno list` shows it, or its file's.
    pub name: String,
    /// What it is, in one line.
    pub title: String,
    /// Where the parameters come from.
    pub source: String,
    /// What its brief leads with; the first step where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<Headline>,
    /// What its streams work on, in the order in which they are filled.
    pub datasets: Vec<Dataset>,
    /// Loads that are put on before the steps, in order.
    pub prepare: Vec<Conditioning>,
    /// What is done to the drives besides: before the datasets are filled, and after the loads of
    /// `prepare`.
    #[serde(default)]
    pub preparation: Preparation,
    /// What is measured, in order.
    pub steps: Vec<Step>,
}

/// In which order the points of several subjects and repeats are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Point by point through the subjects, in turns that `order` balances, so that drift meets all
    /// alike.
    #[default]
    Interleaved,
    /// All points of a subject before the next subject, which keeps a drive's conditioned state
    /// unbroken.
    Blocked,
    /// Of imported figures, whose source does not say. No plan can ask for it.
    NotGiven,
}

/// What is compared: a label with one drive or several like ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// Its label, unique in the plan; briefs and exports name it so.
    pub name: String,
    /// Drives that are measured together; results exist for each and for all.
    pub drives: Vec<Drive>,
    /// Instruments that watch this subject alone.
    #[serde(default)]
    pub meters: Vec<Component>,
    /// Knobs that the plan gives to this subject alone.
    #[serde(default)]
    pub overrides: Vec<OwnKnob>,
}

/// A knob of one stream that one subject has a value of its own for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnKnob {
    /// Name of the step.
    pub step: String,
    /// Name of the stream in it.
    pub stream: String,
    /// Whether it is the engine's or the workload's.
    pub of: PartOf,
    /// Name of the knob, as its [`Info`](crate::plan::Info) declares it.
    pub knob: String,
    /// Resolved, as in `Knobs`.
    pub value: serde_json::Value,
}

/// One thing under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drive {
    /// Where it is reached.
    pub place: DrivePlace,
    /// The plan says `erase = true`: what is on it may be destroyed. Only devices need it; in a
    /// directory Dyno writes nothing but its own folder.
    pub erase: bool,
    /// The filesystems and partition tables that the plan says may be erased: `erase = "xfs"`.
    #[serde(default)]
    pub erase_signatures: Vec<String>,
    /// Environment variables with connection strings, one for each existing server of the drive;
    /// none: the engine's usual one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<String>,
    /// Its namespaces, found when it was made ready with some; no plan names them.
    #[serde(default)]
    pub namespaces: Vec<PathBuf>,
}

/// Where a drive is reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrivePlace {
    /// A folder on a mounted filesystem; Dyno writes below `dyno-data` in it.
    Directory(PathBuf),
    /// A block device, by a path that stays, and by the serial number that it must report.
    Device {
        /// A name that stays the same, below /dev/disk/by-id.
        path: PathBuf,
        /// Serial number, NGUID, EUI-64, UUID or WWID.
        serial: String,
    },
}

impl DrivePlace {
    /// The folder, or the device's node.
    pub fn path(&self) -> &Path {
        match self {
            DrivePlace::Directory(path) | DrivePlace::Device { path, .. } => path,
        }
    }
}

/// What streams work on, laid out once on each drive and found again by later runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    /// Its name, used by streams to refer to it.
    pub name: String,
    /// The engine that lays it out, with the knobs that give its shape (sizes, keys, options).
    pub engine: Component,
    /// How it is filled; a dataset without is opened as it is found.
    pub fill: Option<Fill>,
    /// Kept as it was filled, and put back before a point that would find it written to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restore: bool,
}

/// How a dataset is filled: each worker's share of the ops once, then background work settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    /// What is written, through the dataset's engine.
    pub workload: Component,
    /// Workers that share the ops.
    pub threads: u32,
    /// Requests in flight for each worker.
    pub depth: u32,
}

/// A load put on before the steps and not reported: preconditioning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conditioning {
    /// The load; its figures are not reported.
    pub stream: Stream,
    /// Zero where it goes by passes.
    pub duration_ns: u64,
    /// How often the whole range is covered; zero where it goes by time.
    #[serde(default)]
    pub passes: f64,
}

/// Streams run together, swept along one axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its name, unique in the protocol.
    pub name: String,
    /// What a brief calls it.
    pub title: String,
    /// Time for which the load runs before the window, nanoseconds.
    pub warmup_ns: u64,
    /// Length of the measured window, nanoseconds.
    pub duration_ns: u64,
    /// Write back and drop the page cache before each point.
    pub drop_caches: bool,
    /// Let the engine's background work (compaction) end before each point.
    pub settle: bool,
    /// The most memory that Dyno's own process has while a point is measured, bytes, page cache
    /// included; None: what the host has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// A point ends, as failed, where an op of an open loop is handed over later than this,
    /// nanoseconds; None: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lag_ns: Option<u64>,
    /// The figures that its source prints, by name; those that its kind of sweep is known for where
    /// it does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    /// What moves between its points; None measures one.
    pub sweep: Option<Sweep>,
    /// What runs at the same time.
    pub streams: Vec<Stream>,
}

/// The one field that moves between a step's points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The stream whose field moves; empty where the rates of all do.
    pub stream: String,
    /// The field that moves.
    pub field: Field,
    /// In the field's unit. A load sweep measures the maximum first, which is not among them.
    pub values: Vec<f64>,
    /// Only the values that this search asks for are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
}

/// One measured cell: which subject, step, axis value and repeat. Unique within a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointKey {
    /// The subject's name.
    pub subject: String,
    /// The step's name.
    pub step: String,
    /// The axis value; None where the step has no sweep.
    pub axis: Option<Axis>,
    /// From 1.
    pub repeat: u32,
}

/// A point with everything that has to be known to measure it.
#[derive(Clone, Debug, PartialEq)]
pub struct PointPlan {
    /// Its place in the run.
    pub key: PointKey,
    /// What is measured.
    pub subject: Subject,
    /// The step with the axis value applied to its streams.
    pub step: Step,
}

impl Plan {
    /// Whether nothing is kept on any drive: all loads are on engines without data, or on servers
    /// elsewhere.
    pub fn keeps_no_data(&self) -> bool {
        self.protocol.keeps_no_data()
    }
}

impl Protocol {
    /// Whether nothing is kept on any drive; see [`Plan::keeps_no_data`].
    pub fn keeps_no_data(&self) -> bool {
        let streams = self.steps.iter().flat_map(|step| &step.streams);
        let prepared = self.prepare.iter().map(|load| &load.stream);
        let steady = self.preparation.steady.iter().map(|steady| &steady.stream);
        streams.chain(prepared).chain(steady).all(Stream::keeps_no_data)
    }
}

impl Step {
    /// The stream whose figures lead: the first that counts in the headline.
    pub fn lead(&self) -> Option<&Stream> {
        self.streams.iter().find(|s| s.headline)
    }
}
