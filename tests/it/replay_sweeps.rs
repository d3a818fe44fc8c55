//! Sweeps of what is replayed of a recorded load, and the length that it gives to a plan's points.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use dyno::record::{Class, Point, RemappedTrace, Replayed, observed};
use dyno::store::Bundle;

use crate::support::{dyno, dyno_well, points, said};

/// Alibaba's format: 900 requests to the devices 0 and 1 in turn, one each 500 µs.
fn trace(dir: &Path) {
    let mut text = String::new();
    for n in 0..900u64 {
        let kind = if n % 3 == 0 { 'W' } else { 'R' };
        writeln!(text, "{},{kind},{},4096,{}", n % 2, n * 7919 % 512 * 4096, n * 500).unwrap();
    }
    fs::write(dir.join("log.csv"), text).unwrap();
}

/// A protocol with these steps: name, sweep, knobs of the trace.
fn protocol(dir: &Path, steps: &[(&str, &str, &str)]) {
    let mut text = "title = \"Replay\"\nsource = \"test\"\n[dataset.file]\nengine = \"psync\"\n\
                    size = \"4MiB\"\nfill = { kind = \"sequential\", read = 0, block = \
                    \"64KiB\" }\n"
        .to_string();
    for (name, sweep, knobs) in steps {
        let sweep = if sweep.is_empty() { String::new() } else { format!("sweep = {sweep}\n") };
        let file = dir.join("log.csv");
        let file = file.display();
        text += &format!(
            "[[step]]\nname = \"{name}\"\nduration = \"1h\"\n{sweep}[[step.stream]]\nname = \
             \"io\"\nengine = \"psync\"\nworkload = {{ kind = \"trace\", file = \"{file}\"{knobs} \
             }}\n"
        );
    }
    fs::write(dir.join("p.toml"), text).unwrap();
    fs::create_dir_all(dir.join("drive")).unwrap();
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    trace(dir.path());
    dir
}

const STEPS: [(&str, &str, &str); 4] = [
    ("device", "{ axis = \"io.device\", values = [\"0\", \"1\"] }", ""),
    (
        "window",
        "{ axis = \"io.start\", values = [\"0s\", \"100ms\", \"300ms\"] }",
        ", length = \"100ms\", ops = \"reads\"",
    ),
    ("remap", "{ axis = \"io.remap\", values = [\"modulo\", \"compact\"] }", ""),
    ("pace", "{ axis = \"io.pace\", values = [\"recorded\", \"asap\"] }", ""),
];

fn ops(point: &Point) -> u64 {
    let tallies = point.cells.iter().flat_map(|cell| &cell.tallies);
    let done: u64 = tallies.map(|tally| tally.ops).sum();
    // On a busy machine the last ones may be backlog, but none is lost.
    done + point.cells.iter().map(|cell| cell.backlog_end).sum::<u64>()
}

