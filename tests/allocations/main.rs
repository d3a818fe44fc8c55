//! Between gate and join a worker allocates nothing: every engine with every suitable workload
//! that can run here, in the real loop, with a counting allocator. It is a separate program because
//! an allocator applies to a whole program.
//!
//! Counted are the allocations of every thread except the telemetry's and the meters' during the
//! second second of a window: initialisation by a first op, such as thread-local storage, is
//! complete by then.

mod counting;
#[path = "../support/mod.rs"]
mod support;

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use dyno::base::clock::Clock;
use dyno::base::error::{Result, describe};
use dyno::engine::Engine;
use dyno::plan::{self, KnobKind, Knobs, RequestFamily};
use dyno::record::setup::DriveWriteCache;
use dyno::record::{
    Class, DriveState, Fact, Interval, Observed, Outcome, Point, PointKey, PreparationStep, Sample,
    Sink, SlowOp,
};
use dyno::run::datasets::before::Before;
use dyno::run::display::progress::Progress;
use dyno::run::{Maxima, RunRequest};
use dyno::workload::{self, Workload};

use counting::{allocated, count};
use support::{FOR_SERVERS, open_to_all, rocksdb, skip};

/// One count at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Enables and disables counting as intervals end, and stores the point.
#[derive(Default)]
struct Counted {
    points: Vec<Point>,
}

impl Sink for Counted {
    fn begin(&mut self, _key: &PointKey) -> Result<()> {
        Ok(())
    }
    fn interval(&mut self, interval: &Interval) -> Result<()> {
        // The first interval has ended, but not the second.
        count((500_000_000..1_500_000_000).contains(&interval.end_ns));
        Ok(())
    }
    fn sample(&mut self, _sample: &Sample) -> Result<()> {
        Ok(())
    }
    fn slow_op(&mut self, _op: &SlowOp) -> Result<()> {
        Ok(())
    }
    fn end(&mut self, point: &Point) -> Result<()> {
        self.points.push(point.clone());
        Ok(())
    }
    fn discard(&mut self) -> Result<()> {
        Ok(())
    }
    fn facts(&mut self, _facts: &[Fact]) -> Result<()> {
        Ok(())
    }
    fn observed(&mut self, _observed: &[Observed]) -> Result<()> {
        Ok(())
    }
    fn write_caches(&mut self, _states: &[DriveWriteCache]) -> Result<()> {
        Ok(())
    }
    fn prepared(&mut self, _prepared: &[PreparationStep]) -> Result<()> {
        Ok(())
    }
    fn left(&mut self, _states: &[DriveState]) -> Result<()> {
        Ok(())
    }
}

/// Measures the streams together on an engine; returns the point, or why there is none. The
/// allocations are available from `allocated`. Repeated with a longer window if a stream did
/// nothing on a busy machine.
fn measure(datasets: &str, streams: &str) -> std::result::Result<Point, String> {
    let mut point = measure_for(2_500, datasets, streams)?;
    for ms in [12_000, 48_000] {
        if idle(&point).is_empty() {
            break;
        }
        allocated();
        point = measure_for(ms, datasets, streams)?;
    }
    Ok(point)
}

fn measure_for(ms: u32, datasets: &str, streams: &str) -> std::result::Result<Point, String> {
    let folder = tempfile::tempdir_in(FOR_SERVERS).unwrap();
    let (protocol, drive) = (folder.path().join("p.toml"), folder.path().join("drive"));
    let step = format!("[[step]]\nname = \"s\"\nwarmup = \"0s\"\nduration = \"{ms}ms\"\n");
    let text = format!("title = \"Allocations\"\nsource = \"test\"\n{datasets}{step}{streams}");
    std::fs::write(&protocol, &text).unwrap();
    std::fs::create_dir(&drive).unwrap();
    open_to_all(&[folder.path(), &drive]);
    let subjects = [("A".to_string(), drive)];
    let plan = plan::from_command_line(
        &protocol.to_string_lossy(),
        &subjects,
        &[],
        None,
        &dyno::plan_catalogue(),
    )
    .unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"));
    let mut sink = Counted::default();
    let run = RunRequest {
        plan: &plan,
        points: plan::points(&plan).take(1).collect(),
        maxima: Maxima::default(),
        searches: Default::default(),
        before: Before::default(),
        figures: Default::default(),
        sink: &mut sink,
        progress: &Progress::new(),
        stop: &AtomicBool::new(false),
        clock: Clock::start(),
        starts: None,
    };
    run.execute().map_err(|error| describe(&error).0)?;
    let point = sink.points.pop().ok_or("no point")?;
    match &point.outcome {
        Outcome::Measured => Ok(point),
        Outcome::Failed { cause } => Err(cause.clone()),
    }
}

