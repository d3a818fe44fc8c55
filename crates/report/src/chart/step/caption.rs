//! Names in a step's figures: captions, axes, groups.

use super::StepDrawing;
use crate::chart::{FigureText, MARK};
use crate::language::Name;
use crate::say;
use crate::terms::names;
use dyno_core::plan::{Field, Timing};

impl StepDrawing<'_> {
    /// The texts about a figure with these contents, whose points bear the mark. Without a heading,
    /// the caption contains the step's title.
    pub fn text(&self, what: String) -> FigureText {
        self.figure_text(what, false)
    }

    /// The same for bars, which are outlines without a mark on the first page.
    pub fn text_of_bars(&self, what: String) -> FigureText {
        self.figure_text(what, self.quiet)
    }

    fn figure_text(&self, what: String, outlined: bool) -> FigureText {
        let title = if self.titled { String::new() } else { self.step.title.text(self.language) };
        let language = self.language;
        FigureText { language, title, caption: self.caption(what), signs: self.signs(outlined) }
    }

    fn caption(&self, what: String) -> String {
        match self.titled {
            true => say!(self.language, "caption-of-step", step = &self.step.title, caption = what),
            false => what,
        }
    }

    /// The meaning of the mark, if there is one.
    fn signs(&self, outlined: bool) -> Vec<String> {
        let l = self.language;
        match (self.step.has_marks(), outlined) {
            (false, _) => Vec::new(),
            (true, false) => vec![say!(l, "sign-marked", mark = MARK)],
            (true, true) => vec![say!(l, "sign-outlined")],
        }
    }

    /// "p99 read service time"; "p99 read latency" if the source does not give the kind.
    pub fn latency(&self, figure: String) -> String {
        let l = self.language;
        let class = Name::op(self.step.class.map_or("", |c| c.name()));
        match self.step.timing {
            Some(Timing::Response) => {
                say!(l, "figure-response-time", figure = figure, class = class)
            }
            Some(Timing::Service) => {
                say!(l, "figure-service-time", figure = figure, class = class)
            }
            None => say!(l, "figure-latency", figure = figure, class = class),
        }
    }

    /// "read service time by percentile at threads 64"
    pub fn latency_by_percentile(&self) -> String {
        let l = self.language;
        let class = Name::op(self.step.class.map_or("", |c| c.name()));
        let at = self.lead_label();
        match self.step.timing {
            Some(Timing::Response) => {
                say!(l, "figure-response-time-by-percentile", class = class, at = at)
            }
            Some(Timing::Service) => {
                say!(l, "figure-service-time-by-percentile", class = class, at = at)
            }
            None => say!(l, "figure-latency-by-percentile", class = class, at = at),
        }
    }

    /// The label of the axis.
    pub fn x_label(&self) -> String {
        let l = self.language;
        match self.step.axis.as_ref().map(|a| a.field) {
            Some(Field::Depth) => say!(l, "figure-queue-depth"),
            _ => self.step.axis_text(l),
        }
    }

    /// The divisor of axis values for rates, and the axis with its unit.
    pub fn x_scale(&self) -> (f64, String) {
        let l = self.language;
        let label = |axis, unit: &str| l.sequence(&[names::axis(l, axis), unit.to_string()]);
        match self.step.axis.as_ref().map(|axis| (axis.field, axis)) {
            Some((Field::BytesPerSec, axis)) => (1e6, label(axis, "MB/s")),
            _ => (1.0, self.x_label()),
        }
    }

    /// A group's name; empty for a single point.
    pub fn groups(&self) -> Vec<String> {
        self.step.values.iter().map(|v| v.text(self.language)).collect()
    }

    /// "threads = 4", for figures of one point.
    pub fn lead_label(&self) -> String {
        match self.step.values.get(self.step.lead) {
            Some(value) if !value.label.is_empty() => {
                let l = self.language;
                say!(l, "figure-at", axis = self.x_label(), value = value.text(l))
            }
            _ => String::new(),
        }
    }
}
