//! What a brief of a protocol leads with.

use serde::{Deserialize, Serialize};

/// `headline = { step = "readrandom", metric = "ops/s", at = "top" }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Headline {
    /// The step's name.
    pub step: String,
    /// As `--metric` takes it: "ops/s", "p99", "reader-4:p99".
    pub metric: String,
    /// Where along the step's axis.
    pub at: HeadlinePlace,
}

/// Where along the step's axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadlinePlace {
    /// The last of the sweep's values: the most threads.
    Top,
    /// The mean over the sweep's points.
    Mean,
    /// Latency at loads that all subjects reach, on average.
    EqualLoad,
    /// Load at a latency that all subjects reach.
    EqualLatency,
    /// The most load within the limit that the sweep searches for.
    Limit,
    /// One of the sweep's values, in its field's unit.
    Value(f64),
}
