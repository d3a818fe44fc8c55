//! The figures of each step and their drawing: from facts to plain data, and from plain data to SVG
//! and PNG, without I/O.
//!
//! `step`, `power`, `replay`, `outliers`, `steady`, `durable`, `fleet` and `trend` define what is
//! drawn, `choice` which figures represent a step. Every figure is a `Canvas` (legend, y axis) with
//! marks drawn into it; its title is placed next to it by the document. Each mark has a `<title>`,
//! from which a page shows its value under a pointer or a finger.

mod alone;
pub mod canvas;
pub mod choice;
pub mod cost;
pub mod fleet;
pub mod kinds;
pub mod multiples;
pub mod outliers;
pub mod power;
pub mod replay;
pub mod step;
#[cfg(test)]
pub mod tests;

use std::fmt;
use std::sync::Arc;

pub use canvas::png::png;
pub use canvas::theme::{MARK, Palette};
pub use step::StepDrawing;

use crate::analysis::facts::{CellFacts, Facts};
use crate::language::Language;
use crate::say;
use dyno_core::base::registry::Registry;

/// The texts about a figure, and their language.
#[derive(Clone)]
pub struct FigureText {
    /// The language of its labels too.
    pub language: Language,
    /// The context shared with adjacent figures: the step; empty if there is none.
    pub title: String,
    /// The specific contents of this one.
    pub caption: String,
    /// The meanings of its marks, which follow the caption in brackets.
    pub signs: Vec<String>,
}

impl FigureText {
    /// The texts about a figure without marks.
    pub fn of(
        language: Language,
        title: impl Into<String>,
        caption: impl Into<String>,
    ) -> FigureText {
        let (title, caption, signs) = (title.into(), caption.into(), Vec::new());
        FigureText { language, title, caption, signs }
    }

    /// The caption with the meanings of all marks in one pair of brackets.
    pub fn full_caption(&self, more: &[String]) -> String {
        let signs = [&self.signs, more].concat();
        match signs.is_empty() {
            true => self.caption.clone(),
            false => {
                let detail = self.language.clauses(&signs);
                say!(self.language, "with-detail", what = &self.caption, detail = detail)
            }
        }
    }
}

/// A line of points.
pub struct LineSeries {
    /// The name in the legend.
    pub name: String,
    /// Points in ascending order of x.
    pub points: Vec<(f64, f64)>,
}

impl LineSeries {
    /// The legend's text.
    fn names(series: &[LineSeries]) -> Vec<&str> {
        series.iter().map(|line| line.name.as_str()).collect()
    }
}

/// A kind of figure.
pub trait Plot: Send + Sync {
    /// Its texts that are known before drawing.
    fn text(&self) -> Option<&FigureText> {
        None
    }

    /// The context shared with adjacent figures: the step; empty if there is none.
    fn title(&self) -> &str {
        self.text().map_or("", |text| &text.title)
    }

    /// The specific contents of this one.
    fn caption(&self) -> String {
        self.text().map(|text| text.full_caption(&[])).unwrap_or_default()
    }

    /// The drawing, without title and caption, which are placed by the document.
    fn svg(&self, palette: &Palette) -> String;

    /// A description of the figure for readers who cannot see it.
    fn label(&self) -> String {
        match self.text() {
            Some(text) if !text.title.is_empty() => {
                say!(text.language, "caption-of-step", step = &text.title, caption = self.caption())
            }
            _ => self.caption(),
        }
    }
}

/// A figure, not drawn yet, and its file name without an extension.
#[derive(Clone)]
pub struct Chart {
    /// Its step and its name among the step's figures; figures of the whole brief have no step.
    id: (String, String),
    /// File name without extension: lower-case words joined by hyphens.
    pub file: String,
    plot: Arc<dyn Plot>,
}

impl Chart {
    /// A figure from any kind.
    pub fn new(file: String, plot: impl Plot + 'static) -> Chart {
        Chart { id: (String::new(), file.clone()), file, plot: Arc::new(plot) }
    }

