//! Recorded loads in a run: the settings of their streams that follow from the recording, their
//! length, and their disclosure.

use crate::base::error::{Result, failed};
use crate::plan::{Plan, PointPlan, Step, Stream};
use crate::record::{Arrivals, CachedBlocks, Observed, RemappedTrace, Replayed, Sample};
use crate::run::worker_group::WorkerGroup;
use crate::workload::{self, RecordedLoad};

/// The plan and its points, completed with the settings that follow from their recorded loads, and
/// with the resulting lengths of the points.
pub fn completed(plan: &Plan, mut points: Vec<PointPlan>) -> Result<(Plan, Vec<PointPlan>)> {
    let mut plan = plan.clone();
    let steps = plan.protocol.steps.iter_mut().flat_map(|step| &mut step.streams);
    let prepared = plan.protocol.prepare.iter_mut().map(|load| &mut load.stream);
    let steady = plan.protocol.preparation.steady.iter_mut().map(|steady| &mut steady.stream);
    let measured = points.iter_mut().flat_map(|point| &mut point.step.streams);
    steps.chain(prepared).chain(steady).chain(measured).try_for_each(workload::complete)?;
    for point in &mut points {
        point.step.duration_ns = recorded_duration(&point.step)?;
    }
    Ok((plan, points))
}

/// The length of a point's window, nanoseconds: it ends with its recorded loads, if it has no
/// others and they end before `duration`.
pub fn recorded_duration(step: &Step) -> Result<u64> {
    let mut longest_ns = 0;
    for stream in &step.streams {
        match workload::recorded(stream)?.map(|load| load.length_ns) {
            Some(Some(ns)) => longest_ns = longest_ns.max(ns),
            _ => return Ok(step.duration_ns),
        }
    }
    let left_ns = longest_ns.saturating_sub(step.warmup_ns);
    if left_ns == 0 {
        return Err(failed(
            "the recorded load ends within the warm-up",
            "shorten `warmup`: the warm-up is the beginning of the recording",
        ));
    }
    Ok(step.duration_ns.min(left_ns))
}

/// A stream's recorded load, as it was replayed on the first of its drives.
struct Replay<'a> {
    stream: &'a Stream,
    load: RecordedLoad,
    remapped: Option<RemappedTrace>,
}

/// What is recorded of the recorded loads, and their arrivals, for the point.
pub fn noted(groups: &[WorkerGroup<'_>], warmup_ns: u64) -> Result<(Vec<Observed>, Vec<Sample>)> {
    let all = of(groups)?;
    let observed = all.iter().flat_map(Replay::observed).collect();
    let arrivals = all.iter().flat_map(|replay| replay.arrivals(warmup_ns));
    Ok((observed, arrivals.map(|one| one.to_sample()).collect()))
}

fn of<'a>(groups: &[WorkerGroup<'a>]) -> Result<Vec<Replay<'a>>> {
    let mut all: Vec<Replay<'_>> = Vec::new();
    for group in groups {
        let stream = group.stream;
        if all.iter().any(|known| std::ptr::eq(known.stream, stream)) {
            continue;
        }
        if let Some(load) = workload::recorded(stream)? {
            let knobs = &stream.workload.knobs;
            let remapped = group.workload.remapped(knobs, group.space())?;
            all.push(Replay { stream, load, remapped });
        }
    }
    Ok(all)
}

impl Replay<'_> {
    fn observed(&self) -> Vec<Observed> {
        let stream = || self.stream.name.clone();
        let replayed = Replayed { stream: stream(), ..self.load.replayed.clone() };
        let remapped = self.remapped.clone();
        let remapped = remapped.map(|own| RemappedTrace { stream: stream(), ..own }.into());
        let cache = self.load.cache.clone();
        let cache = cache.map(|own| CachedBlocks { stream: stream(), ..own }.into());
        std::iter::once(replayed.into()).chain(remapped).chain(cache).collect()
    }

    /// The number of arrived requests over the time since the start of the window.
    fn arrivals(&self, warmup_ns: u64) -> impl Iterator<Item = Arrivals> + '_ {
        let every_ns = self.load.arrivals_every_ns;
        self.load.arrivals.iter().enumerate().map(move |(i, requests)| Arrivals {
            stream: self.stream.name.clone(),
            at_ns: ((i as f64 + 0.5) * every_ns) as i64 - warmup_ns as i64,
            per_s: *requests as f64 / (every_ns / 1e9),
        })
    }
}
