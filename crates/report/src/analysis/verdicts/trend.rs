//! Histories: a step's headline figure of one subject over many runs of a protocol, in
//! chronological order, with its change points. Runs are gathered one by one, and only the figure
//! and the test conditions are stored.

use crate::analysis::comparability::alike;
use crate::analysis::facts::{CellFacts, Facts, SetupFacts, StepFacts, Subjects};
use crate::analysis::keys::{RunKey, SubjectKey};
use crate::analysis::plan_difference::{FieldDifference, PlanField, PlanValue};
use crate::analysis::points::metric::{Metric, MetricRequest};
use crate::analysis::title::ProtocolTitle;
use dyno_core::plan::{Plan, PointPlan};
use dyno_core::record::setup::{DriveSetup, HostField};
use dyno_core::stats::level::geometric_mean;
use dyno_core::stats::runs::changes::{ChangePoint, Sensitivity, change_points, sensitivity};
use dyno_core::stats::{Estimate, estimate};

/// Fields whose difference starts another history, because two hosts are not compared either.
const HOST: [HostField; 2] = [HostField::Server, HostField::CpuModel];

/// The property that defines a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum By {
    /// The subject's name.
    #[default]
    Subject,
    /// The model of its drives, regardless of firmware.
    Model,
    /// The model and the firmware of its drives.
    Firmware,
    /// The serial numbers of its drives.
    Serial,
}

/// One figure over many runs.
pub struct FigureHistory {
    /// Title and name of the protocol.
    pub protocol: (ProtocolTitle, String),
    /// Its owner, as determined by `By`.
    pub label: String,
    /// The step's title.
    pub step: String,
    /// The figure.
    pub metric: Metric,
    /// The axis value, as printed; None for a mean over all.
    pub at: Option<String>,
    /// The fields in which its plan and host differ from the first history of the same figure.
    pub differs: Vec<FieldDifference>,
    /// The runs, oldest first.
    pub runs: Vec<Member>,
    /// Change points of its level, within `counted`.
    pub changes: Vec<ChangePoint>,
    /// The step that it can show.
    pub shows: Option<Sensitivity>,
}

/// One run of a history.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The bundle, as named by the caller.
    pub file: String,
    /// Start of the run, nanoseconds since 1970 (UTC).
    pub started_unix_ns: u64,
    /// The figure.
    pub estimate: Estimate,
    /// Model, firmware and serial numbers of its drives, as read by the run.
    pub drives: [Vec<String>; 3],
    /// The name and the kernel of its host.
    pub host: [Option<String>; 2],
    /// Whether it may be compared: the figure is not known to be limited by anything but the drive.
    pub counts: bool,
}

impl FigureHistory {
    /// The runs examined for change points.
    pub fn counted(&self) -> impl Iterator<Item = &Member> {
        self.runs.iter().filter(|run| run.counts)
    }

    /// Every change of the drives or of the host between neighbouring examined runs, with the index
    /// of the second.
    pub fn replacements(&self) -> Vec<(usize, Replacement)> {
        let counted: Vec<&Member> = self.counted().collect();
        let mut found = Vec::new();
        for (at, two) in counted.windows(2).enumerate() {
            let of = |run: &Member| {
                let [models, firmware, serials] = &run.drives;
                let [host, kernel] = run.host.each_ref().map(|own| own.iter().cloned().collect());
                [models.clone(), firmware.clone(), serials.clone(), host, kernel]
            };
            let (before, after) = (of(two[0]), of(two[1]));
            for ((what, before), after) in PROPERTIES.iter().zip(before).zip(after) {
                if before != after {
                    found.push((at + 1, Replacement { what, before, after }));
                }
            }
        }
        found
    }

    /// Those within the interval of a change point.
    pub fn replaced_within(&self, change: &ChangePoint) -> Vec<(usize, Replacement)> {
        let (low, high) = change.within;
        let mut all = self.replacements();
        all.retain(|(at, _)| (low..=high).contains(at));
        all
    }
}

/// The properties of a run whose changes are named.
const PROPERTIES: [&str; 5] = ["model", "firmware", "serial number", "host", "kernel"];

/// A change of one property of the runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Replacement {
    /// The property.
    pub what: &'static str,
    /// Its values before.
    pub before: Vec<String>,
    /// Its values from then on.
    pub after: Vec<String>,
}

