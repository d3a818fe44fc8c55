//! Which figures a step gets, and how they are drawn: from facts to plain data, and from plain data
//! to SVG and PNG, without I/O.
//!
//! `step`, `power`, `outliers`, `steady`, `durable`, `fleet` and `trend` define what is drawn,
//! `choice` which figures lead a step. Every figure is a `Canvas` (legend, y axis) with marks drawn
//! into it; its title is placed next to it by the document. Each mark has a `<title>`, from which a
//! page shows its value under a pointer or a finger.

mod alone;
pub mod canvas;
pub mod choice;
pub mod kinds;
pub mod multiples;
pub mod outliers;
pub mod power;
pub mod step;
#[cfg(test)]
pub mod tests;

use std::fmt;
use std::sync::Arc;

pub use canvas::png::png;
pub use canvas::theme::{MARK, Palette};

use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::base::registry::Registry;
use crate::language::Language;

/// What is said of a figure, and in which language.
#[derive(Clone)]
pub struct FigureText {
    /// Of what is in the figure too.
    pub language: Language,
    /// What the figures around it are of too: the step; empty where there is nothing to say.
    pub title: String,
    /// What this one shows of it.
    pub caption: String,
}

/// A line of points.
pub struct LineSeries {
    /// As the legend has it.
    pub name: String,
    /// In the order of x.
    pub points: Vec<(f64, f64)>,
}

impl LineSeries {
    /// What the legend says.
    fn names(series: &[LineSeries]) -> Vec<&str> {
        series.iter().map(|line| line.name.as_str()).collect()
    }
}

/// What can be drawn.
pub trait Plot: Send + Sync {
    /// What is said of it, where that is known before it is drawn.
    fn text(&self) -> Option<&FigureText> {
        None
    }

    /// What the figures around it are of too: the step; empty where there is nothing to say.
    fn title(&self) -> &str {
        self.text().map_or("", |text| &text.title)
    }

    /// What this one shows of it.
    fn caption(&self) -> String {
        self.text().map(|text| text.caption.clone()).unwrap_or_default()
    }

    /// The drawing, without its title and its caption, which a document sets beside it.
    fn svg(&self, palette: &Palette) -> String;

    /// What the figure shows, for those who do not see it.
    fn label(&self) -> String {
        match self.title() {
            "" => self.caption(),
            title => format!("{title}: {}", self.caption()),
        }
    }
}

/// A figure, not yet drawn, and the name of its file, without an extension.
#[derive(Clone)]
pub struct Chart {
    /// The step that it is of and what it is called among the step's figures; no step has the
    /// figures of a whole brief.
    id: (String, String),
    /// File name without its ending: lower-case words joined by hyphens.
    pub file: String,
    plot: Arc<dyn Plot>,
}

impl Chart {
    /// A figure of something that can be drawn.
    pub fn new(file: String, plot: impl Plot + 'static) -> Chart {
        Chart { id: (String::new(), file.clone()), file, plot: Arc::new(plot) }
    }

    /// A figure of a step, by its name among the step's figures: "ops", "p99-against-ops".
    pub fn of_step(step: &str, name: &str, plot: impl Plot + 'static) -> Chart {
        let file = format!("{}-{name}", slug(step));
        Chart { id: (step.to_string(), name.to_string()), file, plot: Arc::new(plot) }
    }

    /// What it is called among its step's figures, or in a brief.
    pub fn name(&self) -> &str {
        &self.id.1
    }

    /// Whether both are the same figure of the same step.
    pub fn is(&self, other: &Chart) -> bool {
        self.id == other.id
    }

    /// What the figure shows, for readers who do not see it.
    pub fn label(&self) -> String {
        self.plot.label()
    }

    /// What the figure shows, for its caption and for readers who do not see it.
    pub fn caption(&self) -> String {
        self.plot.caption()
    }

    /// The drawing as it stands in a document, beside its caption.
    pub fn svg(&self, palette: &Palette) -> String {
        self.plot.svg(palette)
    }

    /// The drawing as a file of its own, which says what it shows.
    pub fn alone(&self, palette: &Palette) -> String {
        let drawn = self.plot.svg(palette);
        let (width, height) = size(&drawn);
        alone::with_title(&drawn, (width, height), self.plot.title(), &self.plot.caption())
    }
}

/// What stands behind a number that the drive did not set; nothing behind others.
pub fn mark(cell: &CellFacts) -> String {
    if cell.is_not_the_drives() { format!(" {MARK}") } else { String::new() }
}

/// A file name made of a step's name.
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

/// Which figures a step gets in a section of a brief.
#[derive(Clone, Copy)]
pub struct OfStep {
    /// The section's name.
    pub section: &'static str,
    /// The figures of one step; none where it has nothing of the kind.
    pub figures: fn(&Facts, &StepFacts) -> Vec<Chart>,
}

/// Everything that is drawn of steps. A new kind of figure is a file here and a line.
pub static OF_STEP: Registry<OfStep> = Registry::new(&[
    OfStep { section: "results", figures: step::figures },
    OfStep { section: "energy", figures: crate::chart::power::figures },
    OfStep { section: "outliers", figures: crate::chart::outliers::figures },
    OfStep { section: "fleet", figures: kinds::fleet::figures },
]);

/// The figures of a step in a section.
pub fn of_step(section: &str, facts: &Facts, step: &StepFacts) -> Vec<Chart> {
    OF_STEP
        .iter()
        .filter(|of| of.section == section)
        .flat_map(|of| (of.figures)(facts, step))
        .collect()
}

/// Every figure of a brief.
pub fn all(facts: &Facts) -> Vec<Chart> {
    if facts.is_fleet() {
        return facts.steps.iter().flat_map(|step| of_step("fleet", facts, step)).collect();
    }
    let of = |step| OF_STEP.iter().flat_map(move |of| (of.figures)(facts, step));
    facts
        .steps
        .iter()
        .flat_map(of)
        .chain(kinds::steady::figures(facts))
        .chain(kinds::durable::figures(facts))
        .collect()
}
