//! Bundles for tests, with latencies that follow a fixed rule.

use std::path::{Path, PathBuf};

use dyno_core::base::error::Result;
use dyno_core::base::histogram::Histogram;
use dyno_core::plan::{
    Arrival, Axis, Component, Drive, DrivePlace, Field, Knobs, Load, Order, Plan, PointKey,
    Protocol, Step, Stream, Subject, Sweep,
};
use dyno_core::record::setup::HostSetup;
use dyno_core::record::{Cell, Class, Fact, Interval, Outcome, Point, Run, Setup, Sink, Tally};
use dyno_core::store::BundleWriter;

const SECOND: u64 = 1_000_000_000;
pub const STARTED: u64 = 1_770_127_500 * SECOND;

/// The contents of the generated bundle.
pub struct Made {
    pub values: Vec<f64>,
    pub repeats: u32,
    pub seconds: u64,
    pub fail: bool,
}

pub fn stream(name: &str, headline: bool) -> Stream {
    let part = |name: &str| Component { name: name.into(), knobs: Knobs::default() };
    Stream {
        name: name.into(),
        engine: part("null"),
        workload: part("random"),
        dataset: "data".into(),
        threads: 8,
        depth: 1,
        load: Load::Closed,
        arrival: Arrival::Fixed,
        instances: 1,
        headline,
        target: Default::default(),
        cpus: None,
        drives_per_worker: 1,
    }
}

pub fn plan(made: &Made) -> Plan {
    let subject = |name: &str, path: &str| Subject {
        name: name.into(),
        drives: vec![Drive {
            place: DrivePlace::Directory(path.into()),
            erase: false,
            erase_signatures: Vec::new(),
            connections: Vec::new(),
            namespaces: Vec::new(),
        }],
        ..Subject::default()
    };
    let step = Step {
        name: "readrandom".into(),
        title: "RocksDB random reads".into(),
        warmup_ns: 60 * SECOND,
        duration_ns: made.seconds * SECOND,
        drop_caches: true,
        settle: true,
        memory_bytes: None,
        max_lag_ns: None,
        cooldown_ns: 0,
        figures: Vec::new(),
        sweep: Some(Sweep {
            stream: "read".into(),
            field: Field::Threads,
            values: made.values.clone(),
            knob: None,
            search: None,
        }),
        streams: vec![stream("read", true), stream("writer", false)],
    };
    Plan {
        protocol: Protocol {
            name: "rocksdb-threads".into(),
            title: "RocksDB by thread count".into(),
            source: "a published brief".into(),
            headline: None,
            datasets: Vec::new(),
            prepare: Vec::new(),
            preparation: Default::default(),
            steps: vec![step],
        },
        subjects: vec![subject("Memory", "/mnt/a"), subject("Disk", "/mnt/b")],
        repeats: made.repeats,
        order: Order::Interleaved,
        seed: 1,
        ..Plan::default()
    }
}

/// Latencies over an octave and a half, with one in two hundred twenty times as long.
pub fn histogram(ops: u64, typical_ns: u64) -> Histogram {
    let mut h = Histogram::new();
    for k in 0..100 {
        h.add_n(typical_ns * (60 + k) / 100, ops * 199 / 200 / 100);
    }
    h.add_n(typical_ns * 20, ops / 200);
    h
}

pub fn tally(class: Class, ops: u64, typical_ns: u64) -> Tally {
    let service = histogram(ops, typical_ns);
    Tally {
        class,
        ops: service.count,
        bytes: service.count * 4096,
        misses: 0,
        given_up: 0,
        service,
        response: None,
        censored: None,
    }
}

pub fn cell(stream: &str, headline: bool, threads: u32, tally: Tally) -> Cell {
    Cell {
        stream: stream.into(),
        drive: 0,
        instance: 0,
        headline,
        threads: Some(threads),
        depth: Some(1),
        asked: None,
        late: 0,
        backlog_max: 0,
        backlog_end: 0,
        in_flight: None,
        tallies: vec![tally],
    }
}

/// Memory has three times the rate of Disk; each repeat is 1 % faster than the previous one.
pub fn point(made: &Made, subject: &str, value: f64, repeat: u32) -> Point {
    let scale = if subject == "Memory" { 3.0 } else { 1.0 };
    let rate = 9_000.0 * scale * value.powf(0.8) * (1.0 + f64::from(repeat) / 100.0);
    let ops = (rate * made.seconds as f64) as u64;
    let typical_ns = (value * 1e9 / rate) as u64;
    let axis = Axis { name: "read.threads".into(), field: Field::Threads, value: value.into() };
    let failed = made.fail && subject == "Disk" && repeat == 2 && value == made.values[0];
    Point {
        key: PointKey {
            subject: subject.into(),
            step: "readrandom".into(),
            axis: Some(axis),
            repeat,
        },
        started_unix_ns: STARTED,
        window_ns: Some(made.seconds * SECOND),
        outcome: if failed {
            Outcome::Failed { cause: "the disk, it seems, is full".into() }
        } else {
            Outcome::Measured
        },
        cells: vec![
            cell("read", true, value as u32, tally(Class::READ, ops, typical_ns)),
            cell("writer", false, 1, tally(Class::WRITE, 2_000 * made.seconds, 40_000)),
        ],
        facts: vec![Fact::new("RocksDB", "compactions", repeat)],
        observed: Vec::new(),
    }
}

pub fn write_bundle(path: &Path, made: &Made) -> Result<()> {
    let run = Run { plan: plan(made), started_unix_ns: STARTED, dyno_version: "0.1.0".into() };
    let host = HostSetup {
        name: Some("bench-1".into()),
        cpu_model: Some("Example 9000 <64 cores>".into()),
        ..HostSetup::default()
    };
    let mut writer = BundleWriter::create(path, &run, &Setup { host, ..Setup::default() })?;
    for repeat in 1..=made.repeats {
        for &value in &made.values {
            for subject in ["Memory", "Disk"] {
                let point = point(made, subject, value, repeat);
                writer.begin(&point.key)?;
                for second in 0..made.seconds {
                    writer.interval(&interval(&point, second, made.seconds))?;
                }
                writer.end(&point)?;
            }
        }
    }
    Ok(())
}

pub fn interval(point: &Point, second: u64, seconds: u64) -> Interval {
    let tally = &point.cells[0].tallies[0];
    let mut service = Histogram::new();
    service.add_n(100_000, tally.ops / seconds + second % 5);
    Interval {
        stream: "read".into(),
        drive: 0,
        instance: 0,
        class: Class::READ,
        start_ns: second * SECOND,
        end_ns: (second + 1) * SECOND,
        ops: service.count,
        bytes: service.count * 4096,
        service,
        response: None,
    }
}

/// A bundle in its own folder, which is removed when the first is dropped.
pub fn bundle(made: &Made) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("made.dyno");
    write_bundle(&path, made).expect("a bundle");
    (folder, vec![path])
}

pub const SMALL: Made = Made { values: Vec::new(), repeats: 3, seconds: 10, fail: true };

pub fn small() -> Made {
    Made { values: vec![8.0, 32.0, 128.0], ..SMALL }
}
