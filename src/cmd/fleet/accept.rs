//! `dyno fleet accept`: compares delivered drives with a reference sample of their model.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{self, OutputFormat};
use super::super::load::{each, share};
use crate::analysis::Question;
use crate::analysis::keys::{RunKey, SubjectKey};
use crate::analysis::points::metric::MetricRequest;
use crate::analysis::verdicts::acceptance::{
    Acceptance, DeliveredVerdict, DriveVerdict, Judge, JudgedDrive, JudgedFigure, judge, measures,
    merged, specimens,
};
use crate::base::error::{Context, NoVerdict, Result, exit, failed};
use crate::base::units::plural;
use crate::brief::acceptance as text;
use crate::bundles;
use crate::cmd::screen::on_screen;
use crate::language::Language;

/// The reference, the delivery, and the measures.
#[derive(Args)]
pub struct AcceptArgs {
    /// Bundle of the reference sample, whose drives are subjects or members of a group; repeatable
    #[arg(long, required = true, value_name = "BUNDLE")]
    reference: Vec<PathBuf>,
    /// Bundles of the delivered drives, or folders of bundles
    #[arg(required = true, value_name = "DELIVERY")]
    delivery: Vec<PathBuf>,
    /// Metric to judge by, as in `dyno compare --metric`: ops/s, p99; repeatable. All metrics share
    /// the false-rejection rate
    #[arg(long, visible_alias = "metric", required = true, value_name = "METRIC")]
    measure: Vec<String>,
    /// Step to judge; repeatable [default: every step]
    #[arg(long, value_name = "NAME")]
    step: Vec<String>,
    /// Axis value to judge, as `dyno show` prints it; repeatable [default: every value, as one
    /// family]
    #[arg(long, value_name = "VALUE")]
    at: Vec<String>,
    /// Probability that any drive of a good delivery is rejected
    #[arg(long, default_value = "5%", value_name = "PERCENT", value_parser = rate)]
    false_rejections: f64,
    /// Field that may differ, as in "host"; repeatable
    #[arg(long, value_name = "PATH")]
    vary: Vec<String>,
    #[command(flatten)]
    format: OutputFormat,
}

fn rate(text: &str) -> std::result::Result<f64, String> {
    let rate = share(text).filter(|rate| *rate > 0.0);
    rate.ok_or_else(|| "say a rate above 0% and below 100%, as in 5%".to_string())
}

/// Judges the delivery; the exit code is the result.
pub fn accept(args: &AcceptArgs, out: &mut dyn Write) -> Result<u8> {
    verdict(args, out).context(NoVerdict)
}

fn verdict(args: &AcceptArgs, out: &mut dyn Write) -> Result<u8> {
    let metrics =
        args.measure.iter().map(|m| MetricRequest::parse(m)).collect::<Result<Vec<_>>>()?;
    let question = Question { vary: args.vary.clone(), metrics, ..Question::default() };
    let (asked, reference) = sample(args, &question)?;
    let mut delivered = Vec::new();
    // Bundle by bundle, each with the reference, because comparisons grow with the square of the
    // drives.
    let references = each(&args.reference)?;
    for path in &each(&args.delivery)? {
        let paths = [&references[..1], std::slice::from_ref(path)].concat();
        let facts = bundles::facts(&paths, &question)?;
        delivered.extend(specimens(&facts, RunKey(1), &asked, Some(SubjectKey(0))));
    }
    let found = judge(asked, &reference, merged(delivered), args.false_rejections);
    if found.judges.is_empty() {
        let drives = plural(reference.len(), "drive");
        return Err(failed(
            format!("the reference has fewer than three drives with a usable figure: {drives}"),
            "give bundles with three or more, each as a subject or as a drive of a group; a drive \
             in several bundles is one, by its serial number",
        ));
    }
    match args.format.json {
        true => json::print(&document(&found), out)?,
        false => out.write_all(on_screen(&text::blocks(Language::default(), &found)).as_bytes())?,
    }
    Ok(match (found.rejected(), found.open()) {
        (0, 0) => 0,
        (0, _) => exit::NOT_SHOWN,
        _ => exit::WORSE,
    })
}

