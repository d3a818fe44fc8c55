//! What is known about a run of another tool, or a published one. Values that the source does not
//! give are None, never a default, which would be a test condition that nobody stated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Field, Plan};

/// An imported run. It has no steps that could be run again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportedRun {
    /// The format of its files, as named by `dyno import`.
    pub tool: String,
    /// The steps of its figures, in the order of the files.
    pub steps: Vec<ImportedStep>,
}

/// A step with imported figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportedStep {
    /// Its name, unique in the run.
    pub name: String,
    /// Its title in a brief; the name if empty.
    pub title: String,
    /// The field that varies between its points.
    pub field: Option<Field>,
    /// The streams of its figures.
    pub streams: Vec<String>,
    /// Length of the measured window, nanoseconds.
    pub window_ns: Option<u64>,
    /// How requests became due.
    pub loop_kind: Option<LoopKind>,
    /// The meaning of its latencies.
    pub timing: Option<Timing>,
    /// What defines its load apart from the axis, in words, by field: equal for all its points.
    #[serde(default)]
    pub load: BTreeMap<String, String>,
}

/// How requests become due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopKind {
    /// The next request follows the completion of an earlier one.
    Closed,
    /// Requests are due at a target rate.
    Open,
}

/// The start of a latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// From the submission of the request.
    Service,
    /// When the request was due.
    Response,
}

impl Plan {
    /// The names of all streams, measured or imported.
    pub fn stream_names(&self) -> impl Iterator<Item = &str> {
        let own = self.protocol.steps.iter().flat_map(|step| &step.streams).map(|s| &s.name);
        let imported = self.imported.iter().flat_map(|run| &run.steps).flat_map(|s| &s.streams);
        own.chain(imported).map(String::as_str)
    }
}
