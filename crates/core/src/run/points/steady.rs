//! Rounds of a load until the last ones are steady, by the rule of `stats::steady`. The load runs
//! without a pause; counts are read at the end of each round. Every drive of a subject has its own
//! rounds and verdict; the load ends when all are steady, or at the plan's maximum.

use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::{Result, describe};
use crate::base::histogram::Histogram;
use crate::base::secret;
use crate::meter::ReadingTime;
use crate::meter::counters::{WriteCounters, WrittenBytes};
use crate::plan::{Steady, SteadyMetric, Subject};
use crate::record::{Fact, SteadyState, Tally};
use crate::run::context::RunContext;
use crate::run::display::time::RunClock;
use crate::run::points::precondition::{LoadLength, load};
use crate::run::worker_group::WorkerGroup;
use crate::stats::steady::judge;

/// Runs the rounds; returns a state for each drive of the subject, and the errors of meters.
pub fn reach(
    context: RunContext<'_>,
    subject: &Subject,
    asked: &Steady,
) -> Result<(Vec<SteadyState>, Vec<Fact>)> {
    let RunContext { time, progress, .. } = context;
    let drives = subject.drives.len();
    let empty = SteadyState {
        metric: asked.metric,
        round_ns: asked.round_ns,
        rule: asked.rule,
        rounds: Vec::new(),
        window: None,
    };
    let mut states = vec![empty; drives];
    let mut last: Vec<DriveTotals> = (0..drives).map(|_| DriveTotals::default()).collect();
    let run_from_ns = time.now_ns();
    let mut written = RoundsWritten::open(context, subject, asked.metric)?;
    let length = LoadLength::Time(asked.round_ns * u64::from(asked.most_rounds) + asked.round_ns);
    load(context, subject, &asked.stream, length, &mut |groups, run| {
        let mut from_ns = run.window.from_ns;
        for round in 1..=asked.most_rounds {
            let until_ns = run.window.from_ns + asked.round_ns * u64::from(round);
            while time.now_ns() < until_ns {
                if !(run.running)() || time.stopped() {
                    run.stop.store(true, Relaxed);
                    return Ok(());
                }
                progress.goes_on();
                time.wait_towards(until_ns);
            }
            let now_ns = time.now_ns();
            let amplification = written.as_mut().map(|w| w.round(time));
            for (drive, state) in states.iter_mut().enumerate() {
                let now = DriveTotals::of(groups, drive as u32);
                let own = now.metric(asked.metric, &last[drive], now_ns - from_ns);
                state.rounds.push(amplification.unwrap_or(own));
                state.window = judge(&state.rounds, &asked.rule);
                last[drive] = now;
            }
            from_ns = now_ns;
            progress.round(&subject.name, round, asked.most_rounds, &words(&states[0]));
            if states.iter().all(SteadyState::reached) {
                break;
            }
        }
        run.stop.store(true, Relaxed);
        Ok(())
    })?;
    let troubles = written.map(|w| w.facts(run_from_ns)).unwrap_or_default();
    Ok((states, troubles))
}

/// Bytes received and written by the drives of a subject, round by round.
struct RoundsWritten {
    counters: WriteCounters,
    last: Option<WrittenBytes>,
    /// Failures of meters: time, meter and cause.
    troubles: Vec<(u64, usize, String)>,
}

impl RoundsWritten {
    /// None if another metric is requested.
    fn open(
        context: RunContext<'_>,
        subject: &Subject,
        metric: SteadyMetric,
    ) -> Result<Option<RoundsWritten>> {
        if metric != SteadyMetric::Waf {
            return Ok(None);
        }
        let counters = WriteCounters::open(context.plan, subject)?;
        let mut own = RoundsWritten { counters, last: None, troubles: Vec::new() };
        own.last = own.read(context.time);
        Ok(Some(own))
    }

    /// A meter that fails makes a gap; it does not end the rounds.
    fn read(&mut self, time: RunClock<'_>) -> Option<WrittenBytes> {
        let (now, mut troubles) = (reading_time(time), Vec::new());
        let read = self.counters.read(now, &mut troubles);
        for (meter, error) in troubles {
            let what = describe(&error).0;
            if !self.troubles.iter().any(|own| (own.1, &own.2) == (meter, &what)) {
                self.troubles.push((now.ns, meter, what));
            }
        }
        read
    }

    /// The failures, once for each meter and cause.
    fn facts(&self, from_ns: u64) -> Vec<Fact> {
        let fact = |(at_ns, meter, what): &(u64, usize, String)| {
            let at_s = at_ns.saturating_sub(from_ns) as f64 / 1e9;
            let meter = format!("steady state, counter {}", meter + 1);
            Fact::new("Meters", meter, format!("gap at {at_s:.1} s: {}", secret::hide(what)))
        };
        self.troubles.iter().map(fact).collect()
    }

    /// The write amplification of the round that ends now; not a number if nothing was counted.
    fn round(&mut self, time: RunClock<'_>) -> f64 {
        let now = self.read(time);
        let ratio = self.last.zip(now).map(|(a, b)| (b.media - a.media) / (b.host - a.host));
        self.last = now;
        ratio.filter(|ratio| *ratio >= 0.0).unwrap_or(f64::NAN)
    }
}

fn reading_time(time: RunClock<'_>) -> ReadingTime {
    let ns = time.now_ns();
    ReadingTime { ns, unix_ns: time.unix_ns_of(ns) }
}

/// The counts of one drive so far.
#[derive(Default)]
struct DriveTotals {
    ops: u64,
    bytes: u64,
    service: Histogram,
}

impl DriveTotals {
    fn of(groups: &[WorkerGroup<'_>], drive: u32) -> DriveTotals {
        let mut tallies: Vec<Tally> = Vec::new();
        let workers = groups.iter().filter(|g| g.drive == drive).flat_map(|g| &g.recorders);
        workers.for_each(|recorder| recorder.add_to(&mut tallies));
        let mut totals = DriveTotals::default();
        for tally in &tallies {
            totals.ops += tally.ops;
            totals.bytes += tally.bytes;
            totals.service.merge(&tally.service);
        }
        totals
    }

    /// The metric over the counts since `earlier`.
    fn metric(&self, metric: SteadyMetric, earlier: &DriveTotals, ns: u64) -> f64 {
        let seconds = ns as f64 / 1e9;
        let service = || self.service.since(&earlier.service);
        match metric {
            SteadyMetric::Iops => (self.ops - earlier.ops) as f64 / seconds,
            SteadyMetric::Throughput => (self.bytes - earlier.bytes) as f64 / seconds,
            SteadyMetric::Mean => service().mean_ns().unwrap_or(f64::NAN),
            SteadyMetric::P99 => service().percentile_ns(0.99).map_or(f64::NAN, |ns| ns as f64),
            // Computed for all drives together, from their counters.
            SteadyMetric::Waf => f64::NAN,
        }
    }
}

/// "steady after 7 rounds by iops: excursion 3.1 %, slope 0.4 %".
pub fn words(state: &SteadyState) -> String {
    let (rounds, metric) = (state.rounds.len(), state.metric.name());
    let Some(window) = &state.window else {
        return format!("NOT steady: too few rounds to judge {metric}");
    };
    let verdict = if window.steady { "steady after" } else { "NOT steady within" };
    let (excursion, slope) = (window.excursion * 100.0, window.slope * 100.0);
    format!("{verdict} {rounds} rounds by {metric}: excursion {excursion:.1} %, slope {slope:.1} %")
}
