//! `dyno trace` as a user meets it: what is generated, described, modelled and recorded.

use std::path::Path;

use dyno::base::rng::Seed;
use dyno::base::units::Rate;
use dyno::measure::pacer::{ArrivalSeeds, Schedule, WorkerShare};
use dyno::plan::{Arrival, BurstArrivals};
use dyno::trace::{Reader, Request, RequestKind, Synthetic, TraceProfile, Writer, anonymise};

use crate::support::{dyno, dyno_well, requests, said, skip, tool};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn generate(dir: &Path, name: &str, args: &[&str]) {
    dyno_well(dir, &[&["trace", "generate", "-o", name], args].concat());
}

#[test]
fn the_same_seed_gives_the_same_trace_and_another_seed_another() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    for (name, seed) in [("a", "1"), ("b", "1"), ("c", "2")] {
        generate(dir.path(), name, &["--seed", seed, "--seconds", "5", "--rate", "1000/s"]);
    }
    let read = |name: &str| std::fs::read(at(name)).expect("a file");
    assert_eq!(read("a"), read("b"));
    assert_ne!(read("a"), read("c"));
    let (bytes, count) = (read("a").len() as f64, requests(&at("a")).len() as f64);
    assert!(bytes / count <= 8.0, "{} bytes a request", bytes / count);
}

#[test]
fn a_model_gives_back_the_parameters_of_a_known_load() {
    let dir = folder();
    let known = ["--rate", "2000/s", "--seconds", "30", "--burst", "1", "--block", "4KiB"];
    for (theta, read) in [(0.0, 100.0), (0.6, 50.0), (0.99, 70.0)] {
        let [theta_text, read_text] = [theta, read].map(|value: f64| value.to_string());
        let more = ["--theta", &theta_text, "--read", &read_text, "--span", "1GiB"];
        generate(dir.path(), "t", &[&known[..], &more].concat());
        dyno_well(dir.path(), &["trace", "model", "t", "-o", "./m.toml"]);
        let text = std::fs::read_to_string(dir.path().join("m.toml")).expect("a protocol");
        let protocol: toml::Table = text.parse().expect("TOML");
        let stream = &protocol["step"][0]["stream"][0];
        let workload = &stream["workload"];
        let rate = stream["rate"].as_str().and_then(|r| r.strip_suffix("/s")).expect("a rate");
        let rate: f64 = rate.parse().expect("a number");
        // Of 60,000 Poisson arrivals, the standard error of the rate is 0.4 %.
        assert!((rate / 2000.0 - 1.0).abs() < 0.03, "{rate}/s");
        assert_eq!(stream["arrival"].as_str(), Some("poisson"), "{text}");
        assert_eq!(workload["block"].as_str(), Some("4KiB"), "{text}");
        let number = |value: &toml::Value| {
            value.as_float().or(value.as_integer().map(|n| n as f64)).expect("a number")
        };
        assert!((number(&workload["read"]) - read).abs() < 1.0, "{text}");
        let fitted = workload.get("theta").map_or(0.0, number);
        assert!((fitted - theta).abs() < 0.05, "{fitted} for {theta}");
        let size = protocol["dataset"].as_table().and_then(|all| all.values().next());
        let size = size.and_then(|dataset| dataset["size"].as_str()).expect("a size");
        assert_eq!(size, "1GiB", "the places of all requests");
    }
    std::fs::create_dir(dir.path().join("x")).expect("a folder");
    let checked = dyno(dir.path(), &["plan", "check", "./m.toml", "-s", "A=x"]);
    assert!(checked.status.success(), "{}", said(&checked));
}

/// A trace of reads that arrive in known bursts.
fn bursty(path: &Path, of: BurstArrivals, seconds: u64) {
    let (rate, arrival) = (Rate::OpsPerSec(1000.0), Arrival::Bursts(of));
    let share = WorkerShare { thread: 0, threads: 1, extra_bytes: 0, mean_op_bytes: 4096.0 };
    let seeds = ArrivalSeeds { own: Seed::new(1, 0, 0), of_stream: Seed::new(1, 1, 0) };
    let mut schedule = Schedule::new(rate, arrival, share, 0, seeds);
    let mut writer = Writer::new(std::fs::File::create(path).expect("a file")).expect("a trace");
    let device = writer.device("sda").expect("a device");
    let places = Seed::new(2, 0, 0);
    let mut n = 0;
    while schedule.due_ns() < seconds * 1_000_000_000 {
        let offset = places.at(n).below(1 << 18) * 4096;
        let (kind, length) = (RequestKind::Read, 4096);
        let request = Request { at_ns: schedule.due_ns(), device, kind, offset, length };
        writer.push(&request).expect("a request");
        schedule.advance(n, length);
        n += 1;
    }
    writer.finish().expect("a trace");
}

