//! The resolved plan: plain data, with all defaults, in base units. Bundles store it, so its JSON
//! form is versioned with the bundle's schema: fields are only ever added, with a default.

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
pub use self::stream::{Arrival, BurstArrivals, Component, Knobs, Load, PartOf, Stream};
use super::declaration::Declaration;
use crate::plan::search::Search;
use crate::plan::specification::Specifications;

/// A protocol applied to subjects: all of a run, or one test of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The comparison of several tests that this is one of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// The measurement and its preparation.
    pub protocol: Protocol,
    /// The subjects, in the order of the plan.
    pub subjects: Vec<Subject>,
    /// The maximum, if `until` permits fewer.
    pub repeats: u32,
    /// The plan does not set the number of repeats; see `repeats::default`.
    #[serde(default)]
    pub default_repeats: bool,
    /// When measuring stops before `repeats`; None measures them all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// The order of subjects.
    pub order: Order,
    /// The measuring method; `record::METHOD` at the start of the run.
    #[serde(default)]
    pub method: MethodVersion,
    /// Fields that may differ between compared points, as paths.
    #[serde(default)]
    pub vary: Vec<String>,
    /// Stated properties of the subjects' drives, not measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stated: Specifications,
    /// The publisher's statements.
    #[serde(default, skip_serializing_if = "Declaration::is_empty")]
    pub declared: Declaration,
    /// Subjects may share a physical device: a control run.
    #[serde(default)]
    pub same_device: bool,
    /// The seed of every random choice of the run.
    pub seed: u64,
    /// Meters for the whole run; a subject's own are part of the subject.
    #[serde(default)]
    pub meters: Vec<Component>,
    /// `meters = "none"`: without the permanent meters too.
    #[serde(default)]
    pub unwatched: bool,
    /// Duration of the idle measurement before the first point, if there is a power meter.
    #[serde(default)]
    pub idle_ns: u64,
    /// The facts of imported figures; the protocol then has no steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<ImportedRun>,
    /// The power cuts of `dyno powercut`.
    #[serde(skip)]
    pub powercut: Option<PowerCut>,
}

/// Several protocols over the same subjects, measured in one run and shown on one page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Its name in `dyno protocols`, or its file's name.
    pub name: String,
    /// Its title, in one line; empty in a plan that lists its protocols.
    pub title: String,
    /// Whose procedure it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
}

/// Repeats continue until half the width of the headline figure's 95 % interval is within this.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Until {
    /// Of the figure.
    pub percent: f64,
    /// Minimum number of repeats.
    pub at_least: u32,
}

/// A version of the measuring method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MethodVersion(pub u32);

impl Default for MethodVersion {
    /// The first, of bundles without a version; also used for figures of other tools.
    fn default() -> MethodVersion {
        MethodVersion(1)
    }
}

/// A procedure without drives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// Its name in `dyno list`, or its file's name.
    pub name: String,
    /// Its title, in one line.
    pub title: String,
    /// The source of the parameters.
    pub source: String,
    /// The headline of its brief; the first step by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<Headline>,
    /// The datasets of its streams, in the order in which they are filled.
    pub datasets: Vec<Dataset>,
    /// Loads before the steps, in order.
    pub prepare: Vec<Conditioning>,
    /// Other preparation of the drives: before the datasets are filled, and after the loads of
    /// `prepare`.
    #[serde(default)]
    pub preparation: Preparation,
    /// The measured steps, in order.
    pub steps: Vec<Step>,
}

/// The order of points of several subjects and repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Point by point through the subjects, in a balanced order (`order`), so that drift affects
    /// all alike.
    #[default]
    Interleaved,
    /// All points of a subject before the next subject, which keeps a drive's conditioned state
    /// unbroken.
    Blocked,
    /// The same, and the first subject again after the last, with the second half of its repeats,
    /// which shows changes over time.
    Returned,
    /// For imported figures, whose source does not give it. Plans cannot use it.
    NotGiven,
}

/// The unit of comparison: a label with one drive or several identical ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// Its label, unique in the plan; used in briefs and exports.
    pub name: String,
    /// Drives that are measured together; there are results for each and for all.
    pub drives: Vec<Drive>,
    /// Meters for this subject only.
    #[serde(default)]
    pub meters: Vec<Component>,
    /// Knobs that the plan sets for this subject only.
    #[serde(default)]
    pub overrides: Vec<OwnKnob>,
}

/// One subject's own value of a knob of a stream.
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

/// One drive under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drive {
    /// Its path or device.
    pub place: DrivePlace,
    /// The plan has `erase = true`: its contents may be destroyed. Only required for devices; in a
    /// directory Dyno writes only to its own folder.
    pub erase: bool,
    /// The filesystems and partition tables that may be erased according to the plan: `erase =
    /// "xfs"`.
    #[serde(default)]
    pub erase_signatures: Vec<String>,
    /// Environment variables with connection strings, one for each existing server of the drive;
    /// none: the engine's usual one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<String>,
    /// Its namespaces, found during preparation; plans do not name them.
    #[serde(default)]
    pub namespaces: Vec<PathBuf>,
}

