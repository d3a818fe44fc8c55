//! Bundles with figures chosen by a test: plans as written by users, points as stored by runs,
//! without drives.

use std::path::{Path, PathBuf};
use std::process::Command;

use dyno::base::histogram::Histogram;
use dyno::base::rng::{Rng, Seed};
use dyno::base::units::Rate;
use dyno::plan::{self, Plan, PointKey, PointPlan, Stream};
use dyno::record::{
    Cell, Class, Fact, Interval, Observed, Outcome, Point, Run, Sample, Setup, Sink, Tally,
};
use dyno::store::BundleWriter;

use crate::support::DYNO;

const SECOND_NS: u64 = 1_000_000_000;

/// The figures of a point.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub ops_per_s: f64,
    pub p99_ns: f64,
    /// Target ops/s of an open loop; its p99 is then of response times.
    pub asked: Option<f64>,
    /// ops/s second by second, if stored in the bundle.
    pub seconds: Vec<f64>,
    /// ops/s of each drive of a group; `ops_per_s` is then ignored.
    pub drives: Vec<f64>,
    /// For each stream of the plan, in order; of the other fields only `watts` is then used.
    pub streams: Vec<Figures>,
    /// The drive's mean power, as in a table.
    pub watts: Option<f64>,
    /// The processor meter's counts over the window.
    pub cpu: Vec<(&'static str, f64)>,
    /// Readings of further meters.
    pub readings: Vec<Sample>,
    /// The point's error.
    pub failure: Option<&'static str>,
}

/// A short protocol of a step with two points, without drives.
pub const NULL: &str = r#"
title = "Null"
source = "test"
[[step]]
name = "a"
duration = "100ms"
sweep = { axis = "io.threads", values = [1, 2] }
[[step.stream]]
name = "io"
engine = { kind = "null", latency = "1ms" }
workload = "random"
"#;

/// A protocol like the demo's, on an engine that needs no library.
pub const DEMO: &str = r#"
headline = { step = "readrandom", metric = "ops/s", at = "top" }
[[step]]
name = "readrandom"
title = "RocksDB random reads"
duration = "2s"
sweep = { axis = "io.threads", values = [1, 2, 4] }
[[step.stream]]
name = "io"
engine = "null"
workload = "random"
[[step]]
name = "random-read-4k"
title = "4 KiB random reads"
duration = "2s"
sweep = { axis = "io.depth", values = [1, 8, 32] }
[[step.stream]]
name = "io"
engine = "null"
workload = "random"
[[step]]
name = "paced-writes"
title = "4 KiB random writes at a set rate"
duration = "2s"
sweep = { axis = "writer.rate", values = ["24MB/s", "48MB/s"] }
[[step.stream]]
name = "writer"
engine = "null"
workload = { kind = "random", read = 0 }
"#;

/// A folder in memory if possible, because very many points are written.
pub fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    folder.expect("a temporary folder")
}

/// A plan of subjects "A", "B", … on the null engine. `steps` is a protocol without its title.
pub fn plan(folder: &Path, steps: &str, subjects: usize, repeats: u32) -> Plan {
    let path = folder.join("made.toml");
    std::fs::write(&path, format!("title = \"Made\"\nsource = \"test\"\n{steps}"))
        .expect("written");
    let name = |i: usize| char::from(b'A' + i as u8).to_string();
    let all: Vec<(String, PathBuf)> =
        (0..subjects).map(|i| (name(i), folder.to_path_buf())).collect();
    let protocol = path.display().to_string();
    plan::from_command_line(&protocol, &all, &[], Some(repeats), &dyno::plan_catalogue())
        .expect("a plan")
}

/// A plan for a built-in protocol.
pub fn builtin(folder: &Path, protocol: &str, subjects: &[&str], repeats: u32) -> Plan {
    let all: Vec<_> = subjects.iter().map(|name| (name.to_string(), folder.join(name))).collect();
    all.iter().for_each(|(_, drive)| std::fs::create_dir_all(drive).expect("a folder"));
    plan::from_command_line(protocol, &all, &[], Some(repeats), &dyno::plan_catalogue())
        .expect("a plan")
}

/// A closed loop on the null engine, with further keys of the step and its stream.
pub fn step(name: &str, step: &str, stream: &str) -> String {
    format!(
        "[[step]]\nname = \"{name}\"\nduration = \"1s\"\n{step}\n[[step.stream]]\nname = \"io\"\n\
         engine = \"null\"\n\
         workload = \"random\"\n{stream}\n"
    )
}

/// A step of a headline reader, swept by depth, and a background writer.
pub fn reader_and_writer(depths: &[u32]) -> String {
    format!(
        "[[step]]\nname = \"both\"\nduration = \"1s\"\n\
         sweep = {{ axis = \"reader.depth\", values = {depths:?} }}\n\
         [[step.stream]]\nname = \"reader\"\nengine = \"null\"\nworkload = \"random\"\n\
         [[step.stream]]\nname = \"writer\"\nengine = \"null\"\nworkload = \"random\"\n\
         headline = false\n"
    )
}

/// Writes a bundle of every point with figures, in the order of a run.
pub fn write(path: &Path, plan: &Plan, figures: &mut dyn FnMut(&PointKey) -> Option<Figures>) {
    write_with(path, plan, &Setup::default(), figures);
}

/// The same with a setup of the host and the drives.
pub fn write_with(
    path: &Path,
    plan: &Plan,
    setup: &Setup,
    figures: &mut dyn FnMut(&PointKey) -> Option<Figures>,
) {
    let run = Run { plan: plan.clone(), started_unix_ns: SECOND_NS, dyno_version: "test".into() };
    write_run(path, &run, setup, figures);
}