/// The selection of runs and figures.
#[derive(Clone, Debug, Default)]
pub struct TrendRequest {
    /// The property that defines a history.
    pub by: By,
    /// The figures; the headline figure of each step if empty.
    pub metrics: Vec<MetricRequest>,
    /// Words that must all occur in the subject's name or its drives' models, firmware or serial
    /// numbers, case-insensitively.
    pub subject: String,
}

/// Gathers runs into histories.
#[derive(Default)]
pub struct Trends {
    wanted: TrendRequest,
    all: Vec<(FigureHistory, Like)>,
}

/// The common properties of two runs of one history.
#[derive(Clone)]
struct Like {
    plan: Plan,
    point: PointPlan,
    host: Vec<String>,
}

impl Trends {
    /// A collection without runs.
    pub fn new(wanted: TrendRequest) -> Trends {
        Trends { wanted, all: Vec::new() }
    }

    /// Adds the facts of one bundle.
    pub fn add(&mut self, file: &str, facts: &Facts) {
        for subject in facts.subjects.keys() {
            let property =
                |of: fn(&DriveSetup) -> Option<&String>| seen(&facts.subjects, subject, of);
            let drives = [
                property(|drive| drive.model.as_ref()),
                property(|drive| drive.firmware.as_ref()),
                property(|drive| drive.serial.as_ref()),
            ];
            if !self.wanted.has(&facts.subjects[subject].name, &drives) {
                continue;
            }
            let label = self.wanted.by.label(&facts.subjects[subject].name, &drives);
            for step in facts.measured.steps.iter().filter(|step| step.search.is_none()) {
                let Some(like) = Like::of(&facts.subjects, &facts.setup, step, subject) else {
                    continue;
                };
                for metric in self.wanted.metrics_of(step) {
                    let Some((estimate, at, counts)) = figure(step, &metric, subject) else {
                        continue;
                    };
                    let started_unix_ns = facts.setup.runs[RunKey(0)].started_unix_ns;
                    let (file, drives) = (file.to_string(), drives.clone());
                    let host = &facts.setup.run_of(&facts.subjects[subject]).host;
                    let host = [host.name.clone(), host.kernel_release.clone()];
                    let own = Member { file, started_unix_ns, estimate, drives, host, counts };
                    let history = FigureHistory {
                        protocol: (facts.protocol().title.clone(), facts.protocol().name.clone()),
                        label: label.clone(),
                        step: step.title.written.clone(),
                        metric,
                        at,
                        differs: Vec::new(),
                        runs: vec![own],
                        changes: Vec::new(),
                        shows: None,
                    };
                    self.join(history, like.clone());
                }
            }
        }
    }

    /// Adds to the history of runs measured in the same way, or starts another.
    fn join(&mut self, mut new: FigureHistory, like: Like) {
        let same = |h: &FigureHistory| {
            (&h.protocol, &h.label, &h.step, &h.metric, &h.at)
                == (&new.protocol, &new.label, &new.step, &new.metric, &new.at)
        };
        let mut first = None;
        for (history, known) in self.all.iter_mut().filter(|(h, _)| same(h)) {
            let differs = known.differences(&like);
            if differs.is_empty() {
                history.runs.append(&mut new.runs);
                return;
            }
            first.get_or_insert(differs);
        }
        new.differs = first.unwrap_or_default();
        self.all.push((new, like));
    }

    /// All histories with their runs in order, and their change points.
    pub fn finish(self) -> Vec<FigureHistory> {
        let done = |(mut history, _): (FigureHistory, Like)| {
            history
                .runs
                .sort_by(|a, b| (a.started_unix_ns, &a.file).cmp(&(b.started_unix_ns, &b.file)));
            let values: Vec<f64> = history.counted().map(|run| run.estimate.value).collect();
            history.changes = change_points(&values);
            history.shows = sensitivity(&values, &history.changes);
            history
        };
        self.all.into_iter().map(done).collect()
    }
}

impl TrendRequest {
    fn has(&self, subject: &str, drives: &[Vec<String>; 3]) -> bool {
        let all = drives.iter().flatten().map(String::as_str).chain([subject]);
        let all = all.collect::<Vec<_>>().join("\n").to_lowercase();
        self.subject.split_whitespace().all(|word| all.contains(&word.to_lowercase()))
    }

