//! How a step's figures are named: captions, axes, groups, and what is claimed there.

use std::cmp::Ordering;

use super::{Draw, marked};
use crate::analysis::facts::CellFacts;
use crate::analysis::lead;
use crate::analysis::metric::Metric;
use crate::analysis::{At, Comparison, Standing};
use crate::chart::MARK;
use crate::chart::axis::si;
use crate::plan::Field;
use crate::stats::Better;

impl Draw<'_> {
    /// Where no heading says it, the step's title stands in the caption.
    pub fn title(&self) -> String {
        if self.titled { String::new() } else { self.step.title.clone() }
    }

    /// Says what the mark means, where there is one.
    pub fn subtitle(&self, what: String) -> String {
        let what = if self.titled { format!("{}: {what}", self.step.title) } else { what };
        match (self.step.has_marks(), self.quiet) {
            (false, _) => what,
            (true, false) => format!("{what} ({MARK} not limited by the drive)"),
            (true, true) => format!("{what} (outline: not limited by the drive)"),
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

    /// "read service time"
    pub fn kind(&self) -> String {
        let class = self.step.class.map_or("", |c| c.name());
        format!("{class} {} time", if self.step.open_loop { "response" } else { "service" })
    }

    pub fn x_label(&self) -> String {
        match self.step.axis.as_ref().map(|a| a.field) {
            Some(Field::Depth) => "queue depth".to_string(),
            _ => self.step.axis_label().to_string(),
        }
    }

    pub fn groups(&self) -> Vec<String> {
        let named =
            |label: &String| if label.is_empty() { self.step.name.clone() } else { label.clone() };
        self.step.values.iter().map(|v| named(&v.label)).collect()
    }

    /// "threads = 4", for figures of one point.
    pub fn lead_label(&self) -> String {
        match self.step.values.get(self.step.lead) {
            Some(value) if !value.label.is_empty() => {
                format!(" at {} {}", self.x_label(), value.label)
            }
            _ => String::new(),
        }
    }
}
