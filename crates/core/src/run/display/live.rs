//! The live feed of a run: data of the progress display and telemetry, assembled once per second on
//! the thread that has them, and stored in memory (`lab::feed`). Workers are not involved. If the
//! feed cannot be written it is abandoned, and the run continues.

use std::borrow::Cow;
use std::rc::Weak;
use std::time::Instant;

use crate::base::error::{Context, Result, describe};
use crate::base::histogram::Histogram;
use crate::base::{secret, units};
use crate::lab::folder::feed::{self, FeedPlace};
use crate::meter::ALWAYS;
use crate::meter::watch::{MeterReading, MeterWatch};
use crate::plan::{Plan, PointKey};
use crate::record::gauge::{CELSIUS, WATTS};
use crate::record::live::{
    ClassRate, Feed, LOG, LONGEST, LiveGauge, LiveLine, LiveMeasure, LiveRow, LiveTotals, LogEntry,
    MOST_GAUGES, MOST_LINES, MOST_VALUES, Phase, PointCounts, RECENT, RunEnd, RunEnding, VERSION,
    WHOLE,
};
use crate::record::{Class, Interval, Mask, Outcome, Point, masked_name};

/// The interval between writes.
const EVERY_MS: u64 = 1_000;
/// The figures of a second are written at once, unless the feed was just written.
const AT_ONCE_MS: u64 = 400;

/// The counts of one class of one stream: in the current interval, and in the point so far.
struct LiveClass {
    stream: String,
    class: Class,
    ops: u64,
    bytes: u64,
    /// Response times.
    second: Histogram,
    point: Histogram,
}

/// A feed being written.
pub struct LiveFeed {
    place: Option<FeedPlace>,
    began: Instant,
    written_ms: Option<u64>,
    feed: Feed,
    /// Of the plan: a feed is read by whoever may see the pages of `dyno serve`.
    mask: Mask,
    /// Totals of the points in the bundle, and of the current one.
    stored: LiveTotals,
    running: LiveTotals,
    /// The current point.
    point: Option<PointKey>,
    counted: Vec<LiveClass>,
    watch: Weak<MeterWatch>,
    /// The values averaged in the next row of the whole run.
    gathered: Vec<LiveRow>,
}

impl LiveFeed {
    /// Starts the feed of a bundle. `prepared` lists the preparation, `stored` the bundle's
    /// contents from an earlier part of the run, `done` the number of its points.
    pub fn begin(
        plan: &Plan,
        prepared: Vec<String>,
        bundle: &std::path::Path,
        stored: LiveTotals,
        done: u64,
    ) -> Result<LiveFeed> {
        let (pid, pid_began) = feed::own_process();
        let path = bundle.canonicalize()?;
        let feed = Feed {
            version: VERSION,
            bundle: path.display().to_string(),
            pid,
            pid_began,
            dyno_version: env!("CARGO_PKG_VERSION").to_string(),
            protocol: short(&plan.protocol.name),
            title: short(&plan.protocol.title),
            subjects: plan.subjects.iter().map(|s| short(&s.name)).collect(),
            plan: plan_lines(plan, prepared),
            began_unix_ns: unix_ns(),
            points: PointCounts { done, ..PointCounts::default() },
            whole_s: 1,
            ..Feed::default()
        };
        Ok(LiveFeed {
            place: Some(FeedPlace::of(bundle)?),
            began: Instant::now(),
            written_ms: None,
            feed,
            mask: Mask::of(&[(plan, &[])], &[], &masked_name),
            stored,
            running: LiveTotals::default(),
            point: None,
            counted: Vec::new(),
            watch: Weak::new(),
            gathered: Vec::new(),
        })
    }

    /// The number of points to be measured, in addition to those in the bundle.
    pub fn points(&mut self, to_do: usize) {
        self.feed.points.all = self.feed.points.done + to_do as u64;
    }

    /// The active meters.
    pub fn meters(&mut self, watch: Weak<MeterWatch>) {
        self.watch = watch;
    }

