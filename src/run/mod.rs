//! Carrying a plan out: datasets made ready, points measured one after another, everything handed to a `Sink`.
//!
//! `site` says where a dataset lives and makes it ready, `crew` runs workers from barrier to join, `telemetry` watches
//! them once a second, `point` puts one point together, `progress` tells the user. Nothing here knows SQLite.

mod caches;
mod crew;
mod instances;
mod meters;
mod point;
pub mod progress;
mod site;
mod telemetry;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::base::clock::Clock;
use crate::base::error::{Context, Result};
use crate::lab::guard;
use crate::meter::watch::Watch;
use crate::plan::{Conditioning, Load, Plan, PointKey, PointPlan, Subject};
use crate::record::{Fact, Outcome, Sink};
use progress::Progress;

/// The throughput that a step's closed-loop point reached: the 100 % of a load sweep.
pub type Maxima = HashMap<MaximumOf, f64>;

/// Whose maximum it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MaximumOf {
    pub subject: String,
    pub step: String,
    pub repeat: u32,
    pub stream: String,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub measured: usize,
    pub failed: usize,
    /// A signal ended it; `dyno run --resume` goes on.
    pub interrupted: bool,
}

/// What a run needs besides its plan.
pub struct Run<'a> {
    pub plan: &'a Plan,
    /// In running order, without those that are already in the bundle.
    pub points: Vec<PointPlan>,
    /// Known from points already in the bundle; more are added as they are measured.
    pub maxima: Maxima,
    pub sink: &'a mut dyn Sink,
    pub progress: &'a Progress,
    /// Set by a signal.
    pub stop: &'a AtomicBool,
    pub clock: Clock,
}

impl Run<'_> {
    /// Measures every point. An error here means that nothing more can be measured (a dataset that cannot be made, a
    /// bundle that cannot be written); what one point runs into is stored with that point.
    pub fn execute(mut self) -> Result<Summary> {
        guard::apart(&self.plan.subjects)?;
        for subject in &self.plan.subjects {
            for drive in &subject.drives {
                let fills = self.plan.protocol.datasets.iter().any(|d| d.fill.is_some());
                let writes = fills || self.points.iter().any(|p| site::writes(&p.step));
                guard::pass(drive, writes).with_context(|| subject.name.clone())?;
            }
        }
        let watch = if self.plan.unwatched { None } else { Some(Watch::start(self.plan, self.clock)?) };
        let watch = watch.as_ref();
        let mut summary = Summary::default();
        let points = std::mem::take(&mut self.points);
        self.progress.begin(&points);
        let mut ready = Vec::new();
        for point in &points {
            if !ready.contains(&point.subject.name) {
                self.prepare(&point.subject)?;
                ready.push(point.subject.name.clone());
            }
            if let (true, Some(watch)) = (summary == Summary::default(), watch) {
                self.sink.facts(&meters::at_rest(watch, self.plan, self.clock, self.stop, self.progress))?;
            }
            if self.stop.load(Relaxed) {
                summary.interrupted = true;
                break;
            }
            match self.measure(point, watch)? {
                None => {
                    summary.interrupted = true;
                    break;
                }
                Some(Outcome::Measured) => summary.measured += 1,
                Some(Outcome::Failed { .. }) => summary.failed += 1,
            }
        }
        self.progress.end();
        Ok(summary)
    }

    /// Makes the subject's datasets and conditions it.
    fn prepare(&mut self, subject: &Subject) -> Result<()> {
        let bench =
            point::Bench { plan: self.plan, clock: self.clock, progress: self.progress, stop: self.stop, watch: None };
        for dataset in &self.plan.protocol.datasets {
            let facts = site::make_ready(&bench, subject, dataset)
                .with_context(|| format!("laying out dataset '{}' for {}", dataset.name, subject.name))?;
            self.sink.facts(&facts)?;
        }
        for conditioning in &self.plan.protocol.prepare {
            condition(&bench, subject, conditioning).with_context(|| format!("conditioning {}", subject.name))?;
        }
        Ok(())
    }

    /// Measures one point and stores it; `None` when a signal cut it short, in which case nothing of it is kept.
    fn measure(&mut self, point: &PointPlan, watch: Option<&Watch>) -> Result<Option<Outcome>> {
        let bench =
            point::Bench { plan: self.plan, clock: self.clock, progress: self.progress, stop: self.stop, watch };
        self.progress.point(&point.key);
        self.sink.begin(&point.key)?;
        let measured = point::measure(&bench, point, &self.maxima, self.sink)?;
        if self.stop.load(Relaxed) {
            self.sink.discard()?;
            return Ok(None);
        }
        self.remember_maximum(&point.key, point, &measured);
        self.sink.end(&measured)?;
        self.progress.point_done(&measured);
        Ok(Some(measured.outcome))
    }

    fn remember_maximum(&mut self, key: &PointKey, point: &PointPlan, measured: &crate::record::Point) {
        if measured.outcome != Outcome::Measured || !key.axis.as_ref().is_some_and(|a| a.value.is_infinite()) {
            return;
        }
        for stream in point.step.streams.iter().filter(|s| s.load == Load::Closed) {
            let of = MaximumOf {
                subject: key.subject.clone(),
                step: key.step.clone(),
                repeat: key.repeat,
                stream: stream.name.clone(),
            };
            self.maxima.insert(of, ops_per_s(measured, &stream.name));
        }
    }
}

/// What a stream did on one drive and instance, on average: the rate that its schedule is a percentage of.
pub fn ops_per_s(point: &crate::record::Point, stream: &str) -> f64 {
    let cells: Vec<_> = point.cells.iter().filter(|c| c.stream == stream).collect();
    let ops: u64 = cells.iter().flat_map(|c| &c.tallies).map(|t| t.ops).sum();
    ops as f64 / (point.window_ns as f64 / 1e9) / cells.len().max(1) as f64
}

/// Puts a load on a subject's drives without keeping what it measures.
fn condition(bench: &point::Bench<'_>, subject: &Subject, conditioning: &Conditioning) -> Result<()> {
    let stream = &conditioning.stream;
    bench.progress.activity(&format!("{}: conditioning with {}", subject.name, stream.workload.name));
    point::load_once(bench, subject, stream, conditioning.duration_ns)
}

/// What Dyno itself can say of a run, beside the host's facts.
pub fn facts(clock: Clock) -> Vec<Fact> {
    vec![
        Fact::new("Dyno", "Version", env!("CARGO_PKG_VERSION")),
        Fact::new("Dyno", "RocksDB", crate::engine::rocksdb::version()),
        Fact::new("Dyno", "Clock", clock.describe()),
        Fact::new("Dyno", "Latency histogram", "1 ns to 1 hour, relative error at most 0.1 % (HdrHistogram, 3 digits)"),
    ]
}