fn stream(engine: &dyn Engine, workload: &dyn Workload, dataset: &str, threads: u32) -> String {
    let (engine, info) = (engine.info().name, workload.info());
    // Terminals with keying and think times do next to nothing in seconds.
    let timing = match info.knobs.iter().find(|k| k.name == "timing").map(|k| k.kind) {
        Some(KnobKind::Choice(_)) => ", timing = \"no-wait\"",
        _ => "",
    };
    // The trace that ships addresses more than there is.
    let remap = match info.knobs.iter().any(|knob| knob.name == "remap") {
        true => ", remap = \"modulo\"",
        false => "",
    };
    // The cache of a model would not fit either.
    let cache = match info.knobs.iter().any(|knob| knob.name == "block_size") {
        true => ", block_size = \"4KiB\", blocks = 64, scale = 100",
        false => "",
    };
    // YCSB's mix is reads alone unless it is told otherwise.
    let mix = match info.knobs.iter().any(|knob| knob.name == "modify") {
        true => ", update = 20, insert = 5, scan = 20, modify = 20",
        false => "",
    };
    format!(
        "[[step.stream]]\nname = \"{engine}-{0}\"\nengine = \"{engine}\"\nthreads = {threads}\n\
         {dataset}workload = {{ kind = \"{0}\"{timing}{remap}{cache}{mix} }}\n",
        info.name
    )
}

fn ops(cell: &dyno::record::Cell) -> u64 {
    cell.tallies.iter().map(|t| t.ops).sum()
}

/// Streams that were not tested, because they did nothing.
fn idle(point: &Point) -> Vec<&str> {
    point.cells.iter().filter(|cell| ops(cell) == 0).map(|cell| cell.stream.as_str()).collect()
}

/// Each stream did something, and nothing was allocated meanwhile.
#[track_caller]
fn quiet(point: &Point, (n, first): (u64, Vec<String>)) {
    for cell in &point.cells {
        println!("{} ops of {}", ops(cell), cell.stream);
    }
    let idle = idle(point);
    assert!(idle.is_empty(), "nothing was done by {idle:?}, so nothing is shown of them");
    assert_eq!(n, 0, "{n} allocations in the window; the first ones:\n{}", first.join("\n----\n"));
}

fn suiting(engine: &dyn Engine) -> impl Iterator<Item = &'static dyn Workload> {
    let family = engine.info().family;
    workload::ALL.iter().filter(move |w| family.suits(w.info().family))
}

#[test]
fn no_engine_on_a_drive_allocates_in_the_window_whatever_the_workload() {
    dyno::register();
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let (mut datasets, mut streams) = (String::new(), String::new());
    for engine in dyno::engine::ALL.iter().filter(|e| e.info().family != RequestFamily::Sql) {
        let name = engine.info().name;
        let size = match engine.info().family {
            RequestFamily::Any => "",
            // Its library allocates: below.
            RequestFamily::Vector => continue,
            RequestFamily::KeyValue if !rocksdb() => continue,
            RequestFamily::KeyValue => {
                "keys = 20000\nvalue_size = 400\nfill = { kind = \"fillseq\" }\n"
            }
            _ => {
                "size = \"16MiB\"\n\
                 fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n"
            }
        };
        let mut of = String::new();
        if !size.is_empty() {
            datasets += &format!("[dataset.{name}]\nengine = \"{name}\"\n{size}");
            of = format!("dataset = \"{name}\"\n");
        }
        suiting(engine).for_each(|workload| streams += &stream(engine, workload, &of, 1));
    }
    let point = measure(&datasets, &streams).unwrap_or_else(|cause| panic!("{cause}"));
    quiet(&point, allocated());
}

#[test]
fn data_are_verified_without_an_allocation_also_where_reads_and_writes_meet() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let Ok(journals) = tempfile::tempdir_in("/dev/shm") else {
        return skip("no /dev/shm to keep a journal in");
    };
    let (mut datasets, mut streams) = (String::new(), String::new());
    for (engine, depth) in [("psync", 1), ("uring", 8), ("libaio", 8)] {
        datasets += &format!(
            "[dataset.{engine}]\nengine = \"{engine}\"\nsize = \"16MiB\"\nfill = {{ kind = \
             \"sequential\", read = 0 }}\nverify = true\njournal = \"{}\"\n",
            journals.path().display()
        );
        streams += &format!(
            "[[step.stream]]\nname = \"{engine}\"\nengine = \"{engine}\"\ndataset = \
             \"{engine}\"\nthreads = 2\ndepth = {depth}\nworkload = {{ kind = \"random\", read \
             = 50, span = 2 }}\n"
        );
    }
    let point = measure(&datasets, &streams).unwrap_or_else(|cause| panic!("{cause}"));
    quiet(&point, allocated());
}

