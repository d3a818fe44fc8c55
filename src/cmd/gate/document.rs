//! What `dyno gate --json` prints.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::StepPlace;
use crate::analysis::facts::Facts;
use crate::analysis::verdicts::gate::{Gate, GateVerdict, Judged, NoVerdictCause};
use crate::base::units::finite;
use crate::brief::gate as text;
use crate::language::Language;
use crate::stats::runs::gate::ScatterUnit;

/// A gate's verdict, with every figure that it follows from (docs/gate.md).
#[derive(Serialize, JsonSchema)]
pub struct Gated {
    /// "worse", "not worse" or "not shown".
    verdict: &'static str,
    /// The loss that is allowed, as a share: 0.05 is 5 %.
    worse_than: f64,
    /// Files of the base, the oldest first.
    base: Vec<String>,
    /// The file that is judged.
    new: String,
    /// What `n` and `enough` count: "repeats", or "runs" of a history.
    unit: &'static str,
    /// Every point that the base has, and each step's mean over its points.
    figures: Vec<GateFigure>,
    /// Subjects that only one side has.
    not_paired: Vec<String>,
}

/// One measure of one subject at one point.
#[derive(Serialize, JsonSchema)]
struct GateFigure {
    /// Name of the step.
    step: String,
    /// Name of the subject.
    subject: String,
    /// The measure, as --measure takes it.
    metric: String,
    /// The field that is swept; null where none is.
    axis: Option<String>,
    /// Its value; null in a mean, where nothing is swept, and where the value is no number.
    at: Option<f64>,
    /// Whether this is the mean over the step's points.
    mean: bool,
    /// "worse", "not worse" or "not shown".
    verdict: &'static str,
    /// The verdict in words, with why nothing is shown and what would.
    why: String,
    /// new ÷ base; null where the two were not compared.
    ratio: Option<f64>,
    /// Lower end of the ratio's one-sided simultaneous interval.
    low: Option<f64>,
    /// Upper end; null also where nothing limits it.
    high: Option<f64>,
    /// Repeats or runs behind the ratio.
    n: Option<usize>,
    /// How many would show whether the limit is kept; null where that is shown, or 100 would not.
    enough: Option<usize>,
}

impl Gated {
    /// Of a gate and the bundles it is of.
    pub fn new(l: Language, facts: &Facts, gate: &Gate) -> Gated {
        let mut base: Vec<String> = facts.runs.iter().map(|run| run.file.clone()).collect();
        let new = base.pop().unwrap_or_default();
        let unit = match gate.unit {
            ScatterUnit::Repeats => "repeats",
            ScatterUnit::Runs => "runs",
        };
        Gated {
            verdict: text::word(gate.verdict()),
            worse_than: gate.limit,
            base,
            new,
            unit,
            figures: gate.rows.iter().map(|row| figure(l, facts, gate, row)).collect(),
            not_paired: gate.unpaired.iter().map(|s| facts.subjects[*s].to_string()).collect(),
        }
    }
}

fn figure(l: Language, facts: &Facts, gate: &Gate, row: &Judged) -> GateFigure {
    let step = &facts.steps[row.step];
    let value = if let StepPlace::Value(value) = row.at { Some(&step.values[value]) } else { None };
    let enough = match row.verdict {
        GateVerdict::NotShown(NoVerdictCause::Scatter(enough)) => enough,
        _ => None,
    };
    let change = row.change.as_ref();
    GateFigure {
        step: step.name.to_string(),
        subject: facts.own_names[row.subject].to_string(),
        metric: row.metric.short().to_string(),
        axis: step.axis.as_ref().map(|axis| axis.name.to_string()),
        at: value.and_then(|value| finite(value.number)),
        mean: row.at == StepPlace::Mean,
        verdict: text::word_of(&row.verdict),
        why: text::verdict(l, facts, gate, row),
        ratio: change.and_then(|change| finite(change.ratio)),
        low: change.and_then(|change| finite(change.low)),
        high: change.and_then(|change| finite(change.high)),
        n: change.map(|change| change.n),
        enough,
    }
}
