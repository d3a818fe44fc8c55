//! Measures one point: opens what its streams need, runs them together, and assembles the result.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::{Context, Result, failed};
use crate::base::rng::mix;
use crate::base::units::Rate;
use crate::engine::DatasetLocation;
use crate::lab::machine::io_limit;
use crate::measure::pacer::{FellBehind, ReplayTimes};
use crate::measure::recorder::Recorder;
use crate::measure::worker::MeasuredWindow;
use crate::meter::watch::MeterWatch;
use crate::plan::{Load, PointKey, PointPlan, Step, Stream};
use crate::record::live::Phase;
use crate::record::{
    Accelerators, Cell, Fact, LatenessCause, Observed, Outcome, OwnLateness, Point, ServerPlace,
    Sink, Standstill, Tally, key,
};
use crate::run::context::RunContext;
use crate::run::datasets::caches::drop_page_cache;
use crate::run::datasets::targets::Targets;
use crate::run::datasets::{servers, targets};
use crate::run::display::progress::Progress;
use crate::run::display::time::RunClock;
use crate::run::meters::Around;
use crate::run::outliers::standstill;
use crate::run::outliers::witness::Witness;
use crate::run::points::maxima::Maxima;
use crate::run::points::telemetry::Telemetry;
use crate::run::points::worst_period::Periods;
use crate::run::points::{ceiling, completed};
use crate::run::worker_group::{LoadSpan, Running, WorkerGroup};
use crate::run::written::EngineCounters;
use crate::run::{
    host_limits, load_memory, meters, placement, replay, slow_ops, worker_group, written,
};

/// Errors that end a run: they are not a result of the current point.
#[derive(Debug, thiserror::Error)]
#[error("the bundle could not be written")]
struct Unwritable;

/// Measures a point. Problems with the drive, the dataset or the load become the point's outcome;
/// an error is the sink's, which ends the run.
pub fn measure(
    context: RunContext<'_>,
    point: &PointPlan,
    maxima: &Maxima,
    watch: Option<&MeterWatch>,
    sink: &mut dyn Sink,
) -> Result<Point> {
    let time = context.time;
    let mut measured = Point::begun(point.key.clone(), time.unix_ns());
    let result = attempt(context, point, maxima, watch, sink).and_then(|observed| {
        measured.cells = observed.cells;
        measured.facts = observed.facts;
        measured.observed = observed.observed;
        if let Some(window) = observed.window {
            measured.started_unix_ns = time.unix_ns_of(window.from_ns);
            measured.window_ns = Some(window.until_ns - window.from_ns);
        }
        observed.ended
    });
    match result {
        Err(error) if error.is::<Unwritable>() => return Err(error),
        Err(error) => {
            if let Some(behind) = error.downcast_ref::<FellBehind>() {
                measured.facts.push(key::load::FELL_BEHIND.fact("Load", behind));
            }
            measured.outcome = Outcome::Failed { cause: crate::run::cause(&error) };
        }
        Ok(()) => {}
    }
    Ok(measured)
}

/// The measurement of a load, and how it ended.
struct LoadResult {
    /// The measured window; None if the load never started.
    window: Option<MeasuredWindow>,
    cells: Vec<Cell>,
    facts: Vec<Fact>,
    observed: Vec<Observed>,
    ended: Result<()>,
}

