//! Bundles written and read back: complete, truncated, foreign, and of full size.

use std::path::Path;

use super::*;
use crate::base::histogram::Histogram;
use crate::base::rng::Seed;
use crate::base::units::Rate;
use crate::plan::{AxisValue, Field, Plan, Protocol};
use crate::record::setup::{
    DriveSetup, DriveWriteCache, HostSetup, WriteCacheState, WriteCacheTime,
};
use crate::record::{
    Axis, Ceiling, Cell, Censored, Class, Fact, Interval, Outcome, Point, PointKey, Run, Sample,
    Setup, Sink, Tally,
};

fn run() -> Run {
    let protocol = Protocol {
        name: "trial".into(),
        title: String::new(),
        source: String::new(),
        headline: None,
        datasets: vec![],
        prepare: vec![],
        preparation: Default::default(),
        steps: vec![],
    };
    let plan = Plan { protocol, repeats: 3, seed: u64::MAX, ..Plan::default() };
    Run { plan, started_unix_ns: 1_790_000_000_123_456_789, dyno_version: "0.1.0".into() }
}

/// A host, and a subject with two drives.
fn setup() -> Setup {
    let drive = |drive: u32, filesystem: &str| DriveSetup {
        subject: "A".into(),
        drive,
        filesystem: Some(filesystem.into()),
        ..DriveSetup::default()
    };
    let host = HostSetup {
        kernel_command_line: Some("quiet token=***".into()),
        memory_bytes: Some(1 << 40),
        ..HostSetup::default()
    };
    let facts = vec![Fact::new("Dyno", "Version", "0.1.0")];
    Setup { host, drives: vec![drive(0, "ext4"), drive(1, "xfs")], facts, ..Setup::default() }
}

fn key(repeat: u32) -> PointKey {
    let axis =
        Axis { name: "read.load".into(), field: Field::LoadPercent, value: AxisValue::Maximum };
    PointKey { subject: "A".into(), step: "load".into(), axis: Some(axis), repeat }
}

fn latencies(values: &[u64]) -> Histogram {
    let mut h = Histogram::new();
    values.iter().for_each(|&v| h.add(v));
    h
}

fn point(key: PointKey, outcome: Outcome) -> Point {
    let service = latencies(&[900, 85_000, 4_000_000_000_000]);
    let response = Some(latencies(&[85_100]));
    let read = Tally {
        class: Class::READ,
        ops: 3,
        bytes: 12_288,
        misses: 1,
        given_up: 2,
        service,
        response,
        censored: Some(Censored { ops: 1, from_ns: 85_000 }),
    };
    let idle = Histogram::new();
    let write = Tally {
        class: Class::WRITE,
        ops: 0,
        bytes: 0,
        misses: 0,
        given_up: 0,
        service: idle,
        response: None,
        censored: None,
    };
    let cell = Cell {
        stream: "read".into(),
        drive: 1,
        instance: 2,
        headline: true,
        threads: Some(96),
        depth: Some(1),
        asked: Some(Rate::BytesPerSec(1e7)),
        late: 4,
        backlog_max: 5,
        backlog_end: 6,
        in_flight: Some(0.5),
        tallies: vec![read, write],
    };
    let facts = vec![Fact::new("RocksDB", "stalls", 3)];
    Point {
        key,
        started_unix_ns: 1_790_000_001_000_000_000,
        window_ns: Some(60_000_000_000),
        outcome,
        cells: vec![cell],
        facts,
        observed: vec![Ceiling { stream: "read".into(), ops_per_s: 1 << 60 }.into()],
    }
}

fn interval(second: u64, service: Histogram) -> Interval {
    let (start_ns, end_ns) = (second * 1_000_000_000, (second + 1) * 1_000_000_000);
    let (stream, ops, bytes) = ("read".to_owned(), service.count, service.count * 4096);
    Interval {
        stream,
        drive: 0,
        instance: 0,
        class: Class::READ,
        start_ns,
        end_ns,
        ops,
        bytes,
        service,
        response: None,
    }
}

fn sample(at_ns: i64, value: f64) -> Sample {
    Sample { at_ns, meter: "rapl".into(), name: "package_watts".into(), value }
}

fn failed() -> Outcome {
    Outcome::Failed { cause: "the drive vanished".into() }
}

fn refusal<T>(result: crate::base::error::Result<T>) -> String {
    crate::base::error::describe(&result.err().unwrap()).0
}

