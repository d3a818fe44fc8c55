//! The largest differences of each step, both ways, with the calculation: the table that "up to" is read from.

use std::fmt::Write;

use super::{Info, Section};
use crate::base::units;
use crate::report::difference::{held, marked, place};
use crate::report::facts::{CellFacts, Facts, StepFacts};
use crate::report::html::{Table, escape};
use crate::report::reading::{ClassSummary, P99};
use crate::report::words::{self, NONE};
use crate::stats::compare::{gain_percent, reduction_percent};

pub struct Differences;

impl Section for Differences {
    fn info(&self) -> Info {
        Info { id: "differences", title: "Largest differences" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::new();
        for step in &facts.steps {
            let rows = rows(facts, step);
            if rows.is_empty() {
                continue;
            }
            let head = ["figure", "better", "than", "where", "by", "calculation", "95 % interval", "as a gain"];
            let mut table = Table::new(4, &head);
            rows.iter().for_each(|row| table.row("", row));
            let _ = writeln!(out, "<h3>{}</h3>\n{}", escape(&step.title), table.html());
        }
        let note = "Each row is the one place, of all that were measured, where the first named leads most; the other way \
                    round stands beside it. The interval is that of \
                    the one comparison and does not allow for its having been chosen; a row without one rests on single \
                    measurements and claims nothing. Points that are marked are left out. A lower \
                    latency is given as a reduction, 1 − new ÷ old; the last column is the same pair as a gain, \
                    old ÷ new − 1.";
        (!out.is_empty()).then(|| format!("<p class=note>{note}</p>\n{out}"))
    }
}

fn rows(facts: &Facts, step: &StepFacts) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for of_p99 in [false, true] {
        for rival in 1..facts.subjects.len() {
            rows.extend(largest(facts, step, 0, rival, of_p99));
            rows.extend(largest(facts, step, rival, 0, of_p99));
        }
    }
    rows
}

/// Where `subject` leads `rival` most, if anywhere.
fn largest(facts: &Facts, step: &StepFacts, subject: usize, rival: usize, of_p99: bool) -> Option<Vec<String>> {
    let pairs = (0..step.values.len()).filter_map(|value| {
        let (own, other) = (step.cell(subject, value)?, step.cell(rival, value)?);
        // Where a rate was asked for, ops/s are as asked.
        let asked = [own, other].iter().any(|c| c.total.as_ref().is_some_and(|t| t.asked.is_some()));
        let fit = (of_p99 || !asked) && [own, other].iter().all(|c| marked(facts, step, c).is_none());
        let (mine, theirs) = (number(step, own, of_p99)?, number(step, other, of_p99)?);
        let lead = if of_p99 { theirs / mine } else { mine / theirs };
        (fit && lead.is_finite() && lead > 1.0).then_some((lead, own, other, mine, theirs))
    });
    let (lead, own, other, mine, theirs) = pairs.max_by(|a, b| a.0.total_cmp(&b.0))?;
    // As ratios of how good they are, larger is better.
    let pair = if of_p99 { held(step, other, own, true) } else { held(step, own, other, false) };
    let interval = pair.filter(|c| c.ratio.has_interval()).map(|c| (c.ratio.low, c.ratio.high));
    let percent = |ratio: f64| if of_p99 { reduction_percent(1.0, ratio) } else { gain_percent(ratio, 1.0) };
    let calculation = match of_p99 {
        true => format!("1 − {} ÷ {}", units::latency(mine), units::latency(theirs)),
        false => format!("{} ÷ {} − 1", units::grouped(mine.round() as u64), units::grouped(theirs.round() as u64)),
    };
    Some(vec![
        if of_p99 { "p99 latency" } else { "ops/s" }.to_string(),
        facts.subjects[subject].clone(),
        facts.subjects[rival].clone(),
        place(step, &[own.value]).trim_start_matches(" at ").to_string(),
        format!("{} % {}", shown(percent(lead)), if of_p99 { "less" } else { "more" }),
        calculation,
        interval
            .map_or(NONE.to_string(), |(low, high)| format!("{} to {} %", shown(percent(low)), shown(percent(high)))),
        if of_p99 { format!("{} %", shown(gain_percent(lead, 1.0))) } else { NONE.to_string() },
    ])
}

fn number(step: &StepFacts, cell: &CellFacts, of_p99: bool) -> Option<f64> {
    let total = cell.total.as_ref()?;
    if !of_p99 {
        return Some(total.ops_per_s.value);
    }
    let times = total.class(step.class).map(ClassSummary::felt)?;
    times.percentiles_ns[P99].as_ref().map(|p99| p99.value)
}

/// Percent with a tenth; factors need none.
fn shown(percent: f64) -> String {
    match percent.abs() {
        size if size >= 1_000.0 => words::signed(percent).trim_start_matches('+').to_string(),
        size if percent < 0.0 => format!("−{size:.1}"),
        size => format!("{size:.1}"),
    }
}
