//! Databases are interchangeable with db_bench's, built from the same RocksDB: each tool finds
//! every key of the other.

use std::path::Path;
use std::process::Command;

use crate::support::db_bench;

const KEYS: u64 = 20_000;

/// Enough random look-ups for every key: the probability that one of 20,000 is missed is below
/// 1e-8.
const READS: u64 = 40 * KEYS;

const PROTOCOL: &str = r#"
title = "Interop"
source = "test"
[dataset.db]
engine = "rocksdb"
keys = 20000
key_size = 20
value_size = 400
FILL
[[step]]
name = "read"
duration = "DURATION"
[[step.stream]]
name = "readers"
engine = "rocksdb"
workload = "readrandom"
threads = 2
"#;

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{command:?}: {said}");
    said
}

/// Fills (or finds) the database below `dir/x` and reads it for a time; returns the rows of
/// `dyno export`.
fn dyno(dir: &Path, fill: &str, duration: &str) -> String {
    std::fs::write(
        dir.join("p.toml"),
        PROTOCOL.replace("FILL", fill).replace("DURATION", duration),
    )
    .unwrap();
    std::fs::create_dir_all(dir.join("x")).unwrap();
    let dyno = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
        command.current_dir(dir);
        command
    };
    run(dyno().args([
        "run",
        "./p.toml",
        "--subject",
        "X=x",
        "--repeats",
        "1",
        "--output",
        "b.dyno",
    ]));
    run(dyno().args(["export", "b.dyno"]))
}

fn bench(db_bench: &Path, dir: &Path, benchmarks: &str, existing: bool) -> String {
    let mut command = Command::new(db_bench);
    command.args([
        format!("--db={}", dir.join("x/dyno-data/db.0").display()),
        format!("--benchmarks={benchmarks}"),
        format!("--use_existing_db={existing}"),
        format!("--num={KEYS}"),
        format!("--reads={READS}"),
        "--key_size=20".into(),
        "--value_size=400".into(),
        "--compression_type=none".into(),
    ]);
    run(&mut command)
}

/// A column of the single data row.
fn column(csv: &str, name: &str) -> u64 {
    let mut lines = csv.lines();
    let at = lines.next().unwrap().split(',').position(|c| c == name).unwrap();
    lines.next().unwrap().split(',').nth(at).unwrap().parse().unwrap()
}

#[test]
fn db_bench_finds_every_key_that_dyno_wrote() {
    let Some(db_bench) = db_bench() else { return };
    for fill in ["fillseq", "filluniquerandom"] {
        let dir = tempfile::tempdir().unwrap();
        dyno(dir.path(), &format!("fill = {{ kind = \"{fill}\", threads = 2 }}"), "100ms");
        let said = bench(&db_bench, dir.path(), "readrandom", true);
        assert!(said.contains(&format!("({READS} of {READS} found)")), "{fill}: {said}");
    }
}

#[test]
fn dyno_finds_every_key_that_db_bench_wrote() {
    let Some(db_bench) = db_bench() else { return };
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("x/dyno-data/db.0")).unwrap();
    bench(&db_bench, dir.path(), "fillseq", false);
    let csv = dyno(dir.path(), "", "4s");
    assert!(column(&csv, "ops") >= 10 * KEYS, "{csv}");
    assert_eq!(column(&csv, "misses"), 0, "{csv}");
}
