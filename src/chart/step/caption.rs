//! How a step's figures are named: captions, axes, groups, and what is claimed there.

use std::cmp::Ordering;

use super::{Draw, marked};
use crate::analysis::facts::{AxisValue, CellFacts};
use crate::analysis::lead;
use crate::analysis::metric::Metric;
use crate::analysis::{At, Comparison, Standing};
use crate::chart::MARK;
use crate::chart::axis::si;
use crate::plan::Field;
use crate::say;
use crate::stats::Better;

impl Draw<'_> {
    /// Where no heading says it, the step's title stands in the caption.
    pub fn title(&self) -> String {
        if self.titled { String::new() } else { self.step.title.clone() }
    }

    /// Says what the mark means, where there is one.
    pub fn subtitle(&self, what: String) -> String {
        let l = self.facts.language;
        let what = match self.titled {
            true => say!(l, "caption-of-step", step = &self.step.title, caption = what),
            false => what,
        };
        match (self.step.has_marks(), self.quiet) {
            (false, _) => what,
            (true, false) => say!(l, "caption-marked", caption = what, mark = MARK),
            (true, true) => say!(l, "caption-outlined", caption = what),
        }
    }

    /// On the first page no mark stands at a number: the number is left out.
    pub fn marked(&self, cell: &CellFacts, text: String) -> String {
        if self.quiet { text } else { marked(cell, text) }
    }

    /// The largest claimed difference in a metric at a point of the figure: "; claimed: A +21 % at
    /// 96".
    pub fn called_out(&self, metric: &Metric) -> String {
        let index = self.facts.steps.iter().position(|s| s.name == self.step.name);
        let at = |c: &&Comparison| matches!(c.at, At::Value(_) | At::Load(_)) && c.is_claimed();
        let own = self
            .facts
            .comparisons
            .iter()
            .filter(|c| Some(c.step) == index && c.metric == *metric)
            .filter(at);
        // Where the step leads, if something is claimed there.
        let leads =
            |c: &Comparison| lead::value(self.step).is_some_and(|value| c.at == At::Value(value));
        let largest = own.max_by(|a, b| {
            (leads(a), a.low).partial_cmp(&(leads(b), b.low)).unwrap_or(Ordering::Equal)
        });
        let Some(largest) = largest else { return String::new() };
        let [value, ..] = largest.printed();
        let sign = if metric.better() == Better::Higher { "+" } else { "−" };
        let least = if largest.standing == Standing::AtLeast { "at least " } else { "" };
        let at = match largest.at {
            At::Value(value) if !self.step.values[value].label.is_empty() => {
                format!(" at {}", self.step.values[value].label)
            }
            At::Load(ops) => format!(" at {} ops/s", si(ops)),
            _ => String::new(),
        };
        format!("; claimed: {} {least}{sign}{value} %{at}", self.facts.subjects[largest.better])
    }

    /// "p99 read service time"
    pub fn latency(&self, figure: String) -> String {
        let (l, class) = (self.facts.language, self.step.class.map_or("", |c| c.name()));
        match self.step.open_loop {
            true => say!(l, "figure-response-time", figure = figure, class = class),
            false => say!(l, "figure-service-time", figure = figure, class = class),
        }
    }

    /// "read service time by percentile at threads 64"
    pub fn latency_by_percentile(&self) -> String {
        let (l, class) = (self.facts.language, self.step.class.map_or("", |c| c.name()));
        let at = self.lead_label();
        match self.step.open_loop {
            true => say!(l, "figure-response-time-by-percentile", class = class, at = at),
            false => say!(l, "figure-service-time-by-percentile", class = class, at = at),
        }
    }

    pub fn x_label(&self) -> String {
        let l = self.facts.language;
        match self.step.axis.as_ref().map(|a| a.field) {
            Some(Field::Depth) => say!(l, "figure-queue-depth"),
            _ => self.step.axis_text(l),
        }
    }

    pub fn groups(&self) -> Vec<String> {
        let named = |v: &AxisValue| match v.label.is_empty() {
            true => self.step.name.clone(),
            false => v.text(self.facts.language),
        };
        self.step.values.iter().map(named).collect()
    }

    /// "threads = 4", for figures of one point.
    pub fn lead_label(&self) -> String {
        match self.step.values.get(self.step.lead) {
            Some(value) if !value.label.is_empty() => {
                let l = self.facts.language;
                say!(l, "figure-at", axis = self.x_label(), value = value.text(l))
            }
            _ => String::new(),
        }
    }
}
