//! Recorded loads: whether the requests were replayed at their recorded times, whether they are the
//! same requests, and what was changed.

use crate::analysis::facts::{Comparisons, MeasuredFacts, StepFacts, Subjects};
use crate::analysis::points::point_summary::{MovedData, P50, P99, RATE_KEPT};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::steps::{StreamFact, replay_model, streams_with};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, in_unit, texts};
use crate::chart::{self, StepDrawing};
use crate::language::Language;
use crate::say;
use dyno_core::base::units::Rate;
use dyno_core::record::Replayed;

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
    out.extend(of_each_step(l, &streams, Block::chapter, |own| times(l, subjects, own)));
    out.push(Block::chapter(say!(l, "replay-requests")));
    out.extend(of_each_step(l, &streams, Block::part, |own| requests(l, subjects, own)));
    out.extend(remapped(l, subjects, measured));
    out.extend(replay_model::blocks(l, subjects, measured));
    out
}

/// A table for each step, below the step's title if there are several.
fn of_each_step(
    l: Language,
    streams: &[ReplayedStream<'_>],
    heading: fn(String) -> Block,
    table: impl Fn(&[ReplayedStream<'_>]) -> Block,
) -> Vec<Block> {
    let steps: Vec<_> = streams.chunk_by(|a, b| a.step.key == b.step.key).collect();
    let title = |step: &StepFacts| (steps.len() > 1).then(|| heading(step.title.text(l)));
    let blocks = |own: &&[ReplayedStream<'_>]| title(own[0].step).into_iter().chain([table(own)]);
    steps.iter().flat_map(blocks).collect()
}

/// The names of the columns that identify the stream.
fn place_head(l: Language) -> [String; 3] {
    [say!(l, "column-at"), say!(l, "column-subject"), say!(l, "column-stream")]
}

/// A row's mark, and the columns that identify the stream of a step: the axis value in the first of
/// its rows, the stream if there are several names.
fn places(
    l: Language,
    subjects: &Subjects,
    streams: &[ReplayedStream<'_>],
) -> Vec<(Mark, Vec<TableCell>)> {
    let has_streams = streams.windows(2).any(|pair| pair[0].fact.stream != pair[1].fact.stream);
    let or_nothing = |shown: bool, text: String| if shown { text } else { String::new() };
    let mut above = None;
    let row = |stream: &ReplayedStream<'_>| {
        let is_new = above.replace(stream.cell.value) != Some(stream.cell.value);
        let [_, at, subject] = stream.place(l, subjects);
        let name = or_nothing(has_streams, stream.fact.stream.clone());
        let mark = if is_new { Mark::First } else { Mark::None };
        (mark, texts([or_nothing(is_new, at), subject, name]))
    };
    streams.iter().map(row).collect()
}

/// Arrivals, and the part of them that was achieved; lateness and backlog next to the response
/// times.
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
    Table::measured(l, 3, &head, rows.collect()).block()
}

/// Mix and sizes of the trace compared with those of the replay.
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
    Table::measured(l, 3, &head, rows.collect()).block()
}

/// The ranges between which offsets were mapped, and the effects of the mapping.
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