    /// The current phase, with a share of completion if known.
    pub fn doing(&mut self, phase: Phase, what: &str, share: Option<f64>) {
        let what = short(what);
        if (self.feed.phase, &self.feed.doing) != (phase, &what) {
            self.feed.now.clear();
        }
        (self.feed.phase, self.feed.doing, self.feed.share) = (phase, what, share);
    }

    /// The same phase continues with something else, or a new one starts.
    pub fn phase(&mut self, phase: Phase) {
        let what = std::mem::take(&mut self.feed.doing);
        self.doing(phase, &what, None);
    }

    /// The description of the phase.
    pub fn is_in(&self) -> Phase {
        self.feed.phase
    }

    /// The labels of upcoming points.
    pub fn next(&mut self, next: Vec<String>) {
        self.feed.next = next.iter().map(|label| short(label)).collect();
    }

    /// A line of the log.
    pub fn log(&mut self, text: &str) {
        let excess = (self.feed.log.len() + 1).saturating_sub(LOG);
        self.feed.log.drain(..excess);
        self.feed.log.push(LogEntry { unix_ns: unix_ns(), text: short(&secret::hide(text)) });
    }

    /// A point starts.
    pub fn point(&mut self, key: &PointKey) {
        self.point = Some(key.clone());
        self.running = LiveTotals::default();
        self.counted.clear();
    }

    /// Part of the second that is being closed: one class of one stream, drive and instance.
    pub fn interval(&mut self, interval: &Interval) {
        let Some(point) = &self.point else { return };
        let response = interval.response.as_ref().unwrap_or(&interval.service);
        let (stream, class) = (&interval.stream, interval.class);
        let total = self.running.of(&point.subject, &point.step, stream, class);
        total.ops += interval.ops;
        total.bytes += interval.bytes;
        total.service.add(&interval.service);
        total.response.add(response);
        let known = self.counted.iter().position(|c| c.stream == *stream && c.class == class);
        let index = known.unwrap_or_else(|| {
            let (second, point) = (Histogram::new(), Histogram::new());
            self.counted.push(LiveClass {
                stream: stream.clone(),
                class,
                ops: 0,
                bytes: 0,
                second,
                point,
            });
            self.counted.len() - 1
        });
        let counted = &mut self.counted[index];
        counted.ops += interval.ops;
        counted.bytes += interval.bytes;
        counted.second.merge(response);
    }

    /// The second is closed: it becomes a row.
    pub fn second(&mut self, ns: u64) {
        let seconds = ns.max(1) as f64 / 1e9;
        let subject = self.point.as_ref().map_or(String::new(), |p| p.subject.clone());
        let mut now = Vec::new();
        for of in &mut self.counted {
            let second = std::mem::take(&mut of.second);
            of.point.merge(&second);
            now.push(ClassRate {
                subject: subject.clone(),
                stream: of.stream.clone(),
                class: of.class.name().to_string(),
                ops_per_s: of.ops as f64 / seconds,
                bytes_per_s: of.bytes as f64 / seconds,
                p99_ns: second.percentile_ns(0.99),
                point_p99_ns: of.point.percentile_ns(0.99),
            });
            (of.ops, of.bytes) = (0, 0);
        }
        let mut row = Vec::new();
        for rate in &now {
            let name = format!("{}, {}, {}", rate.subject, rate.stream, rate.class);
            let p99 = rate.p99_ns.or(rate.point_p99_ns).map(|ns| ns as f64);
            let moved = (rate.bytes_per_s > 0.0).then_some(rate.bytes_per_s);
            for (measure, value) in [
                (LiveMeasure::OpsPerS, Some(rate.ops_per_s)),
                (LiveMeasure::BytesPerS, moved),
                (LiveMeasure::P99Ns, p99),
            ] {
                row.extend(value.and_then(|value| self.value(measure, &name, value)));
            }
        }
        self.feed.now = now;
        self.row(row);
        self.write_after(AT_ONCE_MS);
    }

