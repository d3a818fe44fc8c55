//! Each load answers the question of its own field: a plan that a load cannot execute is refused
//! before anything is filled, accelerators are ranked by their utilisation, and a model of a trace
//! names what it does not keep.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use dyno::base::rng::Seed;

use crate::support::{dyno, dyno_well, said};

/// A folder with drives of these names.
fn drives(names: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    names.iter().for_each(|name| fs::create_dir(dir.path().join(name)).unwrap());
    dir
}

#[test]
fn what_a_load_cannot_do_is_refused_by_plan_check_with_its_figures() {
    let cases: &[(&str, &[&str], &str)] = &[
        ("kv-cache", &["step.objects.stream.io.workload.blocks=4000"], "4000 blocks of 64 KiB"),
        ("kv-cache", &["step.limit.stream.io.workload.blocks=2049"], "128 MiB"),
        (
            "kv-cache",
            &[
                "step.objects.stream.io.workload.eviction=s3-fifo",
                "step.objects.stream.io.workload.blocks=3",
            ],
            "3 blocks",
        ),
        ("training-read", &["step.unet3d.stream.readers.workload.readers=3"], "3 readers"),
        ("training-read", &["step.unet3d.sweep.values=[4, 6]"], "6 threads"),
        ("training-read", &["dataset.samples.size=1MiB"], "does not fit into 1048576 bytes"),
        (
            "ycsb",
            &["step.a.stream.clients.workload.update=80", "step.a.stream.clients.workload.scan=30"],
            "110.0000 %",
        ),
        ("ycsb-mysql", &["dataset.db.fill.records=200000"], "filled with records = 200000"),
        ("mysql-oltp", &["dataset.db.fill.table_size=5000000"], "filled with table_size = 5000000"),
        ("mysql-oltp", &["dataset.db.fill.tables=3"], "filled with tables = 3"),
        ("tpcc", &["dataset.db.fill.warehouses=4"], "filled with warehouses = 4"),
        (
            "checkpoint",
            &["step.read.stream.ranks.workload.read=70", "step.read.stream.ranks.workload.trim=40"],
            "110 %",
        ),
        ("checkpoint", &["dataset.checkpoint.size=4MiB"], "4 blocks cannot be divided among 8"),
    ];
    let dir = drives(&["drive"]);
    for (protocol, sets, words) in cases {
        let mut args = vec!["plan", "check", protocol, "--scale", "small", "--subject", "A=drive"];
        sets.iter().for_each(|set| args.extend(["--set", set]));
        let output = dyno(dir.path(), &args);
        let text = said(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!output.status.success(), "{protocol} {sets:?} is accepted: {text}");
        assert!(text.contains(words), "{protocol} {sets:?}: no '{words}' in {text}");
        let untouched = fs::read_dir(dir.path().join("drive")).unwrap().count() == 0;
        assert!(untouched, "{protocol} {sets:?} wrote to the drive");
    }
}

#[test]
fn a_program_without_an_engine_says_so_before_it_touches_a_drive() {
    let dir = drives(&["drive"]);
    let built = [
        ("vector-search", cfg!(feature = "vector"), "DiskANN"),
        ("rocksdb-threads", cfg!(feature = "rocksdb"), "RocksDB"),
    ];
    for (protocol, is_built, name) in built {
        let of_it = [protocol, "--scale", "small", "--subject", "A=drive"];
        let listed = dyno_well(dir.path(), &["protocols"]);
        let line = listed.lines().find(|line| line.starts_with(protocol)).expect("a line");
        assert_eq!(line.contains("not in this build"), !is_built, "{line}");
        if is_built {
            dyno_well(dir.path(), &[&["plan", "check"], &of_it[..]].concat());
            continue;
        }
        for command in [&["plan", "check"][..], &["run"]] {
            let output = dyno(dir.path(), &[command, &of_it].concat());
            assert!(!output.status.success(), "{command:?}");
            let text = said(&output);
            assert!(text.contains(name) && text.contains("cargo build"), "{command:?}: {text}");
        }
        let there = fs::read_dir(dir.path()).unwrap().count();
        let filled = fs::read_dir(dir.path().join("drive")).unwrap().count();
        assert_eq!((there, filled), (1, 0), "a bundle was begun, or a drive was written");
    }
}

/// The rows of the first table of a Markdown document whose head has this column, as (name of the
/// column, cell).
fn rows(document: &str, column: &str) -> Vec<Vec<(String, String)>> {
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect()
    };
    let mut lines = document.lines().skip_while(|line| {
        !(line.starts_with('|') && cells(line).iter().any(|cell| cell == column))
    });
    let head = cells(lines.next().unwrap_or_else(|| panic!("no column {column} in {document}")));
    let own = lines.skip(1).take_while(|line| line.starts_with('|'));
    own.map(|line| head.iter().cloned().zip(cells(line)).collect()).collect()
}

fn cell<'r>(row: &'r [(String, String)], column: &str) -> &'r str {
    let found = row.iter().find(|(name, _)| name == column);
    found.map_or_else(|| panic!("no {column} in {row:?}"), |(_, cell)| cell)
}

/// What precedes a unit, as a number.
fn number(cell: &str) -> f64 {
    let digits: String = cell.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().unwrap_or_else(|_| panic!("'{cell}'"))
}

const TRAINING: &str = "title = \"t\"\n[[step]]\nname = \"u\"\nwarmup = \"500ms\"\n\
    duration = \"1s\"\n[[step.stream]]\nname = \"readers\"\nthreads = 4\n\
    engine = { kind = \"null\", latency = \"400ms\", size = \"1GiB\" }\n\
    workload = { kind = \"training_read\", block = \"1MiB\", batch = 7, compute = \"20ms\", \
    readers = 4 }\n";

