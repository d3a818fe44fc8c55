//! The claims of bundles, as the JSON described in docs/claims.md: full precision, with the printed
//! text.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::claim::compare::{Comparison, StepPlace};
use crate::analysis::comparison::Claim;
use crate::analysis::facts::{Facts, StepFacts, Subjects};
use crate::brief::text::{bottleneck_text, caveat_text, notes, wording};
use crate::language::Language;
use dyno_core::base::units::finite;

/// Every claim and every comparison, with full precision and the printed text.
#[derive(Serialize, JsonSchema)]
pub struct ClaimsDocument {
    /// Strongest first.
    claims: Vec<ClaimRow>,
    #[serde(flatten)]
    compared: ComparisonsDocument,
}

/// Every comparison of the subjects, as one family.
#[derive(Serialize, JsonSchema)]
pub struct ComparisonsDocument {
    /// In the plan's order.
    subjects: Vec<String>,
    /// Number of comparisons in the family: the intervals hold simultaneously.
    comparisons_in_family: usize,
    /// All of them, including those that show nothing.
    comparisons: Vec<ComparisonRow>,
    /// Where one subject overtakes another along an axis, as text.
    crossovers: Vec<String>,
    /// Pairs of subjects that may not be compared, with the reason, as text.
    not_comparable: Vec<String>,
    /// Caveats that rule out or limit a claim, as text.
    caveats: Vec<String>,
    /// Notes, as text.
    notes: Vec<String>,
}

/// A claim.
#[derive(Serialize, JsonSchema)]
struct ClaimRow {
    /// The printable sentence.
    sentence: String,
    /// Its calculation.
    basis: String,
    /// Number of points of the step among which it was found.
    of_points: usize,
    #[serde(flatten)]
    comparison: ComparisonRow,
}

/// Two subjects compared by one metric at one place.
#[derive(Serialize, JsonSchema)]
struct ComparisonRow {
    step: String,
    /// In the notation of `--metric`.
    metric: String,
    /// The stream or drive; null for the whole.
    part: Option<String>,
    /// The axis value; null for the step's mean and similar.
    at: Option<String>,
    /// The place as text.
    r#where: String,
    /// The better subject, as measured.
    better: String,
    /// The other subject.
    worse: String,
    /// The result of the comparison.
    standing: String,
    /// Larger ÷ smaller, and the limits of its simultaneous interval; null if unlimited, or if
    /// nothing shows it.
    factor: [Option<f64>; 3],
    /// The difference in percent, and the limits of its interval.
    percent: [Option<f64>; 3],
    /// As printed everywhere.
    printed: String,
    /// Number of repeats.
    repeats: usize,
}

impl ClaimsDocument {
    /// The claims of these facts.
    pub fn of(l: Language, facts: &Facts) -> ClaimsDocument {
        let Facts { subjects, measured, comparisons, .. } = facts;
        let claim = |c: &Claim| {
            let step = &measured.steps[c.comparison.step];
            let (sentence, basis) = wording::claim(l, subjects, step, c);
            let comparison = comparison(l, subjects, step, &c.comparison);
            ClaimRow { sentence, basis, of_points: c.of_points, comparison }
        };
        let claims = comparisons.claims.iter().map(claim).collect();
        ClaimsDocument { claims, compared: self::comparisons(l, facts) }
    }
}

/// All comparisons of these facts.
pub fn comparisons(l: Language, facts: &Facts) -> ComparisonsDocument {
    let Facts { subjects, statements, measured, comparisons, .. } = facts;
    let row = |c: &Comparison| comparison(l, subjects, &measured.steps[c.step], c);
    let crossover = |c| wording::crossover(l, subjects, measured, c);
    let why = bottleneck_text::because;
    ComparisonsDocument {
        subjects: subjects.names(),
        comparisons_in_family: comparisons.all.iter().filter(|c| c.interval.is_some()).count(),
        comparisons: comparisons.all.iter().map(row).collect(),
        crossovers: comparisons.crossovers.iter().map(crossover).collect(),
        not_comparable: wording::not_comparable(l, subjects, measured, comparisons),
        caveats: caveat_text::caveats(l, subjects, statements, measured, why),
        notes: notes::all(l, subjects, measured, comparisons),
    }
}

fn comparison(l: Language, subjects: &Subjects, step: &StepFacts, c: &Comparison) -> ComparisonRow {
    let (percent, ends) = c.percent();
    let with = |value: f64, ends: Option<(f64, f64)>| {
        let (low, high) = ends.unzip();
        [Some(value), low, high].map(|v| v.and_then(finite))
    };
    let value = if let StepPlace::Value(value) = c.at { Some(&step.values[value]) } else { None };
    ComparisonRow {
        step: step.name.clone(),
        metric: c.metric.short(),
        part: c.metric.part.name(),
        at: value.map(|v| v.label.clone()),
        r#where: wording::at(l, step, c).trim().to_string(),
        better: subjects[c.better].name.clone(),
        worse: subjects[c.worse].name.clone(),
        standing: format!("{:?}", c.standing),
        factor: with(c.factor, c.interval),
        percent: with(percent, ends),
        printed: wording::difference(l, c),
        repeats: c.repeats,
    }
}
