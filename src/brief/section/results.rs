//! A chapter for each step: what it comes to in three sentences, the figures that its source
//! prints, and the subjects point by point.

use super::{Section, analysis, bottlenecks, differences};
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::point_summary::{ClassSummary, P99};
use crate::base::units;
use crate::brief::block::{Block, Heading, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::{published, wording};
use crate::chart;
use crate::chart::step::name;
use crate::say;

/// A chapter for each step.
pub const SECTION: Section =
    Section { id: "results", title: |l| say!(l, "section-results"), appendix: false, blocks };

const AS_PUBLISHED: &str = "Differences: as published, without repeats; the superior subject, and \
by how much. Arithmetic, and no claim.";

fn blocks(facts: &Facts) -> Vec<Block> {
    let (mut out, mut last) = (Vec::new(), None);
    for (index, step) in facts.steps.iter().enumerate().filter(|(_, step)| !step.cells.is_empty()) {
        let id = Some(format!("step-{}", step.name));
        out.push(Block::Heading(Heading { level: 1, text: step.title.clone(), id }));
        let sentences = analysis::of_step(facts, index);
        if !sentences.is_empty() {
            out.push(Block::text(sentences.join(" ")));
        }
        out.push(Block::Figures(chart::choice::leading(facts, step)));
        out.extend(differences::table(facts, index, true).map(Table::block));
        if published::is_published(facts) && facts.subjects.len() > 1 {
            out.push(Block::note(AS_PUBLISHED));
        }
        // Once for steps that were measured alike.
        let described = describe(step);
        if last.as_ref() != Some(&described) {
            out.push(Block::note(described.clone()));
            last = Some(described);
        }
    }
    if !facts.comparisons.is_empty() {
        out.push(Block::note(wording::footnote()));
    }
    if facts.steps.iter().any(StepFacts::has_marks) {
        out.push(Block::note(bottlenecks::NOTE));
    }
    out
}

/// What the numbers of a step are: whose latency, how long, how many repeats.
pub fn describe(step: &StepFacts) -> String {
    let mut parts = Vec::new();
    if let Some(axis) = &step.axis {
        parts.push(format!("swept along {}", axis.name));
    }
    parts.push(if step.open_loop { "open loop" } else { "closed loop" }.to_string());
    parts.push(match step.window_ns {
        0 => "window length unknown".to_string(),
        window if step.is_untested_for_drift() => {
            format!("{} a point, too short to test for drift", units::duration(window))
        }
        window => format!("{} a point", units::duration(window)),
    });
    if let Some(class) = step.class {
        let kind = if step.open_loop { "response" } else { "service" };
        parts.push(format!("percentiles are {} {kind} times", class.name()));
    }
    let drives = step.cells.iter().any(|c| !c.drives.is_empty());
    let over = [(drives, "drives"), (step.instances, "instances")];
    let over: Vec<String> =
        over.iter().filter(|(several, _)| *several).map(|(_, what)| what.to_string()).collect();
    if !over.is_empty() {
        parts.push(format!(
            "ops/s summed and histograms merged over {}",
            number_format::list(&over)
        ));
    }
    parts.join(" · ")
}

/// One row for each axis value and subject, with the difference from the first subject.
pub fn side_by_side(facts: &Facts, index: usize) -> Table {
    let step = &facts.steps[index];
    let mut head = vec![step.axis_label(), "subject", "ops/s", "±", "MB/s", "p50", "p99", "p99.9"];
    if facts.subjects.len() > 1 {
        head.push("difference");
    }
    let mut table = Table::new(2, &head);
    for (value, at) in step.values.iter().enumerate() {
        for subject in 0..facts.subjects.len() {
            let label = if subject == 0 { at.label.clone() } else { String::new() };
            let mark = if subject == 0 { Mark::First } else { Mark::None };
            table.row(mark, [vec![label], row(facts, index, subject, value)].concat());
        }
    }
    table
}

fn row(facts: &Facts, index: usize, subject: usize, value: usize) -> Vec<String> {
    let step = &facts.steps[index];
    let cell = step.cell(subject, value);
    let mut row = vec![cell.map_or(facts.subjects[subject].clone(), |c| name(facts, c))];
    match cell.and_then(|c| c.total.as_ref()) {
        Some(total) => {
            let times = total.class(step.class).map(ClassSummary::user_latency);
            let p =
                |i: usize| number_format::latency(times.and_then(|t| t.percentiles_ns[i].as_ref()));
            let (ops, mb) = (&total.ops_per_s, number_format::megabytes(total.bytes_per_s.value));
            row.extend([
                number_format::ops(ops),
                number_format::spread(ops),
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
