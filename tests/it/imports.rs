//! Imports of fresh output of fio, sysbench and db_bench: the imported numbers are those that the
//! tools print for people.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{db_bench, run_well, skip};

fn there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        skip(format!("{program} is not installed; scripts/setup.sh installs it"));
    }
    found
}

/// The rows of a file's points, imported: (class, column → text).
struct Rows {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Rows {
    fn import(dir: &Path, kind: &str, file: &str, text: &str) -> Rows {
        std::fs::write(dir.join(file), text).unwrap();
        let dyno = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
            command.current_dir(dir);
            command
        };
        let bundle = format!("{file}.dyno");
        run_well(dyno().args(["import", kind, file, "-o", &bundle]));
        let csv = run_well(dyno().args(["export", &bundle]));
        let mut lines = csv.lines().map(|l| l.split(',').map(str::to_string).collect::<Vec<_>>());
        Rows { head: lines.next().unwrap(), rows: lines.collect() }
    }

    /// A number in the row of this step and class.
    #[track_caller]
    fn number(&self, step: &str, class: &str, column: &str) -> f64 {
        let text = self.text(step, class, column);
        text.parse().unwrap_or_else(|_| panic!("{column} of {step}, {class} is '{text}'"))
    }

    #[track_caller]
    fn text(&self, step: &str, class: &str, column: &str) -> &str {
        let at = |name: &str| {
            self.head.iter().position(|h| h == name).unwrap_or_else(|| panic!("no column {name}"))
        };
        let row = self.rows.iter().find(|r| r[at("step")] == step && r[at("class")] == class);
        &row.unwrap_or_else(|| panic!("no {class} of {step}"))[at(column)]
    }

    /// p99 as printed, if enough ops lie above it; a slow machine may have too few, and it is then
    /// not shown.
    #[track_caller]
    fn has_p99(&self, step: &str, class: &str, ops: f64, printed_ns: f64, within: f64) {
        match ops >= 10_000.0 {
            true => near(self.number(step, class, "service_p99_ns"), printed_ns, within),
            false => assert_eq!(self.text(step, class, "service_p99_ns"), "", "of {ops} ops"),
        }
    }
}

#[track_caller]
fn near(imported: f64, printed: f64, within: f64) {
    assert!((imported / printed - 1.0).abs() <= within, "imported {imported}, printed {printed}");
}

/// The word after `key` on the first line that has it, up to one of `ends`.
fn after<'a>(text: &'a str, key: &str, ends: &str) -> &'a str {
    let rest =
        text.split_once(key).unwrap_or_else(|| panic!("'{key}' is not in\n{text}")).1.trim_start();
    rest.split(|c: char| ends.contains(c) || c == '\n').next().unwrap().trim()
}

/// fio's text output: "IOPS=12.8k", and its percentiles in the unit of their heading.
fn fio_prints(text: &str, direction: &str) -> (f64, f64) {
    let part = text.split_once(&format!("  {direction}: IOPS=")).expect("a direction").1;
    let rate = after(part, "", ",");
    let rate = match rate.strip_suffix('k') {
        Some(thousands) => thousands.parse::<f64>().unwrap() * 1e3,
        None => rate.parse().unwrap(),
    };
    let unit = after(part, "clat percentiles (", ")");
    let unit = [("nsec", 1.0), ("usec", 1e3), ("msec", 1e6)]
        .iter()
        .find(|u| u.0 == unit)
        .expect("a unit")
        .1;
    (rate, after(part, "99.00th=[", "]").parse::<f64>().unwrap() * unit)
}

