//! A chapter for each step: its figures, and the subjects side by side.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::compare::Standing;
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::point_summary::{ClassSummary, P99};
use crate::report::html::{Table, escape};
use crate::report::words::{self, NONE};
use crate::report::{draw, limits, text, trend_along, wording};

pub struct Steps;

impl Section for Steps {
    fn info(&self) -> Info {
        Info { id: "results", title: "Results" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::new();
        for (index, step) in facts.steps.iter().enumerate() {
            let _ = writeln!(
                out,
                "<section class=step id=\"step-{}\"><h3>{}</h3><p class=note>{}</p>",
                escape(&step.name),
                escape(&step.title),
                escape(&text::describe(step))
            );
            out.push_str("<div class=figures>\n");
            for drawing in draw::of_step(facts, step) {
                let _ = writeln!(out, "<figure>{}</figure>", drawing.svg);
            }
            out.push_str("</div>\n");
            out.push_str(&side_by_side(facts, index));
            if facts.subjects.len() > 1 {
                out.push_str(&comparisons(facts, index));
            }
            out.push_str(&in_words(facts, step));
            out.push_str("</section>\n");
        }
        (!out.is_empty()).then_some(out)
    }
}

/// Every comparison of the step: who is better, by how much, and how that stands.
fn comparisons(facts: &Facts, index: usize) -> String {
    let own: Vec<_> = facts.comparisons.iter().filter(|c| c.step == index).collect();
    if own.is_empty() {
        return String::new();
    }
    let step = &facts.steps[index];
    let mut table =
        Table::new(4, &["figure", "better", "against", "where", "difference [95 %]", "repeats", "standing"]);
    for c in own {
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
        table.row("", &row);
    }
    format!("<h4>Comparisons</h4>\n{}<p class=note>{}</p>\n", table.html(), escape(&wording::footnote()))
}

fn in_words(facts: &Facts, step: &StepFacts) -> String {
    let sentences = trend_along::of_step(facts, step);
    let items: String = sentences.iter().map(|s| format!("<li>{}</li>\n", escape(s))).collect();
    if items.is_empty() { items } else { format!("<h4>Along the axis</h4>\n<ul>\n{items}</ul>\n") }
}

/// One row for each axis value and subject, with the difference from the first subject.
fn side_by_side(facts: &Facts, index: usize) -> String {
    let step = &facts.steps[index];
    let mut head = vec![step.axis_label(), "subject", "ops/s", "±", "MB/s", "p50", "p99", "p99.9"];
    let several = facts.subjects.len() > 1;
    if several {
        head.push("difference");
    }
    let mut table = Table::new(2, &head);
    for (value, at) in step.values.iter().enumerate() {
        for (subject, name) in facts.subjects.iter().enumerate() {
            let mut row = vec![if subject == 0 { at.label.clone() } else { String::new() }];
            let cell = step.cell(subject, value);
            row.push(cell.map_or(name.clone(), |c| facts.name(c)));
            match cell.and_then(|c| c.total.as_ref()) {
                Some(total) => {
                    let times = total.class(step.class).map(ClassSummary::user_latency);
                    let p = |i: usize| words::latency(times.and_then(|t| t.percentiles_ns[i].as_ref()));
                    let (ops, mb) = (&total.ops_per_s, words::megabytes(total.bytes_per_s.value));
                    row.extend([words::ops(ops), words::spread(ops), mb, p(0), p(P99), p(3)]);
                }
                None => row.extend(std::iter::repeat_n(NONE.to_string(), 6)),
            }
            if several {
                let shown = cell.filter(|_| subject > 0).and_then(|c| wording::of_cell(facts, index, c));
                let none = if subject == 0 { String::new() } else { NONE.to_string() };
                row.push(shown.map_or(none, |c| wording::in_table(facts, c, &|name| name.to_string())));
            }
            table.row(if subject == 0 { "first" } else { "" }, &row);
        }
    }
    let note = if step.has_marks() { format!("<p class=note>{}</p>\n", limits::NOTE) } else { String::new() };
    table.html() + &note
}
