//! Every format reads its golden file, states what it omits, and reports damage with a line number,
//! without panicking.

use super::{ALL, ImportedFile, Input};
use dyno_core::base::error::describe;
use dyno_core::base::rng::Seed;
use dyno_core::plan::{LoopKind, Timing};
use dyno_core::record::Reported;

/// (format, file, text)
const GOLDEN: &[(&str, &str, &str)] = &[
    (
        "csv",
        "micron-7600-random-read.csv",
        include_str!("../../../../tests/data/micron-7600-random-read.csv"),
    ),
    (
        "csv",
        "micron-7600-read-while-writing.csv",
        include_str!("../../../../tests/data/micron-7600-read-while-writing.csv"),
    ),
    ("db_bench", "db_bench.txt", include_str!("../../../../tests/data/db_bench.txt")),
    (
        "fio",
        "fio-randread.jsonplus.json",
        include_str!("../../../../tests/data/fio-randread.jsonplus.json"),
    ),
    ("fio", "fio-randrw.json", include_str!("../../../../tests/data/fio-randrw.json")),
    ("hammerdb", "hammerdb.log", include_str!("../../../../tests/data/hammerdb.log")),
    ("sysbench", "sysbench-fileio.txt", include_str!("../../../../tests/data/sysbench-fileio.txt")),
    ("sysbench", "sysbench-cpu.txt", include_str!("../../../../tests/data/sysbench-cpu.txt")),
    ("vdbench", "flatfile.html", include_str!("../../../../tests/data/vdbench-flatfile.html")),
];

const MAPPING: (&str, &str) = ("mapping.toml", include_str!("../../../../tests/data/mapping.toml"));

fn read(kind: &str, file: &str, text: &str) -> dyno_core::base::error::Result<ImportedFile> {
    let format = ALL.iter().find(|f| f.info().name == kind).expect("a format");
    format.read(&Input::new(file, text, Some(MAPPING)))
}

fn golden(file: &str) -> ImportedFile {
    let (kind, file, text) = GOLDEN.iter().find(|g| g.1 == file).expect("a golden file");
    read(kind, file, text).unwrap_or_else(|e| panic!("{file}: {e:#}"))
}

/// The value and bounds of the figures reported for entry `at`.
fn reported(found: &ImportedFile, at: usize, name: &str) -> (f64, f64, f64) {
    let reported = found.observations[at].reported.iter().find(|t| t.name == name);
    reported.map(|t| (t.value, t.low, t.high)).unwrap_or_else(|| panic!("{name} was not reported"))
}

/// ops/s of entry `at`.
fn rate(found: &ImportedFile, at: usize) -> f64 {
    let entry = &found.observations[at];
    let rates = entry.reported.iter().filter(|r| r.name == Reported::OPS_PER_S);
    let rates = rates.filter(|r| r.class.counts_as_op());
    let reported: f64 = rates.map(|r| r.value).sum();
    let tallies = entry.point.cells.iter().flat_map(|c| &c.tallies);
    let ops: u64 = tallies.map(|t| t.ops).sum();
    match entry.point.window_ns {
        Some(ns) if reported == 0.0 => ops as f64 * 1e9 / ns as f64,
        _ => reported,
    }
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 2e-4 * b.abs(), "{a} is not {b}");
}

#[test]
fn the_published_tables_come_in_as_they_were_printed() {
    let found = golden("micron-7600-random-read.csv");
    assert_eq!(found.observations.len(), 15);
    let at = found.observations.iter().position(|e| {
        e.subject.as_deref() == Some("Micron 7600") && e.load.text("threads") == "96"
    });
    let at = at.expect("a point at 96 threads");
    near(rate(&found, at), 892_202.0);
    assert_eq!(reported(&found, at, "p99_ns").0, 169_000.0);
    assert_eq!(reported(&found, at, Reported::DRIVE_WATTS).0, 10.5);
}

