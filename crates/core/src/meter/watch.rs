//! The threads that read a run's meters: one for each, so that a slow meter does not delay the
//! others. A failed meter leaves a gap and an error record and is read again; it never ends the
//! run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{ALWAYS, Meter, MeterTarget, Probe, Reading, ReadingTime, find, power};
use crate::base::clock::Clock;
use crate::base::error::{Result, describe, failed};
use crate::plan::{Component, Knobs, Plan};

/// Maximum delay of a reading until it is recorded: determines the samples retained between two
/// points.
const KEPT: usize = 1_000_000;

/// A reading with its meter and subject.
#[derive(Clone, Debug)]
pub struct MeterReading {
    /// The meter's name in the plan; two of one kind are numbered.
    pub meter: String,
    /// Its subject; None if it is the host's or shared.
    pub subject: Option<String>,
    /// A gap is a reading whose value is not a number.
    pub reading: Reading,
}

/// An error of a meter, and its time.
#[derive(Clone, Debug)]
pub struct MeterTrouble {
    /// The meter's name in the plan.
    pub meter: String,
    /// Its subject; None for the host.
    pub subject: Option<String>,
    /// Time, in nanoseconds of the run's clock.
    pub at_ns: u64,
    /// What failed, and what to do next.
    pub what: String,
}

#[derive(Default)]
struct HeldReadings {
    seen: Vec<MeterReading>,
    troubles: Vec<MeterTrouble>,
}

struct WatchState {
    held: Mutex<HeldReadings>,
    stop: AtomicBool,
    /// Numbers the marks at which every meter is read at once.
    marks: AtomicU64,
}

/// A run's active meters; they stop when dropped.
pub struct MeterWatch {
    shared: Arc<WatchState>,
    threads: Vec<StationThread>,
    measures_power: bool,
}

/// The thread of one meter.
struct StationThread {
    handle: JoinHandle<()>,
    /// The last mark for which the meter has been read; None if it ignores marks.
    marked: Option<Arc<AtomicU64>>,
    holds_marks: bool,
}

/// Time limit for the end of a meter's thread. A read from a device that does not respond may never
/// return.
const ENDS: Duration = Duration::from_secs(2);

/// One active meter.
struct Station {
    meter: String,
    subject: Option<String>,
    every_ns: u64,
    due_ns: u64,
    /// Counters are also read at a point's start and end.
    on_mark: bool,
    /// Whether a mark waits for this meter.
    holds_marks: bool,
    probe: Box<dyn Probe>,
    /// The gauges affected by a gap.
    names: Vec<String>,
    failing: bool,
}

impl MeterWatch {
    /// Opens the plan's meters and the permanent ones. A meter of the plan that cannot be opened is
    /// an error, because the user requested it.
    pub fn start(plan: &Plan, clock: Clock) -> Result<MeterWatch> {
        let divided = plan.protocol.preparation.namespaces > 0;
        let everywhere: Vec<PathBuf> = plan.subjects.iter().flat_map(places).collect();
        let asked = |name: &str| plan.meters.iter().any(|m| m.name == name);
        let always = ALWAYS.iter().filter(|name| !asked(name));
        let always =
            always.map(|name| Component { name: name.to_string(), knobs: Knobs::default() });
        let mut stations = Vec::new();
        for part in always.chain(plan.meters.iter().cloned()) {
            if find(&part.name).is_some_and(|meter| meter.watches_drives()) {
                for subject in &plan.subjects {
                    let places: Vec<PathBuf> = places(subject).collect();
                    stations.push(Station::open(
                        &part,
                        Some(subject.name.clone()),
                        &places,
                        divided,
                    )?);
                }
            } else {
                stations.push(Station::open(&part, None, &everywhere, divided)?);
            }
        }
        for subject in &plan.subjects {
            let places: Vec<PathBuf> = places(subject).collect();
            for part in &subject.meters {
                stations.push(Station::open(part, Some(subject.name.clone()), &places, divided)?);
            }
        }
        number(&mut stations);
        MeterWatch::of(stations, clock)
    }

    fn of(stations: Vec<Station>, clock: Clock) -> Result<MeterWatch> {
        let measures_power = stations.iter().any(|s| !ALWAYS.contains(&s.meter.as_str()));
        let shared = Arc::new(WatchState {
            held: Mutex::default(),
            stop: AtomicBool::new(false),
            marks: AtomicU64::new(0),
        });
        let mut watch = MeterWatch { shared, threads: Vec::new(), measures_power };
        for mut station in stations {
            let shared = Arc::clone(&watch.shared);
            let marked = station.on_mark.then(|| Arc::new(AtomicU64::new(0)));
            let holds_marks = station.holds_marks;
            let own = marked.clone();
            let body = move || attend(&shared, &mut station, own.as_deref(), clock);
            let handle = std::thread::Builder::new().name("meter".to_string()).spawn(body)?;
            watch.threads.push(StationThread { handle, marked, holds_marks });
        }
        Ok(watch)
    }

