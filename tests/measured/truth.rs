//! Known truth: an engine with a given latency must be reported with that latency, and a stall must
//! appear in response times as calculated. The whole path is used, from the plan's text to the
//! stored point.
//!
//! Clocks are real here, and a busy machine, or a virtual one stopped by its host, adds delays that
//! are not Dyno's. They can only add time, and only to the ops that they affect. So means, maxima
//! and backlogs are compared with the truth from below, and from above only what a few delayed ops
//! cannot change: medians, exact counts, and totals that include the backlog. The null engine's
//! unit tests show on a simulated clock that the rest is also exact.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use dyno::base::clock::Clock;
use dyno::base::error::Result;
use dyno::plan;
use dyno::record::setup::DriveWriteCache;
use dyno::record::{
    DriveState, Fact, Interval, Observed, Outcome, Point, PointKey, PreparationStep, Sample, Sink,
    SlowOp, Tally,
};
use dyno::run::datasets::before::Before;
use dyno::run::display::progress::Progress;
use dyno::run::{Maxima, RunRequest};

use crate::support::quiet::on_a_quiet_machine;

/// One timing test at a time, because they would compete for processors.
static ALONE: Mutex<()> = Mutex::new(());

/// Stores a run's results in memory.
#[derive(Default)]
pub struct Memory {
    pub points: Vec<Point>,
    pub intervals: Vec<Interval>,
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

/// Runs a step of one stream of 4 KiB reads on the null engine.
fn run(step: &str, stream: &str) -> Memory {
    run_protocol(&format!(
        "title = \"Truth\"\nsource = \"test\"\n[[step]]\nname = \"s\"\n{step}\n[[step.stream]]\n\
         name = \"io\"\nworkload = \"random\"\n{stream}\n"
    ))
}

/// Runs a protocol on one directory.
pub fn run_protocol(text: &str) -> Memory {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let dir = tempfile::tempdir().unwrap();
    let protocol = dir.path().join("truth.toml");
    std::fs::write(&protocol, text).unwrap();
    let subject = dir.path().join("drive");
    std::fs::create_dir(&subject).unwrap();
    let catalogue = dyno::plan_catalogue();
    let protocol = protocol.to_string_lossy().into_owned();
    let plan =
        plan::from_command_line(&protocol, &[("A".into(), subject)], &[], Some(1), &catalogue)
            .unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let mut memory = Memory::default();
    let run = RunRequest {
        plan: &plan,
        points: plan::points(&plan).collect(),
        maxima: Maxima::default(),
        searches: Default::default(),
        before: Before::default(),
        figures: Default::default(),
        sink: &mut memory,
        progress: &Progress::new(),
        stop: &AtomicBool::new(false),
        clock: Clock::start(),
        starts: None,
    };
    run.execute().unwrap();
    assert!(memory.points.iter().all(|p| p.outcome == Outcome::Measured), "{:?}", memory.points);
    memory
}

fn only(memory: &Memory) -> &Tally {
    &memory.points[0].cells[0].tallies[0]
}

#[track_caller]
fn within(percent: f64, told: f64, truth: f64, what: &str) {
    let off = (told / truth - 1.0).abs() * 100.0;
    assert!(off <= percent, "{what}: {told} against {truth}, {off:.2} % off");
}

/// At least the truth; a machine's delays may have added to it.
#[track_caller]
fn at_least(told: f64, truth: f64, what: &str) {
    assert!(told >= truth * 0.99, "{what}: {told}, which is less than {truth}");
}

#[track_caller]
fn median_is(tally: &Tally, truth_ns: f64) {
    within(1.0, tally.service.percentile_ns(0.5).unwrap() as f64, truth_ns, "p50");
}

#[test]
fn a_fixed_latency_of_100_us_is_reported_as_such() {
    on_a_quiet_machine(|| {
        let memory = run(
            "duration = \"2s\"\nwarmup = \"500ms\"",
            "engine = { kind = \"null\", latency = \"100us\" }",
        );
        let tally = only(&memory);
        median_is(tally, 100_000.0);
        at_least(tally.service.min_ns as f64, 100_000.0, "the fastest");
        // One op after another: the ops' durations, and Dyno's time in between, add up to the
        // total.
        let told_s = tally.ops as f64 * tally.service.mean_ns().unwrap() / 1e9;
        at_least(told_s, 2.0, "ops × mean latency");
    });
}

#[test]
fn a_bimodal_latency_is_reported_with_both_its_modes() {
    on_a_quiet_machine(|| {
        let memory = run(
            "duration = \"3s\"",
            "depth = 8\nengine = \
             { kind = \"null\", latency = \"100us\", slow_share = 1, slow_latency = \"5ms\" }",
        );
        let service = &only(&memory).service;
        median_is(only(&memory), 100_000.0);
        for (q, truth_ns) in [(0.9, 100_000.0), (0.995, 5_000_000.0), (0.999, 5_000_000.0)] {
            at_least(
                service.percentile_ns(q).unwrap() as f64,
                truth_ns,
                &format!("p{}", q * 100.0),
            );
        }
        at_least(service.mean_ns().unwrap(), 0.99 * 100_000.0 + 0.01 * 5_000_000.0, "mean");
    });
}

/// 1,000 ops/s of 100 µs and one stall of 1 s at depth 1. The op due k ms into the stall is
/// submitted k × 100 µs after its end, so its response time is 1 s − 0.9 k ms, until the backlog is
/// empty after k = 1 s ÷ 0.9 ms = 1,111 ops.
#[test]
fn in_open_loop_a_stall_shows_up_in_response_time() {
    on_a_quiet_machine(|| {
        let memory = run(
            "duration = \"5s\"",
            "rate = \"1000/s\"\n\
             engine = \
             { kind = \"null\", latency = \"100us\", stall_at = \"1500ms\", stall = \"1s\" }",
        );
        let (cell, tally) = (&memory.points[0].cells[0], only(&memory));
        let response = tally.response.as_ref().expect("open loop keeps the response time");
        assert_eq!(tally.ops + cell.backlog_end, 5000, "no op is dropped");
        at_least(
            response.mean_ns().unwrap(),
            (1111.0 * 0.5e9 + 3889.0 * 100e3) / 5000.0,
            "mean response time",
        );
        // (1 s − 0.5 s) ÷ 0.9 ms = 556 of 5,000 ops waited for longer than half a second.
        at_least(
            response.quantile_ns(1.0 - 555.6 / 5000.0).unwrap() as f64,
            0.5e9,
            "p88.9 response time",
        );
        // A machine stopped at the start of the stall submits that op late, so its service time may
        // be any.
        at_least(response.max_ns as f64, 1e9, "the op that was due as the stall began");
        median_is(tally, 100_000.0);
        at_least(cell.late as f64, 1111.0, "late ops");
        at_least(cell.backlog_max as f64, 1000.0, "the longest backlog");
    });
}

#[test]
fn a_high_rate_is_asked_for_within_half_a_percent() {
    on_a_quiet_machine(|| {
        for arrival in ["fixed", "poisson"] {
            let memory = run(
                "duration = \"3s\"",
                &format!("engine = \"null\"\nrate = \"300k/s\"\narrival = \"{arrival}\""),
            );
            let due = only(&memory).ops + memory.points[0].cells[0].backlog_end;
            within(0.5, due as f64 / 3.0, 300_000.0, arrival);
        }
    });
}

#[test]
fn what_an_overloaded_drive_could_not_take_is_reported_as_backlog() {
    on_a_quiet_machine(|| {
        let memory = run(
            "duration = \"3s\"",
            "rate = \"20000/s\"\nengine = { kind = \"null\", latency = \"100us\" }",
        );
        let (cell, tally) = (&memory.points[0].cells[0], only(&memory));
        at_least(cell.backlog_end as f64, 30_000.0, "the engine takes no more than 10,000/s");
        within(
            0.1,
            (tally.ops + cell.backlog_end) as f64,
            60_000.0,
            "what was due is done or counted as backlog",
        );
    });
}

#[test]
fn intervals_add_up_to_the_point() {
    on_a_quiet_machine(|| {
        let memory =
            run("duration = \"3500ms\"\nwarmup = \"1s\"", "threads = 2\nengine = \"null\"");
        let sum: u64 = memory.intervals.iter().map(|i| i.service.count).sum();
        assert_eq!(sum, only(&memory).service.count);
        let edges: Vec<(u64, u64)> =
            memory.intervals.iter().map(|i| (i.start_ns, i.end_ns)).collect();
        assert_eq!((edges[0].0, edges[edges.len() - 1].1), (0, 3_500_000_000), "{edges:?}");
        assert_eq!(
            edges.len(),
            4,
            "a remainder of half a second has an interval of its own: {edges:?}"
        );
        assert!(
            edges.windows(2).all(|pair| pair[0].1 == pair[1].0),
            "without gap or overlap: {edges:?}"
        );
    });
}

/// An engine that takes 500 µs per op, one at a time, sustains 2,000/s: 100 times 20/s.
#[test]
fn a_search_among_multiples_finds_what_a_throttled_subject_keeps_within_five_percent() {
    on_a_quiet_machine(|| {
        let memory = run(
            "duration = \"1500ms\"\n\
             sweep = { axis = \"rates\", from = 80, to = 120, by = 2, search = \
             { metric = \"io.p95\", at_most = \"20ms\" } }",
            "rate = \"20/s\"\nengine = { kind = \"null\", latency = \"500us\" }",
        );
        let held = |point: &&Point| {
            let tally = &point.cells[0].tallies[0];
            let p95 = tally.response.as_ref().and_then(|times| times.percentile_ns(0.95));
            p95.is_some_and(|ns| ns <= 20_000_000)
        };
        let multiple = |point: &Point| point.key.axis.as_ref()?.value.number();
        let kept = memory.points.iter().filter(held).filter_map(multiple).fold(0.0, f64::max);
        within(5.0, kept, 100.0, "the multiple");
    });
}