/// The numbers of a row of the table that compares a trace with its model.
fn row(table: &str, name: &str) -> [f64; 2] {
    let line = table.lines().find(|line| line.contains(name)).expect(name);
    let (_, values) = line.split_once(name).expect(name);
    let number = |word: &str| word.replace([',', '|', '%'], "").parse::<f64>().ok();
    let numbers: Vec<f64> = values.split_whitespace().filter_map(number).collect();
    [numbers[0], numbers[numbers.len() - 1]]
}

#[test]
fn a_model_has_the_bursts_of_known_arrivals_and_its_requests_are_like_those_of_the_trace() {
    let dir = folder();
    let known = BurstArrivals { factor: 10.0, length_ns: 100_000_000, every_ns: 1_000_000_000 };
    bursty(&dir.path().join("t"), known, 400);
    let args = ["trace", "model", "t", "-o", "./m.toml", "--page", "./m.html"];
    let table = dyno_well(dir.path(), &args);
    let text = std::fs::read_to_string(dir.path().join("m.toml")).expect("a protocol");
    let protocol: toml::Table = text.parse().expect("TOML");
    let arrival = &protocol["step"][0]["stream"][0]["arrival"];
    let ns = |key: &str| {
        let text = arrival[key].as_str().and_then(|text| text.strip_suffix("ns")).expect("ns");
        text.parse::<f64>().expect("a number")
    };
    let factor = arrival["bursts"].as_float().expect("a factor");
    let close = |found: f64, known: f64| (found / known - 1.0).abs() < 0.3;
    assert!(close(factor, 10.0), "{arrival}");
    // Of 400 bursts of exponential lengths, the standard error of the mean is 5 %.
    assert!(close(ns("length"), 1e8) && close(ns("every"), 1e9), "{arrival}");
    for (name, tolerance) in [
        ("mean arrivals", 0.1),
        ("index of dispersion at 1.00 ms", 0.2),
        ("index of dispersion at 1.00 ms", 0.3),
        ("index of dispersion at 1 s", 0.4),
        ("footprint in 4 KiB extents", 0.1),
    ] {
        let [trace, model] = row(&table, name);
        assert!((model / trace - 1.0).abs() < tolerance, "{name}: {trace} {model}\n{table}");
    }
    let page = std::fs::read_to_string(dir.path().join("m.html")).expect("a page");
    assert!(page.matches("<svg").count() >= 2, "arrivals of both over time");
    std::fs::create_dir(dir.path().join("x")).expect("a folder");
    let checked = dyno(dir.path(), &["plan", "check", "./m.toml", "-s", "A=x"]);
    assert!(checked.status.success(), "{}", said(&checked));
}

#[test]
fn the_protocol_of_a_model_measures_the_trace_too_and_the_brief_compares_them() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let more = ["--seconds", "12", "--rate", "300/s", "--span", "16MiB", "--burst", "20"];
    generate(dir.path(), "t", &more);
    dyno_well(dir.path(), &["trace", "model", "t", "-o", "./m.toml"]);
    let text = std::fs::read_to_string(dir.path().join("m.toml")).expect("a protocol");
    // Both engines of the tests' machines: a folder in memory has no direct I/O.
    let text = text.replace("direct = true", "direct = false");
    std::fs::write(dir.path().join("m.toml"), text).expect("a protocol");
    std::fs::create_dir(dir.path().join("x")).expect("a folder");
    let run = ["run", "./m.toml", "-s", "A=x", "--repeats", "1", "-o", "b.dyno"];
    dyno_well(dir.path(), &run);
    for (language, words) in [
        ("en", ["The recorded load and its model", "variance ÷ mean"]),
        ("ja", ["記録された負荷とそのモデル", "分散 ÷ 平均"]),
        ("pt-BR", ["A carga registrada e seu modelo", "variância ÷ média"]),
    ] {
        let page = format!("{language}.html");
        dyno_well(dir.path(), &["report", "b.dyno", "--language", language, "-o", &page]);
        let page = std::fs::read_to_string(dir.path().join(&page)).expect("a page");
        for word in words {
            assert!(page.contains(word), "{language}: {word}");
        }
    }
}