fn attempt(
    context: RunContext<'_>,
    point: &PointPlan,
    maxima: &Maxima,
    watch: Option<&MeterWatch>,
    sink: &mut dyn Sink,
) -> Result<LoadResult> {
    let RunContext { plan, time, progress } = context;
    let point = &servers::with_load_apart(point)?;
    let step = &point.step;
    host_limits::check_point(&point.subject, &step.streams)?;
    // Before anything is opened, because memory is charged on first use.
    let limited = load_memory::enter(step)?;
    let targets = targets::open(context, &point.subject, &step.streams, step.settle)?;
    // Without meters, no bottleneck can be determined, and none is needed.
    let ceilings = match watch {
        Some(_) => ceiling::of(point, &targets, time)?,
        None => Vec::new(),
    };
    settle(step, &targets, time.stop)?;
    let groups = groups(plan.seed, point, maxima, &targets)?;
    let search = step.sweep.as_ref().and_then(|sweep| sweep.search.as_ref());
    let periods = search.and_then(Periods::of);
    let mut telemetry = Telemetry::new(&groups, time.clock, periods);
    let watched = slow_ops::watched(&point.subject, &groups);
    let witness = Witness::start(time.clock, watched, standstill::LEAST_NS);
    let load = PointLoad { step, groups: &groups, targets: &targets };
    let (before_ns, mut counters) = written::before_load(&targets, watch, time);
    let (opened, mark, ended) = load.run(context, watch, &mut counters, &mut |running| {
        telemetry.watch(running, time.stop, progress, sink)
    });
    let testimony = witness.end();
    let window = opened.map(|window| measured_window(window, &ended, time));
    let ended = ended.map(drop);
    let mut observed =
        LoadResult { window, cells: Vec::new(), facts: Vec::new(), observed: Vec::new(), ended };
    if let Some(window) = window {
        telemetry.close_interval(window, window.until_ns, progress, sink).context(Unwritable)?;
        observed.cells = groups.iter().map(|group| cell(group, window)).collect();
        observed.facts = engine_facts(&targets);
        observed.observed = observations(&targets);
        let worst = telemetry.worst_period(&observed.cells);
        observed.observed.extend(worst.map(Observed::from));
        observed.observed.extend(accelerators(&groups)?.into_iter().map(Observed::from));
        observed.observed.extend(own_lateness(&groups).into_iter().map(Observed::from));
        let (replayed, arrivals) = replay::noted(&groups, step.warmup_ns)?;
        observed.observed.extend(replayed);
        arrivals.iter().try_for_each(|sample| sink.sample(sample)).context(Unwritable)?;
        observed.observed.extend(processors(&groups)?);
        observed.facts.extend(limited.as_ref().map(load_memory::fact).transpose()?);
        observed.observed.extend(io_limit::of(&point.subject).into_iter().map(Observed::from));
        counters.read(&targets, time.now_ns());
        let cooled = written::cool_down(step, &targets, watch, time);
        counters.read(&targets, time.now_ns());
        if step.cooldown_ns > 0 {
            counters.or_of_ops(window, written_by_ops(&groups, &observed.cells), time.now_ns());
        }
        let mark = cooled.as_ref().ok().copied().flatten().or(mark);
        let written = targets.values().try_for_each(|(_, target)| target.write_back(time.stop));
        observed.ended = observed.ended.and(cooled.map(drop)).and(written);
        counters.samples(window.from_ns).try_for_each(|s| sink.sample(&s)).context(Unwritable)?;
        let window_ns = window.until_ns - window.from_ns;
        let confirmed =
            ceiling::confirmed(ceilings, &observed.cells, window_ns, (point, &targets), time)?;
        observed.observed.extend(confirmed.into_iter().map(Observed::from));
        let stood = standstill::within(testimony.late(), window);
        let mut stood = stood.into_iter().map(Standstill::to_sample);
        stood.try_for_each(|sample| sink.sample(&sample)).context(Unwritable)?;
        let mut slowest = slow_ops::of(&groups, &testimony, window).into_iter();
        slowest.try_for_each(|op| sink.slow_op(&op)).context(Unwritable)?;
        if let (Some(watch), Some(mark)) = (watch, mark) {
            let start_ns = before_ns.min(window.from_ns - step.warmup_ns);
            let MeasuredWindow { from_ns, until_ns: end_ns, .. } = window;
            let around = Around { start_ns, from_ns, end_ns, mark };
            let troubles = meters::keep(watch, &point.subject.name, around, time, sink);
            observed.facts.extend(troubles.context(Unwritable)?);
        }
    }
    drop(groups);
    targets::close(targets)?;
    if let (Ok(()), Some(window)) = (&observed.ended, window) {
        let window_ns = window.until_ns - window.from_ns;
        observed.ended = completed::check(step, &observed.cells, window_ns);
    }
    Ok(observed)
}

/// The engines' counters. Counters common to all drives of a group
/// are recorded once; several servers each have their own.
fn engine_facts(targets: &Targets) -> Vec<Fact> {
    let several = targets.values().filter(|(_, target)| target.server().is_some()).count() > 1;
    let mut facts = Vec::new();
    for (key, (_, target)) in targets.iter() {
        let share = target.server().map(|share| key.named(share));
        let of_server = |fact: Fact| match &share {
            Some(own) if several => {
                let place = ServerPlace { drive: own.drive, instance: own.instance };
                Fact { server: Some(place), ..fact }
            }
            _ => fact,
        };
        facts.extend(target.window_closed().into_iter().map(of_server));
    }
    facts.dedup();
    facts
}

/// The engines' observations, and their servers' resources.
fn observations(targets: &Targets) -> Vec<Observed> {
    let mut all = Vec::new();
    for (key, (_, target)) in targets.iter() {
        all.extend(target.observed());
        all.extend(target.server().map(|share| Observed::from(key.named(share))));
    }
    all.dedup();
    all
}

