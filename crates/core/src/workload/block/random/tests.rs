//! Tests of random reads and writes: mixes, sizes, offsets, and reproducibility of each op.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn knobs(read: f64, block: serde_json::Value, from: f64, span: f64) -> Knobs {
    let pairs = [
        ("read", json!(read)),
        ("block", block),
        ("offsets", json!("uniform")),
        ("hot_ops", json!("all")),
        ("random", json!(100.0)),
        ("from", json!(from)),
        ("span", json!(span)),
    ];
    Knobs(pairs.into_iter().map(|(k, v)| (k.to_string(), v)).collect())
}

fn source(knobs: &Knobs, bytes: u64) -> Box<dyn OpGenerator> {
    let space = AddressSpace { bytes, align_bytes: 512, ..AddressSpace::default() };
    let seed = Seed::new(1, 0, 0);
    Random
        .source(&GeneratorInputs { knobs, space, thread: 0, threads: 1, seed, stream_seed: seed })
        .unwrap()
}

#[test]
fn the_mix_of_reads_and_sizes_is_as_asked() {
    let mut source = source(&knobs(70.0, json!([[8192, 99], [65536, 1]]), 0.0, 100.0), 1 << 30);
    let ops: Vec<Op> = (0..100_000).map(|n| source.op(n)).collect();
    let share = |f: fn(&&Op) -> bool| ops.iter().filter(f).count() as f64 / 1000.0;
    assert!((share(|o| o.kind == OpKind::Read) - 70.0).abs() < 0.5);
    assert!((share(|o| o.len == 65536) - 1.0).abs() < 0.1);
}

#[test]
fn the_first_and_the_last_block_are_reached() {
    let mut source = source(&knobs(100.0, json!([[4096, 1]]), 0.0, 25.0), 64 * 4096);
    let mut seen: Vec<u64> = (0..1000).map(|n| source.op(n).at / 4096).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, (0..16).collect::<Vec<_>>());
}

#[test]
fn sizes_may_differ_in_their_share_of_reads_and_of_random_offsets() {
    let mut knobs = knobs(80.0, json!([[8192, 99], [65536, 1]]), 0.0, 100.0);
    for (name, small, large) in [("read_by_size", 80.0, 1.0), ("random_by_size", 100.0, 0.1)] {
        knobs.0.insert(name.into(), json!([[8192, small], [65536, large]]));
    }
    let mut source = source(&knobs, 1 << 34);
    let ops: Vec<Op> = (0..400_000).map(|n| source.op(n)).collect();
    let large: Vec<&Op> = ops.iter().filter(|o| o.len == 65536).collect();
    let reads = |ops: &mut dyn Iterator<Item = &Op>| {
        let (mut reads, mut all) = (0.0, 0.0);
        ops.for_each(|o| (reads, all) = (reads + f64::from(o.kind == OpKind::Read), all + 1.0));
        reads / all * 100.0
    };
    assert!((reads(&mut ops.iter().filter(|o| o.len == 8192)) - 80.0).abs() < 0.5);
    assert!(reads(&mut large.iter().copied()) < 2.0);
    let jumps = large.windows(2).filter(|w| w[1].at != w[0].at + 65536).count();
    assert!(jumps <= 20, "{jumps} of {}", large.len());
}

#[test]
fn an_op_is_the_same_whether_those_before_it_were_asked_for_or_not() {
    let mut knobs = knobs(70.0, json!([[4096, 40], [16384, 60]]), 0.0, 100.0);
    knobs.0.insert("random".into(), json!(70.0));
    let mut in_order = source(&knobs, 1 << 30);
    let ops: Vec<Op> = (0..5000).map(|n| in_order.op(n)).collect();
    let mut at_once = source(&knobs, 1 << 30);
    for n in [4999, 17, 2500] {
        assert_eq!(at_once.op(n as u64), ops[n]);
    }
}

#[test]
fn only_reads_may_keep_to_the_hotspot() {
    let mut knobs = knobs(50.0, json!([[4096, 1]]), 0.0, 100.0);
    let hot =
        [("offsets", json!("hotspot")), ("hot_share", json!(80.0)), ("hot_range", json!(20.0))];
    knobs.0.extend(hot.map(|(k, v)| (k.to_string(), v)));
    knobs.0.insert("hot_ops".into(), json!("reads"));
    let mut source = source(&knobs, 1 << 30);
    let ops: Vec<Op> = (0..100_000).map(|n| source.op(n)).collect();
    for (kind, share) in [(OpKind::Read, 0.8), (OpKind::Write, 0.2)] {
        let own: Vec<_> = ops.iter().filter(|o| o.kind == kind).collect();
        let hot = own.iter().filter(|o| o.at < (1 << 30) / 5).count() as f64 / own.len() as f64;
        assert!((hot - share).abs() < 0.01, "{kind:?}: {hot}");
    }
}

