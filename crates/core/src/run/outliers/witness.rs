//! Observes the host while ops are in flight: about every 10 ms, a thread samples how long each
//! worker was runnable but not running, whether Dyno itself stood still, steal time, and whether a
//! device has requests but completes none. docs/outliers.md describes how this is used.
//!
//! None of this is in a worker's loop. An expensive sample delays the next one, so that the thread
//! uses at most one percent of one processor.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use crate::base::clock::Clock;
use crate::lab::machine::processors;
use crate::measure::slowest::SlowestOp;
use crate::record::Evidence;
use crate::run::outliers::account::{Moment, read_numbers};
use crate::run::outliers::stretches::{Stretch, Stretches};
use crate::run::outliers::wakeup_probes::WakeupProbes;

/// Time between samples.
const TICK_NS: u64 = 10_000_000;

/// A sample may take one part in this many.
const SHARE: u64 = 100;

/// Shorter waits between two samples are not stored.
const LEAST_WAIT_NS: u64 = 20_000;

/// Lateness of the watcher that counts as a standstill, if no wait for a processor explains it.
const LEAST_STOP_NS: u64 = 2_000_000;

/// Interval between readings of steal time, which the kernel counts in hundredths of a second.
const STEAL_NS: u64 = 100_000_000;

/// One worker's data about its slowest ops.
#[derive(Default)]
pub struct WitnessSlot {
    /// The thread's number; 0 until it runs.
    tid: AtomicU32,
    /// Its accounting before the barrier, and after its last op.
    first: OnceLock<Moment>,
    /// None if the worker did not finish.
    last: OnceLock<Moment>,
    /// Its slowest ops.
    pub kept: OnceLock<Vec<SlowestOp>>,
}

impl WitnessSlot {
    /// Called by a worker's thread before it begins.
    pub fn take(&self, clock: Clock) {
        if let Some(moment) = Moment::own(clock) {
            let _ = self.first.set(moment);
        }
        self.tid.store(rustix::thread::gettid().as_raw_nonzero().get() as u32, Release);
    }

    /// Called by a worker's thread after its last op.
    pub fn leave(&self, clock: Clock, kept: Vec<SlowestOp>) {
        if let Some(moment) = Moment::own(clock) {
            let _ = self.last.set(moment);
        }
        let _ = self.kept.set(kept);
    }
}

/// The workers of one group, and the files with their device's request counters.
pub struct WatchedGroup {
    /// One for each worker.
    pub witness_slots: Arc<[WitnessSlot]>,
    /// `stat` files of the devices (Documentation/block/stat.rst); empty without a device.
    pub stats: Vec<PathBuf>,
    /// Kernel threads may be involved in its requests.
    pub by_threads: bool,
}

/// The observations.
#[derive(Default)]
pub struct WitnessRecord {
    /// Waits for a processor, by group and worker.
    waits: Vec<Vec<Stretches>>,
    /// Dyno did not run: (minimum, maximum).
    stopped: (Stretches, Stretches),
    steal: Stretches,
    /// Waits of ordinary threads, by processor.
    processors: Vec<Stretches>,
    devices: Vec<Option<WatchedDevice>>,
    /// Intended and actual wake-up of the watcher, for each late tick.
    late: Vec<(u64, u64)>,
}

/// The active witness; it stops when dropped.
pub struct Witness {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<WitnessRecord>>,
    probes: Option<WakeupProbes>,
}

impl Witness {
    /// Starts to observe; ticks later than `late_ns` are recorded.
    pub fn start(clock: Clock, watched: Vec<WatchedGroup>, late_ns: u64) -> Witness {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let all = watched.iter().any(|w| w.by_threads).then(processors::allowed);
        let probes = all.and_then(Result::ok).map(|all| WakeupProbes::start(clock, &all));
        let thread = std::thread::Builder::new()
            .name("witness".into())
            .spawn(move || Looking::new(clock, &watched, late_ns).run(&watched, &seen));
        // Without the thread nothing is observed; a machine that cannot start one fails at its
        // workers.
        Witness { stop, thread: thread.ok(), probes }
    }

