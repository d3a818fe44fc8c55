//! The resolved plan: plain data, every default filled in, every unit converted. It is what a bundle keeps, so its JSON
//! form is versioned with the bundle's schema: fields are only ever added, with a default.

mod axis;
pub(super) mod preparation;
mod stream;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use self::axis::{Axis, AxisValue, Field};
pub use self::preparation::{Filesystem, FilesystemKind, Metric, Preparation, Purge, Steady, SteadyRule};
pub use self::stream::{Arrival, Knobs, Load, Part, PartOf, Stream};
use super::headline::Headline;
use super::search::Search;

/// A protocol applied to subjects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub protocol: Protocol,
    pub subjects: Vec<Subject>,
    /// The most, where `until` lets fewer do.
    pub repeats: u32,
    /// The plan did not say how many repeats; see `repeats::default`.
    #[serde(default)]
    pub default_repeats: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    pub order: Order,
    /// By which rule subjects take turns; see `order`. Bundles that do not say used the first.
    #[serde(default)]
    pub order_version: u32,
    /// By which method points were measured; `record::METHOD` when the run began.
    #[serde(default)]
    pub method: Method,
    /// Fields whose difference is the question, as paths: points that differ in them may be compared.
    #[serde(default)]
    pub vary: Vec<String>,
    /// Subjects may share a physical device: a control run.
    #[serde(default)]
    pub same_device: bool,
    /// Every random choice of the run follows from this number.
    pub seed: u64,
    /// Instruments that watch the whole run; those of one subject stand with it.
    #[serde(default)]
    pub meters: Vec<Part>,
    /// `meters = "none"`: not even the meters that always watch.
    #[serde(default)]
    pub unwatched: bool,
    /// How long the host is watched at rest before the first point, where something measures power.
    #[serde(default)]
    pub idle_ns: u64,
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
pub struct Method(pub u32);

impl Default for Method {
    /// The first, of bundles that do not say; figures of other tools have it as well.
    fn default() -> Method {
        Method(1)
    }
}

/// A procedure without drives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    pub name: String,
    pub title: String,
    /// Where the parameters come from.
    pub source: String,
    /// What its brief leads with; the first step where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<Headline>,
    pub datasets: Vec<Dataset>,
    pub prepare: Vec<Conditioning>,
    /// What is done to the drives besides: before the datasets are filled, and after the loads of `prepare`.
    #[serde(default)]
    pub preparation: Preparation,
    pub steps: Vec<Step>,
}

/// In which order the points of several subjects and repeats are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Point by point through the subjects, in turns that `order` balances, so that drift meets all alike.
    #[default]
    Interleaved,
    /// All points of a subject before the next subject, which keeps a drive's conditioned state unbroken.
    Blocked,
}

/// What is compared: a label with one drive or several like ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    pub name: String,
    pub drives: Vec<Drive>,
    /// Instruments that watch this subject alone.
    #[serde(default)]
    pub meters: Vec<Part>,
    /// Knobs that the plan gives to this subject alone.
    #[serde(default)]
    pub overrides: Vec<OwnKnob>,
}

/// A knob of one stream that one subject has a value of its own for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnKnob {
    pub step: String,
    pub stream: String,
    pub of: PartOf,
    pub knob: String,
    /// Resolved, as in `Knobs`.
    pub value: serde_json::Value,
}

/// One thing under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drive {
    pub place: Place,
    /// The plan says `erase = true`: what is on it may be destroyed. Only devices need it; in a directory Dyno writes
    /// nothing but its own folder.
    pub erase: bool,
    /// The filesystems and partition tables that the plan says may be erased: `erase = "xfs"`.
    #[serde(default)]
    pub erase_signatures: Vec<String>,
    /// Its namespaces, found when it was made ready with some; no plan names them.
    #[serde(default)]
    pub namespaces: Vec<PathBuf>,
}

/// Where a drive is reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    Directory(PathBuf),
    Device { path: PathBuf, serial: String },
}

impl Place {
    pub fn path(&self) -> &Path {
        match self {
            Place::Directory(path) | Place::Device { path, .. } => path,
        }
    }
}

/// What streams work on, laid out once on each drive and found again by later runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    pub name: String,
    /// The engine that lays it out, with the knobs that give its shape (sizes, keys, options).
    pub engine: Part,
    /// How it is filled; a dataset without is opened as it is found.
    pub fill: Option<Fill>,
    /// Kept as it was filled, and put back before a point that would find it written to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restore: bool,
}

/// How a dataset is filled: each worker's share of the ops once, then background work settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    pub workload: Part,
    pub threads: u32,
    pub depth: u32,
}

/// A load put on before the steps and not reported: preconditioning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conditioning {
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
    pub name: String,
    pub title: String,
    pub warmup_ns: u64,
    pub duration_ns: u64,
    /// Write back and drop the page cache before each point.
    pub drop_caches: bool,
    /// Let the engine's background work (compaction) end before each point.
    pub settle: bool,
    /// The figures that its source prints, by name; those that its kind of sweep is known for where it does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<String>,
    pub sweep: Option<Sweep>,
    pub streams: Vec<Stream>,
}

/// The one field that moves between a step's points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    pub stream: String,
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
    pub subject: String,
    pub step: String,
    pub axis: Option<Axis>,
    /// From 1.
    pub repeat: u32,
}

/// A point with everything that has to be known to measure it.
#[derive(Clone, Debug, PartialEq)]
pub struct PointPlan {
    pub key: PointKey,
    pub subject: Subject,
    /// The step with the axis value applied to its streams.
    pub step: Step,
}

impl Plan {
    /// Whether nothing is kept on any drive: all loads are on engines without data, or on servers elsewhere.
    pub fn keeps_no_data(&self) -> bool {
        self.protocol.keeps_no_data()
    }
}

impl Protocol {
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
