//! Executes a plan: prepares datasets, measures points one after another, and writes everything to
//! a `Sink`. Independent of SQLite.
//!
//! Before a run: `preflight` does all checks, of which `admit`, `space`, `host_limits` and
//! `requirements` check which drives it may start on, whether there is room on them and on the
//! host, and whether kernel and devices support the plan; `before` reads what an earlier part of
//! the run did.
//!
//! Preparation: `prepare` executes `[prepare]` as `task`s, with `precondition` and `steady`;
//! `dataset` places and fills datasets, `snapshot` restores them, `servers` divides processors and
//! memory among database servers, `verification` checks plans with `verify = true`.
//!
//! A point: `point` measures one, `targets` opens the datasets of a subject, `placement` assigns
//! processors, `replay` prepares recorded loads, `worker_group` runs the workers from `start_gate`
//! to join, `telemetry` reads them once per second, `completed` checks whether there are any
//! figures, `search` and `stopping_rule` decide what is measured next.
//!
//! Evidence: `witness`, `wakeup_probes`, `account`, `stretches`, `standstill` and `slow_ops` record
//! what the host did meanwhile; `floor`, `ceiling` and `maxima` measure the limits of Dyno and of
//! the load sweeps.
//!
//! Display: `progress`, `time_left`, `live`. `time` is the clock with the signal that ends its
//! waits. `context` is the data shared by all of them.

pub mod admit;
mod context;
pub mod datasets;
pub mod display;
pub mod host_limits;
mod load_memory;
mod meters;
pub mod outliers;
mod placement;
pub mod planned;
mod point;
pub mod points;
mod preflight;
pub mod prepare;
mod replay;
mod requirements;
mod slow_ops;
mod start_gate;
#[cfg(test)]
mod tests_littles_law;
mod worker_group;
mod written;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::clock::Clock;
use crate::base::error::{Result, describe};
use crate::lab::drive::{contents, shared, write_cache};
use crate::lab::folder::data::FOLDER;
use crate::lab::guard;
use crate::meter::watch::MeterWatch;
use crate::plan::{Plan, PointPlan, Subject};
use crate::record::setup::{DriveWriteCache, WriteCacheTime};
use crate::record::{Fact, Outcome, PacingFloor, Point, Sink, key};
pub use crate::run::placement::unused as unused_processors;
pub use crate::run::preflight::preflight;
use crate::run::prepare::ReadySubject;
pub use crate::run::replay::recorded_duration;
use admit::Leftovers;
use context::RunContext;
use datasets::before::Before;
use display::progress::Progress;
use display::time::RunClock;
pub use points::maxima::Maxima;
use points::search::Searches;
use points::stopping_rule::Figures;

/// Prepared subjects by name, or the reason why one could not be prepared.
type ReadySubjects = HashMap<String, std::result::Result<ReadySubject, String>>;

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// Points measured completely.
    pub measured: usize,
    /// Points that failed; their causes are in the bundle.
    pub failed: usize,
    /// A signal ended it; `dyno run --resume` continues it.
    pub interrupted: bool,
}

/// The inputs of a run besides its plan.
pub struct RunRequest<'a> {
    /// The resolved plan.
    pub plan: &'a Plan,
    /// The points in order, without those already in the bundle.
    pub points: Vec<PointPlan>,
    /// Results of searches from points already in the bundle.
    pub searches: Searches,
    /// Maxima from points already in the bundle; others are added when measured.
    pub maxima: Maxima,
    /// Preparation by an earlier part of the run.
    pub before: Before,
    /// Headline figures, which determine whether a point was repeated often enough, likewise.
    pub figures: Figures,
    /// The destination of results.
    pub sink: &'a mut dyn Sink,
    /// The display.
    pub progress: &'a Progress,
    /// Set by a signal.
    pub stop: &'a AtomicBool,
    /// The clock for all timestamps of the run.
    pub clock: Clock,
    /// The start times of its points, if set by wall clock.
    pub starts: Option<Starts>,
}

/// Start times of points that are shared with other hosts: each has its slot by its index in the
/// plan, even if an earlier one is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starts {
    /// Start of the first point's load, nanoseconds since 1970 on this host's clock.
    pub first_unix_ns: u64,
    /// Time from one point's start to the next.
    pub every_ns: u64,
}

impl Starts {
    fn of(self, index: usize) -> u64 {
        self.first_unix_ns.saturating_add(self.every_ns.saturating_mul(index as u64))
    }
}

impl<'a> RunRequest<'a> {
    /// Measures every point. An error here means that nothing more can be measured (a dataset that
    /// cannot be created, a bundle that cannot be written); problems of a single point are stored
    /// with it.
    pub fn execute(self) -> Result<RunSummary> {
        let (plan, points) = replay::completed(self.plan, self.points)?;
        RunRequest { plan: &plan, points, sink: &mut *self.sink, ..self }.execute_completed()
    }

