//! Values over time, stacked panels with a common time axis: power and temperature below the
//! throughput.

use crate::chart::canvas::axis::ChartAxis;
use crate::chart::canvas::frame::Canvas;
use crate::chart::canvas::theme::{GRID, HEIGHT, Palette};
use crate::chart::{FigureText, LineSeries, Plot};
use crate::say;

pub struct PanelChart {
    pub y_label: String,
    pub series: Vec<LineSeries>,
}

pub struct Panels {
    pub text: FigureText,
    /// The names of the series, common to all panels.
    pub names: Vec<String>,
    pub panels: Vec<PanelChart>,
    /// Spans of time, in seconds, that are shaded in all panels.
    pub spans: Vec<(f64, f64)>,
}

/// Space between panels, for the label of the lower one.
const GAP: f64 = 31.0;
/// Minimum height of a panel.
const LEAST_PANEL: f64 = 74.0;

impl Plot for Panels {
    fn text(&self) -> Option<&FigureText> {
        Some(&self.text)
    }

    fn svg(&self, palette: &Palette) -> String {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let axis = |panel: &PanelChart| {
            ChartAxis::from_zero(panel.series.iter().flat_map(|s| &s.points).map(|p| p.1))
        };
        let axes: Vec<ChartAxis> = self.panels.iter().map(axis).collect();
        let n = self.panels.len().max(1) as f64;
        let mut frame = Canvas::bare((palette, self.text.language), &names, &axes, HEIGHT);
        let top = frame.top;
        let height = ((frame.bottom - top - GAP * (n - 1.0)) / n).max(LEAST_PANEL);
        frame.height += top + height * n + GAP * (n - 1.0) - frame.bottom;
        let points = || self.panels.iter().flat_map(|p| &p.series).flat_map(|s| &s.points);
        let x = ChartAxis::up_to(points().map(|p| p.0));
        let (left, right) = (frame.left, frame.right);
        let x_at = |seconds: f64| left + x.share(seconds) * (right - left - 14.0);
        for (i, panel) in self.panels.iter().enumerate() {
            let from = top + i as f64 * (height + GAP);
            frame.panel(from, from + height, &panel.y_label, axes[i]);
            for (start_s, end_s) in &self.spans {
                let (start, end) = (x_at(*start_s), x_at(*end_s));
                let middle = (start + end) / 2.0;
                let width = (end - start).max(2.0);
                frame.line((middle, from), (middle, from + height), ("g", GRID), width);
            }
            for (s, series) in panel.series.iter().enumerate() {
                let path: Vec<_> =
                    series.points.iter().map(|p| (x_at(p.0), frame.y_at(p.1))).collect();
                frame.polyline(&path, s, 1.6);
            }
            frame.baseline();
        }
        frame.x_numbers(&x, &x_at);
        frame.x_label(&say!(self.text.language, "figure-seconds"));
        frame.svg(&self.label())
    }
}
