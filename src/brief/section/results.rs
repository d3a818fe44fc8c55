//! A chapter per step: a summary in three sentences, the figures that its source publishes, and the
//! subjects point by point.

use super::{Section, analysis, bottlenecks, differences};
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::point_summary::{ClassSummary, P99};
use crate::base::units;
use crate::brief::block::{Block, Heading, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::{published, wording};
use crate::chart;
use crate::chart::step::name;
use crate::language::Language;
use crate::say;

/// A chapter for each step.
pub const SECTION: Section =
    Section { id: "results", title: |l| say!(l, "section-results"), appendix: false, blocks };

fn blocks(facts: &Facts) -> Vec<Block> {
    let (l, mut out, mut last) = (facts.language, Vec::new(), None);
    for (index, step) in facts.steps.iter().enumerate().filter(|(_, step)| !step.cells.is_empty()) {
        let id = Some(format!("step-{}", step.name));
        out.push(Block::Heading(Heading { level: 1, text: step.title.clone(), id }));
        let sentences = analysis::of_step(facts, index);
        if !sentences.is_empty() {
            out.push(Block::text(sentences.join(&say!(l, "between-sentences"))));
        }
        out.push(Block::Figures(chart::choice::leading(facts, step)));
        out.extend(differences::table(facts, index, true).map(Table::block));
        if published::is_published(facts) && facts.subjects.len() > 1 {
            out.push(Block::note(say!(l, "differences-as-published")));
        }
        // Once for steps that were measured alike.
        let described = describe(l, step);
        if last.as_ref() != Some(&described) {
            out.push(Block::note(described.clone()));
            last = Some(described);
        }
    }
    if !facts.comparisons.is_empty() {
        out.push(Block::note(wording::footnote(l)));
    }
    if facts.steps.iter().any(StepFacts::has_marks) {
        out.push(Block::note(bottlenecks::note(l)));
    }
    out
}

/// What the numbers of a step are: whose latency, how long, how many repeats.
pub fn describe(l: Language, step: &StepFacts) -> String {
    let mut parts = Vec::new();
    if let Some(axis) = &step.axis {
        parts.push(say!(l, "swept-along", axis = &axis.name));
    }
    parts.push(match step.open_loop {
        true => say!(l, "open-loop"),
        false => say!(l, "closed-loop"),
    });
    let window = units::duration(step.window_ns);
    parts.push(match step.window_ns {
        0 => say!(l, "window-unknown"),
        _ if step.is_untested_for_drift() => say!(l, "window-too-short", window = window),
        _ => say!(l, "window-a-point", window = window),
    });
    if let Some(class) = step.class {
        parts.push(match step.open_loop {
            true => say!(l, "percentiles-response", class = class.name()),
            false => say!(l, "percentiles-service", class = class.name()),
        });
    }
    let drives = step.cells.iter().any(|c| !c.drives.is_empty());
    match (drives, step.instances) {
        (true, true) => parts.push(say!(l, "summed-over-drives-and-instances")),
        (true, false) => parts.push(say!(l, "summed-over-drives")),
        (false, true) => parts.push(say!(l, "summed-over-instances")),
        (false, false) => {}
    }
    parts.join(" · ")
}

/// One row for each axis value and subject, with the difference from the first subject.
pub fn side_by_side(facts: &Facts, index: usize) -> Table {
    let step = &facts.steps[index];
    let l = facts.language;
    let mut head = vec![step.axis_text(l), say!(l, "column-subject")];
    head.extend(["ops/s", "±", "MB/s", "p50", "p99", "p99.9"].map(String::from));
    if facts.subjects.len() > 1 {
        head.push(say!(l, "column-difference"));
    }
    let mut table = Table::new(2, &head);
    for value in 0..step.values.len() {
        for subject in 0..facts.subjects.len() {
            let label = if subject == 0 { step.values[value].text(l) } else { String::new() };
            let mark = if subject == 0 { Mark::First } else { Mark::None };
            table.row(mark, [vec![label], row(facts, index, subject, value)].concat());
        }
    }
    table
}

fn row(facts: &Facts, index: usize, subject: usize, value: usize) -> Vec<String> {
    let (l, step) = (facts.language, &facts.steps[index]);
    let cell = step.cell(subject, value);
    let mut row = vec![cell.map_or(facts.subjects[subject].clone(), |c| name(facts, c))];
    match cell.and_then(|c| c.total.as_ref()) {
        Some(total) => {
            let times = total.class(step.class).map(ClassSummary::user_latency);
            let p = |i: usize| {
                number_format::latency(l, times.and_then(|t| t.percentiles_ns[i].as_ref()))
            };
            let (ops, mb) =
                (&total.ops_per_s, number_format::megabytes(l, total.bytes_per_s.value));
            row.extend([
                number_format::ops(l, ops),
                number_format::spread(l, ops),
                mb,
                p(0),
                p(P99),
                p(3),
            ]);
        }
        None => row.extend(std::iter::repeat_n(NONE.to_string(), 6)),
    }
    if facts.subjects.len() > 1 {
        let shown = cell.filter(|_| subject > 0).and_then(|c| wording::of_cell(facts, index, c));
        let none = if subject == 0 { String::new() } else { NONE.to_string() };
        row.push(shown.map_or(none, |c| wording::in_table(facts, c)));
    }
    row
}