#[test]
fn an_imported_point_has_only_the_cells_of_its_table_and_nothing_of_how_it_was_measured() {
    let found = golden("micron-7600-random-read.csv");
    for entry in &found.observations {
        let cell = &entry.point.cells[0];
        let threads = entry.load.workers("threads");
        assert_eq!((cell.threads, cell.depth, cell.tallies.len()), (threads, None, 0));
        assert_eq!((entry.point.window_ns, entry.loop_kind, entry.timing), (None, None, None));
        let names: Vec<&str> = entry.reported.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, [Reported::OPS_PER_S, "p99_ns", Reported::DRIVE_WATTS]);
    }
    let written = |at: usize| found.observations[at].reported.iter().map(|r| r.digits);
    assert!(written(0).eq([Some(6), Some(3), Some(2)]), "228176, 110 and 7.7");
    assert!(written(12).eq([Some(6), Some(3), Some(3)]), "624672, 222 and 14.0");
    assert!(found.facts[0].value.contains("one 7.68 TB drive"), "{:?}", found.facts);
}

#[test]
fn what_a_tool_says_of_its_run_is_kept_and_what_it_does_not_say_is_unknown() {
    let of = |file: &str| {
        let found = golden(file);
        let entry = &found.observations[0];
        let cell = &entry.point.cells[0];
        (entry.point.window_ns.is_some(), entry.loop_kind, entry.timing, cell.threads, cell.depth)
    };
    let (closed, service) = (Some(LoopKind::Closed), Some(Timing::Service));
    assert_eq!(of("db_bench.txt"), (true, closed, service, None, Some(1)));
    assert_eq!(of("flatfile.html").1, None, "vdbench's flat file does not say");
    assert_eq!((of("flatfile.html").0, of("flatfile.html").2), (false, service));
    assert_eq!((of("sysbench-fileio.txt").1, of("sysbench-fileio.txt").4), (None, None));
    assert_eq!((of("hammerdb.log").2, of("hammerdb.log").4), (None, None));
    assert_eq!((of("fio-randrw.json").2, of("fio-randrw.json").1), (service, closed));
}

#[test]
fn a_db_bench_p99_carries_its_bucket() {
    let found = golden("db_bench.txt");
    let names: Vec<&str> = found.observations.iter().map(|e| e.step.as_str()).collect();
    assert_eq!(names, ["fillseq", "readrandom", "readwhilewriting"]);
    near(rate(&found, 1), 277_839.0);
    assert_eq!(reported(&found, 1, "p99_ns"), (2_940.0, 2_000.0, 3_000.0));
    assert_eq!(reported(&found, 0, "p99.9_ns"), (2_900_000.0, 1_900_000.0, 2_900_000.0));
    near(reported(&found, 1, "mean_ns").0, 7_103.9);
}

#[test]
fn fio_json_plus_brings_its_latencies_whole() {
    let found = golden("fio-randread.jsonplus.json");
    let tally = &found.observations[0].point.cells[0].tallies[0];
    assert_eq!((tally.ops, tally.service.count), (18_647, 18_647));
    near(rate(&found, 0), 18_572.709);
    near(tally.service.mean_ns().unwrap_or(0.0), 52_903.446882);
    let p99 = tally.service.percentile_ns(0.99).unwrap_or(0) as f64;
    assert!((p99 / 370_688.0 - 1.0).abs() < 0.001, "{p99}");
    let names: Vec<&str> = found.observations[0].reported.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, [Reported::OPS_PER_S, Reported::BYTES_PER_S], "of each stream's own runtime");
}

#[test]
fn plain_fio_json_has_percentiles_with_the_width_of_a_bin() {
    let found = golden("fio-randrw.json");
    let p99 = reported(&found, 0, "p99_ns");
    assert!(p99.1 < p99.0 && p99.0 < p99.2 && (p99.2 - p99.1) / p99.0 < 0.016, "{p99:?}");
}

