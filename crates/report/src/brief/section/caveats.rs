//! Caveats about the numbers: failed points, missed rates, late requests, overflow, misses.

use super::{Section, SectionBlocks};
use crate::analysis::facts::{CellFacts, Facts, MeasuredFacts, SetupFacts, StepFacts, Subjects};
use crate::analysis::points::metric::NEW_ORDER;
use crate::analysis::points::point_summary::{RATE_KEPT, RepeatSummary};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format;
use crate::brief::text::{bottleneck_text, caveat_text, notes};
use crate::language::Language;
use crate::say;
use crate::terms::place::step_at;
use dyno_core::base::units::Rate;

/// Caveats that a reader must know before trusting a number.
pub const SECTION: Section =
    Section::appendix("marks", |l| say!(l, "section-marks"), SectionBlocks::Whole(blocks));

/// From this share of requests submitted late on, a stream is listed.
const LATE: f64 = 0.01;

fn blocks(l: Language, facts: &Facts) -> Vec<Block> {
    let Facts { subjects, setup, statements, measured, comparisons, .. } = facts;
    let (mut out, why) = (Vec::new(), bottleneck_text::evidence);
    let caveats = caveat_text::caveats(l, subjects, statements, measured, why);
    if !caveats.is_empty() {
        out.push(Block::chapter(say!(l, "caveats-points")));
        out.push(Block::note(say!(l, "caveats-support-no-claim")));
        out.push(Block::list(caveats));
    }
    out.extend(notes::blocks(l, subjects, measured, comparisons));
    let wider = wider_than_asked(l, subjects, setup, measured);
    out.extend(Block::titled_list(say!(l, "caveats-wider"), wider));
    if !measured.failures.is_empty() {
        let rows = measured.failures.iter().map(|f| {
            let repeat = f.repeat.to_string();
            [&f.step.text(l), &subjects[f.subject].name, &f.at, &repeat, &f.cause]
                .map(String::clone)
                .to_vec()
        });
        let head = [
            say!(l, "column-step"),
            say!(l, "column-subject"),
            say!(l, "column-at"),
            say!(l, "column-repeat"),
            say!(l, "column-cause"),
        ];
        out.push(Block::chapter(say!(l, "caveats-failed")));
        out.push(Block::note(say!(l, "caveats-failed-note")));
        out.push(Table::of(5, &head, rows.collect()).block());
    }
    out.extend(open_loop(l, subjects, measured));
    out.extend(Block::titled_list(say!(l, "caveats-oddities"), oddities(l, subjects, measured)));
    if out.is_empty() {
        out.push(Block::text(say!(l, "caveats-none")));
    }
    out
}

/// Points repeated as often as the plan permits that are still less precise than it requires.
fn wider_than_asked(
    l: Language,
    subjects: &Subjects,
    setup: &SetupFacts,
    measured: &MeasuredFacts,
) -> Vec<String> {
    let mut out = Vec::new();
    for step in &measured.steps {
        for cell in &step.cells {
            let until = setup.runs[cell.run].until_percent;
            let (Some(total), Some(until)) = (&cell.total, until) else { continue };
            let figure = match total.asked {
                Some(_) => total.p99_ns(step.class),
                None => total.ops_per_s.as_ref(),
            };
            let Some(half) = figure.and_then(|e| e.relative_percent()).filter(|half| *half > until)
            else {
                continue;
            };
            let place = step_at(l, step, &[cell.value]);
            let (subject, repeats) = (&subjects[cell.subject].name, cell.repeats.len());
            out.push(say!(
                l,
                "caveat-wider",
                place,
                subject,
                half = number_format::percent(l, half, 1),
                repeats,
                asked = l.number(&format!("{until} %"))
            ));
        }
    }
    out
}

