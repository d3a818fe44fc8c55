//! What a reader must know before trusting a number: failed points, missed rates, late requests,
//! overflow, misses.

use super::Section;
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::metric::NEW_ORDER;
use crate::analysis::point_summary::{P99, RATE_KEPT, Summary};
use crate::base::units::{self, Rate};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::brief::{caveat_text, notes, wording};
use crate::say;

/// What must be known before a number is trusted.
pub const SECTION: Section =
    Section { id: "marks", title: |l| say!(l, "section-marks"), appendix: true, blocks };

/// From this share of requests submitted late on, a stream is listed.
const LATE: f64 = 0.01;

const NONE: &str =
    "No caveats: no point failed, drifted or missed its asked rate, and no latency overflowed.";

fn blocks(facts: &Facts) -> Vec<Block> {
    let mut out = Vec::new();
    let caveats = caveat_text::caveats(facts);
    if !caveats.is_empty() {
        out.push(Block::chapter("Points with a caveat"));
        out.push(Block::note("Their figures are shown; they support no claim."));
        out.push(Block::list(caveats));
    }
    out.extend(notes::blocks(facts));
    out.extend(titled("Wider than asked", wider_than_asked(facts)));
    if !facts.failures.is_empty() {
        let rows = facts.failures.iter().map(|f| {
            let repeat = f.repeat.to_string();
            [&f.step, &facts.subjects[f.subject], &f.at, &repeat, &f.cause]
                .map(String::clone)
                .to_vec()
        });
        let head = ["step", "subject", "at", "repeat", "cause"];
        out.extend([Block::chapter("Failed points"), Block::note("They enter no estimate.")]);
        out.push(Table::of(5, &head, rows.collect()).block());
    }
    out.extend(open_loop(facts));
    out.extend(titled("Overflow and misses", oddities(facts)));
    if out.is_empty() {
        out.push(Block::text(NONE));
    }
    out
}

/// A list under a title, unless it is empty.
fn titled(title: &str, items: Vec<String>) -> Vec<Block> {
    if items.is_empty() { Vec::new() } else { vec![Block::chapter(title), Block::list(items)] }
}

/// Points that were repeated as often as the plan allows and still are not as narrow as it asks.
fn wider_than_asked(facts: &Facts) -> Vec<String> {
    let mut out = Vec::new();
    for step in &facts.steps {
        for cell in &step.cells {
            let (Some(total), Some(until)) = (&cell.total, facts.runs[cell.bundle].until_percent)
            else {
                continue;
            };
            let p99 = || {
                total.class(step.class).and_then(|c| c.user_latency().percentiles_ns[P99].as_ref())
            };
            let figure = if total.asked.is_some() { p99() } else { Some(&total.ops_per_s) };
            let Some(half) = figure.and_then(|e| e.relative_percent()).filter(|half| *half > until)
            else {
                continue;
            };
            let place = format!("{}{}", step.title, wording::place(step, &[cell.value]));
            let (subject, repeats) = (&facts.subjects[cell.subject], cell.repeats.len());
            out.push(format!(
                "{place}, {subject}: ±{half:.1} % after {repeats} repeats; ±{until} % was asked"
            ));
        }
    }
    out
}

/// Asked against achieved of every stream that fell short of its rate, or whose requests were
/// submitted late.
fn open_loop(facts: &Facts) -> Vec<Block> {
    let head = [
        "step",
        "at",
        "subject",
        "stream",
        "asked",
        "achieved",
        "share",
        "late",
        "max backlog",
        "backlog at the end",
    ];
    let (mut table, mut kept) = (Table::new(4, &head), 0);
    for step in &facts.steps {
        for cell in &step.cells {
            for (name, _, s) in &cell.streams {
                let (Some(asked), Some(share)) = (s.asked, s.achieved()) else { continue };
                let missed = share < RATE_KEPT;
                if !missed && s.late as f64 / (s.ops.max(1) as f64) < LATE {
                    kept += 1;
                    continue;
                }
                let mark = if missed { Mark::Bad } else { Mark::None };
                let row = rate_row(facts, step, cell, name, s, asked, share);
                table.row(mark, [vec![step.title.clone()], row].concat());
            }
        }
    }
    let all = format!(
        "{kept} streams of points kept their rate within 2 % and submitted less than 1 % of it \
         late."
    );
    match (table.rows.is_empty(), kept) {
        (true, 0) => Vec::new(),
        (true, _) => vec![Block::chapter("Asked and achieved"), Block::text(all)],
        (false, 0) => vec![Block::chapter("Asked and achieved"), table.block()],
        (false, _) => {
            vec![
                Block::chapter("Asked and achieved"),
                table.block(),
                Block::note(format!("The other {all}")),
            ]
        }
    }
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
        Rate::OpsPerSec(_) => format!("{} ops/s", number_format::ops(&s.ops_per_s)),
        Rate::BytesPerSec(_) => format!("{} MB/s", number_format::megabytes(s.bytes_per_s.value)),
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

/// Latencies beyond the histogram, transactions given up, and reads that found nothing.
fn oddities(facts: &Facts) -> Vec<String> {
    let mut out = Vec::new();
    for step in &facts.steps {
        for cell in &step.cells {
            for (name, _, summary) in &cell.streams {
                let at = &step.values[cell.value].label;
                let place =
                    format!("{}, {} {at}, {name}", step.title, facts.subjects[cell.subject]);
                out.extend(odd(summary).into_iter().map(|what| format!("{place}: {what}")));
            }
        }
    }
    out
}

fn odd(summary: &Summary) -> Vec<String> {
    let mut out = Vec::new();
    let overflow: u64 = summary.classes.iter().map(|c| c.overflow).sum();
    if overflow > 0 {
        out.push(format!("{} latencies above one hour", units::grouped(overflow)));
    }
    let given_up: u64 = summary.classes.iter().map(|c| c.given_up).sum();
    if given_up > 0 {
        let share = given_up as f64 / (summary.ops + given_up) as f64 * 100.0;
        let n = units::grouped(given_up);
        let why = "rolled back by the server again and again, and given up: not in the rate";
        out.push(format!("{n} transactions ({share:.2} %) {why}"));
    }
    // What TPC-C rolls back is asked for, and has a section of its own.
    let reads = summary.classes.iter().filter(|c| c.class != NEW_ORDER);
    let misses: u64 = reads.map(|c| c.misses).sum();
    if misses > 0 {
        let share = misses as f64 / summary.ops.max(1) as f64 * 100.0;
        out.push(format!("{} reads ({share:.1} %) found no such key", units::grouped(misses)));
    }
    out
}
