//! A curve of labelled points: p99 against ops/s, each point with its thread count or depth.

use crate::analysis::facts::PointMark;
use crate::chart::canvas::axis::{ChartAxis, si};
use crate::chart::canvas::frame::{Canvas, SubjectStyle};
use crate::chart::canvas::theme::{FAINT, Palette};
use crate::chart::{FigureText, Plot};
use crate::say;

pub struct CurvePoint {
    pub x: f64,
    pub y: f64,
    /// Shown next to the point; may be empty.
    pub label: String,
    pub low: f64,
    pub high: f64,
    /// Hollow if it missed its target rate; ringed, and not on the line, if it is a closed loop
    /// among open ones.
    pub mark: PointMark,
}

pub struct CurveSeries {
    pub name: String,
    pub points: Vec<CurvePoint>,
}

/// A claimed difference, drawn at a position on its subject's line.
pub struct CalledPoint {
    pub series: usize,
    pub at: (f64, f64),
    pub text: String,
}

pub struct CurveChart {
    pub text: FigureText,
    pub x_label: String,
    pub y_label: String,
    pub log_y: bool,
    /// Whether lines join the points of a series.
    pub joined: bool,
    /// Named positions on the x axis; a point's `x` is then the index of its position.
    pub places: Vec<String>,
    pub series: Vec<CurveSeries>,
    pub call_outs: Vec<CalledPoint>,
}

impl Plot for CurveChart {
    fn text(&self) -> Option<&FigureText> {
        Some(&self.text)
    }

    fn caption(&self) -> String {
        let l = self.text.language;
        let any = |mark| self.series.iter().flat_map(|s| &s.points).any(|p| p.mark == mark);
        let hollow = any(PointMark::Missed).then(|| say!(l, "sign-hollow"));
        let ringed = any(PointMark::Closed).then(|| say!(l, "sign-ringed"));
        self.text.full_caption(&[hollow, ringed].into_iter().flatten().collect::<Vec<_>>())
    }

    fn svg(&self, palette: &Palette) -> String {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        let y = match self.log_y {
            true => ChartAxis::decades(points().map(|p| (p.y, p.low, p.high))),
            false => ChartAxis::fitting(points().map(|p| (p.y, p.high))),
        };
        let mut frame = Canvas::new((palette, self.text.language), &self.y_label, &names, y);
        if points().next().is_none() {
            return frame.without_data(&self.label());
        }
        let x = ChartAxis::up_to(points().map(|p| p.x));
        let (left, right, places) = (frame.left, frame.right, self.places.len() as f64);
        let x_at = |value: f64| match self.places.is_empty() {
            true => left + x.share(value) * (right - left - 16.0),
            false => left + (value + 0.5) / places * (right - left),
        };
        self.x_axis(&mut frame, &x, &x_at);
        // Lines first, then marks, labels last: each avoids existing elements.
        for (i, series) in self.series.iter().enumerate() {
            let joined = || series.points.iter().filter(|p| p.mark != PointMark::Closed);
            let banded = series.points.len() >= LEAST_BANDED && self.joined;
            if banded {
                let edge = |p: &CurvePoint, y: f64| (x_at(p.x), frame.y_at(y));
                let low: Vec<_> = joined().map(|p| edge(p, p.low)).collect();
                let high: Vec<_> = joined().map(|p| edge(p, p.high)).collect();
                frame.band(&low, &high, i);
            }
            let joined = joined().filter(|_| self.joined);
            let path: Vec<_> = joined.map(|p| (x_at(p.x), frame.y_at(p.y))).collect();
            frame.polyline(&path, i, 2.0);
            path.windows(2).for_each(|pair| frame.keep_clear(pair[0], pair[1]));
        }
        let dense = self.series.iter().any(|s| s.points.len() > MOST_MARKS);
        for (i, series) in self.series.iter().enumerate() {
            for p in &series.points {
                self.point(&mut frame, i, p, (x_at(p.x), dense));
            }
        }
        frame.keep_off_baseline();
        for call in &self.call_outs {
            let at = (x_at(call.at.0), frame.y_at(call.at.1));
            frame.call_out(at, 6.0, call.series, &call.text);
        }
        for (i, series) in self.series.iter().enumerate() {
            for p in series.points.iter().filter(|p| !p.label.is_empty()) {
                let (x, y) = (x_at(p.x), frame.y_at(p.y));
                let (above, below) = ((x, y - 9.0, "middle"), (x, y + 19.0, "middle"));
                let beside = [(x + 9.0, y + 4.5, "start"), (x - 9.0, y + 4.5, "end")];
                let slanted = [(x - 7.0, y - 7.0, "end"), (x + 7.0, y + 16.0, "start")];
                let first = if i % 2 == 0 { [above, below] } else { [below, above] };
                frame.label(&[&first[..], &slanted, &beside].concat(), &p.label);
            }
        }
        frame.with_x(&self.x_label, &self.label())
    }
}

/// From this number of points on, intervals are a band along the line.
const LEAST_BANDED: usize = 4;

/// With more points than this, marks would cover their line.
const MOST_MARKS: usize = 60;

impl CurveChart {
    fn x_axis(&self, frame: &mut Canvas<'_>, x: &ChartAxis, x_at: &dyn Fn(f64) -> f64) {
        if !self.places.is_empty() {
            let places = self.places.iter().enumerate();
            let ticks: Vec<_> = places.map(|(i, name)| (x_at(i as f64), name.clone())).collect();
            return frame.x_ticks(&ticks);
        }
        let bottom = frame.bottom;
        for tick in x.ticks() {
            frame.line((x_at(tick), bottom), (x_at(tick), bottom + 4.0), ("q", FAINT), 1.0);
        }
        frame.x_numbers(x, x_at);
    }

    fn number(&self, value: f64) -> String {
        self.text.language.number(&si(value))
    }

    fn point(&self, frame: &mut Canvas<'_>, i: usize, p: &CurvePoint, (x, dense): (f64, bool)) {
        let at = (x, frame.y_at(p.y));
        let banded = self.joined && self.series[i].points.len() >= LEAST_BANDED;
        if p.high > p.low && !dense && !banded {
            frame.whisker(x, p.low, p.high, 3.0);
        }
        let l = self.text.language;
        let (name, py) = (&self.series[i].name, self.number(p.y));
        let name = match p.label.is_empty() {
            true => name.clone(),
            false => l.sequence(&[name.clone(), p.label.clone()]),
        };
        let place = self.places.get(p.x as usize).cloned();
        let px = place.unwrap_or_else(|| self.number(p.x));
        let value =
            l.sequence(&[format!("{px} {}", self.x_label), format!("{py} {}", self.y_label)]);
        let hover = say!(l, "named-value", name = name, value = value);
        let hollow = p.mark == PointMark::Missed;
        let hover = match hollow {
            true => say!(l, "hover-missed-its-rate", point = hover),
            false => hover,
        };
        match dense {
            true => frame.dot(at, 2.0, i, &hover),
            false => frame.mark(at, 4.6, SubjectStyle { subject: i, hollow }, Some(&hover)),
        }
        if p.mark == PointMark::Closed {
            frame.ring(at, 8.0, i);
        }
    }
}
