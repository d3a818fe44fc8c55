//! Conclusions from figures other than comparisons, as data: averages over an axis, the largest
//! multiples of a load, the cost of work, and the steps that show the cost of durability.

use crate::analysis::keys::{Keyed, StepKey, SubjectKey, ValueKey};
use crate::analysis::limits::writes::Layers;
use crate::analysis::points::metric::Metric;
use dyno_core::plan::Stream;
use dyno_core::stats::Estimate;
use dyno_core::stats::curve::LoadAndLatency;

/// Conclusions about the subjects over a whole axis.
#[derive(Default)]
pub struct OverAxis {
    /// Subjects with a point that was not limited by the drive.
    pub marked: Vec<SubjectKey>,
    /// The knees of their latency–load curves.
    pub knees: Keyed<SubjectKey, Option<LoadAndLatency>>,
    /// Averages by metric, if the step's headline is an average.
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

/// Bytes that a load writes to one drive, and the effect on the drive's life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Life {
    /// Bytes per second received by one drive.
    pub host_bytes_per_s: f64,
    /// Drive writes per day at this load: bytes per day ÷ capacity.
    pub drive_writes_per_day: Option<f64>,
    /// Bytes that may be written to it over its life, by the maker's rating.
    pub rated_bytes: Option<f64>,
    /// Rated bytes ÷ bytes per year.
    pub years: Option<f64>,
}

/// The cost of a cell's work.
#[derive(Clone, Debug, Default)]
pub struct CellCost {
    /// Its writes by layer, if they were counted by more than the kernel, which counts those of
    /// every run.
    pub layers: Option<Layers>,
    /// The number of times that the subject's capacity was written, if the drives' own counters
    /// were read.
    pub fills: Option<f64>,
    /// The life of one drive at this load, if its maker publishes a rating.
    pub life: Option<Life>,
    /// Joules per terabyte by the step's first instrument.
    pub joules_per_tb: Option<f64>,
    /// Idle power by it.
    pub idle_watts: Option<f64>,
    /// The price of a thousand ops/s, in the currency of the stated price.
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

impl StepDurability {
    /// That of a stream's writes; None if the load does not determine it: reads, and databases
    /// whose commits depend on their own settings.
    pub fn of(stream: &Stream) -> Option<StepDurability> {
        if stream.engine.knobs.flag("sync").is_ok_and(|synced| synced) {
            return Some(StepDurability::Commit);
        }
        match stream.workload.knobs.text("sync").ok()? {
            "fua" => Some(StepDurability::Fua),
            "fdatasync" => Some(StepDurability::Fdatasync),
            _ => Some(StepDurability::None),
        }
    }
}

/// Block writes that differ only in their durability, as steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteGroup {
    /// The same writes, not made durable.
    pub plain: Option<StepKey>,
    /// Steps with writes that are durable by FUA, by fdatasync, or by either.
    pub durable: Vec<(StepDurability, StepKey)>,
}

/// Conclusions about the durability of writes.
#[derive(Clone, Debug, Default)]
pub struct Durability {
    /// The groups of durable block writes, ordered by their first steps.
    pub groups: Vec<WriteGroup>,
    /// Steps in which a database makes each commit durable.
    pub commits: Vec<StepKey>,
}

impl WriteGroup {
    /// All steps of the group, beginning with the one that is not durable.
    pub fn steps(&self) -> Vec<(StepDurability, StepKey)> {
        let plain = self.plain.map(|step| (StepDurability::None, step));
        plain.into_iter().chain(self.durable.iter().copied()).collect()
    }
}
