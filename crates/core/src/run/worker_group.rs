//! The workers of one load, from opening their I/O contexts to the join.
//!
//! A worker serves one group, or with `drives_per_worker` as many of a stream's groups: its
//! requests on each are the same as from a worker of that group alone. Every worker opens its I/O
//! context in its own thread (an io_uring may belong to one thread only) and allocates everything
//! before it waits at the gate. The window is fixed when all are there, so that all start together.
//! If a thread could not be started, those that were end at once.

use std::num::NonZeroU64;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::thread::Builder;

use rustix::thread::set_current_timer_slack;

use crate::base::clock::Clock;
use crate::base::error::{Result, bail, failed};
use crate::base::rng::Seed;
use crate::base::units::Rate;
use crate::engine;
use crate::lab::machine::processors::{self, Processors};
use crate::lab::machine::task_limit::TaskLimit;
use crate::measure::pacer::{ArrivalSeeds, ReplayTimes, Schedule, WorkerShare};
use crate::measure::recorder::{MOST_CLASSES, Recorder};
use crate::measure::slowest::{KEPT, Slowest};
use crate::measure::worker::{DriveJob, MeasuredWindow, Slots, WorkerJob};
use crate::measure::{AddressSpace, AnyIoContext, OpGenerator};
use crate::plan::{PlannedSlice, Stream};
use crate::run::display::time::RunClock;
use crate::run::outliers::witness::WitnessSlot;
use crate::run::placement::{self, Placement};
use crate::run::start_gate::StartGate;
use crate::workload::{self, Workload};

/// One stream on one drive, in one instance: workers that share a target and a rate.
pub struct WorkerGroup<'a> {
    pub stream: &'a Stream,
    pub target: &'a dyn engine::Target,
    pub drive: u32,
    pub instance: u32,
    /// None: closed loop or recorded load.
    pub rate: Option<Rate>,
    /// The due times of the ops of a recorded load; none for others.
    pub replay: Option<ReplayTimes>,
    /// The step's maximum lateness of an op; None: unlimited.
    pub max_lag_ns: Option<u64>,
    /// The target is a separate namespace, and not sliced.
    pub own_namespace: bool,
    /// Each worker stops after its share of this many passes; zero: unlimited.
    pub passes: f64,
    /// The seed of this group's random choices.
    pub seed: u64,
    /// The processors local to its drive.
    pub local: Processors,
    pub recorders: Vec<Recorder>,
    /// One for each worker: storage for its slowest ops.
    pub witness_slots: Arc<[WitnessSlot]>,
    pub workload: &'static dyn Workload,
}