    fn execute_completed(mut self) -> Result<RunSummary> {
        let writes = self.points.iter().any(|p| datasets::dataset::writes(&p.step));
        let checked = (writes, Leftovers::Remove);
        let pins = crate::run::preflight::look(self.plan, &self.before, checked, self.clock)?;
        // From here on every drive is the admitted one, even if its name refers to another.
        self.points.iter_mut().for_each(|point| point.subject = pins.subject(&point.subject));
        let writes = writes || crate::run::prepare::writes(self.plan);
        let (mut ready, mut begun) = (HashMap::new(), Vec::new());
        let measured = self.measure_all(&mut ready, writes, &mut begun);
        let after: Vec<DriveWriteCache> = ready
            .values()
            .flatten()
            .flat_map(|r| write_cache::states(&r.subject, WriteCacheTime::AfterRun))
            .collect();
        let left: Vec<Result<()>> = ready.values().flatten().map(ReadySubject::leave).collect();
        let left: Result<()> = left.into_iter().collect();
        let contents = begun.iter().try_for_each(|subject| self.note_contents(subject));
        let summary = measured?;
        self.sink.write_caches(&after)?;
        left.and(contents).map(|()| summary)
    }

    /// Records the contents that the run leaves on a subject's drives, by which the next run
    /// recognises them. A drive that cannot be read is not recognised.
    fn note_contents(&mut self, subject: &Subject) -> Result<()> {
        let drives = subject.drives.iter().enumerate();
        let remembered = drives.filter_map(|(i, drive)| {
            contents::remember(&subject.name, i as u32, drive).ok().flatten()
        });
        self.sink.left(&remembered.collect::<Vec<_>>())
    }

    /// `begun` receives the subjects whose drives the run may have written to.
    fn measure_all(
        &mut self,
        ready: &mut ReadySubjects,
        writes: bool,
        begun: &mut Vec<Subject>,
    ) -> Result<RunSummary> {
        let watch = if self.plan.unwatched {
            None
        } else {
            Some(Rc::new(MeterWatch::start(self.plan, self.clock)?))
        };
        self.progress.meters(watch.as_ref().map(Rc::downgrade).unwrap_or_default());
        let watch = watch.as_deref();
        let mut summary = RunSummary::default();
        let points = std::mem::take(&mut self.points);
        let to_do = self.plan.subjects.iter().map(|s| crate::run::prepare::to_do(self.plan, s));
        self.progress.begin(&points, to_do.collect());
        self.searches.begin(self.plan, &points);
        for (index, place) in points.iter().enumerate() {
            self.progress.next(&points[index + 1..]);
            let Some(point) = self.searches.instead(place, &points) else {
                self.progress.point_spared();
                continue;
            };
            if self.figures.enough(self.plan, &point.key) {
                self.progress.point_spared();
                continue;
            }
            let name = &point.subject.name;
            if !ready.contains_key(name) {
                if writes {
                    begun.push(point.subject.clone());
                    crate::run::prepare::note_begun(&point.subject, self.sink)?;
                }
                let made = self.prepare(point, ready);
                if self.stop.load(Relaxed) {
                    summary.interrupted = true;
                    break;
                }
                let made = made?;
                self.progress.prepared(name, made.is_ok());
                ready.insert(name.clone(), made);
            }
            let Some(subject) = ready.get(name) else { continue };
            if let (true, Some(watch)) = (summary == RunSummary::default(), watch) {
                let idle = meters::at_rest(watch, self.plan, self.time(), self.progress);
                self.sink.observed(&idle)?;
            }
            if self.stop.load(Relaxed) {
                summary.interrupted = true;
                break;
            }
            match self.measure(point, subject, watch, index)? {
                None => {
                    summary.interrupted = true;
                    break;
                }
                Some(true) => summary.measured += 1,
                Some(false) => summary.failed += 1,
            }
        }
        self.progress.end();
        Ok(summary)
    }

    /// Prepares a point's subject, or returns why it could not: its points then fail, and those of
    /// others continue.
    fn prepare(
        &mut self,
        point: &PointPlan,
        ready: &ReadySubjects,
    ) -> Result<std::result::Result<ReadySubject, String>> {
        let mut subject = point.subject.clone();
        for drive in &mut subject.drives {
            let mut others = ready.values().flatten().flat_map(|other| &other.subject.drives);
            if others.any(|other| other.place.path() == drive.place.path()) {
                // A device of two subjects: its contents are the run's own.
                drive.erase_signatures.push(guard::UNKNOWN.to_string());
            }
        }
        match crate::run::prepare::prepare(self.context(None), &subject, &self.before, self.sink) {
            Ok(ready) => Ok(Ok(ready)),
            Err(error) if self.plan.subjects.len() == 1 => Err(error),
            Err(error) => Ok(Err(cause(&error))),
        }
    }