#[test]
fn devices_windows_remapping_and_pace_of_a_trace_are_swept() {
    let dir = folder();
    protocol(dir.path(), &STEPS);
    let args = ["run", "p.toml", "--subject", "A=drive", "--repeats", "1", "-o", "b.dyno"];
    dyno_well(dir.path(), &args);
    let points = Bundle::open(&dir.path().join("b.dyno")).unwrap().points().unwrap();
    let of = |step: &str| -> Vec<&Point> {
        points.iter().map(|stored| &stored.point).filter(|point| point.key.step == step).collect()
    };
    let axis = |point: &Point| point.key.axis.as_ref().map(|axis| axis.name.clone());
    let [first, second] = &of("device")[..] else { panic!("two devices") };
    assert_eq!((ops(first), ops(second)), (450, 450));
    assert_eq!(axis(first).as_deref(), Some("io.device"));
    let replayed =
        |point: &Point| observed::all::<Replayed>(&point.observed).next().unwrap().clone();
    let writes = |point: &Point| replayed(point).writes.requests;
    assert_eq!(writes(first) + writes(second), 300, "each device's own");
    let windows: Vec<(u64, u64)> =
        of("window").iter().map(|point| (replayed(point).requests(), ops(point))).collect();
    // 200 requests in 100 ms, of which a third write.
    let reads = |from: u64| (from..from + 200).filter(|n| n % 3 != 0).count() as u64;
    let expected = [0, 200, 600].map(|from| (reads(from), reads(from)));
    assert_eq!(windows, expected);
    let how = |point: &&Point| {
        observed::all::<RemappedTrace>(&point.observed).next().unwrap().how.clone()
    };
    assert_eq!(of("remap").iter().map(how).collect::<Vec<_>>(), ["modulo", "compact"]);
    let asked = |point: &&Point| point.cells[0].asked.is_some();
    assert_eq!(of("pace").iter().map(asked).collect::<Vec<_>>(), [true, false]);
    let classes = |point: &Point| point.cells[0].tallies.iter().any(|t| t.class == Class::WRITE);
    assert!(classes(first));

    for (language, words) in [
        (
            "en",
            [
                "device of the trace",
                "start of the trace's window",
                "remapping of offsets",
                "reuse distance, median",
            ],
        ),
        (
            "ja",
            [
                "トレースのデバイス",
                "トレースの窓の開始位置",
                "オフセットの再配置",
                "再利用距離（中央値）",
            ],
        ),
        (
            "pt-BR",
            [
                "dispositivo do trace",
                "início da janela do trace",
                "remapeamento",
                "distância de reuso, mediana",
            ],
        ),
    ] {
        let page = format!("{language}.html");
        dyno_well(dir.path(), &["report", "b.dyno", "--language", language, "-o", &page]);
        let page = fs::read_to_string(dir.path().join(&page)).unwrap();
        for word in words.iter().chain(&["compact", "300ms", "asap"]) {
            assert!(page.contains(word), "{language}: {word}");
        }
    }
}

#[test]
fn at_half_to_sixteen_times_its_pace_a_trace_takes_as_long_as_that_says() {
    let dir = folder();
    let sweep = "{ axis = \"io.scale\", values = [0.5, 1, 2, 4, 8, 16] }";
    protocol(dir.path(), &[("scaled", sweep, "")]);
    let args = ["run", "p.toml", "--subject", "A=drive", "--repeats", "1", "-o", "b.dyno"];
    dyno_well(dir.path(), &args);
    let points = points(&dir.path().join("b.dyno"));
    let scale = |point: &Point| point.key.axis.as_ref().unwrap().value.as_f64();
    let scales: Vec<f64> = points.iter().map(scale).collect();
    assert_eq!(scales, [0.5, 1.0, 2.0, 4.0, 8.0, 16.0]);
    for (point, scale) in points.iter().zip(scales) {
        assert_eq!(ops(point), 900, "{scale}");
        // From the first request to the last, and up to 100 ms until it is submitted.
        let (length_s, window_s) = (0.4495 / scale, point.window_ns.unwrap() as f64 / 1e9);
        assert!((length_s..length_s + 0.11).contains(&window_s), "{scale}: {window_s} s");
    }
}

#[test]
fn progress_and_exported_tables_name_the_swept_device_as_the_trace_does() {
    let dir = folder();
    // The second device first: its name is not its place among the values.
    let sweep = "{ axis = \"io.device\", values = [\"1\", \"0\"] }";
    protocol(dir.path(), &[("device", sweep, "")]);
    let run = |form: &str, bundle: &str| {
        let args = ["run", "p.toml", "--subject", "A=drive", "--repeats", "1", "-o", bundle];
        let ran = dyno(dir.path(), &[&args[..], &["--progress", form]].concat());
        assert!(ran.status.success(), "{}", said(&ran));
        ran
    };
    let plain = said(&run("plain", "b.dyno"));
    for device in ["1", "0"] {
        let label = format!("A, device, io.device = {device}, repeat 1: ");
        assert!(plain.contains(&label), "{label}: {plain}");
    }
    let events = String::from_utf8(run("json", "c.dyno").stderr).unwrap();
    let done = events.lines().filter_map(|line| serde_json::from_str(line).ok());
    let done = done.filter(|event: &serde_json::Value| event["event"] == "done");
    let values = done.map(|event| (event["value"].as_f64(), event["value_text"].clone()));
    assert_eq!(
        values.collect::<Vec<_>>(),
        [(Some(1.0), "1".into()), (Some(2.0), "0".into())],
        "{events}"
    );
    for table in ["points", "intervals", "histograms"] {
        let csv = dyno_well(dir.path(), &["export", "b.dyno", "--table", table]);
        let (head, rows) = csv.split_once('\n').unwrap();
        assert!(head.starts_with("subject,step,axis,value,value_text,repeat,"), "{head}");
        let keys = ["A,device,io.device,1,1,1,", "A,device,io.device,2,0,1,"];
        let of = |key: &str| rows.lines().filter(|row| row.starts_with(key)).count();
        assert!(keys.iter().all(|key| of(key) > 0), "{table}: {rows}");
        assert_eq!(keys.map(of).iter().sum::<usize>(), rows.lines().count(), "{table}");
    }
}

