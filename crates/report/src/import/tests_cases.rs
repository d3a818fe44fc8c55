//! Defects found with real files of other tools, with the correct values: small inputs of the same
//! form.

use serde_json::json;

use super::tests_model::{File, Made, fio, job, make, side, try_make};

fn one(kind: &str, file: &str, text: impl Into<String>) -> Made {
    make(kind, &[("S", file, text.into())])
}

fn data(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/import/");
    std::fs::read_to_string(format!("{folder}{name}")).expect("a file of tests/data/import")
}

#[track_caller]
fn near(value: f64, right: f64) {
    assert!((value - right).abs() <= 1e-6 * right.abs(), "{value} is not {right}");
}

#[test]
fn each_job_of_a_group_has_the_rate_of_its_own_runtime() {
    let short = job("short", json!({}), &[("read", side(10_000, 10_000, 4096, 80_000))]);
    let long = job("long", json!({}), &[("read", side(40_000, 40_000, 4096, 80_000))]);
    for jobs in [[short.clone(), long.clone()], [long, short]] {
        let made = one("fio", "f.json", fio(json!({}), &jobs));
        let row = made.only();
        for stream in ["short", "long"] {
            near(row.figures[&format!("{stream}/read/ops_per_s")], 1000.0);
        }
        assert_eq!(row.window_s, Some(40.0));
        made.says("ran for different times");
    }
    // Clones: all ops over the longest of their runtimes, as fio's group sums are.
    let clone =
        |ops, ms| job("c", json!({"numjobs": "2"}), &[("read", side(ops, ms, 4096, 80_000))]);
    let made = one("fio", "f.json", fio(json!({}), &[clone(2048, 54), clone(2048, 65)]));
    near(made.only().figure("read", "ops_per_s"), 4096.0 * 1000.0 / 65.0);
    assert_eq!(made.only().threads, Some(2));
    made.says("percentiles of c (read) are left out");
    near(made.only().figure("read", "mean_ns"), 80_000.0);
}

#[test]
fn the_reads_of_a_verification_are_a_phase_of_their_own() {
    let options = json!({"rw": "randwrite", "verify": "crc32c"});
    let sides = [
        ("write", side(10_000, 10_000, 4096, 90_000)),
        ("read", side(10_000, 2_000, 4096, 80_000)),
    ];
    let made = one("fio", "f.json", fio(json!({}), &[job("w", options, &sides)]));
    near(made.row("S", "w").figure("write", "ops_per_s"), 1000.0);
    assert!(!made.row("S", "w").has("read"));
    near(made.row("S", "w, verification").figure("read", "ops_per_s"), 5000.0);
}

#[test]
fn sync_latencies_trims_and_mixed_reports_of_fio_are_imported_under_their_names() {
    let mut etcd = job(
        "etcd",
        json!({"rw": "write", "fdatasync": "1", "bs": "2300"}),
        &[("write", side(12_000, 10_000, 2300, 11_000))],
    );
    etcd["sync"] = json!({"total_ios": 0, "lat_ns": {"min": 400_000, "max": 9_000_000,
        "mean": 800_000.0, "stddev": 1.0, "N": 12_000,
        "percentile": {"99.000000": 2_400_000, "99.900000": 6_900_000}}});
    let made = one("fio", "f.json", fio(json!({}), &[etcd]));
    let row = made.only();
    near(row.figure("write", "mean_ns"), 11_000.0);
    near(row.figure("flush", "mean_ns"), 800_000.0);
    near(row.figure("flush", "p99_ns"), 2_400_000.0);
    near(row.figure("flush", "p99.9_ns"), 6_900_000.0);
    near(row.figure("flush", "ops"), 12_000.0);
    made.says("flushes of etcd are its fdatasync calls");
    made.says("p99.9 of etcd (flush) kept, but not shown: fewer than 100 ops lie above");
    let trims = [("trim", side(20_000, 10_000, 65_536, 45_000))];
    let made = one("fio", "f.json", fio(json!({}), &[job("t", json!({"rw": "randtrim"}), &trims)]));
    near(made.only().figure("trim", "ops_per_s"), 2000.0);
    let mut mixed = job("u", json!({"rw": "randrw", "unified_rw_reporting": "1"}), &[]);
    for direction in ["read", "write", "trim"] {
        mixed.as_object_mut().expect("a job").remove(direction);
    }
    mixed["mixed"] = side(10_000, 10_000, 4096, 80_000);
    let made = one("fio", "f.json", fio(json!({}), &[mixed]));
    near(made.only().figure("read-or-write", "ops_per_s"), 1000.0);
}

