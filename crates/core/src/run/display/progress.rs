//! Progress display during a run: a bar with the time left on a terminal, plain lines with the time
//! of day elsewhere, or JSON for programs (docs/json.md).

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::rc::Weak;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use crate::base::histogram::Histogram;
use crate::base::stderr::{BarTerminal, note};
use crate::base::text::visible;
use crate::base::units;
use crate::meter::watch::MeterWatch;
use crate::plan::{AxisValue, PointPlan};
use crate::record::live::{NEXT, Phase, RunEnding};
use crate::record::{Class, Interval, Outcome, Point};
use crate::run::display::live::LiveFeed;
use crate::run::display::time_left::{PointLeft, TestLeft, TimeLeft, ToPrepare};
use crate::run::ops_per_s;

/// Minimum interval between printed lines about a fill.
const LINES_APART_NS: u64 = 2_000_000_000;

/// The form of progress output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressForm {
    /// One terminal line that is redrawn.
    Bar,
    /// Permanent lines, each with the time of day.
    Plain,
    /// One JSON object per line.
    Json,
    /// Nothing.
    Silent,
}

/// The place of a test among those of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestPlace {
    /// From 1.
    pub number: usize,
    /// All of them; 0 or 1 for a run that is no comparison.
    pub of: usize,
    /// The protocol's name.
    pub name: String,
}

/// The display. All its calls come from the thread that watches the workers.
pub struct Progress {
    form: ProgressForm,
    /// Also prints rates as lines.
    verbose: bool,
    bar: ProgressBar,
    /// The bar's current activity, and its rate.
    label: RefCell<String>,
    left: RefCell<TimeLeft>,
    test: RefCell<TestPlace>,
    began: Instant,
    /// The last printed tenth of a fill, and when.
    tenth: Cell<(u64, u64)>,
    /// The last failure of each subject, which is printed once.
    failed: RefCell<HashMap<String, String>>,
    /// The feed for other processes.
    live: RefCell<Option<LiveFeed>>,
}

impl Progress {
    /// A bar if standard error is a terminal, otherwise plain lines.
    pub fn new() -> Progress {
        let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        Progress::in_form(if terminal { ProgressForm::Bar } else { ProgressForm::Plain }, false)
    }

    /// A display in the requested form; `verbose` prints the rate of every interval as a line.
    pub fn in_form(form: ProgressForm, verbose: bool) -> Progress {
        let target = match form {
            ProgressForm::Bar => ProgressDrawTarget::term_like(Box::new(BarTerminal::default())),
            _ => ProgressDrawTarget::hidden(),
        };
        Progress {
            form,
            verbose,
            bar: ProgressBar::with_draw_target(None, target),
            label: RefCell::default(),
            left: RefCell::new(TimeLeft::of(std::iter::empty(), Vec::new())),
            test: RefCell::default(),
            began: Instant::now(),
            tenth: Cell::default(),
            failed: RefCell::default(),
            live: RefCell::new(None),
        }
    }

    /// A test starts: its place, the tests after it, and its live feed, if there is one.
    pub fn test(&self, place: TestPlace, later: Vec<TestLeft>, live: Option<LiveFeed>) {
        *self.test.borrow_mut() = place;
        self.left.borrow_mut().then(later);
        // The feed before it is removed first: both have the same place.
        self.live.take();
        *self.live.borrow_mut() = live;
    }

    fn live(&self, with: impl FnOnce(&mut LiveFeed)) {
        self.live.borrow_mut().as_mut().map(with);
    }

