//! Unreported load on a subject's drives.

use std::sync::atomic::AtomicBool;

use crate::base::error::{Result, bail};
use crate::plan::{Load, Stream, Subject};
use crate::run::context::RunContext;
use crate::run::datasets::targets;
use crate::run::worker_group::{LoadSpan, Running, WorkerGroup};
use crate::run::{placement, worker_group};

/// The duration of a load.
#[derive(Clone, Copy)]
pub enum LoadLength {
    Time(u64),
    /// Number of passes over the range.
    Passes(f64),
}

/// Observes the running load.
pub type LoadObserver<'a> = dyn FnMut(&[WorkerGroup<'_>], &Running<'_>) -> Result<()> + 'a;

/// Runs one stream on all drives of a subject and records only the number of ops.
pub fn load(
    run: RunContext<'_>,
    subject: &Subject,
    stream: &Stream,
    length: LoadLength,
    look_on: &mut LoadObserver<'_>,
) -> Result<u64> {
    let targets = targets::open(run, subject, std::slice::from_ref(stream), false)?;
    let mut groups = Vec::new();
    for (drive, instance) in targets::places(subject, stream) {
        let Some((home, target)) = targets.get(&targets::key(subject, stream, drive, instance))
        else {
            continue;
        };
        let own_namespace = targets::has_namespaces(subject, drive);
        let passes = if let LoadLength::Passes(passes) = length { passes } else { 0.0 };
        let rate = if let Load::Rate(rate) = stream.load { Some(rate) } else { None };
        groups.push(WorkerGroup {
            drive,
            local: placement::local_to(home),
            instance,
            own_namespace,
            passes,
            ..WorkerGroup::new(stream, &**target, rate, run.plan.seed)?
        });
    }
    let duration_ns = if let LoadLength::Time(ns) = length { ns } else { u64::MAX / 4 };
    let (stop, span) = (AtomicBool::new(false), LoadSpan { warmup_ns: 0, duration_ns });
    worker_group::run(run.time, &groups, span, &stop, &mut |running| look_on(&groups, running))?;
    targets.values().try_for_each(|(_, target)| target.sync(run.time.stop))?;
    if run.time.stopped() {
        bail!("interrupted while preparing; the next run starts this load again");
    }
    let ops = groups.iter().map(WorkerGroup::issued).sum();
    drop(groups);
    targets::close(targets)?;
    Ok(ops)
}

/// The ops of all workers' passes; None for a load of fixed duration.
pub fn planned_ops(groups: &[WorkerGroup<'_>]) -> Result<Option<u64>> {
    let mut all = 0;
    for group in groups {
        for thread in 0..group.stream.threads {
            let source = group.source(group.space(), thread)?;
            let Some(ops) = group.limit(&*source)? else { return Ok(None) };
            all += ops;
        }
    }
    Ok(Some(all))
}