#[test]
fn what_was_written_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dyno");
    let mut known = setup();
    known.host.kernel_command_line = Some("quiet token=abc123".into());
    let mut writer = BundleWriter::create(&path, &run(), &known).unwrap();
    writer.begin(&key(1)).unwrap();
    let intervals = [interval(0, latencies(&[25, 30])), interval(1, latencies(&[20]))];
    intervals.iter().for_each(|i| writer.interval(i).unwrap());
    let samples = [sample(-1_000, 80.5), sample(1_000, f64::INFINITY)];
    samples.iter().for_each(|s| writer.sample(s).unwrap());
    writer.end(&point(key(1), Outcome::Measured)).unwrap();
    writer.add_facts(&[Fact::new("Dyno", "Clock", "tsc")]).unwrap();
    let state = WriteCacheState::On;
    let time = WriteCacheTime::BeforePoints;
    let noted = DriveWriteCache { subject: "A".into(), drive: 1, time, state };
    writer.write_caches(&[noted.clone(), noted]).unwrap();
    drop(writer);

    let bundle = Bundle::open(&path).unwrap();
    assert_eq!(bundle.run(), &run());
    assert_eq!(
        bundle.facts().unwrap(),
        [Fact::new("Dyno", "Version", "0.1.0"), Fact::new("Dyno", "Clock", "tsc")]
    );
    assert_eq!(bundle.host().unwrap(), setup().host);
    let [first, mut second] = <[DriveSetup; 2]>::try_from(setup().drives).unwrap();
    second.volatile_cache = vec![state];
    assert_eq!(bundle.drives().unwrap(), [first, second]);
    let text = std::fs::read(&path).unwrap();
    assert!(!text.windows(6).any(|bytes| bytes == b"abc123"), "a secret of the command line");
    let points = bundle.points().unwrap();
    assert_eq!(points[0].point, point(key(1), Outcome::Measured));
    let id = points[0].id;
    assert_eq!(bundle.intervals(id).unwrap(), intervals);
    assert_eq!(bundle.samples(id).unwrap(), samples);
    let rates: Vec<_> =
        bundle.rates(id).unwrap().iter().map(|r| (r.start_ns, r.ops, r.bytes)).collect();
    assert_eq!(rates, [(0, 2, 8192), (1_000_000_000, 1, 4096)]);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "a bundle is one file");
}

#[test]
fn observations_of_points_without_facts_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dyno");
    let mut writer = BundleWriter::create(&path, &run(), &Setup::default()).unwrap();
    writer.begin(&key(1)).unwrap();
    let written = Point { facts: Vec::new(), ..point(key(1), Outcome::Measured) };
    writer.end(&written).unwrap();
    let points = Bundle::open(&path).unwrap().points().unwrap();
    assert_eq!(points[0].point.observed, written.observed);
}

#[test]
fn an_unfinished_point_leaves_nothing_and_a_failed_one_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dyno");
    let mut writer = BundleWriter::create(&path, &run(), &Setup::default()).unwrap();
    writer.begin(&key(1)).unwrap();
    writer.interval(&interval(0, latencies(&[50]))).unwrap();
    writer.begin(&key(2)).unwrap();
    writer.end(&point(key(2), Outcome::Measured)).unwrap();
    writer.begin(&key(1)).unwrap();
    writer.interval(&interval(0, latencies(&[50]))).unwrap();
    writer.end(&point(key(1), failed())).unwrap();
    writer.begin(&key(3)).unwrap();
    drop(writer);

    let (mut writer, found) = BundleWriter::resume(&path).unwrap();
    assert_eq!((found, writer.finished().unwrap()), (vec![run()], vec![key(2)]));
    assert!(refusal(writer.begin(&key(2))).contains("measured already"));
    writer.begin(&key(1)).unwrap();
    writer.end(&point(key(1), Outcome::Measured)).unwrap();
    assert_eq!(writer.finished().unwrap(), [key(2), key(1)]);
    let bundle = Bundle::open(&path).unwrap();
    let points = bundle.points().unwrap();
    assert_eq!(points.len(), 2);
    assert!(bundle.rates(points[1].id).unwrap().is_empty());
}

#[test]
fn a_killed_run_is_read_without_its_last_point() {
    let dir = tempfile::tempdir().unwrap();
    let (path, copy) = (dir.path().join("a.dyno"), dir.path().join("b.dyno"));
    let mut writer = BundleWriter::create(&path, &run(), &Setup::default()).unwrap();
    writer.begin(&key(1)).unwrap();
    writer.interval(&interval(0, latencies(&[50]))).unwrap();
    // The state after kill -9: nothing is written to the file before the point has ended.
    std::fs::copy(&path, &copy).unwrap();
    assert!(Bundle::open(&copy).unwrap().points().unwrap().is_empty());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
}