    fn now_ns(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    /// The points to be measured, and the preparation of each subject.
    pub fn begin(&self, points: &[PointPlan], to_prepare: Vec<ToPrepare>) {
        self.live(|live| live.points(points.len()));
        let load_ns: u64 = points.iter().map(|p| p.step.point_ns()).sum();
        self.left.borrow_mut().test_begins(points.iter().map(PointLeft::of), to_prepare);
        self.bar.reset();
        self.bar.set_length(1000);
        // The active meters.
        let style = ProgressStyle::with_template("{bar:16.cyan/blue} {prefix}  {wide_msg}");
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.enable_steady_tick(Duration::from_millis(500));
        let (n, time) = (points.len(), units::duration(load_ns));
        let counted = units::plural(n, "point");
        let named = match &*self.test.borrow() {
            TestPlace { of: 0 | 1, .. } => String::new(),
            test => format!("{}: ", test.name),
        };
        self.line(
            &format!("{named}{counted}, {time} of load; missing datasets are filled first"),
            json!({ "event": "begin", "points": n, "load_ns": load_ns }),
        );
    }

    /// The active meters.
    pub fn meters(&self, watch: Weak<MeterWatch>) {
        self.live(|live| live.meters(watch));
    }

    /// The points after the next one.
    pub fn next(&self, points: &[PointPlan]) {
        self.live(|live| live.next(points.iter().take(NEXT).map(label).collect()));
    }

    /// A lengthy activity that is not a point.
    pub fn activity(&self, what: &str) {
        self.doing(Phase::Between, what);
    }

    /// The same, with a separate phase.
    pub fn doing(&self, phase: Phase, what: &str) {
        self.live(|live| live.doing(phase, what, None));
        self.say(what, "");
        self.tenth.set((0, self.now_ns()));
        self.live(|live| live.log(what));
        if self.form != ProgressForm::Bar {
            self.show(what, json!({ "event": "activity", "what": what }));
        }
    }

    /// A fill of this many bytes starts for a subject.
    pub fn filling(&self, subject: &str, bytes: u64) {
        self.left.borrow_mut().fill_begins(subject, bytes, self.now_ns());
        self.live(|live| live.phase(Phase::Filling));
    }

    /// The fill is complete.
    pub fn filled(&self) {
        self.left.borrow_mut().fill_ends(self.now_ns());
        self.live(|live| live.phase(Phase::Between));
    }

    /// A preparation step of a subject starts: its name in the bundle, and its displayed name.
    pub fn part(&self, phase: Phase, subject: &str, action: &str, shown: &str) {
        self.doing(phase, &format!("{subject}: {shown}"));
        self.left.borrow_mut().part_begins(subject, action, self.now_ns());
    }

    /// The step is complete.
    pub fn part_done(&self) {
        self.left.borrow_mut().part_ends(self.now_ns());
        self.live(|live| live.phase(Phase::Between));
    }

    /// A subject's drives are ready, or could not be made ready.
    pub fn prepared(&self, subject: &str, ready: bool) {
        match ready {
            true => self.left.borrow_mut().prepared(subject, self.now_ns()),
            false => self.left.borrow_mut().not_prepared(subject, self.now_ns()),
        }
    }

    /// Progress of a fill, a purge or a conditioning load, in any unit.
    pub fn fill(&self, done: u64, of: u64) {
        let (done, of) = (done.min(of), of.max(1));
        let (percent, tenth) = ((done as f64 / of as f64 * 100.0) as u64, done / of.div_ceil(10));
        let share = done as f64 / of as f64;
        self.left.borrow_mut().is_at(share);
        let label = self.label.borrow().clone();
        self.live(|live| live.doing(live.is_in(), &label, Some(share)));
        self.say(&label, &format!("{percent:>3} %"));
        let ((last, at_ns), now_ns) = (self.tenth.get(), self.now_ns());
        let is_soon = self.form == ProgressForm::Plain && now_ns - at_ns < LINES_APART_NS;
        if self.form != ProgressForm::Bar && tenth > last && !is_soon {
            self.tenth.set((tenth, now_ns));
            let event = json!({ "event": "fill", "what": label, "done": done, "of": of });
            self.show(&format!("{label}: {percent} %"), event);
        }
    }

    /// A round of a load that runs until it is steady.
    pub fn round(&self, subject: &str, round: u32, of: u32, verdict: &str) {
        let text = format!("{subject}: round {round} of at most {of}, {verdict}");
        let share = f64::from(round) / f64::from(of.max(1));
        self.live(|live| {
            live.doing(Phase::Steadying, &text, Some(share));
            live.log(&text);
        });
        self.say(&text, "");
        if self.form != ProgressForm::Bar {
            let event = json!({ "event": "round", "subject": subject, "round": round, "of": of,
                                "verdict": verdict });
            self.show(&text, event);
        }
    }

    /// A point starts.
    pub fn point(&self, point: &PointPlan) {
        self.left.borrow_mut().point_begins(self.now_ns());
        self.live(|live| {
            live.doing(Phase::Between, &label(point), None);
            live.point(&point.key);
        });
        self.say(&label(point), "");
        if self.form == ProgressForm::Json {
            self.line("", event("point", point));
        }
    }

    /// The point's load is running, before or within its window.
    pub fn load(&self, phase: Phase) {
        self.live(|live| live.phase(phase));
    }

    /// One class of one stream of the current interval.
    pub fn interval(&self, interval: &Interval) {
        self.live(|live| live.interval(interval));
    }

    /// The interval ends, with this length.
    pub fn interval_closed(&self, ns: u64) {
        let (percent, left_ns) = self.estimate();
        self.live(|live| {
            live.left(left_ns, percent);
            live.second(ns);
        });
    }

    /// The load of the last interval.
    pub fn second(&self, second: &LoadSecond) {
        let label = self.label.borrow().clone();
        let rate = second.to_string();
        self.say(&label, &rate);
        if self.form == ProgressForm::Json || self.verbose {
            let event = json!({
                "event": "rate", "what": label, "ops_per_s": second.ops_per_s(),
                "bytes_per_s": second.bytes_per_s(), "p99_ns": second.p99_ns(),
            });
            self.show(&format!("  {rate}  {label}"), event);
        }
    }

    /// The current activity continues.
    pub fn goes_on(&self) {
        self.draw();
    }

    /// A point has ended; a line states the result.
    pub fn point_done(&self, planned: &PointPlan, point: &Point) {
        self.left.borrow_mut().point_ends(self.now_ns());
        self.live(|live| {
            live.phase(Phase::Between);
            live.stored(point);
        });
        self.draw();
        let (result, shown) = match &point.outcome {
            Outcome::Measured => (headline(point), headline(point)),
            Outcome::Failed { cause } => {
                let result = format!("FAILED: {cause}");
                let known = (self.failed.borrow_mut())
                    .insert(point.key.subject.clone(), cause.clone())
                    .is_some_and(|known| known == *cause);
                let shown = if known { "FAILED: as before".to_string() } else { result.clone() };
                (result, shown)
            }
        };
        let mut event = event("done", planned);
        event["result"] = json!(result);
        event["failed"] = json!(point.outcome != Outcome::Measured);
        self.line(&format!("{}: {shown}", label(planned)), event);
    }

    /// Not measured: its repeats so far are sufficient, or the search does not need it.
    pub fn point_spared(&self) {
        self.left.borrow_mut().point_spared();
        self.live(LiveFeed::spared);
    }

    /// The run has ended: the bar is removed.
    pub fn end(&self) {
        self.bar.finish_and_clear();
        if self.form == ProgressForm::Json {
            self.line("", json!({ "event": "end" }));
        }
    }

    /// A closing remark of the run, in the form of the display; `Silent` prints it too, because it
    /// says how to go on.
    pub fn remark(&self, text: &str) {
        match self.form {
            ProgressForm::Json => self.show("", json!({ "event": "note", "text": text })),
            _ => note(text),
        }
    }

    /// The ending of the run, for other processes.
    pub fn ended(&self, how: RunEnding, text: &str) {
        self.live(|live| live.ended(how, text));
        *self.live.borrow_mut() = None;
    }

    /// The bar's text, with the rate before the activity.
    fn say(&self, what: &str, rate: &str) {
        if *self.label.borrow() != what {
            *self.label.borrow_mut() = what.to_string();
        }
        let message = if rate.is_empty() { what.to_string() } else { format!("{rate}  {what}") };
        self.bar.set_message(visible(&message).into_owned());
        self.draw();
    }

    /// Percentage of the run's time, and nanoseconds left; None while unknown.
    fn estimate(&self) -> (Option<f64>, Option<u64>) {
        let now_ns = self.now_ns();
        let left_ns = self.left.borrow().left_ns(now_ns);
        let share = |left: u64| now_ns as f64 / (now_ns + left).max(1) as f64 * 100.0;
        (left_ns.map(share), left_ns)
    }

    fn draw(&self) {
        if self.live.borrow().as_ref().is_some_and(|live| live.is_due(1_000)) {
            let (percent, left_ns) = self.estimate();
            self.live(|live| {
                live.left(left_ns, percent);
                live.tick();
            });
        }
        if self.form == ProgressForm::Bar {
            let (percent, _) = self.estimate();
            self.bar.set_position((percent.unwrap_or(0.0) * 10.0) as u64);
            self.bar.set_prefix(self.in_words());
        }
    }

    /// " 12 %, 3m 20s left", and ", test 2 of 5" in a comparison.
    fn in_words(&self) -> String {
        let (percent, left_ns) = self.estimate();
        let left = match left_ns {
            Some(0) => "0 s left".to_string(),
            Some(ns) => {
                format!("{} left", units::duration(ns.div_ceil(1_000_000_000) * 1_000_000_000))
            }
            None => "time left unknown".to_string(),
        };
        let whole = percent.map_or(left.clone(), |percent| format!("{percent:>3.0} %, {left}"));
        match &*self.test.borrow() {
            TestPlace { of: 0 | 1, .. } => whole,
            TestPlace { number, of, .. } => format!("{whole}, test {number} of {of}"),
        }
    }

    /// A permanent line, which is also added to the log.
    fn line(&self, text: &str, event: Value) {
        if !text.is_empty() {
            self.live(|live| live.log(text));
        }
        self.show(text, event);
    }

    /// A permanent line.
    fn show(&self, text: &str, mut event: Value) {
        match self.form {
            ProgressForm::Bar => self.bar.println(visible(text)),
            ProgressForm::Plain if !text.is_empty() => {
                note(&format!("{}  {}  {text}", moment(), self.in_words()))
            }
            ProgressForm::Json => {
                let (percent, left_ns) = self.estimate();
                event["time"] = json!(moment());
                event["percent"] = json!(percent);
                event["left_ns"] = json!(left_ns);
                let test = self.test.borrow();
                if test.of > 1 {
                    let TestPlace { number, of, name } = &*test;
                    event["test"] = json!({ "number": number, "of": of, "name": name });
                }
                note(&event.to_string());
            }
            ProgressForm::Plain | ProgressForm::Silent => {}
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Progress::new()
    }
}

/// The headline streams together in an interval of about a second.
#[derive(Default)]
pub struct LoadSecond {
    ops: u64,
    bytes: u64,
    latencies: Histogram,
    /// Its length.
    pub ns: u64,
}

impl LoadSecond {
    /// Adds a class of a stream.
    pub fn add(&mut self, interval: &Interval) {
        self.ops += interval.ops;
        self.bytes += interval.bytes;
        self.latencies.merge(interval.response.as_ref().unwrap_or(&interval.service));
    }

    fn ops_per_s(&self) -> f64 {
        self.ops as f64 / (self.ns.max(1) as f64 / 1e9)
    }

    fn bytes_per_s(&self) -> f64 {
        self.bytes as f64 / (self.ns.max(1) as f64 / 1e9)
    }

    /// None without an op; of fewer than 100 it is the largest.
    fn p99_ns(&self) -> Option<u64> {
        self.latencies.quantile_ns(0.99)
    }
}

/// "5,632 ops/s  23.1 MB/s  p99 13.5 ms"; a load that moves no bytes has no MB/s.
impl fmt::Display for LoadSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&rates(self.ops_per_s(), self.bytes_per_s(), self.p99_ns()))
    }
}

