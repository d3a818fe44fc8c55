//! The generator's own ceiling: the rate at which Dyno can generate a point's requests on this host
//! (workers, depth, workload, processors) if they take no time. io_uring is measured with NOP
//! requests, everything else with the null engine; the drives are not touched. A result near the
//! ceiling is limited by Dyno, not by the drive.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::{Context, Result};
use crate::base::private;
use crate::base::rng::mix;
use crate::engine::{self, Access, DatasetLocation, Target, verify};
use crate::lab::machine::processors::Processors;
use crate::measure::AddressSpace;
use crate::plan::{PointPlan, RequestFamily, Stream};
use crate::record::{Ceiling, Cell, NEAR_CEILING};
use crate::run::datasets::targets::Targets;
use crate::run::datasets::{dataset, targets};
use crate::run::display::time::RunClock;
use crate::run::worker_group::{LoadSpan, WorkerGroup};
use crate::run::{placement, worker_group};
use crate::{lab, workload};

/// The stored ceilings, by host and shape.
const KEPT: &str = "ceilings";
/// The best of this many windows counts, because disturbances only reduce the rate.
const WINDOWS: u32 = 3;
const WINDOW_NS: u64 = 80_000_000;
const WARMUP_NS: u64 = 20_000_000;

/// The ceiling of each stream that has one. Measured once for each shape, and stored for the host.
pub fn of(point: &PointPlan, targets: &Targets, time: RunClock<'_>) -> Result<Vec<Ceiling>> {
    let free = Free::open(point, targets, time)?;
    recall(&free.shape()).map_or_else(|| free.measure(Vec::new(), time), Ok)
}

/// A ceiling close to the result is measured again: one taken while the host was busy is too low.
pub fn confirmed(
    before: Vec<Ceiling>,
    cells: &[Cell],
    window_ns: u64,
    (point, targets): (&PointPlan, &Targets),
    time: RunClock<'_>,
) -> Result<Vec<Ceiling>> {
    let near = |ceiling: &Ceiling| {
        ops_per_s(cells, &ceiling.stream, window_ns) >= NEAR_CEILING * ceiling.ops_per_s as f64
    };
    match before.iter().any(near) {
        true => Free::open(point, targets, time)?.measure(before, time),
        false => Ok(before),
    }
}

fn ops_per_s(cells: &[Cell], stream: &str, window_ns: u64) -> f64 {
    let own = cells.iter().filter(|cell| cell.stream == stream);
    let ops: u64 = own.flat_map(|cell| &cell.tallies).map(|tally| tally.ops).sum();
    ops as f64 / (window_ns.max(1) as f64 / 1e9)
}

/// One stream on one drive, on an engine that takes no time.
struct CeilingStream<'a> {
    stream: &'a Stream,
    drive: u32,
    instance: u32,
    local: Processors,
    target: Box<dyn Target>,
}

impl CeilingStream<'_> {
    fn group(&self) -> Result<WorkerGroup<'_>> {
        let CeilingStream { stream, drive, instance, local, target } = self;
        let (drive, instance, local) = (*drive, *instance, local.clone());
        let group = WorkerGroup::new(stream, &**target, None, 0)?;
        Ok(WorkerGroup { drive, instance, local, ..group })
    }
}

/// A point's streams converted accordingly.
struct Free<'a>(Vec<CeilingStream<'a>>);

