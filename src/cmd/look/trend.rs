//! `dyno trend`: a figure of one subject, drive model or firmware over many runs of a folder, with
//! its change points.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::plan_difference::FieldDifference;
use crate::analysis::points::metric::MetricRequest;
use crate::analysis::verdicts::trend::{By, FigureHistory, Member, Replacement, TrendRequest};
use crate::base::error::{Context, Result, exit, failed};
use crate::brief::block::Block;
use crate::brief::text::plan_text;
use crate::brief::trend;
use crate::bundles;
use crate::catalogue::BundleCatalogue;
use crate::cmd::json::{self, JsonFigure, OutputFormat};
use crate::cmd::screen::on_screen;
use crate::language::Language;
use crate::stats::runs::changes::ChangePoint;

/// The folder, and the selection.
#[derive(Args)]
pub struct TrendArgs {
    /// Folder of bundles, searched recursively
    folder: PathBuf,
    /// Only runs of this protocol
    #[arg(long, value_name = "NAME")]
    protocol: Option<String>,
    /// Metric to follow, as in `dyno compare --metric`; repeatable [default: the headline metric of
    /// each step]
    #[arg(long, value_name = "METRIC")]
    measure: Vec<String>,
    /// Only subjects that contain every word in their name, model, firmware or serial numbers
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    subject: String,
    /// The common property of the runs of a history
    #[arg(long, value_enum, default_value_t = RunGrouping::Subject)]
    by: RunGrouping,
    /// Number of runs to read, newest first
    #[arg(long, value_name = "N", default_value_t = 100)]
    last: usize,
    /// Exit with code 1 if a level changed on or after this date, as in 2026-05-02
    #[arg(long, value_name = "DATE", value_parser = date)]
    changed_since: Option<i64>,
    #[command(flatten)]
    format: OutputFormat,
}

/// The common property of a history's runs.
#[derive(Clone, Copy, ValueEnum)]
enum RunGrouping {
    /// The subject's name
    Subject,
    /// The drives' model
    Model,
    /// The drives' model and firmware
    Firmware,
    /// The drives' serial numbers
    Serial,
}

impl RunGrouping {
    fn by(self) -> By {
        match self {
            RunGrouping::Subject => By::Subject,
            RunGrouping::Model => By::Model,
            RunGrouping::Firmware => By::Firmware,
            RunGrouping::Serial => By::Serial,
        }
    }
}

/// Seconds since 1970 of a date's beginning (UTC).
fn date(text: &str) -> std::result::Result<i64, String> {
    let date: jiff::civil::Date = text.parse().map_err(|_| "write it as in 2026-05-02")?;
    let begins = date.to_zoned(jiff::tz::TimeZone::UTC).map_err(|error| error.to_string())?;
    Ok(begins.timestamp().as_second())
}

/// Prints every history; exit code 1 if a level changed since the date asked about.
pub fn trend(args: &TrendArgs, out: &mut dyn Write) -> Result<u8> {
    let shown = args.folder.display();
    let folder = args.folder.canonicalize().with_context(|| format!("opening {shown}"))?;
    let catalogue = BundleCatalogue::open(&folder)?;
    let entries = catalogue.ended(args.protocol.as_deref(), &args.subject).take(args.last);
    let runs: Vec<_> =
        entries.map(|e| (e.shown_path().to_string(), folder.join(&e.path))).collect();
    let metrics = args.measure.iter().map(|m| MetricRequest::parse(m)).collect::<Result<_>>()?;
    let wanted = TrendRequest { by: args.by.by(), metrics, subject: args.subject.clone() };
    let histories = bundles::histories(&runs, &wanted)?;
    if histories.is_empty() {
        return Err(failed(
            format!("no completed run in {shown} has a matching figure"),
            format!("`dyno catalogue {shown}` lists its runs"),
        ));
    }
    let since = args.changed_since.unwrap_or(i64::MAX);
    let changed = histories.iter().any(|history| {
        let counted: Vec<&Member> = history.counted().collect();
        let began = |change: &ChangePoint| counted[change.at].started_unix_ns / 1_000_000_000;
        history.changes.iter().any(|change| began(change) as i64 >= since)
    });
    let code = if changed { exit::WORSE } else { 0 };
    if args.format.json {
        let histories = histories.iter().map(Followed::of).collect();
        json::print(&Trended { histories }, out)?;
        return Ok(code);
    }
    let mut blocks = Vec::new();
    for (i, history) in histories.iter().enumerate() {
        let (title, name) = &history.protocol;
        blocks.push(Block::chapter(trend::title(history)));
        blocks.push(Block::note(format!("{} ({name})", title.text(Language::ENGLISH))));
        blocks.extend(trend::blocks(history, format!("trend-{}", i + 1)));
    }
    blocks.push(trend::note());
    out.write_all(on_screen(&blocks).as_bytes())?;
    Ok(code)
}

