//! Recorded loads: whether they were replayed when they happened, whether with the same requests,
//! and what was changed of them.

use crate::analysis::facts::{Comparisons, MeasuredFacts, Subjects};
use crate::analysis::points::point_summary::{MovedData, P50, P99, RATE_KEPT};
use crate::base::units::Rate;
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::steps::{StreamFact, replay_model, streams_with};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, in_unit, texts};
use crate::chart::{self, StepDrawing};
use crate::language::Language;
use crate::record::Replayed;
use crate::say;

/// Recorded loads.
pub const SECTION: Section =
    Section::main("replay", |l| say!(l, "section-replay"), SectionBlocks::Compared(blocks));

/// A stream of a cell that replays a recorded load.
type ReplayedStream<'f> = StreamFact<'f, Replayed>;

fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    comparisons: &Comparisons,
) -> Vec<Block> {
    let streams = streams_with(measured, |cell| &cell.replay.recorded, |own| &own.stream);
    if streams.is_empty() {
        return Vec::new();
    }
    let mut out = vec![Block::note(say!(l, "replay-how"))];
    let drawing = |step| StepDrawing::of(l, subjects, comparisons, step);
    let of = |step| chart::of_step(SECTION.id, &drawing(step));
    out.extend(Block::figures(measured.steps.iter().flat_map(of).collect()));
    out.push(times(l, subjects, &streams));
    out.push(Block::chapter(say!(l, "replay-requests")));
    out.push(requests(l, subjects, &streams));
    out.extend(remapped(l, subjects, measured));
    out.extend(replay_model::blocks(l, subjects, measured));
    out
}

/// The names of the columns that say which stream it is.
fn place_head(l: Language) -> [String; 4] {
    [
        say!(l, "column-step"),
        say!(l, "column-at"),
        say!(l, "column-subject"),
        say!(l, "column-stream"),
    ]
}

/// A row's mark, and the columns that say which stream it is about: step and axis value in the first
/// of their rows, the stream where a step has several.
fn places(
    l: Language,
    subjects: &Subjects,
    streams: &[ReplayedStream<'_>],
) -> Vec<(Mark, Vec<TableCell>)> {
    let named_otherwise = |pair: &[ReplayedStream<'_>]| {
        pair[0].step.key == pair[1].step.key && pair[0].fact.stream != pair[1].fact.stream
    };
    let has_streams = streams.windows(2).any(named_otherwise);
    let or_nothing = |shown: bool, text: String| if shown { text } else { String::new() };
    let mut above = None;
    let mut row = |stream: &ReplayedStream<'_>| {
        let (step, value) = (stream.step.key, stream.cell.value);
        let same = above.replace((step, value));
        let is_new = same.is_none_or(|(key, _)| key != step);
        let has_new_value = same != Some((step, value));
        let [title, at, subject] = stream.place(l, subjects);
        let name = or_nothing(has_streams, stream.fact.stream.clone());
        let row = [or_nothing(is_new, title), or_nothing(has_new_value, at), subject, name];
        (if has_new_value { Mark::First } else { Mark::None }, texts(row))
    };
    streams.iter().map(&mut row).collect()
}

