//! What every figure has: the drawing area, title, legend, y axis with its grid, and the way out as SVG text.

use std::fmt::Write;

use super::axis::{Axis, si};
use super::theme::{FAINT, FONT, GRID, HEIGHT, INK, Palette, WIDTH};

/// A figure being drawn. Positions are in the viewBox's units.
pub struct Frame {
    body: String,
    title: String,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub y: Axis,
}

/// How text is set.
pub struct Type<'a> {
    pub size: f64,
    pub colour: &'a str,
    pub anchor: &'static str,
    pub bold: bool,
}

pub const SMALL: Type<'static> = Type { size: 12.0, colour: FAINT, anchor: "middle", bold: false };

impl Frame {
    /// Title, subtitle, legend and y axis.
    pub fn new(palette: &Palette, (title, subtitle): (&str, &str), y_label: &str, names: &[&str], y: Axis) -> Frame {
        let mut frame = Frame::bare(palette, (title, subtitle), names);
        let (top, bottom) = (frame.top, frame.bottom);
        frame.panel(top, bottom, y_label, y);
        frame
    }

    /// Title, subtitle and legend; the area below is still to be divided.
    pub fn bare(palette: &Palette, (title, subtitle): (&str, &str), names: &[&str]) -> Frame {
        let (left, right, bottom) = (64.0, WIDTH - 18.0, HEIGHT - 52.0);
        let y = Axis::from_zero([0.0].into_iter());
        let mut frame =
            Frame { body: String::new(), title: format!("{title}: {subtitle}"), left, right, top: 0.0, bottom, y };
        frame.text(16.0, 26.0, title, &Type { size: 17.0, colour: INK, anchor: "start", bold: true });
        frame.text(16.0, 46.0, subtitle, &Type { size: 13.0, anchor: "start", ..SMALL });
        frame.top = frame.legend(palette, names, 68.0) + 36.0;
        frame
    }

    /// Begins to draw between `top` and `bottom`, with a y axis of its own.
    pub fn panel(&mut self, top: f64, bottom: f64, y_label: &str, y: Axis) {
        (self.top, self.bottom, self.y) = (top, bottom, y);
        self.text(16.0, top - 10.0, y_label, &Type { anchor: "start", ..SMALL });
        let (left, right) = (self.left, self.right);
        for tick in y.ticks() {
            let at = self.y_at(tick);
            self.line((left, at), (right, at), GRID, 1.0);
            self.text(left - 8.0, at + 4.0, &si(tick), &Type { anchor: "end", ..SMALL });
        }
    }

    /// Draws the names, in as many rows as they need; where the last row stands.
    fn legend(&mut self, palette: &Palette, names: &[&str], first: f64) -> f64 {
        let (mut x, mut row) = (16.0, first);
        for (i, name) in names.iter().enumerate() {
            let width = 32.0 + 8.2 * name.chars().count() as f64;
            if x > 16.0 && x + width > WIDTH - 16.0 {
                (x, row) = (16.0, row + 20.0);
            }
            self.rect((x, row - 10.0), (12.0, 12.0), palette.of(i), None);
            self.text(x + 18.0, row, name, &Type { size: 13.0, colour: INK, anchor: "start", bold: false });
            x += width;
        }
        row
    }

    pub fn y_at(&self, value: f64) -> f64 {
        self.bottom - self.y.share(value) * (self.bottom - self.top)
    }

    pub fn x_label(&mut self, text: &str) {
        let middle = (self.left + self.right) / 2.0;
        self.text(middle, HEIGHT - 12.0, text, &Type { size: 13.0, ..SMALL });
    }

    /// The baseline, over the marks.
    pub fn baseline(&mut self) {
        let (left, right, bottom) = (self.left, self.right, self.bottom);
        self.line((left, bottom), (right, bottom), FAINT, 1.0);
    }

    pub fn no_data(&mut self) {
        let middle = ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0);
        self.text(middle.0, middle.1, "nothing was measured here", &Type { size: 14.0, ..SMALL });
    }

    pub fn text(&mut self, x: f64, y: f64, text: &str, set: &Type<'_>) {
        let weight = if set.bold { " font-weight=\"600\"" } else { "" };
        let (size, colour, anchor) = (set.size, set.colour, set.anchor);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{colour}\" text-anchor=\"{anchor}\"{weight}>{}</text>",
            escape(text)
        ));
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        self.push(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    pub fn rect(&mut self, at: (f64, f64), size: (f64, f64), fill: &str, hover: Option<&str>) {
        let (x, y, w, h) = (at.0, at.1, size.0.max(0.0), size.1.max(0.0));
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"1.5\" fill=\"{fill}\">"
        ));
        self.close("rect", hover);
    }

    pub fn dot(&mut self, at: (f64, f64), radius: f64, fill: &str, hover: &str) {
        let (x, y) = at;
        self.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"#fff\" stroke-width=\"1\">"
        ));
        self.close("circle", Some(hover));
    }

    pub fn polyline(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let mut path = String::new();
        for (x, y) in points {
            let _ = write!(path, "{x:.1},{y:.1} ");
        }
        self.push(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>",
            path.trim_end()
        ));
    }

    /// A vertical interval with its caps.
    pub fn whisker(&mut self, x: f64, low: f64, high: f64, cap: f64) {
        let (low, high) = (self.y_at(low), self.y_at(high));
        self.line((x, low), (x, high), INK, 1.2);
        self.line((x - cap, low), (x + cap, low), INK, 1.2);
        self.line((x - cap, high), (x + cap, high), INK, 1.2);
    }

    fn close(&mut self, element: &str, hover: Option<&str>) {
        if let Some(text) = hover {
            self.push(format_args!("<title>{}</title>", escape(text)));
        }
        self.push(format_args!("</{element}>"));
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a string cannot fail.
        let _ = self.body.write_fmt(text);
    }

    pub fn svg(self) -> String {
        let title = escape(&self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"100%\" role=\"img\" \
             aria-label=\"{title}\" font-family=\"{FONT}\"><rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>{}</svg>",
            self.body
        )
    }
}

/// Text as XML wants it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
