//! `dyno show`: every point of one or more bundles as a table, or as JSON.

use std::io::Write;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::facts::{CellFacts, Facts, StepFacts, Subjects};
use crate::analysis::points::point_summary::{Latency, RepeatSummary};
use crate::base::error::Result;
use crate::brief::block::Block;
use crate::brief::screens;
use crate::cmd::json::{self, JsonFigure, OutputFormat, moment};
use crate::cmd::load::Bundles;
use crate::cmd::screen::on_screen;
use crate::language::Language;
use crate::plan::search::PERCENTILES;

/// Prints a line for each point of the bundles.
pub fn show(bundles: &Bundles, format: OutputFormat, out: &mut dyn Write) -> Result<()> {
    let l = bundles.language()?;
    if format.json {
        return json::print(&ShownBundle::of(l, &bundles.facts()?), out);
    }
    let mut begun = false;
    let mut put = |facts: &Facts, blocks: Vec<Block>| {
        let header = if begun { Vec::new() } else { screens::header(l, facts) };
        for blocks in [header, blocks].iter().filter(|blocks| !blocks.is_empty()) {
            // Headings and lists are separated from the preceding text.
            let apart = if std::mem::replace(&mut begun, true) { "\n" } else { "" };
            write!(out, "{apart}{}", on_screen(blocks))?;
        }
        Ok(())
    };
    let rest = bundles.each_step(&mut |facts| put(facts, screens::steps(l, facts)))?;
    put(&rest, screens::ending(l, &rest.subjects, &rest.measured))
}

/// All results.
#[derive(Serialize, JsonSchema)]
pub struct ShownBundle {
    /// Name of the protocol.
    protocol: String,
    /// Its title.
    title: String,
    /// The source of its parameters.
    source: String,
    /// The bundles, in the given order.
    bundles: Vec<BundleRow>,
    /// The subjects, in the plan's order.
    subjects: Vec<SubjectRow>,
    /// The steps, in the protocol's order.
    steps: Vec<StepRow>,
    /// Points that ended early.
    failures: Vec<FailureRow>,
}

/// A bundle.
#[derive(Serialize, JsonSchema)]
struct BundleRow {
    /// Name of the file.
    file: String,
    /// Start of the run (RFC 3339, UTC).
    started: Option<String>,
    /// Version of Dyno.
    dyno_version: String,
    /// Repeats of each point in the plan.
    repeats: u32,
}

/// A subject.
#[derive(Serialize, JsonSchema)]
struct SubjectRow {
    name: String,
    /// Its drives, as in the plan.
    drives: Vec<String>,
}

/// A step.
#[derive(Serialize, JsonSchema)]
struct StepRow {
    name: String,
    title: String,
    /// The swept field; null without a sweep.
    axis: Option<String>,
    /// Length of the warm-up; null if the source of imported figures does not give it.
    warmup_ns: Option<u64>,
    /// Length of the measured window; null likewise.
    window_ns: Option<u64>,
    /// One for each subject and axis value, over all repeats.
    points: Vec<PointRow>,
}

/// One subject at one axis value.
#[derive(Serialize, JsonSchema)]
struct PointRow {
    subject: String,
    /// The value as written in the plan ("64", "128 KiB"); null without a sweep.
    at: Option<String>,
    /// The value as a number, in the unit of the swept field.
    value: Option<f64>,
    /// The completely measured repeats.
    repeats: Vec<u32>,
    /// The headline streams together; null if every repeat failed.
    total: Option<LoadRow>,
    /// Each stream.
    streams: Vec<StreamRow>,
    /// Bottleneck: "drive", "host CPU" and others; null without meters.
    limited_by: Option<String>,
    /// The use of the host's processors; null without their counters.
    processors: Option<ProcessorRow>,
    /// Its caveats.
    caveats: usize,
}

/// The host's processors during a point, as the mean over its repeats.
#[derive(Serialize, JsonSchema)]
struct ProcessorRow {
    /// Their number.
    count: f64,
    /// The busy share of all of them.
    busy_percent: f64,
    /// The share that Dyno and its servers used.
    own_percent: f64,
}

/// A stream.
#[derive(Serialize, JsonSchema)]
struct StreamRow {
    name: String,
    /// Whether it counts in the step's figures.
    headline: bool,
    #[serde(flatten)]
    load: LoadRow,
}

/// The result of a load.
#[derive(Serialize, JsonSchema)]
struct LoadRow {
    /// Null, like all following ones, if the source of imported figures does not give it.
    ops_per_s: Option<JsonFigure>,
    bytes_per_s: Option<JsonFigure>,
    /// Total number of workers.
    threads: Option<u32>,
    /// Requests in flight for each worker.
    depth: Option<u32>,
    /// Open loop: the target rate, in a plan's notation.
    asked: Option<String>,
    /// Ops completed in the windows of all repeats.
    ops: Option<u64>,
    /// Ops submitted late or never, of all repeats.
    late: u64,
    /// The maximum number of ops due but not yet submitted, of any repeat.
    backlog_max: u64,
    /// Ops not submitted when windows closed, of all repeats.
    backlog_end: u64,
    /// One for each class of op.
    classes: Vec<ClassRow>,
    /// Reads and writes together, if there are both: class "all".
    all: Option<ClassRow>,
}

/// The ops of one class.
#[derive(Serialize, JsonSchema)]
struct ClassRow {
    /// "read", "write", "flush", "new-order" …
    class: String,
    /// Null if only the rate is known.
    ops: Option<u64>,
    /// Null if unknown.
    ops_per_s: Option<JsonFigure>,
    /// Null if unknown.
    bytes_per_s: Option<JsonFigure>,
    /// Reads of missing keys.
    misses: u64,
    /// Abandoned transactions.
    given_up: u64,
    /// Completed − submitted.
    service: LatencyRow,
    /// Completed − intended; open loop only.
    response: Option<LatencyRow>,
}