#[test]
fn what_fio_did_not_measure_is_no_figure_and_lat_stands_in_for_clat() {
    let zero = [("read", side(100_000, 10_000, 4096, 0))];
    let made = one("fio", "f.json", fio(json!({}), &[job("g", json!({}), &zero)]));
    near(made.only().figure("read", "ops_per_s"), 10_000.0);
    assert!(!made.only().figures.keys().any(|k| k.ends_with("mean_ns") || k.ends_with("max_ns")));
    made.says("were not measured");
    let mut only_lat = side(100_000, 10_000, 4096, 90_000);
    only_lat["lat_ns"] = only_lat["clat_ns"].clone();
    only_lat["lat_ns"]["mean"] = json!(95_000.0);
    only_lat["clat_ns"].as_object_mut().expect("latencies").remove("percentile");
    let made = one("fio", "f.json", fio(json!({}), &[job("l", json!({}), &[("read", only_lat)])]));
    near(made.only().figure("read", "p99_ns"), 180_000.0);
    near(made.only().figure("read", "mean_ns"), 95_000.0);
    made.says("slat included");
}

#[test]
fn threads_and_depth_of_fio_are_those_in_flight_or_not_known() {
    let options = json!({"ioengine": "psync", "iodepth": "32", "numjobs": "4",
        "group_reporting": "1"});
    let reads = || [("read", side(400_000, 10_000, 4096, 98_000))];
    let made = one("fio", "f.json", fio(json!({}), &[job("t", options, &reads())]));
    assert_eq!((made.only().threads, made.only().depth), (Some(4), Some(1)));
    let last = json!({"rw": "randwrite", "numjobs": "2", "iodepth": "2", "bs": "64k"});
    let both = [
        ("read", side(20_000, 10_000, 4096, 80_000)),
        ("write", side(10_000, 10_000, 65_536, 90_000)),
    ];
    let global = json!({"ioengine": "libaio", "group_reporting": "1"});
    let made = one("fio", "f.json", fio(global, &[job("readers", last, &both)]));
    assert_eq!((made.only().threads, made.only().depth), (None, None));
    near(made.only().figure("read", "ops_per_s"), 2000.0);
    made.says("fio merged several sections");
    let mut unknown = job("t", json!(null), &reads());
    unknown.as_object_mut().expect("a job").remove("job options");
    let made = one("fio", "f.json", fio(json!(null), &[unknown]));
    assert_eq!((made.only().threads, made.only().depth), (None, None));
}

