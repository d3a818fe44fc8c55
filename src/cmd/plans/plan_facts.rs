//! The document that `dyno plan check --json` prints.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Result;
use crate::cmd::plan_numbers as numbers;
use crate::cmd::plan_numbers::{Earlier, Extent};
use crate::plan::{self, DrivePlace, Order, Plan, Step, Subject};
use crate::run::points::verification;
use crate::run::prepare;
use crate::stats::family::FEWEST;

/// What a plan would do.
#[derive(Serialize, JsonSchema)]
pub struct PlanCheck {
    /// Name of the protocol.
    protocol: String,
    title: String,
    /// Where its parameters come from.
    source: String,
    /// "interleaved" or "blocked".
    order: &'static str,
    /// Repeats of each point; the most, where they end once the interval is narrow enough.
    repeats: u32,
    /// The plan does not say how many.
    default_repeats: bool,
    /// Points over all subjects and repeats.
    points: u64,
    /// `points` and `load_ns` are upper bounds: a search, or repeats until an interval is narrow.
    at_most: bool,
    /// Warm-ups, windows, conditioning and steady rounds; filling datasets comes on top.
    load_ns: u64,
    /// What a steady state may take beyond.
    steady_more_ns: Option<u64>,
    steps: Vec<PlannedStepRow>,
    subjects: Vec<PlannedSubjectRow>,
    /// What is done to each drive first, in words.
    preparation: Vec<String>,
    /// What verification will do, in words.
    verification: Vec<String>,
    /// Differences of ops/s that the repeats can show; empty where the scatter is not known.
    detectable: Vec<DetectableRow>,
    /// Drives of each model that `--difference` needs; empty where no earlier bundle has several
    /// drives of a model.
    specimens: Vec<SpecimensRow>,
}

/// A step.
#[derive(Serialize, JsonSchema)]
struct PlannedStepRow {
    name: String,
    title: String,
    /// The field that is swept; null where none is.
    axis: Option<String>,
    /// The values of the sweep, as they are printed.
    values: Vec<String>,
    warmup_ns: u64,
    duration_ns: u64,
    /// Streams, in words: workload, engine, threads × depth, rate.
    streams: Vec<String>,
}

/// A subject.
#[derive(Serialize, JsonSchema)]
struct PlannedSubjectRow {
    name: String,
    drives: Vec<DriveRow>,
    /// Knobs of its own, as in "step.stream.engine.knob = value".
    overrides: Vec<String>,
}

/// A drive, and what happens to it.
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
    /// What filling its datasets writes.
    dataset_bytes: u64,
    /// What rate-limited writers may write over all points.
    paced_bytes: u64,
}

/// A difference that the repeats can show.
#[derive(Serialize, JsonSchema)]
struct DetectableRow {
    /// From where the scatter is known.
    scatter_of: String,
    /// Run-to-run scatter, percent.
    scatter_percent: f64,
    /// The least difference of ops/s at a point, percent.
    point_percent: f64,
    /// The same in a step's mean; null where a step has one point.
    mean_percent: Option<f64>,
}

/// How many drives of each of two models show a difference between them in 90 of 100 briefs.
#[derive(Serialize, JsonSchema)]
struct SpecimensRow {
    /// From where the scatter is known.
    scatter_of: String,
    /// The difference between the models, percent.
    difference_percent: f64,
    /// Scatter from drive to drive beyond their repeats, percent.
    drives_scatter_percent: f64,
    /// Scatter from repeat to repeat, percent; null where each drive has one.
    repeats_scatter_percent: Option<f64>,
    /// Of each model; null where a thousand are too few.
    drives_needed: Option<usize>,
}

impl PlanCheck {
    /// Of a resolved plan; `from` is an earlier bundle whose scatter counts, and the difference
    /// between models that is to be shown.
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
                Order::NotGiven => "not given",
            },
            repeats: plan.repeats,
            default_repeats: plan.default_repeats,
            points,
            at_most,
            load_ns,
            steady_more_ns: more_ns,
            steps: plan.protocol.steps.iter().map(step).collect(),
            subjects: plan.subjects.iter().map(|s| subject(plan, s)).collect(),
            preparation: prepare::in_words(plan),
            verification: verification::in_words(plan)?,
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

fn step(step: &Step) -> PlannedStepRow {
    let axes: Vec<_> = plan::axes_of(step).into_iter().flatten().collect();
    PlannedStepRow {
        name: step.name.clone(),
        title: step.title.clone(),
        axis: axes.first().map(|axis| axis.name.clone()),
        values: axes.iter().map(numbers::value).collect(),
        warmup_ns: step.warmup_ns,
        duration_ns: step.duration_ns,
        streams: step.streams.iter().map(numbers::stream).collect(),
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
