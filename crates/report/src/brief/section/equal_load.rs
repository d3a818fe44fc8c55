//! Curves of latency against load: their knees, and subjects compared at equal latency and at equal
//! load.

use super::Section;
use crate::analysis::compare::At;
use crate::analysis::curves::mean_curve;
use crate::analysis::facts::Facts;
use crate::brief::block::{Block, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::wording;
use crate::language::Language;
use crate::plan::Field;
use crate::say;
use crate::stats::curve::knee;

/// Comparisons at equal latency and at equal load.
pub const SECTION: Section = Section {
    id: "equal-latency",
    title: |l| say!(l, "section-equal-latency"),
    appendix: false,
    blocks,
};

fn head(l: Language) -> Vec<String> {
    vec![
        say!(l, "column-subject"),
        say!(l, "column-knee-ops"),
        say!(l, "column-knee-p99"),
        say!(l, "column-load-at-equal-p99"),
        say!(l, "column-p99-at-equal-load"),
    ]
}

/// How the curves are read.
pub fn how(l: Language) -> String {
    say!(l, "equal-load-how")
}

fn blocks(facts: &Facts) -> Vec<Block> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for (index, step) in facts.steps.iter().enumerate() {
        // The step is named once.
        let named = |(i, row): (usize, Vec<String>)| {
            let name = if i == 0 { step.title.clone() } else { String::new() };
            [vec![name], row].concat()
        };
        all.extend(rows(facts, index).into_iter().enumerate().map(named));
    }
    if all.is_empty() {
        return Vec::new();
    }
    let l = facts.language;
    let head = [vec![say!(l, "column-step")], head(l)].concat();
    vec![Block::note(how(l)), Table::of(2, &head, all).block()]
}

/// A row for each subject of a step that was swept in open loop.
pub fn table(facts: &Facts, index: usize) -> Option<Table> {
    let rows = rows(facts, index);
    (!rows.is_empty()).then(|| Table::of(1, &head(facts.language), rows))
}

fn rows(facts: &Facts, index: usize) -> Vec<Vec<String>> {
    let step = &facts.steps[index];
    let axis = step.axis.as_ref().map(|a| a.field);
    if step.values.len() < 4 || !matches!(axis, Some(Field::LoadPercent | Field::OpsPerSec)) {
        return Vec::new();
    }
    let compared = |subject: usize, of: fn(&At) -> bool, latency: bool| {
        let own = |c: &&crate::analysis::Comparison| {
            c.step == index
                && of(&c.at)
                && c.metric.is_latency() == latency
                && c.is_of(0, subject)
                && subject > 0
        };
        let found = facts.comparisons.iter().find(own);
        found.map_or(NONE.to_string(), |c| wording::in_table(facts, c))
    };
    let row = |subject: usize| {
        let knee = knee(&mean_curve(step, subject));
        let knee = knee.map_or([NONE, NONE].map(String::from), |k| {
            let l = facts.language;
            [number_format::count(l, k.load), number_format::time(l, k.latency)]
        });
        let mut row = vec![facts.subjects[subject].clone()];
        row.extend(knee);
        row.push(compared(subject, |at| matches!(at, At::Latency(_)), false));
        row.push(compared(subject, |at| *at == At::Mean, true));
        row
    };
    let all: Vec<Vec<String>> = (0..facts.subjects.len()).map(row).collect();
    if all.iter().all(|row| row[1..].iter().all(|cell| cell == NONE)) { Vec::new() } else { all }
}
