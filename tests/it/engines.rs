//! Requirements for every engine that moves bytes: the whole file is created, the number of ops,
//! the mix and the sizes are as specified, and a failure of the drive is stored as a result.

use std::path::Path;
use std::process::Command;

use dyno::plan::RequestFamily;

use crate::support::quiet::on_a_quiet_machine;
use crate::support::{DYNO, dyno, dyno_well, has_thread, said, until};

/// Every engine that moves blocks, as named in a plan, with each value of a knob `direct`. Relies
/// on direct I/O on the temporary folder's filesystem.
fn engines() -> Vec<String> {
    let mut all = Vec::new();
    for info in dyno::engine::ALL
        .iter()
        .map(|engine| engine.info())
        .filter(|info| info.family == RequestFamily::Block)
    {
        let direct = info.knobs.iter().any(|knob| knob.name == "direct");
        let knobs: &[&str] = if direct { &[", direct = true", ", direct = false"] } else { &[""] };
        all.extend(knobs.iter().map(|knob| format!("{{ kind = \"{}\"{knob} }}", info.name)));
    }
    assert!(all.len() >= 4, "{all:?}");
    all
}

const SIZE: u64 = 8 << 20;

fn protocol(engine: &str, stream: &str) -> String {
    format!(
        r#"
title = "Contract"
source = "test"
[dataset.file]
engine = {engine}
size = "8MiB"
fill = {{ kind = "sequential", read = 0, block = "64KiB" }}
[[step]]
name = "s"
duration = "400ms"
[[step.stream]]
name = "io"
engine = {engine}
dataset = "file"
{stream}
"#
    )
}

/// Runs the stream on each engine and passes on the engine, the folder and the rows of `dyno
/// export`.
fn on_every_engine(stream: &str, check: impl Fn(&str, &Path, &[Vec<String>])) {
    for engine in &engines() {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(dir.path().join("drive")).unwrap();
        std::fs::write(dir.path().join("p.toml"), protocol(engine, stream)).unwrap();
        let output = dyno(
            dir.path(),
            &["run", "./p.toml", "--subject", "A=drive", "--repeats", "1", "--output", "b.dyno"],
        );
        assert!(output.status.success(), "{engine}: {}", String::from_utf8_lossy(&output.stderr));
        let csv = String::from_utf8(dyno(dir.path(), &["export", "b.dyno"]).stdout).unwrap();
        check(
            engine,
            dir.path(),
            &csv.lines().map(|l| l.split(',').map(str::to_owned).collect()).collect::<Vec<_>>(),
        );
    }
}

/// The column `name` of the row of `class`.
fn number(rows: &[Vec<String>], class: &str, name: &str) -> f64 {
    let column = |name: &str| {
        rows[0].iter().position(|c| c == name).unwrap_or_else(|| panic!("{name}: {:?}", rows[0]))
    };
    let row = rows[1..]
        .iter()
        .find(|r| r[column("class")] == class)
        .unwrap_or_else(|| panic!("no {class}: {rows:?}"));
    row[column(name)].parse().unwrap_or_else(|_| panic!("{name} is '{}'", row[column(name)]))
}

/// The bytes moved by the ops of `class`: the export has them per second.
fn bytes(rows: &[Vec<String>], class: &str) -> f64 {
    number(rows, class, "bytes_per_s") / number(rows, class, "ops_per_s")
        * number(rows, class, "ops")
}

#[test]
fn a_fill_writes_every_block_with_data_that_does_not_compress() {
    on_every_engine("workload = \"random\"", |engine, dir, _| {
        let data = std::fs::read(dir.join("drive/dyno-data/file.0/data")).unwrap();
        assert_eq!(data.len() as u64, SIZE, "{engine}");
        let mut sectors: Vec<&[u8]> = data.chunks(512).collect();
        assert!(
            sectors.iter().all(|s| s.iter().any(|b| *b != 0)),
            "{engine}: a sector was left out"
        );
        sectors.sort_unstable();
        sectors.dedup();
        assert_eq!(sectors.len() as u64, SIZE / 512, "{engine}: two sectors are alike");
    });
}