    fn metrics_of(&self, step: &StepFacts) -> Vec<Metric> {
        match self.metrics.is_empty() {
            true => vec![step.headline_metric.clone()],
            false => self.metrics.iter().flat_map(|asked| asked.in_step(step)).collect(),
        }
    }
}

impl By {
    /// The common properties of a history's runs; the subject's name if its drives are unknown.
    fn label(self, subject: &str, [models, firmware, serials]: &[Vec<String>; 3]) -> String {
        let parts: Vec<&String> = match self {
            By::Subject => Vec::new(),
            By::Model => models.iter().collect(),
            By::Firmware => models.iter().chain(firmware).collect(),
            By::Serial => serials.iter().collect(),
        };
        match parts.is_empty() {
            true => subject.to_string(),
            false => parts.into_iter().cloned().collect::<Vec<_>>().join(", "),
        }
    }
}

impl Like {
    fn of(
        subjects: &Subjects,
        setup: &SetupFacts,
        step: &StepFacts,
        subject: SubjectKey,
    ) -> Option<Like> {
        let plan = &setup.run_of(&subjects[subject]).resolved;
        let point = alike::first_point(plan, &step.name, &subjects[subject].own_name)?;
        let own = &setup.run_of(&subjects[subject]).host;
        let host = HOST.map(|field| own.value(field).map_or(String::new(), |v| v.to_string()));
        Some(Like { plan: plan.clone(), point, host: host.to_vec() })
    }

    fn differences(&self, other: &Like) -> Vec<FieldDifference> {
        let mut all = alike::differences((&self.plan, &self.point), (&other.plan, &other.point));
        let hosts = HOST.iter().zip(self.host.iter().zip(&other.host));
        all.extend(hosts.filter(|(_, (a, b))| a != b).map(|(field, (a, b))| {
            let path = format!("{}: {}", field.heading().name(), field.name());
            let values = [a, b].map(|value| PlanValue::Word(value.clone()));
            FieldDifference { path, field: PlanField::Host(*field), values }
        }));
        all
    }
}

/// The values of a property of a subject's drives, without duplicates.
fn seen(
    subjects: &Subjects,
    subject: SubjectKey,
    property: fn(&DriveSetup) -> Option<&String>,
) -> Vec<String> {
    let mut all: Vec<String> =
        subjects[subject].setups.iter().filter_map(property).cloned().collect();
    all.sort();
    all.dedup();
    all
}

/// A step's headline figure, if it has one, and whether it may be compared: at one axis value, or
/// the geometric mean over all of them, repeat by repeat.
fn figure(
    step: &StepFacts,
    metric: &Metric,
    subject: SubjectKey,
) -> Option<(Estimate, Option<String>, bool)> {
    let counts = |cell: &CellFacts| !metric.is_barred(cell) && metric.limit(cell).is_none();
    if let Some(value) = step.headline_value {
        let cell = step.cell(subject, value)?;
        let (estimate, _) = metric.of(step, cell)?;
        let label = step.axis.as_ref().map(|_| step.values[value].label.clone());
        return Some((estimate, label, counts(cell)));
    }
    let cells: Vec<&CellFacts> =
        step.values.keys().map(|value| step.cell(subject, value)).collect::<Option<_>>()?;
    let each: Vec<_> = cells.iter().map(|c| metric.of(step, c)).collect::<Option<_>>()?;
    let repeats = each.iter().map(|(_, values)| values.len()).min()?;
    let mean = |repeat: usize| {
        geometric_mean(&each.iter().map(|(_, values)| values[repeat]).collect::<Vec<f64>>())
    };
    let means: Vec<f64> = (0..repeats).map(mean).collect();
    let estimate = estimate::from_repeats(&means, each[0].0.unit)?;
    Some((estimate, None, cells.into_iter().all(counts)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::comparability::conditions::tests::late_writes;
    use crate::analysis::keys::StepKey;
    use crate::analysis::points::metric::PointFigure;

    #[test]
    fn a_history_of_write_amplification_counts_a_run_that_its_host_limited() {
        let facts = late_writes();
        let step = &facts.measured.steps[StepKey(0)];
        let found = figure(step, &Metric::total(PointFigure::Waf), SubjectKey(1));
        let (estimate, at, counts) = found.expect("three repeats");
        assert!((estimate.value - 1.5495).abs() < 1e-3 && at.is_none() && counts, "{estimate:?}");
    }
}