#[test]
fn fio_says_the_same_in_json_in_json_plus_and_in_words() {
    if !there("fio") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for format in ["json", "json+"] {
        let mut fio = Command::new("fio");
        fio.current_dir(dir.path()).args([
            "--name=mixed",
            "--filename=f",
            "--size=16M",
            "--rw=randrw",
            "--rwmixread=70",
            "--bs=4k",
            "--ioengine=psync",
            "--numjobs=2",
            "--group_reporting",
            "--runtime=1",
            "--time_based",
        ]);
        let both = run_well(fio.arg(format!("--output-format=normal,terse,{format}")));
        // The JSON comes first, followed by text.
        let (json, words) = both.split_once("\n}\n").expect("the end of the JSON");
        let json = &json[json.find('{').unwrap()..];
        let rows =
            Rows::import(dir.path(), "fio", &format!("{format}.json"), &format!("{json}\n}}\n"));
        let in_words = Rows::import(dir.path(), "fio", &format!("{format}.txt"), words);
        let terse = both.lines().find(|line| line.starts_with("3;fio-")).expect("a terse line");
        let in_terse = Rows::import(dir.path(), "fio", &format!("{format}.terse"), terse);
        let issued: Vec<f64> = after(words, "issued rwts: total=", " ")
            .split(',')
            .map(|n| n.parse().unwrap())
            .collect();
        for (class, issued) in [("read", issued[0]), ("write", issued[1])] {
            let (rate, p99_ns) = fio_prints(words, class);
            near(rows.number("mixed", class, "ops"), issued, 0.0);
            // fio prints three digits, each direction over its own time, and cuts off a fraction of
            // an op.
            near(rows.number("mixed", class, "ops_per_s"), rate, 0.011_f64.max(1.0 / rate));
            // A bin is 1/64 of an octave wide, and the printed value is rounded.
            rows.has_p99("mixed", class, issued, p99_ns, 0.02 + 600.0 / p99_ns);
            assert_eq!(rows.number("mixed", class, "threads"), 2.0);
            // The same of its two formats in words; that for scripts cuts off fractions.
            let exact = rows.number("mixed", class, "ops_per_s");
            near(in_words.number("mixed", class, "ops"), issued, 0.0);
            near(in_words.number("mixed", class, "ops_per_s"), exact, 0.011_f64.max(1.0 / rate));
            near(in_terse.number("mixed", class, "ops_per_s"), exact, 0.001 + 1.0 / rate);
            let mean = rows.number("mixed", class, "service_mean_ns");
            near(in_words.number("mixed", class, "service_mean_ns"), mean, 0.001 + 5.0 / mean);
            near(in_terse.number("mixed", class, "service_mean_ns"), mean, 0.001 + 5.0 / mean);
            assert_eq!(in_words.number("mixed", class, "threads"), 2.0);
        }
    }
}

#[test]
fn sysbench_says_the_same() {
    if !there("sysbench") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let sysbench = |step: &str| {
        let mut command = Command::new("sysbench");
        command.current_dir(dir.path()).args([
            "fileio",
            "--file-total-size=8M",
            "--file-num=2",
            "--file-test-mode=rndrw",
        ]);
        run_well(command.args(["--time=1", "--percentile=99", "--threads=2", step]))
    };
    sysbench("prepare");
    let printed = sysbench("run");
    let rows = Rows::import(dir.path(), "sysbench", "s.txt", &printed);
    let number = |key: &str| after(&printed, key, " ").parse::<f64>().unwrap();
    // Ops are whole numbers, so a rate is accurate to one op.
    for (class, key) in [("read", "reads/s:"), ("write", "writes/s:")] {
        near(rows.number("fileio random r/w", class, "ops_per_s"), number(key), 1.0 / number(key));
    }
    // The latencies are of reads, writes and fsyncs together.
    let events = number("total number of events:");
    rows.has_p99("fileio random r/w", "event", events, number("99th percentile:") * 1e6, 1e-9);
    near(rows.number("fileio random r/w", "event", "service_max_ns"), number("max:") * 1e6, 1e-6);
    assert_eq!(rows.number("fileio random r/w", "read", "threads"), 2.0);
}

#[test]
fn db_bench_says_the_same_and_its_p99_carries_its_bucket() {
    let Some(db_bench) = db_bench() else { return };
    let dir = tempfile::tempdir().unwrap();
    let printed = run_well(Command::new(db_bench).current_dir(dir.path()).args([
        "--db=db",
        "--benchmarks=fillseq,readrandom",
        "--num=20000",
        "--threads=2",
        "--histogram",
        "--key_size=20",
        "--value_size=400",
        "--compression_type=none",
    ]));
    let rows = Rows::import(dir.path(), "db_bench", "b.t2.txt", &printed);
    for (step, class) in [("fillseq", "write"), ("readrandom", "read")] {
        let own = printed.split_once(&format!("\n{step} ")).map(|p| p.1).expect("the benchmark");
        let rate: f64 = after(own, "micros/op ", " ").parse().unwrap();
        near(rows.number(step, class, "ops_per_s"), rate, 1e-4);
        let p99 = after(own, "P99: ", " ").parse::<f64>().unwrap() * 1e3;
        near(rows.number(step, class, "service_p99_ns"), p99, 1e-9);
        let (low, high) = (
            rows.number(step, class, "service_p99_low_ns"),
            rows.number(step, class, "service_p99_high_ns"),
        );
        // The buckets are printed too: "[     170,     250 ) …". One of them has these bounds.
        let bucket =
            own.lines().filter_map(|l| l.trim_start().strip_prefix(['[', '('])).find_map(|l| {
                let (from, rest) = l.split_once(',')?;
                let to = rest.split([')', ']']).next()?;
                Some((from.trim().parse::<f64>().ok()? * 1e3, to.trim().parse::<f64>().ok()? * 1e3))
                    .filter(|b| b.0 <= p99 && p99 <= b.1)
            });
        assert_eq!(bucket, Some((low, high)), "{step}: {p99} in\n{own}");
    }
}

