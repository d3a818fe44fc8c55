//! One point: open what its streams need, run them together, and put together what came of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::caches::drop_page_cache;
use super::crew::{self, Gang, Span};
use super::maxima::Maxima;
use super::meters::Around;
use super::progress::Progress;
use super::standstill::Watcher;
use super::telemetry::Telemetry;
use super::{instances, site};
use crate::base::clock::Clock;
use crate::base::error::{Result, failed};
use crate::base::rng::mix;
use crate::base::units::Rate;
use crate::engine::{Access, Home, Target};
use crate::load::worker::Window;
use crate::meter::watch::Watch;
use crate::plan::{Load, Plan, PointKey, PointPlan, Step, Stream, Subject};
use crate::record::{Cell, Fact, Outcome, Overslept, Point, Sink, Standstill};

/// What every part of a run needs.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    pub plan: &'a Plan,
    pub clock: Clock,
    pub progress: &'a Progress,
    /// Set by a signal.
    pub stop: &'a AtomicBool,
    /// The meters that watch points; none while datasets are laid out.
    pub watch: Option<&'a Watch>,
}

/// An open dataset and who uses it: streams of a step share one by engine, dataset, drive and instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetKey {
    engine: String,
    dataset: String,
    drive: u32,
    /// On a drive with namespaces, the one that the stream's target names: (index, of).
    namespace: Option<(u32, u32)>,
    instance: u32,
}

pub type Targets = BTreeMap<TargetKey, (Home, Box<dyn Target>)>;

/// Measures a point. What goes wrong with the drive, the dataset or the load becomes the point's outcome; an error is
/// one of the sink, without which there is no going on.
pub fn measure(bench: &Bench<'_>, point: &PointPlan, maxima: &Maxima, sink: &mut dyn Sink) -> Result<Point> {
    let mut measured = Point::begun(point.key.clone(), bench.clock.unix_ns(bench.clock.now_ns()));
    let mut sink_failed = None;
    let result = attempt(bench, point, maxima, sink, &mut measured, &mut sink_failed);
    if let Some(error) = sink_failed {
        return Err(error);
    }
    if let Err(error) = result {
        measured.outcome = Outcome::Failed { cause: super::cause(&error) };
    }
    Ok(measured)
}

fn attempt(
    bench: &Bench<'_>,
    point: &PointPlan,
    maxima: &Maxima,
    sink: &mut dyn Sink,
    measured: &mut Point,
    sink_failed: &mut Option<crate::base::error::Error>,
) -> Result<()> {
    let step = &point.step;
    let targets = open_targets(bench, &point.subject, &step.streams, step.settle)?;
    if step.settle {
        targets.values().try_for_each(|(_, target)| target.settle(bench.stop))?;
    }
    if step.drop_caches {
        let folders: Vec<PathBuf> = targets.values().filter_map(|(home, _)| folder(home)).collect();
        drop_page_cache(&folders)?;
    }
    let gangs = gangs(bench, point, maxima, &targets)?;
    let stop = AtomicBool::new(false);
    let mut telemetry = Telemetry::new(&gangs, bench.clock);
    let span = Span { warmup_ns: step.warmup_ns, duration_ns: step.duration_ns };
    let watcher = Watcher::start(bench.clock);
    let mut opened = None;
    let mut mark = None;
    let ran = crew::run(bench.clock, &gangs, span, &stop, &mut |window, running| {
        opened = Some(window);
        wait_for(bench, window.from_ns, running, &stop);
        targets.values().for_each(|(_, target)| target.window_opens());
        if let Some(watch) = bench.watch {
            watch.mark();
        }
        let watched = telemetry.watch(window, running, &stop, bench.stop, bench.progress, sink);
        mark = bench.watch.map(Watch::mark);
        watched.map_err(|error| keep(sink_failed, error))
    });
    if let Some(window) = opened {
        let end_ns = bench.clock.now_ns().min(window.until_ns).max(window.from_ns + 1);
        if sink_failed.is_none() {
            telemetry.close_interval(window, end_ns, sink).map_err(|error| keep(sink_failed, error))?;
        }
        measured.started_unix_ns = bench.clock.unix_ns(window.from_ns);
        measured.window_ns = end_ns - window.from_ns;
        measured.cells = gangs.iter().map(cell).collect();
        measured.facts = targets.values().flat_map(|(_, target)| target.window_closed()).collect();
        measured.facts.extend(instances::facts(&measured.cells, measured.window_ns));
        measured.facts.extend(overslept(&gangs));
        let window = Window { until_ns: end_ns, ..window };
        if sink_failed.is_none() {
            let mut stood = watcher.end(window).into_iter().map(Standstill::to_sample);
            stood.try_for_each(|s| sink.sample(&s)).map_err(|error| keep(sink_failed, error))?;
        }
        if let (Some(watch), Some(mark), None) = (bench.watch, mark, &sink_failed) {
            let around = Around { start_ns: window.from_ns - step.warmup_ns, from_ns: window.from_ns, end_ns };
            let kept = super::meters::keep(bench, watch, &point.subject.name, around, mark, sink);
            measured.facts.extend(kept.map_err(|error| keep(sink_failed, error))?);
        }
    }
    drop(gangs);
    close(targets)?;
    ran.map(|_| ())
}

/// Closes datasets and notes what their files are by then.
pub fn close(targets: Targets) -> Result<()> {
    let homes: Vec<Home> = targets.into_values().map(|(home, _)| home).collect();
    site::end_use(&homes)
}

/// Puts a sink's error aside and says in its place that the point could not be kept.
fn keep(slot: &mut Option<crate::base::error::Error>, error: crate::base::error::Error) -> crate::base::error::Error {
    *slot = Some(error);
    failed("the bundle could not be written", "free space on the bundle's filesystem, then resume")
}

