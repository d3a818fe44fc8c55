//! Datasets of which loads discarded blocks: they are filled again before they are read, so that no
//! read is of a hole; trims move no data.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use dyno::record::Class;

use crate::support::{dyno, dyno_well, points, said};

const MIB: u64 = 1 << 20;

/// Steps of 300 ms on one dataset of 4 MiB, by name and workload.
fn protocol(steps: &[(&str, &str)]) -> String {
    let mut text = "title = \"T\"\nsource = \"test\"\n[dataset.file]\nengine = \"psync\"\nsize = \
                    \"4MiB\"\nfill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n"
        .to_string();
    for (name, workload) in steps {
        text += &format!(
            "[[step]]\nname = \"{name}\"\nduration = \"300ms\"\n[[step.stream]]\nname = \"io\"\n\
             engine = \"psync\"\nworkload = {workload}\n"
        );
    }
    text
}

const TRIMS: (&str, &str) =
    ("trims", r#"{ kind = "random", read = 0, trim = 100, block = "256KiB" }"#);
const ZEROES: (&str, &str) =
    ("zeroes", r#"{ kind = "random", read = 0, write_zeroes = 100, block = "256KiB" }"#);
const READS: (&str, &str) = ("reads", r#"{ kind = "random", read = 100, block = "4KiB" }"#);

/// On the disk: tmpfs has no write zeroes.
fn bench() -> tempfile::TempDir {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::create_dir(dir.path().join("drive")).unwrap();
    dir
}

fn run(dir: &Path, steps: &[(&str, &str)], repeats: &str) -> String {
    std::fs::write(dir.join("p.toml"), protocol(steps)).unwrap();
    let _ = std::fs::remove_file(dir.join("b.dyno"));
    let args = ["run", "./p.toml", "--subject", "A=drive", "--repeats", repeats];
    said(&dyno(dir, &[&args[..], &["--output", "b.dyno", "--progress", "plain"]].concat()))
}

/// Bytes of the dataset that are allocated, and whether any of them is not zero.
fn there(dir: &Path) -> (u64, bool) {
    let path = dir.join("drive/dyno-data/file.0/data");
    let bytes = std::fs::read(&path).unwrap();
    (path.metadata().unwrap().blocks() * 512, bytes.iter().any(|byte| *byte != 0))
}

#[test]
fn a_dataset_that_an_earlier_run_emptied_is_filled_again_before_it_is_read() {
    for emptying in [TRIMS, ZEROES] {
        let bench = bench();
        let dir = bench.path();
        let said = run(dir, &[emptying], "1");
        assert!(said.contains("1 point measured, 0 failed"), "{said}");
        assert!(!there(dir).1, "{}: the load sets all blocks to zero", emptying.0);
        let said = run(dir, &[READS], "1");
        assert!(
            said.contains("an earlier load discarded blocks of dataset 'file', which is recreated"),
            "{said}"
        );
        assert_eq!(there(dir), (4 * MIB, true), "{}", emptying.0);
        // Reads leave it whole.
        let said = run(dir, &[READS], "1");
        assert!(!said.contains("is recreated"), "{said}");
    }
}

#[test]
fn within_a_run_each_point_that_reads_what_others_emptied_begins_with_a_whole_dataset() {
    let bench = bench();
    let dir = bench.path();
    let said = run(dir, &[TRIMS, READS], "2");
    assert!(said.contains("4 points measured, 0 failed"), "{said}");
    for point in points(&dir.join("b.dyno")) {
        // A point that only trims begins with a whole one, too: that of the reads before it.
        let refilled = point.facts.iter().any(|fact| fact.name == "Dataset file refilled");
        assert_eq!(refilled, point.key.step == "reads", "{:?}", point.key);
    }
}

#[test]
fn a_file_that_was_holed_while_dyno_wrote_to_it_is_not_whole_either() {
    let bench = bench();
    let dir = bench.path();
    run(dir, &[READS], "1");
    let path = dir.join("drive/dyno-data/file.0/data");
    let data = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let punch = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
    rustix::fs::fallocate(&data, punch, 0, 2 * MIB).unwrap();
    drop(data);
    let said = run(dir, &[READS], "1");
    assert!(said.contains("data has holes: 2097152 of its 4194304 bytes are there"), "{said}");
    assert_eq!(there(dir), (4 * MIB, true));
}

#[test]
fn trims_count_in_ops_and_not_in_bytes() {
    let bench = bench();
    let dir = bench.path();
    let mixed = r#"{ kind = "random", read = 50, trim = 25, write_zeroes = 5, block = "4KiB" }"#;
    run(dir, &[("mixed", mixed)], "1");
    let points = points(&dir.join("b.dyno"));
    for tally in points.iter().flat_map(|point| &point.cells).flat_map(|cell| &cell.tallies) {
        let moves = [Class::READ, Class::WRITE].contains(&tally.class);
        assert!(tally.ops > 0, "{}", tally.class.name());
        assert_eq!(tally.bytes, if moves { tally.ops * 4096 } else { 0 }, "{}", tally.class.name());
    }
    run(dir, &[TRIMS], "1");
    let shown = dyno_well(dir, &["show", "b.dyno"]);
    let head = shown.lines().find(|line| line.contains("subject")).unwrap();
    assert!(head.contains("ops/s") && !head.contains("MB/s"), "{shown}");
}
