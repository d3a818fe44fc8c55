//! `dyno fleet together`: combines the bundles of hosts that started at the same time.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{self, OutputFormat};
use crate::analysis::Question;
use crate::analysis::facts::{JointFacts, MeasuredFacts};
use crate::analysis::hosts::{ClassOfJoint, Joint, JointHost, Sum};
use crate::base::error::{Result, exit, failed};
use crate::brief::section::setup::hosts as text;
use crate::bundles;
use crate::cmd::screen::on_screen;
use crate::language::Language;

/// The hosts' bundles.
#[derive(Args)]
pub struct TogetherArgs {
    /// One bundle per host, from runs with the same --start-at and --clock
    #[arg(required = true, num_args = 2.., value_name = "BUNDLE")]
    bundle: Vec<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
}

/// What `dyno fleet together --json` prints.
#[derive(Serialize, JsonSchema)]
pub struct Brought {
    /// One for each bundle.
    pub hosts: Vec<HostClock>,
    /// Every point that any host started.
    pub points: Vec<PointOfHosts>,
}

/// A host and its clock.
#[derive(Serialize, JsonSchema)]
pub struct HostClock {
    /// The bundle's file name.
    pub file: String,
    /// The reference clock.
    pub reference: String,
    /// The correction to the host's clock before the run; null if unknown.
    pub offset_before_ns: Option<i64>,
    /// The same after the run.
    pub offset_after_ns: Option<i64>,
    /// The maximum error of both.
    pub bound_ns: Option<u64>,
    /// The limit of the offset from the reference.
    pub limit_ns: u64,
}

/// One point over all hosts.
#[derive(Serialize, JsonSchema)]
pub struct PointOfHosts {
    /// Name of the step.
    pub step: String,
    /// The axis value; null without a sweep.
    pub value: Option<f64>,
    /// Index of the subject in each plan, from 0.
    pub subject: usize,
    /// The repeat, from 1.
    pub repeat: u32,
    /// ops/s of each host, in the order of `hosts`; null if it did not measure the point.
    pub ops_per_s_by_host: Vec<Option<f64>>,
    /// The common share of the longest window.
    pub common_window: f64,
    /// Ops of all hosts; null without a sum.
    pub ops: Option<u64>,
    /// ops/s of all hosts.
    pub ops_per_s: Option<f64>,
    /// Bytes per second of all hosts.
    pub bytes_per_s: Option<f64>,
    /// Latencies of all hosts' ops by class.
    pub classes: Vec<ClassOfHosts>,
    /// Why there is no sum; null if there is one.
    pub refused: Option<String>,
}

/// The ops of one class on all hosts, from merged histograms.
#[derive(Serialize, JsonSchema)]
pub struct ClassOfHosts {
    /// Name of the class.
    pub class: String,
    /// Mean response time (service time in closed loop), nanoseconds.
    pub mean_ns: Option<f64>,
    /// Median; null if fewer than 100 ops lie above it, like the following ones.
    pub p50_ns: Option<u64>,
    /// 99th percentile.
    pub p99_ns: Option<u64>,
    /// 99.9th percentile.
    pub p999_ns: Option<u64>,
    /// Ops among these that were due and never submitted, counted by their ages.
    pub censored: u64,
    /// Their smallest age: percentiles from there on, and the mean, are lower bounds. Null if there
    /// are none.
    pub at_least_from_ns: Option<u64>,
}

/// Prints them; exit code 2 if a point has no sum.
pub fn together(args: &TogetherArgs, out: &mut dyn Write) -> Result<u8> {
    let l = Language::ENGLISH;
    let facts = bundles::facts(&args.bundle, &Question::default())?;
    if facts.joint.hosts.is_empty() {
        return Err(failed(
            "these runs did not start together",
            "run each with the same --start-at and --clock (docs/fleet.md)",
        ));
    }
    match args.format.json {
        true => json::print(&document(l, &facts.measured, &facts.joint), out)?,
        false => out.write_all(on_screen(&text::blocks(l, &facts)).as_bytes())?,
    }
    let refused = facts.joint.points.iter().any(|joint| joint.sum.is_err());
    Ok(if refused { exit::NOT_SHOWN } else { 0 })
}

fn document(l: Language, measured: &MeasuredFacts, joint: &JointFacts) -> Brought {
    let clock = |host: &JointHost| {
        let (before, after) = (host.start.before, host.start.after);
        HostClock {
            file: host.file.clone(),
            reference: host.start.reference.clone(),
            offset_before_ns: before.map(|offset| offset.offset_ns),
            offset_after_ns: after.map(|offset| offset.offset_ns),
            bound_ns: before.into_iter().chain(after).map(|offset| offset.bound_ns).max(),
            limit_ns: host.start.limit_ns,
        }
    };
    Brought {
        hosts: joint.hosts.iter().map(clock).collect(),
        points: joint.points.iter().map(|own| point(l, measured, joint, own)).collect(),
    }
}

fn point(l: Language, measured: &MeasuredFacts, all: &JointFacts, joint: &Joint) -> PointOfHosts {
    let sum = joint.sum.as_ref().ok();
    PointOfHosts {
        step: joint.step.clone(),
        value: joint.value,
        subject: joint.subject,
        repeat: joint.repeat,
        ops_per_s_by_host: joint.by_host.clone(),
        common_window: joint.common,
        ops: sum.map(|sum| sum.ops),
        ops_per_s: sum.map(|sum| sum.ops_per_s),
        bytes_per_s: sum.map(|sum| sum.bytes_per_s),
        classes: sum.map(classes).unwrap_or_default(),
        refused: joint.sum.as_ref().err().map(|why| text::reason(l, measured, all, joint, why)),
    }
}

fn classes(sum: &Sum) -> Vec<ClassOfHosts> {
    let class = |ClassOfJoint { class, times, censored }: &ClassOfJoint| ClassOfHosts {
        class: class.name().to_string(),
        mean_ns: times.mean_ns(),
        p50_ns: times.percentile_ns(0.5),
        p99_ns: times.percentile_ns(0.99),
        p999_ns: times.percentile_ns(0.999),
        censored: censored.map_or(0, |censored| censored.ops),
        at_least_from_ns: censored.map(|censored| censored.from_ns),
    };
    sum.classes.iter().map(class).collect()
}