impl<'a> WorkerGroup<'a> {
    pub fn new(
        stream: &'a Stream,
        target: &'a dyn engine::Target,
        rate: Option<Rate>,
        seed: u64,
    ) -> Result<WorkerGroup<'a>> {
        let name = &stream.workload.name;
        let workload = workload::find(name).ok_or_else(|| {
            failed(format!("unknown workload '{name}'"), "`dyno list` prints the available ones")
        })?;
        let classes = workload.classes(&stream.workload.knobs);
        if classes.len() > MOST_CLASSES {
            let what = format!("workload '{name}' declares {} classes of op", classes.len());
            return Err(failed(
                what,
                format!("a recorder has room for {MOST_CLASSES}: raise `MOST_CLASSES`"),
            ));
        }
        let replay = workload::recorded(stream)?.map(|load| load.times);
        let open = rate.is_some()
            || replay == Some(ReplayTimes::Recorded)
            || workload.waits(&stream.workload.knobs);
        let recorders = (0..stream.threads).map(|_| Recorder::new(&classes, open)).collect();
        Ok(WorkerGroup {
            stream,
            target,
            drive: 0,
            instance: 0,
            rate,
            replay,
            max_lag_ns: None,
            own_namespace: false,
            passes: 0.0,
            seed,
            local: Processors::new(),
            recorders,
            witness_slots: (0..stream.threads).map(|_| WitnessSlot::default()).collect(),
            workload,
        })
    }

    /// Worker `thread`'s requests.
    pub fn source(&self, space: AddressSpace, thread: u32) -> Result<Box<dyn OpGenerator>> {
        self.workload.source(&self.share(space, thread))
    }

    /// Worker `thread`'s handle to the engine.
    fn io_context(&self, space: AddressSpace, thread: u32) -> Result<Box<dyn AnyIoContext>> {
        match self.workload.script(&self.share(space, thread))? {
            Some(script) => self.target.script_io_context(self.stream, thread, script),
            None => self.target.io_context(self.stream, thread),
        }
    }

    fn share(&self, space: AddressSpace, thread: u32) -> workload::GeneratorInputs<'a> {
        let seed = |thread| Seed::new(self.seed, u64::from(self.instance), thread);
        workload::GeneratorInputs {
            knobs: &self.stream.workload.knobs,
            space,
            thread,
            threads: self.stream.threads,
            seed: seed(u64::from(thread)),
            stream_seed: seed(u64::MAX),
        }
    }

    /// The part of the target that the stream uses.
    pub fn space(&self) -> AddressSpace {
        let whole = self.target.space();
        let slice = if self.own_namespace { PlannedSlice::default() } else { self.stream.target };
        let (from, bytes) = slice.range(whole.bytes);
        AddressSpace { from: whole.from + from, bytes, ..whole }
    }

    /// The ops of a worker's share of the passes. For an endless workload, such as a random one, a
    /// pass is as many bytes as the range in use.
    pub fn limit(&self, source: &dyn OpGenerator) -> Result<Option<u64>> {
        if self.passes <= 0.0 {
            return Ok(None);
        }
        let once = match source.pass() {
            Some(ops) => ops as f64,
            None => {
                let (knobs, space) = (&self.stream.workload.knobs, self.space());
                let bytes = space.bytes as f64 * knobs.float("span").unwrap_or(100.0) / 100.0;
                bytes / self.workload.mean_op_bytes(knobs, space)? / f64::from(self.stream.threads)
            }
        };
        // A worker without a share, such as the second on one warehouse, does nothing.
        Ok(Some((once * self.passes).ceil() as u64))
    }

    /// The due times of worker `thread`'s ops, from the start of the load on; None in closed loop.
    fn schedule(&self, thread: u32, start_ns: u64, mean_op_bytes: f64) -> Option<Schedule> {
        let stream = self.stream;
        let extra_bytes = self.target.space().key_bytes;
        let share = WorkerShare { thread, threads: stream.threads, extra_bytes, mean_op_bytes };
        let of = |thread: u64| Seed::new(self.seed ^ 0x5EED, u64::from(self.instance), thread);
        let seeds = ArrivalSeeds { own: of(u64::from(thread)), of_stream: of(u64::MAX) };
        let schedule = match (self.replay, self.rate) {
            (Some(times), _) => Schedule::recorded(times, start_ns),
            (None, Some(rate)) => Schedule::new(rate, stream.arrival, share, start_ns, seeds),
            (None, None) => return None,
        };
        Some(schedule.with_max_lag(self.max_lag_ns))
    }

    /// Ops started so far, warm-up included.
    pub fn issued(&self) -> u64 {
        self.recorders.iter().map(|r| r.issued.get()).sum()
    }
}

/// The groups that share their workers: those of one stream, up to the number per worker.
fn shared_workers<'g, 'a>(
    groups: &'g [WorkerGroup<'a>],
) -> impl Iterator<Item = &'g [WorkerGroup<'a>]> {
    let streams = groups.chunk_by(|a, b| std::ptr::eq(a.stream, b.stream));
    streams.flat_map(|of_stream| {
        let drives = of_stream.first().map_or(1, |group| group.stream.drives_per_worker);
        of_stream.chunks(drives.max(1) as usize)
    })
}

