//! `null`: completes at once, or after a latency set by the plan. It measures the tool itself, and
//! is the known truth with which the tests compare the tool.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::clock::Clock;
use crate::base::error::{Result, bail};
use crate::base::rng::{Rng, Seed};
use crate::engine::{DatasetAccess, Engine, Target};
use crate::measure::{AddressSpace, AnyIoContext, Completion, IoContext, Op, Wait};
use crate::plan::{
    Component, DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Stream, Writes,
};

/// The engine `null`.
pub struct Null;

static INFO: Info = Info {
    name: "null",
    summary: "completes at once or after a stated latency, without I/O",
    family: RequestFamily::Any,
    writes: Writes::Never,
    max_depth: 4096,
    knobs: &[
        Knob {
            name: "latency",
            kind: KnobKind::Time,
            default: DefaultValue::Is("\"0ns\""),
            doc: "How long each op takes.",
        },
        Knob {
            name: "slow_share",
            kind: KnobKind::Float { min: 0.0, max: 100.0 },
            default: DefaultValue::Is("0"),
            doc: "Percent of ops that take `slow_latency` instead.",
        },
        Knob {
            name: "slow_latency",
            kind: KnobKind::Time,
            default: DefaultValue::Is("\"0ns\""),
            doc: "How long a slow op takes.",
        },
        Knob {
            name: "distribution",
            kind: KnobKind::Choice(&["fixed", "exponential"]),
            default: DefaultValue::Is("\"fixed\""),
            doc: "Whether each latency is fixed, or random with that mean.",
        },
        Knob {
            name: "stall_at",
            kind: KnobKind::Time,
            default: DefaultValue::Absent,
            doc: "Time after a worker's first op at which the engine stalls once, for `stall`.",
        },
        Knob {
            name: "stall",
            kind: KnobKind::Time,
            default: DefaultValue::Is("\"0ns\""),
            doc: "Duration of the stall; every op affected completes at its end.",
        },
        Knob {
            name: "size",
            kind: KnobKind::Bytes,
            default: DefaultValue::Is("\"1TiB\""),
            doc: "The range that block workloads address.",
        },
        Knob {
            name: "keys",
            kind: KnobKind::Int { min: 1, max: u64::MAX },
            default: DefaultValue::Is("1000000000"),
            doc: "The keys that key-value workloads address.",
        },
    ],
    source: "",
};

impl Engine for Null {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn planned_space(&self, knobs: &Knobs) -> Option<AddressSpace> {
        space(knobs).ok()
    }

    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        let knobs = site.knobs;
        let share = knobs.float("slow_share")? / 100.0;
        let stall_at = knobs.get("stall_at").and_then(|v| v.as_u64());
        let model = SimulatedDrive {
            latency_ns: knobs.int("latency")?,
            slow_latency_ns: knobs.int("slow_latency")?,
            // A share of all 2^64 values of a random number; a float saturates at the maximum.
            slow_below: (share * 2f64.powi(64)) as u64,
            exponential: knobs.text("distribution")? == "exponential",
            stall: stall_at
                .map(|at| (at, knobs.int("stall")))
                .map(|(at, ns)| ns.map(|ns| (at, ns)))
                .transpose()?,
        };
        let space = space(knobs)?;
        Ok(Box::new(NullTarget { model, space, clock: site.clock, interrupted: Arc::default() }))
    }
}

fn space(knobs: &Knobs) -> Result<AddressSpace> {
    Ok(AddressSpace {
        from: 0,
        bytes: knobs.int("size")?,
        align_bytes: 512,
        keys: knobs.int("keys")?,
        key_bytes: 16,
        value_bytes: 100,
    })
}

/// The engine over this space, with ops that take no time.
pub fn instant(space: AddressSpace) -> Component {
    let knobs: [(&str, serde_json::Value); 7] = [
        ("latency", 0.into()),
        ("slow_share", 0.0.into()),
        ("slow_latency", 0.into()),
        ("distribution", "fixed".into()),
        ("stall", 0.into()),
        ("size", space.bytes.into()),
        ("keys", space.keys.into()),
    ];
    let knobs = knobs.into_iter().map(|(name, value)| (name.to_string(), value));
    Component { name: INFO.name.to_string(), knobs: Knobs(knobs.collect()) }
}