/// Figures over many runs.
#[derive(Serialize, JsonSchema)]
pub struct Trended {
    /// One for each subject, step, figure and configuration.
    histories: Vec<Followed>,
}

/// One figure over many runs.
#[derive(Serialize, JsonSchema)]
struct Followed {
    /// The protocol's title.
    title: String,
    /// The protocol's name.
    protocol: String,
    /// The common property of its runs: the subject's name, or that of `--by`.
    subject: String,
    step: String,
    metric: String,
    /// The unit of values and levels.
    unit: String,
    /// The axis value of the figure; null for a mean over all.
    at: Option<String>,
    /// Fields in which its plan or host differs from the first history of the same figure.
    differs: Vec<Differs>,
    /// Oldest first.
    runs: Vec<Followable>,
    changes: Vec<ChangePointRow>,
}

/// A field that differs.
#[derive(Serialize, JsonSchema)]
struct Differs {
    field: String,
    first: String,
    own: String,
}

/// One run.
#[derive(Serialize, JsonSchema)]
struct Followable {
    bundle: String,
    /// RFC 3339, UTC; null if unknown.
    began: Option<String>,
    figure: JsonFigure,
    models: Vec<String>,
    firmware: Vec<String>,
    serials: Vec<String>,
    /// Whether it is examined for change points: it is not known to be limited by anything but the
    /// drive.
    counts: bool,
}

/// A change point.
#[derive(Serialize, JsonSchema)]
struct ChangePointRow {
    /// The first bundle at the new level.
    bundle: String,
    began: Option<String>,
    /// Geometric mean of the runs since the previous change point.
    before: f64,
    /// The same up to the next one.
    after: f64,
    change_percent: f64,
    /// The share of random orders of the same runs that are divided as clearly.
    p: f64,
    /// The first and the last bundle that may be the first at the new level (95 %).
    within: [String; 2],
    /// What was replaced within these: model, firmware, serial number, host or kernel.
    replaced: Vec<ReplacedRow>,
}

/// A property that changed between runs.
#[derive(Serialize, JsonSchema)]
struct ReplacedRow {
    /// The first bundle with the new value.
    bundle: String,
    what: &'static str,
    before: Vec<String>,
    after: Vec<String>,
}

impl Followed {
    fn of(history: &FigureHistory) -> Followed {
        let differs = |d: &FieldDifference| {
            let [first, own] = d.values.each_ref().map(|v| plan_text::value(Language::ENGLISH, v));
            Differs { field: d.path.clone(), first, own }
        };
        let counted: Vec<&Member> = history.counted().collect();
        Followed {
            title: history.protocol.0.text(Language::ENGLISH),
            protocol: history.protocol.1.clone(),
            subject: history.label.clone(),
            step: history.step.clone(),
            metric: history.metric.short(),
            unit: history.runs.first().map_or(String::new(), |r| r.estimate.unit.to_string()),
            at: history.at.clone(),
            differs: history.differs.iter().map(differs).collect(),
            runs: history.runs.iter().map(Followable::of).collect(),
            changes: history
                .changes
                .iter()
                .map(|change| ChangePointRow::of(history, &counted, change))
                .collect(),
        }
    }
}

impl Followable {
    fn of(run: &Member) -> Followable {
        let [models, firmware, serials] = run.drives.clone();
        Followable {
            bundle: run.file.clone(),
            began: json::moment(run.started_unix_ns),
            figure: JsonFigure::from(&run.estimate),
            models,
            firmware,
            serials,
            counts: run.counts,
        }
    }
}

impl ChangePointRow {
    fn of(history: &FigureHistory, counted: &[&Member], change: &ChangePoint) -> ChangePointRow {
        let (first, (low, high)) = (counted[change.at], change.within);
        let replaced = history.replaced_within(change).into_iter();
        ChangePointRow {
            within: [low, high].map(|at| counted[at].file.clone()),
            replaced: replaced
                .map(|(at, Replacement { what, before, after })| ReplacedRow {
                    bundle: counted[at].file.clone(),
                    what,
                    before,
                    after,
                })
                .collect(),
            bundle: first.file.clone(),
            began: json::moment(first.started_unix_ns),
            before: change.before,
            after: change.after,
            change_percent: (change.after / change.before - 1.0) * 100.0,
            p: change.chance,
        }
    }
}
