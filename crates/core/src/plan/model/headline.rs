//! The headline of a brief: a step, a metric, and a place on the step's axis.

use serde::{Deserialize, Serialize};

use super::{Field, Step};

/// `headline = { step = "readrandom", metric = "ops/s", at = "top" }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Headline {
    /// The step of the figure.
    pub step: String,
    /// In the notation of `--metric`: "ops/s", "p99", "reader-4:p99".
    pub metric: String,
    /// The place on the step's axis.
    pub at: AxisPlace,
}

/// A place on the step's axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AxisPlace {
    /// The last of the sweep's values: the most threads.
    Top,
    /// The mean over the sweep's points.
    Mean,
    /// Latency at loads that all subjects reach, on average.
    EqualLoad,
    /// Load at a latency that all subjects reach.
    EqualLatency,
    /// The maximum load within the limit of the sweep's search.
    Limit,
    /// One of the sweep's values, in its field's unit.
    Value(f64),
}

impl AxisPlace {
    /// The default: depends on the kind of sweep.
    pub fn of_step(step: &Step) -> AxisPlace {
        match &step.sweep {
            Some(sweep) if sweep.search.is_some() => AxisPlace::Limit,
            Some(sweep) => match sweep.field {
                Field::LoadPercent => AxisPlace::EqualLoad,
                field if field.sets_rates() => AxisPlace::Mean,
                _ => AxisPlace::Top,
            },
            None => AxisPlace::Top,
        }
    }
}
