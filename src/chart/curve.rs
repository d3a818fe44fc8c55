//! A curve of labelled points: p99 against ops/s, each point with its thread count or depth.

use super::Plot;
use super::axis::{Axis, si};
use super::frame::{Frame, SMALL, Type};
use super::theme::{FAINT, Palette};

pub struct CurvePoint {
    pub x: f64,
    pub y: f64,
    /// Written beside the point; may be empty.
    pub label: String,
    pub low: f64,
    pub high: f64,
    /// Drawn as a ring: the point missed the rate that it was asked for.
    pub hollow: bool,
}

pub struct CurveSeries {
    pub name: String,
    pub points: Vec<CurvePoint>,
}

pub struct Curve {
    pub title: String,
    pub subtitle: String,
    pub x_label: String,
    pub y_label: String,
    pub log_y: bool,
    pub series: Vec<CurveSeries>,
}

impl Plot for Curve {
    fn label(&self) -> String {
        format!("{}: {}", self.title, self.subtitle)
    }

    fn svg(&self, palette: &Palette) -> String {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        let ys = points().flat_map(|p| [p.y, p.high]);
        let y = if self.log_y { Axis::decades(ys) } else { Axis::from_zero(ys) };
        let hollow = points().any(|p| p.hollow);
        let note = if hollow { " (rings: the asked rate was missed by more than 2 %)" } else { "" };
        let mut frame =
            Frame::new(palette, (&self.title, &format!("{}{note}", self.subtitle)), &self.y_label, &names, y);
        if points().next().is_none() {
            frame.no_data();
            return frame.svg();
        }
        let x = Axis::from_zero(points().map(|p| p.x));
        let (left, right) = (frame.left, frame.right);
        let x_at = |value: f64| left + x.share(value) * (right - left - 14.0);
        for tick in x.ticks() {
            let (at, bottom) = (x_at(tick), frame.bottom);
            frame.line((at, bottom), (at, bottom + 4.0), FAINT, 1.0);
            frame.text(at, bottom + 18.0, &si(tick), &SMALL);
        }
        for (i, series) in self.series.iter().enumerate() {
            let path: Vec<_> = series.points.iter().map(|p| (x_at(p.x), frame.y_at(p.y))).collect();
            frame.polyline(&path, palette.of(i), 2.0);
            for (p, at) in series.points.iter().zip(path) {
                if p.high > p.low {
                    frame.whisker(at.0, p.low, p.high, 3.0);
                }
                let (name, x, y) = (&series.name, si(p.x), si(p.y));
                let missed = if p.hollow { ", missed its rate" } else { "" };
                let hover = format!("{name}, {}: {x} {}, {y} {}{missed}", p.label, self.x_label, self.y_label);
                frame.dot(at, 4.5, palette.of(i), &hover);
                if p.hollow {
                    frame.dot(at, 2.5, "#ffffff", &hover);
                }
                // Labels of neighbouring series stand on different sides of their points.
                let (dy, anchor) = if i % 2 == 0 { (-9.0, "middle") } else { (18.0, "middle") };
                let set = Type { size: 11.0, colour: palette.of(i), anchor, bold: true };
                frame.text(at.0, at.1 + dy, &p.label, &set);
            }
        }
        frame.baseline();
        frame.x_label(&self.x_label);
        frame.svg()
    }
}
