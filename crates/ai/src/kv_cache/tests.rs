//! Reads and writes of a recording: their order, times, offsets and workers.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::*;
use dyno_core::base::error::describe;
use dyno_core::base::rng::Seed;
use dyno_core::measure::{NextDue, Op};

const BLOCK: u64 = 4096;
const SECOND: u64 = 1_000_000_000;

fn knobs(own: Value) -> Knobs {
    let mut knobs: BTreeMap<String, Value> = BTreeMap::new();
    let given = json!({
        "file": "synthetic", "model": "llama-3.1-8b", "tokens": 512, "block_size": BLOCK,
        "blocks": 1000, "memory_blocks": 0, "eviction": "lru", "prefill": 25_000,
        "touch": "head", "spread": "uniform", "sync": "none", "pace": "recorded", "scale": 1.0,
    });
    for all in [given, own] {
        let Value::Object(all) = all else { panic!("an object") };
        knobs.extend(all);
    }
    Knobs(knobs)
}

/// Due times and ops of worker `thread` of `threads`, and whether each op ends its group.
fn ops_of(
    knobs: &Knobs,
    bytes: u64,
    (thread, threads): (u32, u32),
) -> Result<Vec<(u64, Op, bool)>> {
    let seed = Seed::new(1, 0, u64::from(thread));
    let space = AddressSpace { bytes, align_bytes: 512, ..AddressSpace::default() };
    let share =
        GeneratorInputs { knobs, space, thread, threads, seed, stream_seed: Seed::new(1, 0, 9) };
    let mut source = KvCache.source(&share)?;
    let mut all = Vec::new();
    loop {
        match source.next_due()? {
            NextDue::At(due_ns) => {
                let op = source.op(all.len() as u64);
                all.push((due_ns, op, source.ends_group()));
            }
            NextDue::Unread => std::thread::yield_now(),
            NextDue::Never => return Ok(all),
        }
    }
}

/// A recording in Mooncake's format: seconds and blocks.
fn recording(requests: &[(u64, &[u64])]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let line = |(at_s, blocks): &(u64, &[u64])| {
        json!({ "timestamp": at_s * 1000, "input_length": 1, "hash_ids": blocks }).to_string()
    };
    let text: Vec<String> = requests.iter().map(line).collect();
    std::fs::write(file.path(), text.join("\n")).unwrap();
    file
}

#[test]
fn what_is_cached_is_read_from_where_it_was_written_and_all_else_is_written() {
    let file = recording(&[(0, &[0, 1]), (1, &[0, 1, 2]), (2, &[0, 3]), (3, &[0, 1, 3])]);
    let own = json!({ "file": file.path(), "blocks": 3, "spread": "none" });
    let ops = ops_of(&knobs(own), 3 * BLOCK, (0, 1)).unwrap();
    let shown: Vec<(u64, OpKind, u64, bool)> = ops
        .iter()
        .map(|(due, op, ends)| ((due + SECOND / 2) / SECOND, op.kind, op.at / BLOCK, *ends))
        .collect();
    use OpKind::{Read, Write};
    // Block 3 evicts block 1, then block 1 evicts block 2. Behind the missing block 1, block 3 is
    // of no use.
    let truth = [
        (0, Write, 0),
        (0, Write, 1),
        (1, Read, 0),
        (1, Read, 1),
        (1, Write, 2),
        (2, Read, 0),
        (2, Write, 1),
        (3, Read, 0),
        (3, Write, 2),
    ];
    let of = |(due, kind, at, _): &(u64, OpKind, u64, bool)| (*due, *kind, *at);
    assert_eq!(shown.iter().map(of).collect::<Vec<_>>(), truth);
    let ends: Vec<usize> =
        (0..shown.len()).filter(|n| shown[*n].3 && shown[*n].1 == Read).collect();
    assert_eq!(ends, [3, 5, 7], "a prefix ends with its last read");
}

#[test]
fn blocks_in_memory_are_not_read_and_the_oldest_is_written_when_another_is_computed() {
    // Memory holds 0 and 1; 2 and 3 displace 1 and then 2. Block 1 is on the drive from then on.
    let file = recording(&[(0, &[0, 1]), (1, &[0, 2]), (2, &[0, 1, 3]), (3, &[0, 1, 2])]);
    let own = json!({
        "file": file.path(), "blocks": 3, "memory_blocks": 2, "spread": "none",
    });
    let ops = ops_of(&knobs(own.clone()), 3 * BLOCK, (0, 1)).unwrap();
    use OpKind::{Read, Write};
    let shown: Vec<(OpKind, u64)> = ops.iter().map(|(_, op, _)| (op.kind, op.at / BLOCK)).collect();
    assert_eq!(shown, [(Write, 0), (Read, 0), (Write, 1), (Read, 0), (Read, 1)]);
    let cached = KvCache.recorded(&knobs(own)).unwrap().unwrap().cache.unwrap();
    assert_eq!((cached.memory, cached.hits, cached.misses), (2, 3, 2));
}

