//! The document that `dyno plan check --json` prints.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Result;
use crate::cmd::plan_numbers as numbers;
use crate::cmd::plan_numbers::{Earlier, Extent};
use crate::cmd::stream_shape::StreamShape;
use crate::plan::{self, DrivePlace, Order, Plan, Step, Subject};
use crate::run;
use crate::run::points::verification;
use crate::run::prepare;
use crate::stats::family::FEWEST;

/// What a plan would do: one protocol, or the tests of a comparison.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CheckDocument {
    /// One protocol.
    Plan(Box<PlanCheck>),
    /// The tests of a comparison, in their order.
    Comparison {
        /// Name of the comparison.
        comparison: String,
        /// As of a plan with one protocol.
        tests: Vec<PlanCheck>,
    },
}

/// What one test, or a plan with one protocol, would do.
#[derive(Serialize, JsonSchema)]
pub struct PlanCheck {
    /// Name of the protocol.
    protocol: String,
    title: String,
    /// The source of its parameters.
    source: String,
    /// "interleaved", "blocked" or "returned".
    order: &'static str,
    /// Repeats of each point; the maximum, if they end once the interval is narrow enough.
    repeats: u32,
    /// The plan does not set their number.
    default_repeats: bool,
    /// Points over all subjects and repeats.
    points: u64,
    /// `points` and `load_ns` are upper bounds: a search, or repeats until an interval is narrow.
    at_most: bool,
    /// Warm-ups, windows, conditioning and steady rounds, without filling datasets.
    load_ns: u64,
    /// The additional maximum time of a steady state.
    steady_more_ns: Option<u64>,
    /// Steps whose recorded loads cannot be read here, and why: they count with their `duration`.
    unread: Vec<String>,
    /// Steps whose search has values at which even the longest window has too few ops for its
    /// percentile, and which.
    not_measured: Vec<String>,
    steps: Vec<PlannedStepRow>,
    subjects: Vec<PlannedSubjectRow>,
    /// The preparation of each drive, as text.
    preparation: Vec<String>,
    /// Values that the plan may not mean, as text.
    doubts: Vec<String>,
    /// Planned verification, as text.
    verification: Vec<String>,
    /// Detectable differences in ops/s; empty if the scatter is unknown.
    detectable: Vec<DetectableRow>,
    /// Drives of each model required for `--difference`; empty if no earlier bundle has several
    /// drives of a model.
    specimens: Vec<SpecimensRow>,
}

/// A step.
#[derive(Serialize, JsonSchema)]
struct PlannedStepRow {
    name: String,
    title: String,
    /// The swept field; null without a sweep.
    axis: Option<String>,
    /// The values of the sweep, as printed.
    values: Vec<String>,
    warmup_ns: u64,
    /// The measured window; of recorded loads, the longest over the values of the sweep.
    duration_ns: u64,
    streams: Vec<StreamShape>,
}

/// A subject.
#[derive(Serialize, JsonSchema)]
struct PlannedSubjectRow {
    name: String,
    drives: Vec<DriveRow>,
    /// Its own knobs, as in "step.stream.engine.knob = value".
    overrides: Vec<String>,
}

/// A drive, and the actions on it.
#[derive(Serialize, JsonSchema)]
struct DriveRow {
    /// The directory; null for a device.
    path: Option<PathBuf>,
    /// The block device; null for a directory.
    device: Option<PathBuf>,
    /// The device's serial number.
    serial: Option<String>,
    /// Everything on it is erased.
    erased: bool,
    /// Bytes written by filling its datasets.
    dataset_bytes: u64,
    /// Maximum bytes written by rate-limited writers over all points.
    paced_bytes: u64,
}

/// A detectable difference.
#[derive(Serialize, JsonSchema)]
struct DetectableRow {
    /// The source of the scatter.
    scatter_of: String,
    /// Run-to-run scatter, percent.
    scatter_percent: f64,
    /// The smallest detectable difference in ops/s at a point, percent.
    point_percent: f64,
    /// The same for a step's mean; null if a step has one point.
    mean_percent: Option<f64>,
}

/// The number of drives of each of two models needed to show a difference between them in 90 of 100
/// briefs.
#[derive(Serialize, JsonSchema)]
struct SpecimensRow {
    /// The source of the scatter.
    scatter_of: String,
    /// The difference between the models, percent.
    difference_percent: f64,
    /// Scatter between drives beyond that of their repeats, percent.
    drives_scatter_percent: f64,
    /// Scatter between repeats, percent; null if each drive has one.
    repeats_scatter_percent: Option<f64>,
    /// Per model; null if a thousand are too few.
    drives_needed: Option<usize>,
}