    /// A line's value, if there is room for another line.
    fn value(&mut self, measure: LiveMeasure, name: &str, value: f64) -> Option<(u16, f64)> {
        let lines = &mut self.feed.lines;
        let known = lines.iter().position(|l| l.measure == measure && l.name == name);
        let index = match known {
            Some(index) => index,
            None if lines.len() >= MOST_LINES => return None,
            None => {
                lines.push(LiveLine { measure, name: short(name) });
                lines.len() - 1
            }
        };
        Some((index as u16, digits(value)))
    }

    /// Adds a row with meter readings.
    fn row(&mut self, mut values: Vec<(u16, f64)>) {
        self.read_meters();
        for gauge in self.feed.gauges.clone() {
            let measure = match &gauge.name {
                name if name.ends_with(WATTS) => LiveMeasure::Watts,
                name if name.ends_with(CELSIUS) => LiveMeasure::Celsius,
                _ => continue,
            };
            let of = gauge.subject.iter().map(|s| format!("{s}, ")).collect::<String>();
            let name = format!("{of}{}, {}", gauge.meter, gauge.name);
            values.extend(self.value(measure, &name, gauge.value));
        }
        values.truncate(MOST_VALUES);
        let row = LiveRow { at_ms: self.now_ms(), values };
        let excess = (self.feed.recent.len() + 1).saturating_sub(RECENT);
        self.feed.recent.drain(..excess);
        self.gathered.push(row.clone());
        self.feed.recent.push(row);
        if self.gathered.len() >= self.feed.whole_s as usize {
            self.feed.whole.push(together(&std::mem::take(&mut self.gathered), &self.feed.lines));
        }
        if self.feed.whole.len() > WHOLE {
            let lines = &self.feed.lines;
            self.feed.whole = self.feed.whole.chunks(2).map(|rows| together(rows, lines)).collect();
            self.feed.whole_s *= 2;
        }
    }

    fn read_meters(&mut self) {
        let Some(watch) = self.watch.upgrade() else { return };
        // Cumulative counters of permanent meters have no meaning by themselves.
        let wanted = |seen: &MeterReading| {
            !ALWAYS.contains(&seen.meter.as_str()) || seen.reading.name.ends_with("_percent")
        };
        let readings = watch.latest(MOST_GAUGES, &wanted).into_iter();
        let gauge = |seen: MeterReading| LiveGauge {
            meter: seen.meter,
            subject: seen.subject,
            name: seen.reading.name,
            value: seen.reading.value,
        };
        self.feed.gauges = readings.map(gauge).collect();
    }

    /// A point was stored in the bundle.
    pub fn stored(&mut self, point: &Point) {
        self.stored.add_point(point);
        self.running = LiveTotals::default();
        self.point = None;
        self.feed.points.done += 1;
        self.feed.points.failed += u64::from(point.outcome != Outcome::Measured);
    }

    /// A point is not needed.
    pub fn spared(&mut self) {
        self.feed.points.spared += 1;
    }

    /// Time left, and the completed share of the run.
    pub fn left(&mut self, left_ns: Option<u64>, percent: Option<f64>) {
        (self.feed.left_ns, self.feed.percent) = (left_ns, percent);
    }

    /// Called periodically: outside a window, meter readings form their own row.
    pub fn tick(&mut self) {
        if self.is_due(EVERY_MS) {
            if self.feed.phase != Phase::Window {
                self.row(Vec::new());
            }
            self.write();
        }
    }

    /// Whether this long has passed since the feed was written.
    pub fn is_due(&self, every_ms: u64) -> bool {
        self.written_ms.is_none_or(|written| self.now_ms() >= written + every_ms)
    }

    fn write_after(&mut self, ms: u64) {
        if self.is_due(ms) {
            self.write();
        }
    }

    /// The run has ended; the feed remains.
    pub fn ended(&mut self, how: RunEnding, text: &str) {
        let text = short(&secret::hide(text));
        self.doing(Phase::Ended, "", None);
        self.feed.next.clear();
        self.feed.left_ns = None;
        self.feed.ended = Some(RunEnd { unix_ns: unix_ns(), how, text });
        self.write();
    }

