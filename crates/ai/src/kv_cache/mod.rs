//! `kv_cache`: the cache of a language model's keys and values on a drive (docs/kv-cache.md).
//!
//! `sessions` are the requests of a recording, which `formats` parses or `generate` creates.
//! `cache` holds the knobs, `models` the size of blocks, and `eviction`, `s3_fifo` and `rule` the
//! eviction policies. `recording` compiles a recording and a cache into a trace of block reads and
//! writes, which is replayed like one of the workload `trace`.

mod cache;
mod eviction;
mod formats;
mod generate;
mod models;
mod recording;
mod rule;
mod s3_fifo;
mod sessions;
#[cfg(test)]
mod tests;

use self::cache::Cache;
use self::recording::Recording;
use self::sessions::Spread;
use dyno_core::base::error::Result;
use dyno_core::measure::{AddressSpace, OpGenerator, OpKind};
use dyno_core::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use dyno_core::record::{CachedBlocks, Class};
use dyno_core::workload::{GeneratorInputs, RecordedLoad, Workload};
use dyno_trace::RequestKind;
use dyno_trace::replay::ahead::{ReplayPart, TraceSource};
use dyno_trace::replay::mapping::OffsetMapping;
use dyno_trace::replay::properties::{no_rate, recorded_load, recording};
use dyno_trace::replay::selection::{ReplayPace, Selection};
use dyno_trace::replay::survey::survey;
use dyno_trace::replay::{END, PACE, SCALE, START};

/// The workload `kv_cache`.
pub struct KvCache;

static INFO: Info = Info {
    name: "kv_cache",
    summary: "the key-value cache of a language model: a recording's blocks are read if cached, \
              else written",
    family: RequestFamily::Block,
    writes: Writes::Always,
    max_depth: 1,
    knobs: &[
        Knob {
            name: "file",
            kind: KnobKind::Text,
            default: DefaultValue::Is("\"synthetic\""),
            doc: "The recording: JSON lines of Mooncake or LMCache, CSV of BurstGPT or LMCache, or \
                  synthetic, a made-up hour of conversations that ships with Dyno.",
        },
        Knob {
            name: "model",
            kind: KnobKind::Choice(models::NAMES),
            default: DefaultValue::Is("\"llama-3.1-8b\""),
            doc: "The model, which determines the bytes of a block.",
        },
        Knob {
            name: "tokens",
            kind: KnobKind::Int { min: 1, max: 65_536 },
            default: DefaultValue::Is("512"),
            doc: "Tokens of a block; 512 in Mooncake's recordings.",
        },
        Knob {
            name: "block_size",
            kind: KnobKind::Bytes,
            default: DefaultValue::Absent,
            doc: "Bytes of a block in place of the model's, for small machines.",
        },
        Knob {
            name: "blocks",
            kind: KnobKind::Int { min: 1, max: 1 << 28 },
            default: DefaultValue::Is("4096"),
            doc: "Blocks that the cache holds.",
        },
        Knob {
            name: "memory_blocks",
            kind: KnobKind::Int { min: 0, max: 1 << 28 },
            default: DefaultValue::Is("0"),
            doc: "Further blocks that are held in memory: computed blocks go there, and the one \
                  that was not accessed for the longest time is then written to the cache on the \
                  drive.",
        },
        Knob {
            name: "eviction",
            kind: KnobKind::Choice(eviction::NAMES),
            default: DefaultValue::Is("\"lru\""),
            doc: "Which blocks the cache evicts.",
        },
        Knob {
            name: "touch",
            kind: KnobKind::Choice(&["head", "tail"]),
            default: DefaultValue::Is("\"head\""),
            doc: "Which block of a request is accessed first: the first, or the last, so that the \
                  beginnings of prompts stay longest (LMCache, `touch_cache`).",
        },
        Knob {
            name: "prefill",
            kind: KnobKind::Int { min: 1, max: 1_000_000_000 },
            default: DefaultValue::Is("25000"),
            doc: "Tokens per second at which the model computes the blocks of a prompt that are \
                  not cached: each is written when it is computed.",
        },
        Knob {
            name: "spread",
            kind: KnobKind::Choice(Spread::WORDS),
            default: DefaultValue::Is("\"uniform\""),
            doc: "How requests of one time, as recordings in steps of 3 s have them, are spread \
                  until the next time: uniform at random times (Poisson arrivals), even at equal \
                  distances, none not at all.",
        },
        Knob {
            name: "sync",
            kind: KnobKind::Choice(&["none", "fdatasync"]),
            default: DefaultValue::Is("\"none\""),
            doc: "fdatasync: each block written is made durable before it is complete, as one \
                  latency.",
        },
        PACE,
        SCALE,
        START,
        END,
    ],
    source: "Qin et al., Mooncake, FAST 2025; MLPerf Storage v3.0 rules, 6.3 and 6.4",
};

