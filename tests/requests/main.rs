//! Converted fio jobs make fio's requests: each job runs in fio, which logs its requests, and its
//! protocol runs in an engine that records them. Compared are kinds, sizes, order, flushes and the
//! depth; times are not. A separate program, because the added engine applies to all tests in it.
//!
//! A job is bounded first, for both: a file in place of devices and large files, one copy, a short
//! window. Options that `dyno convert` does not carry over are removed, and norandommap is set,
//! because fio's map of visited blocks also shortens ops that reach into one.

mod recorder;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use dyno::base::clock::Clock;
use dyno::plan;
use dyno::record::Setup;
use dyno::run::datasets::before::Before;
use dyno::run::display::progress::Progress;
use dyno::run::{Maxima, RunRequest};
use dyno::store::BundleWriter;

use recorder::{Kind, Requests};
use support::{dyno, have, said, size, skip};

/// Size of the files of bounded jobs.
const FILE: &str = "64m";

/// Fewer requests are not compared.
const FEW: u64 = 100;

/// Options of a job that are replaced or left out to bound it.
const BOUNDED: &[&str] = &[
    "filename",
    "directory",
    "size",
    "filesize",
    "io_size",
    "numjobs",
    "runtime",
    "ramp_time",
    "time_based",
    "number_ios",
    "loops",
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "write_iolog",
    "opendir",
    "startdelay",
    "offset",
    "offset_increment",
    "nrfiles",
    "openfiles",
    "filename_format",
    "fill_device",
    "stonewall",
    "exec_prerun",
    "exec_postrun",
];

fn key(line: &str) -> &str {
    line.split('=').next().unwrap_or_default().trim()
}

/// The job's sections with their bounds; without the lines that `lost` names.
fn bounded(text: &str, file: &Path, seconds: &str, lost: &[usize]) -> String {
    let mut out = String::new();
    for (i, line) in text.lines().enumerate() {
        let plain = line.split([';', '#']).next().unwrap_or_default().trim();
        let dropped = BOUNDED.contains(&key(plain)) || lost.contains(&(i + 1));
        if plain.is_empty() || dropped {
            continue;
        }
        out += plain;
        out.push('\n');
        if plain.starts_with('[') && plain != "[global]" {
            out += &format!(
                "filename={}\nsize={FILE}\nruntime={seconds}\ntime_based\nnumjobs=1\nnorandommap\n",
                file.display()
            );
        }
    }
    out
}

/// The lines of a job file that `dyno convert` names as not carried over.
fn lost(dir: &Path, job: &Path) -> Option<Vec<usize>> {
    let output = dyno(dir, &["convert", &job.display().to_string()]);
    if ![Some(0), Some(3)].contains(&output.status.code()) {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().filter(|line| line.contains(": not carried over: "));
    let number = |line: &str| line.split(':').nth(1)?.parse().ok();
    Some(lines.filter_map(number).collect())
}

/// Runs the bounded job in fio, each section for itself.
fn of_fio(dir: &Path, text: &str) -> Option<BTreeMap<String, Requests>> {
    let sections = text.lines().filter_map(|l| l.strip_prefix('[')?.strip_suffix(']'));
    let mut all = BTreeMap::new();
    for section in sections.filter(|name| *name != "global") {
        let log = dir.join("requests.log");
        let _ = std::fs::remove_file(&log);
        let with_log = text.replace(
            &format!("[{section}]\n"),
            &format!("[{section}]\nwrite_iolog={}\n", log.display()),
        );
        std::fs::write(dir.join("bounded.fio"), with_log).ok()?;
        let mut fio = Command::new("fio");
        fio.current_dir(dir).args(["bounded.fio", "--output-format=json", "--output=out.json"]);
        let ran = fio.arg(format!("--section={section}")).output().ok()?;
        let json = std::fs::read_to_string(dir.join("out.json")).unwrap_or_default();
        let begin = json.find('{')?;
        let json: serde_json::Value = serde_json::from_str(&json[begin..]).ok()?;
        if !ran.status.success() {
            eprintln!("fio of [{section}]: {}", said(&ran));
            return None;
        }
        let levels = json["jobs"][0]["iodepth_level"].as_object()?;
        let level = |(name, share): (&String, &serde_json::Value)| {
            let depth: u64 = name.trim_start_matches(">=").parse().ok()?;
            (share.as_f64()? > 0.0).then_some(depth)
        };
        let mut requests = Requests::default();
        for line in std::fs::read_to_string(&log).ok()?.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [_, _, action, rest @ ..] = &words[..] else { continue };
            let number = |i: usize| rest.get(i).and_then(|n| n.parse::<u64>().ok());
            let kind = match *action {
                "read" => Kind::Read,
                "write" => Kind::Write,
                "trim" => Kind::Trim,
                "sync" | "datasync" => Kind::Flush,
                _ => continue,
            };
            requests.add(kind, number(0).unwrap_or(0), number(1).unwrap_or(0));
        }
        requests.depth = levels.iter().filter_map(level).max().unwrap_or(0);
        all.insert(section.to_string(), requests);
    }
    Some(all)
}

