//! Which figures a step gets, and how they are drawn: from facts to plain data, from plain data to SVG, without I/O; and
//! from SVG to PNG.
//!
//! `step`, `power` and `steady` say what is drawn. Every figure is a `Frame` (title, legend, y axis) with marks drawn into
//! it. Each mark carries a `<title>`, so that a browser shows its value when the pointer is over it.

mod axis;
mod bars;
mod curve;
pub mod fonts;
mod frame;
mod panels;
mod percentiles;
mod png;
pub mod power;
mod rounds;
pub mod steady;
pub mod step;
pub mod theme;
mod timeline;

use std::fmt;
use std::sync::Arc;

pub use png::png;
pub use theme::{MARK, Palette};

use crate::analysis::facts::{Facts, StepFacts};
use crate::base::registry::Registry;

/// What can be drawn.
pub trait Plot: Send + Sync {
    /// What the figure shows, for those who do not see it.
    fn label(&self) -> String;

    fn svg(&self, palette: &Palette) -> String;
}

/// A figure, not yet drawn, and the name of its file, without an extension.
#[derive(Clone)]
pub struct Figure {
    pub file: String,
    plot: Arc<dyn Plot>,
}

impl Figure {
    pub fn new(file: String, plot: impl Plot + 'static) -> Figure {
        Figure { file, plot: Arc::new(plot) }
    }

    pub fn label(&self) -> String {
        self.plot.label()
    }

    pub fn svg(&self, palette: &Palette) -> String {
        self.plot.svg(palette)
    }
}

impl fmt::Debug for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.label())
    }
}

/// Which figures a step gets in a section of a brief.
#[derive(Clone, Copy)]
pub struct OfStep {
    /// The section's name.
    pub section: &'static str,
    pub figures: fn(&Facts, &StepFacts) -> Vec<Figure>,
}

/// Everything that is drawn of steps. A new kind of figure is a file here and a line.
pub static OF_STEP: Registry<OfStep> = Registry::new(&[
    OfStep { section: "results", figures: step::figures },
    OfStep { section: "energy", figures: power::figures },
]);

/// The figures of a step in a section.
pub fn of_step(section: &str, facts: &Facts, step: &StepFacts) -> Vec<Figure> {
    OF_STEP.iter().filter(|of| of.section == section).flat_map(|of| (of.figures)(facts, step)).collect()
}

/// Every figure of a brief.
pub fn all(facts: &Facts) -> Vec<Figure> {
    let of = |step| OF_STEP.iter().flat_map(move |of| (of.figures)(facts, step));
    facts.steps.iter().flat_map(of).chain(steady::figures(facts)).collect()
}
