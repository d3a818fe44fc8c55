//! What `dyno gate --json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::StepPlace;
use crate::analysis::facts::{Facts, MeasuredFacts, Subjects};
use crate::analysis::verdicts::gate::{Gate, GateVerdict, Judged, NoVerdictCause};
use crate::base::units::finite;
use crate::brief::gate as text;
use crate::language::Language;

/// A gate's verdict, with every underlying figure (docs/gate.md).
#[derive(Serialize, JsonSchema)]
pub struct Gated {
    /// "worse", "not worse" or "not shown".
    verdict: &'static str,
    /// The permitted loss, as a share: 0.05 is 5 %.
    worse_than: f64,
    /// Files of the base, oldest first.
    base: Vec<String>,
    /// The judged file.
    new: String,
    /// Every point of the base, and each step's mean over its points.
    figures: Vec<GateFigure>,
    /// Subjects that only one side has.
    not_paired: Vec<String>,
    /// Subjects whose base mixes firmware versions, as text.
    mixed_firmware: Vec<String>,
}

/// One measure of one subject at one point.
#[derive(Serialize, JsonSchema)]
struct GateFigure {
    /// Name of the step.
    step: String,
    /// Name of the subject.
    subject: String,
    /// The measure, in the notation of --measure.
    metric: String,
    /// The swept field; null without a sweep.
    axis: Option<String>,
    /// Its value; null for a mean, without a sweep, and if the value is not a number.
    at: Option<f64>,
    /// Whether this is the mean over the step's points.
    mean: bool,
    /// "worse", "not worse" or "not shown".
    verdict: &'static str,
    /// The verdict as text, with the reason if nothing is shown, and the remedy.
    why: String,
    /// new ÷ base; null if not compared.
    ratio: Option<f64>,
    /// Lower limit of the ratio's one-sided simultaneous interval; null without a history.
    low: Option<f64>,
    /// Upper limit; null also if unlimited.
    high: Option<f64>,
    /// Number of base runs.
    n: Option<usize>,
    /// The number that would decide; null if decided, or if 100 would not suffice.
    enough: Option<usize>,
}

impl Gated {
    /// For a gate and its bundles.
    pub fn new(l: Language, facts: &Facts, gate: &Gate) -> Gated {
        let Facts { subjects, measured, .. } = facts;
        let mut base: Vec<String> = facts.setup.runs.iter().map(|run| run.file.clone()).collect();
        let new = base.pop().unwrap_or_default();
        Gated {
            verdict: text::word(gate.verdict()),
            worse_than: gate.limit,
            base,
            new,
            figures: gate.rows.iter().map(|row| figure(l, subjects, measured, row)).collect(),
            not_paired: gate.unpaired.iter().map(|s| subjects[*s].name.clone()).collect(),
            mixed_firmware: gate.mixed.iter().map(|m| text::mixed_text(subjects, m)).collect(),
        }
    }
}

fn figure(l: Language, subjects: &Subjects, measured: &MeasuredFacts, row: &Judged) -> GateFigure {
    let step = &measured.steps[row.step];
    let value = if let StepPlace::Value(value) = row.at { Some(&step.values[value]) } else { None };
    let enough = match row.verdict {
        GateVerdict::NotShown(NoVerdictCause::Scatter(enough)) => enough,
        _ => None,
    };
    let change = row.change.as_ref();
    GateFigure {
        step: step.name.clone(),
        subject: subjects[row.subject].own_name.clone(),
        metric: row.metric.short().to_string(),
        axis: step.axis.as_ref().map(|axis| axis.name.clone()),
        at: value.and_then(|value| finite(value.number)),
        mean: row.at == StepPlace::Mean,
        verdict: text::word_of(&row.verdict),
        why: text::verdict(l, subjects, measured, row),
        ratio: change.and_then(|change| finite(change.ratio)),
        low: change.and_then(|change| finite(change.interval?.0)),
        high: change.and_then(|change| finite(change.interval?.1)),
        n: change.map(|change| change.n),
        enough,
    }
}
