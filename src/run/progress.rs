//! What the user sees while a run goes on: a bar with the time left on a terminal, plain lines
//! anywhere else.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::ops_per_s;
use crate::base::stderr::{Terminal, note};
use crate::base::text::visible;
use crate::base::units;
use crate::plan::{AxisValue, PointKey, PointPlan};
use crate::record::{Outcome, Point};

/// The display. All its calls come from the one thread that watches the workers.
pub struct Progress {
    bar: ProgressBar,
    terminal: bool,
    /// Planned nanoseconds of the points that are done, and of the running one.
    done_ns: Cell<u64>,
    total_ns: Cell<u64>,
    /// Planned length of each point left, in running order, last first.
    left_ns: std::cell::RefCell<Vec<u64>>,
    /// The tenth of a fill that was last printed as a line.
    tenth: Cell<u64>,
    /// When the running activity began.
    activity_from: Cell<Instant>,
}

impl Progress {
    /// Draws on standard error when that is a terminal.
    pub fn new() -> Progress {
        let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        let target = match terminal {
            true => ProgressDrawTarget::term_like(Box::new(Terminal::default())),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        Progress {
            bar,
            terminal,
            done_ns: Cell::new(0),
            total_ns: Cell::new(0),
            left_ns: Default::default(),
            tenth: Cell::new(0),
            activity_from: Cell::new(Instant::now()),
        }
    }

    /// The points that will be measured, for the time left.
    pub fn begin(&self, points: &[PointPlan]) {
        let lengths: Vec<u64> =
            points.iter().rev().map(|p| p.step.warmup_ns + p.step.duration_ns).collect();
        self.total_ns.set(lengths.iter().sum());
        self.bar.set_length(self.total_ns.get() / 1_000_000);
        let style = ProgressStyle::with_template(
            "{bar:30.cyan/blue} {percent:>3} %  {eta:>4} left  {wide_msg}",
        );
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.enable_steady_tick(Duration::from_millis(500));
        let (n, time) = (points.len(), units::duration(self.total_ns.get()));
        self.line(&format!(
            "{n} points, {time} of load; datasets are laid out first where they are missing"
        ));
        *self.left_ns.borrow_mut() = lengths;
    }

    /// Something that takes a while and is not a point.
    pub fn activity(&self, what: &str) {
        self.bar.set_message(what.to_string());
        self.tenth.set(0);
        self.activity_from.set(Instant::now());
        if !self.terminal {
            self.line(what);
        }
    }

    /// How far a fill, a purge or a conditioning load is, in whatever it is counted in.
    pub fn fill(&self, done: u64, of: u64) {
        let (done, of) = (done.min(of), of.max(1));
        let (percent, tenth) = (done * 100 / of, done * 10 / of);
        let left_s = self.activity_from.get().elapsed().as_secs_f64() * (of - done) as f64
            / done.max(1) as f64;
        let left = units::duration(left_s.ceil().clamp(1.0, 1e9) as u64 * 1_000_000_000);
        if self.terminal {
            let message = self.bar.message();
            let label = message.split("  ").next().unwrap_or_default().to_string();
            self.bar.set_message(format!("{label}  {percent} %, {left} left"));
        } else if tenth > self.tenth.get() {
            self.tenth.set(tenth);
            self.line(&format!("  {} %, {left} left", tenth * 10));
        }
    }

    /// A round of a load that goes on until it is steady.
    pub fn round(&self, subject: &str, round: u32, of: u32, verdict: &str) {
        let text = format!("{subject}: round {round} of at most {of}, {verdict}");
        if self.terminal { self.bar.set_message(text) } else { self.line(&text) }
    }

    /// A point begins.
    pub fn point(&self, key: &PointKey) {
        self.bar.set_message(label(key));
    }

    /// The rate of the last interval, ops/s.
    pub fn rate(&self, ops_per_s: f64) {
        let message = self.bar.message();
        let label = message.split("  ").next().unwrap_or_default().to_string();
        self.bar.set_message(format!("{label}  {} ops/s", units::grouped(ops_per_s as u64)));
    }

    /// How far into the point it is, nanoseconds since it began.
    pub fn within_point(&self, ns: u64) {
        self.bar.set_position((self.done_ns.get() + ns) / 1_000_000);
    }

    /// A point has ended; a line says what came of it.
    pub fn point_done(&self, point: &Point) {
        let planned_ns = self.left_ns.borrow_mut().pop().unwrap_or(0);
        self.done_ns.set(self.done_ns.get() + planned_ns);
        self.bar.set_position(self.done_ns.get() / 1_000_000);
        let result = match &point.outcome {
            Outcome::Measured => headline(point),
            Outcome::Failed { cause } => format!("FAILED: {cause}"),
        };
        let percent = self.done_ns.get() * 100 / self.total_ns.get().max(1);
        self.line(&format!("{percent:>3} %  {}: {result}", label(&point.key)));
    }

    /// Not measured: its repeats so far are enough, or a search can do without it.
    pub fn point_spared(&self) {
        let planned_ns = self.left_ns.borrow_mut().pop().unwrap_or(0);
        self.total_ns.set(self.total_ns.get().saturating_sub(planned_ns));
        self.bar.set_length(self.total_ns.get() / 1_000_000);
    }

    /// The run has ended: the bar is removed.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// One line that stays.
    fn line(&self, text: &str) {
        if self.terminal {
            self.bar.println(visible(text));
        } else {
            note(text);
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Progress::new()
    }
}

/// "Micron 7600, readrandom, read.threads = 96, repeat 2".
fn label(key: &PointKey) -> String {
    let axis = match &key.axis {
        Some(axis) => match axis.value {
            AxisValue::Maximum => format!(", {} = max", axis.name),
            AxisValue::Number(value) => format!(", {} = {value}", axis.name),
        },
        None => String::new(),
    };
    format!("{}, {}{axis}, repeat {}", key.subject, key.step, key.repeat)
}

fn headline(point: &Point) -> String {
    let mut streams: Vec<&str> =
        point.cells.iter().filter(|c| c.headline).map(|c| c.stream.as_str()).collect();
    streams.dedup();
    let cells = |stream: &str| point.cells.iter().filter(|c| c.stream == stream).count() as f64;
    let ops: f64 = streams.iter().map(|s| ops_per_s(point, s) * cells(s)).sum();
    format!("{} ops/s", units::grouped(ops.round() as u64))
}