    fn now_ms(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    fn write(&mut self) {
        self.written_ms = Some(self.now_ms());
        self.feed.written_unix_ns = unix_ns();
        self.feed.totals = self.stored.with(&self.running).0;
        // Full memory or a missing folder: an unwritable feed has no readers.
        let written = |place: &FeedPlace| place.write(&*masked(&self.feed, &self.mask)?);
        if self.place.as_ref().is_some_and(|place| written(place).is_err()) {
            self.place = None;
        }
    }
}

/// Merges rows: means, for a p99 the maximum.
fn together(rows: &[LiveRow], lines: &[LiveLine]) -> LiveRow {
    let mut all: Vec<(u16, f64, f64)> = Vec::new();
    for &(line, value) in rows.iter().flat_map(|row| &row.values) {
        match all.iter_mut().find(|(known, ..)| *known == line) {
            Some((_, sum, n)) if lines[usize::from(line)].measure != LiveMeasure::P99Ns => {
                (*sum, *n) = (*sum + value, *n + 1.0)
            }
            Some((_, largest, _)) => *largest = largest.max(value),
            None => all.push((line, value, 1.0)),
        }
    }
    let values = all.into_iter().map(|(line, sum, n)| (line, digits(sum / n))).collect();
    LiveRow { at_ms: rows.last().map_or(0, |row| row.at_ms), values }
}

/// Five significant digits, more than a figure shows.
fn digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

fn unix_ns() -> u64 {
    jiff::Timestamp::now().as_nanosecond().max(0) as u64
}

/// The feed with masked names, except for the bundle's path: it identifies the feed.
fn masked<'a>(feed: &'a Feed, mask: &Mask) -> Result<Cow<'a, Feed>> {
    if mask.is_empty() {
        return Ok(Cow::Borrowed(feed));
    }
    let mut value = serde_json::to_value(feed).context("masking the live feed")?;
    mask.json(&mut value);
    let masked: Feed = serde_json::from_value(value).context("masking the live feed")?;
    Ok(Cow::Owned(Feed { bundle: feed.bundle.clone(), ..masked }))
}

/// The plan's contents, part by part.
fn plan_lines(plan: &Plan, mut lines: Vec<String>) -> Vec<String> {
    /// The maximum for a summary.
    const MOST: usize = 60;
    for step in &plan.protocol.steps {
        let streams = step.streams.iter().map(|s| {
            format!(
                "{}: {} on {}, {}×{}",
                s.name, s.workload.name, s.engine.name, s.threads, s.depth
            )
        });
        let streams = streams.take(8).collect::<Vec<_>>().join("; ");
        let (warmup, window) = (units::duration(step.warmup_ns), units::duration(step.duration_ns));
        let times = if step.warmup_ns > 0 { format!("{warmup} + {window}") } else { window };
        lines.push(format!("{}: {times}; {streams}", step.name));
    }
    let repeats = units::plural(plan.repeats as usize, "repeat");
    lines.push(format!("{repeats}, {}", units::plural(plan.subjects.len(), "subject")));
    lines.truncate(MOST);
    lines.iter().map(|line| short(line)).collect()
}