    /// A figure of a step, by its name among the step's figures: "ops", "p99-against-ops".
    pub fn of_step(step: &str, name: &str, plot: impl Plot + 'static) -> Chart {
        let file = format!("{}-{name}", slug(step));
        Chart { id: (step.to_string(), name.to_string()), file, plot: Arc::new(plot) }
    }

    /// Its name among its step's figures, or in a brief.
    pub fn name(&self) -> &str {
        &self.id.1
    }

    /// Whether both are the same figure of the same step.
    pub fn is(&self, other: &Chart) -> bool {
        self.id == other.id
    }

    /// A description of the figure for readers who cannot see it.
    pub fn label(&self) -> String {
        self.plot.label()
    }

    /// A description of the figure for its caption and for readers who cannot see it.
    pub fn caption(&self) -> String {
        self.plot.caption()
    }

    /// The drawing for a document, where its caption is next to it.
    pub fn svg(&self, palette: &Palette) -> String {
        self.plot.svg(palette)
    }

    /// The drawing as a separate file, including its description.
    pub fn alone(&self, palette: &Palette) -> String {
        let drawn = self.plot.svg(palette);
        let (width, height) = size(&drawn);
        alone::with_title(&drawn, (width, height), self.plot.title(), &self.plot.caption())
    }
}

/// A figure of a step, by its name among the step's figures: "ops", "p99-against-ops".
pub fn mark(cell: &CellFacts) -> String {
    if cell.is_not_the_drives() { format!(" {MARK}") } else { String::new() }
}

/// A file name derived from a step's name.
fn slug(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect()
}

/// Width and height of a drawing, from its viewBox.
pub fn size(svg: &str) -> (f64, f64) {
    let numbers =
        svg.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let numbers: Vec<f64> = numbers.split(' ').filter_map(|n| n.parse().ok()).collect();
    match numbers[..] {
        [_, _, width, height] if width > 0.0 && height > 0.0 => (width, height),
        _ => (canvas::theme::WIDTH, canvas::theme::HEIGHT),
    }
}

impl fmt::Debug for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.label())
    }
}

/// The figures of a step in a section of a brief.
#[derive(Clone, Copy)]
pub struct OfStep {
    /// The section's name.
    pub section: &'static str,
    /// The figures of one step; empty if it has none of this kind.
    pub figures: fn(&StepDrawing<'_>) -> Vec<Chart>,
}

/// All kinds of figures of steps. A new kind is a file here and a line.
pub static OF_STEP: Registry<OfStep> = Registry::new(&[
    OfStep { section: "results", figures: step::figures },
    OfStep { section: "energy", figures: crate::chart::power::figures },
    OfStep { section: "write-cost", figures: cost::figures },
    OfStep { section: "replay", figures: replay::figures },
    OfStep { section: "outliers", figures: crate::chart::outliers::figures },
    OfStep { section: "fleet", figures: fleet::figures },
]);

/// The figures of a step in a section.
pub fn of_step(section: &str, drawing: &StepDrawing<'_>) -> Vec<Chart> {
    let own = OF_STEP.iter().filter(|of| of.section == section);
    own.flat_map(|of| (of.figures)(drawing)).collect()
}

/// Every figure of a brief.
pub fn all(l: Language, facts: &Facts) -> Vec<Chart> {
    let Facts { subjects, setup, measured, comparisons, .. } = facts;
    let steps = measured.steps.iter();
    let steps = steps.map(|step| StepDrawing::of(l, subjects, comparisons, step));
    if subjects.are_a_fleet() {
        return steps.flat_map(|step| of_step("fleet", &step)).collect();
    }
    let mut all: Vec<Chart> = steps.flat_map(|step| choice::all(&step)).collect();
    all.extend(kinds::steady::figures(l, subjects, setup));
    all.extend(kinds::durable::figures(l, subjects, measured, &comparisons.durability.groups));
    all
}