fn for_run(path: &Path, fallbacks: &[&Path]) -> BundleWriter {
    let fallbacks = fallbacks.iter().map(|folder| folder.to_path_buf()).collect();
    let options = RunFile { readers: Readers::Owner, fallbacks };
    let setup = Setup { facts: vec![Fact::new("Host", "name", "a")], ..Setup::default() };
    BundleWriter::create_for_run(path, &[run()], &setup, options).unwrap()
}

fn measure(writer: &mut BundleWriter, repeat: u32) {
    writer.begin(&key(repeat)).unwrap();
    writer.interval(&interval(0, latencies(&[50, u64::from(repeat)]))).unwrap();
    writer.sample(&sample(1_000, 80.5)).unwrap();
    writer.end(&point(key(repeat), Outcome::Measured)).unwrap();
}

/// The repeats in a bundle, each with its associated data.
fn repeats(path: &Path) -> Vec<u32> {
    let bundle = Bundle::open(path).unwrap();
    assert_eq!(bundle.facts().unwrap(), [Fact::new("Host", "name", "a")]);
    let points = bundle.points().unwrap();
    let of = |stored: &StoredPoint| {
        assert_eq!(stored.point, point(stored.point.key.clone(), Outcome::Measured));
        let own = latencies(&[50, u64::from(stored.point.key.repeat)]);
        assert_eq!(bundle.intervals(stored.id).unwrap()[0].service.count, own.count);
        assert_eq!(bundle.samples(stored.id).unwrap().len(), 1);
        stored.point.key.repeat
    };
    points.iter().map(of).collect()
}

#[test]
fn a_lock_on_the_file_delays_points_and_loses_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dyno");
    for lock in ["BEGIN; SELECT count(*) FROM run", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"] {
        let _ = std::fs::remove_file(&path);
        let mut writer = for_run(&path, &[]);
        measure(&mut writer, 1);
        let other = rusqlite::Connection::open(&path).unwrap();
        // A batch does not run a query to its end, so its lock remains.
        let mut held = other.prepare("SELECT id FROM point").unwrap();
        let _rows = match lock.contains("SELECT") {
            true => {
                let mut rows = held.query([]).unwrap();
                rows.next().unwrap();
                Some(rows)
            }
            false => {
                other.execute_batch(lock).unwrap();
                None
            }
        };
        measure(&mut writer, 2);
        measure(&mut writer, 3);
        drop(_rows);
        drop(held);
        drop(other);
        measure(&mut writer, 4);
        writer.finish(&false.into()).unwrap();
        assert_eq!(repeats(&path), [1, 2, 3, 4], "{lock}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "{lock}");
    }
}

#[test]
fn a_lock_that_never_ends_leaves_the_points_in_a_second_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dyno");
    let mut writer = for_run(&path, &[]);
    measure(&mut writer, 1);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    measure(&mut writer, 2);
    // A signal ends the wait.
    let said = refusal(writer.finish(&true.into()));
    assert!(said.contains("could not be written to; the results are in"), "{said}");
    assert_eq!(repeats(&dir.path().join("a-2.dyno")), [1, 2]);
    drop(other);
    assert_eq!(repeats(&path), [1]);
}

#[test]
fn a_file_that_is_moved_deleted_cut_or_overwritten_costs_no_point() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dyno");
    let in_place = |bytes: &[u8]| {
        use std::io::Write;
        let file = std::fs::OpenOptions::new().write(true).truncate(true).open(&path);
        file.unwrap().write_all(bytes).unwrap();
    };
    let older = || {
        let other = dir.path().join("other");
        drop(BundleWriter::create(&other, &run(), &Setup::default()).unwrap());
        std::fs::read(other).unwrap()
    };
    let half = || {
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    };
    let changes: [(&str, &dyn Fn()); 7] = [
        ("moved", &|| std::fs::rename(&path, dir.path().join("moved")).unwrap()),
        ("deleted", &|| std::fs::remove_file(&path).unwrap()),
        ("emptied", &|| in_place(b"")),
        ("cut", &half),
        ("overwritten with text", &|| in_place(&[b'x'; 9000])),
        ("overwritten with zeros", &|| in_place(&[0; 65536])),
        ("overwritten with an older bundle", &|| in_place(&older())),
    ];
    for (change, make) in changes {
        // Detected by the next point, or at the end.
        for next in [true, false] {
            let mut writer = for_run(&path, &[]);
            measure(&mut writer, 1);
            measure(&mut writer, 2);
            make();
            if next {
                measure(&mut writer, 3);
            }
            let said = refusal(writer.finish(&false.into()));
            assert!(said.contains("the results are in"), "{change}: {said}");
            let found = repeats(&dir.path().join("a-2.dyno"));
            assert_eq!(found, [1, 2, 3][..2 + usize::from(next)], "{change}");
            for file in std::fs::read_dir(dir.path()).unwrap().flatten() {
                std::fs::remove_file(file.path()).unwrap();
            }
        }
    }
}

