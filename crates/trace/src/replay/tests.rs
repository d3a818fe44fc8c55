//! Selection, times and distribution among workers of the replayed requests.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::{Request, Writer};
use dyno_core::base::error::describe;
use dyno_core::base::rng::Seed;
use dyno_core::measure::{NextDue, Op, OpKind};

const MS: u64 = 1_000_000;
const KIB: u64 = 1024;

pub fn space(bytes: u64) -> AddressSpace {
    AddressSpace { bytes, align_bytes: 512, ..AddressSpace::default() }
}

pub fn request(at_ns: u64, device: u16, kind: RequestKind, offset: u64, length: u32) -> Request {
    Request { at_ns, device, kind, offset, length }
}

/// A compiled trace on the devices "a" and "b".
pub fn compiled(folder: &tempfile::TempDir, requests: &[Request]) -> String {
    let path = folder.path().join("some.trace");
    let mut writer = Writer::new(std::fs::File::create(&path).unwrap()).unwrap();
    for name in ["a", "b"] {
        writer.device(name).unwrap();
    }
    requests.iter().for_each(|request| writer.push(request).unwrap());
    writer.finish().unwrap();
    path.display().to_string()
}

pub fn knobs(file: &str, own: Value) -> Knobs {
    let mut knobs: BTreeMap<String, Value> = BTreeMap::new();
    let Value::Object(given) = json!({
        "file": file, "pace": "recorded", "scale": 1.0, "ops": "all", "remap": "none",
    }) else {
        unreachable!()
    };
    let Value::Object(own) = own else { panic!("an object") };
    knobs.extend(given);
    knobs.extend(own);
    Knobs(knobs)
}

/// Due times and ops of worker `thread` of `threads`.
fn ops_of(
    knobs: &Knobs,
    space: AddressSpace,
    (thread, threads): (u32, u32),
) -> Result<Vec<(u64, Op)>> {
    let seed = Seed::new(1, 0, u64::from(thread));
    let share =
        GeneratorInputs { knobs, space, thread, threads, seed, stream_seed: Seed::new(1, 0, 9) };
    let mut source = Trace.source(&share)?;
    let mut all = Vec::new();
    loop {
        match source.next_due()? {
            NextDue::At(due_ns) => all.push((due_ns, source.op(all.len() as u64))),
            NextDue::Unread => std::thread::yield_now(),
            NextDue::Never => return Ok(all),
        }
    }
}

fn refusal(knobs: &Knobs, space: AddressSpace) -> String {
    describe(&ops_of(knobs, space, (0, 1)).unwrap_err()).0
}

fn mixed() -> Vec<Request> {
    let kinds = [RequestKind::Read, RequestKind::Write, RequestKind::Read, RequestKind::Discard];
    let mut all: Vec<Request> = (0..20_000u64)
        .map(|n| {
            let (device, kind) = ((n % 3 == 0) as u16, kinds[n as usize % 4]);
            let offset = (n * 7919 % 65_536) * 4 * KIB;
            request(n * 100_000, device, kind, offset, (1 + n as u32 % 4) * 4096)
        })
        .collect();
    all.push(request(20_000 * 100_000, 0, RequestKind::Flush, 0, 0));
    all
}

#[test]
fn every_request_is_replayed_once_at_its_time_and_place_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let requests = mixed();
    let file = compiled(&folder, &requests);
    let ops = ops_of(&knobs(&file, json!({})), space(1 << 30), (0, 1)).unwrap();
    assert_eq!(ops.len(), requests.len());
    let second = requests.iter().filter(|r| r.device == 0).map(Request::end).max().unwrap();
    let second = second.next_multiple_of(1 << 20);
    for ((due_ns, op), request) in ops.iter().zip(&requests) {
        let from = if request.device == 1 { second } else { 0 };
        let at = if request.length == 0 { 0 } else { from + request.offset };
        assert_eq!((*due_ns, op.at, op.len), (request.at_ns, at, request.length));
        let kind = match request.kind {
            RequestKind::Read => OpKind::Read,
            RequestKind::Write => OpKind::Write,
            RequestKind::Discard => OpKind::Trim,
            RequestKind::Flush => OpKind::Flush,
        };
        assert_eq!((op.kind, op.class), (kind, request.kind as u8));
    }
    let salts: HashSet<u64> =
        ops.iter().filter(|o| o.1.kind == OpKind::Write).map(|o| o.1.salt).collect();
    assert_eq!(salts.len(), requests.len() / 4, "no two writes hold the same");
}

