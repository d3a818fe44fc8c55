//! The memory limit of a load, if its step has one: whether it is possible, whether the engines'
//! memory fits, and the control group that contains Dyno while a point is measured.

use std::collections::BTreeMap;

use crate::base::error::{Context, Result, refused};
use crate::base::units;
use crate::engine;
use crate::lab::machine::own_memory::OwnMemory;
use crate::lab::machine::{host, own_memory};
use crate::plan::{Plan, Step, Stream, Subject, steps_at};
use crate::record::Fact;
use crate::record::key::load;
use crate::run::datasets::target_key::{self, TargetKey};
use crate::run::host_limits;

/// Dyno's own memory excluding its engines, and for each worker (its histograms and buffers).
const OWN_BYTES: u64 = 64 << 20;
const WORKER_BYTES: u64 = 1 << 20;

/// Called before any preparation: refuses limits that this host cannot apply or that the load
/// exceeds, because the kernel would kill Dyno during a point.
pub fn check(plan: &Plan) -> Result<()> {
    for step in &plan.protocol.steps {
        let Some(limit) = step.memory_bytes else { continue };
        let of_step = || format!("step {}, memory", step.name);
        look(plan, step, limit).with_context(of_step)?;
        own_memory::check(limit).with_context(of_step)?;
    }
    Ok(())
}

fn look(plan: &Plan, step: &Step, limit: u64) -> Result<()> {
    let asked = units::bytes(limit);
    if let Some(host) = host::memory_bytes().filter(|host| *host <= limit) {
        let what = format!("{asked} is not a limit on this host, which has {}", units::bytes(host));
        return Err(refused(what, "lower `memory`, or leave it out"));
    }
    let points = plan
        .subjects
        .iter()
        .flat_map(|subject| steps_at(step, subject).map(move |at| needed(subject, &at.streams)));
    match points.max().filter(|needed| *needed > limit) {
        None => Ok(()),
        Some(needed) => Err(refused(
            format!(
                "{asked} is less than the load needs: {} for block caches, memtables, workers and \
                 dyno itself",
                units::bytes(needed)
            ),
            "raise `memory`, or lower `block_cache`, `write_buffer_size` or the threads",
        )),
    }
}

/// Memory of a subject's load, excluding the page cache.
fn needed(subject: &Subject, streams: &[Stream]) -> u64 {
    let (mut engines, mut workers) = (BTreeMap::<TargetKey, u64>::new(), 0);
    for stream in streams {
        let own = engine::find(&stream.engine.name)
            .map_or(0, |engine| engine.memory_bytes(&stream.engine.knobs));
        let places = target_key::places(subject, stream);
        workers += u64::from(stream.threads) * places.len() as u64;
        let keys = places
            .into_iter()
            .map(|(drive, instance)| (target_key::key(subject, stream, drive, instance), own));
        engines.extend(keys);
    }
    let engines = engines.values().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
    let own = OWN_BYTES.saturating_add(workers.saturating_mul(WORKER_BYTES));
    engines.saturating_add(own).saturating_add(host_limits::buffer_bytes(subject, streams))
}

/// Limits the memory until the result is dropped; no effect if the step sets no limit.
pub fn enter(step: &Step) -> Result<Option<OwnMemory>> {
    step.memory_bytes.map(OwnMemory::enter).transpose()
}

/// The load's memory use, as reported by the kernel.
pub fn fact(limited: &OwnMemory) -> Result<Fact> {
    let memory = limited.read()?;
    let most = memory.peak_bytes.unwrap_or(memory.used_bytes);
    let value = format!(
        "limit {} bytes, page cache included; most in use {most} bytes; at the end page cache {} \
         bytes",
        memory.limit_bytes, memory.cache_bytes
    );
    Ok(Fact::new(load::MEMORY_OF_LOAD, "Control group", value))
}
