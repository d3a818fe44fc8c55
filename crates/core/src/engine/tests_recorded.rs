//! A recorded load on a drive that cannot sustain it, on a simulated clock: backlog and response
//! times equal those of a queue model.

use super::null::Null;
use super::{Access, DatasetAccess, DatasetLocation, Engine};
use crate::base::clock::Clock;
use crate::base::error::Result;
use crate::base::histogram::Histogram;
use crate::base::rng::Seed;
use crate::measure::pacer::{ReplayTimes, Schedule};
use crate::measure::recorder::Recorder;
use crate::measure::slowest::Slowest;
use crate::measure::worker::{DriveJob, MeasuredWindow, Slots, WorkerJob};
use crate::measure::{AddressSpace, NextDue, Op, OpGenerator, OpKind};
use crate::plan::{Arrival, Component, Load, PlannedSlice, Stream};
use crate::record::Class;

const MS: u64 = 1_000_000;
const LATENCY_NS: u64 = 500_000;

/// Reads of 4 KiB at these times, nanoseconds after the load's start.
struct Reads {
    times_ns: Vec<u64>,
    taken: usize,
}

impl OpGenerator for Reads {
    fn op(&mut self, _n: u64) -> Op {
        self.taken += 1;
        Op { kind: OpKind::Read, len: 4096, ..Op::NONE }
    }

    fn next_due(&mut self) -> Result<NextDue> {
        Ok(self.times_ns.get(self.taken).map_or(NextDue::Never, |at| NextDue::At(*at)))
    }

    fn overdue(&mut self, at_ns: u64) -> u64 {
        self.times_ns[self.taken..].partition_point(|due| *due <= at_ns) as u64
    }
}

/// `per_s` Poisson arrivals from `from` to `until`.
fn arrivals(seed: u64, per_s: f64, from: u64, until: u64) -> Vec<u64> {
    let (seed, mut at) = (Seed::new(seed, 0, 0), from as f64);
    let gaps = (0..).map(|n| seed.at(n).exponential() * 1e9 / per_s);
    gaps.map(|gap| {
        at += gap;
        at as u64
    })
    .take_while(|at| *at < until)
    .collect()
}

fn null() -> Component {
    let mut engine =
        super::null::instant(AddressSpace { bytes: 1 << 30, keys: 1, ..AddressSpace::default() });
    engine.knobs.0.insert("latency".to_string(), LATENCY_NS.into());
    engine
}

/// Replays reads through one slot of 500 µs, at most 2,000 ops/s.
fn replay(times_ns: &[u64], until_ns: u64) -> (Histogram, Recorder) {
    let clock = Clock::simulated();
    let stream = Stream {
        name: "io".to_string(),
        engine: null(),
        workload: null(),
        dataset: String::new(),
        threads: 1,
        depth: 1,
        load: Load::Closed,
        arrival: Arrival::Fixed,
        instances: 1,
        headline: true,
        target: PlannedSlice::default(),
        cpus: None,
        drives_per_worker: 1,
    };
    let (home, access) = (DatasetLocation::Nowhere, Access::ReadOnly);
    let site = DatasetAccess { home: &home, knobs: &stream.engine.knobs, access, clock };
    let target = Null.open(&site).unwrap();
    let recorder = Recorder::new(&[Class::READ], true);
    let drive = DriveJob {
        source: Box::new(Reads { times_ns: times_ns.to_vec(), taken: 0 }),
        schedule: Some(Schedule::recorded(ReplayTimes::Recorded, 0)),
        limit: None,
        recorder: &recorder,
        slowest: Slowest::new(0),
    };
    let window = MeasuredWindow { from_ns: 0, until_ns };
    let (slots, stop) = (Slots::new(1, 1), &false.into());
    let job = WorkerJob { clock, drives: &mut [drive], slots, window, stop };
    target.io_context(&stream, 0).unwrap().work(job).unwrap();
    let mut tallies = Vec::new();
    recorder.add_to(&mut tallies);
    (tallies.remove(0).response().clone(), recorder)
}

/// Response times of a queue with one server, and the maximum number of requests that were due but
/// not started.
fn queue(times_ns: &[u64]) -> (Vec<u64>, usize) {
    let (mut free_ns, mut responses, mut begun) = (0, Vec::new(), Vec::new());
    for at in times_ns {
        let begin = free_ns.max(*at);
        free_ns = begin + LATENCY_NS;
        responses.push(free_ns - at);
        begun.push(begin);
    }
    let waiting = |(n, begin): (usize, &u64)| times_ns.partition_point(|at| at <= begin) - n;
    let most = begun.iter().enumerate().map(waiting).max().unwrap_or(0);
    responses.sort_unstable();
    (responses, most)
}

#[track_caller]
fn is_within(percent: f64, measured: f64, truth: f64) {
    assert!((measured / truth - 1.0).abs() <= percent / 100.0, "{measured} against {truth}");
}

#[test]
fn response_times_and_the_longest_backlog_are_those_of_a_simulated_queue() {
    let mut times = arrivals(1, 1_000.0, 0, 2_000 * MS);
    times.extend(arrivals(2, 8_000.0, 2_000 * MS, 2_500 * MS));
    times.extend(arrivals(3, 1_000.0, 2_500 * MS, 8_000 * MS));
    let (truth, most) = queue(&times);
    let (response, recorder) = replay(&times, 60_000 * MS);
    assert_eq!(response.count, times.len() as u64, "nothing is lost");
    assert_eq!(recorder.backlog_end(), 0);
    is_within(1.0, recorder.backlog_max.get() as f64, most as f64);
    let mean = truth.iter().sum::<u64>() as f64 / truth.len() as f64;
    is_within(2.0, response.mean_ns().unwrap(), mean);
    for q in [0.1, 0.5, 0.9, 0.99, 1.0] {
        let at = ((truth.len() as f64 * q).ceil() as usize).max(1) - 1;
        is_within(2.0, response.quantile_ns(q).unwrap() as f64, truth[at] as f64);
    }
}

#[test]
fn the_backlog_at_the_end_is_what_arrived_less_what_the_drive_could_take() {
    let times = arrivals(4, 5_000.0, 0, 4_000 * MS);
    let (response, recorder) = replay(&times, 3_000 * MS);
    let arrived = times.partition_point(|at| *at < 3_000 * MS) as u64;
    assert_eq!(response.count, arrived, "each arrival has a response time");
    is_within(1.0, recorder.backlog_end() as f64, arrived as f64 - 6_000.0);
    is_within(1.0, recorder.backlog_max.get() as f64, arrived as f64 - 6_000.0);
    assert_eq!((recorder.overslept.times.get(), recorder.unread.times.get()), (0, 0));
}