#[test]
fn an_interrupted_run_says_so_beside_its_figures() {
    let global = json!({"runtime": "5m", "time_based": "1"});
    let reads = [("read", side(48_000, 48_000, 1 << 20, 950_000))];
    let json = fio(global.clone(), &[job("seq", json!({"rw": "read", "bs": "1m"}), &reads)]);
    let made = one("fio", "f.json", format!("\nfio: terminating on signal 2\n{json}\n"));
    assert_eq!(made.only().title, "seq (interrupted after 48 s of 5 m)");
    near(made.only().figure("read", "ops_per_s"), 1000.0);
    let whole = [("read", side(300_000, 300_000, 1 << 20, 950_000))];
    let whole = fio(global, &[job("seq", json!({"rw": "read", "bs": "1m"}), &whole)]);
    let files: [File<'_>; 2] = [("S", "a.json", json), ("S", "b.json", whole)];
    let made = make("fio", &files);
    assert!(made.rows.iter().all(|row| row.repeat == 1), "no repeats: {:?}", made.rows);
}

#[test]
fn text_around_fios_json_and_earlier_states_are_not_taken_for_damage() {
    let state = |ops: u64, ms: u64| {
        let reads = [("read", side(ops, ms, 4096, 80_000))];
        fio(json!({}), &[job("si", json!({"rw": "randread"}), &reads)])
    };
    let all = [state(1000, 1000), state(2000, 2000), state(3000, 3000)].join("\n");
    let made = one("fio", "f.json", all);
    near(made.only().figure("read", "ops"), 3000.0);
    made.says("--status-interval");
    for text in [
        format!("fio: note about {{x}}\n{}", state(1000, 1000)),
        format!(
            "{}\n\nsi: (groupid=0, jobs=1): err= 0: pid=1: x\n  read: IOPS=9\n",
            state(1000, 1000)
        ),
        format!("\u{feff}{}\r\n", state(1000, 1000)),
        state(1000, 1000).replace("\"stddev\":1.0", "\"stddev\": -nan"),
    ] {
        near(one("fio", "f.json", text).only().figure("read", "ops_per_s"), 1000.0);
    }
    let cut = state(1000, 1000);
    let cut = &cut[..cut.len() / 2];
    let error = try_make("fio", &[("S", "f.json", cut.to_string())], None).err().expect("refused");
    assert!(format!("{error:#}").contains("ends before it is complete"), "{error:#}");
}

#[test]
fn clients_of_fio_are_streams_and_their_sum_is_not_counted_twice() {
    let reads = |ops| [("read", side(ops, 10_000, 4096, 80_000))];
    let of = |host: Option<&str>, name: &str, ops| {
        let mut own = job(name, json!({"rw": "randread"}), &reads(ops));
        if let Some(host) = host {
            own["hostname"] = json!(host);
        }
        own
    };
    let root = json!({"fio version": "fio-3.36", "timestamp_ms": 5, "global options": {},
        "client_stats": [of(Some("a"), "j", 50_000), of(Some("b"), "j", 30_000),
            of(None, "All clients", 80_000)]});
    let made = one("fio", "f.json", format!("<a> Starting 1 process\n{root}"));
    near(made.only().figures["j on a/read/ops_per_s"], 5000.0);
    near(made.only().figures["j on b/read/ops_per_s"], 3000.0);
    assert_eq!(made.only().figures.keys().filter(|k| k.ends_with("ops_per_s")).count(), 2);
}

#[test]
fn fio_2_prints_microseconds_and_kibibytes() {
    let root = json!({"fio version": "fio-2.1.11", "jobs": [{"jobname": "j", "groupid": 0,
        "error": 0,
        "read": {"io_bytes": 4000, "bw": 400, "iops": 100, "runtime": 10_000,
            "clat": {"min": 5, "max": 900, "mean": 80.5, "stddev": 1.0,
                "percentile": {"99.000000": 120, "0.00": 0}}},
        "write": {"io_bytes": 0, "bw": 0, "iops": 0, "runtime": 0, "clat": {"mean": 0.0}}}]});
    let made = one("fio", "f.json", root.to_string());
    let row = made.only();
    near(row.figure("read", "ops_per_s"), 100.0);
    near(row.figure("read", "bytes_per_s"), 409_600.0);
    near(row.figure("read", "p99_ns"), 120_000.0);
    near(row.figure("read", "mean_ns"), 80_500.0);
    assert!(!row.has("write"));
}

#[test]
fn fios_terse_and_normal_output_and_logs_are_read() {
    for (file, rate, mean, p99) in [
        ("fio-terse-3.txt", 6000.0, 55_885.288, 101_000.0),
        ("fio-terse-5.txt", 12_000.0, 62_268.924, 127_000.0),
    ] {
        let made = one("fio", file, data(file));
        near(made.only().figure("read", "ops_per_s"), rate);
        near(made.only().figure("read", "mean_ns"), mean);
        near(made.only().figure("read", "p99_ns"), p99);
        assert_eq!(made.only().load["read: block"], "4 KiB");
    }
    let line = data("fio-terse-3.txt");
    let made = one("fio", "clones.txt", [line.trim(); 3].join("\n"));
    let rates = made.only().figures.iter().filter(|(of, _)| of.ends_with("/read/ops_per_s"));
    assert!(rates.clone().all(|(_, rate)| *rate == 6000.0), "{:?}", made.only());
    assert_eq!(rates.count(), 3, "each of three jobs with one name is a stream");
    let made = one("fio", "normal.txt", data("fio-normal.txt"));
    let row = made.only();
    near(row.figure("read", "ops_per_s"), 982.0 / 0.71);
    near(row.figure("write", "ops_per_s"), 1066.0 / 0.71);
    near(row.figure("read", "mean_ns"), 398_042.88);
    near(row.figure("read", "p99_ns"), 4_079_616.0);
    near(row.figure("write", "p99.9_ns"), 55_040.0);
    near(row.figure("flush", "p99_ns"), 8_029_000.0);
    near(row.figure("flush", "mean_ns"), 1_980_750.0);
    assert_eq!((row.threads, row.depth), (Some(2), Some(1)));
    assert_eq!(row.load["block"], "4 KiB");
    let made = one("fio_log", "mixed_clat.1.log", data("mixed_clat.1.log"));
    assert!(made.only().figure("read", "ops") > 10.0);
    let marked = format!("\u{feff}{}", data("reads_iops.1.log"));
    let made = one("fio_log", "reads_iops.1.log", marked);
    near(made.only().figure("read", "ops_per_s"), (16_031.0 + 17_406.0 + 13_524.0) / 3.0);
    let bins = |at: usize| {
        let counts = (0..1856).map(|i| if i == at { "3" } else { "0" }).collect::<Vec<_>>();
        format!("500, 0, 4096, {}\n", counts.join(", "))
    };
    let made = one("fio_log", "r_clat_hist.1.log", bins(100) + &bins(640));
    near(made.only().figure("read", "ops"), 6.0);
    let error = try_make("fio_log", &[("S", "x.log", "1, 2, 0, 4096\n".into())], None).err();
    assert!(format!("{:#}", error.expect("refused")).contains("name does not say"));
}

const DB_BENCH: &str =
    "RocksDB:    version 8.1.1\nWrite rate: 0 bytes/second\nRead rate: 0 ops/second\n";

fn histogram(kind: &str, count: u64) -> String {
    format!(
        "Microseconds per {kind}:\nCount: {count} Average: 70.0000  StdDev: 9.00\nMin: 5  Median: \
         65.0000  Max: 5000\nPercentiles: P50: 65.00 P75: 80.00 P99: 600.00 P99.9: 900.00\n"
    )
}

#[test]
fn db_benchs_rates_are_operations_over_seconds_and_its_classes_those_that_it_did() {
    let line = |name: &str, rest: &str| format!("{DB_BENCH}{name} :  10.000 micros/op {rest}\n");
    let of = |text: String| one("db_bench", "crucial-t700.log", text);
    let made = of(line("readrandom", "1 ops/sec 10.000 seconds 15 operations;"));
    near(made.only().figure("read", "ops_per_s"), 1.5);
    assert_eq!((made.only().threads, &made.only().axis), (None, &None), "t700 is a drive");
    for (name, class) in [
        ("deleterandom", "delete"),
        ("mergerandom", "merge"),
        ("updaterandom", "update"),
        ("fillrandom", "write"),
        ("overwrite", "write"),
        ("readseq", "read"),
        ("multireadrandom", "read"),
        ("seekrandomwhilewriting", "seek"),
        ("readwhilemerging", "read"),
        ("readrandommergerandom", "operation"),
        ("crc32c", "operation"),
    ] {
        let rest = "100000 ops/sec 10.000 seconds 1000000 operations;   40.0 MB/s";
        let made = of(line(name, rest));
        near(made.only().figure(class, "ops_per_s"), 100_000.0);
        let classes = made.only().figures.keys().filter(|k| k.ends_with("ops_per_s")).count();
        assert_eq!(classes, 1, "{name}: {:?}", made.only().figures);
    }
    let mixed = line(
        "mixgraph",
        "59795 ops/sec 1.672 seconds 100000 operations;  833.5 MB/s ( Gets:50164 Puts:24919 \
         Seek:24917, reads 75081 in 75081 found, avg size: 36.0 value, 504.9 scan)",
    );
    let made = of(mixed);
    let sum: f64 =
        ["read", "write", "seek"].map(|c| made.only().figure(c, "ops_per_s")).iter().sum();
    assert!((sum / 59_795.0 - 1.0).abs() < 1e-4, "{sum}");
}

#[test]
fn db_bench_runs_with_other_numbers_of_threads_are_no_repeats() {
    let of = |micros: f64, rate: u64| {
        format!(
            "{DB_BENCH}readrandom : {micros} micros/op {rate} ops/sec 10.000 seconds {rate}0 \
             operations;\n"
        )
    };
    let files = [("A", "one.log", of(10.0, 100_000)), ("A", "many.log", of(16.0, 1_000_000))];
    let error = try_make("db_bench", &files, None).err().expect("refused");
    let said = format!("{error:#}");
    assert!(said.contains("one.log") && said.contains("many.log"), "{said}");
    let named = [("A/1", "one.log", of(10.0, 100_000)), ("A/16", "many.log", of(16.0, 1_000_000))];
    assert_eq!(make("db_bench", &named).rows.len(), 2);
}

#[test]
fn a_drive_or_folder_called_like_a_count_is_no_number_of_threads() {
    let of = |rate: u64| {
        format!(
            "{DB_BENCH}readrandom : 32.0 micros/op {rate} ops/sec 10.000 seconds 5000000 \
             operations;\n"
        )
    };
    let files = [
        ("T700", "crucial-t700.log", of(500_000)),
        ("T705", "crucial-t705.log", of(533_333)),
        ("A", "t2/read.log", of(510_000)),
    ];
    let made = make("db_bench", &files);
    for subject in ["T700", "T705", "A"] {
        assert_eq!(made.row(subject, "readrandom").threads, None, "{subject}");
    }
}

#[test]
fn both_histograms_of_a_mixed_db_bench_stay_and_missing_keys_are_misses() {
    let text = format!(
        "{DB_BENCH}readrandomwriterandom : 25.000 micros/op 320000 ops/sec 10.000 seconds 3200000 \
         operations; ( reads:2880000 writes:320000 total:3200000 found:2800000)\n{}{}",
        histogram("read", 2_880_000).replace("70.0000", "20.0000"),
        histogram("write", 320_000)
    );
    let made = one("db_bench", "f.txt", text);
    let row = made.only();
    near(row.figure("read", "ops_per_s"), 288_000.0);
    near(row.figure("write", "ops_per_s"), 32_000.0);
    near(row.figure("read", "mean_ns"), 20_000.0);
    near(row.figure("write", "mean_ns"), 70_000.0);
    near(row.figure("read", "misses"), 80_000.0);
    let of = |rate: u64, hits: u64| {
        format!(
            "{DB_BENCH}readrandom : 8.0 micros/op {rate} ops/sec 10.000 seconds {rate}0 \
             operations; \
             0.0 MB/s ({hits} of 312500 found)\n"
        )
    };
    let files = [("Filled", "f.log", of(500_001, 312_500)), ("Empty", "e.log", of(2_000_001, 0))];
    let made = make("db_bench", &files);
    near(made.row("Empty", "readrandom, keys found none").figure("read", "misses"), 20_000_010.0);
    made.says("0 of 312,500 reads");
    made.says("not compared in readrandom: keys found is all of Filled, none of Empty");
}

#[test]
fn a_db_bench_before_7_2_gives_its_rate_and_no_window() {
    let text = format!(
        "RocksDB:    version 6.29\nreadwhilewriting :    1000.000 micros/op 32000 ops/sec;   21.5 \
         MB/s \
         (1520000 of 1758000 found)\n{}",
        histogram("read", 2_000_000)
    );
    let made = one("db_bench", "f.txt", text);
    near(made.only().figure("read", "ops_per_s"), 32_000.0);
    near(made.only().figure("read", "p99_ns"), 600_000.0);
    assert_eq!(made.only().window_s, None);
}

fn sysbench(reads: u64, writes: u64, other: u64, done: u64) -> String {
    format!(
        "sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n\nNumber of threads: 16\n\nSQL \
         statistics:\n    queries performed:\n        read:   {reads}\n        write:  \
         {writes}\n        \
         other:  {other}\n    transactions:   {done} ({:.2} per sec.)\n    ignored errors:    \
         12     \
         (0.20 per sec.)\n\nGeneral statistics:\n    total time:    60.0000s\n    total number of \
         events: {done}\n\nLatency (ms):\n         min:  1.00\n         avg:  16.00\n         \
         max:  \
         99.00\n         95th percentile:    20.00\n",
        done as f64 / 60.0
    )
}

#[test]
fn sysbenchs_sql_tests_are_transactions_that_differ_in_their_queries() {
    let (write_only, select) =
        (sysbench(0, 240_000, 120_000, 60_000), sysbench(600_000, 0, 0, 600_000));
    let made = make("sysbench", &[("A", "w.txt", write_only), ("A", "s.txt", select)]);
    let steps: Vec<&str> = made.rows.iter().map(|r| r.step.as_str()).collect();
    assert_eq!(made.rows.len(), 2);
    assert_ne!(steps[0], steps[1]);
    let own = made.rows.iter().find(|r| r.step.contains("write queries per transaction 4"));
    let own = own.expect("the writing test");
    near(own.figure("transaction", "ops_per_s"), 1000.0);
    near(own.figure("transaction", "given_up"), 12.0);
    near(own.figure("transaction", "p95_ns"), 20e6);
    assert!(!own.has("read") && !own.has("write"));
    assert_eq!(own.axis, Some(("threads".to_string(), 16.0)));
}

#[test]
fn sysbench_0_5_and_1_1_are_read() {
    let older = "sysbench 0.5:  multi-threaded system evaluation benchmark\n\nNumber of threads: \
        2\n\nOLTP \
        test statistics:\n    queries performed:\n        read:   140000\n        write:  \
        40000\n        \
        other:  20000\n        total:  200000\n    transactions:  10000  (166.67 per \
        sec.)\n\nGeneral \
        statistics:\n    total time:   60.0000s\n    total number of events:  10000\n    response \
        time:\n         min:    3.00ms\n         avg:   11.99ms\n         max:  210.53ms\n         \
        approx.  99 percentile:   17.73ms\n";
    let made = one("sysbench", "s.txt", older);
    near(made.only().figure("transaction", "ops_per_s"), 166.67);
    near(made.only().figure("transaction", "mean_ns"), 11.99e6);
    near(made.only().figure("transaction", "max_ns"), 210.53e6);
    near(made.only().figure("transaction", "p99_ns"), 17.73e6);
    let newer = "sysbench 1.1.0 (using bundled LuaJIT 2.1.0-beta3)\n\nNumber of threads: \
        1\n\nDoing random \
        r/w test\n\nThroughput:\n         read:  IOPS=6421.83 100.34 MiB/s (105.22 \
        MB/s)\n         write: \
        IOPS=4281.22 66.89 MiB/s (70.14 MB/s)\n         fsync: IOPS=13701.11\n\nLatency \
        (ms):\n         \
        min:  0.00\n         avg:   0.04\n         max:  9.00\n         95th percentile:  \
        0.10\n\nGeneral \
        statistics:\n    total time:  10.0000s\n    total number of events: 244041\n";
    let made = one("sysbench", "s.txt", newer);
    near(made.only().figure("read", "ops_per_s"), 6421.83);
    near(made.only().figure("write", "bytes_per_s"), 66.89 * 1_048_576.0);
    near(made.only().figure("flush", "ops_per_s"), 13_701.11);
    assert!(!made.only().figures.contains_key("sysbench/read/p95_ns"), "it is of all events");
}

const FLAT: &str = "tod timestamp Run Interval reqrate rate MB/sec bytes/io read% resp read_resp \
                    write_resp read_max write_max xfersize threads rdpct rhpct whpct seekpct\n";

fn flat(run: &str, asked: u64, rate: f64, threads: u32, resp: f64) -> String {
    format!(
        "10:00 01/02 {run} avg_2-60 {asked} {rate} 1 4096 100 {resp} {resp} 0 9 0 4096 {threads} \
         100 0 0 100\n"
    )
}

#[test]
fn vdbenchs_loops_and_curves_are_axes() {
    let rows: String = [1, 2, 4, 8]
        .iter()
        .map(|n| flat("rd1", 999_988, 10_000.0 * f64::from(*n), *n, 0.09))
        .collect();
    let made = one("vdbench", "flat.html", format!("{FLAT}{rows}"));
    let axes: Vec<_> = made.rows.iter().map(|r| r.axis.clone().map(|a| a.1)).collect();
    assert_eq!(axes, [1.0, 2.0, 4.0, 8.0].map(Some));
    near(made.rows[3].figure("read", "ops_per_s"), 80_000.0);
    let curve = |max: f64| {
        let share = |percent: f64| {
            let rate = max * percent / 100.0;
            flat(&format!("run1_({percent}%)"), rate as u64, rate, 8, 0.1)
        };
        format!("{FLAT}{}{}{}", flat("run1", 999_977, max, 8, 0.5), share(10.0), share(50.0))
    };
    let made = make("vdbench", &[("A", "a.html", curve(1100.0)), ("B", "b.html", curve(2000.0))]);
    assert_eq!(made.rows.len(), 6);
    for subject in ["A", "B"] {
        let own = made.rows.iter().filter(|r| r.subject == subject);
        let axes: Vec<_> = own.map(|r| r.axis.clone().expect("an axis")).collect();
        assert_eq!(axes, [10.0, 50.0, f64::INFINITY].map(|at| ("load".to_string(), at)));
    }
}

#[test]
fn vdbenchs_own_formatting_is_no_run_and_its_file_systems_are_read() {
    let text = format!(
        "{FLAT}{}{}",
        flat("SD_format", 9_999_988, 0.0, 2, 0.0),
        flat("rd1", 100, 105.25, 8, 0.02)
    );
    let made = one("vdbench", "flat.html", text);
    near(made.only().figure("read", "ops_per_s"), 105.25);
    made.says("'SD_format' was left out");
    let files = "tod timestamp Run Interval Xfersize Threads Reqrate Rate Resp Resp_max MB_read \
        MB_write \
        Read_rate Read_resp Read_resp_max Write_rate Write_resp Write_resp_max\n10:00 01/02 rd1 \
        avg_2-60 \
        4096 8 9999988 20000 0.4 9 62.5 15.625 16000 0.35 8 4000 0.6 9\n";
    let made = one("vdbench", "flat.html", files);
    near(made.only().figure("read", "ops_per_s"), 16_000.0);
    near(made.only().figure("read", "mean_ns"), 350_000.0);
    near(made.only().figure("write", "max_ns"), 9e6);
}

#[test]
fn a_hammerdb_job_repeats_its_run_and_a_time_profile_has_latencies() {
    let log = "Vuser 1:Timing test period of 5 in minutes\nVuser 1:24 Active Virtual Users \
        configured\nVuser 1:TEST RESULT : System achieved 120000 NOPM from 280000 MariaDB TPM\n";
    let result = "HAMMERDB RESULT\n[\n  \"60\",\n  \"24 Active Virtual Users \
        configured\",\n  \"TEST \
        RESULT : System achieved 120000 NOPM from 280000 MariaDB TPM\"\n]\n";
    for text in [log.to_string(), format!("{log}{result}"), result.to_string()] {
        let made = one("hammerdb", "h.log", text);
        near(made.only().figure("new-order", "ops_per_s"), 2000.0);
        assert_eq!(made.only().threads, Some(24));
    }
    let profile = format!(
        "{log}>>>>> VIRTUAL USER 2 : ELAPSED TIME : 300000ms\n>>>>> PROC: NEWORD\nCALLS: \
         7500\tMIN: \
         2.400ms\tAVG: 9.200ms\tMAX: 32.700ms\tTOTAL: 69000.000ms\nP99: 14.200ms\tP95: \
         12.400ms\tP50: \
         9.000ms\tSD: 1840.0\tRATIO: 41.4%\n"
    );
    let made = one("hammerdb", "h.log", profile);
    for (name, ms) in [("mean_ns", 9.2), ("p50_ns", 9.0), ("p95_ns", 12.4), ("p99_ns", 14.2)] {
        near(made.only().figure("new-order", name), ms * 1e6);
    }
    made.says("one virtual user");
    made.says("p99 of hammerdb (new-order) kept, but not shown: fewer than 100 ops lie above");
}

const MAPPING: &str =
    "subject = \"drive\"\n[figures]\nops_per_s = { column = \"iops\", unit = \"ops/s\" }\n";

#[test]
fn tables_with_marks_tabs_semicolons_and_decimal_commas_are_read_by_rule_or_refused() {
    let table = |text: &str, mapping: &str| {
        try_make("csv", &[("S", "t.csv", text.to_string())], Some(mapping))
    };
    for text in [
        "\u{feff}drive,iops\r\nA,100000\r\nB,120000\r\n",
        "drive\tiops\nA\t100,000\nB\t120,000\n",
        "drive;iops\nA;100000\nB;120000\n",
        "drive,iops\nA,\"100,000\"\ndrive,iops\nB,\"120,000\"\n",
    ] {
        let made = table(text, MAPPING).unwrap_or_else(|e| panic!("{text}: {e:#}"));
        near(made.rows[0].figure("operation", "ops_per_s"), 100_000.0);
        near(made.rows[1].figure("operation", "ops_per_s"), 120_000.0);
    }
    for text in
        ["drive,iops\nA,\"850,5\"\n", "drive,iops\nA,\"1.234,5\"\n", "drive;iops\nA;1,234\n"]
    {
        let error = table(text, MAPPING).err().expect("refused");
        assert!(format!("{error:#}").contains("t.csv, line 2"), "{error:#}");
    }
    let comma = format!("decimal = \",\"\n{MAPPING}");
    let made = table("drive;iops\nA;850,5\nB;1.234,5\n", &comma).expect("readable");
    near(made.rows[0].figure("operation", "ops_per_s"), 850.5);
    near(made.rows[1].figure("operation", "ops_per_s"), 1234.5);
}

#[test]
fn rows_that_differ_in_a_column_without_meaning_are_no_repeats() {
    let text = "drive,bs,iops\nA,4k,100000\nA,64k,20000\n".to_string();
    let files = [("S", "t.csv", text)];
    let error = try_make("csv", &files, Some(MAPPING)).err().expect("refused");
    assert!(format!("{error:#}").contains("other values of bs"), "{error:#}");
    let load = MAPPING.replace("[figures]", "[load]\nblock = \"bs\"\n[figures]");
    let made = try_make("csv", &files, Some(&load)).expect("readable");
    assert!(made.rows.iter().all(|row| row.repeat == 1));
    let ignored = format!("ignore = [\"bs\"]\n{MAPPING}");
    let made = try_make("csv", &files, Some(&ignored)).expect("readable");
    assert_eq!(made.rows[1].repeat, 2);
}

#[test]
fn ycsb_and_go_ycsb_are_read() {
    let made = one("ycsb", "y.txt", data("ycsb.txt"));
    let row = made.only();
    assert_eq!((row.step.as_str(), row.threads), ("workloada run", Some(16)));
    near(row.figure("read", "ops_per_s"), 5010.0);
    near(row.figure("read", "misses"), 100.0);
    near(row.figure("read", "p99_ns"), 1.5e6);
    near(row.figure("update", "mean_ns"), 800_500.0);
    let made = one("ycsb", "y.txt", data("go-ycsb.txt"));
    let row = made.only();
    near(row.figure("read-modify-write", "ops_per_s"), 100.0);
    near(row.figure("read", "ops_per_s"), 100.0);
    near(row.figure("read", "p99.9_ns"), 2.72e6);
    assert_eq!((row.threads, row.load["distribution"].as_str()), (Some(8), "zipfian"));
    made.says("3 operations of the class UPDATE failed");
}

#[test]
fn pgbench_go_tpc_and_benchbase_are_read() {
    let made = one("pgbench", "p.txt", data("pgbench.txt"));
    let row = made.only();
    near(row.figure("transaction", "ops_per_s"), 210.060336);
    near(row.figure("transaction", "mean_ns"), 9.521e6);
    near(row.figure("transaction", "ops"), 419.0);
    assert_eq!((row.threads, row.window_s), (Some(2), Some(2.0)));
    let made = one("pgbench", "p.txt", data("pgbench-two-scripts.txt"));
    near(made.only().figure("transaction", "ops_per_s"), 191.297475);
    near(made.only().figure("transaction", "mean_ns"), 7.26e6);
    assert_eq!(made.only().load["weight of script 2"], "3");
    let made = one("go_tpc", "g.txt", data("go-tpc.txt"));
    near(made.only().figure("new-order", "ops_per_s"), 20.0);
    near(made.only().figure("payment", "p99_ns"), 25.2e6);
    made.says("7 transactions of NEW_ORDER failed");
    let made = one("benchbase", "b.json", data("benchbase.summary.json"));
    let row = made.only();
    near(row.figure("transaction", "ops_per_s"), 1000.0);
    near(row.figure("transaction", "p50_ns"), 14e6);
    near(row.figure("transaction", "p99_ns"), 60e6);
    assert_eq!((row.threads, row.window_s), (Some(16), Some(60.0)));
    made.says("goodput");
}

#[test]
fn diskspd_elbencho_iob_and_mlperf_are_read() {
    let made = one("diskspd", "d.xml", data("diskspd.xml"));
    let row = made.only();
    near(row.figure("read", "ops_per_s"), 70_000.0);
    near(row.figure("write", "bytes_per_s"), 122_880_000.0);
    near(row.figure("read", "p99_ns"), 400_000.0);
    near(row.figure("write", "max_ns"), 7.2e6);
    assert_eq!((row.threads, row.depth, row.load["reads"].as_str()), (Some(2), Some(8), "70 %"));
    let made = one("elbencho", "e.csv", data("elbencho.csv"));
    near(made.row("S", "write").figure("write", "ops_per_s"), 52_428.0);
    near(made.row("S", "read").figure("read", "mean_ns"), 600_000.0);
    assert_eq!((made.rows.len(), made.row("S", "read").depth), (2, Some(16)));
    let made = one("elbencho", "e.json", data("elbencho.json"));
    near(made.only().figure("read", "bytes_per_s"), 409.0 * 1_048_576.0);
    let made = one("iob", "l.csv", data("iob-log.csv"));
    near(made.only().figure("write", "ops_per_s"), 105_000.0);
    let made = one("iob", "s.csv", data("iob-stats-id0.csv"));
    near(made.only().figure("read", "p99_ns"), 210_000.0);
    near(made.only().figure("write", "mean_ns"), 14_000.0);
    assert_eq!(made.only().axis, Some(("rate".to_string(), 200_000.0)));
    let made = one("mlperf", "m.json", data("mlperf-summary.json"));
    near(made.only().figure("sample", "ops_per_s"), 20.0);
    near(made.only().figure("sample", "bytes_per_s"), 2800.5 * 1_048_576.0);
}
