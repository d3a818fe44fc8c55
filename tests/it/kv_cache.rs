//! The key-value cache of a language model through the whole program: each block of a recording
//! is read or written once, as a cache simulator says; the kernel counts the same bytes; the bundle
//! and the brief say what was replayed.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use dyno::ai::kv_cache;
use dyno::plan::Knobs;
use dyno::record::{CachedBlocks, Class, Point, observed};
use dyno::store::Bundle;
use serde_json::json;

use crate::durable::Disk;
use crate::recipes::python_with;
use crate::replay::{one_point, ops};
use crate::support::{dyno, mooncake_recording, said};

const BLOCK: u64 = 8 << 10;

const WORKLOAD: &str = "kind = \"kv_cache\", file = \"log.jsonl\", block_size = \"8KiB\"";

fn run(dir: &Path, engine: &str, workload: &str) -> Point {
    one_point(dir, engine, &format!("{WORKLOAD}, {workload}")).unwrap()
}

#[test]
fn every_engine_reads_what_is_cached_writes_the_rest_and_times_each_prefix() {
    // 600 blocks of conversations and the shared one are seen before but for their first time.
    let (hits, misses) = (200 * 3 - 101, 101 + 200 * 2);
    for engine in ["psync", "uring", "libaio"] {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::write(dir.path().join("log.jsonl"), mooncake_recording(200, 2)).unwrap();
        for (sync, write) in [("none", Class::WRITE), ("fdatasync", Class::WRITE_FDATASYNC)] {
            let own = format!("blocks = 512, pace = \"asap\", sync = \"{sync}\"");
            let point = run(dir.path(), engine, &own);
            assert_eq!(ops(&point, Class::READ), (hits, hits * BLOCK), "{engine} {sync}");
            assert_eq!(ops(&point, write), (misses, misses * BLOCK), "{engine} {sync}");
            // The first request finds nothing.
            assert_eq!(ops(&point, Class::PREFIX), (199, 0), "{engine} {sync}");
            let cached = observed::all::<CachedBlocks>(&point.observed).next().unwrap();
            assert_eq!((cached.hits, cached.misses, cached.evictions), (hits, misses, 0));
            assert_eq!((cached.requests, cached.block_bytes), (200, BLOCK));
        }
    }
}

#[test]
fn a_prefix_takes_at_least_as_long_as_each_of_its_blocks() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(dir.path().join("log.jsonl"), mooncake_recording(300, 2)).unwrap();
    let point = run(dir.path(), "psync", "blocks = 512, scale = 100");
    let tallies = &point.cells[0].tallies;
    let of = |class| tallies.iter().find(|tally| tally.class == class).unwrap().response();
    let (prefix, read) = (of(Class::PREFIX), of(Class::READ));
    // On a busy machine the last ones may be backlog.
    assert!(prefix.count > 200 && read.count > 2 * prefix.count, "{prefix:?} {read:?}");
    assert_eq!(prefix.max_ns, read.max_ns, "the slowest block ends the slowest prefix");
    // A prefix has at most three cached blocks. The last one may be unfinished.
    for (ns, _) in read.buckets() {
        let (reads, prefixes) = (read.count_from(ns), prefix.count_from(ns));
        assert!(reads <= 3 * (prefixes + 1), "{reads} reads and {prefixes} prefixes took {ns} ns");
    }
}

/// Bytes of a class whose ops have one size, with those in flight when the window closed: the
/// kernel counts them too.
pub fn moved(point: &Point, class: Class) -> u64 {
    let tallies = point.cells.iter().flat_map(|cell| &cell.tallies);
    let own = tallies.filter(|tally| tally.class == class && tally.ops > 0);
    own.map(|tally| tally.bytes / tally.ops * tally.service.count).sum()
}