#[test]
fn drives_are_ranked_by_the_utilisation_of_accelerators_and_equal_ones_are_not() {
    let dir = drives(&["a", "b", "c"]);
    let run = |subjects: &[&str]| {
        fs::write(dir.path().join("p.toml"), TRAINING).unwrap();
        let mut args = vec!["run", "p.toml", "--repeats", "3", "-o", "b.dyno"];
        subjects.iter().for_each(|subject| args.extend(["--subject", subject]));
        let _ = fs::remove_file(dir.path().join("b.dyno"));
        let output = dyno(dir.path(), &args);
        assert!(output.status.success(), "{}", said(&output));
        dyno_well(dir.path(), &["report", "b.dyno", "-o", "b.md"]);
        let brief = fs::read_to_string(dir.path().join("b.md")).unwrap();
        (brief, dyno_well(dir.path(), &["compare", "b.dyno"]))
    };
    // A reader computes 4 × 20 ms ÷ 7 = 11.4 ms on a sample; DLIO's utilisation is that over the
    // time of a read, if that takes longer.
    let (brief, compared) = run(&["A=a,latency=20ms", "B=b,latency=60ms"]);
    let rows = rows(&brief, "utilisation (AU)");
    let used = rows.iter().map(|row| number(cell(row, "utilisation (AU)"))).collect::<Vec<_>>();
    assert!(used.len() == 2 && used[0] > 1.8 * used[1], "{used:?}");
    // A busy machine lengthens reads, and never shortens them.
    assert!(used[0] < 58.0 && used[1] < 20.0, "{used:?}");
    assert!(rows.iter().all(|row| cell(row, "accelerators") == "1"), "{rows:?}");
    assert!(brief.contains("A keeps no tested number of accelerators"), "{brief}");
    assert!(!compared.contains("use a lower rate"), "{compared}");
    let (brief, _) = run(&["A=a,latency=1ms", "B=b,latency=1ms"]);
    assert!(brief.contains("A keeps 1 accelerators"), "{brief}");
}

#[test]
fn one_fast_class_does_not_put_a_table_into_nanoseconds() {
    let dir = drives(&["a"]);
    let stream = |name: &str, engine: &str| {
        format!("[[step.stream]]\nname = \"{name}\"\nengine = {engine}\nworkload = \"random\"\n")
    };
    let plan = format!(
        "title = \"t\"\n[[step]]\nname = \"u\"\nduration = \"300ms\"\n{}{}",
        stream("fast", "\"null\""),
        stream("slow", "{ kind = \"null\", latency = \"3ms\" }")
    );
    fs::write(dir.path().join("p.toml"), plan).unwrap();
    dyno_well(dir.path(), &["run", "p.toml", "--repeats", "1", "--subject", "A=a", "-o", "b.dyno"]);
    let shown = dyno_well(dir.path(), &["show", "b.dyno"]);
    let slow: Vec<&str> = shown.lines().filter(|line| line.contains("slow")).collect();
    let millions = |line: &&str| line.split(' ').any(|word| word.matches(',').count() > 1);
    assert!(!slow.is_empty() && !slow.iter().any(millions), "{shown}");
}

/// A trace of Poisson arrivals in the format of MSR Cambridge's compact form.
fn trace(dir: &Path, requests: u64, request: impl Fn(u64, u64) -> (u64, u64)) {
    let (seed, mut at_us, mut end) = (Seed::new(4, 0, 0), 0.0, 0);
    let mut text = String::new();
    for n in 0..requests {
        at_us += seed.at(n).exponential() * 1000.0;
        let (offset, length) = request(n, end);
        end = offset + length;
        writeln!(text, "0,R,{offset},{length},{}", at_us as u64).unwrap();
    }
    fs::write(dir.join("t.csv"), text).unwrap();
}

#[test]
fn a_model_keeps_the_sequentiality_of_its_trace_over_sizes_or_names_what_it_loses() {
    let dir = drives(&[]);
    let draws = Seed::new(9, 1, 0);
    trace(dir.path(), 20_000, |n, end| {
        let mut rng = draws.at(n);
        let length = 4096 << rng.below(4);
        let offset = if rng.unit() < 0.8 { end } else { rng.below(1 << 18) * 4096 };
        (offset, length)
    });
    let compared = dyno_well(dir.path(), &["trace", "model", "t.csv", "-o", "m.toml"]);
    let line = compared.lines().find(|line| line.contains("sequential requests")).unwrap();
    let shares: Vec<f64> = line.split("  ").filter(|c| c.contains('%')).map(number).collect();
    assert!((shares[0] - 80.0).abs() < 1.0 && (shares[0] - shares[1]).abs() < 3.0, "{line}");
    let model = fs::read_to_string(dir.path().join("m.toml")).unwrap();
    assert!(!model.contains("# sequential requests"), "{model}");
    // Requests that go round a few places one after the other: every one follows the same place.
    trace(dir.path(), 20_000, |n, _| (n % 5 * (1 << 30), 4096));
    dyno_well(dir.path(), &["trace", "model", "t.csv", "-o", "m2.toml"]);
    let model = fs::read_to_string(dir.path().join("m2.toml")).unwrap();
    assert!(!model.contains("Everything that defines the load was converted"), "{model}");
    assert!(model.contains("the footprint"), "{model}");
}

#[test]
fn poisson_traces_have_no_bursts() {
    let dir = drives(&[]);
    trace(dir.path(), 15_000, |n, _| (n % 1000 * 4096, 4096));
    let info = dyno_well(dir.path(), &["trace", "info", "t.csv"]);
    assert!(!info.contains("Fitted bursts"), "{info}");
}
