//! Notes in words: what a reader should know beside the claims and the caveats of single points.

use super::block::Block;
use super::number_format;
use super::wording::place;
use crate::analysis::facts::Facts;
use crate::analysis::specimens::{self, Apart, OfModels};
use crate::analysis::together::{self, Together};
use crate::stats::percent::{cut_off, rounded_out};

/// All notes of a brief.
pub fn all(facts: &Facts) -> Vec<String> {
    let together = together::all(facts);
    let mut all: Vec<String> = together.iter().map(|one| moved(facts, one)).collect();
    all.extend(specimens::apart(facts).iter().map(|one| apart(facts, one)));
    all.extend(specimens::of_models(facts).iter().map(|one| of_models(facts, one)));
    all
}

/// The same as a part of a document; nothing where there are none.
pub fn blocks(facts: &Facts) -> Vec<Block> {
    let all = all(facts);
    if all.is_empty() { Vec::new() } else { vec![Block::chapter("Notes"), Block::list(all)] }
}

/// "4 KiB reads at depth 8: repeat 2 ran at 0.35 × for both subjects; …"
fn moved(facts: &Facts, one: &Together) -> String {
    let step = &facts.steps[one.step];
    let whom = if one.subjects == 2 {
        "both subjects".to_string()
    } else {
        format!("all {} subjects", one.subjects)
    };
    let how = if one.latency { "had a p99 of" } else { "ran at" };
    format!(
        "{}{}: repeat {} {how} {:.2} × for {whom}; levels are less precise for it, ratios within \
         repeats are not",
        step.title,
        place(step, &[one.value]),
        one.repeat,
        one.factor
    )
}

fn apart(facts: &Facts, one: &Apart) -> String {
    let step = &facts.steps[one.step];
    let drive = facts.drives[one.subject].get(one.drive as usize).cloned().unwrap_or_default();
    format!(
        "{}{}, {}: the drive {drive} lies apart from its {} like: {} against {} ops/s",
        step.title,
        place(step, &[one.value]),
        facts.subjects[one.subject],
        one.others,
        number_format::count(one.ops_per_s),
        number_format::count(one.others_per_s)
    )
}

/// "… drive for drive, M 7600 delivers 5.1 % [2.0, 8.3] more ops/s than C P5, 8 drives each; …"
fn of_models(facts: &Facts, one: &OfModels) -> String {
    let step = &facts.steps[one.step];
    let found = &one.found;
    let above = found.ratio >= 1.0;
    let (ratio, low, high) = match above {
        true => (found.ratio, found.low, found.high),
        false => (1.0 / found.ratio, 1.0 / found.high, 1.0 / found.low),
    };
    let (first, second) =
        if above { (&one.names.0, &one.names.1) } else { (&one.names.1, &one.names.0) };
    let (a, b) = if above { found.specimens } else { (found.specimens.1, found.specimens.0) };
    let drives = if a == b { format!("{a} drives each") } else { format!("{a} and {b} drives") };
    let percent = |factor: f64| (factor - 1.0) * 100.0;
    let range = format!("[{}, {}]", cut_off(percent(low), 1), rounded_out(percent(high), 1));
    let how = match low > 1.0 {
        true => format!(
            "{first} delivers {} % {range} more ops/s than {second}",
            cut_off(percent(ratio), 1)
        ),
        false => {
            format!(
                "{first} and {second} are not distinguishable in ops/s: {} % {range}",
                cut_off(percent(ratio), 1)
            )
        }
    };
    format!(
        "{}{}: drive for drive, {how}, {drives}; the interval takes drives as a random effect, and \
         is its own and not the family's",
        step.title,
        place(step, &[one.value])
    )
}