fn rates(ops_per_s: f64, bytes_per_s: f64, p99_ns: Option<u64>) -> String {
    let ops = format!("{} ops/s", units::grouped(ops_per_s.round() as u64));
    let bytes =
        (bytes_per_s > 0.0).then(|| format!("  {} MB/s", units::significant(bytes_per_s / 1e6, 3)));
    let p99 = p99_ns.map(|ns| format!("  p99 {}", units::latency(ns as f64)));
    [Some(ops), bytes, p99].into_iter().flatten().collect()
}

/// The time of day in RFC 3339 format, UTC, in seconds.
fn moment() -> String {
    let now = jiff::Timestamp::now();
    now.round(jiff::Unit::Second).unwrap_or(now).to_string()
}

fn event(name: &str, PointPlan { key, step, .. }: &PointPlan) -> Value {
    let axis = key.axis.as_ref();
    json!({ "event": name, "subject": key.subject, "step": key.step,
            "axis": axis.map(|a| a.name.clone()), "value": axis.map(|a| a.value.as_f64()),
            "value_text": step.written(axis), "repeat": key.repeat })
}

/// "Micron 7600, readrandom, read.threads = 96, repeat 2".
fn label(PointPlan { key, step, .. }: &PointPlan) -> String {
    let axis = key.axis.as_ref().map(|axis| {
        let value = match (step.written(Some(axis)), axis.value) {
            (Some(written), _) => written.to_string(),
            (None, AxisValue::Maximum) => "max".to_string(),
            (None, AxisValue::Number(value)) => value.to_string(),
        };
        format!(", {} = {value}", axis.name)
    });
    let axis = axis.unwrap_or_default();
    format!("{}, {}{axis}, repeat {}", key.subject, key.step, key.repeat)
}

fn headline(point: &Point) -> String {
    let counted = || point.cells.iter().filter(|c| c.headline).flat_map(|c| &c.tallies);
    if counted().next().is_some() && counted().all(|tally| tally.class == Class::CHECK) {
        // A check is not a load: its result, and its duration.
        let longest_ns =
            counted().filter_map(|tally| tally.service.quantile_ns(1.0)).max().unwrap_or(0);
        return format!("kept, in {}", units::latency(longest_ns as f64));
    }
    let mut streams: Vec<&str> =
        point.cells.iter().filter(|c| c.headline).map(|c| c.stream.as_str()).collect();
    streams.dedup();
    let cells = |stream: &str| point.cells.iter().filter(|c| c.stream == stream).count() as f64;
    let ops: f64 = streams.iter().map(|s| ops_per_s(point, s) * cells(s)).sum();
    let (mut bytes, mut latencies) = (0, Histogram::default());
    for tally in counted() {
        bytes += tally.bytes;
        latencies.merge(tally.response.as_ref().unwrap_or(&tally.service));
    }
    let window_s = point.window_ns.unwrap_or(0).max(1) as f64 / 1e9;
    rates(ops, bytes as f64 / window_s, latencies.percentile_ns(0.99))
}