/// Libraries that allocate for every query or answer, by their modules and their source folders.
const LIBRARIES: [&str; 2] = ["diskann", "tiberius::"];
const SOURCES: [&str; 2] = ["/diskann", "/tiberius-"];

/// Whether such a library allocated, and not Dyno: one of its frames is nearer to the allocation
/// than any of Dyno's. A library's frame may contain Dyno's types among its arguments, so the
/// beginning of a frame's name counts.
fn is_of_a_library(at: &str) -> bool {
    for line in at.lines().map(str::trim) {
        let function = line.split_once(": ").map_or("", |(_, name)| name).trim_start_matches('<');
        if function.starts_with("dyno") || line.starts_with("at ./crates/") {
            return false;
        }
        let source = line.starts_with("at ") && SOURCES.iter().any(|folder| line.contains(folder));
        if source || LIBRARIES.iter().any(|library| function.starts_with(library)) {
            return true;
        }
    }
    false
}

/// Streams on the same rows occasionally deadlock: a transaction ended by the server is reported
/// with its text.
fn is_an_error(at: &str) -> bool {
    at.contains("server_error") || at.contains("::ours")
}

/// Workloads for a window: neither fills of tables nor checks of data, which are not timed.
fn is_load(workload: &dyn Workload) -> bool {
    !workload.info().name.ends_with("_load")
        && workload.classes(&Knobs::default()) != [Class::CHECK]
}

#[test]
fn only_the_library_allocates_in_the_window_of_a_vector_search() {
    if !cfg!(feature = "vector") {
        return skip("built without DiskANN: --features vector");
    }
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let dataset = "[dataset.d]\nengine = \"diskann\"\nvectors = 2000\ndimensions = 32\n\
                   queries = 50\ndegree = 16\nbuild_list = 32\npq_bytes = 16\n\
                   fill = { kind = \"vector_load\" }\n";
    dyno::register();
    let engine = dyno::engine::find("diskann").unwrap();
    let streams: String =
        suiting(engine).filter(|w| is_load(*w)).map(|w| stream(engine, w, "", 2)).collect();
    let point = measure(dataset, &streams).unwrap_or_else(|cause| panic!("{cause}"));
    let (n, mut first) = allocated();
    first.retain(|at| !is_of_a_library(at));
    println!("diskann: {n} allocations, {} of them Dyno's", first.len());
    quiet(&point, (first.len() as u64, first));
}

#[test]
fn no_engine_on_a_server_of_its_own_allocates_in_the_window_whatever_the_transactions() {
    dyno::register();
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    for engine in dyno::engine::ALL.iter().filter(|e| e.info().family == RequestFamily::Sql) {
        let name = engine.info().name;
        let mut left: Vec<&str> =
            suiting(engine).filter(|w| is_load(*w)).map(|w| w.info().name).collect();
        let (mut datasets, mut streams) = (String::new(), String::new());
        for load in suiting(engine).map(|w| w.info()).filter(|info| info.name.ends_with("_load")) {
            // A load's tables are those of the workloads from the same source.
            let runs = suiting(engine)
                .filter(|w| w.info().source == load.source && w.info().name != load.name);
            let runs: Vec<&dyn Workload> = runs.filter(|w| is_load(*w)).collect();
            left.retain(|name| runs.iter().all(|w| w.info().name != *name));
            let load = load.name;
            datasets +=
                &format!("[dataset.{load}]\nengine = \"{name}\"\nfill = {{ kind = \"{load}\" }}\n");
            let of = format!("dataset = \"{load}\"\n");
            runs.iter().for_each(|run| streams += &stream(engine, *run, &of, 1));
        }
        match measure(&datasets, &streams) {
            Err(cause) => skip(format!("{name}: {cause}")),
            Ok(point) => {
                let (n, mut first) = allocated();
                let seen = first.len();
                first.retain(|at| !is_of_a_library(at) && !is_an_error(at));
                let known = seen - first.len();
                println!(
                    "{name}: {n} allocations, {known} of the first {seen} a library's or of an \
                     error"
                );
                quiet(&point, (first.len() as u64, first));
            }
        }
        assert!(
            left.is_empty(),
            "{name}: no load fills the tables of {left:?}, so nothing is shown of them"
        );
    }
}

#[test]
fn an_allocation_of_any_other_thread_in_the_window_is_noticed() {
    // A separate frame: with optimisation a closure has none, and its name would not be in the
    // backtrace.
    #[inline(never)]
    fn allocate() -> usize {
        std::hint::black_box(vec![0u8; 100]).len()
    }
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    count(true);
    std::thread::scope(|scope| {
        scope.spawn(|| std::hint::black_box(allocate()));
    });
    count(false);
    let (n, first) = allocated();
    assert!(
        n >= 1 && first.iter().any(|at| at.contains("an_allocation_of_any_other_thread")),
        "{n}: {first:?}"
    );
}
