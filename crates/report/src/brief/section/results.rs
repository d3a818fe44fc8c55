//! A chapter per step: a summary in three sentences, the figures that its source publishes, and the
//! subjects point by point.

use super::{Section, SectionBlocks, analysis, bottlenecks, conclusion};
use crate::analysis::comparability::conditions::not_given;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::keys::{SubjectKey, TestKey, ValueKey};
use crate::analysis::points::point_summary::{P50, P99, P999};
use crate::brief::block::{Block, Heading, Mark, Table};
use crate::brief::lead::Lead;
use crate::brief::number_format::NONE;
use crate::brief::section::steps::differences;
use crate::brief::text::causes::SaidRemedies;
use crate::brief::text::table_cell::{TableCell, texts};
use crate::brief::text::{condition_text, metric_text, wording};
use crate::brief::{number_format, prose};
use crate::chart::step::name;
use crate::chart::{self, StepDrawing};
use crate::language::{Language, Name};
use crate::say;
use crate::terms::names;
use dyno_core::base::units;
use dyno_core::plan::{LoopKind, Timing};

/// A chapter for each step.
pub const SECTION: Section =
    Section::main("results", |l| say!(l, "section-results"), SectionBlocks::Whole(blocks));

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let Facts { subjects, comparisons, .. } = facts;
    let (mut out, mut last) = (Vec::new(), None);
    let mut said = Lead::of(l, facts).remedies;
    let mut test = None;
    let counted = counted_tests(facts);
    for step in facts.measured.steps.iter().filter(|step| !step.cells.is_empty()) {
        if facts.tests.len() > 1 && test != Some(step.test) {
            test = Some(step.test);
            out.push(Block::chapter(facts.tests[step.test].title.text(l)));
            if counted.contains(&step.test) {
                out.extend(in_short(l, facts, step.test, &mut said));
            }
        }
        if counted.contains(&step.test) {
            continue;
        }
        let id = Some(format!("step-{}", step.name));
        out.push(Block::Heading(Heading { level: 1, text: step.title.text(l), id }));
        let sentences = analysis::of_step(l, facts, step, &mut said);
        if !sentences.is_empty() {
            out.push(Block::text(wording::sentences(l, sentences)));
        }
        let drawing = StepDrawing::of(l, subjects, comparisons, step);
        out.push(Block::Figures(chart::choice::leading(&drawing)));
        let short = differences::tables(&drawing, true);
        out.extend(short.into_iter().map(Table::block));
        if comparisons.published && subjects.len() > 1 {
            out.push(Block::note(say!(l, "differences-as-published")));
        }
        let said = prose::of_step(&drawing);
        if !said.is_empty() {
            out.push(Block::list(said));
        }
        // Stated once for steps with the same plan.
        let described = describe(l, step);
        if last.as_ref() != Some(&described) {
            out.push(Block::note(described.clone()));
            last = Some(described);
        }
    }
    out.extend(wording::footnote(l, comparisons).map(Block::note));
    if facts.measured.steps.iter().any(StepFacts::has_marks) {
        out.push(Block::note(bottlenecks::note(l)));
    }
    out
}

/// On a page of several tests, those with so many steps that each has a line and a figure only.
fn counted_tests(facts: &Facts) -> Vec<TestKey> {
    let steps = |test: TestKey| facts.measured.steps_of(test).filter(|s| !s.cells.is_empty());
    let is_long = |test: &TestKey| steps(*test).count() >= conclusion::FEWEST_COUNTED;
    facts.tests.keys().filter(|_| facts.tests.len() > 1).filter(is_long).collect()
}

/// A line for each step of a test, and their leading figures in pairs; the scoreboard has their
/// figures.
fn in_short(l: Language, facts: &Facts, test: TestKey, said: &mut SaidRemedies) -> Vec<Block> {
    let Facts { subjects, comparisons, .. } = facts;
    let (mut lines, mut figures) = (Vec::new(), Vec::new());
    let steps = || facts.measured.steps_of(test).filter(|step| !step.cells.is_empty());
    for step in steps() {
        let sentences = analysis::of_step(l, facts, step, said);
        if !sentences.is_empty() {
            lines.push(wording::of_step(l, step, wording::sentences(l, sentences)));
        }
        let drawing = StepDrawing::of(l, subjects, comparisons, step).titled();
        figures.extend(chart::choice::leading(&drawing).into_iter().next());
    }
    let mut out = vec![Block::list(lines)];
    out.extend(figures.chunks(2).map(|pair| Block::Figures(pair.to_vec())));
    if comparisons.published && subjects.len() > 1 {
        out.push(Block::note(say!(l, "differences-as-published")));
    }
    out.extend(steps().next().map(|step| Block::note(describe(l, step))));
    out
}

