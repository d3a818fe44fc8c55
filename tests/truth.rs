//! Known truth: an engine whose latency is given must be reported with that latency, and a stall must show up in
//! response time as the arithmetic says. The whole path is used, from the plan's text to the point that is stored.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use dyno::base::clock::Clock;
use dyno::base::error::Result;
use dyno::base::histogram::Histogram;
use dyno::plan;
use dyno::record::{DriveState, Fact, Interval, Outcome, Point, PointKey, Prepared, Sample, Sink, Tally};
use dyno::run::prepare::Before;
use dyno::run::{Maxima, Run, progress::Progress};

/// One timing test at a time: they would take each other's processors.
static ALONE: Mutex<()> = Mutex::new(());

/// Keeps what a run measures in memory.
#[derive(Default)]
struct Memory {
    points: Vec<Point>,
    intervals: Vec<Interval>,
}

impl Sink for Memory {
    fn begin(&mut self, _key: &PointKey) -> Result<()> {
        Ok(())
    }
    fn interval(&mut self, interval: &Interval) -> Result<()> {
        self.intervals.push(interval.clone());
        Ok(())
    }
    fn sample(&mut self, _sample: &Sample) -> Result<()> {
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
    fn prepared(&mut self, _prepared: &[Prepared]) -> Result<()> {
        Ok(())
    }
    fn left(&mut self, _states: &[DriveState]) -> Result<()> {
        Ok(())
    }
}

/// Runs a step of one stream of 4 KiB reads on the null engine.
fn run(step: &str, stream: &str) -> Memory {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let dir = tempfile::tempdir().unwrap();
    let protocol = dir.path().join("truth.toml");
    let text = format!(
        "title = \"Truth\"\nsource = \"test\"\n[[step]]\nname = \"s\"\n{step}\n[[step.stream]]\nname = \"io\"\nworkload = \"random\"\n{stream}\n"
    );
    std::fs::write(&protocol, text).unwrap();
    let subject = dir.path().join("drive");
    std::fs::create_dir(&subject).unwrap();
    let catalogue = dyno::cmd::catalogue();
    let protocol = protocol.to_string_lossy().into_owned();
    let plan = plan::from_command_line(&protocol, &[("A".into(), subject)], &[], None, &catalogue)
        .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let mut memory = Memory::default();
    let run = Run {
        plan: &plan,
        points: plan::points(&plan),
        maxima: Maxima::new(),
        searches: Default::default(),
        before: Before::default(),
        figures: Vec::new(),
        sink: &mut memory,
        progress: &Progress::new(),
        stop: &AtomicBool::new(false),
        clock: Clock::start(),
    };
    run.execute().unwrap();
    assert!(memory.points.iter().all(|p| p.outcome == Outcome::Measured), "{:?}", memory.points);
    memory
}

fn only(memory: &Memory) -> &Tally {
    &memory.points[0].cells[0].tallies[0]
}

/// A busy machine can only add time, and an error of Dyno's would be in every run. So a check that fails is repeated: it
/// has failed for good when it has failed three times on a machine that did little else, and it has shown nothing, which
/// is said aloud, when the machine was never left alone.
fn on_a_quiet_machine(check: impl Fn() + std::panic::RefUnwindSafe) {
    let mut failed = 0;
    for _ in 0..12 {
        let (busy, own, at) = (machine_seconds(), own_seconds(), std::time::Instant::now());
        let Err(cause) = std::panic::catch_unwind(&check) else { return };
        let foreign = (machine_seconds() - busy) - (own_seconds() - own);
        if foreign > 0.03 * at.elapsed().as_secs_f64() {
            eprintln!("another's work took {foreign:.2} s of {:.1} s: once more", at.elapsed().as_secs_f64());
            continue;
        }
        failed += 1;
        if failed == 3 {
            std::panic::resume_unwind(cause);
        }
    }
    eprintln!("SKIPPED, NOT SHOWN: this machine was never quiet enough to tell Dyno's error from its own delays");
}

/// Processor seconds that this machine has spent, or had taken from it by its host.
fn machine_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    let fields: Vec<f64> =
        stat.lines().next().unwrap().split_whitespace().skip(1).map(|n| n.parse().unwrap()).collect();
    // All but idle (3) and iowait (4); guest time (8, 9) is in user time already.
    fields.iter().take(8).enumerate().filter(|(i, _)| !matches!(i, 3 | 4)).map(|(_, n)| n).sum::<f64>() / 100.0
}

/// Processor seconds that this process has spent.
fn own_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit(')').next().unwrap();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

#[track_caller]
fn within(percent: f64, told: f64, truth: f64, what: &str) {
    let off = (told / truth - 1.0).abs() * 100.0;
    assert!(off <= percent, "{what}: {told} against {truth}, {off:.2} % off");
}

/// The share of its time that a thread loses which does nothing but look at the clock: to interrupts and to the host of a
/// virtual machine.
fn share_taken() -> f64 {
    const FOR_NS: u64 = 300_000_000;
    let clock = Clock::start();
    let from = clock.now_ns();
    let (mut last, mut taken_ns) = (from, 0);
    while last - from < FOR_NS {
        let now = clock.now_ns();
        // Looking at the clock takes some tens of nanoseconds.
        taken_ns += Some(now - last).filter(|ns| *ns > 1_000).unwrap_or(0);
        last = now;
    }
    taken_ns as f64 / FOR_NS as f64
}

