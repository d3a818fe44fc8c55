//! The numbers of `dyno plan check`: points, bytes written, and detectable differences. `plan`
//! prints them for people, `plan_facts` for programs.

use std::path::PathBuf;

use crate::analysis::facts::StepFacts;
use crate::analysis::verdicts::scatter;
use crate::analysis::{Facts, Question};
use crate::base::error::Result;
use crate::base::units::{Rate, bytes, duration};
use crate::cmd::{load, selftest_result};
use crate::plan::search::Search;
use crate::plan::{self, Axis, Dataset, Field, Load, Plan, Step, Stream, Subject};
use crate::run::datasets::space;
use crate::run::recorded_duration;
use crate::stats::detectable::{Detectable, detectable};
use crate::stats::specimens::{Components, needed};
use crate::{bundles, workload};

/// The size of a plan.
pub struct Extent {
    /// Points over all subjects and repeats.
    pub points: u64,
    /// Fewer may suffice: a search, or repeats until an interval is narrow enough.
    pub at_most: bool,
    /// Warm-ups, windows, conditioning, and the minimum number of rounds of a steady state.
    pub load_ns: u64,
    /// The additional maximum time of a steady state; None without one.
    pub more_ns: Option<u64>,
}

impl Extent {
    /// For a resolved plan.
    pub fn of(plan: &Plan) -> Extent {
        let each = plan.subjects.len() as u64 * u64::from(plan.repeats);
        let searched = |step: &Step| step.sweep.as_ref().is_some_and(|s| s.search.is_some());
        let of_step = |step: &Step| {
            let values = plan::axes_of(step).len();
            each * if searched(step) { Search::most_points(values) } else { values as u64 }
        };
        let steps = &plan.protocol.steps;
        let measuring_ns = steps.iter().map(|step| measuring_ns(plan, step, of_step(step)));
        let measuring_ns = measuring_ns.fold(0, u64::saturating_add);
        let conditioning_ns: u64 = plan.protocol.prepare.iter().map(|c| c.duration_ns).sum();
        let subjects = plan.subjects.len() as u64;
        // The minimum number of rounds of a steady state.
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

/// The time of all points of a step. For a search, the longest value is used for all.
fn measuring_ns(plan: &Plan, step: &Step, points: u64) -> u64 {
    let Some(subject) = plan.subjects.first() else { return 0 };
    let lengths: Vec<u64> = windows(step, subject).iter().map(Step::point_ns).collect();
    let each = points / lengths.len().max(1) as u64;
    match step.sweep.as_ref().is_some_and(|sweep| sweep.search.is_some()) {
        true => lengths.iter().max().map_or(0, |longest| longest.saturating_mul(points)),
        false => lengths.iter().fold(0, |sum, ns| ns.saturating_mul(each).saturating_add(sum)),
    }
}

/// A step at each value of its axis, with its window at that value: a recorded load ends with its
/// trace. If the trace cannot be read here, the plan's `duration` is used.
pub fn windows(step: &Step, subject: &Subject) -> Vec<Step> {
    let with_window = |step: Step| match recorded_duration(&step) {
        Ok(duration_ns) => Step { duration_ns, ..step },
        Err(_) => step,
    };
    plan::steps_at(step, subject).map(with_window).collect()
}

/// Why the length of a step's recorded load is not known here: one line for each of them.
pub fn unread(plan: &Plan) -> Vec<String> {
    let of = |step: &Step| {
        let points = plan.subjects.iter().flat_map(|subject| plan::steps_at(step, subject));
        let error = points.filter_map(|step| recorded_duration(&step).err()).next()?;
        Some(format!("{}: the length of its recorded load is unknown: {error:#}", step.name))
    };
    plan.protocol.steps.iter().filter_map(of).collect()
}

/// Values of searches at which even the longest window has too few ops for the percentile: one line
/// for each step.
pub fn short_of_samples(plan: &Plan) -> Vec<String> {
    let of = |step: &Step| {
        let search = step.sweep.as_ref()?.search.as_ref()?;
        let subject = plan.subjects.first()?;
        let rate = |step: &Step| {
            let stream = step.streams.iter().find(|stream| stream.name == search.stream)?;
            match stream.load {
                Load::Rate(Rate::OpsPerSec(rate)) => Some((rate, step.duration_ns)),
                _ => None,
            }
        };
        let points = plan::steps_at(step, subject).filter_map(|step| rate(&step));
        let short = points.filter(|(rate, ns)| search.needed_ns(*rate) > *ns as f64);
        let (rate, ns) = short.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!(
            "{}: {} is not measured up to {rate} ops/s: {} have too few ops for it; search at \
             higher rates or for a lower percentile",
            step.name,
            search.percentile,
            duration(ns)
        ))
    };
    plan.protocol.steps.iter().filter_map(of).collect()
}

/// The longest window of a step, nanoseconds.
pub fn longest_window_ns(plan: &Plan, step: &Step) -> u64 {
    let windows = plan.subjects.first().map(|subject| windows(step, subject));
    let longest = windows.iter().flatten().map(|step| step.duration_ns).max();
    longest.unwrap_or(step.duration_ns)
}

/// Values that a plan may not mean: a share of reads between 0 and 1, which is a percentage; and
/// values that every point of a sweep replaces.
pub fn doubts(plan: &Plan) -> Vec<String> {
    let mut all = Vec::new();
    for step in &plan.protocol.steps {
        for stream in &step.streams {
            let place = format!("{}, {}", step.name, stream.name);
            let read = stream.workload.knobs.float("read").unwrap_or(0.0);
            if 0.0 < read && read < 1.0 {
                let whole = read * 100.0;
                all.push(format!(
                    "{place}: read = {read} is {read} %; write read = {whole} for {whole} %"
                ));
            }
            let swept = step.sweep.as_ref().filter(|sweep| sweep.stream == stream.name);
            let replaced = match swept.map(|sweep| sweep.field) {
                Some(Field::Depth) if stream.depth > 1 => Some(("depth", stream.depth)),
                Some(Field::Threads) if stream.threads > 1 => Some(("threads", stream.threads)),
                _ => None,
            };
            if let Some((key, value)) = replaced {
                all.push(format!("{place}: {key} = {value} is replaced by the sweep's values"));
            }
        }
    }
    all
}

/// A stream as text: workload, engine, threads × depth, rate.
pub fn stream(stream: &Stream) -> String {
    let load = match stream.load {
        Load::Rate(rate) => format!(" at {rate}"),
        Load::Closed | Load::PercentOfMaximum(_) => String::new(),
    };
    let (threads, depth) = (stream.threads, stream.depth);
    format!(
        "{}: {} on {}, {threads}×{depth}{load}",
        stream.name, stream.workload.name, stream.engine.name
    )
}

/// An axis value of a step, as printed.
pub fn value(step: &Step, axis: &Axis) -> String {
    let Some(value) = axis.value.number() else { return "max".to_string() };
    match axis.field {
        Field::Threads | Field::Depth | Field::Instances => format!("{value}"),
        Field::OpsPerSec => Rate::OpsPerSec(value).to_string(),
        Field::BytesPerSec => Rate::BytesPerSec(value).to_string(),
        Field::LoadPercent => format!("{value} %"),
        Field::Rates | Field::Scale => format!("{value} ×"),
        Field::Block => bytes(value as u64),
        Field::Knob => step.written(Some(axis)).unwrap_or_default().to_string(),
    }
}

/// A detectable difference, and the source of its scatter.
pub struct DetectableDifference {
    /// The source of the scatter.
    pub at: String,
    /// Standard deviation of a run's logarithm.
    pub scatter: f64,
    /// The detectable differences.
    pub shown: Detectable,
}

/// An earlier bundle, or a folder of them, as the source of scatter.
pub struct Earlier {
    /// As named by the user.
    pub name: String,
    facts: Facts,
}

impl Earlier {
    /// Reads it.
    pub fn of(path: &PathBuf) -> Result<Earlier> {
        let paths = load::each(std::slice::from_ref(path))?;
        let facts = bundles::facts(&paths, &Question::default())?;
        Ok(Earlier { name: path.display().to_string(), facts })
    }
}

/// The differences that the repeats can show, with the scatter of an earlier bundle or of this
/// host's self-test; empty if none is known.
pub fn powers(plan: &Plan, from: Option<&Earlier>) -> Vec<DetectableDifference> {
    if let Some(Earlier { name, facts }) = from {
        let power = |(step, scatter, shown): (Option<String>, f64, Detectable)| {
            let at = step.map_or(format!("in {name}"), |step| format!("in {name}, {step}"));
            DetectableDifference { at, scatter, shown }
        };
        return scatter::shown(plan, &facts.measured).into_iter().map(power).collect();
    }
    let found = selftest_result::kept();
    let all = found.iter().flat_map(|found| &found.scatter).filter_map(|of| {
        let shown = detectable(of.ops?, scatter::planned(plan))?;
        let at = format!("in the self-test of this host, {}", of.of);
        Some(DetectableDifference { at, scatter: of.ops?, shown })
    });
    all.collect()
}

/// The number of specimens of a model required for a difference.
pub struct Specimens {
    /// The source of the scatter.
    pub at: String,
    /// The scatter of drives and repeats there.
    pub scatter: Components,
    /// Per model; None if a thousand are too few.
    pub needed: Option<usize>,
}

/// The number of specimens of each of two models needed to show a difference, given as a share, in
/// 90 of 100 briefs: by the components of variance of an earlier bundle, step by step.
pub fn specimens(plan: &Plan, from: Option<&Earlier>, difference: f64) -> Vec<Specimens> {
    let Some(Earlier { name, facts }) = from else { return Vec::new() };
    let shared = |step: &StepFacts| plan.protocol.steps.iter().any(|own| own.name == step.name);
    let any = facts.measured.steps.iter().any(shared);
    let of = |step: &StepFacts| {
        let fleet = &facts.comparisons.fleets[step.key];
        let fleet = fleet.as_ref().filter(|_| !any || shared(step))?;
        let (scatter, metric) = (fleet.scatter(), fleet.metric.short());
        let needed = needed(&scatter, plan.repeats as usize, difference.ln_1p());
        Some(Specimens {
            at: format!("in {name}, {metric} of {}", step.title.written),
            scatter,
            needed,
        })
    };
    facts.measured.steps.iter().filter_map(of).collect()
}

/// Bytes written by filling a drive's datasets.
pub fn fill_bytes(plan: &Plan) -> u64 {
    let of = |d: &Dataset| space::fill_bytes(d).unwrap_or(0).saturating_mul(space::copies(plan, d));
    plan.protocol.datasets.iter().map(of).fold(0, u64::saturating_add)
}

/// Maximum bytes written by rate-limited writers to one drive of a subject, over all points.
pub fn paced_bytes(plan: &Plan, subject: &Subject) -> f64 {
    let own = |step: &Step| subject.overrides.iter().any(|own| own.step == step.name);
    let writing =
        plan.protocol.steps.iter().filter(|step| step.streams.iter().any(writes) || own(step));
    let once: f64 =
        writing.flat_map(|step| plan::steps_at(step, subject)).map(|step| paced_once(&step)).sum();
    once * f64::from(plan.repeats)
}

fn paced_once(step: &Step) -> f64 {
    let seconds = (step.warmup_ns + step.duration_ns) as f64 / 1e9;
    let paced = step.streams.iter().filter(|s| writes(s)).filter_map(|s| match s.load {
        Load::Rate(Rate::BytesPerSec(rate)) => Some(rate * seconds * f64::from(s.instances)),
        _ => None,
    });
    paced.sum()
}

/// Transactions write what their statements do, independent of a byte rate.
pub fn writes(stream: &Stream) -> bool {
    workload::find(&stream.workload.name).is_some_and(|w| w.writes(&stream.workload.knobs))
}