#[test]
fn sysbench_has_rates_by_class_and_latencies_of_all() {
    let found = golden("sysbench-fileio.txt");
    near(rate(&found, 0), 32_248.78 + 21_499.19);
    let p99 = reported(&found, 0, "p99_ns");
    assert!(
        p99.0 == 580_000.0 && p99.1 < 576_000.0 && p99.2 > 576_000.0,
        "sysbench's intervals say 0.576 ms: {p99:?}"
    );
    near(rate(&golden("sysbench-cpu.txt"), 0), 770.0 / 2.0097);
}

#[test]
fn vdbench_and_hammerdb_have_averages_and_nopm() {
    let found = golden("flatfile.html");
    assert_eq!(found.observations[0].load.text("load"), "unlimited");
    near(rate(&found, 1), 26_000.0);
    near(reported(&found, 1, "mean_ns").0, 350_000.0);
    near(rate(&golden("hammerdb.log"), 0), 45_110.0 / 60.0);
}

#[test]
fn damage_is_answered_with_the_line_and_what_to_do() {
    let cut = |file: &str, share: f64| {
        let (kind, file, text) = GOLDEN.iter().find(|g| g.1 == file).expect("a golden file");
        let end = (0..=(text.len() as f64 * share) as usize)
            .rev()
            .find(|i| text.is_char_boundary(*i))
            .unwrap_or(0);
        (*kind, *file, text[..end].to_string())
    };
    let header = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n";
    let twice = (0..2).map(|_| GOLDEN[7].2).collect::<String>();
    let csv = |text: &str| ("csv", "a.csv", text.to_string());
    let cases = [
        (cut("fio-randread.jsonplus.json", 0.5), "line "),
        (cut("db_bench.txt", 0.1), "before any benchmark has ended"),
        (cut("sysbench-fileio.txt", 0.6), "ends without 'total time:'"),
        (cut("hammerdb.log", 0.7), "ends without 'System achieved"),
        (cut("flatfile.html", 0.97), "values for 17 columns"),
        (("sysbench", "two", twice), "a second run begins here"),
        (("sysbench", "head", header.into()), "line 1"),
        (csv("drive,threads,ops_per_s,p99_us,watts\nA,16,1x,2,3\n"), "a.csv, line 2: '1x'"),
        (csv("drive,threads,ops_per_s,p99_us,watts\nA,16,1\n"), "3 values for 5 columns"),
        (csv("drive,threads,ops,p99_us,watts\nA,16,1,2,3\n"), "no column 'ops_per_s'"),
        (("fio", "old.json", r#"{"jobs": [{"jobname": "a"}]}"#.into()), "no \"fio version\""),
        (
            ("vdbench", "mixed", "tod Run Interval\ntod Run Interval rate\n".into()),
            "line 2: a second table",
        ),
    ];
    for ((kind, file, text), says) in cases {
        let error = read(kind, file, &text).expect_err(file);
        let (what, next) = describe(&error);
        assert!(
            what.contains(says) && what.contains(file) && !next.is_empty(),
            "{kind} {file}: {what} / {next:?}"
        );
    }
}

/// Fragments of the formats.
const MARKS: &[u8] = b"0-9e.,:\"{}[\n \r%";

/// A small, deterministic version of fuzzing: truncated, duplicated and modified golden files.
#[test]
fn no_damage_makes_an_importer_panic() {
    let mut rng = Seed::new(5, 0, 0).at(0);
    for (kind, file, text) in GOLDEN {
        for _ in 0..300 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..1 + rng.below(4) {
                let at = rng.below(bytes.len() as u64) as usize;
                match rng.below(4) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes[at] = MARKS[rng.below(MARKS.len() as u64) as usize],
                    2 => drop(bytes.remove(at)),
                    _ => {
                        let end = (at + 200).min(bytes.len());
                        bytes.extend_from_within(at..end);
                    }
                }
                if bytes.is_empty() {
                    break;
                }
            }
            if let Ok(text) = String::from_utf8(bytes) {
                let _ = read(kind, file, &text);
            }
        }
    }
}
