//! `dyno trace` as a user meets it: what is generated, described, modelled and recorded.

use std::path::Path;

use dyno::trace::{Reader, Request, RequestKind, Synthetic, TraceProfile, anonymise};

use crate::support::{dyno, dyno_well, lab, said, skip};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn requests(path: &Path) -> Vec<Request> {
    let mut reader = Reader::open(path).expect("a compiled trace");
    let mut all = Vec::new();
    while let Some(request) = reader.next_request().expect("a request") {
        all.push(request);
    }
    all
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
        assert_eq!(workload["block"].as_str(), Some("4096B"), "{text}");
        let number = |value: &toml::Value| {
            value.as_float().or(value.as_integer().map(|n| n as f64)).expect("a number")
        };
        assert!((number(&workload["read"]) - read).abs() < 1.0, "{text}");
        let fitted = workload.get("theta").map_or(0.0, number);
        assert!((fitted - theta).abs() < 0.05, "{fitted} for {theta}");
        let size = protocol["dataset"].as_table().and_then(|all| all.values().next());
        let size = size.and_then(|dataset| dataset["size"].as_str()).expect("a size");
        assert_eq!(size, format!("{}B", 1 << 30), "the places of all requests");
    }
    std::fs::create_dir(dir.path().join("x")).expect("a folder");
    let checked = dyno(dir.path(), &["plan", "check", "./m.toml", "-s", "A=x"]);
    assert!(checked.status.success(), "{}", said(&checked));
}

#[test]
fn a_model_of_bursts_says_what_it_does_not_have() {
    let dir = folder();
    generate(dir.path(), "t", &["--burst", "20", "--seconds", "20"]);
    dyno_well(dir.path(), &["trace", "model", "t", "-o", "./m.toml"]);
    let text = std::fs::read_to_string(dir.path().join("m.toml")).expect("a protocol");
    assert!(text.contains("#   synthetic: bursts: the trace's index of dispersion is"), "{text}");
    std::fs::create_dir(dir.path().join("x")).expect("a folder");
    let checked = dyno(dir.path(), &["plan", "check", "./m.toml", "-s", "A=x"]);
    assert!(checked.status.success(), "{}", said(&checked));
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

/// Requests of each kind that a drive completed, as `/sys/block/*/stat` counts them (kernel,
/// block/stat): reads, writes, discards, flushes. A flush counts as a write too.
fn completed(folder: &Path, name: &str) -> [u64; 4] {
    let counters = |when: &str| -> Vec<u64> {
        let text =
            std::fs::read_to_string(folder.join(format!("{name}.{when}"))).expect("counters");
        text.split_whitespace().map(|word| word.parse().expect("a number")).collect()
    };
    let (before, after) = (counters("before"), counters("after"));
    let [reads, writes, discards, flushes] = [0, 4, 11, 15].map(|n| after[n] - before[n]);
    [reads, writes - flushes, discards, flushes]
}

/// The lab's reads before its load.
const MARK: u32 = 12288;

#[test]
fn in_qemu_a_recording_has_every_request_that_the_kernel_counted() {
    let folder = folder();
    let Some(said) = lab("labs/traces", &[], folder.path()) else { return };
    for name in ["plain", "anonymous"] {
        let path = folder.path().join(format!("{name}.trace"));
        let all = requests(&path);
        let marked = all.iter().rposition(|request| request.length == MARK).expect("a mark");
        let load = &all[marked + 1..];
        let recorded = RequestKind::ALL
            .map(|kind| load.iter().filter(|request| request.kind == kind).count() as u64);
        let counted = completed(folder.path(), name);
        assert_eq!(recorded, counted, "{name}: reads, writes, discards, flushes\n{said}");
        assert!(recorded.iter().all(|count| *count > 5), "{recorded:?}");
        let reader = Reader::open(&path).expect("a trace");
        assert_eq!(reader.summary().missing, 0, "{said}");
        let number = |device: &str| device.split(',').all(|part| part.parse::<u32>().is_ok());
        let device = &reader.summary().devices[0].name;
        assert!(if name == "plain" { number(device) } else { device == "device 1" }, "{device}");
        // 200 /s for three seconds.
        let of_load = load.iter().filter(|request| request.length == 4096).count();
        assert!(of_load >= 500, "{of_load}: {said}");
        if name == "plain" {
            let changes =
                |r: &&Request| matches!(r.kind, RequestKind::Write | RequestKind::Discard);
            let end = load.iter().filter(changes).map(Request::end).max();
            assert!(end <= Some(16 << 20), "Dyno's own dataset: {end:?}");
        }
    }
    assert!(said.contains("has no request"), "an idle second: {said}");
}