/// The processors of all groups' workers, group by group.
pub fn placement_of(groups: &[WorkerGroup<'_>]) -> Result<Placement> {
    let wishes: Vec<_> =
        shared_workers(groups).map(|g| placement::wish(g[0].stream, &g[0].local)).collect();
    let places = placement::place(&wishes)?.into_iter().zip(shared_workers(groups));
    Ok(places.flat_map(|(places, groups)| vec![places; groups.len()]).collect())
}

/// The duration of a load.
#[derive(Clone, Copy, Debug)]
pub struct LoadSpan {
    pub warmup_ns: u64,
    pub duration_ns: u64,
}

/// Shared by workers while they run.
struct GroupState<'a> {
    clock: Clock,
    gate: StartGate,
    start_ns: AtomicU64,
    from_ns: AtomicU64,
    until_ns: AtomicU64,
    stop: &'a AtomicBool,
    running: AtomicU64,
    /// The time at which the last worker ended.
    ended_ns: AtomicU64,
    /// The first error; later ones are its consequences.
    cause: Mutex<Option<crate::base::error::Error>>,
}

impl GroupState<'_> {
    /// Ends the load for this reason, unless there already is one.
    fn fail(&self, error: crate::base::error::Error) {
        self.stop.store(true, Relaxed);
        self.cause.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(error);
    }
}

/// A running load.
pub struct Running<'a> {
    pub window: MeasuredWindow,
    /// Whether any worker is running.
    pub running: &'a dyn Fn() -> bool,
    /// Ends the load when set.
    pub stop: &'a AtomicBool,
}

/// Observes the running workers.
pub type GroupObserver<'a> = dyn FnMut(&Running<'_>) -> Result<()> + 'a;

