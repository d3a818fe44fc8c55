//! Which figures a step gets, and what goes into them.

use super::facts::{CellFacts, Facts, StepFacts};
use super::figure::bars::{Bar, BarSeries, GroupedBars};
use super::figure::curve::{Curve, CurvePoint, CurveSeries};
use super::figure::percentiles::{PercentileSeries, Percentiles};
use super::figure::timeline::{Timeline, TimelineSeries};
use super::reading::{ClassSummary, Latency, P99, PERCENTILES, Summary};
use crate::plan::Field;
use crate::stats::Estimate;

/// A figure and the name of its file, without an extension.
pub struct Drawing {
    pub file: String,
    pub svg: String,
}

/// Points of a line over time: enough for a page's width, few enough for a small file.
const TIMELINE_POINTS: usize = 300;

/// More groups of bars than this cannot be told apart.
const MOST_GROUPS: usize = 16;

/// Below this rate (1 MB/s) a step moves requests, not data, and MB/s say nothing.
const MOVES_DATA: f64 = 1e6;

pub fn all(facts: &Facts) -> Vec<Drawing> {
    facts.steps.iter().flat_map(|step| of_step(facts, step)).collect()
}

/// The figures of a step, leading ones first.
pub fn of_step(facts: &Facts, step: &StepFacts) -> Vec<Drawing> {
    let draw = Draw { facts, step };
    let swept = step.values.len() > 1;
    let moves = step.cells.iter().filter_map(|c| c.total.as_ref()).any(|t| t.bytes_per_s.value > MOVES_DATA);
    let mut all = vec![("ops", draw.bars("Operations a second", "ops/s", &|t| Some(scaled(&t.ops_per_s, 1.0))))];
    if swept && step.class.is_some() {
        all.push(("p99-against-ops", draw.latency_curve()));
    }
    if moves {
        all.push(("mb", draw.bars("Data moved", "MB/s", &|t| Some(scaled(&t.bytes_per_s, 1e6)))));
    }
    if step.class.is_some() {
        all.push((
            "p99",
            draw.bars(&format!("p99 {}", draw.kind()), "µs", &|t| {
                felt(t, step).and_then(|l| l.percentiles_ns[P99].as_ref()).map(|e| scaled(e, 1e3))
            }),
        ));
        all.push(("percentiles", draw.percentiles()));
    }
    if step.cells.iter().any(|c| c.over_time.len() > 2) {
        all.push(("over-time", draw.timeline()));
    }
    let file = |name: &str| format!("{}-{name}", slug(&step.name));
    all.into_iter().map(|(name, svg)| Drawing { file: file(name), svg }).collect()
}

struct Draw<'a> {
    facts: &'a Facts,
    step: &'a StepFacts,
}

