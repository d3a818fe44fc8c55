//! A resolved stream: an engine, a workload, and how they are driven.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::error::{Result, anyhow};
use crate::base::units::Rate;
use crate::plan::cpus::Cpus;
use crate::plan::target::PlannedSlice;

/// Workers that run one workload through one engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    /// Its name, unique in the step.
    pub name: String,
    /// How its requests are executed.
    pub engine: Component,
    /// Its requests.
    pub workload: Component,
    /// The name of its dataset.
    pub dataset: String,
    /// Workers of each instance.
    pub threads: u32,
    /// Requests in flight for each worker.
    pub depth: u32,
    /// Closed loop, or the rate.
    pub load: Load,
    /// The arrivals of an open loop; ignored in closed loop.
    pub arrival: Arrival,
    /// Number of copies of the stream on each drive, each on its own dataset.
    pub instances: u32,
    /// Whether its figures count in the step's headline; a background writer's do not.
    pub headline: bool,
    /// The part of each drive that it uses.
    #[serde(default)]
    pub target: PlannedSlice,
    /// The processors of its workers; None: placed by the scheduler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<Cpus>,
    /// Drives (and instances on them) served by one worker; absent in older bundles.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub drives_per_worker: u32,
}

fn one() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

/// The load of a stream, over all its workers together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// Closed loop: the next op starts when the last completes.
    Closed,
    /// Open loop.
    Rate(Rate),
    /// Open loop at a percentage of the closed loop's rate.
    PercentOfMaximum(f64),
}

/// The arrivals of an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// Evenly spaced.
    Fixed,
    /// Independent of one another, with exponential gaps.
    Poisson,
    /// A rate limit like db_bench's: tokens for 100 ms at a time, used as fast as the engine takes
    /// them.
    Refill,
    /// Poisson, at a higher rate during bursts.
    Bursts(BurstArrivals),
}

/// Poisson arrivals at two rates in turn, whose mean is the stream's rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BurstArrivals {
    /// How many times as frequent ops are within a burst as between bursts.
    pub factor: f64,
    /// The mean length of a burst, nanoseconds; lengths are exponentially distributed.
    pub length_ns: u64,
    /// The mean time from the beginning of a burst to the next, nanoseconds; more than a burst.
    pub every_ns: u64,
}

impl BurstArrivals {
    /// The least and the most that `factor` may be.
    pub const FACTORS: (f64, f64) = (1.0, 1e6);

    /// Whether a plan file could express it.
    pub fn is_sound(self) -> bool {
        let (least, most) = BurstArrivals::FACTORS;
        (least..=most).contains(&self.factor) && (1..self.every_ns).contains(&self.length_ns)
    }
}

/// An engine or workload by name, with its resolved knobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// The name by which engines and workloads are listed.
    pub name: String,
    /// Its settings, with all defaults.
    pub knobs: Knobs,
}

/// The part of a stream to which a knob belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartOf {
    /// The engine's.
    Engine,
    /// The workload's.
    Workload,
}

impl PartOf {
    /// "engine" or "workload", the key in a plan.
    pub fn name(self) -> &'static str {
        match self {
            PartOf::Engine => "engine",
            PartOf::Workload => "workload",
        }
    }
}

/// Resolved knobs by name. `Info` guarantees that those with a default are present.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Knobs(pub BTreeMap<String, serde_json::Value>);

impl Knobs {
    /// The value as JSON; None if the knob has no default and the plan does not set it.
    pub fn get(&self, name: &str) -> Option<&serde_json::Value> {
        self.0.get(name)
    }

    /// An integer knob: counts, bytes, nanoseconds.
    pub fn int(&self, name: &str) -> Result<u64> {
        self.typed(name, serde_json::Value::as_u64)
    }

    /// A number; an error if the knob is absent or of another kind.
    pub fn float(&self, name: &str) -> Result<f64> {
        self.typed(name, serde_json::Value::as_f64)
    }

    /// True or false; an error if the knob is absent or of another kind.
    pub fn flag(&self, name: &str) -> Result<bool> {
        self.typed(name, serde_json::Value::as_bool)
    }

    /// Text, or the selected word; an error if the knob is absent or of another kind.
    pub fn text(&self, name: &str) -> Result<&str> {
        self.get(name).and_then(|v| v.as_str()).ok_or_else(|| missing(name))
    }

    /// A list of words, such as a command.
    pub fn words(&self, name: &str) -> Result<Vec<String>> {
        let value = self.get(name).cloned().ok_or_else(|| missing(name))?;
        serde_json::from_value(value).map_err(|_| missing(name))
    }

    /// Sizes with weights, as [bytes, weight] pairs.
    pub fn sizes(&self, name: &str) -> Result<Vec<(u64, f64)>> {
        let value = self.get(name).cloned().ok_or_else(|| missing(name))?;
        serde_json::from_value(value).map_err(|_| missing(name))
    }

    /// Free-form options; empty if the plan has none.
    pub fn options(&self, name: &str) -> Result<BTreeMap<String, String>> {
        let Some(value) = self.get(name).cloned() else { return Ok(BTreeMap::new()) };
        serde_json::from_value(value).map_err(|_| missing(name))
    }

    fn typed<T>(&self, name: &str, read: impl Fn(&serde_json::Value) -> Option<T>) -> Result<T> {
        self.get(name).and_then(read).ok_or_else(|| missing(name))
    }
}

/// Only possible for a manually edited bundle, or a knob that its `Info` does not declare.
fn missing(name: &str) -> crate::base::error::Error {
    anyhow!("the resolved plan has no proper value for '{name}'")
}

impl Stream {
    /// None of its data are on a drive under test.
    pub fn keeps_no_data(&self) -> bool {
        self.dataset.is_empty()
            || self.engine.knobs.text("server").is_ok_and(|server| server == "existing")
    }

    /// One of its parts.
    pub fn part(&self, of: PartOf) -> &Component {
        match of {
            PartOf::Engine => &self.engine,
            PartOf::Workload => &self.workload,
        }
    }

    /// One of its parts, mutable.
    pub fn part_mut(&mut self, of: PartOf) -> &mut Component {
        match of {
            PartOf::Engine => &mut self.engine,
            PartOf::Workload => &mut self.workload,
        }
    }
}