#[test]
fn a_flush_follows_every_so_many_writes_whichever_ops_were_asked_for() {
    let mut knobs = knobs(70.0, json!([[4096, 1]]), 0.0, 100.0);
    knobs.0.insert("fdatasync".into(), json!(8));
    let mut in_order = source(&knobs, 1 << 30);
    let ops: Vec<Op> = (0..20_000).map(|n| in_order.op(n)).collect();
    let mut writes = 0;
    for op in &ops {
        match op.kind {
            OpKind::Write => writes += 1,
            OpKind::Flush => assert_eq!(std::mem::take(&mut writes), 8),
            _ => {}
        }
        assert!(writes <= 8);
    }
    let flushes = ops.iter().filter(|o| o.kind == OpKind::Flush).count();
    assert!(flushes > 600, "{flushes}");
    let mut at_once = source(&knobs, 1 << 30);
    for n in [19_999, 17, 2500] {
        assert_eq!(at_once.op(n as u64), ops[n]);
    }
}

#[test]
fn a_mix_without_new_ops_makes_the_ops_that_it_always_made() {
    let mut source = source(&knobs(70.0, json!([[4096, 1]]), 0.0, 100.0), 1 << 30);
    for n in 0..1000 {
        let mut rng = Seed::new(1, 0, 0).at(n);
        let read = (rng.draw() as f64) < 0.7 * 2f64.powi(64);
        let (op, at) = (source.op(n), rng.below((1 << 30) / 4096) * 4096);
        assert_eq!((op.kind == OpKind::Read, op.kind == OpKind::Write), (read, !read));
        assert_eq!((op.at, op.class), (at, u8::from(!read)));
    }
}

#[test]
fn a_portion_is_of_the_ops_that_one_call_each_makes() {
    let mixes = [
        knobs(100.0, json!([[4096, 1]]), 0.0, 100.0),
        knobs(95.0, json!([[4096, 1]]), 0.0, 100.0),
        knobs(70.0, json!([[4096, 1]]), 10.0, 50.0),
        knobs(70.0, json!([[8192, 99], [65536, 1]]), 0.0, 100.0),
    ];
    for mut knobs in mixes {
        for flush in [0.0, 5.0] {
            let rest = 100.0 - knobs.float("read").unwrap();
            knobs.0.insert("flush".into(), json!(rest.min(flush)));
            let (mut source, mut single) = (source(&knobs, 1 << 30), source(&knobs, 1 << 30));
            let mut ops = [Op::NONE; 100];
            for n in [0, 100, 5_000] {
                source.ops(n, &mut ops);
                assert_eq!(ops.to_vec(), (n..n + 100).map(|n| single.op(n)).collect::<Vec<_>>());
            }
        }
    }
}

proptest! {
    #[test]
    fn every_op_is_aligned_and_inside(
        kib in 1u64..9, blocks in 1u64..10_000, n: u64, from in 0.0f64..50.0,
    ) {
        let bytes = kib * 1024;
        let size = bytes * (2 * blocks + 2);
        let op = source(&knobs(50.0, json!([[bytes, 1]]), from, 50.0), size).op(n);
        prop_assert!(op.at % bytes == 0 && op.at + bytes <= size, "{op:?} of {size}");
    }
}

#[test]
fn ops_follow_the_last_op_whatever_its_size() {
    let sizes = json!([[4096, 1], [8192, 1], [16384, 1], [32768, 1]]);
    let mut knobs = knobs(100.0, sizes, 0.0, 100.0);
    knobs.0.insert("random".into(), json!(20.0));
    let follow = |follow: &str| {
        let mut knobs = knobs.clone();
        knobs.0.insert("follow".into(), json!(follow));
        let mut source = source(&knobs, 1 << 34);
        (0..100_000).map(|n| source.op(n)).collect::<Vec<Op>>()
    };
    let share = |ops: &[Op]| {
        let follows = |pair: &&[Op]| pair[1].at == pair[0].at + u64::from(pair[0].len);
        ops.windows(2).filter(follows).count() as f64 / ops.len() as f64
    };
    // With "size", only those that happen to have the size of the op before them.
    let (any, size) = (follow("any"), follow("size"));
    assert!((share(&any) - 0.8).abs() < 0.01, "{}", share(&any));
    assert!((share(&size) - 0.2).abs() < 0.02, "{}", share(&size));
    knobs.0.insert("follow".into(), json!("any"));
    let mut again = source(&knobs, 1 << 34);
    assert_eq!((again.op(70_000), again.op(3)), (any[70_000], any[3]), "op n depends on n alone");
    let mut small = source(&knobs, 1 << 20);
    assert!((0..20_000).all(|n| {
        let op = small.op(n);
        op.at + u64::from(op.len) <= 1 << 20
    }));
}