impl Draw<'_> {
    /// "read service time"
    fn kind(&self) -> String {
        let class = self.step.class.map_or("", |c| c.name());
        format!("{class} {} time", if self.step.open_loop { "response" } else { "service" })
    }

    fn x_label(&self) -> String {
        match self.step.axis.as_ref().map(|a| a.field) {
            Some(Field::Depth) => "queue depth".to_string(),
            _ => self.step.axis_label().to_string(),
        }
    }

    fn groups(&self) -> Vec<String> {
        let named = |label: &String| if label.is_empty() { self.step.name.clone() } else { label.clone() };
        self.step.values.iter().map(|v| named(&v.label)).collect()
    }

    /// One number for each subject and axis value: bars while they can be told apart, lines beyond that.
    fn bars(&self, what: &str, unit: &str, pick: &dyn Fn(&Summary) -> Option<Bar>) -> String {
        if self.step.values.len() > MOST_GROUPS {
            return self.lines(what, unit, pick);
        }
        let values = |subject| {
            let cells = self.facts.cells_of(self.step, subject).into_iter();
            cells.map(|c| c.and_then(|c| c.total.as_ref()).and_then(pick)).collect()
        };
        let subjects = self.facts.subjects.iter().enumerate();
        let series = subjects.map(|(i, name)| BarSeries { name: name.clone(), values: values(i) }).collect();
        GroupedBars {
            title: self.step.title.clone(),
            subtitle: what.to_string(),
            x_label: self.x_label(),
            y_label: unit.to_string(),
            groups: self.groups(),
            series,
        }
        .svg()
    }

    fn lines(&self, what: &str, unit: &str, pick: &dyn Fn(&Summary) -> Option<Bar>) -> String {
        let point = |cell: &CellFacts| {
            let bar = pick(cell.total.as_ref()?)?;
            let x = self.step.values[cell.value].number;
            let label = String::new();
            x.is_finite().then_some(CurvePoint { x, y: bar.value, label, low: bar.low, high: bar.high })
        };
        Curve {
            title: self.step.title.clone(),
            subtitle: what.to_string(),
            x_label: self.x_label(),
            y_label: unit.to_string(),
            log_y: false,
            series: self.curves(&point),
        }
        .svg()
    }

    fn curves(&self, point: &dyn Fn(&CellFacts) -> Option<CurvePoint>) -> Vec<CurveSeries> {
        let points = |subject| {
            let cells = self.facts.cells_of(self.step, subject).into_iter().flatten();
            cells.filter_map(point).collect::<Vec<_>>()
        };
        let subjects = self.facts.subjects.iter().enumerate();
        subjects.map(|(i, name)| CurveSeries { name: name.clone(), points: points(i) }).collect()
    }

    /// p99 against ops/s, each point labelled with its axis value.
    fn latency_curve(&self) -> String {
        // Labels that stand on one another tell nothing.
        let every = self.step.values.len().div_ceil(MOST_GROUPS);
        let label = |value: usize| match value % every {
            0 => self.step.values[value].label.clone(),
            _ => String::new(),
        };
        let point = |cell: &CellFacts| {
            let total = cell.total.as_ref()?;
            let p99 = felt(total, self.step)?.percentiles_ns[P99].as_ref()?;
            let bar = scaled(p99, 1e3);
            let (x, label) = (total.ops_per_s.value, label(cell.value));
            Some(CurvePoint { x, y: bar.value, label, low: bar.low, high: bar.high })
        };
        let series = self.curves(&point);
        let ys = || series.iter().flat_map(|s| &s.points).map(|p| p.y);
        let wide = ys().fold(0.0, f64::max) > 20.0 * ys().fold(f64::MAX, f64::min);
        Curve {
            title: self.step.title.clone(),
            subtitle: format!("p99 {} against throughput, by {}", self.kind(), self.x_label()),
            x_label: "ops/s".to_string(),
            y_label: "µs".to_string(),
            log_y: wide,
            series,
        }
        .svg()
    }

    /// The lead point's cells: the one whose shape is looked at closely.
    fn lead(&self) -> Vec<(usize, &CellFacts)> {
        let subjects = 0..self.facts.subjects.len();
        let cell = |subject| self.facts.cells_of(self.step, subject).into_iter().nth(self.step.lead).flatten();
        subjects.filter_map(|subject| Some((subject, cell(subject)?))).collect()
    }

    /// "threads = 4", for figures of one point.
    fn lead_label(&self) -> String {
        match self.step.values.get(self.step.lead) {
            Some(value) if !value.label.is_empty() => format!(" at {} {}", self.x_label(), value.label),
            _ => String::new(),
        }
    }

    fn percentiles(&self) -> String {
        let points = |cell: &CellFacts| {
            let latency = cell.total.as_ref().and_then(|t| felt(t, self.step));
            let all = PERCENTILES.iter().zip(latency.map(|l| &l.percentiles_ns[..]).unwrap_or_default());
            all.filter_map(|((_, q), e)| Some((q * 100.0, e.as_ref()?.value))).map(|(q, v)| (tidy(q), v)).collect()
        };
        let series = self.lead().into_iter().map(|(i, cell)| (self.facts.subjects[i].clone(), points(cell)));
        Percentiles {
            title: self.step.title.clone(),
            subtitle: format!("{} by percentile{}", self.kind(), self.lead_label()),
            series: series.map(|(name, points)| PercentileSeries { name, points }).collect(),
        }
        .svg()
    }

    fn timeline(&self) -> String {
        let series = self.lead().into_iter().map(|(i, cell)| TimelineSeries {
            name: self.facts.subjects[i].clone(),
            points: thinned(&cell.over_time, TIMELINE_POINTS),
        });
        Timeline {
            title: self.step.title.clone(),
            subtitle: format!("operations a second over time{}", self.lead_label()),
            y_label: "ops/s".to_string(),
            series: series.collect(),
        }
        .svg()
    }
}

/// 99.99 and not 99.98999999999999.
fn tidy(percentile: f64) -> f64 {
    (percentile * 1e6).round() / 1e6
}

fn felt<'a>(summary: &'a Summary, step: &StepFacts) -> Option<&'a Latency> {
    summary.class(step.class).map(ClassSummary::felt)
}

/// A file name made of a step's name.
fn slug(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

fn scaled(e: &Estimate, by: f64) -> Bar {
    Bar { value: e.value / by, low: e.low / by, high: e.high / by }
}

/// Means of neighbours, so that there are at most `most` points and none is passed over.
fn thinned(series: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
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