/// Runs the converted job with the recording engine in place of its own.
fn of_dyno(dir: &Path, text: &str) -> BTreeMap<String, Requests> {
    let job = dir.join("bounded.fio");
    std::fs::write(&job, text).expect("written");
    let _ = std::fs::remove_file(dir.join("p.toml"));
    let converted = dyno(dir, &["convert", "--lossy", "bounded.fio", "-o", "p.toml"]);
    assert!(converted.status.success(), "{}\n{text}", said(&converted));
    let protocol = std::fs::read_to_string(dir.join("p.toml")).expect("written");
    let mut protocol: toml::Table = protocol.parse().expect("TOML");
    // All requests go to one recorded file of the bounded size.
    let mut datasets = toml::Table::new();
    let recorded = "[d]\nengine = { kind = \"recorder\", size = \"64MiB\" }\n";
    datasets.extend(recorded.parse::<toml::Table>().expect("TOML"));
    protocol.insert("dataset".into(), datasets.into());
    for step in protocol["step"].as_array_mut().expect("steps") {
        for stream in step["stream"].as_array_mut().expect("streams") {
            let stream = stream.as_table_mut().expect("a table");
            stream.insert("engine".into(), "recorder".into());
            stream.insert("dataset".into(), "d".into());
        }
    }
    std::fs::write(dir.join("p.toml"), protocol.to_string()).expect("written");
    let drive = dir.join("drive");
    let _ = std::fs::remove_dir_all(&drive);
    std::fs::create_dir(&drive).expect("a folder");
    let plan = format!(
        "protocol = \"./p.toml\"\nrepeats = 1\nidle = \"0s\"\nmeters = []\n\
         [[subject]]\nname = \"A\"\ndrives = [{{ path = {drive:?} }}]\n"
    );
    let (file, bundle) = (dir.join("plan.toml"), dir.join("b.dyno"));
    std::fs::write(&file, plan).expect("written");
    let _ = std::fs::remove_file(&bundle);
    let plan = plan::load(&file, &dyno::plan_catalogue());
    let plan = plan.unwrap_or_else(|mistakes| panic!("{mistakes}\n{protocol}"));
    let record =
        dyno::record::Run { plan: plan.clone(), started_unix_ns: 0, dyno_version: "test".into() };
    let mut sink = BundleWriter::create(&bundle, &record, &Setup::default()).expect("a bundle");
    recorder::begin();
    let run = RunRequest {
        plan: &plan,
        points: plan::points(&plan).collect(),
        maxima: Maxima::default(),
        searches: std::default::Default::default(),
        figures: Default::default(),
        before: Before::default(),
        sink: &mut sink,
        progress: &Progress::new(),
        stop: &AtomicBool::new(false),
        clock: Clock::start(),
        starts: None,
    };
    run.execute().expect("it runs");
    recorder::end()
}

/// Whether two shares of this many draws can be of one probability.
fn alike((a, of_a): (u64, u64), (b, of_b): (u64, u64)) -> bool {
    let (of_a, of_b) = (of_a.max(1) as f64, of_b.max(1) as f64);
    let (share_a, share_b) = (a as f64 / of_a, b as f64 / of_b);
    let p = (a + b) as f64 / (of_a + of_b);
    let error = (p * (1.0 - p) * (1.0 / of_a + 1.0 / of_b)).sqrt();
    // The ends of a run, and of a pass over the file, are ops of another order.
    (share_a - share_b).abs() <= 5.0 * error + 0.01
}