    /// Whether the plan names meters beyond the permanent ones.
    pub fn measures_power(&self) -> bool {
        self.measures_power
    }

    /// Triggers a reading of every counter: at the start and end of a window.
    pub fn mark(&self) -> u64 {
        let mark = self.shared.marks.fetch_add(1, Relaxed) + 1;
        let concerned = self.threads.iter().filter(|station| station.marked.is_some());
        concerned.for_each(|station| station.handle.thread().unpark());
        mark
    }

    /// Waits for a mark to be processed, but only briefly.
    pub fn await_mark(&self, mark: u64, clock: Clock) {
        let patience_ns = clock.now_ns() + 2_000_000_000;
        let is_read = |station: &StationThread| {
            let marked = station.marked.as_ref().filter(|_| station.holds_marks);
            marked.is_none_or(|own| own.load(Relaxed) >= mark) || station.handle.is_finished()
        };
        while !self.threads.iter().all(is_read) && clock.now_ns() < patience_ns {
            clock.sleep_until(clock.now_ns() + 2_000_000);
        }
    }

    /// The latest recent readings of each requested gauge, up to this number, sorted by name.
    /// Nothing is discarded.
    pub fn latest(&self, most: usize, wanted: &dyn Fn(&MeterReading) -> bool) -> Vec<MeterReading> {
        /// The number of readings examined: a few seconds.
        const LOOKED_AT: usize = 4_096;
        let held = lock(&self.shared.held);
        let mut latest = BTreeMap::new();
        for seen in held.seen.iter().rev().take(LOOKED_AT).filter(|seen| wanted(seen)) {
            let of = (&seen.meter, &seen.subject, &seen.reading.name);
            if latest.len() < most || latest.contains_key(&of) {
                latest.entry(of).or_insert(seen);
            }
        }
        latest.into_values().filter(|s| s.reading.value.is_finite()).cloned().collect()
    }

    /// The readings of a subject's and of shared meters from `from_ns` on; older ones are
    /// discarded.
    pub fn collect(&self, subject: &str, from_ns: i64) -> (Vec<MeterReading>, Vec<MeterTrouble>) {
        let mut held = lock(&self.shared.held);
        held.seen.retain(|s| s.reading.at_ns >= from_ns);
        held.troubles.retain(|t| t.at_ns as i64 >= from_ns);
        let ours = |of: &Option<String>| of.as_deref().is_none_or(|name| name == subject);
        let seen = held.seen.iter().filter(|s| ours(&s.subject)).cloned().collect();
        let troubles = held.troubles.iter().filter(|t| ours(&t.subject)).cloned().collect();
        (seen, troubles)
    }
}

impl Drop for MeterWatch {
    fn drop(&mut self) {
        self.shared.stop.store(true, Relaxed);
        self.threads.iter().for_each(|station| station.handle.thread().unpark());
        let until = Instant::now() + ENDS;
        for StationThread { handle, .. } in self.threads.drain(..) {
            while !handle.is_finished() && Instant::now() < until {
                std::thread::park_timeout(Duration::from_millis(1));
            }
            if handle.is_finished() {
                // A panicked meter thread returns nothing.
                let _ = handle.join();
            }
        }
    }
}

fn lock(held: &Mutex<HeldReadings>) -> MutexGuard<'_, HeldReadings> {
    held.lock().unwrap_or_else(|e| e.into_inner())
}

fn places(subject: &crate::plan::Subject) -> impl Iterator<Item = PathBuf> + '_ {
    subject.drives.iter().map(|d| d.place.path().to_path_buf())
}

/// Distinguishes meters of one kind on the same subject: "exec", "exec 2".
fn number(stations: &mut [Station]) {
    for i in 1..stations.len() {
        let (before, this) = stations.split_at_mut(i);
        let meets = |other: &&Station| {
            let both = other.subject.is_none()
                || this[0].subject.is_none()
                || other.subject == this[0].subject;
            both && other.meter.split(' ').next() == Some(&this[0].meter)
        };
        let earlier = before.iter().filter(meets).count();
        if earlier > 0 {
            this[0].meter = format!("{} {}", this[0].meter, earlier + 1);
        }
    }
}

impl Station {
    fn open(
        part: &Component,
        subject: Option<String>,
        places: &[PathBuf],
        divided: bool,
    ) -> Result<Station> {
        let meter: &dyn Meter = find(&part.name).ok_or_else(|| {
            failed(
                format!("unknown meter '{}'", part.name),
                "`dyno list` prints the available ones",
            )
        })?;
        let probe = meter.open(&MeterTarget { knobs: &part.knobs, places, divided })?;
        Ok(Station {
            meter: part.name.clone(),
            subject,
            every_ns: meter.every_ns(),
            due_ns: 0,
            on_mark: meter.every_ns() >= 1_000_000_000,
            holds_marks: meter.holds_marks(),
            probe,
            names: Vec::new(),
            failing: false,
        })
    }

