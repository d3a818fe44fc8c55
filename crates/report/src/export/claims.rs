//! What may be claimed of bundles, as the JSON that docs/claims.md describes: full precision beside
//! the text as printed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::claim::claims::{self, Claim};
use crate::analysis::claim::compare::{Comparison, StepPlace};
use crate::analysis::facts::Facts;
use crate::base::units::finite;
use crate::brief::text::{caveat_text, notes, wording};

/// Every claim and every comparison, with full precision beside the text as printed.
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
    /// How many comparisons were searched: the intervals hold for all of them at once.
    comparisons_in_family: usize,
    /// All of them, also those that show nothing.
    comparisons: Vec<ComparisonRow>,
    /// Where one subject passes the other along an axis, in words.
    crossovers: Vec<String>,
    /// Pairs of subjects that may not be compared, and why, in words.
    not_comparable: Vec<String>,
    /// What bars a claim or limits it, in words.
    caveats: Vec<String>,
    /// What else the reader should know, in words.
    notes: Vec<String>,
}

/// A claim.
#[derive(Serialize, JsonSchema)]
struct ClaimRow {
    /// As it may be printed.
    sentence: String,
    /// Its calculation.
    basis: String,
    /// Points of the step that it was found among.
    of_points: usize,
    #[serde(flatten)]
    comparison: ComparisonRow,
}

/// Two subjects compared by one metric at one place.
#[derive(Serialize, JsonSchema)]
struct ComparisonRow {
    step: String,
    /// As `--metric` takes it.
    metric: String,
    /// Of which stream or drive; null for the whole.
    part: Option<String>,
    /// The value of the axis; null for the step's mean and the like.
    at: Option<String>,
    /// The place in words.
    r#where: String,
    /// The subject that did better, as measured.
    better: String,
    /// The other.
    worse: String,
    /// What the comparison shows.
    standing: String,
    /// Greater over smaller, and the ends of its simultaneous interval; null where nothing limits
    /// it.
    factor: [Option<f64>; 3],
    /// The difference in percent, and the ends of its interval.
    percent: [Option<f64>; 3],
    /// As it is printed everywhere.
    printed: String,
    /// Repeats behind it.
    repeats: usize,
}

impl ClaimsDocument {
    /// What may be claimed of these facts.
    pub fn of(facts: &Facts) -> ClaimsDocument {
        let claim = |c: &Claim<'_>| {
            let (sentence, basis) = wording::claim(facts, c);
            let comparison = comparison(facts, c.comparison);
            ClaimRow { sentence, basis, of_points: c.of_points, comparison }
        };
        let found = claims::all(facts);
        ClaimsDocument { claims: found.iter().map(claim).collect(), compared: comparisons(facts) }
    }
}

/// All comparisons of these facts.
pub fn comparisons(facts: &Facts) -> ComparisonsDocument {
    let crossovers = claims::crossovers(facts);
    ComparisonsDocument {
        subjects: facts.subjects.clone(),
        comparisons_in_family: facts.searched(),
        comparisons: facts.comparisons.iter().map(|c| comparison(facts, c)).collect(),
        crossovers: crossovers.iter().map(|c| wording::crossover(facts, c)).collect(),
        not_comparable: facts.barred.iter().map(|b| wording::barred(facts, b)).collect(),
        caveats: caveat_text::caveats(facts),
        notes: notes::all(facts),
    }
}

fn comparison(facts: &Facts, c: &Comparison) -> ComparisonRow {
    let step = &facts.steps[c.step];
    let (percent, low, high) = c.percent();
    let value = if let StepPlace::Value(value) = c.at { Some(&step.values[value]) } else { None };
    ComparisonRow {
        step: step.name.clone(),
        metric: c.metric.short(),
        part: c.metric.part.name(),
        at: value.map(|v| v.label.clone()),
        r#where: wording::at(facts, c).trim().to_string(),
        better: facts.subjects[c.better].clone(),
        worse: facts.subjects[c.worse].clone(),
        standing: format!("{:?}", c.standing),
        factor: [c.factor, c.low, c.high].map(finite),
        percent: [percent, low, high].map(finite),
        printed: wording::difference(facts.language, c),
        repeats: c.repeats,
    }
}
