//! What `dyno plan check` knows of a plan, as numbers: its extent, and the document that `--json`
//! prints.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::plan as words;
use crate::base::error::Result;
use crate::plan::search::Search;
use crate::plan::{self, Order, Place, Plan, Step, Subject};
use crate::run::{prepare, verification};
use crate::stats::family::FEWEST;

/// How much a plan is.
pub struct Extent {
    /// Points over all subjects and repeats.
    pub points: u64,
    /// Fewer may do: a search, or repeats until an interval is narrow enough.
    pub at_most: bool,
    /// Warm-ups, windows, conditioning, and the rounds that a steady state needs at the least.
    pub load_ns: u64,
    /// What a steady state may take beyond; none where the plan asks for none.
    pub more_ns: Option<u64>,
}

impl Extent {
    /// Of a resolved plan.
    pub fn of(plan: &Plan) -> Extent {
        let each = plan.subjects.len() as u64 * u64::from(plan.repeats);
        let searched = |step: &Step| step.sweep.as_ref().is_some_and(|s| s.search.is_some());
        let of_step = |step: &Step| {
            let values = plan::axes_of(step).len();
            each * if searched(step) { Search::most_points(values) } else { values as u64 }
        };
        let steps = &plan.protocol.steps;
        let measuring_ns =
            |step: &Step| of_step(step).saturating_mul(step.warmup_ns + step.duration_ns);
        let measuring_ns = steps.iter().map(measuring_ns).fold(0, u64::saturating_add);
        let conditioning_ns: u64 = plan.protocol.prepare.iter().map(|c| c.duration_ns).sum();
        let subjects = plan.subjects.len() as u64;
        // The rounds that a steady state needs at the least.
        let steady = plan.protocol.preparation.steady.as_ref();
        let rounds = |n: u32| steady.map_or(0, |s| s.round_ns.saturating_mul(u64::from(n)));
        let least_ns = rounds(steady.map_or(0, |s| s.rule.window as u32));
        Extent {
            points: steps.iter().map(of_step).sum(),
            at_most: plan.until.is_some() || steps.iter().any(searched),
            load_ns: measuring_ns.saturating_add((conditioning_ns + least_ns) * subjects),
            more_ns: steady.map(|s| (rounds(s.most_rounds) - least_ns) * subjects),
        }
    }
}

/// What a plan would do.
#[derive(Serialize, JsonSchema)]
pub struct Checked {
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
    steps: Vec<StepRow>,
    subjects: Vec<SubjectRow>,
    /// What is done to each drive first, in words.
    preparation: Vec<String>,
    /// What verification will do, in words.
    verification: Vec<String>,
    /// Differences of ops/s that the repeats can show; empty where the scatter is not known.
    detectable: Vec<DetectableRow>,
}

/// A step.
#[derive(Serialize, JsonSchema)]
struct StepRow {
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
struct SubjectRow {
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

impl Checked {
    /// Of a resolved plan; `from` is an earlier bundle whose scatter counts.
    pub fn of(plan: &Plan, from: Option<&PathBuf>) -> Result<Checked> {
        let Extent { points, at_most, load_ns, more_ns } = Extent::of(plan);
        let percent = |log: f64| log.exp_m1() * 100.0;
        let row = |power: words::Power| DetectableRow {
            scatter_of: power.at,
            scatter_percent: power.scatter * 100.0,
            point_percent: percent(power.shown.point),
            mean_percent: power.shown.mean.map(percent),
        };
        let enough = plan.repeats as usize >= FEWEST;
        let powers = if enough { words::powers(plan, from)? } else { Vec::new() };
        Ok(Checked {
            protocol: plan.protocol.name.clone(),
            title: plan.protocol.title.clone(),
            source: plan.protocol.source.clone(),
            order: match plan.order {
                Order::Interleaved => "interleaved",
                Order::Blocked => "blocked",
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
        })
    }
}

fn step(step: &Step) -> StepRow {
    let axes: Vec<_> = plan::axes_of(step).into_iter().flatten().collect();
    StepRow {
        name: step.name.clone(),
        title: step.title.clone(),
        axis: axes.first().map(|axis| axis.name.clone()),
        values: axes.iter().map(words::value).collect(),
        warmup_ns: step.warmup_ns,
        duration_ns: step.duration_ns,
        streams: step.streams.iter().map(words::stream).collect(),
    }
}

fn subject(plan: &Plan, subject: &Subject) -> SubjectRow {
    let drive = |drive: &plan::Drive| {
        let (path, device, serial) = match &drive.place {
            Place::Directory(path) => (Some(path.clone()), None, None),
            Place::Device { path, serial } => (None, Some(path.clone()), Some(serial.clone())),
        };
        DriveRow {
            erased: device.is_some() && drive.erase,
            path,
            device,
            serial,
            dataset_bytes: words::fill_bytes(plan),
            paced_bytes: words::paced_bytes(plan, subject) as u64,
        }
    };
    let own = |own: &plan::OwnKnob| {
        format!("{}.{}.{}.{} = {}", own.step, own.stream, own.of.name(), own.knob, own.value)
    };
    SubjectRow {
        name: subject.name.clone(),
        drives: subject.drives.iter().map(drive).collect(),
        overrides: subject.overrides.iter().map(own).collect(),
    }
}
