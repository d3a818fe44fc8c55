//! The time until a prefix is loaded, with drives of known latency: it is the drive's, whatever
//! processors the client has, and a search finds the fastest replay within a limit of it.

use std::fs;
use std::path::Path;
use std::process::Command;

use dyno::record::{CachedBlocks, Class, Point, observed};

use crate::support::quiet::on_a_quiet_machine;
use crate::support::{DYNO, dyno_well, have, mooncake_recording, points, run_well};

/// What one run found: mean and p95 of the prefixes in ms, blocks read and written.
fn measure(dir: &Path, client: &[&str]) -> ([f64; 2], [u64; 2]) {
    let _ = fs::remove_file(dir.join("b.dyno"));
    let args = ["run", "p.toml", "--subject", "A=drive", "--repeats", "1", "-o", "b.dyno"];
    let command = [client, &[DYNO], &args].concat();
    run_well(Command::new(command[0]).args(&command[1..]).current_dir(dir));
    let point = points(&dir.join("b.dyno")).remove(0);
    let tallies = &point.cells[0].tallies;
    let prefix = tallies.iter().find(|tally| tally.class == Class::PREFIX).unwrap().response();
    let cached = observed::all::<CachedBlocks>(&point.observed).next().unwrap();
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
    fs::write(dir.path().join("log.jsonl"), mooncake_recording(2_400, 2)).unwrap();
    // All blocks of a prefix are read at once, so that each takes the drive's 20 ms.
    let protocol = "title = \"T\"\nsource = \"test\"\n[[step]]\nname = \"s\"\nduration = \"1h\"\n\
                    [[step.stream]]\nname = \"io\"\ndepth = 1024\n\
                    engine = { kind = \"null\", latency = \"20ms\", size = \"16MiB\" }\n\
                    workload = { kind = \"kv_cache\", file = \"log.jsonl\", block_size = \
                    \"8KiB\", blocks = 512, scale = 240 }\n";
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

#[test]
fn a_search_finds_the_fastest_replay_within_the_limit_of_the_time_to_load_a_prefix() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(dir.path().join("log.jsonl"), mooncake_recording(600, 2)).unwrap();
    fs::create_dir(dir.path().join("drive")).unwrap();
    // One block at a time, 2,000 per second. Five blocks of ten requests in 3 s are 1,000 per
    // second at 60 times the recording's pace, and 4,000 at 240 times, which falls behind at once.
    let protocol = "title = \"T\"\nsource = \"test\"\n[[step]]\nname = \"limit\"\n\
                    duration = \"1h\"\nsweep = { axis = \"io.scale\", values = [40, 60, 240, \
                    960], search = { metric = \"io.p50\", at_most = \"20ms\" } }\n\
                    [[step.stream]]\nname = \"io\"\n\
                    engine = { kind = \"null\", latency = \"500us\", size = \"16MiB\" }\n\
                    workload = { kind = \"kv_cache\", file = \"log.jsonl\", block_size = \
                    \"8KiB\", blocks = 512 }\n";
    fs::write(dir.path().join("p.toml"), protocol).unwrap();
    on_a_quiet_machine(|| {
        let _ = fs::remove_file(dir.path().join("b.dyno"));
        let args = ["run", "p.toml", "--subject", "A=drive", "--repeats", "1", "-o", "b.dyno"];
        dyno_well(dir.path(), &args);
        let prefix_ms = |point: &Point| {
            let tallies = &point.cells[0].tallies;
            let prefix = tallies.iter().find(|tally| tally.class == Class::PREFIX)?;
            Some(prefix.response().percentile_ns(0.5)? as f64 / 1e6)
        };
        // A replay that falls behind at once may have too few prefixes for a median.
        let measured: Vec<(f64, Option<f64>)> = points(&dir.path().join("b.dyno"))
            .iter()
            .map(|point| (point.key.axis.as_ref().unwrap().value.number().unwrap(), point))
            .map(|(scale, point)| (scale, prefix_ms(point)))
            .collect();
        let at = |scale: f64| measured.iter().find(|(own, _)| *own == scale)?.1;
        // Three cached blocks of half a millisecond each are the least.
        assert!(at(60.0).is_some_and(|ms| (1.5..20.0).contains(&ms)), "{measured:?}");
        assert!(at(240.0).is_some_and(|ms| ms > 20.0), "{measured:?}");
        dyno_well(dir.path(), &["report", "b.dyno", "-o", "b.md"]);
        let brief = fs::read_to_string(dir.path().join("b.md")).unwrap();
        let limit = |line: &str| line.contains("| 60 ×") && line.contains("| 240 ×");
        assert!(brief.lines().any(limit), "what holds, and what does not: {brief}");
    });
}
