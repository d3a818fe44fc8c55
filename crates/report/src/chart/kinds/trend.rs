//! A figure over many runs: each run as a mark with its interval, in chronological order, with the
//! levels between change points as lines, and the change points.

use crate::analysis::points::metric::{self, Metric};
use crate::analysis::verdicts::trend::FigureHistory;
use crate::chart::canvas::axis::{ChartAxis, si};
use crate::chart::canvas::frame::{Canvas, SubjectStyle};
use crate::chart::canvas::theme::{FAINT, INK, Palette};
use crate::chart::{Chart, Plot};
use crate::language::Language;
use dyno_core::base::units;

/// The values, in the unit of `y_label`.
struct Trend {
    title: String,
    y_label: String,
    runs: Vec<TrendRun>,
    /// First run, the run after the last, and the level between.
    levels: Vec<(usize, usize, f64)>,
}

struct TrendRun {
    value: f64,
    interval: Option<(f64, f64)>,
    /// The date of its start.
    day: String,
    hollow: bool,
    hover: String,
}

/// The figure of a history.
pub fn figure(history: &FigureHistory, file: String) -> Chart {
    let (by, unit) = scale(&history.metric);
    let run = |run: &crate::analysis::verdicts::trend::Member| {
        let (e, when) = (&run.estimate, units::moment(run.started_unix_ns));
        let value = e.value * by;
        let hollow = !run.counts;
        TrendRun {
            value,
            interval: e.has_interval().then_some((e.low * by, e.high * by)),
            day: when.split(' ').next().unwrap_or_default().to_string(),
            hollow,
            hover: format!("{when}, {}: {} {unit}", run.file, si(value)),
        }
    };
    let figure = history.metric.short();
    let y_label = if figure == unit { figure } else { format!("{figure}, {unit}") };
    Chart::new(
        file,
        Trend {
            title: history.label.clone(),
            y_label,
            runs: history.runs.iter().map(run).collect(),
            levels: levels(history, by),
        },
    )
}

/// The factor for a metric's values, and the resulting unit.
pub fn scale(metric: &Metric) -> (f64, &'static str) {
    match metric.figure {
        metric::PointFigure::Mean | metric::PointFigure::Percentile(_) => (1e-3, "µs"),
        metric::PointFigure::Bytes => (1e-6, "MB/s"),
        metric::PointFigure::Ops => (1.0, "ops/s"),
        metric::PointFigure::PerMinute(_) => (1.0, "per minute"),
        metric::PointFigure::OpsPerWatt(_) => (1.0, "ops/s/W"),
        metric::PointFigure::MbPerWatt(_) => (1.0, "MB/s/W"),
        metric::PointFigure::JoulesPerOp(_) => (1e6, "µJ/op"),
        metric::PointFigure::JoulesPerTb(_) => (1.0, "J/TB"),
        metric::PointFigure::Watts(_) => (1.0, "W"),
        metric::PointFigure::Waf => (1.0, "WAF"),
    }
}

/// The levels over all runs, from those that may be compared.
fn levels(history: &FigureHistory, by: f64) -> Vec<(usize, usize, f64)> {
    let counted: Vec<usize> = (0..history.runs.len()).filter(|i| history.runs[*i].counts).collect();
    let at = |change: usize| counted.get(change).copied().unwrap_or(history.runs.len());
    let Some(first) = history.changes.first() else { return Vec::new() };
    let mut all = vec![(0, at(first.at), first.before * by)];
    for (i, change) in history.changes.iter().enumerate() {
        let end = history.changes.get(i + 1).map_or(history.runs.len(), |next| at(next.at));
        all.push((at(change.at), end, change.after * by));
    }
    all
}

impl Plot for Trend {
    fn title(&self) -> &str {
        &self.title
    }

    fn caption(&self) -> String {
        let changes = self.levels.len().saturating_sub(1);
        let changes = units::plural(changes, "change point");
        format!(
            "{}: {} runs in the order in which they began, with {changes}",
            self.y_label,
            self.runs.len()
        )
    }

    fn svg(&self, palette: &Palette) -> String {
        let ends = |run: &TrendRun| run.interval.unwrap_or((run.value, run.value));
        let y =
            ChartAxis::around(self.runs.iter().map(|run| (run.value, ends(run).0, ends(run).1)));
        let l = Language::default();
        let mut frame = Canvas::new((palette, l), &self.y_label, &[&self.title], y);
        if self.runs.is_empty() {
            return frame.without_data(&self.label());
        }
        let (left, right) = (frame.left, frame.right);
        let wide = (right - left) / self.runs.len() as f64;
        let x_at = |run: f64| left + (run + 0.5) * wide;
        let mut ticks: Vec<(f64, String)> = Vec::new();
        for (i, run) in self.runs.iter().enumerate() {
            ticks.push((x_at(i as f64), run.day.clone()));
        }
        frame.x_ticks(&ticks);
        for (from, to, level) in &self.levels {
            let (begin, end) = (x_at(*from as f64 - 0.5), x_at(*to as f64 - 0.5));
            let at = frame.y_at(*level);
            frame.line((begin, at), (end, at), ("w", INK), 1.6);
            if *from > 0 {
                let (top, bottom) = (frame.top, frame.bottom);
                frame.line((begin, top), (begin, bottom), ("q", FAINT), 1.0);
            }
        }
        let cap = (wide * 0.3).min(3.0);
        for (i, run) in self.runs.iter().enumerate() {
            let x = x_at(i as f64);
            if let Some((low, high)) = run.interval {
                frame.whisker(x, low.max(frame.y.low), high, cap);
            }
            let (at, radius) = ((x, frame.y_at(run.value)), (wide * 0.45).clamp(1.8, 4.0));
            frame.mark(
                at,
                radius,
                SubjectStyle { subject: 0, hollow: run.hollow },
                Some(&run.hover),
            );
        }
        frame.with_x("day on which the run began", &self.label())
    }
}
