//! The drives of a step as samples of their models.

use crate::analysis::difference::Difference;
use crate::analysis::keys::{DriveKey, StepKey, SubjectKey, ValueKey};
use crate::analysis::points::metric::Metric;
use dyno_core::record::setup::HealthLog;
use dyno_core::stats::level::geometric_mean;
use dyno_core::stats::specimens::{Components, Models, components};

/// One drive at the headline place of a step.
#[derive(Clone, Debug)]
pub struct FleetDrive {
    /// The subject.
    pub subject: SubjectKey,
    /// Its place among the subject's drives, if there are several.
    pub drive: Option<DriveKey>,
    /// The subject's name, and the drive's number in it.
    pub name: String,
    /// Its serial number, if known.
    pub serial: Option<String>,
    /// Its firmware, if known.
    pub firmware: Option<String>,
    /// Its health log before the run, if known.
    pub health: Option<HealthLog>,
    /// Its level in each bundle that measured it, with the host's name, if known.
    pub levels: Vec<(Option<String>, f64)>,
    /// The figure of each repeat.
    pub by_repeat: Vec<f64>,
    /// Geometric mean of the repeats.
    pub level: f64,
}

/// The specimens of a model.
#[derive(Clone, Debug)]
pub struct DriveModel {
    /// Its name; empty if unknown.
    pub name: String,
    /// Specimens in the order of the plan.
    pub specimens: Vec<FleetDrive>,
    /// The scatter of the specimens.
    pub scatter: Components,
    /// The scatter between hosts beyond that of their drives, as a standard deviation of
    /// logarithms; None with a single host, or if no host has two drives.
    pub hosts: Option<f64>,
    /// Indices of outlying ones.
    pub apart: Vec<usize>,
}

/// Two models compared drive by drive.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRatio {
    /// Indices of the two models; the first is the better one, as measured.
    pub pair: (usize, usize),
    /// The ratio better ÷ worse, with the interval.
    pub found: Models,
    /// The number of hosts that are its observations, if it holds for these drives only.
    pub hosts: Option<usize>,
}

/// A step's specimens.
pub struct Fleet {
    /// The step.
    pub step: StepKey,
    /// Index of the axis value.
    pub value: ValueKey,
    /// The metric.
    pub metric: Metric,
    /// Models by name.
    pub models: Vec<DriveModel>,
    /// The ratios of every comparable pair of models; only for a fleet of subjects.
    pub ratios: Vec<ModelRatio>,
    /// Differences that rule out comparing models.
    pub barred: Vec<Difference>,
    /// Indices of models that were measured on hosts of their own.
    pub confounded: Vec<(usize, usize)>,
}

impl Fleet {
    /// The scatter of specimens and repeats within the known models, pooled.
    pub fn scatter(&self) -> Components {
        let known = self.models.iter().filter(|m| !m.name.is_empty());
        let all: Vec<Vec<Vec<f64>>> = known.map(DriveModel::repeats).collect();
        components(&all.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }
}

impl DriveModel {
    /// For each drive, the figure of each repeat.
    pub fn repeats(&self) -> Vec<Vec<f64>> {
        self.specimens.iter().map(|s| s.by_repeat.clone()).collect()
    }

    /// The distinct firmware versions of its drives.
    pub fn firmware(&self) -> Vec<&str> {
        distinct(self.specimens.iter().map(|s| s.firmware.as_deref()))
    }

    /// The hosts of its drives.
    pub fn hosts(&self) -> Vec<&str> {
        distinct(self.specimens.iter().flat_map(|s| &s.levels).map(|(host, _)| host.as_deref()))
    }

    /// Geometric mean over the drives.
    pub fn level(&self) -> f64 {
        geometric_mean(&self.specimens.iter().map(|s| s.level).collect::<Vec<_>>())
    }
}

fn distinct<'a>(all: impl Iterator<Item = Option<&'a str>>) -> Vec<&'a str> {
    let mut found: Vec<&str> = all.flatten().collect();
    found.sort_unstable();
    found.dedup();
    found
}