/// An op whose end falls into time that was taken from the worker is seen late by no fault of Dyno's. Percentiles with no
/// more ops above them than a few times that share cannot be judged here.
fn percentile_within(percent: f64, service: &Histogram, q: f64, truth_ns: f64) {
    let taken = share_taken();
    let what = format!("p{}", q * 100.0);
    if 1.0 - q < 3.0 * taken {
        eprintln!("SKIPPED, NOT SHOWN: {what}, since this machine takes {:.1} % of a thread's time", taken * 100.0);
        return;
    }
    within(percent, service.percentile_ns(q).unwrap() as f64, truth_ns, &what);
}

#[test]
fn a_fixed_latency_of_100_us_is_reported_as_such() {
    on_a_quiet_machine(|| {
        let memory = run("duration = \"4s\"\nwarmup = \"500ms\"", "engine = { kind = \"null\", latency = \"100us\" }");
        let tally = only(&memory);
        for q in [0.5, 0.9, 0.99] {
            percentile_within(1.0, &tally.service, q, 100_000.0);
        }
        within(1.0, tally.service.mean_ns().unwrap(), 100_000.0, "mean");
        within(1.5, tally.ops as f64 / 4.0, 10_000.0, "ops/s");
    });
}

#[test]
fn a_bimodal_latency_is_reported_with_both_its_modes() {
    on_a_quiet_machine(|| {
        let memory = run(
            "duration = \"12s\"",
            "depth = 8\nengine = { kind = \"null\", latency = \"100us\", slow_share = 1, slow_latency = \"5ms\" }",
        );
        let service = &only(&memory).service;
        for q in [0.5, 0.9, 0.98] {
            percentile_within(1.0, service, q, 100_000.0);
        }
        within(1.0, service.percentile_ns(0.995).unwrap() as f64, 5_000_000.0, "p99.5");
        within(1.0, service.percentile_ns(0.999).unwrap() as f64, 5_000_000.0, "p99.9");
        within(1.0, service.mean_ns().unwrap(), 0.99 * 100_000.0 + 0.01 * 5_000_000.0, "mean");
    });
}

/// 1,000 ops/s of 100 µs meet one stall of 1 s at depth 1. The op due k ms into the stall is handed over k × 100 µs
/// after its end, so its response time is 1 s − 0.9 k ms, until nothing is left after k = 1 s ÷ 0.9 ms = 1,111 ops.
#[test]
fn in_open_loop_a_stall_shows_up_in_response_time() {
    on_a_quiet_machine(|| {
        let memory = run(
            "duration = \"5s\"",
            "rate = \"1000/s\"\nengine = { kind = \"null\", latency = \"100us\", stall_at = \"1500ms\", stall = \"1s\" }",
        );
        let tally = only(&memory);
        let response = tally.response.as_ref().expect("open loop keeps the response time");
        within(0.5, tally.ops as f64, 5000.0, "no op is dropped");
        within(1.0, response.mean_ns().unwrap(), (1111.0 * 0.5e9 + 3889.0 * 100e3) / 5000.0, "mean response time");
        // (1 s − 0.5 s) ÷ 0.9 ms = 556 of 5,000 ops waited for longer than half a second.
        within(1.0, response.quantile_ns(1.0 - 555.6 / 5000.0).unwrap() as f64, 0.5e9, "p88.9 response time");
        within(1.0, tally.service.max_ns as f64, 1e9, "the one op that met the stall");
        for q in [0.5, 0.9, 0.95] {
            percentile_within(1.0, &tally.service, q, 100_000.0);
        }
        let cell = &memory.points[0].cells[0];
        // Beside the ops that the stall delayed, the machine itself may delay a few.
        within(5.0, cell.late as f64, 1111.0, "late ops");
        within(1.0, cell.backlog_max as f64, 1000.0, "the longest backlog");
    });
}

#[test]
fn a_high_rate_is_delivered_within_half_a_percent() {
    on_a_quiet_machine(|| {
        for arrival in ["fixed", "poisson"] {
            let memory =
                run("duration = \"4s\"", &format!("engine = \"null\"\nrate = \"300k/s\"\narrival = \"{arrival}\""));
            within(0.5, only(&memory).ops as f64 / 4.0, 300_000.0, arrival);
        }
    });
}

#[test]
fn what_an_overloaded_drive_could_not_take_is_reported_as_backlog() {
    on_a_quiet_machine(|| {
        let memory = run("duration = \"3s\"", "rate = \"20000/s\"\nengine = { kind = \"null\", latency = \"100us\" }");
        let (cell, tally) = (&memory.points[0].cells[0], only(&memory));
        within(2.0, tally.ops as f64, 30_000.0, "the engine takes 10,000/s");
        within(2.0, (tally.ops + cell.backlog_end) as f64, 60_000.0, "what was due is done or counted as backlog");
    });
}

#[test]
fn intervals_add_up_to_the_point() {
    on_a_quiet_machine(|| {
        let memory = run("duration = \"3500ms\"\nwarmup = \"1s\"", "threads = 2\nengine = \"null\"");
        let sum: u64 = memory.intervals.iter().map(|i| i.service.count).sum();
        assert_eq!(sum, only(&memory).ops);
        let ends: Vec<f64> = memory.intervals.iter().map(|i| (i.end_ns as f64 / 1e9).round()).collect();
        assert_eq!((ends.len(), memory.intervals.last().map(|i| i.end_ns)), (4, Some(3_500_000_000)), "{ends:?}");
    });
}