#[test]
fn memory_and_drive_together_hit_as_one_lru_without_promotion_would() {
    // A model: the blocks in memory by age, and the blocks on the drive by age.
    let (mut memory, mut drive): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    let (mut memory_hits, mut reads, mut writes) = (0, 0, 0);
    let plain = knobs(json!({ "blocks": 500, "memory_blocks": 64, "end": 600_000_000_000u64 }));
    let all = knobs(json!({ "blocks": 500, "memory_blocks": 64 }));
    for block in accesses(&all).unwrap() {
        if let Some(at) = memory.iter().position(|own| *own == block) {
            memory.remove(at);
            memory.push(block);
            memory_hits += 1;
        } else if let Some(at) = drive.iter().position(|own| *own == block) {
            drive.remove(at);
            drive.push(block);
            reads += 1;
        } else {
            memory.push(block);
            if memory.len() > 64 {
                drive.push(memory.remove(0));
                writes += 1;
                if drive.len() > 500 {
                    drive.remove(0);
                }
            }
        }
    }
    let cached = KvCache.recorded(&all).unwrap().unwrap().cache.unwrap();
    // Memory hits before the first block is written are before the load's start.
    let found = cached.hits + cached.behind;
    assert_eq!((cached.memory_hits, found, cached.misses), (memory_hits, reads, writes));
    let part = KvCache.recorded(&plain).unwrap().unwrap().cache.unwrap();
    assert!(part.memory_hits < memory_hits && part.hits < reads);
}

#[test]
fn the_counts_of_a_window_are_those_of_a_cache_that_saw_all_before_it() {
    let file = recording(&[(0, &[0, 1]), (1, &[0, 1, 2]), (2, &[0, 3]), (3, &[0, 1, 3])]);
    let own =
        json!({ "file": file.path(), "blocks": 3, "spread": "none", "start": 2_000_000_000u64 });
    let load = KvCache.recorded(&knobs(own)).unwrap().unwrap();
    let cached = load.cache.unwrap();
    let counts = (cached.requests, cached.hits, cached.misses, cached.evictions);
    assert_eq!(counts, (2, 2, 2, 2));
    assert_eq!((cached.prefixes, cached.behind), (2, 1));
}

#[test]
fn reuse_stops_at_the_first_missing_block_in_either_order_of_access() {
    // A model of the definition, in the words of the documentation: the cache as a list of blocks
    // from the least recently accessed on.
    let model = |tail_first: bool, capacity: usize| {
        let (sessions, _) = generate::conversations(1);
        let (mut cache, mut reads, mut behind): (Vec<u64>, u64, u64) = (Vec::new(), 0, 0);
        for (_, blocks) in sessions.each().take(3_000) {
            let held = blocks.iter().take_while(|block| cache.contains(*block)).count();
            let (prefix, rest) = blocks.split_at(held);
            for (part, is_prefix) in [(prefix, true), (rest, false)] {
                let mut part = part.to_vec();
                if tail_first {
                    part.reverse();
                }
                for block in part {
                    match cache.iter().position(|own| *own == block) {
                        Some(at) => {
                            cache.remove(at);
                            (reads, behind) =
                                (reads + u64::from(is_prefix), behind + u64::from(!is_prefix));
                        }
                        None if cache.len() == capacity => drop(cache.remove(0)),
                        None => {}
                    }
                    cache.push(block);
                }
            }
        }
        (reads, behind)
    };
    let mut found = Vec::new();
    for (touch, tail_first) in [("head", false), ("tail", true)] {
        let (sessions, _) = generate::conversations(1);
        let from_ns = sessions.each().next().expect("a request").0;
        let end_ns = sessions.each().nth(3_000).expect("a request").0 - from_ns;
        let whole = sessions.each().take_while(|(at_ns, _)| at_ns - from_ns < end_ns).count();
        let own = json!({ "blocks": 500, "touch": touch, "spread": "none", "end": end_ns });
        let cached = KvCache.recorded(&knobs(own)).unwrap().unwrap().cache.unwrap();
        let truth = model(tail_first, 500);
        // The model ends within a step of times, and the window at its beginning.
        let near = |own: u64, truth: u64| (own as f64 / truth as f64 - 1.0).abs() < 0.01;
        assert!(near(cached.hits, truth.0), "{touch}: {cached:?}, {truth:?}, {whole}");
        assert!(cached.behind.abs_diff(truth.1) < 100, "{touch}: {cached:?}, {truth:?}");
        found.push(cached);
    }
    // Head first, the beginnings of prompts are the oldest, and evicted before their continuations.
    assert!(found[1].hits > found[0].hits, "{found:?}");
}

#[test]
fn a_faster_replay_does_not_make_the_model_faster() {
    let file = recording(&[(0, &[0, 1]), (100, &[2])]);
    for scale in [1.0, 10.0, 100.0] {
        let own = json!({ "file": file.path(), "spread": "none", "scale": scale });
        let ops = ops_of(&knobs(own), 1 << 30, (0, 1)).unwrap();
        let [first, second, _] = ops[..] else { panic!("{ops:?}") };
        // 512 tokens at 25,000 per second, whatever the pace of the requests.
        let computed_ms = (second.0 - first.0) as f64 / 1e6;
        assert!((computed_ms - 20.48).abs() < 0.01, "{scale}: {computed_ms} ms");
    }
}