    /// The observations.
    pub fn end(mut self) -> WitnessRecord {
        self.stop.store(true, Relaxed);
        let seen = self.thread.take().and_then(|thread| thread.join().ok());
        let processors = self.probes.take().map(WakeupProbes::end).unwrap_or_default();
        WitnessRecord { processors, ..seen.unwrap_or_default() }
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

/// A worker as observed by the witness.
#[derive(Default)]
struct Worker {
    account: Option<File>,
    last: Option<Moment>,
}

impl Worker {
    /// Its wait since the last sample.
    fn look(&mut self, seat: &WitnessSlot, clock: Clock, waits: &mut Stretches) {
        if self.account.is_none() {
            let tid = seat.tid.load(Acquire);
            if tid == 0 {
                return;
            }
            self.last = seat.first.get().copied();
            self.account = File::open(format!("/proc/self/task/{tid}/schedstat")).ok();
        }
        let now = self.account.as_ref().and_then(|file| Moment::read(file, clock));
        now.into_iter().for_each(|now| self.advance(now, waits));
    }

    fn advance(&mut self, now: Moment, waits: &mut Stretches) {
        if let Some(last) = self.last.replace(now) {
            let ns = now.waited_ns.saturating_sub(last.waited_ns);
            let switches = now.switches.saturating_sub(last.switches);
            if ns >= LEAST_WAIT_NS && now.at_ns > last.at_ns {
                waits.add(Stretch { ns, from_ns: last.at_ns, until_ns: now.at_ns, switches });
            }
        }
    }
}

/// A device according to the kernel's counters.
#[derive(Default)]
pub struct WatchedDevice {
    stats: Vec<File>,
    /// Time of sampling, requests completed, requests in flight.
    last: Option<(u64, u64, u64)>,
    stalled: Stretches,
    idle: Stretches,
}

impl WatchedDevice {
    fn open(paths: &[PathBuf]) -> Option<WatchedDevice> {
        let stats: Vec<File> = paths.iter().map(File::open).collect::<Result<_, _>>().ok()?;
        (!stats.is_empty()).then(|| WatchedDevice { stats, ..WatchedDevice::default() })
    }

    fn look(&mut self, clock: Clock) {
        let (mut completed, mut in_flight) = (0, 0);
        let mut count = |text: &str| {
            for (column, number) in text.split_ascii_whitespace().enumerate() {
                match column {
                    // Reads, writes, discards and flushes; the last two since Linux 4.18 and 5.5.
                    0 | 4 | 11 | 15 => completed += number.parse().unwrap_or(0),
                    8 => in_flight += number.parse().unwrap_or(0),
                    _ => {}
                }
            }
            Some(())
        };
        if self.stats.iter().try_for_each(|file| read_numbers(file, &mut count)).is_some() {
            self.note(clock.now_ns(), completed, in_flight);
        }
    }

    fn note(&mut self, at_ns: u64, completed: u64, in_flight: u64) {
        if let Some((from_ns, before, then)) = self.last.replace((at_ns, completed, in_flight))
            && before == completed
        {
            match (then, in_flight) {
                (0, 0) => self.idle.lasted(from_ns, at_ns),
                (1.., 1..) => self.stalled.lasted(from_ns, at_ns),
                _ => {}
            }
        }
    }
}

/// The thread's own state.
struct Looking {
    clock: Clock,
    late_ns: u64,
    workers: Vec<Vec<Worker>>,
    own: Option<File>,
    host: Option<File>,
    /// Time and value of the last steal reading.
    stolen: Option<(u64, u64)>,
    seen: WitnessRecord,
}

impl Looking {
    fn new(clock: Clock, watched: &[WatchedGroup], late_ns: u64) -> Looking {
        let none = |watched: &WatchedGroup| {
            watched.witness_slots.iter().map(|_| Stretches::default()).collect()
        };
        let seen = WitnessRecord {
            waits: watched.iter().map(none).collect(),
            devices: watched.iter().map(|w| WatchedDevice::open(&w.stats)).collect(),
            ..WitnessRecord::default()
        };
        let workers = watched
            .iter()
            .map(|w| w.witness_slots.iter().map(|_| Worker::default()).collect())
            .collect();
        let (own, host) = ("/proc/thread-self/schedstat", "/proc/stat");
        let (own, host) = (File::open(own).ok(), File::open(host).ok());
        Looking { clock, late_ns, workers, own, host, stolen: None, seen }
    }

    fn run(mut self, watched: &[WatchedGroup], stop: &AtomicBool) -> WitnessRecord {
        // Its observations matter most when every processor is in use.
        processors::run_on_waking();
        let (mut rest_ns, mut cost_ns) = (TICK_NS, 0);
        let mut before = self.account();
        while !stop.load(Relaxed) {
            let asleep_ns = self.clock.now_ns();
            let due_ns = asleep_ns + rest_ns;
            self.clock.sleep_until(due_ns);
            self.woke((asleep_ns, due_ns, self.clock.now_ns()), before);
            self.look(watched);
            let after = self.account();
            // The mean over about eight samples, so that one expensive sample has little effect.
            cost_ns = (7 * cost_ns + after.ran_ns.saturating_sub(before.ran_ns)) / 8;
            before = after;
            rest_ns = TICK_NS.max(SHARE * cost_ns);
        }
        self.close(watched);
        self.seen
    }

    fn account(&self) -> Moment {
        self.own.as_ref().and_then(|file| Moment::read(file, self.clock)).unwrap_or_default()
    }

    /// If it is later than it waited for a processor, nothing of Dyno ran.
    fn woke(&mut self, (asleep_ns, due_ns, woke_ns): (u64, u64, u64), before: Moment) {
        let late_ns = woke_ns.saturating_sub(due_ns);
        if late_ns >= self.late_ns {
            self.seen.late.push((due_ns, woke_ns));
        }
        if late_ns < LEAST_STOP_NS {
            return;
        }
        let waited_ns = self.account().waited_ns.saturating_sub(before.waited_ns);
        let stopped_ns = late_ns.saturating_sub(waited_ns);
        if stopped_ns >= LEAST_STOP_NS {
            self.seen.stopped.0.lasted(due_ns, due_ns + stopped_ns);
            self.seen.stopped.1.lasted(asleep_ns, woke_ns);
        }
    }

    fn look(&mut self, watched: &[WatchedGroup]) {
        for ((group, workers), waits) in
            watched.iter().zip(&mut self.workers).zip(&mut self.seen.waits)
        {
            for ((seat, worker), waits) in group.witness_slots.iter().zip(workers).zip(waits) {
                worker.look(seat, self.clock, waits);
            }
        }
        let clock = self.clock;
        self.seen.devices.iter_mut().flatten().for_each(|device| device.look(clock));
        let now_ns = self.clock.now_ns();
        if self.stolen.is_none_or(|(at_ns, _)| now_ns >= at_ns + STEAL_NS) {
            self.look_for_steal(now_ns);
        }
    }

    fn look_for_steal(&mut self, now_ns: u64) {
        // cpu user nice system idle iowait irq softirq steal, in hundredths of a second.
        let nth = |text: &str| text.split_ascii_whitespace().nth(8)?.parse().ok();
        let Some(steal) = self.host.as_ref().and_then(|file| read_numbers(file, nth)) else {
            return;
        };
        if let Some((from_ns, before)) = self.stolen.replace((now_ns, steal))
            && steal > before
        {
            let ns = (steal - before) * 10_000_000;
            self.seen.steal.add(Stretch { ns, from_ns, until_ns: now_ns, switches: 0 });
        }
    }

    /// Read by the workers themselves after their last op.
    fn close(&mut self, watched: &[WatchedGroup]) {
        for ((group, workers), waits) in
            watched.iter().zip(&mut self.workers).zip(&mut self.seen.waits)
        {
            for ((seat, worker), waits) in group.witness_slots.iter().zip(workers).zip(waits) {
                worker.last = worker.last.or(seat.first.get().copied());
                seat.last.get().into_iter().for_each(|last| worker.advance(*last, waits));
            }
        }
    }
}

impl WitnessRecord {
    /// Late ticks: intended and actual times.
    pub fn late(&self) -> &[(u64, u64)] {
        &self.late
    }

    /// Observations of a worker between two times; None if not observed throughout.
    pub fn evidence(
        &self,
        (group, worker): (usize, usize),
        seat: &WitnessSlot,
        (from_ns, until_ns): (u64, u64),
    ) -> Option<Evidence> {
        let (first, last) = (seat.first.get()?, seat.last.get()?);
        if from_ns < first.at_ns || until_ns > last.at_ns {
            return None;
        }
        let waits = self.waits.get(group)?.get(worker)?;
        let (waited_least_ns, most_ns) = waits.between(from_ns, until_ns);
        // Amounts too small to be stored may have occurred between any two samples.
        let looks = (until_ns - from_ns) / TICK_NS + 2;
        let unseen_ns = looks * waits.dropped_ns().max(LEAST_WAIT_NS);
        let longest = |waits: &Stretches| waits.longest(from_ns, until_ns);
        let kernels_ns = self.processors.iter().map(longest).max().unwrap_or(0);
        let device = self.devices.get(group).and_then(Option::as_ref);
        let covered = |by: fn(&WatchedDevice) -> &Stretches| {
            device.map(|device| by(device).covered(from_ns, until_ns))
        };
        Some(Evidence {
            waited_least_ns,
            waited_most_ns: (most_ns + unseen_ns + kernels_ns).min(until_ns - from_ns),
            stopped_least_ns: self.stopped.0.covered(from_ns, until_ns),
            stopped_most_ns: self.stopped.1.covered(from_ns, until_ns),
            steal_most_ns: self.steal.between(from_ns, until_ns).1,
            switches: waits.switches(from_ns, until_ns),
            device_stalled_ns: covered(|device| &device.stalled),
            device_idle_ns: covered(|device| &device.idle),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_with_requests_that_completes_none_is_stalled_and_one_without_is_idle() {
        let mut device = WatchedDevice::default();
        // (time, completed, in flight): working, stalled from 20 to 40, idle from 50 to 60.
        [(10, 5, 1), (20, 9, 1), (30, 9, 1), (40, 9, 1), (50, 10, 0), (60, 10, 0)]
            .into_iter()
            .for_each(|(at_ns, completed, in_flight)| device.note(at_ns, completed, in_flight));
        assert_eq!(device.stalled.covered(0, 100), 20);
        assert_eq!(device.idle.covered(0, 100), 10);
    }

    #[test]
    fn an_op_that_nothing_watched_to_its_end_has_no_evidence() {
        let seat = WitnessSlot::default();
        assert_eq!(WitnessRecord::default().evidence((0, 0), &seat, (1, 2)), None);
    }
}