/// What differs, or nothing.
fn difference(dyno: &Requests, fio: &Requests, paced: bool) -> Option<String> {
    let (of_dyno, of_fio) = (dyno.moved(), fio.moved());
    for kind in [Kind::Read, Kind::Write, Kind::Trim] {
        let (a, b) = (dyno.of(kind), fio.of(kind));
        if !alike((a, of_dyno), (b, of_fio)) {
            return Some(format!("{kind:?}: {a} of {of_dyno}, fio {b} of {of_fio}"));
        }
    }
    let sizes = dyno.sizes.keys().chain(fio.sizes.keys());
    for size in sizes {
        let (a, b) = (dyno.sizes.get(size).unwrap_or(&0), fio.sizes.get(size).unwrap_or(&0));
        if !alike((*a, dyno.of(size.0)), (*b, fio.of(size.0))) {
            return Some(format!("{size:?}: {a}, fio {b}"));
        }
    }
    if !alike((dyno.following, of_dyno), (fio.following, of_fio)) {
        let (a, b) = (dyno.following, fio.following);
        return Some(format!("following: {a} of {of_dyno}, fio {b} of {of_fio}"));
    }
    let flushes = |r: &Requests| (r.of(Kind::Flush), r.of(Kind::Write).max(1));
    if !alike(flushes(dyno), flushes(fio)) {
        return Some(format!("flushes: {:?}, fio {:?}", flushes(dyno), flushes(fio)));
    }
    // fio counts depths in powers of two up to 64. With a rate, the depth follows the latencies.
    let bucket = |depth: u64| depth.max(1).next_power_of_two().min(64);
    if !paced && bucket(dyno.depth) != bucket(fio.depth) {
        return Some(format!("depth: {}, fio {}", dyno.depth, fio.depth));
    }
    None
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "fio")).collect();
    all.sort();
    all
}

#[test]
fn converted_jobs_make_the_requests_that_fio_makes_of_them() {
    if !have(&["fio"]) {
        skip("this needs fio");
        return;
    }
    recorder::add();
    // Direct I/O needs a filesystem that has it.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let dir = folder.path();
    let file = dir.join("file");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fio-jobs");
    let mut jobs = files(&own);
    let few = ["rand-rw", "split-sizes", "seq-rw", "file-server"];
    if size("few", "all") == "few" {
        jobs.retain(|job| few.iter().any(|name| job.ends_with(format!("{name}.fio"))));
    } else {
        jobs.extend(files(Path::new("/usr/share/doc/fio/examples")));
    }
    let seconds = size("300ms", "2s");
    let (mut same, mut few_requests, mut refused, mut different) = (0, 0, 0, Vec::new());
    for job in &jobs {
        let name = job.file_name().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(job).expect("read");
        let Some(lost) = lost(dir, job) else {
            refused += 1;
            continue;
        };
        let bounded = bounded(&text, &file, seconds, &lost);
        let Some(fio) = of_fio(dir, &bounded) else {
            eprintln!("{name}: fio does not run it here");
            refused += 1;
            continue;
        };
        let dyno = of_dyno(dir, &bounded);
        for (section, fio) in &fio {
            let stream = dyno.iter().find(|(stream, _)| section.replace(' ', "-") == **stream);
            let Some((_, dyno)) = stream else {
                different.push(format!("{name} [{section}]: no stream of {:?}", dyno.keys()));
                continue;
            };
            let paced = bounded.lines().any(|line| line.starts_with("rate"));
            match difference(dyno, fio, paced) {
                // A job of one byte per second has made one request in each.
                _ if dyno.moved().min(fio.moved()) < FEW => few_requests += 1,
                None => same += 1,
                Some(what) => different.push(format!("{name} [{section}]: {what}")),
            }
            eprintln!("{name} [{section}]: {dyno}; fio {fio}");
        }
    }
    eprintln!(
        "{same} sections with the same requests, {few_requests} with fewer than {FEW}, {refused} \
         jobs that do not run here"
    );
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(same >= few.len(), "{same}");
}
