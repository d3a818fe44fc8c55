//! The figures of a step, and their data.

mod caption;
mod claimed;
mod several;

use super::{Chart, LineSeries, Plot, mark};
use crate::analysis::facts::{CellFacts, Comparisons, PointMark, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::analysis::points::metric::{Metric, PointFigure as Of};
use crate::analysis::points::point_summary::{Latency, P99, PERCENTILES, RepeatSummary};
use crate::chart::canvas::axis::si;
use crate::chart::kinds::bars::{Bar, BarSeries, GroupedBars};
use crate::chart::kinds::curve::{CurveChart, CurvePoint, CurveSeries};
use crate::chart::kinds::percentiles::Percentiles;
use crate::chart::kinds::timeline::Timeline;
use crate::language::Language;
use crate::say;
use crate::terms::names;
use dyno_core::stats::Estimate;

/// Points of a line over time: enough for a page's width, few enough for a small file.
pub(super) const TIMELINE_POINTS: usize = 150;

/// More groups of bars than this cannot be distinguished.
const MOST_GROUPS: usize = 16;

/// Below this rate (1 MB/s) a step moves requests, not data, and MB/s are not meaningful.
pub(super) const MOVES_DATA: f64 = 1e6;

/// The divisor of a step's latencies, and the resulting unit: milliseconds if no p99 is below one.
pub(super) fn time(step: &StepFacts) -> (f64, &'static str) {
    let all = step.cells.iter().filter_map(|c| c.total.as_ref()?.p99_ns(step.class));
    match all.map(|p99| p99.value).fold(f64::MAX, f64::min) {
        least if (1e6..f64::MAX).contains(&least) => (1e6, "ms"),
        _ => (1e3, "µs"),
    }
}

/// Selects a figure of a latency, in nanoseconds.
type LatencyPick = fn(&Latency) -> Option<&Estimate>;

/// The figures of a step.
pub fn figures(draw: &StepDrawing<'_>) -> Vec<Chart> {
    let (l, step) = (draw.language, draw.step);
    let swept = step.values.len() > 1;
    let moves = step
        .cells
        .iter()
        .filter_map(|c| c.total.as_ref())
        .filter_map(|t| t.bytes_per_s.as_ref())
        .any(|e| e.value > MOVES_DATA);
    let (ops, latency) = (Metric::total(Of::Ops), Metric::p99());
    let mut all = Vec::new();
    // Of some imported figures the rate is not known.
    let totals = || step.cells.iter().filter_map(|c| c.total.as_ref());
    if totals().any(|t| t.ops_per_s.is_some()) {
        all.push(draw.bars(&quantity("ops", "ops/s", "ops/s", Some(&ops)), &|t| {
            Some(scaled(t.ops_per_s.as_ref()?, 1.0))
        }));
    }
    let paced = step.axis.as_ref().is_some_and(|a| a.field.sets_rates());
    let (scale, unit) = time(step);
    let mean: LatencyPick = |l| l.mean_ns.as_ref();
    let p99: LatencyPick = |l| l.percentiles_ns[P99].as_ref();
    let of = |pick: LatencyPick| {
        move |t: &RepeatSummary| t.user_latency(step.class).and_then(pick).map(|e| scaled(e, scale))
    };
    let any = |pick: LatencyPick| {
        step.cells.iter().filter_map(|c| c.total.as_ref()).any(|t| of(pick)(t).is_some())
    };
    if swept && any(mean) {
        if paced {
            let what = draw.latency(say!(l, "mean"));
            all.push(draw.lines(&quantity("mean-against-rate", &what, unit, None), &of(mean)));
        } else {
            all.push(draw.latency_curve("mean", &of(mean)));
        }
    }
    if swept && any(p99) {
        if paced {
            let what = draw.latency(names::percentile(l, "p99"));
            let of_rate = quantity("p99-against-rate", &what, unit, Some(&latency));
            all.push(draw.lines(&of_rate, &of(p99)));
        } else {
            all.push(draw.latency_curve("p99", &of(p99)));
        }
    }
    if draw.neighbours().len() > 1 {
        all.push(draw.by_neighbour());
    }
    if moves {
        let throughput = say!(l, "figure-throughput");
        all.push(draw.bars(&quantity("mb", &throughput, "MB/s", None), &|t| {
            Some(scaled(t.bytes_per_s.as_ref()?, 1e6))
        }));
    }
    if !swept && any(mean) {
        let what = draw.latency(say!(l, "mean"));
        all.push(draw.bars(&quantity("mean", &what, unit, None), &of(mean)));
    }
    all.extend(draw.per_minute());
    all.extend(draw.by_drive());
    all.extend(draw.by_instance());
    if any(p99) {
        let what = draw.latency(names::percentile(l, "p99"));
        all.push(draw.bars(&quantity("p99", &what, unit, Some(&latency)), &of(p99)));
    }
    if draw.has_percentiles() {
        all.push(draw.percentiles());
    }
    if step.cells.iter().any(|c| c.over_time.len() > 2) {
        all.push(draw.timeline());
    }
    all
}

/// The data and settings from which the figures, tables and sentences of a step are made.
#[derive(Clone, Copy)]
pub struct StepDrawing<'a> {
    /// The language of captions and labels.
    pub language: Language,
    /// The subjects.
    pub subjects: &'a Subjects,
    /// The comparisons, for call-outs.
    pub comparisons: &'a Comparisons,
    /// The step.
    pub step: &'a StepFacts,
    /// Captions name the step.
    titled: bool,
    /// Marked bars have no number.
    quiet: bool,
}