/// The measures of the reference, and its drives.
fn sample(args: &AcceptArgs, question: &Question) -> Result<(Vec<JudgedFigure>, Vec<JudgedDrive>)> {
    let facts = bundles::facts(&each(&args.reference)?, question)?;
    if let Some(name) =
        args.step.iter().find(|name| facts.measured.steps.iter().all(|s| s.name != **name))
    {
        let known: Vec<&str> = facts.measured.steps.iter().map(|s| &*s.name).collect();
        return Err(failed(
            format!("the reference has no step '{name}'"),
            format!("it has: {}", known.join(", ")),
        ));
    }
    let asked = measures(&facts.measured, &args.step, &args.at);
    if asked.is_empty() {
        return Err(failed(
            "the reference has none of these metrics at these axis values",
            "use those that `dyno show` prints for it",
        ));
    }
    let runs = facts.setup.runs.keys();
    let all = runs.flat_map(|run| specimens(&facts, run, &asked, Some(SubjectKey(0)))).collect();
    Ok((asked, merged(all)))
}

/// What `dyno fleet accept --json` prints.
#[derive(Serialize, JsonSchema)]
pub struct Accepted {
    /// The probability that a delivery like the reference has any rejection, as a share.
    pub false_rejections: f64,
    /// Drives that are rejected: whatever their figures, or in at least one measure.
    pub rejected: usize,
    /// Drives that some measure could not judge, and none rejects.
    pub not_judged: usize,
    /// The measures.
    pub measures: Vec<MeasureLimit>,
    /// The delivered drives.
    pub drives: Vec<DeliveredDrive>,
}

/// A measure with its limit.
#[derive(Serialize, JsonSchema)]
pub struct MeasureLimit {
    /// Name of the step.
    pub step: String,
    /// The axis value; empty without a sweep.
    pub at: String,
    /// The metric, in the notation of `--measure`.
    pub metric: String,
    /// Drives of the reference with the figure.
    pub reference_drives: usize,
    /// Geometric mean of their levels, in the metric's base unit (ops/s, bytes/s, nanoseconds).
    pub mean: f64,
    /// Standard deviation of the logarithms of their levels.
    pub scatter: f64,
    /// The limit beyond which a drive on the worse side is rejected, in the metric's base unit.
    pub limit: f64,
    /// The probabilities that a drive that is worse by 5, 10 and 15 % is rejected, as shares.
    pub power: [f64; 3],
}

/// A delivered drive.
#[derive(Serialize, JsonSchema)]
pub struct DeliveredDrive {
    /// The bundle's file name.
    pub file: String,
    /// The subject, and the drive's number if the subject is a group.
    pub name: String,
    /// Its serial number, if known.
    pub serial: Option<String>,
    /// Its model, if known.
    pub model: Option<String>,
    /// Its firmware, if known.
    pub firmware: Option<String>,
    /// What rejects it whatever its figures, as text.
    pub flaws: Vec<String>,
    /// What else is stated of it, as text.
    pub notes: Vec<String>,
    /// By measure: "accepted", "rejected" or "not judged".
    pub verdicts: Vec<&'static str>,
    /// By measure: its level in the metric's base unit; null if not judged.
    pub levels: Vec<Option<f64>>,
}

fn document(found: &Acceptance) -> Accepted {
    let limit = |judge: &Judge| MeasureLimit {
        step: judge.measure.step.clone(),
        at: judge.measure.at.clone(),
        metric: judge.measure.metric.short(),
        reference_drives: judge.reference.drives,
        mean: judge.reference.mean.exp(),
        scatter: judge.reference.deviation,
        limit: judge.limit(),
        power: text::LOSSES.map(|loss| judge.power(loss)),
    };
    let drive = |delivered: &DeliveredVerdict| DeliveredDrive {
        file: delivered.drive.file.clone(),
        name: delivered.drive.name.clone(),
        serial: delivered.drive.setup.serial.clone(),
        model: delivered.drive.setup.model.clone(),
        firmware: delivered.drive.setup.firmware.clone(),
        flaws: delivered.flaws.iter().map(text::flaw_text).collect(),
        notes: delivered.notes.iter().map(text::note_text).collect(),
        verdicts: delivered.verdicts.iter().map(text::word).collect(),
        levels: delivered
            .verdicts
            .iter()
            .map(|verdict| match verdict {
                DriveVerdict::Accepted(own) | DriveVerdict::Rejected(own) => Some(*own),
                DriveVerdict::TooFew(_) | DriveVerdict::Missing => None,
            })
            .collect(),
    };
    Accepted {
        false_rejections: found.miss,
        rejected: found.rejected(),
        not_judged: found.open(),
        measures: found.judges.iter().map(limit).collect(),
        drives: found.drives.iter().map(drive).collect(),
    }
}