#[test]
fn a_window_a_device_a_scale_and_reads_alone_are_what_the_plan_says() {
    let folder = tempfile::tempdir().unwrap();
    let requests = mixed();
    let file = compiled(&folder, &requests);
    let (start, end) = (500 * MS, 1500 * MS);
    let own = json!({
        "start": start, "end": end, "device": "b", "scale": 4.0, "ops": "reads",
    });
    let ops = ops_of(&knobs(&file, own), space(1 << 30), (0, 1)).unwrap();
    let chosen: Vec<(u64, u64)> = requests
        .iter()
        .filter(|r| (start..end).contains(&r.at_ns) && r.device == 1)
        .filter(|r| r.kind == RequestKind::Read)
        .map(|r| ((r.at_ns - start) / 4, r.offset))
        .collect();
    let found: Vec<(u64, u64)> = ops.iter().map(|(due_ns, op)| (*due_ns, op.at)).collect();
    assert_eq!(found, chosen);
    let none = refusal(&knobs(&file, json!({ "device": "c" })), space(1 << 30));
    assert!(none.contains("has no device 'c'"), "{none}");
    let none = refusal(&knobs(&file, json!({ "start": 3_600_000 * MS })), space(1 << 30));
    assert!(none.contains("no request"), "{none}");
}

#[test]
fn workers_share_a_trace_so_that_each_place_keeps_its_order_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let file = compiled(&folder, &mixed());
    let knobs = knobs(&file, json!({}));
    let all = ops_of(&knobs, space(1 << 30), (0, 1)).unwrap();
    let parts: Vec<Vec<(u64, Op)>> =
        (0..5).map(|t| ops_of(&knobs, space(1 << 30), (t, 5)).unwrap()).collect();
    let by_place = |ops: &[(u64, Op)]| {
        let mut places: BTreeMap<u64, Vec<(u64, OpKind, u64)>> = BTreeMap::new();
        for (due_ns, op) in ops {
            places.entry(op.at >> 20).or_default().push((*due_ns, op.kind, op.at));
        }
        places
    };
    let whole = by_place(&all);
    let mut seen = 0;
    for part in &parts {
        for (place, own) in by_place(part) {
            let flushes = own.iter().filter(|op| op.1 == OpKind::Flush).count();
            let mut expected = whole[&place].clone();
            if flushes == 0 {
                expected.retain(|op| op.1 != OpKind::Flush);
            } else if own.len() == flushes {
                expected.retain(|op| op.1 == OpKind::Flush);
            }
            assert_eq!(own, expected);
            seen += own.len();
        }
    }
    assert_eq!(seen, all.len());
}

#[test]
fn a_trace_beyond_the_range_is_refused_or_remapped_into_it() {
    let folder = tempfile::tempdir().unwrap();
    let far = (1u64 << 62) + 12 * KIB;
    let requests = [
        request(0, 0, RequestKind::Write, 0, 4096),
        request(1, 0, RequestKind::Write, far, 128 * 1024),
        request(2, 1, RequestKind::Discard, far - 4096, 8192),
        request(3, 0, RequestKind::Write, far + 64 * KIB, 4096),
    ];
    let file = compiled(&folder, &requests);
    let whole = space(1 << 20);
    let refused = refusal(&knobs(&file, json!({})), whole);
    assert!(refused.contains("needs") && refused.contains("1 MiB"), "{refused}");
    for remap in ["modulo", "compact"] {
        let ops = ops_of(&knobs(&file, json!({ "remap": remap })), whole, (0, 1)).unwrap();
        assert_eq!(ops.len(), requests.len());
        for (_, op) in &ops {
            assert!(op.at + u64::from(op.len) <= whole.bytes, "{remap}: {op:?}");
        }
    }
    let ops = ops_of(&knobs(&file, json!({ "remap": "compact" })), whole, (0, 1)).unwrap();
    assert_eq!(ops[3].1.at - ops[1].1.at, 64 * KIB, "neighbours stay neighbours");
    let small = refusal(&knobs(&file, json!({ "remap": "compact" })), space(128 << 10));
    assert!(small.contains("touches"), "{small}");
    let small = refusal(&knobs(&file, json!({ "remap": "modulo" })), space(64 << 10));
    assert!(small.contains("does not fit"), "{small}");
}

