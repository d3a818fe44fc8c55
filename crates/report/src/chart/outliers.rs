//! The slowest requests of a step's lead point, one mark each, over the window, by cause, with a
//! panel per subject.

use crate::analysis::outlier_cause::Cause;
use crate::analysis::outliers::OutlierMark;
use crate::chart::canvas::axis::ChartAxis;
use crate::chart::canvas::fonts::{self, Face};
use crate::chart::canvas::frame::{Canvas, SubjectStyle};
use crate::chart::canvas::theme::{HEIGHT, LEAST_TEXT, Palette};
use crate::chart::step::{StepDrawing, name};
use crate::chart::{Chart, FigureText, Plot};
use crate::language::Language;
use crate::say;
use dyno_core::base::units::{self, latency};

/// The causes in the order of the legend.
const CAUSES: [Cause; 3] = [Cause::Drive, Cause::Host, Cause::Unknown];

/// Space between panels, for the label of the lower one.
const GAP: f64 = 31.0;
/// Minimum height of a panel.
const LEAST_PANEL: f64 = 74.0;

/// The name of a cause.
pub fn cause_text(l: Language, cause: Cause) -> String {
    match cause {
        Cause::Drive => say!(l, "cause-drive"),
        Cause::Host => say!(l, "cause-host"),
        Cause::Unknown => say!(l, "cause-unknown"),
    }
}

/// The figure of a step whose representative point has outliers.
pub fn figures(drawing: &StepDrawing<'_>) -> Vec<Chart> {
    let (l, subjects, draw) = (drawing.language, drawing.subjects, drawing.titled());
    let lead = draw.lead().into_iter().filter(|(_, cell)| !cell.outliers.marks.is_empty());
    let series = lead.map(|(_, cell)| SubjectOutliers {
        name: name(subjects, cell),
        marks: cell.outliers.marks.clone(),
        outliers: cell.outliers.count(),
    });
    let series: Vec<SubjectOutliers> = series.collect();
    if series.is_empty() {
        return Vec::new();
    }
    let drawn: usize = series.iter().map(|one| one.marks.len()).sum();
    let all: u64 = series.iter().map(|one| one.outliers).sum();
    let at = draw.lead_label();
    let [count, of] = [drawn as u64, all].map(|n| l.number(&units::grouped(n)));
    let what = match drawn as u64 == all {
        true => say!(l, "figure-outliers", count = count, at = at),
        false => say!(l, "figure-slowest-outliers", count = count, all = of, at = at),
    };
    // Subjects' colours have another meaning.
    let first = subjects.len();
    let text = FigureText { title: String::new(), ..draw.text(what) };
    let plot = OutlierChart { text, series, first };
    vec![draw.figure("outliers", plot)]
}

/// A subject's outliers.
struct SubjectOutliers {
    name: String,
    marks: Vec<OutlierMark>,
    /// Number of outliers, including those not drawn.
    outliers: u64,
}

struct OutlierChart {
    text: FigureText,
    series: Vec<SubjectOutliers>,
    /// Index of the first cause's colour and shape.
    first: usize,
}

impl Plot for OutlierChart {
    fn text(&self) -> Option<&FigureText> {
        Some(&self.text)
    }

    fn svg(&self, palette: &Palette) -> String {
        let l = self.text.language;
        let causes = CAUSES.map(|cause| cause_text(l, cause));
        let names: Vec<&str> = causes.iter().map(String::as_str).collect();
        let all = || self.series.iter().flat_map(|s| &s.marks);
        let slow = all().map(|m| m.response_ns).max().unwrap_or(0) as f64;
        let (scale, unit) = if slow >= 1e6 { (1e6, "ms") } else { (1e3, "µs") };
        let value = |mark: &OutlierMark| mark.response_ns as f64 / scale;
        let y = ChartAxis::decades(all().map(|m| (value(m), value(m), value(m))));
        let n = self.series.len().max(1) as f64;
        let set = (palette, l);
        let mut frame = Canvas::with_legend_from(set, (self.first, &names), &[y], HEIGHT);
        let top = frame.top;
        let height = ((frame.bottom - top - GAP * (n - 1.0)) / n).max(LEAST_PANEL);
        frame.height += top + height * n + GAP * (n - 1.0) - frame.bottom;
        let seconds = |mark: &OutlierMark| mark.at_ns as f64 / 1e9;
        let x = ChartAxis::up_to(all().map(seconds));
        let (left, right) = (frame.left + 5.0, frame.right - 14.0);
        let x_at = |seconds: f64| left + x.share(seconds) * (right - left);
        for (i, subject) in self.series.iter().enumerate() {
            let from = top + i as f64 * (height + GAP);
            let label = format!("{unit}, {}", subject.name);
            let label = fonts::shortened(&label, LEAST_TEXT, Face::Plain, frame.right - frame.left);
            frame.panel(from, from + height, &label, y);
            frame.baseline();
            for mark in &subject.marks {
                let place = CAUSES.iter().position(|cause| *cause == mark.cause).unwrap_or(0);
                let at = (x_at(seconds(mark)), frame.y_at(value(mark)));
                let (took, when) = (latency(mark.response_ns as f64), seconds(mark));
                let (took, when) = (l.number(&took), l.number(&format!("{when:.3}")));
                let hover = format!("{}, {when} s: {took}, {}", subject.name, names[place]);
                frame.mark(at, 3.2, SubjectStyle::solid(self.first + place), Some(&hover));
            }
        }
        frame.x_numbers(&x, &x_at);
        frame.x_label(&say!(l, "figure-seconds"));
        frame.svg(&self.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outlier_is_a_mark_and_letters_stay_apart() {
        let mark = |n: u64| OutlierMark {
            at_ns: n * 37_000_000,
            response_ns: 40_000 << (n % 12),
            cause: CAUSES[n as usize % 3],
        };
        for (subjects, first) in [(1, 1), (2, 2), (8, 8)] {
            let subject = |i: usize| SubjectOutliers {
                name: format!("Drive {i} of a name {}", "that needs room ".repeat(i + 2)),
                marks: (0..40).map(mark).collect(),
                outliers: 40,
            };
            let series = (0..subjects).map(subject).collect();
            let text = FigureText::of(Language::ENGLISH, "", "Outliers");
            let svg = OutlierChart { text, series, first }.svg(&Palette::default());
            crate::chart::tests::check(&svg).expect("it reads");
            assert_eq!(svg.matches("<title>").count(), 40 * subjects);
            assert_eq!(svg.matches(", unknown</title>").count(), 13 * subjects);
        }
    }
}