/// Latency. A percentile is null if fewer than 100 samples lie above it.
#[derive(Serialize, JsonSchema)]
struct LatencyRow {
    mean_ns: Option<JsonFigure>,
    /// By name: "p50", "p95", "p99", "p99.9", "p99.99", "p99.999".
    percentiles_ns: std::collections::BTreeMap<&'static str, Option<JsonFigure>>,
    /// The maximum of any repeat; null if unknown.
    max_ns: Option<u64>,
    /// Whether ops that were due were never submitted: the mean and the maximum, and percentiles
    /// that are marked so, are lower bounds.
    censored: bool,
}

/// A point that ended early.
#[derive(Serialize, JsonSchema)]
struct FailureRow {
    subject: String,
    /// Title of the step.
    step: String,
    /// The axis value, as printed.
    at: String,
    repeat: u32,
    cause: String,
}

impl ShownBundle {
    /// The results of these facts.
    pub fn of(l: Language, facts: &Facts) -> ShownBundle {
        let bundle = |run: &crate::analysis::facts::RunFacts| BundleRow {
            file: run.file.clone(),
            started: moment(run.started_unix_ns),
            dyno_version: run.dyno_version.clone(),
            repeats: run.repeats,
        };
        let subject = |subject: &crate::analysis::facts::SubjectFacts| SubjectRow {
            name: subject.name.clone(),
            drives: subject.drives.clone().into(),
        };
        let failure = |f: &crate::analysis::facts::EarlyEnd| FailureRow {
            subject: facts.subjects[f.subject].name.clone(),
            step: f.step.text(l),
            at: f.at.clone(),
            repeat: f.repeat,
            cause: f.cause.clone(),
        };
        ShownBundle {
            protocol: facts.protocol().name.clone(),
            title: facts.protocol().title.text(l),
            source: facts.protocol().source.written.clone(),
            bundles: facts.setup.runs.iter().map(bundle).collect(),
            subjects: facts.subjects.iter().map(subject).collect(),
            steps: facts
                .measured
                .steps
                .iter()
                .map(|step| StepRow::of(l, &facts.subjects, step))
                .collect(),
            failures: facts.measured.failures.iter().map(failure).collect(),
        }
    }
}

impl StepRow {
    fn of(l: Language, subjects: &Subjects, step: &StepFacts) -> StepRow {
        StepRow {
            name: step.name.clone(),
            title: step.title.text(l),
            axis: step.axis.as_ref().map(|_| step.axis_text(l)),
            warmup_ns: step.warmup_ns,
            window_ns: step.window_ns,
            points: step.cells.iter().map(|cell| PointRow::of(subjects, step, cell)).collect(),
        }
    }
}

impl PointRow {
    fn of(subjects: &Subjects, step: &StepFacts, cell: &CellFacts) -> PointRow {
        let value = &step.values[cell.value];
        let stream = |(name, headline, load): &(String, bool, Arc<RepeatSummary>)| StreamRow {
            name: name.clone(),
            headline: *headline,
            load: LoadRow::of(load),
        };
        PointRow {
            subject: subjects[cell.subject].name.clone(),
            at: step.axis.as_ref().map(|_| value.label.clone()),
            value: step.axis.as_ref().and_then(|_| crate::base::units::finite(value.number)),
            repeats: cell.repeats.clone(),
            total: cell.total.as_deref().map(LoadRow::of),
            streams: cell.streams.iter().map(stream).collect(),
            limited_by: cell.limit.as_ref().map(|verdict| verdict.limit.name().to_string()),
            processors: cell.processors.map(|used| ProcessorRow {
                count: used.cores,
                busy_percent: used.host_busy * 100.0,
                own_percent: used.own_busy * 100.0,
            }),
            caveats: cell.caveats.len(),
        }
    }
}

impl LoadRow {
    fn of(load: &RepeatSummary) -> LoadRow {
        let class = |c: &crate::analysis::points::point_summary::ClassSummary| ClassRow {
            class: c.class.name().to_string(),
            ops: c.ops,
            ops_per_s: c.ops_per_s.as_ref().map(JsonFigure::from),
            bytes_per_s: c.bytes_per_s.as_ref().map(JsonFigure::from),
            misses: c.misses,
            given_up: c.given_up,
            service: LatencyRow::of(&c.service),
            response: c.response.as_deref().map(LatencyRow::of),
        };
        LoadRow {
            ops_per_s: load.ops_per_s.as_ref().map(JsonFigure::from),
            bytes_per_s: load.bytes_per_s.as_ref().map(JsonFigure::from),
            threads: load.threads,
            depth: load.depth,
            asked: load.asked.map(|rate| rate.to_string()),
            ops: load.ops,
            late: load.late,
            backlog_max: load.backlog_max,
            backlog_end: load.backlog_end,
            classes: load.classes.iter().map(class).collect(),
            all: load.all.as_deref().map(class),
        }
    }
}

impl LatencyRow {
    fn of(latency: &Latency) -> LatencyRow {
        let figure =
            |of: &Option<crate::stats::estimate::Estimate>| of.as_ref().map(JsonFigure::from);
        let names = PERCENTILES.iter().map(|(name, _)| *name);
        LatencyRow {
            mean_ns: figure(&latency.mean_ns),
            percentiles_ns: names.zip(latency.percentiles_ns.iter().map(figure)).collect(),
            max_ns: latency.max_ns,
            censored: latency.censored,
        }
    }
}
