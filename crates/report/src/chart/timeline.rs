//! A value over the seconds of a point: ops/s over time.

use super::Plot;
use super::axis::{Axis, si};
use super::frame::Frame;
use super::theme::Palette;
use crate::language::Language;
use crate::say;

pub struct TimelineSeries {
    pub name: String,
    /// (seconds since the window opened, value)
    pub points: Vec<(f64, f64)>,
}

pub struct Timeline {
    pub language: Language,
    pub title: String,
    pub subtitle: String,
    pub y_label: String,
    pub series: Vec<TimelineSeries>,
}

impl Plot for Timeline {
    fn title(&self) -> &str {
        &self.title
    }

    fn caption(&self) -> String {
        self.subtitle.clone()
    }

    fn svg(&self, palette: &Palette) -> String {
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        let points = || self.series.iter().flat_map(|s| &s.points);
        let y = Axis::from_zero(points().map(|p| p.1));
        let mut frame = Frame::new((palette, self.language), &self.y_label, &names, y);
        if points().next().is_none() {
            frame.no_data();
            return frame.svg(&self.label());
        }
        let x = Axis::up_to(points().map(|p| p.0));
        let (left, right) = (frame.left, frame.right);
        let x_at = |seconds: f64| left + x.share(seconds) * (right - left - 14.0);
        frame.x_numbers(&x, &x_at);
        for (i, series) in self.series.iter().enumerate() {
            let path: Vec<_> = series.points.iter().map(|p| (x_at(p.0), frame.y_at(p.1))).collect();
            frame.polyline(&path, i, 1.6);
            for (p, at) in series.points.iter().zip(path) {
                let [at_s, value] = [p.0, p.1].map(|v| self.language.number(&si(v)));
                let hover = format!("{}, {at_s} s: {value} {}", series.name, self.y_label);
                frame.dot(at, 1.8, i, &hover);
            }
        }
        frame.baseline();
        frame.x_label(&say!(self.language, "figure-seconds"));
        frame.svg(&self.label())
    }
}