#[test]
fn ops_bytes_and_latencies_are_of_the_same_ops() {
    on_every_engine("workload = \"random\"", |engine, _, rows| {
        let ops = number(rows, "read", "ops");
        assert!(ops > 100.0, "{engine}: {ops} ops");
        assert!((bytes(rows, "read") / ops - 4096.0).abs() < 0.01, "{engine}");
        let (p50, max) =
            (number(rows, "read", "service_p50_ns"), number(rows, "read", "service_max_ns"));
        // A busy machine may delay one op by a part of a second; a wrong unit is more.
        assert!(0.0 < p50 && p50 <= max && max < 6e10, "{engine}: {p50} {max}");
    });
}

#[test]
fn the_mix_and_the_sizes_are_those_asked_for() {
    let stream =
        r#"workload = { kind = "random", read = 70, block = [["4KiB", 75], ["16KiB", 25]] }"#;
    on_every_engine(stream, |engine, _, rows| {
        let (reads, writes) = (number(rows, "read", "ops"), number(rows, "write", "ops"));
        let ops = reads + writes;
        // Five standard deviations of a share of `ops` draws.
        let share = reads / ops;
        assert!(
            (share - 0.7).abs() < 5.0 * (0.7 * 0.3 / ops).sqrt(),
            "{engine}: {share} of {ops} are reads"
        );
        let mean = (bytes(rows, "read") + bytes(rows, "write")) / ops;
        let spread = 5.0 * (0.75f64 * 0.25 / ops).sqrt() * 12_288.0;
        assert!((mean - 7_168.0).abs() < spread, "{engine}: {mean} bytes an op");
    });
}

#[test]
fn durable_writes_flushes_trims_and_zeroes_have_the_share_and_the_class_that_were_asked_for() {
    let mix = "workload = { kind = \"random\", read = 40, trim = 10, write_zeroes = 15, \
               flush = 5, sync = \"fua\" }\nthreads = 2";
    let shares =
        [("read", 0.4), ("write-fua", 0.3), ("trim", 0.1), ("write-zeroes", 0.15), ("flush", 0.05)];
    on_every_engine(mix, |engine, _, rows| {
        // A class without ops has no row.
        let of = |class: &str| match rows.iter().any(|row| row.iter().any(|cell| cell == class)) {
            true => number(rows, class, "ops"),
            false => 0.0,
        };
        let ops: f64 = shares.iter().map(|(class, _)| of(class)).sum();
        assert!(ops > 0.0, "{engine}: no op");
        for (class, share) in shares {
            let found = of(class) / ops;
            let spread = 5.0 * (share * (1.0 - share) / ops).sqrt();
            assert!((found - share).abs() < spread, "{engine}: {found} of {ops} are {class}");
        }
    });
}

#[test]
fn a_flush_comes_after_every_eight_writes() {
    let stream = "workload = { kind = \"random\", read = 50, fdatasync = 8 }";
    on_every_engine(stream, |engine, _, rows| {
        let (writes, flushes) = (number(rows, "write", "ops"), number(rows, "flush", "ops"));
        assert!(flushes > 0.0, "{engine}: no flush");
        let left = writes - 8.0 * flushes;
        assert!((0.0..=8.0).contains(&left), "{engine}: {writes} writes, {flushes} flushes");
    });
}

#[test]
fn samples_are_read_whole_and_no_faster_than_they_are_computed_on() {
    // One accelerator that computes on 100 samples per second, at most 16 of them read ahead.
    let stream = "threads = 4\nworkload = { kind = \"training_read\", batch = 8, compute = \
                  \"80ms\", readers = 4, block = [[\"64KiB\", 3], [\"256KiB\", 1]] }";
    on_every_engine(stream, |engine, _, rows| {
        let samples = number(rows, "read", "ops");
        // In 400 ms: 40, those read ahead, and one in flight for each reader.
        assert!(samples > 0.0 && samples <= 60.0, "{engine}: {samples} samples");
        let large = (bytes(rows, "read") / 65_536.0 - samples) / 3.0;
        assert!((large - large.round()).abs() < 0.01 && large <= samples, "{engine}: {large}");
    });
}