#[test]
fn info_is_text_or_a_page_with_figures() {
    let dir = folder();
    generate(dir.path(), "t", &["--seconds", "12", "--rate", "500/s"]);
    let text = dyno_well(dir.path(), &["trace", "info", "t"]);
    for part in ["mean arrivals", "index of dispersion", "zipf theta", "Reuse distances"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for page in ["t.html", "t.pdf", "t.md"] {
        dyno_well(dir.path(), &["trace", "info", "t", "-o", page]);
    }
    let html = std::fs::read_to_string(dir.path().join("t.html")).expect("a page");
    assert!(html.matches("<svg").count() >= 2, "arrivals and sizes");
    assert!(dir.path().join("t.figures/arrivals-1.svg").exists());
}

#[test]
fn a_list_of_another_form_becomes_a_trace_by_the_line_of_awk_that_the_page_has() {
    let dir = folder();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/trace.md");
    let page = std::fs::read_to_string(page).expect("a page");
    let line = page.lines().find(|line| line.starts_with("awk ")).expect("a line of awk");
    let list = "0 4096 1700000000.000001\n8589934592 8192 1700000000.25\n";
    std::fs::write(dir.path().join("list"), list).expect("a list");
    tool("sh", dir.path(), &["-c", line]);
    let text = std::fs::read_to_string(dir.path().join("list.csv")).expect("a trace");
    let expected = "1,R,0,4096,1700000000000001\n1,R,4398046511104,8192,1700000000250000\n";
    assert_eq!(text, expected);
    let text = dyno_well(dir.path(), &["trace", "info", "list.csv"]);
    assert!(text.contains("requests: 2") && text.contains("span: 250 ms"), "{text}");
}

#[test]
fn without_names_and_places_everything_else_stays() {
    let dir = folder();
    let path = dir.path().join("t");
    let synthetic = Synthetic { seconds: 5, span: 256 << 20, ..Synthetic::default() };
    synthetic.write(std::fs::File::create(&path).expect("a file")).expect("a trace");
    let mut reader = Reader::open(&path).expect("a trace");
    let without = dir.path().join("without");
    anonymise(&mut reader, std::fs::File::create(&without).expect("a file")).expect("a trace");
    let (before, after) = (requests(&path), requests(&without));
    let rest =
        |all: &[Request]| -> Vec<_> { all.iter().map(|r| (r.at_ns, r.kind, r.length)).collect() };
    assert_eq!(rest(&before), rest(&after));
    let moved = before.iter().zip(&after).filter(|(a, b)| a.offset != b.offset).count();
    assert!(moved > before.len() / 2, "{moved}");
    let skew = |path: &Path| {
        let mut reader = Reader::open(path).expect("a trace");
        TraceProfile::of(&mut reader, None).expect("a profile").extents[0].top
    };
    for (was, is) in skew(&path).iter().zip(skew(&without)) {
        assert!((was - is).abs() < 0.01, "{was} {is}");
    }
    let mut anonymous = Reader::open(&without).expect("a trace");
    assert_eq!(anonymous.summary().devices[0].name, "device 1");
    anonymous.seek_to(0).expect("its beginning");
}

#[test]
fn recording_without_blktrace_names_the_package() {
    let dir = folder();
    if ["/usr/sbin/blktrace", "/usr/bin/blktrace"].iter().any(|path| Path::new(path).exists()) {
        skip("blktrace is installed here");
        return;
    }
    let device = std::fs::read_dir("/sys/block").into_iter().flatten().flatten().next();
    let Some(device) = device.map(|entry| Path::new("/dev").join(entry.file_name())) else {
        skip("this machine has no block device");
        return;
    };
    let device = device.display().to_string();
    let refused = dyno(dir.path(), &["trace", "record", &device, "-o", "/dev/shm/dyno-none.trace"]);
    assert!(said(&refused).contains("install Debian's package blktrace"), "{}", said(&refused));
}
