//! A value over the seconds of a point: ops/s over time.

use crate::chart::canvas::axis::{ChartAxis, si};
use crate::chart::canvas::frame::Canvas;
use crate::chart::canvas::theme::Palette;
use crate::chart::{FigureText, LineSeries, Plot};
use crate::say;

pub struct Timeline {
    pub text: FigureText,
    pub y_label: String,
    /// (seconds since the start of the window, value)
    pub series: Vec<LineSeries>,
}

impl Plot for Timeline {
    fn text(&self) -> Option<&FigureText> {
        Some(&self.text)
    }

    fn svg(&self, palette: &Palette) -> String {
        let names = LineSeries::names(&self.series);
        let points = || self.series.iter().flat_map(|s| &s.points);
        let y = ChartAxis::from_zero(points().map(|p| p.1));
        let mut frame = Canvas::new((palette, self.text.language), &self.y_label, &names, y);
        if points().next().is_none() {
            return frame.without_data(&self.label());
        }
        let x = ChartAxis::up_to(points().map(|p| p.0));
        let (left, right) = (frame.left, frame.right);
        let x_at = |seconds: f64| left + x.share(seconds) * (right - left - 14.0);
        frame.x_numbers(&x, &x_at);
        for (i, series) in self.series.iter().enumerate() {
            let path: Vec<_> = series.points.iter().map(|p| (x_at(p.0), frame.y_at(p.1))).collect();
            frame.polyline(&path, i, 1.6);
            for (p, at) in series.points.iter().zip(path) {
                let [at_s, value] = [p.0, p.1].map(|v| self.text.language.number(&si(v)));
                let hover = format!("{}, {at_s} s: {value} {}", series.name, self.y_label);
                frame.dot(at, 1.8, i, &hover);
            }
        }
        frame.with_x(&say!(self.text.language, "figure-seconds"), &self.label())
    }
}