#[test]
fn a_write_and_its_fdatasync_may_be_one_op_and_all_that_was_written_is_there() {
    let stream = "workload = { kind = \"sequential\", read = 0, block = \"4KiB\", \
                  sync = \"fdatasync\" }\nthreads = 2";
    on_every_engine(stream, |engine, dir, rows| {
        let writes = number(rows, "write-fdatasync", "ops");
        assert!(writes > 0.0, "{engine}: no write");
        assert!((bytes(rows, "write-fdatasync") / writes - 4096.0).abs() < 0.01, "{engine}");
        let data = std::fs::read(dir.join("drive/dyno-data/file.0/data")).unwrap();
        let zeroes = data.chunks(512).filter(|s| s.iter().all(|b| *b == 0)).count();
        assert_eq!(zeroes, 0, "{engine}");
    });
}

#[test]
fn what_was_trimmed_or_zeroed_reads_as_zeroes() {
    for (knob, class) in [("trim", "trim"), ("write_zeroes", "write-zeroes")] {
        let stream = format!(
            "workload = {{ kind = \"sequential\", read = 0, {knob} = 100, block = \"64KiB\" }}"
        );
        on_every_engine(&stream, |engine, dir, rows| {
            let ops = number(rows, class, "ops") as usize;
            assert!(ops > 0, "{engine}: {class}");
            let data = std::fs::read(dir.join("drive/dyno-data/file.0/data")).unwrap();
            assert_eq!(data.len() as u64, SIZE, "{engine}");
            for (i, block) in data.chunks(65_536).enumerate() {
                let zeroes = block.iter().all(|b| *b == 0);
                // One more may have been in flight when the window closed.
                if i != ops {
                    assert_eq!(zeroes, i < ops, "{engine}: block {i} after {ops} of {class}");
                }
            }
        });
    }
}

#[test]
fn a_filesystem_without_write_zeroes_is_an_error_with_its_remedy_and_no_load() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    for engine in engines() {
        let stream = "workload = { kind = \"random\", read = 0, write_zeroes = 50 }";
        std::fs::write(dir.path().join("p.toml"), protocol(&engine, stream)).unwrap();
        let subject = format!("A={}", memory.path().display());
        let run = ["run", "./p.toml", "--subject", &subject, "--repeats", "1"];
        let output = dyno(dir.path(), &[&run[..], &["--output", "b.dyno"]].concat());
        let shown = dyno(dir.path(), &["export", "b.dyno"]).stdout;
        let shown = String::from_utf8_lossy(&shown) + String::from_utf8_lossy(&output.stderr);
        assert!(shown.contains("has no write zeroes for files"), "{engine}: {shown}");
        assert!(shown.contains("leave write zeroes out of the workload"), "{engine}: {shown}");
    }
}

#[test]
fn a_thread_of_the_kernel_may_submit() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::create_dir(dir.path().join("drive")).unwrap();
    let engine = "{ kind = \"uring\", sqpoll = true }";
    let text = protocol(engine, "workload = { kind = \"random\", read = 50 }\ndepth = 4");
    std::fs::write(dir.path().join("p.toml"), text).unwrap();
    let run = ["run", "./p.toml", "--subject", "A=drive", "--repeats", "1", "--output", "b.dyno"];
    dyno_well(dir.path(), &run);
    let data = std::fs::read(dir.path().join("drive/dyno-data/file.0/data")).unwrap();
    assert!(data.chunks(512).all(|sector| sector.iter().any(|byte| *byte != 0)));
}

#[test]
fn with_completions_taken_several_at_a_time_the_wait_is_in_each_latency() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::create_dir(dir.path().join("drive")).unwrap();
    on_a_quiet_machine(|| {
        for batch in ["latency", "cpu"] {
            let engine = format!("{{ kind = \"uring\", batch = \"{batch}\" }}");
            let text = protocol(&engine, "workload = \"random\"\ndepth = 32");
            std::fs::write(dir.path().join("p.toml"), text).unwrap();
            let bundle = format!("{batch}.dyno");
            // Of an earlier try.
            let _ = std::fs::remove_file(dir.path().join(&bundle));
            let run = ["run", "./p.toml", "--subject", "A=drive", "--repeats", "1", "--output"];
            dyno_well(dir.path(), &[&run[..], &[&bundle]].concat());
            let csv = String::from_utf8(dyno(dir.path(), &["export", &bundle]).stdout).unwrap();
            let rows: Vec<Vec<String>> =
                csv.lines().map(|l| l.split(',').map(str::to_owned).collect()).collect();
            // Little's law: the mean number of requests that are in flight by their own latencies.
            let in_flight =
                number(&rows, "read", "ops_per_s") * number(&rows, "read", "service_mean_ns") / 1e9;
            assert!((16.0..33.0).contains(&in_flight), "{batch}: {in_flight} of 32 in flight");
        }
    });
}

