//! Bytes written around a point: the counters of engines, read before the load, at the edges of the
//! window and after the cool-down, in which compaction ends and the drive finishes.

use std::collections::BTreeMap;

use crate::base::error::Result;
use crate::measure::worker::MeasuredWindow;
use crate::meter::watch::MeterWatch;
use crate::plan::Step;
use crate::record::Sample;
use crate::record::gauge::written::engine::{METER, PART, USER};
use crate::run::datasets::targets::Targets;
use crate::run::display::time::RunClock;

/// Engines' counters over a point; those of several targets are summed.
#[derive(Default)]
pub struct EngineCounters {
    seen: Vec<(u64, BTreeMap<&'static str, u64>)>,
}

impl EngineCounters {
    /// Reads them all.
    pub fn read(&mut self, targets: &Targets, now_ns: u64) {
        let mut counts = BTreeMap::new();
        for (part, bytes) in targets.values().flat_map(|(_, target)| target.written()) {
            *counts.entry(part).or_default() += bytes;
        }
        if !counts.is_empty() {
            self.seen.push((now_ns, counts));
        }
    }

    /// For engines that write exactly the user's bytes, those of the ops: `inside` the window and
    /// `after` it. The counters of a drive are read once more after a cool-down, and then include
    /// the ops that were in flight when the window closed.
    pub fn or_of_ops(&mut self, window: MeasuredWindow, (inside, after): (u64, u64), now_ns: u64) {
        if !self.seen.is_empty() || inside + after == 0 {
            return;
        }
        let ends = [(window.from_ns, 0), (window.until_ns, inside), (now_ns, inside + after)];
        self.seen = ends.map(|(at_ns, bytes)| (at_ns, BTreeMap::from([("user", bytes)]))).into();
    }

    /// The readings, for a window that began at `from_ns`.
    pub fn samples(self, from_ns: u64) -> impl Iterator<Item = Sample> {
        let of = move |at_ns: u64, (part, bytes): (&str, u64)| {
            let name = if part == "user" { USER.to_string() } else { format!("{part}{PART}") };
            let at_ns = at_ns as i64 - from_ns as i64;
            Sample { at_ns, meter: METER.to_string(), name, value: bytes as f64 }
        };
        self.seen
            .into_iter()
            .flat_map(move |(at_ns, counts)| counts.into_iter().map(move |c| of(at_ns, c)))
    }
}

/// Reads the counters before anything is written: those of the engines, and those of the plan's
/// meters, if any. Returns the start time of the readings.
pub fn before_load(
    targets: &Targets,
    watch: Option<&MeterWatch>,
    time: RunClock<'_>,
) -> (u64, EngineCounters) {
    let (asked_ns, mut counters) = (time.now_ns(), EngineCounters::default());
    if let Some(watch) = watch.filter(|watch| watch.measures_power()) {
        watch.await_mark(watch.mark(), time.clock);
    }
    counters.read(targets, time.now_ns());
    (asked_ns, counters)
}

/// The cool-down: waits for the engines' background work, writes back the data in memory, and gives
/// the drive the time specified by the step. Returns the meters' mark after it; None if the step
/// has no cool-down.
pub fn cool_down(
    step: &Step,
    targets: &Targets,
    watch: Option<&MeterWatch>,
    time: RunClock<'_>,
) -> Result<Option<u64>> {
    if step.cooldown_ns == 0 {
        return Ok(None);
    }
    for (_, target) in targets.values() {
        target.settle(time.stop)?;
        target.sync(time.stop)?;
    }
    time.wait_until(time.now_ns() + step.cooldown_ns);
    Ok(watch.map(MeterWatch::mark))
}