/// The meaning of a step's numbers: class of latency, duration, repeats.
pub fn describe(l: Language, step: &StepFacts) -> String {
    let mut parts = Vec::new();
    if let Some(axis) = &step.axis {
        parts.push(say!(l, "swept-along", axis = names::axis(l, axis)));
    }
    parts.extend(step.loop_kind.map(|kind| match kind {
        LoopKind::Open => say!(l, "open-loop"),
        LoopKind::Closed => say!(l, "closed-loop"),
    }));
    parts.extend(step.window_ns.map(units::duration).map(
        |window| match step.is_untested_for_drift() {
            true => say!(l, "window-too-short", window),
            false => say!(l, "window-a-point", window),
        },
    ));
    // Imported figures may have no latencies.
    if let Some(class) = step.class.filter(|_| !step.imported || step.has_latencies()) {
        let class = Name::op(class.name());
        parts.push(match step.timing {
            Some(Timing::Response) => say!(l, "percentiles-response", class),
            Some(Timing::Service) => say!(l, "percentiles-service", class),
            None => say!(l, "percentiles-of", class),
        });
        if step.is_open_loop() && step.has_maximum() {
            parts.push(say!(l, "maximum-is-service"));
        }
    }
    let drives = step.cells.iter().any(|c| !c.drives.is_empty());
    match (drives, step.instances && !step.imported) {
        (true, true) => parts.push(say!(l, "summed-over-drives-and-instances")),
        (true, false) => parts.push(say!(l, "summed-over-drives")),
        (false, true) => parts.push(say!(l, "summed-over-instances")),
        (false, false) => {}
    }
    let unknown: Vec<String> =
        not_given(step).into_iter().map(|what| condition_text::not_given(l, what)).collect();
    if !unknown.is_empty() {
        parts.push(say!(l, "not-given", what = l.list(&unknown)));
    }
    parts.join(" · ")
}

/// One row for each axis value and subject, with the difference from the brief's subject.
pub fn side_by_side(drawing: &StepDrawing<'_>) -> Table {
    let &StepDrawing { language: l, subjects, step, .. } = drawing;
    let mut head = vec![step.axis_text(l), say!(l, "column-subject")];
    head.extend(["ops/s", "±", "MB/s"].map(String::from));
    let of_class = |figure: &str| {
        metric_text::latency_column(l, figure.to_string(), step.class, step.is_mix())
    };
    head.extend(["p50", "p99", "p99.9"].map(of_class));
    if subjects.len() > 1 {
        head.insert(difference_at(step), say!(l, "column-difference"));
    }
    let mut rows = Vec::new();
    for value in step.values.keys() {
        for subject in subjects.keys() {
            let label =
                if subject == SubjectKey(0) { step.values[value].text(l) } else { String::new() };
            let mark = if subject == SubjectKey(0) { Mark::First } else { Mark::None };
            rows.push((mark, [texts([label]), row(drawing, subject, value)].concat()));
        }
    }
    Table::measured(l, 2, &head, rows)
}

/// The column of the difference: beside the figure that it is of, p99 in an open loop and otherwise
/// ops/s with its interval.
fn difference_at(step: &StepFacts) -> usize {
    if step.is_open_loop() { 7 } else { 4 }
}

fn row(drawing: &StepDrawing<'_>, subject: SubjectKey, value: ValueKey) -> Vec<TableCell> {
    let &StepDrawing { language: l, subjects, comparisons, step, .. } = drawing;
    let cell = step.cell(subject, value);
    let mut row = texts([cell.map_or(subjects[subject].name.clone(), |c| name(subjects, c))]);
    match cell.and_then(|c| c.total.as_ref()) {
        Some(total) => {
            let times = total.user_latency(step.class);
            let ops = total.ops_per_s.as_ref();
            let spread = number_format::spread(l, ops).into();
            let mb = TableCell::megabytes(total.bytes_per_s.as_ref());
            row.extend([TableCell::rate(ops), spread, mb]);
            row.extend([P50, P99, P999].map(|at| TableCell::percentile(times, at)));
        }
        None => row.extend(std::iter::repeat_n(TableCell::none(), 6)),
    }
    if subjects.len() > 1 {
        let own = subject == subjects.headline;
        let compared = |cell| wording::of_cell(subjects, comparisons, step, cell);
        let shown = cell.filter(|_| !own).and_then(compared);
        let none = if own { String::new() } else { NONE.to_string() };
        let shown = shown.map_or(none, |c| wording::in_table(l, subjects, c));
        // Without the column of the axis.
        row.insert(difference_at(step) - 1, shown.into());
    }
    row
}