/// Target and achieved rate of every stream that missed its rate, or whose requests were late.
fn open_loop(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let head = [
        say!(l, "column-step"),
        say!(l, "column-at"),
        say!(l, "column-subject"),
        say!(l, "column-stream"),
        say!(l, "column-asked"),
        say!(l, "column-achieved"),
        say!(l, "column-share"),
        say!(l, "column-late"),
        say!(l, "column-max-backlog"),
        say!(l, "column-backlog-at-end"),
    ];
    let (mut table, mut kept) = (Table::new(4, &head), 0usize);
    for step in &measured.steps {
        for cell in &step.cells {
            for (name, _, s) in &cell.streams {
                let (Some(asked), Some(share)) = (s.asked, s.achieved()) else { continue };
                let missed = share < RATE_KEPT;
                if !missed && s.late_share() < LATE {
                    kept += 1;
                    continue;
                }
                let mark = if missed { Mark::Bad } else { Mark::None };
                let row = rate_row(l, subjects, &PacedStream { step, cell, name, s, asked, share });
                table.row(mark, [vec![step.title.text(l)], row].concat());
            }
        }
    }
    let title = || Block::chapter(say!(l, "caveats-asked"));
    match (table.rows.is_empty(), kept) {
        (true, 0) => Vec::new(),
        (true, _) => vec![title(), Block::text(say!(l, "rates-kept", count = kept))],
        (false, 0) => vec![title(), table.block()],
        (false, _) => {
            vec![title(), table.block(), Block::note(say!(l, "other-rates-kept", count = kept))]
        }
    }
}

/// A stream with its target rate, and the achieved share.
struct PacedStream<'a> {
    step: &'a StepFacts,
    cell: &'a CellFacts,
    name: &'a str,
    s: &'a RepeatSummary,
    asked: Rate,
    share: f64,
}

fn rate_row(l: Language, subjects: &Subjects, stream: &PacedStream<'_>) -> Vec<String> {
    let &PacedStream { step, cell, name, s, asked, share } = stream;
    let achieved = match asked {
        Rate::OpsPerSec(_) => format!("{} ops/s", number_format::ops(l, s.ops_per_s.as_ref())),
        Rate::BytesPerSec(_) => {
            format!("{} MB/s", number_format::megabytes_of(l, s.bytes_per_s.as_ref()))
        }
    };
    vec![
        step.values[cell.value].text(l),
        subjects[cell.subject].name.clone(),
        name.to_string(),
        l.number(&asked.to_string()),
        achieved,
        number_format::share(l, share),
        number_format::percent(l, s.late_share() * 100.0, 2),
        number_format::grouped(l, s.backlog_max),
        number_format::grouped(l, s.backlog_end),
    ]
}

/// Latencies beyond the histogram, abandoned transactions, and reads of missing keys.
fn oddities(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<String> {
    let mut out = Vec::new();
    for step in &measured.steps {
        for cell in &step.cells {
            for (name, _, summary) in &cell.streams {
                let at = step.values[cell.value].text(l);
                let place =
                    format!("{}, {} {at}, {name}", step.title.text(l), subjects[cell.subject].name);
                let said = odd(l, summary).into_iter();
                out.extend(said.map(|what| say!(l, "of-step", step = &place, sentence = what)));
            }
        }
    }
    out
}

fn odd(l: Language, summary: &RepeatSummary) -> Vec<String> {
    let mut out = Vec::new();
    let overflow: u64 = summary.classes.iter().map(|c| c.overflow).sum();
    if overflow > 0 {
        out.push(say!(
            l,
            "oddity-overflow",
            count = overflow,
            shown = number_format::grouped(l, overflow)
        ));
    }
    let given_up: u64 = summary.classes.iter().map(|c| c.given_up).sum();
    if given_up > 0 {
        let all = summary.ops.unwrap_or(0) + given_up;
        let share = given_up as f64 / all as f64 * 100.0;
        let (shown, share) =
            (number_format::grouped(l, given_up), number_format::percent(l, share, 2));
        let count = given_up;
        out.push(say!(l, "oddity-given-up", count, shown, share));
    }
    // TPC-C's intentional rollbacks have their own section.
    let reads = summary.classes.iter().filter(|c| c.class != NEW_ORDER);
    let misses: u64 = reads.map(|c| c.misses).sum();
    if misses > 0 {
        let share = misses as f64 / summary.ops.unwrap_or(0).max(1) as f64 * 100.0;
        let (shown, share) =
            (number_format::grouped(l, misses), number_format::percent(l, share, 1));
        let count = misses;
        out.push(say!(l, "oddity-misses", count, shown, share));
    }
    out
}
