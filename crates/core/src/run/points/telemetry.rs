//! The telemetry thread: once per second it reads every recorder, writes the interval to the sink,
//! and informs the progress display. It never makes a worker wait.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::clock::Clock;
use crate::base::error::Result;
use crate::base::histogram::Histogram;
use crate::measure::worker::MeasuredWindow;
use crate::record::{Cell, Interval, Sink, Tally, WorstPeriod};
use crate::run::display::progress::{LoadSecond, Progress};
use crate::run::points::worst_period::Periods;
use crate::run::worker_group::{Running, WorkerGroup};

const INTERVAL_NS: u64 = 1_000_000_000;

/// Polling interval for a stop and the end of the workers.
const LOOK_NS: u64 = 100_000_000;

/// Converts the recorders' running totals to intervals.
pub struct Telemetry<'a, 'g> {
    groups: &'a [WorkerGroup<'g>],
    clock: Clock,
    /// The totals at the end of the last interval, for each group.
    last: Vec<Vec<Tally>>,
    last_ns: u64,
    /// The periods that a search limits.
    periods: Option<Periods>,
}

impl<'a, 'g> Telemetry<'a, 'g> {
    pub fn new(
        groups: &'a [WorkerGroup<'g>],
        clock: Clock,
        periods: Option<Periods>,
    ) -> Telemetry<'a, 'g> {
        Telemetry { groups, clock, last: vec![Vec::new(); groups.len()], last_ns: 0, periods }
    }

    /// The worst period, after the last interval.
    pub fn worst_period(&mut self, cells: &[Cell]) -> Option<WorstPeriod> {
        self.periods.take()?.worst(cells)
    }

    /// Observes from the start to the end of the window, or until no worker is left or `stop` is
    /// set.
    pub fn watch(
        &mut self,
        &Running { window, running, stop }: &Running<'_>,
        interrupted: &AtomicBool,
        progress: &Progress,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        self.last_ns = window.from_ns;
        let mut tick_ns = window.from_ns + INTERVAL_NS;
        loop {
            let now_ns = self.clock.now_ns();
            if interrupted.load(Relaxed) {
                stop.store(true, Relaxed);
            }
            if now_ns >= window.until_ns || !running() || stop.load(Relaxed) {
                return Ok(());
            }
            // The last interval is closed after the join, and includes a remainder shorter than
            // half of itself.
            if now_ns >= tick_ns && tick_ns + INTERVAL_NS / 2 <= window.until_ns {
                let second = self.close_interval(window, now_ns, progress, sink)?;
                progress.second(&second);
                tick_ns += INTERVAL_NS;
            }
            progress.goes_on();
            self.clock.sleep_until(
                (now_ns + LOOK_NS).min(tick_ns.max(now_ns + 1_000_000)).min(window.until_ns),
            );
        }
    }

    /// Ends the current interval: the counts since the last one. Returns those of the headline
    /// streams.
    pub fn close_interval(
        &mut self,
        window: MeasuredWindow,
        now_ns: u64,
        progress: &Progress,
        sink: &mut dyn Sink,
    ) -> Result<LoadSecond> {
        let mut second = LoadSecond::default();
        for (group, last) in self.groups.iter().zip(&mut self.last) {
            let mut totals = Vec::new();
            group.recorders.iter().for_each(|r| r.add_to(&mut totals));
            for (i, total) in totals.iter().enumerate() {
                let interval = Interval {
                    stream: group.stream.name.clone(),
                    drive: group.drive,
                    instance: group.instance,
                    class: total.class,
                    start_ns: self.last_ns - window.from_ns,
                    end_ns: now_ns - window.from_ns,
                    // Read while workers write: a completion after the window is subtracted again.
                    ops: total.ops.saturating_sub(last.get(i).map_or(0, |l| l.ops)),
                    bytes: total.bytes - last.get(i).map_or(0, |l| l.bytes),
                    service: since(&total.service, last.get(i).map(|l| &l.service)),
                    response: total
                        .response
                        .as_ref()
                        .map(|r| since(r, last.get(i).and_then(|l| l.response.as_ref()))),
                };
                if group.stream.headline {
                    second.add(&interval);
                }
                progress.interval(&interval);
                self.periods.iter_mut().for_each(|periods| periods.count(&interval));
                sink.interval(&interval)?;
            }
            *last = totals;
        }
        let ns = (now_ns - self.last_ns).max(1);
        self.last_ns = now_ns;
        progress.interval_closed(ns);
        second.ns = ns;
        Ok(second)
    }
}

fn since(now: &Histogram, earlier: Option<&Histogram>) -> Histogram {
    match earlier {
        Some(earlier) => now.since(earlier),
        None => now.clone(),
    }
}