#[test]
fn nothing_leaves_the_range_whatever_the_trace_says() {
    let folder = tempfile::tempdir().unwrap();
    let seed = Seed::new(7, 0, 0);
    let requests: Vec<Request> = (0..3_000)
        .map(|n| {
            let mut rng = seed.at(n);
            let length = (1 + rng.below(64)) as u32 * 512;
            let bits = rng.below(54);
            let offset = rng.below(1 << bits) * 512;
            request(n, (n % 2) as u16, RequestKind::Write, offset, length)
        })
        .collect();
    let file = compiled(&folder, &requests);
    for bytes in [32 << 10, 1 << 20, (1 << 20) + 512, 123_456_512] {
        let whole = AddressSpace { from: 1 << 40, ..space(bytes) };
        let ops = ops_of(&knobs(&file, json!({ "remap": "modulo" })), whole, (0, 1)).unwrap();
        for (_, op) in ops {
            let at = op.at - whole.from;
            assert!(at + u64::from(op.len) <= bytes && at.is_multiple_of(512), "{bytes}: {op:?}");
        }
    }
}

#[test]
fn requests_that_a_target_cannot_take_are_refused_or_rounded() {
    let folder = tempfile::tempdir().unwrap();
    let file = compiled(&folder, &[request(0, 0, RequestKind::Write, 1536, 1024)]);
    let blocks = AddressSpace { align_bytes: 4096, ..space(1 << 20) };
    let refused = refusal(&knobs(&file, json!({})), blocks);
    assert!(refused.contains("multiples of 512 bytes"), "{refused}");
    let ops = ops_of(&knobs(&file, json!({ "align": 4096 })), blocks, (0, 1)).unwrap();
    assert_eq!((ops[0].1.at, ops[0].1.len), (0, 4096));
    let long = compiled(&folder, &[request(0, 0, RequestKind::Read, 0, 257 << 20)]);
    let refused = refusal(&knobs(&long, json!({})), space(1 << 30));
    assert!(refused.contains("a read or write of 269484032 bytes"), "{refused}");
}

#[test]
fn engines_are_prepared_for_what_the_trace_has_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let reads = compiled(&folder, &[request(0, 0, RequestKind::Read, 0, 8192)]);
    let of = |file: &str| {
        let mut knobs = knobs(file, json!({}));
        let answers = Trace.recorded(&knobs).unwrap().unwrap().answers;
        knobs.0.extend(answers.into_iter().map(|(name, value)| (name.to_string(), value)));
        knobs
    };
    let own = of(&reads);
    assert_eq!(Trace.classes(&own), [Class::READ]);
    assert_eq!(own.sizes("block").unwrap(), [(8192, 1.0)]);
    assert_eq!((own.float("trim").unwrap(), own.float("flush").unwrap()), (0.0, 0.0));
    let all = compiled(&folder, &mixed());
    let own = of(&all);
    assert_eq!(Trace.classes(&own), [Class::READ, Class::WRITE, Class::TRIM, Class::FLUSH]);
    assert!(own.float("trim").unwrap() > 20.0 && own.float("flush").unwrap() > 0.0);
}

#[test]
fn a_replay_needs_permission_to_write_unless_it_only_reads() {
    assert!(Trace.writes(&knobs("some.trace", json!({}))));
    assert!(!Trace.writes(&knobs("some.trace", json!({ "ops": "reads" }))));
    assert!(Trace.writes(&Knobs::default()), "whatever is not known");
}

#[test]
fn a_trace_that_has_changed_is_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    let ops = |text: &str| {
        std::fs::write(&path, text).unwrap();
        ops_of(&knobs(&path.display().to_string(), json!({})), space(1 << 30), (0, 1)).unwrap()
    };
    let first = ops("3,R,0,4096,1000\n3,W,8192,4096,2000\n");
    assert_eq!(first.len(), 2);
    let second = ops("3,R,0,8192,1000\n3,W,8192,4096,2000\n");
    assert_eq!((second[0].1.len, second.len()), (8192, 2));
    assert!(compiled::open(Path::new("/nowhere/log")).is_err());
}

#[test]
fn the_trace_that_ships_can_be_replayed() {
    let ops = ops_of(&knobs(compiled::SYNTHETIC, json!({})), space(1 << 30), (0, 1)).unwrap();
    assert!((100_000..140_000).contains(&ops.len()), "{}", ops.len());
    assert!(ops.is_sorted_by_key(|(due_ns, _)| *due_ns));
}