impl CheckDocument {
    /// Checks every test.
    pub fn of(plans: &[Plan], from: (Option<&Earlier>, f64)) -> Result<CheckDocument> {
        let mut tests = Vec::new();
        for plan in plans {
            run::apart(plan)?;
            verification::check(plan)?;
            tests.push(PlanCheck::of(plan, from)?);
        }
        let name = plans.first().and_then(|plan| plan.comparison.as_ref()).map(|c| c.name.clone());
        Ok(match (name, tests.pop(), tests.len()) {
            (Some(comparison), Some(last), 1..) => {
                tests.push(last);
                CheckDocument::Comparison { comparison, tests }
            }
            (_, Some(only), _) => CheckDocument::Plan(Box::new(only)),
            (_, None, _) => CheckDocument::Comparison { comparison: String::new(), tests },
        })
    }
}

impl PlanCheck {
    /// For a resolved plan; `from` is an earlier bundle as the source of scatter, with the
    /// difference between models to be shown.
    pub fn of(plan: &Plan, (from, difference): (Option<&Earlier>, f64)) -> Result<PlanCheck> {
        let Extent { points, at_most, load_ns, more_ns } = Extent::of(plan);
        let percent = |log: f64| log.exp_m1() * 100.0;
        let row = |power: numbers::DetectableDifference| DetectableRow {
            scatter_of: power.at,
            scatter_percent: power.scatter * 100.0,
            point_percent: percent(power.shown.point),
            mean_percent: power.shown.mean.map(percent),
        };
        let enough = plan.repeats as usize >= FEWEST;
        let powers = if enough { numbers::powers(plan, from) } else { Vec::new() };
        Ok(PlanCheck {
            protocol: plan.protocol.name.clone(),
            title: plan.protocol.title.clone(),
            source: plan.protocol.source.clone(),
            order: match plan.order {
                Order::Interleaved => "interleaved",
                Order::Blocked => "blocked",
                Order::Returned => "returned",
                Order::NotGiven => "not given",
            },
            repeats: plan.repeats,
            default_repeats: plan.default_repeats,
            points,
            at_most,
            load_ns,
            steady_more_ns: more_ns,
            unread: numbers::unread(plan),
            not_measured: numbers::short_of_samples(plan),
            steps: plan.protocol.steps.iter().map(|own| step(plan, own)).collect(),
            subjects: plan.subjects.iter().map(|s| subject(plan, s)).collect(),
            preparation: prepare::in_words(plan),
            doubts: numbers::doubts(plan),
            verification: verification::in_words(plan).unwrap_or_default(),
            detectable: powers.into_iter().map(row).collect(),
            specimens: numbers::specimens(plan, from, difference)
                .into_iter()
                .map(|of| SpecimensRow {
                    scatter_of: of.at,
                    difference_percent: difference * 100.0,
                    drives_scatter_percent: of.scatter.drives * 100.0,
                    repeats_scatter_percent: of.scatter.repeats.map(|s| s * 100.0),
                    drives_needed: of.needed,
                })
                .collect(),
        })
    }
}

fn step(plan: &Plan, step: &Step) -> PlannedStepRow {
    let axes: Vec<_> = plan::axes_of(step).into_iter().flatten().collect();
    PlannedStepRow {
        name: step.name.clone(),
        title: step.title.clone(),
        axis: axes.first().map(|axis| axis.name.clone()),
        values: axes.iter().map(|axis| numbers::value(step, axis)).collect(),
        warmup_ns: step.warmup_ns,
        duration_ns: numbers::longest_window_ns(plan, step),
        streams: step.streams.iter().map(StreamShape::of).collect(),
    }
}

fn subject(plan: &Plan, subject: &Subject) -> PlannedSubjectRow {
    let drive = |drive: &plan::Drive| {
        let (path, device, serial) = match &drive.place {
            DrivePlace::Directory(path) => (Some(path.clone()), None, None),
            DrivePlace::Device { path, serial } => (None, Some(path.clone()), Some(serial.clone())),
        };
        DriveRow {
            erased: device.is_some() && drive.erase,
            path,
            device,
            serial,
            dataset_bytes: numbers::fill_bytes(plan),
            paced_bytes: numbers::paced_bytes(plan, subject) as u64,
        }
    };
    let own = |own: &plan::OwnKnob| {
        format!("{}.{}.{}.{} = {}", own.step, own.stream, own.of.name(), own.knob, own.value)
    };
    PlannedSubjectRow {
        name: subject.name.clone(),
        drives: subject.drives.iter().map(drive).collect(),
        overrides: subject.overrides.iter().map(own).collect(),
    }
}