/// Indices of the classes.
const PREFIX: u8 = 0;
const READ: u8 = 1;
const WRITE: u8 = 2;

fn is_durable(knobs: &Knobs) -> bool {
    knobs.text("sync").is_ok_and(|sync| sync == "fdatasync")
}

impl Workload for KvCache {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, knobs: &Knobs) -> Vec<Class> {
        let write = if is_durable(knobs) { Class::WRITE_FDATASYNC } else { Class::WRITE };
        vec![Class::PREFIX, Class::READ, write]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Err(no_rate())
    }

    fn recording<'k>(&self, knobs: &'k Knobs) -> Option<&'k str> {
        recording(knobs)
    }

    fn recorded(&self, knobs: &Knobs) -> Result<Option<RecordedLoad>> {
        let CacheReplay { cache, recording, selection, pace } = CacheReplay::of(knobs)?;
        let found = survey(&selection, &mut recording.reader(&cache.file)?)?;
        let cached = CachedBlocks {
            stream: String::new(),
            model: cache.model,
            eviction: cache.eviction,
            spread: cache.spread.name().to_string(),
            blocks: cache.blocks,
            block_bytes: cache.block_bytes,
            tokens: cache.tokens,
            token_bytes: cache.token_bytes,
            prefill: cache.prefill,
            touch: if cache.tail_first { "tail" } else { "head" }.to_string(),
            prefixes: within(&recording.prefixes_ns, &selection),
            behind: within(&recording.behind_ns, &selection),
            requests: within(&recording.requests_ns, &selection),
            hits: found.of(RequestKind::Read).requests,
            misses: found.of(RequestKind::Write).requests,
            evictions: within(&recording.evictions_ns, &selection),
            memory: cache.memory,
            memory_hits: within(&recording.memory_hits_ns, &selection),
        };
        let load = recorded_load(&selection, pace, &found);
        Ok(Some(RecordedLoad { cache: Some(cached), ..load }))
    }

    fn check(&self, share: &GeneratorInputs<'_>) -> Result<()> {
        Cache::of(share.knobs)?.check(share.space)
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let CacheReplay { cache, recording, selection, pace } = CacheReplay::of(share.knobs)?;
        cache.check(share.space)?;
        let mut reader = recording.reader(&cache.file)?;
        let found = survey(&selection, &mut reader)?;
        let durable = is_durable(share.knobs);
        let part = ReplayPart {
            mapping: OffsetMapping::new(&selection, &found, share.space)?,
            classes: [READ, WRITE, WRITE, WRITE],
            share: (share.thread, share.threads),
            write: if durable { OpKind::WriteFlush } else { OpKind::Write },
            group_class: Some(PREFIX),
            selection,
            pace,
        };
        Ok(Box::new(TraceSource::start(part, reader, share.seed)?))
    }
}

/// The replay of a recording through a cache.
struct CacheReplay {
    cache: Cache,
    recording: std::sync::Arc<Recording>,
    selection: Selection,
    pace: ReplayPace,
}

impl CacheReplay {
    fn of(knobs: &Knobs) -> Result<CacheReplay> {
        let (mut selection, pace) = (Selection::window(knobs)?, ReplayPace::of(knobs)?);
        let cache = Cache::of(knobs)?;
        let recording = recording::open(&cache)?;
        // The window starts at the first request to the model.
        let since_block = |ns: u64| ns.saturating_sub(recording.first_block_ns);
        selection.start_ns = since_block(selection.start_ns);
        selection.end_ns = since_block(selection.end_ns);
        Ok(CacheReplay { recording, cache, selection, pace })
    }
}

/// Number of these times that lie within the window.
fn within(times_ns: &[u64], window: &Selection) -> u64 {
    let before = |ns: u64| times_ns.partition_point(|at| *at < ns);
    (before(window.end_ns) - before(window.start_ns)) as u64
}

/// The blocks of a recording's requests, from the first of each on: input for any cache simulator.
pub fn accesses(knobs: &Knobs) -> Result<Vec<u64>> {
    Ok(recording::sessions(&Cache::of(knobs)?)?.blocks().to_vec())
}