#[test]
fn a_sweep_of_what_a_trace_does_not_have_is_refused_where_it_is_written() {
    let dir = folder();
    for (sweep, says) in [
        ("{ axis = \"io.remap\", values = [\"fold\"] }", "fold"),
        ("{ axis = \"io.remap\", values = [\"modulo\", \"modulo\"] }", "swept twice"),
        ("{ axis = \"io.file\", values = [\"log.csv\"] }", "no field 'file' to sweep"),
        ("{ axis = \"io.ops\", values = [\"reads\"] }", "no field 'ops' to sweep"),
        ("{ axis = \"io.start\", from = \"0s\", to = \"1s\", by = \"1s\" }", "takes 'values'"),
        (
            "{ axis = \"io.pace\", values = [\"asap\"], search = { metric = \"io.p99\", at_most = \
             \"1ms\" } }",
            "cannot be searched",
        ),
    ] {
        protocol(dir.path(), &[("s", sweep, "")]);
        let refused = dyno(dir.path(), &["plan", "check", "p.toml", "--subject", "A=drive"]);
        assert!(!refused.status.success() && said(&refused).contains(says), "{}", said(&refused));
    }
    protocol(dir.path(), &[("s", "", ", end = \"1s\", length = \"1s\"")]);
    let args = ["run", "p.toml", "--subject", "A=drive", "--repeats", "1", "-o", "b.dyno"];
    let refused = dyno(dir.path(), &args);
    assert!(said(&refused).contains("both `end` and `length`"), "{}", said(&refused));
}

#[test]
fn a_plan_takes_as_long_as_its_traces_whatever_its_durations_say() {
    let dir = folder();
    let scale = "{ axis = \"io.scale\", values = [0.1, 0.01] }";
    protocol(dir.path(), &[("scaled", scale, ""), STEPS[1]]);
    let check = |more: &[&str]| {
        let args = [&["plan", "check", "p.toml", "--subject", "A=drive", "--repeats", "2"], more];
        dyno_well(dir.path(), &args.concat())
    };
    let facts: serde_json::Value = serde_json::from_str(&check(&["--json"])).unwrap();
    // 449.5 ms at a tenth and at a hundredth of the pace, and three windows of 100 ms, of which the
    // last request is replayed within 500 µs of the end; 100 ms for each tail.
    let seconds = facts["load_ns"].as_f64().unwrap() / 1e9;
    let expected = 2.0 * (4.495 + 44.95 + 3.0 * 0.0995 + 5.0 * 0.1);
    assert!((seconds - expected).abs() < 0.01, "{seconds} s for {expected} s");
    assert_eq!(
        facts["steps"][0]["duration_ns"].as_f64().map(|ns| (ns / 1e7).round()),
        Some(4505.0)
    );
    assert!(check(&[]).contains("At least 1 m 40 s"), "{}", check(&[]));
    fs::remove_file(dir.path().join("log.csv")).unwrap();
    let without = dyno(dir.path(), &["plan", "check", "p.toml", "--subject", "A=drive"]);
    let text = said(&without);
    assert!(!without.status.success(), "as the run would: {text}");
    assert!(text.contains("the length of its recorded load is unknown"), "{text}");
    assert!(text.contains("looking for the trace"), "{text}");
}