/// Waits for everything that must end before the load starts, if the step requires it: background
/// work and cached pages. Previously cached pages of a dataset would not be charged to the load's
/// memory limit, and would not have to be read.
fn settle(step: &Step, targets: &Targets, stop: &AtomicBool) -> Result<()> {
    if step.settle {
        targets.values().try_for_each(|(_, target)| target.settle(stop))?;
    }
    if step.drop_caches || step.memory_bytes.is_some() {
        let folders: Vec<PathBuf> = targets.values().filter_map(|(home, _)| folder(home)).collect();
        drop_page_cache(&folders)?;
    }
    Ok(())
}

/// A point's streams, ready to run.
struct PointLoad<'a> {
    step: &'a Step,
    groups: &'a [WorkerGroup<'a>],
    targets: &'a Targets,
}

impl PointLoad<'_> {
    /// Runs the workers from barrier to join, while `look_on` observes the window. Returns the
    /// window, the meters' mark at its end, and how it ended.
    fn run(
        &self,
        RunContext { time, progress, .. }: RunContext<'_>,
        watch: Option<&MeterWatch>,
        counters: &mut EngineCounters,
        look_on: &mut dyn FnMut(&Running<'_>) -> Result<()>,
    ) -> (Option<MeasuredWindow>, Option<u64>, Result<MeasuredWindow>) {
        let stop = AtomicBool::new(false);
        let span = LoadSpan { warmup_ns: self.step.warmup_ns, duration_ns: self.step.duration_ns };
        let (mut opened, mut mark) = (None, None);
        let ran = worker_group::run(time, self.groups, span, &stop, &mut |running| {
            opened = Some(running.window);
            progress.load(Phase::WarmUp);
            wait_for_window(time, progress, running);
            progress.load(Phase::Window);
            self.targets.values().for_each(|(_, target)| target.window_opens());
            counters.read(self.targets, time.now_ns());
            watch.map(MeterWatch::mark);
            let watched = look_on(running);
            mark = watch.map(MeterWatch::mark);
            watched.context(Unwritable)
        });
        (opened, mark, ran)
    }
}

/// Waits for the end of the warm-up.
fn wait_for_window(time: RunClock<'_>, progress: &Progress, running: &Running<'_>) {
    let from_ns = running.window.from_ns;
    while time.now_ns() < from_ns && (running.running)() {
        if time.stopped() {
            running.stop.store(true, Relaxed);
        }
        progress.goes_on();
        time.wait_towards(from_ns);
    }
}

fn folder(home: &DatasetLocation) -> Option<PathBuf> {
    match home {
        DatasetLocation::Folder(folder) => Some(folder.path()),
        DatasetLocation::Device { .. } | DatasetLocation::Nowhere => None,
    }
}

fn groups<'a>(
    seed: u64,
    point: &'a PointPlan,
    maxima: &Maxima,
    targets: &'a Targets,
) -> Result<Vec<WorkerGroup<'a>>> {
    let mut groups = Vec::new();
    for (index, stream) in point.step.streams.iter().enumerate() {
        let rate = rate(&point.key, stream, maxima)?;
        let seed = seed_of(seed, &point.key, &point.step, index);
        for (drive, instance) in targets::places(&point.subject, stream) {
            let Some((home, target)) =
                targets.get(&targets::key(&point.subject, stream, drive, instance))
            else {
                continue;
            };
            let own_namespace = targets::has_namespaces(&point.subject, drive);
            groups.push(WorkerGroup {
                drive,
                local: placement::local_to(home),
                instance,
                own_namespace,
                max_lag_ns: point.step.max_lag_ns,
                ..WorkerGroup::new(stream, &**target, rate, seed)?
            });
        }
    }
    Ok(groups)
}

/// The rate of a stream's schedule.
fn rate(key: &PointKey, stream: &Stream, maxima: &Maxima) -> Result<Option<Rate>> {
    match stream.load {
        Load::Closed => Ok(None),
        Load::Rate(rate) => Ok(Some(rate)),
        Load::PercentOfMaximum(percent) => {
            let maximum = maxima.of(key, &stream.name).ok_or_else(|| {
                failed(
                    "the maximum that this load is a percentage of was not measured",
                    "resume the run, which measures failed points again",
                )
            })?;
            Ok(Some(Rate::OpsPerSec(maximum * percent / 100.0)))
        }
    }
}

/// Random choices differ between steps, axis values and repeats, and are the same for every subject
/// and drive.
fn seed_of(seed: u64, key: &PointKey, step: &Step, stream: usize) -> u64 {
    let axis = key.axis.as_ref().map_or(0, |a| a.value.as_f64().to_bits());
    let name = step.name.bytes().fold(0u64, |h, b| mix(h ^ u64::from(b)));
    [axis, name, u64::from(key.repeat), stream as u64]
        .iter()
        .fold(seed, |h, &part| mix(h.wrapping_add(mix(part))))
}

