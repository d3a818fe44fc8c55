//! What is concluded of figures besides comparisons, as data: averages over an axis, the largest
//! multiples of a load, the cost of work, and which steps show the cost of durability.

use crate::analysis::keys::{Keyed, StepKey, SubjectKey, ValueKey};
use crate::analysis::limits::writes::Layers;
use crate::analysis::points::metric::Metric;
use crate::stats::Estimate;
use crate::stats::curve::LoadAndLatency;

/// What is concluded of the subjects over a whole axis.
#[derive(Default)]
pub struct OverAxis {
    /// Those with a point that was not limited by the drive.
    pub marked: Vec<SubjectKey>,
    /// The knees of their latency–load curves.
    pub knees: Keyed<SubjectKey, Option<LoadAndLatency>>,
    /// Their averages by metric, if the step's headline is one.
    pub averages: Vec<AxisAverage>,
}

/// A metric over an axis.
pub struct AxisAverage {
    /// The metric.
    pub metric: Metric,
    /// The points at which every subject has this figure.
    pub points: Vec<ValueKey>,
    /// The geometric mean over these, or for latencies over the loads that all reach.
    pub levels: Keyed<SubjectKey, Option<f64>>,
}

impl OverAxis {
    /// The knee of a subject's latency–load curve, if it has one.
    pub fn knee(&self, subject: SubjectKey) -> Option<&LoadAndLatency> {
        self.knees.get(subject)?.as_ref()
    }

    /// A subject's average in a metric.
    pub fn level(&self, metric: &Metric, subject: SubjectKey) -> Option<f64> {
        *self.average(metric)?.levels.get(subject)?
    }

    /// The points of a metric's averages.
    pub fn points(&self, metric: &Metric) -> &[ValueKey] {
        self.average(metric).map_or(&[], |average| &average.points)
    }

    fn average(&self, metric: &Metric) -> Option<&AxisAverage> {
        self.averages.iter().find(|average| average.metric == *metric)
    }
}

/// The largest multiple that a subject sustains in every step that searches for one.
pub struct Multiple {
    /// The highest passing value, over the repeats. Its interval includes the resolution of the
    /// search: the true value is between the highest passing and the lowest failing one.
    pub value: Estimate,
    /// In some repeat no tried value failed, so it is a lower bound.
    pub at_least: bool,
}

/// What a load writes to one drive, and what that means for the drive's life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Life {
    /// Bytes that one drive receives in a second.
    pub host_bytes_per_s: f64,
    /// Drive writes per day at this load: bytes a day ÷ capacity.
    pub drive_writes_per_day: Option<f64>,
    /// Bytes that may be written to it over its life, as its maker rates it.
    pub rated_bytes: Option<f64>,
    /// Rated bytes ÷ bytes a year.
    pub years: Option<f64>,
}

/// What the work of a cell costs.
#[derive(Clone, Debug, Default)]
pub struct CellCost {
    /// Its writes by layer, if more is known of them than what the kernel counts of every run.
    pub layers: Option<Layers>,
    /// How many times the subject's capacity was written, if the drives' own counters were read.
    pub fills: Option<f64>,
    /// The life of one drive at this load, if its maker states something of the drive.
    pub life: Option<Life>,
    /// Joules per terabyte by the step's first instrument.
    pub joules_per_tb: Option<f64>,
    /// Idle power by it.
    pub idle_watts: Option<f64>,
    /// The price of a thousand ops/s, in the currency in which the price is stated.
    pub per_thousand_iops: Option<f64>,
    /// The price of a terabyte written over the rated life.
    pub per_tb_written: Option<f64>,
}

/// The durability of a step's writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepDurability {
    /// None: an acknowledged write may be in a volatile cache.
    None,
    /// Force unit access.
    Fua,
    /// A flush after each write.
    Fdatasync,
    /// A database's engine syncs its log at each commit.
    Commit,
}

/// Block writes that differ in nothing else, as steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteGroup {
    /// The same writes, not made durable.
    pub plain: Option<StepKey>,
    /// By FUA, by fdatasync, or by either.
    pub durable: Vec<(StepDurability, StepKey)>,
}

/// What is concluded of the durability of writes.
#[derive(Clone, Debug, Default)]
pub struct Durability {
    /// The groups of durable block writes, ordered by their first steps.
    pub groups: Vec<WriteGroup>,
    /// Steps in which a database makes each commit durable.
    pub commits: Vec<StepKey>,
}

impl WriteGroup {
    /// All its steps, beginning with the one that is not durable.
    pub fn steps(&self) -> Vec<(StepDurability, StepKey)> {
        let plain = self.plain.map(|step| (StepDurability::None, step));
        plain.into_iter().chain(self.durable.iter().copied()).collect()
    }
}