/// An error as text, for the end.
pub fn failure(error: &crate::base::error::Error) -> String {
    describe(error).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Subject;
    use crate::plan::specification::Specification;
    use crate::record::{Cell, Tally};

    fn key(subject: &str) -> PointKey {
        PointKey { subject: subject.into(), step: "a".into(), axis: None, repeat: 1 }
    }

    fn interval(stream: &str, drive: u32, ns: u64, ops: u64) -> Interval {
        let mut service = Histogram::new();
        service.add_n(ns, ops);
        let (stream, class) = (stream.to_string(), Class::READ);
        let (start_ns, end_ns, bytes) = (0, 1_000_000_000, 4096 * ops);
        let (instance, response) = (0, None);
        Interval { stream, drive, instance, class, start_ns, end_ns, ops, bytes, service, response }
    }

    fn live(folder: &std::path::Path) -> LiveFeed {
        let bundle = folder.join("b.dyno");
        std::fs::write(&bundle, "").expect("written");
        LiveFeed::begin(&Plan::default(), Vec::new(), &bundle, LiveTotals::default(), 0)
            .expect("a feed")
    }

    #[test]
    fn a_feed_stays_small_however_long_the_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut live = live(folder.path());
        for subject in 0..65 {
            live.point(&key(&format!("subject {subject}")));
            for second in 0..20 {
                for stream in 0..12 {
                    live.interval(&interval(&format!("stream {stream}"), 0, 50_000 + second, 9));
                }
                live.second(1_000_000_000);
                live.log(&"x".repeat(10_000));
            }
        }
        live.write();
        let feed = &live.feed;
        let bytes = serde_json::to_vec(feed).expect("JSON").len();
        assert!(bytes < 2 << 20, "{bytes} bytes");
        assert_eq!((feed.recent.len(), feed.log.len()), (RECENT, LOG));
        assert!((WHOLE / 2..=WHOLE).contains(&feed.whole.len()), "{} rows", feed.whole.len());
        assert_eq!(feed.whole_s, 4, "1,300 seconds in at most {WHOLE} rows");
        assert_eq!(live.running.0.iter().map(|t| t.ops).sum::<u64>(), 20 * 12 * 9);
    }

    #[test]
    fn a_masked_subject_is_nowhere_in_the_feed_but_in_the_bundles_path() {
        let subject = Subject { name: "Kioxia CD8P-R".into(), ..Subject::default() };
        let stated = Specification { mask: true, ..Specification::default() };
        let stated = [(subject.name.clone(), stated)].into();
        let plan = Plan { subjects: vec![subject], stated, ..Plan::default() };
        let feed = Feed {
            bundle: "/results/cd8p.dyno".into(),
            title: "CD8P-R alone".into(),
            subjects: vec!["Kioxia CD8P-R".into()],
            next: vec!["reads of Kioxia CD8P-R".into()],
            ..Feed::default()
        };
        let mask = Mask::of(&[(&plan, &[])], &[], &masked_name);
        let masked = masked(&feed, &mask).expect("a feed").into_owned();
        let expected = Feed {
            title: "Competitor A alone".into(),
            subjects: vec!["Competitor A".into()],
            next: vec!["reads of Competitor A".into()],
            ..feed
        };
        assert_eq!(masked, expected);
    }

    #[test]
    fn totals_are_those_of_the_seconds_and_then_those_of_the_stored_point() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut live = live(folder.path());
        live.point(&key("A"));
        let mut whole = Histogram::new();
        for (drive, ns) in [(0, 20_000), (1, 3_000_000)] {
            let one = interval("io", drive, ns, 20_000);
            live.interval(&one);
            whole.merge(&one.service);
        }
        live.second(500_000_000);
        live.write();
        let [rate] = &live.feed.now[..] else { panic!("{:?}", live.feed.now) };
        assert_eq!((rate.ops_per_s, rate.p99_ns), (80_000.0, whole.percentile_ns(0.99)));
        let before = live.feed.totals.clone();
        assert_eq!(
            (before[0].ops, before[0].bytes, before[0].service.count),
            (40_000, 4096 * 40_000, 40_000)
        );
        let (ops, bytes, class) = (40_000, 4096 * 40_000, Class::READ);
        let (misses, given_up, response, censored) = (3, 1, None, None);
        let service = whole;
        let tally = Tally { class, ops, bytes, misses, given_up, service, response, censored };
        let cell = Cell {
            stream: "io".into(),
            drive: 0,
            instance: 0,
            headline: true,
            threads: Some(1),
            depth: Some(1),
            asked: None,
            late: 0,
            backlog_max: 0,
            backlog_end: 0,
            in_flight: None,
            tallies: vec![tally],
        };
        live.stored(&Point { cells: vec![cell], ..Point::begun(key("A"), 0) });
        live.ended(RunEnding::Whole, "");
        let after = &live.feed.totals[0];
        assert_eq!((after.misses, after.given_up), (3, 1));
        let counted = crate::record::live::Total { misses: 0, given_up: 0, ..after.clone() };
        assert_eq!(vec![counted], before);
    }
}