    fn time(&self) -> RunClock<'a> {
        RunClock { clock: self.clock, stop: self.stop, starts_unix_ns: None }
    }

    /// The context for a load with a fixed start time.
    fn context(&self, starts_unix_ns: Option<u64>) -> RunContext<'a> {
        let time = RunClock { starts_unix_ns, ..self.time() };
        RunContext { plan: self.plan, time, progress: self.progress }
    }

    /// A point that could not begin.
    fn unmeasured(&self, point: &PointPlan, cause: String) -> Point {
        let begun = Point::begun(point.key.clone(), self.time().unix_ns());
        Point { outcome: Outcome::Failed { cause }, ..begun }
    }

    /// Measures and stores one point, and returns whether it was measured completely; `None` if a
    /// signal interrupted it, in which case nothing is stored.
    fn measure(
        &mut self,
        point: &PointPlan,
        subject: &std::result::Result<ReadySubject, String>,
        watch: Option<&MeterWatch>,
        index: usize,
    ) -> Result<Option<bool>> {
        self.progress.point(point);
        self.sink.begin(&point.key)?;
        let mut measured = match subject {
            Ok(ready) => {
                let on = PointPlan { subject: ready.subject.clone(), ..point.clone() };
                let run = self.context(self.starts.map(|starts| starts.of(index)));
                match ready.refill(run, &on.step) {
                    Ok(refilled) => {
                        let mut measured =
                            crate::run::point::measure(run, &on, &self.maxima, watch, self.sink)?;
                        ready.note_emptied(&on.step);
                        measured.facts.extend(refilled);
                        measured.facts.extend_from_slice(&ready.marks);
                        measured
                    }
                    Err(error) => self.unmeasured(point, cause(&error)),
                }
            }
            Err(cause) => self.unmeasured(point, cause.clone()),
        };
        if self.stop.load(Relaxed) {
            self.sink.discard()?;
            crate::run::prepare::note_state(self.plan, &point.subject, self.sink)?;
            return Ok(None);
        }
        self.maxima.note(point.step.sweep.as_ref(), &measured);
        let figure = points::stopping_rule::headline(&measured);
        figure.into_iter().for_each(|figure| self.figures.note(self.plan, &point.key, figure));
        measured.facts.extend(self.searches.note(&point.key, point.step.sweep.as_ref(), &measured));
        self.sink.end(&measured)?;
        crate::run::prepare::note_state(self.plan, &point.subject, self.sink)?;
        self.progress.point_done(point, &measured);
        let answered = points::search::answered(point.step.sweep.as_ref(), &measured);
        Ok(Some(measured.outcome == Outcome::Measured || answered))
    }
}

/// A stream's mean rate on one drive and instance, to which its schedule's percentage refers.
pub fn ops_per_s(point: &crate::record::Point, stream: &str) -> f64 {
    let cells: Vec<_> = point.cells.iter().filter(|c| c.stream == stream).collect();
    let ops: u64 = cells.iter().flat_map(|c| &c.tallies).map(|t| t.ops).sum();
    ops as f64 / (point.window_ns.unwrap_or(0) as f64 / 1e9) / cells.len().max(1) as f64
}

/// An error in one line, as stored with a point.
fn cause(error: &crate::base::error::Error) -> String {
    let (what, try_next) = describe(error);
    [vec![what], try_next].concat().join("; ")
}

/// Refuses subjects that share a physical device, unless the plan allows it or stores nothing on
/// drives.
pub fn apart(plan: &Plan) -> Result<()> {
    let allowed = plan.same_device || plan.keeps_no_data();
    if allowed { Ok(()) } else { shared::apart(&plan.subjects, FOLDER) }
}

/// The physical devices of the subjects' drives; empty if the plan uses none.
pub fn devices(plan: &Plan) -> Vec<Fact> {
    if plan.keeps_no_data() { Vec::new() } else { shared::facts(&plan.subjects, FOLDER) }
}

/// The response times of ops that take no time, on this host now.
pub fn pacing_floor(clock: Clock) -> Result<PacingFloor> {
    points::floor::measure(clock)
}

/// Dyno's own facts about a run, in addition to the host's.
pub fn facts(clock: Clock) -> Vec<Fact> {
    const DYNO: &str = key::FactHeading::Dyno.name();
    vec![
        key::dyno::VERSION.fact("", env!("CARGO_PKG_VERSION")),
        Fact::new(DYNO, "RocksDB", crate::engine::rocksdb::version()),
        Fact::new(DYNO, "Clock", clock.describe()),
        Fact::new(
            DYNO,
            "Latency histogram",
            "1 ns to 1 hour, relative error at most 0.1 % (HdrHistogram, 3 digits)",
        ),
    ]
}