#[test]
fn what_is_cut_or_mixed_is_refused_and_leaves_no_bundle() {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let whole = |name: &str| std::fs::read(data.join(name)).unwrap();
    let json = whole("fio-randrw.json");
    let cases = [
        ("fio", json[..json.len() / 2].to_vec(), "not JSON"),
        ("fio", [&b"\xff\xfe"[..], &json].concat(), "not text"),
        ("sysbench", whole("db_bench.txt"), "no line begins with 'sysbench'"),
        ("db_bench", whole("sysbench-cpu.txt"), "before any benchmark has ended"),
        ("vdbench", json.clone(), "line 1"),
    ];
    for (kind, bytes, says) in cases {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("input"), bytes).unwrap();
        let mut dyno = Command::new(env!("CARGO_BIN_EXE_dyno"));
        let output = dyno
            .current_dir(dir.path())
            .args(["import", kind, "input", "-o", "b.dyno"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).replace("\n  │ ", " ");
        assert!(
            !output.status.success() && said.contains(says),
            "{kind}: {says} is not in: {said}"
        );
        assert!(!dir.path().join("b.dyno").exists(), "{kind}: half a bundle");
    }
}

#[test]
fn a_tables_single_reading_of_watts_gives_ops_per_watt_and_no_claim() {
    let dir = tempfile::tempdir().unwrap();
    let data = |name: &str| {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data")
            .join(name)
            .display()
            .to_string()
    };
    let dyno = |args: &[&str]| {
        let words =
            run_well(Command::new(env!("CARGO_BIN_EXE_dyno")).current_dir(dir.path()).args(args));
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mapping = data("mapping.toml");
    dyno(&[
        "import",
        "csv",
        &data("micron-7600-random-read.csv"),
        "--mapping",
        &mapping,
        "-o",
        "b.dyno",
    ]);
    let shown = dyno(&["show", "b.dyno"]);
    // The table says 228,176 ops/s at 7.7 W, and 735,861 at 15.4 W.
    for row in [
        "16 Micron 7600 drive (imported) 7.7 30,000",
        "96 Kioxia CD8P-R drive (imported) 15.4 47,800",
    ] {
        assert!(shown.contains(row), "'{row}' is not in {shown}");
    }
    let claims = dyno(&["claims", "b.dyno", "--metric", "ops/s/W", "--json"]);
    let claims: serde_json::Value = serde_json::from_str(&claims).unwrap();
    assert_eq!(
        (&claims["claims"], &claims["comparisons_in_family"]),
        (&serde_json::json!([]), &serde_json::json!(0))
    );
    let compared = dyno(&["compare", "b.dyno", "--metric", "ops/s/W"]);
    assert!(
        !compared.contains('▲') && compared.contains("As published, without repeats"),
        "{compared}"
    );
}

/// fio's JSON of random reads of these blocks, under a name.
fn random_reads(name: &str, block: &str, ops: u64) -> String {
    let none = r#"{"io_bytes":0,"runtime":0,"total_ios":0,"iops":0.0}"#;
    let bytes = ops * if block == "4k" { 4096 } else { 65_536 };
    format!(
        r#"{{"fio version":"fio-3.36","timestamp_ms":1700000000000,"global options":{{}},"jobs":[
        {{"jobname":"{name}","groupid":0,"error":0,"job options":{{"rw":"randread","bs":"{block}"}},
        "read":{{"io_bytes":{bytes},"runtime":1000,"total_ios":{ops},"iops":{ops}.0}},
        "write":{none},"trim":{none}}}]}}"#
    )
}

#[test]
fn unequal_loads_are_not_compared_and_a_step_is_named_on_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let dyno = |args: &[&str]| {
        let words =
            run_well(Command::new(env!("CARGO_BIN_EXE_dyno")).current_dir(dir.path()).args(args));
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (file, name, block, ops) in [
        ("a.json", "test", "4k", 2000),
        ("b.json", "test", "64k", 500),
        ("c.json", "/dev/nvme1n1", "4k", 1000),
    ] {
        std::fs::write(dir.path().join(file), random_reads(name, block, ops)).unwrap();
    }
    let imported = dyno(&["import", "fio", "A=a.json", "B=b.json", "-o", "apart.dyno"]);
    let apart = "test: block is 4 KiB of A, 64 KiB of B";
    assert!(imported.contains(apart), "{imported}");
    let compared = dyno(&["compare", "apart.dyno"]);
    assert!(compared.contains("Nothing was compared") && compared.contains(apart), "{compared}");
    assert!(!compared.contains("equal figures"), "{compared}");
    dyno(&["import", "fio", "A/cold=a.json", "C/cold=c.json", "-o", "alike.dyno"]);
    let compared = dyno(&["compare", "alike.dyno"]);
    assert!(compared.contains("A completes 2,000 ops/s, 100 % more than C"), "{compared}");
}
