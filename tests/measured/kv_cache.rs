//! The time until a prefix is loaded is the drive's, whatever processors the client has: a drive
//! with a known latency is measured by a client with all processors and by one with a single one.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use dyno::record::{CachedBlocks, Class};

use crate::support::quiet::on_a_quiet_machine;
use crate::support::{DYNO, have, points, run_well};

/// Ten requests in each step of 3 s, of a block that all share, two of one of 50 conversations, and
/// two of their own.
fn recording(requests: u64) -> String {
    let mut text = String::new();
    for n in 0..requests {
        let blocks = [0, 1 + n % 50, 51 + n % 50, 1_000 + 2 * n, 1_001 + 2 * n];
        let at_ms = n / 10 * 3_000;
        writeln!(text, "{{\"timestamp\": {at_ms}, \"hash_ids\": {blocks:?}}}").unwrap();
    }
    text
}

/// What one run found: mean and p95 of the prefixes in ms, blocks read and written.
fn measure(dir: &Path, client: &[&str]) -> ([f64; 2], [u64; 2]) {
    let _ = fs::remove_file(dir.join("b.dyno"));
    let args = ["run", "p.toml", "--subject", "A=drive", "--repeats", "1", "-o", "b.dyno"];
    let command = [client, &[DYNO], &args].concat();
    run_well(Command::new(command[0]).args(&command[1..]).current_dir(dir));
    let point = points(&dir.join("b.dyno")).remove(0);
    let tallies = &point.cells[0].tallies;
    let prefix = tallies.iter().find(|tally| tally.class == Class::PREFIX).unwrap().response();
    let cached = point.facts.iter().find_map(CachedBlocks::of_fact).unwrap();
    let p95_ns = prefix.percentile_ns(0.95).unwrap() as f64;
    ([prefix.mean_ns().unwrap() / 1e6, p95_ns / 1e6], [cached.hits, cached.misses])
}

#[test]
fn the_time_to_load_a_prefix_does_not_depend_on_the_processors_of_the_client() {
    if !have(&["taskset"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("drive")).unwrap();
    fs::write(dir.path().join("log.jsonl"), recording(2_400)).unwrap();
    // All blocks of a prefix are read at once, so that each takes the drive's 20 ms.
    let protocol = "title = \"T\"\nsource = \"test\"\n[[step]]\nname = \"s\"\nduration = \"1h\"\n\
                    [[step.stream]]\nname = \"io\"\ndepth = 1024\n\
                    engine = { kind = \"null\", latency = \"20ms\", size = \"16MiB\" }\n\
                    workload = { kind = \"kv_cache\", file = \"log.jsonl\", block_size = \
                    \"8KiB\", blocks = 512, scale = 120 }\n";
    fs::write(dir.path().join("p.toml"), protocol).unwrap();
    on_a_quiet_machine(|| {
        let all = measure(dir.path(), &[]);
        let one = measure(dir.path(), &["taskset", "-c", "0"]);
        println!("mean and p95 in ms with all processors {:?}, with one {:?}", all.0, one.0);
        assert_eq!(all.1, one.1, "blocks read and written");
        for ms in all.0.into_iter().chain(one.0) {
            assert!((20.0..20.2).contains(&ms), "{all:?} {one:?}");
        }
    });
}