/// A quantity shown for each subject at each axis value.
pub(super) struct PlottedQuantity<'a> {
    /// The figure's name among those of the step.
    pub(super) file: &'a str,
    /// The quantity, as in the caption.
    pub(super) what: &'a str,
    pub(super) unit: &'a str,
    /// The metric whose claimed differences are called out.
    pub(super) metric: Option<&'a Metric>,
}

pub(super) fn quantity<'a>(
    file: &'a str,
    what: &'a str,
    unit: &'a str,
    metric: Option<&'a Metric>,
) -> PlottedQuantity<'a> {
    PlottedQuantity { file, what, unit, metric }
}

impl<'a> StepDrawing<'a> {
    /// The data for figures below a heading with the step's title.
    pub fn of(
        language: Language,
        subjects: &'a Subjects,
        comparisons: &'a Comparisons,
        step: &'a StepFacts,
    ) -> StepDrawing<'a> {
        StepDrawing { language, subjects, comparisons, step, titled: false, quiet: false }
    }

    /// The data for figures without a heading: each caption names the step.
    pub fn titled(self) -> StepDrawing<'a> {
        StepDrawing { titled: true, ..self }
    }

    /// The data for the first page, without numbers that would have a mark.
    pub fn for_cover(self) -> StepDrawing<'a> {
        StepDrawing { quiet: true, ..self.titled() }
    }

    pub(super) fn figure(&self, name: &str, plot: impl Plot + 'static) -> Chart {
        Chart::of_step(&self.step.name, name, plot)
    }

    /// A curve by percentile needs at least two of them.
    fn has_percentiles(&self) -> bool {
        let several = |l: &Latency| l.percentiles_ns.iter().flatten().nth(1).is_some();
        let mut cells = self.lead().into_iter().filter_map(|(_, c)| c.total.as_ref());
        cells.any(|t| t.user_latency(self.step.class).is_some_and(several))
    }

    /// Its quantity, and the metric of its call-outs.
    pub(super) fn called(&self, of: &PlottedQuantity<'_>) -> String {
        let called = of.metric.map(|m| self.called_out(m)).unwrap_or_default();
        format!("{}{called}", of.what)
    }

    /// One number for each subject and axis value: bars as long as they can be distinguished,
    /// otherwise lines.
    fn bars(
        &self,
        of: &PlottedQuantity<'_>,
        pick: &dyn Fn(&RepeatSummary) -> Option<Bar>,
    ) -> Chart {
        if self.step.values.len() > MOST_GROUPS {
            return self.lines(of, pick);
        }
        let values = |subject| {
            let cells = self.step.cells_of(subject).into_iter();
            let bar = |c: &CellFacts| {
                Some(Bar { marked: c.is_not_the_drives(), ..pick(c.total.as_ref()?)? })
            };
            cells.map(|c| c.and_then(bar)).collect()
        };
        let subjects = self.subjects.iter_enumerated();
        let series = subjects
            .map(|(key, own)| BarSeries { name: own.name.clone(), values: values(key) })
            .collect();
        let plot = GroupedBars {
            text: self.text_of_bars(self.called(of)),
            x_label: self.x_label(),
            y_label: of.unit.to_string(),
            groups: self.groups(),
            series,
            call_outs: of.metric.map(|m| self.called_bars(m)).unwrap_or_default(),
            lying: false,
            quiet: self.quiet,
        };
        self.figure(of.file, plot)
    }

    fn lines(
        &self,
        of: &PlottedQuantity<'_>,
        pick: &dyn Fn(&RepeatSummary) -> Option<Bar>,
    ) -> Chart {
        let (scale, x_label) = self.x_scale();
        let point = |cell: &CellFacts| {
            let bar = pick(cell.total.as_ref()?)?;
            let x = self.step.values[cell.value].number / scale;
            let label = marked(cell, at_least(&bar, String::new()));
            let (low, high, mark) = (bar.low, bar.high, cell.latency_mark(self.step));
            x.is_finite().then_some(CurvePoint { x, y: bar.value, label, low, high, mark })
        };
        let series = self.curves(&point);
        let at = |subject, value| self.step.cell(subject, value).and_then(point);
        let left_out = match self.step.has_maximum() {
            true => say!(self.language, "figure-without-maximum"),
            false => String::new(),
        };
        let plot = CurveChart {
            text: self.text(self.called(of) + &left_out),
            x_label,
            y_label: of.unit.to_string(),
            log_y: spans_much(&series),
            joined: !self.has_only_ends(&series),
            places: Vec::new(),
            call_outs: of.metric.map(|m| self.called_points(m, &series, &at)).unwrap_or_default(),
            series,
        };
        self.figure(of.file, plot)
    }

    pub(super) fn curves(
        &self,
        point: &dyn Fn(&CellFacts) -> Option<CurvePoint>,
    ) -> Vec<CurveSeries> {
        let points = |subject| {
            let cells = self.step.cells_of(subject).into_iter().flatten();
            cells.filter_map(point).collect::<Vec<_>>()
        };
        let subjects = self.subjects.iter_enumerated();
        subjects
            .map(|(key, own)| CurveSeries { name: own.name.clone(), points: points(key) })
            .collect()
    }

    /// A latency against ops/s, each point labelled with its axis value.
    fn latency_curve(&self, what: &str, pick: &dyn Fn(&RepeatSummary) -> Option<Bar>) -> Chart {
        // Labels that overlap cannot be read.
        let every = self.step.values.len().div_ceil(MOST_GROUPS);
        let label = |value: ValueKey| match value.0 % every {
            0 => self.step.values[value].text(self.language),
            _ => String::new(),
        };
        let point = |cell: &CellFacts| {
            let total = cell.total.as_ref()?;
            let bar = pick(total)?;
            let x = total.ops_per_s.as_ref()?.value;
            let label = marked(cell, at_least(&bar, label(cell.value)));
            let (low, high, mark) = (bar.low, bar.high, cell.latency_mark(self.step));
            Some(CurvePoint { x, y: bar.value, label, low, high, mark })
        };
        let mut series = self.curves(&point);
        let at = |subject, value| self.step.cell(subject, value).and_then(point);
        let metric = (what == "p99").then(Metric::p99);
        let beyond = without_overload(self.language, &mut series);
        let l = self.language;
        let figure = match what {
            "mean" => say!(l, "mean"),
            percentile => names::percentile(l, percentile),
        };
        let (figure, axis) = (self.latency(figure), self.x_label());
        let caption = say!(l, "figure-against-throughput", what = figure, axis);
        let called = metric.as_ref().map(|m| self.called_out(m)).unwrap_or_default();
        let left_out = match beyond.is_empty() {
            true => String::new(),
            false => say!(l, "figure-overload", points = l.list(&beyond)),
        };
        let plot = CurveChart {
            text: self.text(format!("{caption}{called}{left_out}")),
            x_label: "ops/s".to_string(),
            y_label: time(self.step).1.to_string(),
            log_y: spans_much(&series),
            joined: !self.has_only_ends(&series),
            places: Vec::new(),
            call_outs: metric.map(|m| self.called_points(&m, &series, &at)).unwrap_or_default(),
            series,
        };
        self.figure(&format!("{what}-against-ops"), plot)
    }

    /// Whether only the ends of curves were published, between which nothing is known.
    pub(super) fn has_only_ends(&self, series: &[CurveSeries]) -> bool {
        self.step.imported && series.iter().all(|own| own.points.len() < 3)
    }

    /// The headline streams at the representative point, if there are several: neighbours.
    fn neighbours(&self) -> Vec<&str> {
        let streams =
            self.step.cells.iter().find(|c| c.value == self.step.lead).map(|c| &c.streams);
        let leading = streams.into_iter().flatten().filter(|(_, headline, _)| *headline);
        leading.map(|(name, ..)| name.as_str()).collect()
    }

    /// The cells of the representative point.
    pub(super) fn lead(&self) -> Vec<(SubjectKey, &CellFacts)> {
        let subjects = self.subjects.keys();
        let cell = |subject| self.step.cell(subject, self.step.lead);
        subjects.filter_map(|subject| Some((subject, cell(subject)?))).collect()
    }

    fn percentiles(&self) -> Chart {
        let points = |cell: &CellFacts| {
            let latency = cell.total.as_ref().and_then(|t| t.user_latency(self.step.class));
            let all =
                PERCENTILES.iter().zip(latency.map(|l| &l.percentiles_ns[..]).unwrap_or_default());
            all.filter_map(|((_, q), e)| Some((q * 100.0, e.as_ref()?.value)))
                .map(|(q, v)| (tidy(q), v))
                .collect()
        };
        let series =
            self.lead().into_iter().map(|(_, cell)| (name(self.subjects, cell), points(cell)));
        let plot = Percentiles {
            text: self.text(self.latency_by_percentile()),
            series: series.map(|(name, points)| LineSeries { name, points }).collect(),
        };
        self.figure("percentiles", plot)
    }

    fn timeline(&self) -> Chart {
        let l = self.language;
        let series = self.lead().into_iter().map(|(_, cell)| LineSeries {
            name: name(self.subjects, cell),
            points: thinned(&cell.over_time, TIMELINE_POINTS),
        });
        let plot = Timeline {
            text: self.text(say!(l, "figure-ops-over-time", at = self.lead_label())),
            y_label: "ops/s".to_string(),
            series: series.collect(),
        };
        self.figure("over-time", plot)
    }
}

