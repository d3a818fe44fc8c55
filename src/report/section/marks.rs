//! What a reader must know before trusting a number: failed points, missed rates, late requests, overflow, misses.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::point_summary::{P99, RATE_KEPT, Summary};
use crate::base::units::{self, Rate};
use crate::report::html::{Table, escape};
use crate::report::{wording, words};

pub struct Marks;

impl Section for Marks {
    fn info(&self) -> Info {
        Info { id: "marks", title: "Caveats" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::new();
        let caveats = wording::caveats(facts);
        if !caveats.is_empty() {
            out.push_str(
                "<h3>Points with a caveat</h3><p class=note>Their figures are shown; they support no claim.</p><ul>\n",
            );
            caveats.iter().for_each(|own| out.push_str(&format!("<li>{}</li>\n", escape(own))));
            out.push_str("</ul>\n");
        }
        out.push_str(&wider_than_asked(facts));
        if !facts.failures.is_empty() {
            out.push_str("<h3>Failed points</h3><p class=note>They enter no estimate.</p>\n");
            let mut table = Table::new(5, &["step", "subject", "at", "repeat", "cause"]);
            for f in &facts.failures {
                let row =
                    [&f.step, &facts.subjects[f.subject], &f.at, &f.repeat.to_string(), &f.cause].map(String::clone);
                table.row("", &row);
            }
            out.push_str(&table.html());
        }
        for step in &facts.steps {
            out.push_str(&open_loop(facts, step));
        }
        out.push_str(&oddities(facts));
        if out.is_empty() {
            out.push_str(
                "<p>No caveats: no point failed, drifted or missed its asked rate, and no latency overflowed.</p>\n",
            );
        }
        Some(out)
    }
}

/// Points that were repeated as often as the plan allows and still are not as narrow as it asks.
fn wider_than_asked(facts: &Facts) -> String {
    let mut out = String::new();
    for step in &facts.steps {
        for cell in &step.cells {
            let (Some(total), Some(until)) = (&cell.total, facts.runs[cell.bundle].until_percent) else { continue };
            let p99 = || total.class(step.class).and_then(|c| c.user_latency().percentiles_ns[P99].as_ref());
            let figure = if total.asked.is_some() { p99() } else { Some(&total.ops_per_s) };
            let Some(half) = figure.and_then(|e| e.relative_percent()).filter(|half| *half > until) else { continue };
            let place = format!("{}{}", step.title, wording::place(step, &[cell.value]));
            let subject = &facts.subjects[cell.subject];
            let line =
                format!("{place}, {subject}: ±{half:.1} % after {} repeats; ±{until} % was asked", cell.repeats.len());
            let _ = writeln!(out, "<li>{}</li>", escape(&line));
        }
    }
    if out.is_empty() { out } else { format!("<h3>Wider than asked</h3><ul>\n{out}</ul>\n") }
}

/// Asked against achieved of every stream that was asked for a rate.
fn open_loop(facts: &Facts, step: &StepFacts) -> String {
    let head = ["", "subject", "stream", "asked", "achieved", "share", "late", "max backlog", "backlog at the end"];
    let mut table = Table::new(3, &[&[step.axis_label()], &head[1..]].concat());
    let mut any = false;
    for cell in &step.cells {
        for (name, _, s) in &cell.streams {
            let (Some(asked), Some(share)) = (s.asked, s.achieved()) else { continue };
            any = true;
            table.row(if share < RATE_KEPT { "bad" } else { "" }, &rate_row(facts, step, cell, name, s, asked, share));
        }
    }
    if !any {
        return String::new();
    }
    format!("<h3>Asked and achieved: {}</h3>\n{}", escape(&step.title), table.html())
}

fn rate_row(
    facts: &Facts,
    step: &StepFacts,
    cell: &CellFacts,
    name: &str,
    s: &Summary,
    asked: Rate,
    share: f64,
) -> Vec<String> {
    let achieved = match asked {
        Rate::OpsPerSec(_) => format!("{} ops/s", words::ops(&s.ops_per_s)),
        Rate::BytesPerSec(_) => format!("{} MB/s", words::megabytes(s.bytes_per_s.value)),
    };
    vec![
        step.values[cell.value].label.clone(),
        facts.subjects[cell.subject].clone(),
        name.to_string(),
        asked.to_string(),
        achieved,
        format!("{:.1} %", share * 100.0),
        format!("{:.2} %", s.late as f64 / s.ops.max(1) as f64 * 100.0),
        units::grouped(s.backlog_max),
        units::grouped(s.backlog_end),
    ]
}

/// Latencies beyond the histogram, and reads that found nothing.
fn oddities(facts: &Facts) -> String {
    let mut out = String::new();
    for step in &facts.steps {
        for cell in &step.cells {
            for (name, _, summary) in &cell.streams {
                let overflow: u64 = summary.classes.iter().map(|c| c.overflow).sum();
                // What TPC-C rolls back is asked for, and has a section of its own.
                let reads = summary.classes.iter().filter(|c| c.class != super::tpcc::NEW_ORDER);
                let misses: u64 = reads.map(|c| c.misses).sum();
                let at = &step.values[cell.value].label;
                let place = format!("{}, {} {at}, {name}", step.title, facts.subjects[cell.subject]);
                if overflow > 0 {
                    let n = units::grouped(overflow);
                    let _ = writeln!(out, "<li>{}: {n} latencies above one hour", escape(&place));
                }
                let given_up: u64 = summary.classes.iter().map(|c| c.given_up).sum();
                if given_up > 0 {
                    let share = given_up as f64 / (summary.ops + given_up) as f64 * 100.0;
                    let n = units::grouped(given_up);
                    let why = "rolled back by the server again and again, and given up: not in the rate";
                    let _ = writeln!(out, "<li>{}: {n} transactions ({share:.2} %) {why}", escape(&place));
                }
                if misses > 0 {
                    let share = misses as f64 / summary.ops.max(1) as f64 * 100.0;
                    let n = units::grouped(misses);
                    let _ = writeln!(out, "<li>{}: {n} reads ({share:.1} %) found no such key", escape(&place));
                }
            }
        }
    }
    if out.is_empty() { out } else { format!("<h3>Overflow and misses</h3><ul>\n{out}</ul>\n") }
}