/// A setup with what was observed of the host before the run.
pub fn observed(observed: Vec<Observed>) -> Setup {
    Setup { observed, ..Setup::default() }
}

/// A setup with facts that are only disclosed.
pub fn disclosed(facts: Vec<Fact>) -> Setup {
    Setup { facts, ..Setup::default() }
}

/// The same for a run with another start time.
pub fn write_run(
    path: &Path,
    run: &Run,
    setup: &Setup,
    figures: &mut dyn FnMut(&PointKey) -> Option<Figures>,
) {
    let mut writer = BundleWriter::create(path, run, setup).expect("a bundle");
    for point in plan::points(&run.plan) {
        let Some(of) = figures(&point.key) else { continue };
        writer.begin(&point.key).expect("begun");
        for (stream, figures) in streams(&point, &of) {
            for (second, ops) in figures.seconds.iter().enumerate() {
                writer.interval(&interval(&stream.name, second as u64, *ops)).expect("an interval");
            }
        }
        if let Some(value) = of.watts {
            // A single reading shows nothing about the window.
            let until_ns = whole(&point, &of).window_ns.expect("a window") as i64;
            for at_ns in [0, until_ns] {
                let (meter, name) = ("csv".into(), "drive_watts".into());
                writer.sample(&Sample { at_ns, meter, name, value }).expect("a sample");
            }
        }
        for (name, counted) in &of.cpu {
            for (at_ns, value) in [(0, 0.0), (SECOND_NS as i64, *counted)] {
                let (meter, name) = ("cpu".into(), name.to_string());
                writer.sample(&Sample { at_ns, meter, name, value }).expect("a sample");
            }
        }
        for sample in &of.readings {
            writer.sample(sample).expect("a sample");
        }
        writer.end(&whole(&point, &of)).expect("ended");
    }
}

/// Each stream with its figures.
fn streams<'a>(point: &'a PointPlan, of: &'a Figures) -> Vec<(&'a Stream, &'a Figures)> {
    let figures = if of.streams.is_empty() { std::slice::from_ref(of) } else { &of.streams[..] };
    point.step.streams.iter().zip(figures).collect()
}

fn whole(point: &PointPlan, of: &Figures) -> Point {
    let all = streams(point, of);
    let seconds = all.iter().map(|(_, f)| f.seconds.len()).max().unwrap_or(0).max(1) as u64;
    let cells = |(stream, of): &(&Stream, &Figures)| match &of.drives[..] {
        [] if of.seconds.is_empty() => vec![cell(stream, of, 0, of.ops_per_s)],
        [] => vec![cell(stream, of, 0, of.seconds.iter().sum())],
        all => all.iter().zip(0..).map(|(ops, drive)| cell(stream, of, drive, *ops)).collect(),
    };
    Point {
        key: point.key.clone(),
        started_unix_ns: SECOND_NS,
        window_ns: Some(seconds * SECOND_NS),
        outcome: of.failure.map_or(Outcome::Measured, |why| Outcome::Failed { cause: why.into() }),
        cells: all.iter().flat_map(cells).collect(),
        facts: Vec::new(),
        observed: Vec::new(),
    }
}

fn cell(stream: &Stream, of: &Figures, drive: u32, ops: f64) -> Cell {
    let ops = ops.round() as u64;
    let service = histogram(ops, of.p99_ns);
    let response = of.asked.map(|_| service.clone());
    let tally = Tally {
        class: Class::READ,
        ops,
        bytes: ops * 4096,
        misses: 0,
        given_up: 0,
        service,
        response,
        censored: None,
    };
    Cell {
        stream: stream.name.clone(),
        drive,
        instance: 0,
        headline: stream.headline,
        threads: Some(stream.threads),
        depth: Some(stream.depth),
        asked: of.asked.map(Rate::OpsPerSec),
        late: 0,
        backlog_max: 0,
        backlog_end: 0,
        in_flight: None,
        tallies: vec![tally],
    }
}

/// This many latencies, 99 % of which are up to p99.
pub fn histogram(ops: u64, p99_ns: f64) -> Histogram {
    let mut made = Histogram::new();
    let (fast, slow) = (ops * 985 / 1000, ops * 2 / 1000);
    made.add_n((p99_ns / 2.0) as u64, fast);
    made.add_n(p99_ns as u64, ops - fast - slow);
    made.add_n((p99_ns * 3.0) as u64, slow);
    made
}

fn interval(stream: &str, second: u64, ops: f64) -> Interval {
    let mut service = Histogram::new();
    service.add_n(100_000, ops.round().max(0.0) as u64);
    Interval {
        stream: stream.into(),
        drive: 0,
        instance: 0,
        class: Class::READ,
        start_ns: second * SECOND_NS,
        end_ns: (second + 1) * SECOND_NS,
        ops: service.count,
        bytes: service.count * 4096,
        service,
        response: None,
    }
}

/// The output of `dyno claims --json` for bundles.
pub fn claims(bundles: &[&Path], args: &[&str]) -> serde_json::Value {
    let out = Command::new(DYNO)
        .arg("claims")
        .args(bundles)
        .arg("--json")
        .args(args)
        .output()
        .expect("ran");
    assert!(out.status.success(), "{}", crate::support::said(&out));
    serde_json::from_slice(&out.stdout).expect("JSON")
}

pub fn rng(seed: u64, trial: u64) -> Rng {
    Seed::new(crate::support::seed() ^ (seed << 32), 0, 0).at(trial)
}