/// Latencies of ops.
#[derive(Clone, Copy)]
struct SimulatedDrive {
    latency_ns: u64,
    slow_latency_ns: u64,
    slow_below: u64,
    exponential: bool,
    /// (after the first op, duration)
    stall: Option<(u64, u64)>,
}

impl SimulatedDrive {
    fn instant(&self) -> bool {
        self.latency_ns == 0 && self.slow_below == 0 && self.stall.is_none()
    }

    fn draw_ns(&self, mut rng: Rng) -> u64 {
        let slow = self.slow_below > 0 && rng.draw() < self.slow_below;
        let mean_ns = if slow { self.slow_latency_ns } else { self.latency_ns };
        if self.exponential { (mean_ns as f64 * rng.exponential()) as u64 } else { mean_ns }
    }
}

struct NullTarget {
    model: SimulatedDrive,
    space: AddressSpace,
    clock: Clock,
    interrupted: Arc<AtomicBool>,
}

impl Target for NullTarget {
    fn space(&self) -> AddressSpace {
        self.space
    }

    fn io_context(&self, stream: &Stream, thread: u32) -> Result<Box<dyn AnyIoContext>> {
        let (model, clock) = (self.model, self.clock);
        let depth = stream.depth as usize;
        if model.instant() {
            return Ok(Box::new(InstantContext { staged: Vec::with_capacity(depth) }));
        }
        if depth > 4096 {
            bail!("the null engine with a latency takes a depth of at most 4,096, not {depth}");
        }
        let mut context = TimedContext::new(model, clock, thread, depth);
        context.interrupted = Arc::clone(&self.interrupted);
        Ok(Box::new(context))
    }

    fn interrupt(&self) {
        self.interrupted.store(true, Relaxed);
    }

    /// Its drives do not differ.
    fn io_context_on(
        &self,
        targets: &[&dyn Target],
        stream: &Stream,
        thread: u32,
    ) -> Result<Box<dyn AnyIoContext>> {
        let depth = stream.depth * targets.len() as u32;
        self.io_context(&Stream { depth, ..stream.clone() }, thread)
    }
}

/// Completes everything at once.
struct InstantContext {
    staged: Vec<Completion>,
}

impl IoContext for InstantContext {
    #[inline(always)]
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        self.staged.push(Completion { slot, bytes: op.len, hit: true, given_up: false });
        Ok(())
    }

    #[inline(always)]
    fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        // The worker passes an empty list; swapping it with the staged one moves no element.
        std::mem::swap(done, &mut self.staged);
        Ok(())
    }

    #[inline(always)]
    fn run_alone(&mut self, _done: &mut Vec<Completion>) -> Result<Option<Completion>> {
        Ok(self.staged.pop())
    }
}

/// Completes each op its own latency after it was started, like a drive with unlimited parallelism.
struct TimedContext {
    model: SimulatedDrive,
    clock: Clock,
    draws: Seed,
    ops: u64,
    first_ns: Option<u64>,
    staged: Vec<Completion>,
    /// (due, op)
    pending: Vec<(u64, Completion)>,
    /// Whether a signal ends the load: all ops end then.
    interrupted: Arc<AtomicBool>,
}

impl TimedContext {
    fn new(model: SimulatedDrive, clock: Clock, thread: u32, depth: usize) -> TimedContext {
        TimedContext {
            model,
            clock,
            draws: Seed::new(0, 0, u64::from(thread)),
            ops: 0,
            first_ns: None,
            staged: Vec::with_capacity(depth),
            pending: Vec::with_capacity(depth),
            interrupted: Arc::default(),
        }
    }