#[test]
fn tokens_are_those_whose_keys_and_values_the_bytes_hold() {
    let of = |own| KvCache.recorded(&knobs(own)).unwrap().unwrap().cache.unwrap();
    let small = of(json!({ "block_size": 65_536, "blocks": 100 }));
    assert_eq!((small.tokens, small.tokens_held()), (512, 0.5));
    let mut whole = knobs(json!({ "blocks": 100 }));
    whole.0.remove("block_size");
    let whole = KvCache.recorded(&whole).unwrap().unwrap().cache.unwrap();
    assert_eq!((whole.block_bytes, whole.tokens_held()), (64 << 20, 512.0));
    let prefix = whole.tokens_of_prefix().expect("prefixes");
    assert_eq!(prefix, whole.hits as f64 / whole.prefixes as f64 * 512.0);
}

#[test]
fn workers_divide_a_recording_by_request() {
    let all = ops_of(&knobs(json!({})), 1 << 30, (0, 1)).unwrap();
    let mut worker_of: HashMap<u64, u32> = HashMap::new();
    let mut together = Vec::new();
    for thread in 0..3 {
        for (due_ns, op, ends) in ops_of(&knobs(json!({})), 1 << 30, (thread, 3)).unwrap() {
            assert_eq!(*worker_of.entry(due_ns).or_insert(thread), thread);
            together.push((due_ns, op.kind == OpKind::Read, op.at, ends));
        }
    }
    together.sort_unstable();
    let mut truth: Vec<_> =
        all.iter().map(|(due, op, ends)| (*due, op.kind == OpKind::Read, op.at, *ends)).collect();
    truth.sort_unstable();
    assert_eq!(together, truth);
    let of = |thread| worker_of.values().filter(|own| **own == thread).count();
    assert!((0..3).all(|thread| of(thread) > 3_500), "{:?}", [of(0), of(1), of(2)]);
}

#[test]
fn a_request_has_one_group_at_any_scale() {
    let ends = |scale: f64| {
        let ops = ops_of(&knobs(json!({ "scale": scale, "spread": "none" })), 1 << 30, (0, 1));
        ops.unwrap().iter().filter(|(_, op, ends)| op.kind == OpKind::Read && *ends).count()
    };
    // Every request starts with the one block that all share; the first request writes it.
    assert_eq!((ends(1.0), ends(1000.0)), (12_030, 12_030));
}

#[test]
fn durable_blocks_are_written_and_flushed_as_one_op() {
    let knobs = knobs(json!({ "sync": "fdatasync", "end": 60_000_000_000u64 }));
    let ops = ops_of(&knobs, 1 << 30, (0, 1)).unwrap();
    assert!(ops.iter().all(|(_, op, _)| [OpKind::Read, OpKind::WriteFlush].contains(&op.kind)));
    assert_eq!(KvCache.classes(&knobs)[2], Class::WRITE_FDATASYNC);
}

#[test]
fn what_does_not_fit_is_refused_with_what_to_do() {
    let refusal = |own, bytes| describe(&ops_of(&knobs(own), bytes, (0, 1)).unwrap_err());
    let (what, help) = refusal(json!({}), 999 * BLOCK);
    assert!(what.contains("1000 blocks") && help[0].contains("`blocks` to 999"), "{what} {help:?}");
    let (what, help) = refusal(json!({ "block_size": 1000 }), 1 << 30);
    assert!(what.contains("1000 bytes") && help[0].contains("4096"), "{what} {help:?}");
    let own = json!({ "eviction": "s3-fifo", "blocks": 19 });
    assert!(refusal(own, 1 << 30).1[0].contains("20"));
    assert!(refusal(json!({ "file": "/nowhere/recording" }), 1 << 30).0.contains("recording"));
}

/// "POLICY CAPACITY HITS EVICTIONS" for the built-in recording, with the command that printed it.
const TRUTH: &str = include_str!("../../../../tests/data/kv-cache-libcachesim.txt");

#[test]
fn hits_and_evictions_of_the_recording_that_ships_equal_libcachesims() {
    let mut compared = 0;
    for line in TRUTH.lines().filter(|line| !line.starts_with('#')) {
        let [eviction, blocks, hits, evictions] =
            line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let blocks: u64 = blocks.parse().unwrap();
        let load = KvCache.recorded(&knobs(json!({ "eviction": eviction, "blocks": blocks })));
        let cached = load.unwrap().unwrap().cache.unwrap();
        let found = cached.hits + cached.behind;
        let own = (found.to_string(), cached.evictions.to_string());
        assert_eq!(own, (hits.to_string(), evictions.to_string()), "{line}");
        compared += 1;
    }
    assert_eq!(compared, 9);
}
