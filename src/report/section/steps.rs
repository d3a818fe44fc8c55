//! A chapter for each step: its figures, and the subjects side by side.

use std::fmt::Write;

use super::{Info, Section};
use crate::report::analysis;
use crate::report::claims::{self, Standing};
use crate::report::difference::difference;
use crate::analysis::facts::{Facts, StepFacts};
use crate::report::html::{Table, escape};
use crate::analysis::metric::Measure;
use crate::analysis::point_summary::{ClassSummary, P99};
use crate::report::words::{self, NONE};
use crate::report::{draw, limits, text};

pub struct Steps;

impl Section for Steps {
    fn info(&self) -> Info {
        Info { id: "results", title: "Results" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::new();
        for step in &facts.steps {
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
            out.push_str(&side_by_side(facts, step));
            if facts.subjects.len() > 1 {
                out.push_str(&largest(facts, step));
                out.push_str(&in_words(facts, step));
            }
            out.push_str("</section>\n");
        }
        (!out.is_empty()).then_some(out)
    }
}

/// The table of maximum differences, each with its calculation: of the subject as well as of its rivals.
fn largest(facts: &Facts, step: &StepFacts) -> String {
    let found = claims::of_step(facts, step);
    if found.is_empty() {
        return String::new();
    }
    let head =
        ["figure", "better", "against", "at", "calculation", "result", "other formula", "95 % interval", "standing"];
    let mut table = Table::new(4, &head);
    let count = found.len();
    for l in &found {
        let standing = match l.standing {
            Standing::Claimed => "claimed",
            Standing::NotClearOfChance => "not clear",
            Standing::NoInterval => "as told",
        };
        let row = [
            l.measure.short(),
            facts.subjects[l.subject].clone(),
            facts.subjects[l.rival].clone(),
            l.at.clone(),
            l.calculation(),
            l.result(),
            l.by_the_other_formula(),
            l.interval().unwrap_or(NONE.to_string()),
            standing.to_string(),
        ];
        table.row("", &row);
    }
    let of_pairs = facts.subjects.len() * (facts.subjects.len() - 1) * Measure::of_step(step).len();
    let missing = match count < of_pairs {
        true => {
            " Pairs that are missing: nowhere is that subject better in that figure, or every such point is marked."
        }
        false => "",
    };
    let note = format!(
        "p99: of the {}. Claimed: clear of chance, with every comparison searched counted. Not clear: the difference may be \
         chance. As told: the figures have no interval.{missing}",
        Measure::P99.name(step).trim_start_matches("p99 ")
    );
    format!("<h4>Largest differences</h4>\n{}<p class=note>{}</p>\n", table.html(), escape(&note))
}

fn in_words(facts: &Facts, step: &StepFacts) -> String {
    let sentences = analysis::of_step(facts, step);
    let items: String = sentences.iter().map(|s| format!("<li>{}</li>\n", escape(s))).collect();
    if items.is_empty() { items } else { format!("<h4>In words</h4>\n<ul>\n{items}</ul>\n") }
}

/// One row for each axis value and subject, with the difference from the first subject.
fn side_by_side(facts: &Facts, step: &StepFacts) -> String {
    let against = format!("against {}", facts.subjects[0]);
    let mut head = vec![step.axis_label(), "subject", "ops/s", "±", "MB/s", "p50", "p99", "p99.9"];
    let several = facts.subjects.len() > 1;
    if several {
        head.push(&against);
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
                let held = cell.filter(|_| subject > 0).and_then(|c| difference(facts, step, c));
                let none = if subject == 0 { String::new() } else { NONE.to_string() };
                row.push(held.map_or(none, |d| d.show()));
            }
            table.row(if subject == 0 { "first" } else { "" }, &row);
        }
    }
    let note = if step.has_marks() { format!("<p class=note>{}</p>\n", limits::NOTE) } else { String::new() };
    table.html() + &note
}