impl<'a> Free<'a> {
    fn open(point: &'a PointPlan, targets: &Targets, time: RunClock<'_>) -> Result<Free<'a>> {
        let mut places = Vec::new();
        for stream in point.step.streams.iter().filter(|stream| has_one(stream)) {
            for (drive, instance) in targets::places(&point.subject, stream) {
                let key = targets::key(&point.subject, stream, drive, instance);
                if let Some((home, target)) = targets.get(&key) {
                    let local = placement::local_to(home);
                    let target = without_time(stream, home, target.space(), time)?;
                    places.push(CeilingStream { stream, drive, instance, local, target });
                }
            }
        }
        Ok(Free(places))
    }

    /// The properties of host and point that determine a ceiling.
    fn shape(&self) -> String {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let host = [
            read("/etc/machine-id"),
            read("/proc/sys/kernel/osrelease"),
            format!("{:?}", lab::machine::processors::allowed().unwrap_or_default()),
            env!("CARGO_PKG_VERSION").to_string(),
            cfg!(debug_assertions).to_string(),
        ];
        let places = self.0.iter().map(|place| {
            // A ceiling is looked up by its stream's name.
            let Stream { name, engine, workload, threads, depth, cpus, drives_per_worker, .. } =
                place.stream;
            let (space, local) = (place.target.space(), &place.local);
            format!(
                "{name:?} {engine:?} {workload:?} {threads} {depth} {cpus:?} {drives_per_worker} \
                 {space:?} {local:?}"
            )
        });
        let hash = |seed: u64, text: String| {
            text.bytes().fold(mix(seed), |hash, byte| mix(hash ^ u64::from(byte)))
        };
        format!("{:016x}", host.into_iter().chain(places).fold(0, hash))
    }

    /// The best of a few windows and of the known value.
    fn measure(&self, mut best: Vec<Ceiling>, time: RunClock<'_>) -> Result<Vec<Ceiling>> {
        for _ in 0..WINDOWS {
            for found in self.window(time)? {
                match best.iter_mut().find(|ceiling| ceiling.stream == found.stream) {
                    Some(ceiling) => ceiling.ops_per_s = ceiling.ops_per_s.max(found.ops_per_s),
                    None => best.push(found),
                }
            }
        }
        if !best.is_empty() && !time.stopped() {
            let line = serde_json::to_string(&(self.shape(), &best));
            private::remember(KEPT, &line.context("writing the ceilings")?);
        }
        Ok(best)
    }

    fn window(&self, time: RunClock<'_>) -> Result<Vec<Ceiling>> {
        let groups = self.0.iter().map(CeilingStream::group).collect::<Result<Vec<_>>>()?;
        let (stop, span) =
            (AtomicBool::new(false), LoadSpan { warmup_ns: WARMUP_NS, duration_ns: WINDOW_NS });
        // A short separate load, started immediately, independent of the point's start time.
        let at_once = RunClock { starts_unix_ns: None, ..time };
        worker_group::run(at_once, &groups, span, &stop, &mut |load| {
            while (load.running)() {
                stop.fetch_or(time.stopped(), Relaxed);
                time.wait_towards(load.window.until_ns);
            }
            Ok(())
        })?;
        let mut found: Vec<Ceiling> = Vec::new();
        for group in &groups {
            let mut tallies = Vec::new();
            group.recorders.iter().for_each(|recorder| recorder.add_to(&mut tallies));
            let ops: u64 = tallies.iter().map(|tally| tally.ops).sum();
            let ops_per_s = (ops as f64 / (WINDOW_NS as f64 / 1e9)) as u64;
            match found.iter_mut().find(|ceiling| ceiling.stream == group.stream.name) {
                Some(ceiling) => ceiling.ops_per_s += ops_per_s,
                None => found.push(Ceiling { stream: group.stream.name.clone(), ops_per_s }),
            }
        }
        Ok(found)
    }
}

/// Whether the stream has a ceiling: only independent block or key requests. A transaction is a
/// dialogue, whose cost also depends on the server; a recorded load has its own times.
fn has_one(stream: &Stream) -> bool {
    workload::find(&stream.workload.name).is_some_and(|workload| {
        matches!(workload.info().family, RequestFamily::Block | RequestFamily::KeyValue)
            && !workload.waits(&stream.workload.knobs)
            && workload::recorded(stream).is_ok_and(|load| load.is_none())
    })
}

/// The stream's engine with NOP requests if it has them, otherwise the null engine over the same
/// space.
fn without_time(
    stream: &Stream,
    home: &DatasetLocation,
    space: AddressSpace,
    time: RunClock<'_>,
) -> Result<Box<dyn Target>> {
    let mut engine = stream.engine.clone();
    let found = engine::find(&engine.name);
    let mut home = home.clone();
    if found.is_some_and(|found| found.info().knobs.iter().any(|knob| knob.name == "nop")) {
        engine.knobs.0.insert("nop".into(), true.into());
        // No data are read that could be verified.
        engine.knobs.0.remove(verify::VERIFY.name);
    } else {
        engine = engine::null::instant(space);
        home = DatasetLocation::Nowhere;
    }
    dataset::open(&engine, &home, Access::ReadOnly, time.clock)
}

fn recall(shape: &str) -> Option<Vec<Ceiling>> {
    let read = |line: &String| serde_json::from_str::<(String, Vec<Ceiling>)>(line).ok();
    let lines = private::recall(KEPT);
    lines.iter().rev().filter_map(read).find(|(of, _)| of == shape).map(|(_, found)| found)
}
