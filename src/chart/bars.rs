//! Grouped bars: a group an axis value, a bar a subject; ops/s by thread count.

use super::Plot;
use super::axis::{Axis, si};
use super::frame::{Frame, SMALL, Type};
use super::theme::{INK, MARK, Palette};
use crate::base::units::grouped;

/// A value with its interval; without one, all three are the same.
pub struct Bar {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    /// Drawn pale, with a mark: it ranks no drives.
    pub marked: bool,
}

pub struct BarSeries {
    pub name: String,
    /// One a group; `None` where nothing was measured.
    pub values: Vec<Option<Bar>>,
}

pub struct GroupedBars {
    pub title: String,
    pub subtitle: String,
    pub x_label: String,
    pub y_label: String,
    pub groups: Vec<String>,
    pub series: Vec<BarSeries>,
}

impl Plot for GroupedBars {
    fn label(&self) -> String {
        format!("{}: {}", self.title, self.subtitle)
    }

    fn svg(&self, palette: &Palette) -> String {
        let bars = || self.series.iter().flat_map(|s| s.values.iter().flatten());
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        let y = Axis::from_zero(bars().map(|b| b.high.max(b.value)));
        let mut frame = Frame::new(palette, (&self.title, &self.subtitle), &self.y_label, &names, y);
        if bars().next().is_none() || self.groups.is_empty() {
            frame.no_data();
            return frame.svg();
        }
        let group = (frame.right - frame.left) / self.groups.len() as f64;
        let bar = (group * 0.78 / self.series.len() as f64).min(64.0);
        for (g, name) in self.groups.iter().enumerate() {
            let middle = frame.left + group * (g as f64 + 0.5);
            frame.text(middle, frame.bottom + 18.0, name, &Type { size: 13.0, ..SMALL });
            for (s, series) in self.series.iter().enumerate() {
                if let Some(Some(value)) = series.values.get(g) {
                    let x = middle + (s as f64 - self.series.len() as f64 / 2.0) * bar;
                    self.bar(&mut frame, (x, bar), (s, palette.of(s)), name, value);
                }
            }
        }
        frame.baseline();
        frame.x_label(&self.x_label);
        frame.svg()
    }
}

impl GroupedBars {
    fn bar(&self, frame: &mut Frame, (x, width): (f64, f64), (series, colour): (usize, &str), group: &str, bar: &Bar) {
        let top = frame.y_at(bar.value);
        let exact = |v: f64| if v >= 100.0 { grouped(v.round() as u64) } else { si(v) };
        let interval = match bar.high > bar.low {
            true => format!(" (95 %: {} to {})", exact(bar.low), exact(bar.high)),
            false => String::new(),
        };
        let name = &self.series[series].name;
        let hover = format!("{name}, {group}: {} {}{interval}", exact(bar.value), self.y_label);
        frame.rect((x + 1.0, top), (width - 2.0, frame.bottom - top), colour, Some(&hover));
        if bar.marked {
            // A white core, so that the subject's colour stays.
            frame.rect((x + 3.0, top + 2.0), (width - 6.0, frame.bottom - top - 2.0), "#ffffff", Some(&hover));
        }
        let middle = x + width / 2.0;
        if bar.high > bar.low {
            frame.whisker(middle, bar.low.max(0.0), bar.high, (width / 6.0).min(5.0));
        }
        let label = if bar.marked { format!("{}{MARK}", si(bar.value)) } else { si(bar.value) };
        // About seven units a character at this size: a label wider than its bar would run into the next.
        if 6.8 * label.chars().count() as f64 <= width + 2.0 {
            let over = frame.y_at(bar.high.max(bar.value)) - 5.0;
            frame.text(middle, over, &label, &Type { size: 10.5, colour: INK, ..SMALL });
        }
    }
}