/// Arrivals and what was kept of them; lateness and backlog beside the response times.
fn times(l: Language, subjects: &Subjects, streams: &[ReplayedStream<'_>]) -> Block {
    let mut head = place_head(l).to_vec();
    head.extend([
        in_unit(l, &say!(l, "column-arrivals"), "1/s"),
        in_unit(l, &say!(l, "column-achieved"), "ops/s"),
        say!(l, "column-share"),
        say!(l, "column-late"),
        say!(l, "column-max-backlog"),
        say!(l, "column-backlog-at-end"),
        say!(l, "replay-response-median"),
        say!(l, "replay-response-p99"),
    ]);
    let row = |(stream, (mark, mut row)): (&ReplayedStream<'_>, (Mark, Vec<TableCell>))| {
        let summary = stream.summary;
        let achieved = summary.achieved();
        let bad = achieved.is_some_and(|share| share < RATE_KEPT);
        let of_schedule = |text: String| summary.asked.map_or(NONE.to_string(), |_| text);
        let asked = match summary.asked {
            Some(Rate::OpsPerSec(rate)) => TableCell::fixed(rate),
            _ => TableCell::none(),
        };
        row.extend([asked, TableCell::rate(summary.ops_per_s.as_ref())]);
        row.extend(texts([
            achieved.map_or(NONE.to_string(), |share| number_format::share(l, share)),
            of_schedule(number_format::percent(l, summary.late_share() * 100.0, 2)),
            of_schedule(number_format::grouped(l, summary.backlog_max)),
            of_schedule(number_format::grouped(l, summary.backlog_end)),
        ]));
        let response = summary.limited_class().map(|class| class.user_latency());
        row.extend([P50, P99].map(|at| TableCell::percentile(response, at)));
        (if bad { Mark::Bad } else { mark }, row)
    };
    let rows = streams.iter().zip(places(l, subjects, streams)).map(row);
    Table::measured(l, 4, &head, rows.collect()).block()
}

/// Mix and sizes of the trace against those replayed.
fn requests(l: Language, subjects: &Subjects, streams: &[ReplayedStream<'_>]) -> Block {
    let mut head = place_head(l).to_vec();
    head.extend([
        say!(l, "replay-requests-of-trace"),
        say!(l, "replay-reads-of-trace"),
        say!(l, "replay-reads"),
        say!(l, "replay-size-of-trace"),
        say!(l, "replay-size"),
    ]);
    let row = |(stream, (mark, mut row)): (&ReplayedStream<'_>, (Mark, Vec<TableCell>))| {
        let Replayed { reads, writes, .. } = stream.fact;
        let recorded = MovedData {
            reads: reads.requests as f64,
            ops: (reads.requests + writes.requests) as f64,
            bytes: (reads.bytes + writes.bytes) as f64,
        };
        let moved = stream.summary.moved();
        let share = |of: &MovedData| {
            let percent = |share| number_format::percent(l, share * 100.0, 1);
            of.read_share().map_or(NONE.to_string(), percent)
        };
        row.extend(texts([
            number_format::grouped(l, stream.fact.requests()),
            share(&recorded),
            share(&moved),
        ]));
        row.extend([&recorded, &moved].map(|of| TableCell::size(of.mean_size())));
        (mark, row)
    };
    let rows = streams.iter().zip(places(l, subjects, streams)).map(row);
    Table::measured(l, 4, &head, rows.collect()).block()
}

/// From where to where offsets were brought, and what that changes.
fn remapped(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let head = [
        say!(l, "column-step"),
        say!(l, "column-subject"),
        say!(l, "column-stream"),
        say!(l, "replay-remap"),
        say!(l, "replay-addressed"),
        say!(l, "replay-used"),
        say!(l, "replay-reuse-median"),
        say!(l, "replay-reuse-p90"),
    ];
    let mut table = Table::new(4, &head);
    for step in &measured.steps {
        // The space is the same at all values of an axis.
        let mut seen = Vec::new();
        for cell in &step.cells {
            for own in &cell.replay.remapped {
                if seen.contains(&(cell.subject, own)) {
                    continue;
                }
                seen.push((cell.subject, own));
                let bytes = |bytes: u64| number_format::size(l, bytes as f64);
                let pair = |[before, after]: [u64; 2]| {
                    say!(l, "replay-before-after", before = bytes(before), after = bytes(after))
                };
                let title = if seen.len() == 1 { step.title.text(l) } else { String::new() };
                let row = vec![
                    title,
                    subjects[cell.subject].name.clone(),
                    own.stream.clone(),
                    own.how.clone(),
                    bytes(own.needed_bytes),
                    bytes(own.space_bytes),
                    pair(own.reuse_median_bytes),
                    pair(own.reuse_p90_bytes),
                ];
                table.row(Mark::None, row);
            }
        }
    }
    match table.rows.is_empty() {
        true => Vec::new(),
        false => vec![
            Block::chapter(say!(l, "replay-remapped")),
            Block::note(say!(l, "replay-remapped-how")),
            table.block(),
        ],
    }
}