/// Values that span more than this factor lie on a linear axis.
const MOST_SPAN: f64 = 10.0;

/// Whether the values of curves need a logarithmic axis.
pub(super) fn spans_much(series: &[CurveSeries]) -> bool {
    let ys = || series.iter().flat_map(|s| &s.points).map(|p| p.y).filter(|y| *y > 0.0);
    ys().fold(0.0, f64::max) > MOST_SPAN * ys().fold(f64::MAX, f64::min)
}

/// `text` with the mark if not limited by the drive.
pub fn marked(cell: &CellFacts, text: String) -> String {
    text + &mark(cell)
}

/// A cell's subject, with the mark if required.
pub fn name(subjects: &Subjects, cell: &CellFacts) -> String {
    marked(cell, subjects[cell.subject].name.clone())
}

/// 99.99 and not 99.98999999999999.
fn tidy(percentile: f64) -> f64 {
    (percentile * 1e6).round() / 1e6
}

/// Points beyond a curve's capacity would stretch the axis and flatten the rest: those that missed
/// their rate and are above all others are omitted. Returns their labels: "A 110 %".
fn without_overload(l: Language, series: &mut [CurveSeries]) -> Vec<String> {
    let missed = |p: &CurvePoint| p.mark == PointMark::Missed;
    let all = series.iter().flat_map(|s| &s.points);
    let most = all.filter(|p| !missed(p)).map(|p| p.high.max(p.y)).fold(0.0, f64::max);
    let mut beyond = Vec::new();
    for CurveSeries { name, points } in series.iter_mut().filter(|_| most > 0.0) {
        points.retain(|p| {
            let stays = !missed(p) || p.y <= most;
            if !stays && p.label.is_empty() {
                beyond.push(format!("{name} {} ops/s", l.number(&si(p.x))));
            } else if !stays {
                beyond.push(format!("{name} {}", p.label));
            }
            stays
        });
    }
    beyond
}

/// A label with "≥" before it if its value is only a lower bound.
fn at_least(bar: &Bar, label: String) -> String {
    if bar.at_least { format!("≥ {label}") } else { label }
}

pub(super) fn scaled(e: &Estimate, by: f64) -> Bar {
    let (value, low, high) = (e.value / by, e.low / by, e.high / by);
    Bar { value, low, high, marked: false, digits: e.digits, at_least: e.at_least }
}

/// Means of neighbours, so that there are at most `most` points and none is skipped.
pub(super) fn thinned(series: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    let mean = |part: &[(f64, f64)]| {
        let n = part.len() as f64;
        (part.iter().map(|p| p.0).sum::<f64>() / n, part.iter().map(|p| p.1).sum::<f64>() / n)
    };
    series.chunks(series.len().div_ceil(most).max(1)).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_mean() {
        let series: Vec<_> = (0..1000).map(|i| (f64::from(i), f64::from(i % 10))).collect();
        let thin = thinned(&series, 300);
        assert_eq!((thin.len(), thin[0]), (250, (1.5, 1.5)));
        assert_eq!(thinned(&series[..3], 300), series[..3]);
    }
}