    /// Sleeps until this time, or an interruption.
    fn sleep_until(&self, until_ns: u64) {
        const LOOK_NS: u64 = 100_000_000;
        let mut now_ns = self.clock.now_ns();
        while now_ns < until_ns && !self.interrupted.load(Relaxed) {
            self.clock.sleep_until(until_ns.min(now_ns + LOOK_NS));
            now_ns = self.clock.now_ns();
        }
    }

    fn start(&mut self, now_ns: u64) {
        let first_ns = *self.first_ns.get_or_insert(now_ns);
        for done in self.staged.drain(..) {
            let mut due_ns = now_ns + self.model.draw_ns(self.draws.at(self.ops));
            self.ops += 1;
            if let Some((at_ns, stall_ns)) = self.model.stall {
                let (from_ns, until_ns) = (first_ns + at_ns, first_ns + at_ns + stall_ns);
                // An op that would complete during the stall completes at the stall's end.
                if due_ns >= from_ns && now_ns < until_ns {
                    due_ns = due_ns.max(until_ns);
                }
            }
            self.pending.push((due_ns, done));
        }
    }
}

impl IoContext for TimedContext {
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        self.staged.push(Completion { slot, bytes: op.len, hit: true, given_up: false });
        Ok(())
    }

    fn run(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        let mut now_ns = self.clock.now_ns();
        self.start(now_ns);
        let first_due_ns = self.pending.iter().map(|p| p.0).min().unwrap_or(now_ns);
        let until_ns = match wait {
            Wait::No => now_ns,
            Wait::One => first_due_ns,
            Wait::Until(ns) => first_due_ns.min(ns),
        };
        // A sleep may exceed the 1 % that the tests allow, so the last part of a wait is spun:
        // several times the time that an idle virtual machine takes to wake a thread.
        const SPIN_NS: u64 = 200_000;
        if until_ns > now_ns + SPIN_NS {
            self.sleep_until(until_ns - SPIN_NS);
        }
        if self.interrupted.load(Relaxed) {
            done.extend(self.pending.drain(..).map(|(_, op)| op));
            return Ok(());
        }
        if now_ns < until_ns {
            now_ns = self.clock.spin_until(until_ns);
        }
        self.pending.retain(|&(due_ns, op)| {
            if due_ns <= now_ns {
                done.push(op);
            }
            due_ns > now_ns
        });
        Ok(())
    }
}

