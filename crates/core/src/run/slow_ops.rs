//! The slowest ops of a point, with evidence about their waits.

use std::path::Path;

use crate::engine;
use crate::measure::slowest::{KEPT, SlowestOp};
use crate::measure::worker::MeasuredWindow;
use crate::meter::blocks::{self, BlockNode};
use crate::plan::{RequestFamily, Stream, Subject};
use crate::record::{Class, SlowOp};
use crate::run::outliers::witness::{WatchedGroup, WitnessRecord};
use crate::run::worker_group::WorkerGroup;

/// The workers and devices to observe while these groups run.
pub fn watched(subject: &Subject, groups: &[WorkerGroup<'_>]) -> Vec<WatchedGroup> {
    let of = |group: &WorkerGroup<'_>| {
        let place = subject.drives.get(group.drive as usize).map(|drive| drive.place.path());
        let block = place.and_then(blocks::under);
        // Hardware interrupts the processor on completion; virtual devices and filesystems are
        // served by threads.
        let is_virtual = |block: &BlockNode| block.sysfs.starts_with("/sys/devices/virtual");
        let served = place.is_some_and(Path::is_dir) || block.as_ref().is_some_and(is_virtual);
        let by_threads = served && is_direct(group.stream);
        let stats = block.map(|block| block.stats).unwrap_or_default();
        WatchedGroup { witness_slots: group.witness_slots.clone(), stats, by_threads }
    };
    groups.iter().map(of).collect()
}

/// The slowest ops of all workers, slowest first.
pub fn of(groups: &[WorkerGroup<'_>], seen: &WitnessRecord, window: MeasuredWindow) -> Vec<SlowOp> {
    let mut all: Vec<(usize, usize, SlowestOp)> = Vec::new();
    for (g, group) in groups.iter().enumerate() {
        for (w, seat) in group.witness_slots.iter().enumerate() {
            all.extend(seat.kept.get().into_iter().flatten().map(|kept| (g, w, *kept)));
        }
    }
    all.sort_by_key(|slow| std::cmp::Reverse(slow.2));
    all.truncate(KEPT);
    let classes: Vec<Vec<Class>> =
        groups.iter().map(|g| g.workload.classes(&g.stream.workload.knobs)).collect();
    let slow_op = |(g, w, kept): (usize, usize, SlowestOp)| {
        let (group, stamps) = (&groups[g], kept.stamps);
        let span = (stamps.intended_ns, stamps.completed_ns);
        Some(SlowOp {
            stream: group.stream.name.clone(),
            drive: group.drive,
            instance: group.instance,
            worker: w as u32,
            class: *classes[g].get(usize::from(kept.class))?,
            at_ns: stamps.intended_ns.saturating_sub(window.from_ns),
            late_ns: stamps.submitted_ns.saturating_sub(stamps.intended_ns),
            response_ns: kept.response_ns(),
            address: kept.at,
            size: u64::from(kept.len),
            in_flight: kept.in_flight,
            direct: is_direct(group.stream),
            evidence: seen.evidence((g, w), &group.witness_slots[w], span),
        })
    };
    all.into_iter().filter_map(slow_op).collect()
}

/// Whether each op goes to the kernel and bypasses its page cache: otherwise a worker may wait for
/// more than a drive.
fn is_direct(stream: &Stream) -> bool {
    let block =
        engine::find(&stream.engine.name).is_some_and(|e| e.info().family == RequestFamily::Block);
    let set = |knob: &str| stream.engine.knobs.flag(knob).unwrap_or(false);
    block && (set("direct") || set("passthrough"))
}