#[test]
fn points_go_to_a_fallback_folder_if_the_bundles_own_is_gone() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = dir.path().join("a.dyno");
    let mut writer = for_run(&path, &[other.path()]);
    measure(&mut writer, 1);
    std::fs::remove_dir_all(dir.path()).unwrap();
    measure(&mut writer, 2);
    let said = refusal(writer.finish(&false.into()));
    assert!(said.contains("was moved or deleted"), "{said}");
    assert_eq!(repeats(&other.path().join("a-2.dyno")), [1, 2]);
}

#[test]
fn a_bundle_has_its_readers_when_its_run_has_ended_and_leaves_nothing_if_it_cannot_begin() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dyno");
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    let mut writer = for_run(&path, &[]);
    assert_eq!(mode(), 0o600);
    writer.finish(&false.into()).unwrap();
    let plain = std::fs::File::create(dir.path().join("plain")).unwrap().metadata().unwrap();
    assert_eq!(mode(), plain.permissions().mode() & 0o777);
    let (resumed, _) = BundleWriter::resume(&path).unwrap();
    let options = RunFile { readers: Readers::Group, fallbacks: Vec::new() };
    let _resumed = resumed.for_run(options).unwrap();
    assert_eq!(mode(), 0o640);

    let journal = dir.path().join("b.dyno-journal");
    std::fs::write(&journal, "a file of mine").unwrap();
    let new = dir.path().join("b.dyno");
    assert!(
        refusal(BundleWriter::create(&new, &run(), &Setup::default()))
            .contains("b.dyno-journal exists")
    );
    assert_eq!((new.exists(), std::fs::read(&journal).unwrap()), (false, b"a file of mine".into()));
    std::fs::copy(&path, &new).unwrap();
    assert!(refusal(Bundle::open(&new)).contains("is not a journal"));
    assert!(journal.exists());
    let long = dir.path().join("n".repeat(250) + ".dyno");
    assert!(refusal(BundleWriter::create(&long, &run(), &Setup::default())).contains("too long"));
}

#[test]
fn a_file_that_is_no_bundle_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name);
    assert!(refusal(Bundle::open(&file("missing"))).contains("there is no bundle"));
    std::fs::write(file("text"), "SELECT 1; ".repeat(200)).unwrap();
    assert!(refusal(Bundle::open(&file("text"))).contains("not an SQLite file"));
    std::fs::write(file("empty"), "").unwrap();
    assert!(refusal(Bundle::open(&file("empty"))).contains("not a Dyno bundle"));
    drop(BundleWriter::create(&file("newer"), &run(), &Setup::default()).unwrap());
    assert!(
        refusal(BundleWriter::create(&file("newer"), &run(), &Setup::default()))
            .contains("already exists")
    );
    let conn = rusqlite::Connection::open(file("newer")).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    assert!(refusal(Bundle::open(&file("newer"))).contains("newer Dyno"));
}

#[test]
fn a_damaged_bundle_ends_in_an_error_or_data_never_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dyno");
    let mut writer = BundleWriter::create(&path, &run(), &Setup::default()).unwrap();
    writer.begin(&key(1)).unwrap();
    (0..3).for_each(|i| writer.interval(&interval(i, latencies(&[50, 70_000, 900_000]))).unwrap());
    writer.end(&point(key(1), Outcome::Measured)).unwrap();
    drop(writer);
    let whole = std::fs::read(&path).unwrap();
    let mut rng = Seed::new(1, 0, 0).at(0);
    for _ in 0..400 {
        let mut bytes = whole.clone();
        for _ in 0..20 {
            let at = rng.below(bytes.len() as u64) as usize;
            bytes[at] = rng.draw() as u8;
        }
        std::fs::write(&path, &bytes).unwrap();
        let Ok(bundle) = Bundle::open(&path) else { continue };
        let _ = bundle
            .points()
            .map(|points| points.iter().filter(|p| bundle.intervals(p.id).is_ok()).count());
        let _ = (bundle.facts(), bundle.intervals(1), bundle.rates(1), bundle.samples(1));
    }
}

