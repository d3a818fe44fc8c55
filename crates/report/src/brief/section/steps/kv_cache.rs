//! Caches of language models' keys and values: the time to load a prefix, hits, throughput and
//! energy, and the parameters of the cache.

use crate::analysis::facts::{MeasuredFacts, Subjects};
use crate::analysis::points::point_summary::{Latency, P95, P99, RepeatSummary};
use crate::brief::block::{Block, Mark, Table};
use crate::brief::number_format::{self, NONE};
use crate::brief::section::steps::{StreamFact, streams_with};
use crate::brief::section::{Section, SectionBlocks};
use crate::brief::text::table_cell::{TableCell, texts};
use crate::language::Language;
use crate::say;
use dyno_core::record::{CachedBlocks, Class};

/// Caches of keys and values.
pub const SECTION: Section =
    Section::main("kv-cache", |l| say!(l, "section-kv-cache"), SectionBlocks::Figures(blocks));

/// A stream of a cell that goes through a cache.
type CachedStream<'f> = StreamFact<'f, CachedBlocks>;

fn blocks(l: Language, subjects: &Subjects, measured: &MeasuredFacts) -> Vec<Block> {
    let streams = streams_with(measured, |cell| &cell.replay.caches, |cached| &cached.stream);
    if streams.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::note(say!(l, "kv-cache-how"))];
    blocks.extend(smaller_blocks(l, &streams).map(Block::note));
    blocks.push(times(l, subjects, &streams));
    blocks.push(Block::chapter(say!(l, "kv-cache-caches")));
    blocks.push(caches(l, &streams));
    blocks
}

/// The steps whose blocks are smaller than those of their model.
fn smaller_blocks(l: Language, streams: &[CachedStream<'_>]) -> Option<String> {
    let is_small =
        |stream: &&CachedStream<'_>| stream.fact.tokens_held() < 0.999 * stream.fact.tokens as f64;
    let mut steps: Vec<String> =
        streams.iter().filter(is_small).map(|stream| stream.step.title.text(l)).collect();
    steps.dedup();
    (!steps.is_empty()).then(|| say!(l, "kv-cache-smaller", steps = l.list(&steps)))
}

/// The user's latency of writes, durable ones or not.
fn of_writes(summary: &RepeatSummary) -> Option<&Latency> {
    let write = summary.classes.iter().find(|own| own.class.is_write())?;
    summary.user_latency(Some(write.class))
}

/// Prefixes, blocks, throughput and energy.
fn times(l: Language, subjects: &Subjects, streams: &[CachedStream<'_>]) -> Block {
    let head = [
        say!(l, "column-step"),
        say!(l, "column-at"),
        say!(l, "column-subject"),
        say!(l, "kv-cache-prefix-mean"),
        say!(l, "kv-cache-prefix-p95"),
        say!(l, "kv-cache-prefix-p99"),
        say!(l, "kv-cache-prefix-tokens"),
        say!(l, "kv-cache-recomputed"),
        say!(l, "kv-cache-block-p95"),
        say!(l, "kv-cache-write-p95"),
        say!(l, "kv-cache-hit-rate"),
        say!(l, "kv-cache-tokens"),
        say!(l, "kv-cache-read-mb"),
        say!(l, "kv-cache-joules"),
    ];
    let row = |stream: &CachedStream<'_>| {
        let CachedStream { cell, fact: cached, summary, .. } = stream;
        let mut row = texts(stream.place(l, subjects));
        let prefix = summary.user_latency(Some(Class::PREFIX));
        row.push(TableCell::mean(prefix));
        row.extend([P95, P99].map(|at| TableCell::percentile(prefix, at)));
        let tokens = cached.tokens_of_prefix();
        row.push(TableCell::fixed(tokens));
        row.push(TableCell::time(tokens.map(|own| own / cached.prefill as f64 * 1e9)));
        row.push(TableCell::percentile(summary.user_latency(Some(Class::READ)), P95));
        row.push(TableCell::percentile(of_writes(summary), P95));
        let ops = |class| Some(summary.class(Some(class))?.ops_per_s.as_ref()?.value);
        let hits = ops(Class::READ).unwrap_or(0.0);
        let blocks = summary.ops_per_s.as_ref().map_or(0.0, |ops| ops.value);
        let tokens_per_s = hits * cached.tokens_held();
        row.extend([share(l, hits, blocks).into(), TableCell::fixed(tokens_per_s)]);
        let read = summary.class(Some(Class::READ)).and_then(|own| own.bytes_per_s.as_ref());
        row.push(TableCell::megabytes(read));
        let joules = cell.power.first().filter(|_| tokens_per_s > 0.0);
        row.push(TableCell::energy(
            joules.map(|power| power.mean_watts.value / tokens_per_s * 1e6),
        ));
        (Mark::None, row)
    };
    Table::measured(l, 3, &head, streams.iter().map(row).collect()).block()
}

fn share(l: Language, part: f64, all: f64) -> String {
    match all > 0.0 {
        true => number_format::percent(l, part / all * 100.0, 1),
        false => NONE.to_string(),
    }
}

/// The parameters of the caches, and the hits of the replayed part of the recording in them.
fn caches(l: Language, streams: &[CachedStream<'_>]) -> Block {
    let head = [
        say!(l, "column-step"),
        say!(l, "kv-cache-model"),
        say!(l, "kv-cache-eviction"),
        say!(l, "kv-cache-touch"),
        say!(l, "kv-cache-spread"),
        say!(l, "kv-cache-block"),
        say!(l, "kv-cache-block-tokens"),
        say!(l, "kv-cache-blocks"),
        say!(l, "kv-cache-requests"),
        say!(l, "kv-cache-hits"),
        say!(l, "kv-cache-behind"),
        say!(l, "kv-cache-misses"),
        say!(l, "kv-cache-evictions"),
        say!(l, "kv-cache-memory"),
        say!(l, "kv-cache-memory-hits"),
    ];
    let (mut rows, mut seen) = (Vec::new(), Vec::new());
    for CachedStream { step, fact: cached, .. } in streams {
        let title = step.title.text(l);
        if seen.contains(&(title.clone(), *cached)) {
            continue;
        }
        let CachedBlocks { model, eviction, touch, spread, .. } = cached;
        let names = [&title, model, eviction, touch, spread].map(Clone::clone);
        let mut row = texts(names);
        row.push(TableCell::size(cached.block_bytes as f64));
        let counts = [
            cached.tokens,
            cached.blocks,
            cached.requests,
            cached.hits,
            cached.behind,
            cached.misses,
            cached.evictions,
        ];
        row.extend(texts(counts.map(|count| number_format::grouped(l, count))));
        let of_memory = [cached.memory, cached.memory_hits];
        row.extend(of_memory.map(|count| match cached.memory {
            0 => TableCell::none(),
            _ => number_format::grouped(l, count).into(),
        }));
        rows.push((Mark::None, row));
        seen.push((title, *cached));
    }
    Table::measured(l, 5, &head, rows).block()
}
