//! The subjects point by point: their levels beside each other, and each difference with how it
//! stands.

use super::Section;
use crate::analysis::compare::{At, Comparison};
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::lead;
use crate::analysis::metric::{Figure, Metric};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::{published, wording};
use crate::chart::step::marked;
use crate::language::Language;
use crate::plan::Field;
use crate::say;

/// Every difference, point by point.
pub const SECTION: Section = Section {
    id: "differences",
    title: |l| say!(l, "section-differences"),
    appendix: true,
    blocks,
};

/// Axis values that a reader takes in beside a figure.
const MOST_VALUES: usize = 8;

/// Subjects of which every pair is shown beside a figure.
const MOST_SUBJECTS: usize = 3;

/// The tables that the steps' own parts show in part.
fn blocks(facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    for (index, step) in facts.steps.iter().enumerate() {
        let shown = table(facts, index, true).map_or(0, |t| t.rows.len());
        let whole = table(facts, index, false).filter(|t| t.rows.len() > shown);
        out.extend(whole.into_iter().flat_map(|t| [Block::chapter(&step.title), t.block()]));
    }
    out
}

/// A row for each place and pair of subjects; in `short`, where there are many places, of some of
/// them.
pub fn table(facts: &Facts, index: usize, short: bool) -> Option<Table> {
    let (l, step) = (facts.language, &facts.steps[index]);
    let metrics = metrics(facts, index);
    let pairs = pairs(facts.subjects.len(), short);
    let several = facts.subjects.len() > 2;
    let mut head = vec![step.axis_text(l)];
    if several {
        head.extend([say!(l, "column-subject"), say!(l, "column-with")]);
    }
    for own in &metrics {
        let name = own.metric.text(l);
        match pairs.len() {
            0 => head.push(name),
            1 => head.extend(facts.subjects.iter().map(|s| l.sequence(&[name.clone(), s.clone()]))),
            _ => head.extend([name.clone(), name]),
        }
        if own.compared {
            head.push(say!(l, "column-difference"));
        }
    }
    let mut table = Table::new(if several { 3 } else { 1 }, &head);
    for at in places(facts, index, short) {
        let all = if pairs.is_empty() { vec![(0, 0)] } else { pairs.clone() };
        for (i, pair) in all.into_iter().enumerate() {
            let label = if i == 0 { label(l, step, at) } else { String::new() };
            let mut row = vec![label];
            if several {
                row.extend([pair.0, pair.1].map(|s| facts.subjects[s].clone()));
            }
            for own in &metrics {
                row.extend(cells(facts, index, own, at, pair));
            }
            if row[1..].iter().any(|cell| cell != NONE && !cell.is_empty()) {
                table.row(if i == 0 { Mark::First } else { Mark::None }, row);
            }
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// A metric of the table, and whether anything is compared by it.
struct Own {
    metric: Metric,
    compared: bool,
}

fn metrics(facts: &Facts, index: usize) -> Vec<Own> {
    let step = &facts.steps[index];
    let arithmetic = published::is_published(facts) && facts.subjects.len() > 1;
    let measured = |m: &Metric| step.cells.iter().any(|c| m.of(step, c).is_some());
    let mut all: Vec<Metric> = Metric::of_step(step, &facts.metrics);
    // Mean latency stands beside p99 where the source prints it.
    let mean = Metric::total(Figure::Mean);
    if step.figures.iter().any(|f| f.starts_with("mean")) && !all.contains(&mean) {
        all.push(mean);
    }
    let compared = |m: &Metric| {
        arithmetic || facts.comparisons.iter().any(|c| c.step == index && c.metric == *m)
    };
    let own = |metric: Metric| Own { compared: compared(&metric), metric };
    all.into_iter().filter(measured).map(own).collect()
}

/// In `short`, of many subjects, each with the first.
fn pairs(subjects: usize, short: bool) -> Vec<(usize, usize)> {
    let firsts = if short && subjects > MOST_SUBJECTS { 1 } else { subjects };
    (0..firsts).flat_map(|a| (a + 1..subjects).map(move |b| (a, b))).collect()
}

/// Axis values first, then what is read off curves, then means.
fn places(facts: &Facts, index: usize, short: bool) -> Vec<At> {
    let step = &facts.steps[index];
    let every = step.values.len().div_ceil(MOST_VALUES);
    let last = step.values.len().saturating_sub(1);
    // Shares of one's own maximum are different loads for each subject: their levels are in the
    // curve and the full data.
    let shares = step.axis.as_ref().is_some_and(|a| a.field == Field::LoadPercent)
        && facts.subjects.len() > 1;
    let kept = |value: &usize| match shares {
        true => step.values[*value].number.is_infinite(),
        false => {
            !short
                || value.is_multiple_of(every)
                || *value == last
                || lead::value(step) == Some(*value)
        }
    };
    let mut all: Vec<At> = (0..step.values.len()).filter(kept).map(At::Value).collect();
    for c in facts.comparisons.iter().filter(|c| c.step == index) {
        let wanted = !short || !matches!(c.at, At::Load(_));
        if wanted && !matches!(c.at, At::Value(_)) && !all.contains(&c.at) {
            all.push(c.at);
        }
    }
    all
}

fn label(l: Language, step: &StepFacts, at: At) -> String {
    match at {
        At::Value(value) => step.values[value].text(l),
        At::Mean => say!(l, "mean"),
        At::Load(ops) => say!(l, "row-at-load", load = number_format::count(l, ops)),
        At::Latency(ns) => say!(l, "row-at-p99", latency = number_format::time(l, ns)),
        At::Limit => say!(l, "row-within-limit"),
    }
}

/// The two levels, and their difference where one is compared.
fn cells(facts: &Facts, index: usize, own: &Own, at: At, (a, b): (usize, usize)) -> Vec<String> {
    let step = &facts.steps[index];
    let cell =
        |subject: usize| if let At::Value(value) = at { step.cell(subject, value) } else { None };
    let level = |subject: usize| {
        let text = cell(subject).and_then(|c| {
            Some(marked(c, wording::printed(facts.language, &own.metric, step, c)?.1))
        });
        text.unwrap_or(NONE.to_string())
    };
    if a == b {
        return vec![level(a)];
    }
    let mut row = vec![level(a), level(b)];
    if own.compared {
        let of = |c: &&Comparison| {
            c.step == index && c.metric == own.metric && c.at == at && c.is_of(a, b)
        };
        let shown = facts.comparisons.iter().find(of).map(|c| wording::standing(facts, c));
        let arithmetic = || match at {
            At::Value(value) => published::difference(facts, step, &own.metric, value, (a, b)),
            _ => None,
        };
        row.push(shown.or_else(arithmetic).unwrap_or(NONE.to_string()));
    }
    row
}