#[test]
fn the_kernel_counts_the_bytes_of_the_blocks() {
    let Some(disk) = Disk::new() else { return };
    // What the guard reads of the device beforehand is the same each time. Another test that lists
    // all devices reads this one's signatures too, so the least of three tries counts.
    let of = |requests, new| {
        fs::write(disk.folder.path().join("log.jsonl"), mooncake_recording(requests, new)).unwrap();
        // Sectors read and written (Documentation/admin-guide/iostats.rst).
        let count = || (disk.kernel(3) * 512, disk.kernel(7) * 512);
        let before = count();
        let stream =
            format!("depth = 16\nworkload = {{ {WORKLOAD}, pace = \"asap\", blocks = 512 }}");
        let output = disk.prepared_run("", "uring", &stream);
        assert!(output.status.success(), "{}", said(&output));
        let after = count();
        let bundle = Bundle::open(&disk.folder.path().join("b.dyno")).unwrap();
        let point = bundle.points().unwrap().remove(0).point;
        let (read, written) = (moved(&point, Class::READ), moved(&point, Class::WRITE));
        ((after.0 - before.0) - read, (after.1 - before.1) - written, read, written)
    };
    let least = |requests, new| (0..3).map(|_| of(requests, new)).min().unwrap();
    let (once, again) = (least(100, 0), least(400, 1));
    assert!(again.2 > 2 * once.2 && again.3 > 2 * once.3, "{once:?} {again:?}");
    assert_eq!((once.1, again.1), (0, 0), "written by others than the load");
    assert_eq!(once.0, again.0, "read by others than the load");
}

/// The knobs of a cache.
fn knobs(file: &str, eviction: &str, blocks: u64) -> Knobs {
    let all = json!({
        "file": file, "model": "llama-3.1-8b", "tokens": 512, "block_size": BLOCK,
        "blocks": blocks, "eviction": eviction, "prefill": 25_000, "spread": "none",
        "sync": "none", "pace": "asap", "scale": 1.0, "memory_blocks": 0, "touch": "head",
    });
    Knobs(serde_json::from_value(all).unwrap())
}

/// What libCacheSim says of a recording: a line for each rule of eviction and capacity.
fn libcachesim(python: &str, file: &str, capacities: [&str; 3]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kv-cache-libcachesim.py");
    let blocks = kv_cache::accesses(&knobs(file, "lru", 20)).unwrap();
    let mut child = Command::new(python)
        .arg(script)
        .args(capacities)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: String = blocks.iter().map(|block| format!("{block}\n")).collect();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn hits_and_evictions_equal_libcachesims_for_any_recording() {
    dyno::register();
    let Some(python) = python_with(&["libcachesim==0.3.5"]) else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("log.jsonl").display().to_string();
    fs::write(&file, mooncake_recording(3_000, 3)).unwrap();
    let truth = libcachesim(&python, &file, ["20", "77", "500"]);
    assert_eq!(truth.lines().count(), 9, "{truth}");
    for line in truth.lines() {
        let [eviction, blocks, rest] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        let load = dyno::workload::find("kv_cache").unwrap().recorded(&knobs(
            &file,
            eviction,
            blocks.parse().unwrap(),
        ));
        let cached = load.unwrap().and_then(|load| load.cache).unwrap();
        // A simulator of blocks knows no prefixes.
        let found = cached.hits + cached.behind;
        assert_eq!(format!("{found} {}", cached.evictions), rest, "{line}");
    }
    // What a unit test compares with for the recording that ships.
    let stored = include_str!("../data/kv-cache-libcachesim.txt");
    let stored: Vec<&str> = stored.lines().filter(|line| !line.starts_with('#')).collect();
    let own = libcachesim(&python, "synthetic", ["1024", "4096", "16384"]);
    assert_eq!(own.lines().collect::<Vec<_>>(), stored);
}

#[test]
fn a_brief_shows_prefixes_hits_and_the_cache_in_each_language() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(dir.path().join("log.jsonl"), mooncake_recording(300, 2)).unwrap();
    run(dir.path(), "uring", "blocks = 512, scale = 100");
    for (language, words) in [
        ("en", ["Key-value caches of language models", "prefix, mean", "hit rate", "uniform"]),
        ("ja", ["キー・バリュー・キャッシュ", "プレフィックス（平均）", "ヒット率", "uniform"]),
        ("pt-BR", ["Caches de chaves e valores", "prefixo, média", "taxa de acertos", "uniform"]),
    ] {
        let page = format!("{language}.html");
        let made = dyno(dir.path(), &["report", "b.dyno", "--language", language, "-o", &page]);
        assert!(made.status.success(), "{}", said(&made));
        let page = fs::read_to_string(dir.path().join(&page)).unwrap();
        for word in words {
            assert!(page.contains(word), "{language}: {word}");
        }
    }
}
