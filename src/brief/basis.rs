//! Of what a claim is made, and why a number is not the drive's.

use crate::analysis::compare::Comparison;
use crate::analysis::facts::Facts;
use crate::analysis::metric::Part;
use crate::analysis::specimens;
use crate::language::Language;
use crate::stats::limit::Verdict;

/// Of what a claim is: so many drives of each model, or these drives alone; nothing where no drive
/// had a part.
pub fn whose(facts: &Facts, comparison: &Comparison) -> Option<String> {
    let pair = (comparison.better, comparison.worse);
    let plan = |subject: usize| Some(&facts.runs.get(*facts.run_of.get(subject)?)?.resolved);
    let plans = [plan(pair.0)?, plan(pair.1)?];
    if plans.iter().any(|plan| plan.keeps_no_data()) {
        return None;
    }
    let count = |s: usize| facts.drives.get(s).map_or(1, Vec::len);
    let models =
        specimens::model(facts, pair.0).is_some() && specimens::model(facts, pair.1).is_some();
    let place =
        |s: usize, drive: u32| facts.drives.get(s).and_then(|d| d.get(drive as usize)).cloned();
    let one = match comparison.metric.part {
        Part::Drive(drive) => place(pair.0, drive).zip(place(pair.1, drive)),
        _ => None,
    };
    Some(match (count(pair.0), count(pair.1)) {
        _ if plans.iter().any(|plan| plan.same_device) => "on one device".to_string(),
        (1, 1) => "of these two drives".to_string(),
        _ if one.is_some() => {
            one.map(|(a, b)| format!("of two drives, {a} and {b}")).unwrap_or_default()
        }
        (a, b) if a == b && models => format!("{a} drives each"),
        _ => "of these drives".to_string(),
    })
}

/// The evidence, and what to change where it was not the drive.
pub fn because(verdict: &Verdict) -> String {
    let evidence = Language::ENGLISH.text(&verdict.evidence);
    match verdict.remedy.as_ref().map(|remedy| Language::ENGLISH.text(remedy)) {
        Some(remedy) => format!("{evidence}. To measure the drive: {remedy}"),
        None => evidence,
    }
}