/// The measured part of the window.
fn measured_window(
    window: MeasuredWindow,
    ended: &Result<MeasuredWindow>,
    time: RunClock<'_>,
) -> MeasuredWindow {
    let now_ns = time.now_ns().min(window.until_ns).max(window.from_ns + 1);
    let until_ns = ended.as_ref().map_or(now_ns, |measured| measured.until_ns);
    MeasuredWindow { until_ns, ..window }
}

/// The generator's own lateness, for each affected stream and cause.
fn own_lateness(groups: &[WorkerGroup<'_>]) -> Vec<OwnLateness> {
    let mut all: Vec<OwnLateness> = Vec::new();
    for (group, cause) in groups.iter().flat_map(|g| LatenessCause::ALL.map(|cause| (g, cause))) {
        let stream = &group.stream.name;
        for recorder in &group.recorders {
            let own = match cause {
                LatenessCause::Overslept => &recorder.overslept,
                LatenessCause::Unread => &recorder.unread,
            };
            if own.times.get() == 0 {
                continue;
            }
            let known = |of: &OwnLateness| of.stream == *stream && of.cause == cause;
            let index = all.iter().position(known).unwrap_or_else(|| {
                let (times, total_ns, longest_ns) = (0, 0, 0);
                let stream = stream.clone();
                all.push(OwnLateness { cause, stream, times, total_ns, longest_ns });
                all.len() - 1
            });
            let total = &mut all[index];
            total.times += own.times.get();
            total.total_ns += own.total_ns.get();
            total.longest_ns = total.longest_ns.max(own.longest_ns.get());
        }
    }
    all
}

/// The workers' processors, if the plan pins them.
fn processors(groups: &[WorkerGroup<'_>]) -> Result<Vec<Observed>> {
    let placement = worker_group::placement_of(groups)?;
    let of = |(group, places): (&WorkerGroup<'_>, Option<Vec<_>>)| {
        Some(placement::record(&group.stream.name, group.drive, &places?).into())
    };
    Ok(groups.iter().zip(placement).filter_map(of).collect())
}

/// Bytes that ops wrote, completed in the window and after it.
fn written_by_ops(groups: &[WorkerGroup<'_>], cells: &[Cell]) -> (u64, u64) {
    let writes = |tally: &&Tally| tally.class.is_write();
    let inside = cells.iter().flat_map(|cell| &cell.tallies).filter(writes).map(|t| t.bytes).sum();
    let recorders = groups.iter().flat_map(|group| &group.recorders);
    (inside, recorders.map(|recorder| recorder.written_after()).sum())
}

/// The accelerators of each stream, on all drives together.
fn accelerators(groups: &[WorkerGroup<'_>]) -> Result<Vec<Accelerators>> {
    let mut all: Vec<Accelerators> = Vec::new();
    for group in groups {
        let (stream, knobs) = (group.stream.name.clone(), &group.stream.workload.knobs);
        let Some(own) = group.workload.accelerators(knobs, group.stream.threads)? else { continue };
        match all.iter_mut().find(|known| known.stream == stream) {
            Some(known) => known.accelerators += own.accelerators,
            None => all.push(Accelerators { stream, ..own }),
        }
    }
    Ok(all)
}

fn cell(group: &WorkerGroup<'_>, window: MeasuredWindow) -> Cell {
    let mut tallies: Vec<Tally> = Vec::new();
    group.recorders.iter().for_each(|r| r.add_to(&mut tallies));
    let sum = |f: fn(&Recorder) -> u64| group.recorders.iter().map(f).sum();
    let (backlog_max, backlog_end) = (sum(|r| r.backlog_max.get()), sum(|r| r.backlog_end()));
    assert!(backlog_max >= backlog_end, "the backlog at the end is part of the longest");
    // Each op that was due in the window has a response time. Flushes and groups do not count in
    // rates.
    let recorded = || {
        let due = tallies.iter().filter(|tally| tally.class.counts_as_op());
        let due: u64 = due.map(|tally| tally.response().count).sum();
        let seconds = (window.until_ns - window.from_ns) as f64 / 1e9;
        let open = group.replay == Some(ReplayTimes::Recorded);
        open.then_some(Rate::OpsPerSec(due as f64 / seconds))
    };
    Cell {
        stream: group.stream.name.clone(),
        drive: group.drive,
        instance: group.instance,
        headline: group.stream.headline,
        threads: Some(group.stream.threads),
        depth: Some(group.stream.depth),
        asked: group.rate.or_else(recorded),
        late: sum(|r| r.late.get()),
        backlog_max,
        backlog_end,
        in_flight: Some(
            sum(Recorder::in_flight_ns) as f64 / (window.until_ns - window.from_ns) as f64,
        ),
        tallies,
    }
}