/// Runs all groups together. `watch` is called on the calling thread once they have started, and
/// returns at the end of the observation. Then the workers are joined. Returns the measured window,
/// which ends early if all workers do.
pub fn run(
    time: RunClock<'_>,
    groups: &[WorkerGroup<'_>],
    span: LoadSpan,
    stop: &AtomicBool,
    watch: &mut GroupObserver<'_>,
) -> Result<MeasuredWindow> {
    let clock = time.clock;
    let placement = placement_of(groups)?;
    let workers: u32 = shared_workers(groups).map(|shared| shared[0].stream.threads).sum();
    let shared = GroupState {
        clock,
        gate: StartGate::default(),
        start_ns: AtomicU64::new(0),
        from_ns: AtomicU64::new(0),
        until_ns: AtomicU64::new(0),
        stop,
        running: AtomicU64::new(u64::from(workers)),
        ended_ns: AtomicU64::new(0),
        cause: Mutex::new(None),
    };
    let mut window = MeasuredWindow { from_ns: 0, until_ns: 0 };
    let watched = std::thread::scope(|scope| {
        let (mut places, mut started) = (placement.iter(), 0);
        for groups in shared_workers(groups) {
            // All that share their workers have the same placement.
            let places = places.by_ref().nth(groups.len() - 1).and_then(Option::as_ref);
            for thread in 0..groups[0].stream.threads {
                let shared = &shared;
                let place = places.and_then(|places| places.get(thread as usize));
                let body = move || {
                    if let Err(error) = worker(shared, groups, thread, place) {
                        shared.fail(error);
                    }
                    shared.ended_ns.fetch_max(clock.now_ns(), Relaxed);
                    shared.running.fetch_sub(1, Relaxed);
                };
                if let Err(cause) = Builder::new().spawn_scoped(scope, body) {
                    shared.gate.open(false);
                    return Err(TaskLimit::exceeded(started, workers.into(), &cause));
                }
                started += 1;
            }
        }
        while !shared.gate.has(workers) {
            if time.stopped() {
                shared.gate.open(false);
                bail!("interrupted before the load began");
            }
        }
        let start_ns = time.wait_for_start().unwrap_or_else(|error| {
            shared.fail(error);
            clock.now_ns()
        });
        window.from_ns = start_ns + span.warmup_ns;
        window.until_ns = window.from_ns.saturating_add(span.duration_ns);
        shared.start_ns.store(start_ns, Relaxed);
        shared.from_ns.store(window.from_ns, Relaxed);
        shared.until_ns.store(window.until_ns, Relaxed);
        shared.gate.open(true);
        let running = || shared.running.load(Relaxed) > 0;
        let watched = watch(&Running { window, running: &running, stop });
        if watched.is_err() {
            shared.stop.store(true, Relaxed);
        }
        if time.stopped() {
            groups.iter().for_each(|group| group.target.interrupt());
        }
        watched
    });
    watched?;
    // A recorded load may end before its window.
    window.until_ns = window.until_ns.min(shared.ended_ns.into_inner()).max(window.from_ns + 1);
    match shared.cause.into_inner().unwrap_or_else(|e| e.into_inner()) {
        Some(cause) => Err(cause),
        None => Ok(window),
    }
}

/// The complete execution of one worker. It reaches the gate in any case, because the others would
/// otherwise wait forever.
fn worker(
    shared: &GroupState<'_>,
    groups: &[WorkerGroup<'_>],
    thread: u32,
    place: Option<&Processors>,
) -> Result<()> {
    // If the kernel refuses, paced workers wake later, and their late ops show it.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
    // Before anything is allocated, so that it is in the processor's local memory.
    let pinned = place.map_or(Ok(()), processors::pin);
    let opened =
        std::panic::catch_unwind(AssertUnwindSafe(|| pinned.and_then(|()| open(groups, thread))))
            .unwrap_or_else(|_| {
                Err(failed(
                    "a worker panicked as it started",
                    "this is a bug in Dyno: please report it",
                ))
            });
    groups.iter().for_each(|group| group.witness_slots[thread as usize].take(shared.clock));
    let begins = shared.gate.wait();
    let Opened { mut drives, mean_op_bytes, mut io_context, slots } = opened?;
    if !begins {
        return Ok(());
    }
    let window = MeasuredWindow {
        from_ns: shared.from_ns.load(Relaxed),
        until_ns: shared.until_ns.load(Relaxed),
    };
    let start_ns = shared.start_ns.load(Relaxed);
    for ((group, drive), bytes) in groups.iter().zip(&mut drives).zip(mean_op_bytes) {
        drive.schedule = group.schedule(thread, start_ns, bytes);
    }
    let job =
        WorkerJob { clock: shared.clock, drives: &mut drives, slots, window, stop: shared.stop };
    let ended = io_context.work(job);
    for (group, drive) in groups.iter().zip(drives) {
        group.witness_slots[thread as usize].leave(shared.clock, drive.slowest.into_ops());
    }
    ended
}

/// A worker's allocations before the gate.
struct Opened<'d> {
    /// Their schedules are created when the window is known.
    drives: Vec<DriveJob<'d>>,
    /// Mean op lengths by drive.
    mean_op_bytes: Vec<f64>,
    io_context: Box<dyn AnyIoContext>,
    slots: Slots,
}

fn open<'d>(groups: &'d [WorkerGroup<'_>], thread: u32) -> Result<Opened<'d>> {
    let (mut drives, mut mean_op_bytes) = (Vec::new(), Vec::new());
    for group in groups {
        let source = group.source(group.space(), thread)?;
        let limit = group.limit(&*source)?;
        let recorder = &group.recorders[thread as usize];
        // Nothing is recorded for a fill.
        let slowest = Slowest::new(if group.passes > 0.0 { 0 } else { KEPT });
        drives.push(DriveJob { source, schedule: None, limit, recorder, slowest });
        // A workload without bytes, such as transactions, is queried only if a byte rate needs
        // them.
        mean_op_bytes.push(match group.rate {
            Some(Rate::BytesPerSec(_)) => {
                group.workload.mean_op_bytes(&group.stream.workload.knobs, group.space())?
            }
            _ => 0.0,
        });
    }
    let group = &groups[0];
    let io_context = match groups {
        [group] => group.io_context(group.space(), thread)?,
        _ => {
            let targets: Vec<&dyn engine::Target> = groups.iter().map(|g| g.target).collect();
            group.target.io_context_on(&targets, group.stream, thread)?
        }
    };
    let slots = Slots::new(group.stream.depth, groups.len() as u32);
    Ok(Opened { drives, mean_op_bytes, io_context, slots })
}