#[test]
fn completions_that_are_polled_for_are_not_taken_several_at_a_time() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::create_dir(dir.path().join("drive")).unwrap();
    let engine = "{ kind = \"uring\", batch = \"cpu\", sqpoll = true }";
    std::fs::write(dir.path().join("p.toml"), protocol(engine, "workload = \"random\"")).unwrap();
    let run = ["run", "./p.toml", "--subject", "A=drive", "--output", "b.dyno"];
    let output = dyno(dir.path(), &run);
    let said = said(&output);
    assert!(!output.status.success() && said.contains("set `batch = \"latency\"`"), "{said}");
}

#[test]
fn what_io_uring_cannot_do_with_a_file_is_refused_before_anything_is_filled() {
    for (knob, why, remedy) in [
        ("poll = \"iopoll\"", "so polling is not possible", "use a filesystem on a single drive"),
        ("poll = \"hybrid\"", "so polling is not possible", "set `poll = \"none\"`"),
        ("poll = \"iopoll\", direct = false", "needs direct I/O", "set `direct = true`"),
        ("passthrough = true", "it is a file", "name a whole NVMe namespace"),
    ] {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        std::fs::create_dir(dir.path().join("drive")).unwrap();
        let engine = format!("{{ kind = \"uring\", {knob} }}");
        let text = protocol(&engine, "workload = \"random\"");
        std::fs::write(dir.path().join("p.toml"), text).unwrap();
        let run = ["run", "./p.toml", "--subject", "A=drive", "--output", "b.dyno"];
        let output = dyno(dir.path(), &run);
        let said = said(&output);
        assert!(!output.status.success(), "{knob}: {said}");
        assert!(said.contains(why) && said.contains(remedy), "{knob}: {said}");
    }
}

#[test]
fn a_placement_hint_that_nothing_carries_is_an_error_with_its_remedy() {
    for engine in ["psync", "libaio", "uring"] {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(dir.path().join("drive")).unwrap();
        let workload = "workload = { kind = \"random\", read = 0, placement = 0 }";
        let text = protocol(&format!("\"{engine}\""), workload);
        std::fs::write(dir.path().join("p.toml"), text).unwrap();
        let run = ["run", "./p.toml", "--subject", "A=drive", "--output", "b.dyno"];
        let output = dyno(dir.path(), &run);
        let said = said(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!output.status.success(), "{engine}: {said}");
        assert!(said.contains("only NVMe commands carry a placement hint"), "{engine}: {said}");
        assert!(said.contains("passthrough = true"), "{engine}: {said}");
    }
}

#[test]
fn a_file_cut_short_behind_its_back_ends_the_point_with_its_cause() {
    for engine in &engines() {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(dir.path().join("drive")).unwrap();
        let text = protocol(engine, "workload = \"random\"\nthreads = 8").replace("400ms", "20s");
        std::fs::write(dir.path().join("p.toml"), text).unwrap();
        let run =
            ["run", "./p.toml", "--subject", "A=drive", "--repeats", "1", "--output", "b.dyno"];
        let mut child = Command::new(DYNO).current_dir(dir.path()).args(run).spawn().unwrap();
        let data = dir.path().join("drive/dyno-data/file.0/data");
        // The load's witness is started after its file has been opened and measured.
        until("the load", 120, || {
            assert!(child.try_wait().unwrap().is_none(), "{engine}: ended before its load began");
            has_thread(&child, "witness")
        });
        std::fs::OpenOptions::new().write(true).open(&data).unwrap().set_len(1 << 20).unwrap();
        child.wait().unwrap();
        let shown = String::from_utf8(dyno(dir.path(), &["export", "b.dyno"]).stdout).unwrap();
        assert!(shown.contains("failed: "), "{engine}: {shown}");
    }
}
