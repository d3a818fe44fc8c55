//! A chapter for each step: its figures, the subjects side by side, and how each behaves along the axis.

use super::{Section, bottlenecks};
use crate::analysis::compare::Standing;
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::point_summary::{ClassSummary, P99};
use crate::base::units;
use crate::brief::block::{Block, Heading, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::wording;
use crate::chart;
use crate::chart::step::name;
use crate::plan::Field;

pub const SECTION: Section = Section { id: "results", title: "Results", blocks };

fn blocks(facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    for (index, step) in facts.steps.iter().enumerate() {
        let id = Some(format!("step-{}", step.name));
        out.push(Block::Heading(Heading { level: 1, text: step.title.clone(), id }));
        out.push(Block::note(describe(step)));
        out.push(Block::Figures(chart::of_step(SECTION.id, facts, step)));
        out.push(side_by_side(facts, index).block());
        if step.has_marks() {
            out.push(Block::note(bottlenecks::NOTE));
        }
        if let Some(table) = comparisons(facts, index) {
            out.extend([Block::part("Comparisons"), table.block(), Block::note(wording::footnote())]);
        }
        let along = along_axis(facts, step);
        if !along.is_empty() {
            out.extend([Block::part("Along the axis"), Block::list(along)]);
        }
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
    let over: Vec<String> = over.iter().filter(|(several, _)| *several).map(|(_, what)| what.to_string()).collect();
    if !over.is_empty() {
        parts.push(format!("ops/s summed and histograms merged over {}", number_format::list(&over)));
    }
    parts.join(" · ")
}

/// Every comparison of the step: who is better, by how much, and how that stands.
fn comparisons(facts: &Facts, index: usize) -> Option<Table> {
    let step = &facts.steps[index];
    let head = ["figure", "better", "against", "where", "difference [95 %]", "repeats", "standing"];
    let mut table = Table::new(4, &head);
    for c in facts.comparisons.iter().filter(|c| c.step == index) {
        let standing = match c.standing {
            Standing::Claimed => "shown",
            Standing::AtLeast => "lower bound",
            Standing::NotShown => "not distinguishable",
            Standing::NotTheDrives => "not ranked",
        };
        // Where nothing is shown nobody is better; the pair is named in the order of the plan.
        let pair = match c.is_claimed() {
            true => [c.better, c.worse],
            false => [c.better.min(c.worse), c.better.max(c.worse)],
        };
        let mut row = vec![wording::metric(&c.metric, step)];
        row.extend(pair.map(|s| facts.subjects[s].clone()));
        row.extend([wording::at(facts, c).trim().to_string(), wording::difference(c), c.repeats.to_string()]);
        row.push(standing.to_string());
        table.row(Mark::None, row);
    }
    (!table.rows.is_empty()).then_some(table)
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
            let p = |i: usize| number_format::latency(times.and_then(|t| t.percentiles_ns[i].as_ref()));
            let (ops, mb) = (&total.ops_per_s, number_format::megabytes(total.bytes_per_s.value));
            row.extend([number_format::ops(ops), number_format::spread(ops), mb, p(0), p(P99), p(3)]);
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

/// How each subject behaves along a step's axis: its peak, and what the last of the load brought. Levels only, no ranking.
fn along_axis(facts: &Facts, step: &StepFacts) -> Vec<String> {
    let mut all = Vec::new();
    let grows = matches!(step.axis.as_ref().map(|a| a.field), Some(Field::Threads | Field::Depth | Field::Instances));
    if grows && !step.open_loop && step.values.len() > 2 {
        all.extend((0..facts.subjects.len()).filter_map(|subject| along(facts, step, subject)));
    }
    all
}

/// Where a subject does most, and what the last of the load brought: more ops, or only longer waits.
fn along(facts: &Facts, step: &StepFacts, subject: usize) -> Option<String> {
    let cells: Vec<&CellFacts> = facts.cells_of(step, subject).into_iter().flatten().collect();
    let read = |cell: &&CellFacts| {
        let total = cell.total.as_ref()?;
        let p99 = total.class(step.class).map(ClassSummary::user_latency)?.percentiles_ns[P99].as_ref()?.value;
        Some((cell.value, total.ops_per_s.value, p99))
    };
    let read: Vec<(usize, f64, f64)> = cells.iter().filter_map(read).collect();
    let peak = read.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let [.., before, last] = &read[..] else { return None };
    let at = |value: usize| wording::place(step, &[value]);
    let change = |from: f64, to: f64| number_format::signed_percent((to / from - 1.0) * 100.0);
    let more = at(last.0);
    Some(format!(
        "{} peaks{}: {} ops/s with a p99 of {}. From {} to {}, its ops/s change by {} and its p99 by {}.",
        facts.subjects[subject],
        at(peak.0),
        number_format::count(peak.1),
        units::latency(peak.2),
        step.values[before.0].label,
        more.trim_start_matches(" at ").trim_start_matches("depth "),
        change(before.1, last.1),
        change(before.2, last.2),
    ))
}
