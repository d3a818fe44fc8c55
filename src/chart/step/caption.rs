//! How a step's figures are named: captions, axes, groups.

use super::{Draw, marked};
use crate::analysis::facts::CellFacts;
use crate::chart::MARK;
use crate::plan::Field;

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

    /// A group's name; a point alone has none.
    pub fn groups(&self) -> Vec<String> {
        self.step.values.iter().map(|v| v.label.clone()).collect()
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
