//! Latency by percentile: the x axis counts nines, the y axis decades.

use crate::chart::canvas::axis::ChartAxis;
use crate::chart::canvas::frame::{Canvas, SubjectStyle};
use crate::chart::canvas::theme::Palette;
use crate::chart::{FigureText, LineSeries, Plot};
use crate::say;
use dyno_core::base::units::latency;

pub struct Percentiles {
    pub text: FigureText,
    /// (percentile such as 99.9, nanoseconds); only measured ones.
    pub series: Vec<LineSeries>,
}

impl Plot for Percentiles {
    fn text(&self) -> Option<&FigureText> {
        Some(&self.text)
    }

    fn svg(&self, palette: &Palette) -> String {
        let names = LineSeries::names(&self.series);
        let points = || self.series.iter().flat_map(|s| &s.points);
        let y = ChartAxis::decades(points().map(|p| (p.1 / 1e3, p.1 / 1e3, p.1 / 1e3)));
        let mut frame = Canvas::new((palette, self.text.language), "µs", &names, y);
        let mut shown: Vec<f64> = points().map(|p| p.0).collect();
        shown.sort_by(f64::total_cmp);
        shown.dedup();
        let Some(&last) = shown.last() else {
            return frame.without_data(&self.label());
        };
        let nines = |percentile: f64| -(1.0 - percentile / 100.0).log10();
        let (left, right) = (frame.left + 24.0, frame.right - 24.0);
        let first = nines(shown.first().copied().unwrap_or(last));
        let span = (nines(last) - first).max(0.1);
        let x_at = |percentile: f64| left + (nines(percentile) - first) / span * (right - left);
        // Nines first: among close labels, the commonly used ones.
        let row = frame.bottom + 18.0;
        shown.sort_by_key(|p| ![50.0, 99.0, 99.9, 99.99, 99.999].contains(p));
        for &percentile in &shown {
            frame.label(&[(x_at(percentile), row, "middle")], &format!("p{percentile}"));
        }
        for (i, series) in self.series.iter().enumerate() {
            let path: Vec<_> =
                series.points.iter().map(|p| (x_at(p.0), frame.y_at(p.1 / 1e3))).collect();
            frame.polyline(&path, i, 2.0);
            for (p, at) in series.points.iter().zip(path) {
                let hover = format!(
                    "{}, p{}: {}",
                    series.name,
                    p.0,
                    self.text.language.number(&latency(p.1))
                );
                frame.mark(at, 4.4, SubjectStyle::solid(i), Some(&hover));
            }
        }
        frame.with_x(&say!(self.text.language, "figure-share-no-longer"), &self.label())
    }
}