/// About `ops` latencies, log-normal around 130 µs with a tail, with counting noise in each bucket.
fn one_second(rng: &mut crate::base::rng::Rng, ops: f64) -> Histogram {
    let (median_ns, sigma, width) = (130_000.0_f64, 0.45_f64, 1.0 / 1024.0_f64);
    let mut h = Histogram::new();
    let mut ln: f64 = -4.8 * sigma;
    while ln < 6.0 * sigma {
        let share = (-0.5 * (ln / sigma) * (ln / sigma)).exp() * width
            / (sigma * std::f64::consts::TAU.sqrt());
        // Sums of twelve uniforms are sufficiently normal; below ten, rounding noise dominates.
        let normal: f64 = (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
        let mean = ops * share;
        let n = (mean + normal * mean.sqrt() + rng.unit() - 0.5).round().max(0.0);
        h.add_n((median_ns * ln.exp()) as u64, n as u64);
        ln += width;
    }
    (0..(ops / 2000.0) as u64).for_each(|_| h.add((1e6 * (1.0 + 4.0 * rng.exponential())) as u64));
    h
}

fn size(path: &Path) -> f64 {
    std::fs::metadata(path).unwrap().len() as f64
}

/// This thread's processor time, which excludes other programs.
fn processor_s() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

#[test]
fn a_full_rocksdb_threads_run_stays_under_200_mb() {
    const INTERVALS: u64 = 1_200;
    const GAUGES: usize = 12;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dyno");
    let mut writer = BundleWriter::create(&path, &run(), &Setup::default()).unwrap();
    let before = size(&path);
    let mut rng = Seed::new(7, 0, 0).at(0);
    writer.begin(&key(1)).unwrap();
    for second in 0..INTERVALS {
        writer.interval(&interval(second, one_second(&mut rng, 700_000.0))).unwrap();
    }
    writer.end(&point(key(1), Outcome::Measured)).unwrap();
    let tally_bytes = size(&path) - before;
    writer.begin(&key(2)).unwrap();
    for (second, gauge) in (0..INTERVALS).flat_map(|s| (0..GAUGES).map(move |g| (s, g))) {
        let reading = Sample {
            name: format!("gauge_{gauge}"),
            ..sample(second as i64 * 1_000_000_007, rng.unit())
        };
        writer.sample(&reading).unwrap();
    }
    writer.end(&point(key(2), Outcome::Measured)).unwrap();
    let sample_bytes = size(&path) - before - tally_bytes;

    let points = 3.0 * 3.0 * 18.0;
    let tallies = 3.0 * 3.0 * (6.0 + 12.0 * 2.0);
    let (tally_mb, sample_mb) = (tallies * tally_bytes / 1e6, points * sample_bytes / 1e6);
    assert!(tally_mb + sample_mb < 200.0, "intervals {tally_mb:.0} MB, samples {sample_mb:.0} MB");

    let bundle = Bundle::open(&path).unwrap();
    let started_s = processor_s();
    assert_eq!(bundle.intervals(1).unwrap().len(), INTERVALS as usize);
    let took_s = processor_s() - started_s;
    assert!(took_s < 2.0, "reading intervals took {took_s} s");
}

#[test]
fn a_thousand_points_load_quickly() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.dyno");
    let mut writer = BundleWriter::create(&path, &run(), &Setup::default()).unwrap();
    let total = one_second(&mut Seed::new(7, 0, 0).at(0), 5e8);
    for repeat in 1..=1_000 {
        let mut point = point(key(repeat), Outcome::Measured);
        point.cells[0].tallies.truncate(1);
        point.cells[0].tallies[0].response = None;
        point.cells[0].tallies[0].service = total.clone();
        writer.begin(&point.key).unwrap();
        writer.end(&point).unwrap();
    }
    let bundle = Bundle::open(&path).unwrap();
    let started_s = processor_s();
    let points = bundle.points().unwrap();
    let took_s = processor_s() - started_s;
    assert_eq!(
        (points.len(), points[999].point.cells[0].tallies[0].service.count),
        (1_000, total.count)
    );
    // Five times the half second: neighbours on a busy processor, and an unoptimised build, also
    // cost processor time.
    assert!(took_s < 2.5, "it took {took_s} s");
}