/// Waits through the warm-up.
fn wait_for(bench: &Bench<'_>, from_ns: u64, running: &dyn Fn() -> bool, stop: &AtomicBool) {
    while bench.clock.now_ns() < from_ns && running() {
        if bench.stop.load(Relaxed) {
            stop.store(true, Relaxed);
        }
        bench.clock.sleep_until((bench.clock.now_ns() + 50_000_000).min(from_ns));
    }
}

fn folder(home: &Home) -> Option<PathBuf> {
    match home {
        Home::Folder(folder) => Some(folder.path()),
        Home::Device { .. } | Home::Nowhere => None,
    }
}

/// `settle`: compaction is to be waited for, which a database opened for reading only does not do.
pub fn open_targets(bench: &Bench<'_>, subject: &Subject, streams: &[Stream], settle: bool) -> Result<Targets> {
    let mut targets = Targets::new();
    for stream in streams {
        let shared = |s: &&Stream| s.engine.name == stream.engine.name && s.dataset == stream.dataset;
        let writes = streams.iter().filter(shared).any(site::stream_writes);
        let access = if writes || settle { Access::ReadWrite } else { Access::ReadOnly };
        for (drive, instance) in places(subject, stream) {
            let key = target_key(subject, stream, drive, instance);
            if targets.contains_key(&key) {
                continue;
            }
            let home = site::home(&subject.drives[drive as usize], &stream.dataset, instance, stream.target)?;
            let target = site::open_for(bench, subject, stream, &home, access)?;
            targets.insert(key, (home, target));
        }
    }
    Ok(targets)
}

pub fn target_key(subject: &Subject, stream: &Stream, drive: u32, instance: u32) -> TargetKey {
    let (engine, dataset) = (stream.engine.name.clone(), stream.dataset.clone());
    let namespace = has_namespaces(subject, drive).then_some((stream.target.index, stream.target.of));
    TargetKey { engine, dataset, drive, namespace, instance }
}

/// Whether a drive was divided into namespaces, of which each stream has whole ones.
pub fn has_namespaces(subject: &Subject, drive: u32) -> bool {
    subject.drives.get(drive as usize).is_some_and(|drive| !drive.namespaces.is_empty())
}

/// Every drive and instance that a stream runs on; where there are namespaces and it is for none of them, on all.
pub fn places(subject: &Subject, stream: &Stream) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for (drive, found) in subject.drives.iter().enumerate() {
        let namespaces = if stream.target.is_whole() { found.namespaces.len() as u32 } else { 0 };
        all.extend((0..stream.instances.max(namespaces)).map(|instance| (drive as u32, instance)));
    }
    all
}

fn gangs<'a>(bench: &Bench<'_>, point: &'a PointPlan, maxima: &Maxima, targets: &'a Targets) -> Result<Vec<Gang<'a>>> {
    let mut gangs = Vec::new();
    for (index, stream) in point.step.streams.iter().enumerate() {
        let rate = rate(&point.key, stream, maxima)?;
        let seed = seed(bench.plan.seed, &point.key, &point.step, index);
        for (drive, instance) in places(&point.subject, stream) {
            let Some((_, target)) = targets.get(&target_key(&point.subject, stream, drive, instance)) else { continue };
            let own_namespace = has_namespaces(&point.subject, drive);
            gangs.push(Gang { drive, instance, own_namespace, ..Gang::new(stream, &**target, rate, seed)? });
        }
    }
    Ok(gangs)
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

/// Random choices differ between steps, axis values and repeats, and are the same for every subject and drive.
fn seed(seed: u64, key: &PointKey, step: &Step, stream: usize) -> u64 {
    let axis = key.axis.as_ref().map_or(0, |a| a.value.as_f64().to_bits());
    let name = step.name.bytes().fold(0u64, |h, b| mix(h ^ u64::from(b)));
    [axis, name, u64::from(key.repeat), stream as u64].iter().fold(seed, |h, &part| mix(h.wrapping_add(mix(part))))
}

/// What the generator itself was late with, for each stream that it was late with.
fn overslept(gangs: &[Gang<'_>]) -> Vec<Fact> {
    let mut all: Vec<Overslept> = Vec::new();
    for gang in gangs {
        for recorder in gang.recorders.iter().filter(|r| r.overslept.times.get() > 0) {
            let index = all.iter().position(|o| o.stream == gang.stream.name).unwrap_or_else(|| {
                let stream = gang.stream.name.clone();
                all.push(Overslept { stream, times: 0, total_ns: 0, longest_ns: 0 });
                all.len() - 1
            });
            let (total, own) = (&mut all[index], &recorder.overslept);
            total.times += own.times.get();
            total.total_ns += own.total_ns.get();
            total.longest_ns = total.longest_ns.max(own.longest_ns.get());
        }
    }
    all.iter().map(Overslept::to_fact).collect()
}

fn cell(gang: &Gang<'_>) -> Cell {
    let mut tallies = Vec::new();
    gang.recorders.iter().for_each(|r| r.add_to(&mut tallies));
    let sum = |f: fn(&crate::load::recorder::Recorder) -> u64| gang.recorders.iter().map(f).sum();
    Cell {
        stream: gang.stream.name.clone(),
        drive: gang.drive,
        instance: gang.instance,
        headline: gang.stream.headline,
        threads: gang.stream.threads,
        depth: gang.stream.depth,
        asked: gang.rate,
        late: sum(|r| r.late.get()),
        backlog_max: sum(|r| r.backlog_max.get()),
        backlog_end: sum(|r| r.backlog_end.get()),
        tallies,
    }
}