    fn read(&mut self, now: ReadingTime, held: &Mutex<HeldReadings>) {
        let mut out = Vec::new();
        let result = self.probe.read(now, &mut out);
        // An impossible value is a fault of the meter, and a gap.
        let fault = power::fault(&mut out).map(Err);
        let result = fault.unwrap_or(result);
        let mut held = lock(held);
        for reading in &out {
            if !self.names.contains(&reading.name) {
                self.names.push(reading.name.clone());
            }
        }
        if out.iter().any(|reading| reading.value.is_finite()) {
            self.failing = false;
        }
        let seen = |reading| MeterReading {
            meter: self.meter.clone(),
            subject: self.subject.clone(),
            reading,
        };
        held.seen.extend(out.into_iter().map(seen));
        if let Err(error) = result {
            // One gap and one error per failure, whatever its duration.
            if !self.failing {
                let gap = |name: &String| seen(now.reading(name.clone(), f64::NAN));
                held.seen.extend(self.names.iter().map(gap));
            }
            let what = describe(&error).0;
            let known = |t: &MeterTrouble| {
                t.meter == self.meter && t.subject == self.subject && t.what == what
            };
            if !held.troubles.iter().any(known) {
                let (meter, subject) = (self.meter.clone(), self.subject.clone());
                held.troubles.push(MeterTrouble { meter, subject, at_ns: now.ns, what });
            }
            self.failing = true;
        }
        let excess = held.seen.len().saturating_sub(KEPT);
        held.seen.drain(..excess);
    }
}

/// The body of a meter's thread.
fn attend(shared: &WatchState, station: &mut Station, marked: Option<&AtomicU64>, clock: Clock) {
    while !shared.stop.load(Relaxed) {
        let mark = shared.marks.load(Relaxed);
        let is_marked = marked.is_some_and(|own| own.load(Relaxed) != mark);
        let ns = clock.now_ns();
        if ns >= station.due_ns || is_marked {
            if is_marked {
                station.probe.mark();
            }
            station.read(ReadingTime { ns, unix_ns: clock.unix_ns(ns) }, &shared.held);
            if ns >= station.due_ns {
                // Readings missed by a slow meter are not repeated.
                station.due_ns = (station.due_ns + station.every_ns).max(ns + station.every_ns / 2);
            }
            if let Some(again_ns) = station.probe.again_ns() {
                station.due_ns = station.due_ns.min(clock.now_ns() + again_ns);
            }
            marked.iter().for_each(|own| own.store(mark, Relaxed));
        }
        // Until the next reading is due; a mark or the end wakes the thread.
        let rest_ns = station.due_ns.saturating_sub(clock.now_ns());
        if rest_ns > 0 {
            std::thread::park_timeout(Duration::from_nanos(rest_ns));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts its reads.
    struct Reads(Arc<AtomicU64>);

    impl Probe for Reads {
        fn read(&mut self, _now: ReadingTime, _out: &mut Vec<Reading>) -> Result<()> {
            self.0.fetch_add(1, Relaxed);
            Ok(())
        }
    }

    /// A slow read.
    struct Slow(Duration);

    impl Probe for Slow {
        fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
            std::thread::sleep(self.0);
            out.push(now.reading("slow_watts", 1.0));
            Ok(())
        }
    }

    #[test]
    fn a_meter_that_does_not_answer_starves_no_other_and_does_not_hold_a_mark_up() {
        let (reads, clock) = (Arc::new(AtomicU64::new(0)), Clock::start());
        let station = |meter: &str, holds_marks, probe| Station {
            meter: meter.to_string(),
            subject: None,
            every_ns: 1_000_000,
            due_ns: 0,
            on_mark: true,
            holds_marks,
            probe,
            names: Vec::new(),
            failing: false,
        };
        // The read lasts as long as the test, so there is no second one.
        let slow = station("redfish", false, Box::new(Slow(Duration::from_secs(1))));
        let quick = station("rail", true, Box::new(Reads(Arc::clone(&reads))));
        let watch = MeterWatch::of(vec![slow, quick], clock).unwrap();
        while reads.load(Relaxed) < 5 {
            std::thread::yield_now();
        }
        watch.await_mark(watch.mark(), clock);
        assert!(watch.latest(9, &|_| true).is_empty(), "the slow one has not answered yet");
    }

    #[test]
    fn a_mark_reads_a_counter_at_once_however_far_its_next_reading_is() {
        let (reads, clock) = (Arc::new(AtomicU64::new(0)), Clock::start());
        let hourly = Station {
            meter: "hourly".to_string(),
            subject: None,
            every_ns: 3_600_000_000_000,
            due_ns: 0,
            on_mark: true,
            holds_marks: true,
            probe: Box::new(Reads(Arc::clone(&reads))),
            names: Vec::new(),
            failing: false,
        };
        let watch = MeterWatch::of(vec![hourly], clock).unwrap();
        while reads.load(Relaxed) == 0 {
            std::thread::yield_now();
        }
        for read in 2..6 {
            watch.await_mark(watch.mark(), clock);
            assert_eq!(reads.load(Relaxed), read);
        }
    }
}