/// The location of a drive.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrivePlace {
    /// A directory on a mounted filesystem; Dyno writes to its `dyno-data`.
    Directory(PathBuf),
    /// A block device, by a stable path, and by the serial number that it must report.
    Device {
        /// A stable name in /dev/disk/by-id.
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

/// The data of streams, created once on each drive and reused by later runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    /// Its name, used by streams to refer to it.
    pub name: String,
    /// The engine that creates it, with the knobs that determine its layout (sizes, keys, options).
    pub engine: Component,
    /// Its fill; a dataset without one is opened as found.
    pub fill: Option<Fill>,
    /// Copied after the fill, and restored before a point that would find it modified.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restore: bool,
}

/// The fill of a dataset: each worker's share of the ops once, then background work settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    /// The workload that writes it, through the dataset's engine.
    pub workload: Component,
    /// Workers that share the ops.
    pub threads: u32,
    /// Requests in flight for each worker.
    pub depth: u32,
}

/// A load before the steps that is not reported: preconditioning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conditioning {
    /// The load; its figures are not reported.
    pub stream: Stream,
    /// Zero if limited by passes.
    pub duration_ns: u64,
    /// Passes over the whole range; zero if limited by time.
    #[serde(default)]
    pub passes: f64,
}

/// Streams run together, swept along one axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its name, unique in the protocol.
    pub name: String,
    /// Its title in a brief.
    pub title: String,
    /// Duration of the load before the window, nanoseconds.
    pub warmup_ns: u64,
    /// Length of the measured window, nanoseconds.
    pub duration_ns: u64,
    /// Write back and drop the page cache before each point.
    pub drop_caches: bool,
    /// Wait for the engine's background work (compaction) before each point.
    pub settle: bool,
    /// Time that the drive has after the window to finish what the load caused, nanoseconds, after
    /// background work of the engine has ended; counters are read again when it is over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cooldown_ns: u64,
    /// Memory limit of Dyno's own process while a point is measured, bytes, page cache included;
    /// None: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// A point ends as failed if an op of an open loop is submitted later than this, nanoseconds;
    /// None: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lag_ns: Option<u64>,
    /// The figures printed by its source, by name; the usual ones of its kind of sweep by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    /// The variation between its points; None measures a single point.
    pub sweep: Option<Sweep>,
    /// Its concurrent streams.
    pub streams: Vec<Stream>,
}

fn is_zero(ns: &u64) -> bool {
    *ns == 0
}

impl Step {
    /// How long a point takes: warm-up, window and cool-down, nanoseconds.
    pub fn point_ns(&self) -> u64 {
        self.warmup_ns.saturating_add(self.duration_ns).saturating_add(self.cooldown_ns)
    }
}

/// The field that varies between a step's points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The swept stream; empty if the rates of all streams vary.
    pub stream: String,
    /// The swept field.
    pub field: Field,
    /// In the field's unit. A load sweep measures the maximum first, which is not among them.
    pub values: Vec<f64>,
    /// The knob that is swept, for `Field::Knob`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knob: Option<SweptKnob>,
    /// If set, only the values that this search needs are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
}

/// A knob of a workload that is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweptKnob {
    /// Its name.
    pub name: String,
    /// Its values in the order of measurement: as the plan writes them, and resolved.
    pub values: Vec<(String, serde_json::Value)>,
}

impl SweptKnob {
    /// Its values that the axis counts from 1: as written, and resolved.
    pub fn at(&self, value: AxisValue) -> Option<&(String, serde_json::Value)> {
        let place = (value.number()? as usize).checked_sub(1)?;
        self.values.get(place)
    }
}

/// One measured cell: subject, step, axis value and repeat. Unique within a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PointKey {
    /// The subject's name.
    pub subject: String,
    /// The step's name.
    pub step: String,
    /// The axis value; None if the step has no sweep.
    pub axis: Option<Axis>,
    /// From 1.
    pub repeat: u32,
}

/// A point with everything needed to measure it.
#[derive(Clone, Debug, PartialEq)]
pub struct PointPlan {
    /// What identifies it within the run.
    pub key: PointKey,
    /// The subject that is measured.
    pub subject: Subject,
    /// The step with the axis value applied to its streams.
    pub step: Step,
}

impl Plan {
    /// Whether no data are stored on any drive: all engines store none, or use servers elsewhere.
    pub fn keeps_no_data(&self) -> bool {
        self.protocol.keeps_no_data()
    }
}

impl Protocol {
    /// The step with this name.
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.name == name)
    }

    /// Whether no data are stored on any drive; see [`Plan::keeps_no_data`].
    pub fn keeps_no_data(&self) -> bool {
        let streams = self.steps.iter().flat_map(|step| &step.streams);
        let prepared = self.prepare.iter().map(|load| &load.stream);
        let steady = self.preparation.steady.iter().map(|steady| &steady.stream);
        streams.chain(prepared).chain(steady).all(Stream::keeps_no_data)
    }
}

impl Step {
    /// An axis value as the plan writes it, if it is a word or a time: a device of a trace.
    pub fn written(&self, axis: Option<&Axis>) -> Option<&str> {
        let (sweep, axis) = (self.sweep.as_ref()?, axis?);
        sweep.knob.as_ref()?.at(axis.value).map(|(written, _)| written.as_str())
    }

    /// The leading stream: the first that counts in the headline.
    pub fn lead(&self) -> Option<&Stream> {
        self.streams.iter().find(|s| s.headline)
    }
}