/// The worker loop with this engine, on a simulated clock: results are exact, on any machine.
/// tests/measured/truth.rs tests the same on real clocks, from the plan to the stored point.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::histogram::Histogram;
    use crate::base::units::Rate;
    use crate::measure::pacer::{ArrivalSeeds, DRAIN_NS, Schedule, WorkerShare};
    use crate::measure::recorder::Recorder;
    use crate::measure::slowest::Slowest;
    use crate::measure::worker::{DriveJob, MeasuredWindow, Slots, WorkerJob};
    use crate::measure::{OpGenerator, OpKind};
    use crate::plan::Arrival;
    use crate::record::{Class, Tally};

    const S: u64 = 1_000_000_000;
    const MS: u64 = 1_000_000;
    const US: u64 = 1_000;

    struct Reads;

    impl OpGenerator for Reads {
        fn op(&mut self, n: u64) -> Op {
            Op { kind: OpKind::Read, class: 0, len: 4096, at: 0, salt: n }
        }
    }

    fn takes(latency_ns: u64) -> SimulatedDrive {
        SimulatedDrive {
            latency_ns,
            slow_latency_ns: 0,
            slow_below: 0,
            exponential: false,
            stall: None,
        }
    }

    /// An I/O context that blocks until its op is complete, like pread.
    struct Synchronous(TimedContext);

    impl IoContext for Synchronous {
        fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
            self.0.stage(slot, op)
        }

        fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
            self.0.run(Wait::One, done)
        }
    }

    fn schedule(rate: f64, arrival: Arrival, (thread, threads): (u32, u32)) -> Schedule {
        let share = WorkerShare { thread, threads, extra_bytes: 0, mean_op_bytes: 4096.0 };
        let own = Seed::new(1, 2, u64::from(3 + thread));
        let seeds = ArrivalSeeds { own, of_stream: Seed::new(1, 2, 2) };
        Schedule::new(Rate::OpsPerSec(rate), arrival, share, 0, seeds)
    }

    /// One worker in this window.
    fn work(
        model: SimulatedDrive,
        (synchronous, depth): (bool, u32),
        schedule: Option<Schedule>,
        window: MeasuredWindow,
    ) -> Recorder {
        let clock = Clock::simulated();
        let recorder = Recorder::new(&[Class::READ], schedule.is_some());
        let drive = DriveJob {
            source: Box::new(Reads),
            schedule,
            limit: None,
            recorder: &recorder,
            slowest: Slowest::new(0),
        };
        let job = WorkerJob {
            clock,
            drives: &mut [drive],
            slots: Slots::new(depth, 1),
            window,
            stop: &false.into(),
        };
        let mut context = TimedContext::new(model, clock, 0, depth as usize);
        match synchronous {
            true => Synchronous(context).work(job),
            false => context.work(job),
        }
        .unwrap();
        recorder
    }

    /// One worker from zero to `until_ns`. A rate in ops/s makes an open loop.
    fn simulate(
        model: SimulatedDrive,
        depth: u32,
        rate: Option<(f64, Arrival)>,
        until_ns: u64,
    ) -> (Tally, Recorder) {
        let schedule = rate.map(|(ops, arrival)| schedule(ops, arrival, (0, 1)));
        let recorder =
            work(model, (false, depth), schedule, MeasuredWindow { from_ns: 0, until_ns });
        let mut tallies = Vec::new();
        recorder.add_to(&mut tallies);
        (tallies.remove(0), recorder)
    }

    /// Within a thousandth: a histogram's resolution, and a few clock reads per op.
    #[track_caller]
    fn is(measured: f64, truth: f64, what: &str) {
        is_within(0.1, measured, truth, what);
    }

    #[track_caller]
    fn is_within(percent: f64, measured: f64, truth: f64, what: &str) {
        let off = (measured / truth - 1.0).abs();
        assert!(off <= percent / 100.0, "{what}: {measured} against {truth}");
    }

    #[track_caller]
    fn percentiles_are(measured: &Histogram, truths: &[(f64, u64)]) {
        truths.iter().for_each(|&(q, ns)| {
            is(measured.quantile_ns(q).unwrap() as f64, ns as f64, &format!("p{}", 100.0 * q))
        });
    }

    #[test]
    fn a_fixed_latency_is_reported_as_such() {
        let (tally, _) = simulate(takes(100 * US), 1, None, S);
        percentiles_are(&tally.service, &[(0.5, 100 * US), (0.99, 100 * US), (0.9999, 100 * US)]);
        is(tally.service.mean_ns().unwrap(), 100e3, "mean");
        is(tally.ops as f64, 10_000.0, "ops in a second");
    }

    #[test]
    fn queue_depth_multiplies_what_a_drive_of_unlimited_parallelism_does() {
        for depth in [2, 8, 64] {
            let (tally, _) = simulate(takes(100 * US), depth, None, S / 5);
            is(tally.ops as f64, 2_000.0 * f64::from(depth), "ops in a fifth of a second");
            percentiles_are(&tally.service, &[(0.5, 100 * US), (0.99, 100 * US)]);
        }
    }

    #[test]
    fn one_slow_op_in_a_hundred_is_reported_with_its_latency_and_the_others_with_theirs() {
        let slow = SimulatedDrive {
            slow_latency_ns: 5 * MS,
            slow_below: u64::MAX / 100,
            ..takes(100 * US)
        };
        let (tally, _) = simulate(slow, 8, None, 12 * S);
        let truths = [(0.5, 100 * US), (0.98, 100 * US), (0.995, 5 * MS), (0.999, 5 * MS)];
        percentiles_are(&tally.service, &truths);
        assert_eq!(tally.service.max_ns / MS, 5);
        let over =
            tally.service.shares_from([1, 4, 8].map(|ms| ms * MS)).map(|o| o.unwrap() * 100.0);
        assert!((over[0] - 1.0).abs() < 0.1 && over[1] == over[0] && over[2] == 0.0, "{over:?}");
        // Slow ops are random.
        is_within(1.0, tally.service.mean_ns().unwrap(), 0.99 * 100e3 + 0.01 * 5e6, "mean");
    }

    /// 1,000 ops/s of 100 µs and one stall of 1 s at depth 1. The op due k ms into the stall is
    /// submitted k × 100 µs after its end, so its response time is 1 s − 0.9 k ms, until the
    /// backlog is empty after k = 1 s ÷ 0.9 ms = 1,111 ops.
    #[test]
    fn in_open_loop_a_stall_counts_for_every_op_that_it_kept_waiting() {
        let stalls = SimulatedDrive { stall: Some((1500 * MS, S)), ..takes(100 * US) };
        let (tally, counted) = simulate(stalls, 1, Some((1000.0, Arrival::Fixed)), 5 * S);
        let response = tally.response();
        assert_eq!(tally.ops, 5000, "no op is dropped");
        let truth: u64 = (0..5000).map(|k| S.saturating_sub(900 * US * k).max(100 * US)).sum();
        is(response.mean_ns().unwrap(), truth as f64 / 5000.0, "mean response time");
        // 555 ops waited longer than the one due 555 ms into the stall.
        let waited = (1.0 - 555.0 / 5000.0, 1_000 * MS - 555 * 900 * US);
        percentiles_are(response, &[(0.5, 100 * US), waited, (1.0, S)]);
        percentiles_are(&tally.service, &[(0.5, 100 * US), (0.999, 100 * US), (1.0, S)]);
        is(counted.late.get() as f64, 1111.0, "late ops");
        is(counted.backlog_max.get() as f64, 999.9, "the longest backlog");
        assert_eq!(counted.backlog_end(), 0);
    }

    #[test]
    fn an_open_loop_that_the_drive_can_keep_up_with_delivers_its_rate_and_nothing_late() {
        for rate in [10.0, 3_000.0, 9_900.0] {
            let (tally, counted) = simulate(takes(100 * US), 1, Some((rate, Arrival::Fixed)), S);
            assert_eq!((tally.ops, counted.late.get(), counted.backlog_end()), (rate as u64, 0, 0));
            percentiles_are(tally.response(), &[(0.5, 100 * US), (1.0, 100 * US)]);
        }
    }

    #[test]
    fn a_high_rate_is_delivered_within_half_a_percent() {
        for arrival in [Arrival::Fixed, Arrival::Poisson] {
            let (tally, counted) = simulate(takes(0), 8, Some((300_000.0, arrival)), S);
            is_within(0.5, tally.ops as f64, 300_000.0, &format!("{arrival:?}"));
            assert_eq!((counted.late.get(), counted.backlog_end()), (0, 0), "{arrival:?}");
        }
    }

    #[test]
    fn what_an_overloaded_drive_could_not_take_is_counted_as_backlog() {
        let (tally, counted) =
            simulate(takes(100 * US), 1, Some((20_000.0, Arrival::Fixed)), 3 * S);
        is(tally.ops as f64, 30_000.0, "the engine takes 10,000/s");
        assert_eq!(tally.response().count, 60_000, "each op that was due has a response time");
        is(counted.backlog_end() as f64, 30_000.0, "the backlog when the window closed");
        // A second of the backlog is submitted after the window; the rest is 2 s old and younger.
        let censored = tally.censored.unwrap();
        is(censored.ops as f64, 20_000.0, "ops that were never submitted");
        is(censored.from_ns as f64, 1e9, "the age of the youngest");
    }

    /// A model of one worker's queue: first come, first served, with as many servers as the worker
    /// has slots.
    struct SimulatedQueue {
        /// Response times of the ops due in the window, ascending, including those of ops that
        /// completed later.
        responses_ns: Vec<u64>,
        /// Number of ops that completed in the window.
        completed: u64,
    }

    fn queue(
        workers: impl Iterator<Item = Schedule>,
        (latency_ns, depth): (u64, u32),
        window: MeasuredWindow,
    ) -> SimulatedQueue {
        let (mut responses_ns, mut completed) = (Vec::new(), 0);
        for mut schedule in workers {
            let mut free_ns = vec![0; depth as usize];
            for n in 0.. {
                let due_ns = schedule.due_ns();
                if due_ns >= window.until_ns {
                    break;
                }
                let first = free_ns.iter_mut().min().unwrap();
                *first = due_ns.max(*first) + latency_ns;
                let ended_ns = *first;
                completed += u64::from((window.from_ns..window.until_ns).contains(&ended_ns));
                if due_ns >= window.from_ns {
                    responses_ns.push(ended_ns - due_ns);
                }
                schedule.advance(n, 4096);
            }
        }
        responses_ns.sort_unstable();
        SimulatedQueue { responses_ns, completed }
    }

    /// Service times from 0.1 to 10 ms, at 0.5 to 10 times the maximum rate.
    #[test]
    fn overload_completes_what_the_engine_can_and_each_percentile_is_a_queues_or_a_bound() {
        let targets = [0.5, 0.98, 1.1, 2.0, 10.0];
        let shapes = [(true, 1, 1), (false, 4, 1), (true, 1, 3)];
        for latency_ns in [100 * US, MS, 10 * MS] {
            let length_ns = 600 * latency_ns;
            for (target, (synchronous, depth, threads)) in
                targets.into_iter().flat_map(|target| shapes.map(|shape| (target, shape)))
            {
                let capacity = f64::from(depth * threads) * 1e9 / latency_ns as f64;
                for (warmup_ns, arrival) in [
                    (0, Arrival::Fixed),
                    (length_ns / 3, Arrival::Fixed),
                    (length_ns / 3, Arrival::Poisson),
                ] {
                    let window =
                        MeasuredWindow { from_ns: warmup_ns, until_ns: warmup_ns + length_ns };
                    let schedules = || {
                        let of = |thread| (thread, threads);
                        (0..threads).map(move |t| schedule(target * capacity, arrival, of(t)))
                    };
                    let mut tallies = Vec::new();
                    for own in schedules() {
                        let recorder =
                            work(takes(latency_ns), (synchronous, depth), Some(own), window);
                        assert!(recorder.backlog_max.get() >= recorder.backlog_end());
                        recorder.add_to(&mut tallies);
                    }
                    let what = format!(
                        "{latency_ns} ns, {target} × capacity, {threads} × {depth}, synchronous \
                         {synchronous}, warm-up {warmup_ns} ns, {arrival:?}"
                    );
                    let truth = queue(schedules(), (latency_ns, depth), window);
                    is_as_in_a_queue(&tallies[0], &truth, arrival, &what);
                    if arrival == Arrival::Fixed {
                        let rate = tallies[0].ops as f64 * 1e9 / length_ns as f64;
                        is_within(1.0, rate, capacity * target.min(1.0), &what);
                    }
                }
            }
        }
    }

    #[track_caller]
    fn is_as_in_a_queue(tally: &Tally, truth: &SimulatedQueue, arrival: Arrival, what: &str) {
        // Near its capacity, a queue of random arrivals grows with every clock read.
        let percent = if arrival == Arrival::Fixed { 1.0 } else { 5.0 };
        let response = tally.response();
        assert_eq!(response.count, truth.responses_ns.len() as u64, "{what}: ops that were due");
        is_within(percent, tally.ops as f64, truth.completed as f64, what);
        for q in [0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0] {
            let measured = response.quantile_ns(q).unwrap();
            let rank = (q * truth.responses_ns.len() as f64).ceil() as usize;
            let true_ns = truth.responses_ns[rank.max(1) - 1];
            if tally.censored.is_some_and(|censored| censored.bounds(measured)) {
                assert!(measured as f64 <= 1.01 * true_ns as f64, "{what}, {q}: ≥ {measured}");
                assert!(measured >= DRAIN_NS, "{what}: what ended within a second is known");
            } else {
                is_within(percent, measured as f64, true_ns as f64, &format!("{what}, {q}"));
            }
        }
    }

    /// 5,000/s of 100 µs over 6 s; the engine stalls from 4.4 s to 8.4 s.
    #[test]
    fn a_stall_over_the_end_of_the_window_counts_for_the_ops_that_it_kept_from_being_sent() {
        let stalls = SimulatedDrive { stall: Some((4_400 * MS, 4 * S)), ..takes(100 * US) };
        let (tally, counted) = simulate(stalls, 1, Some((5_000.0, Arrival::Fixed)), 6 * S);
        is(tally.ops as f64, 22_000.0, "completed before the stall");
        assert_eq!(tally.response().count, 30_000);
        is(counted.backlog_end() as f64, 8_000.0, "never submitted in the window");
        assert_eq!(counted.backlog_max.get(), counted.backlog_end());
        let censored = tally.censored.unwrap();
        is(censored.from_ns as f64, 2.4e9, "the age of the youngest when the stall ended");
        percentiles_are(tally.response(), &[(0.5, 100 * US), (0.99, 3_940 * MS)]);
        assert!(censored.bounds(tally.response().quantile_ns(0.99).unwrap()));
        assert!(!censored.bounds(tally.response().quantile_ns(0.7).unwrap()));
    }

    /// The same, but the stall ends 0.2 s after the window: the backlog is submitted then.
    #[test]
    fn the_backlog_of_a_stall_that_ends_soon_after_the_window_is_waited_for() {
        let stalls = SimulatedDrive { stall: Some((19_800 * MS, 400 * MS)), ..takes(100 * US) };
        let (tally, counted) = simulate(stalls, 1, Some((1_500.0, Arrival::Fixed)), 20 * S);
        assert_eq!((tally.response().count, tally.censored), (30_000, None));
        is(tally.ops as f64, 29_700.0, "completed in the window");
        assert!((299..=300).contains(&counted.backlog_end()), "{}", counted.backlog_end());
        assert!(counted.backlog_max.get() >= counted.backlog_end());
        // The op due k ÷ 1,500/s into the stall ends (k + 1) × 100 µs after it, 0 ≤ k < 300.
        let truths = [(0.98, 100 * US), (0.9901, 231_800 * US), (1.0, 400 * MS)];
        percentiles_are(tally.response(), &truths);
    }

    #[test]
    fn an_op_in_flight_all_through_the_window_is_in_its_latencies_and_not_in_its_rate() {
        let hangs = SimulatedDrive { stall: Some((500 * MS, 4 * S)), ..takes(100 * US) };
        let window = MeasuredWindow { from_ns: S, until_ns: 3 * S };
        for rate in [None, Some(schedule(1000.0, Arrival::Fixed, (0, 1)))] {
            let is_open = rate.is_some();
            let recorder = work(hangs, (false, 1), rate, window);
            let mut tallies = Vec::new();
            recorder.add_to(&mut tallies);
            let tally = &tallies[0];
            assert_eq!((tally.ops, tally.service.count), (0, 1));
            is(tally.service.max_ns as f64, 4e9, "its latency");
            assert_eq!(tally.response().count, if is_open { 2_001 } else { 1 });
        }
    }

    #[test]
    fn a_closed_loop_obeys_littles_law() {
        for depth in [1, 2, 16] {
            let slow = SimulatedDrive {
                slow_latency_ns: 5 * MS,
                slow_below: u64::MAX / 20,
                ..takes(100 * US)
            };
            let window = MeasuredWindow { from_ns: S, until_ns: 6 * S };
            let mut tallies = Vec::new();
            work(slow, (false, depth), None, window).add_to(&mut tallies);
            let in_flight = tallies[0].ops as f64 / 5e9 * tallies[0].service.mean_ns().unwrap();
            is_within(1.0, in_flight, f64::from(depth), "ops in flight");
        }
    }
}
