//! Common parts of all figures: the drawing area, legend, y axis with its grid, and the output as
//! SVG text. The title is placed next to it, in the document.
//!
//! Colours are attributes, for files and print, and also classes, so that a page can change them in
//! dark mode.

pub mod place;

use std::fmt::Write;

use place::{FreeArea, space};

use crate::chart::canvas::axis::{ChartAxis, si};
use crate::chart::canvas::fonts::{Face, escape};
use crate::chart::canvas::theme::{FAINT, GRID, HEIGHT, INK, LEAST_TEXT, PAPER, Palette, WIDTH};
use crate::chart::canvas::{fonts, theme};
use crate::language::Language;
use crate::say;

/// The colours of a figure, and its language.
pub type Setting<'a> = (&'a Palette, Language);

/// A figure being drawn. Positions are in the viewBox's units.
pub struct Canvas<'a> {
    body: String,
    palette: &'a Palette,
    language: Language,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub height: f64,
    pub y: ChartAxis,
    /// Occupied areas that a label must not cover.
    taken: Vec<FreeArea>,
}

/// The style of a text.
#[derive(Clone, Copy)]
pub struct TextStyle {
    pub anchor: &'static str,
    pub bold: bool,
    /// Whether it has the colour of data, not of annotations.
    pub ink: bool,
}

pub const SMALL: TextStyle = TextStyle { anchor: "middle", bold: false, ink: false };
pub const LABEL: TextStyle = TextStyle { anchor: "middle", bold: false, ink: true };

/// The style of a subject's bar or mark.
#[derive(Clone, Copy)]
pub struct SubjectStyle {
    /// The subject, which determines colour and shape.
    pub subject: usize,
    /// A bar is an outline, and a mark has a paper-coloured centre.
    pub hollow: bool,
}

impl SubjectStyle {
    /// Filled with the subject's colour.
    pub fn solid(subject: usize) -> SubjectStyle {
        SubjectStyle { subject, hollow: false }
    }
}

/// Margin.
const EDGE: f64 = 6.0;

impl<'a> Canvas<'a> {
    /// Legend and y axis.
    pub fn new(set: Setting<'a>, y_label: &str, names: &[&str], y: ChartAxis) -> Canvas<'a> {
        let mut frame = Canvas::bare(set, names, &[y], HEIGHT);
        let (top, bottom) = (frame.top, frame.bottom);
        frame.panel(top, bottom, y_label, y);
        frame
    }

    /// The legend, and space for the axes' numbers; the area below is still undivided.
    pub fn bare(set: Setting<'a>, names: &[&str], axes: &[ChartAxis], height: f64) -> Canvas<'a> {
        Canvas::with_legend_from(set, (0, names), axes, height)
    }

    /// The same with names other than subjects: their colours and shapes start at an index, and
    /// none has a line.
    pub fn with_legend_from(
        set: Setting<'a>,
        names: (usize, &[&str]),
        axes: &[ChartAxis],
        height: f64,
    ) -> Canvas<'a> {
        let (palette, language) = set;
        let ticks = axes
            .iter()
            .flat_map(ChartAxis::ticks)
            .map(|t| fonts::width(&language.number(&si(t)), LEAST_TEXT, Face::Plain));
        let left = EDGE + ticks.fold(0.0, f64::max) + 7.0;
        let (right, bottom) = (WIDTH - EDGE, height - 46.0);
        let y = ChartAxis::from_zero([0.0].into_iter());
        let (body, taken, top) = (String::new(), Vec::new(), 0.0);
        let mut frame =
            Canvas { body, palette, language, left, right, top, bottom, height, y, taken };
        frame.top = frame.legend(names) + 34.0;
        frame
    }

    /// Starts a panel between `top` and `bottom`, with its own y axis.
    pub fn panel(&mut self, top: f64, bottom: f64, y_label: &str, y: ChartAxis) {
        (self.top, self.bottom, self.y) = (top, bottom, y);
        let (left, right) = (self.left, self.right);
        let mut last = f64::MAX;
        for tick in y.ticks() {
            let at = self.y_at(tick);
            self.line((left, at), (right, at), ("g", GRID), 1.0);
            // A low panel does not have room for every number.
            if last - at >= LEAST_TEXT * 1.1 {
                let number = self.number(tick);
                self.text(left - 7.0, at + 4.5, &number, &TextStyle { anchor: "end", ..SMALL });
                last = at;
            }
        }
        self.text(EDGE, top - 13.0, y_label, &TextStyle { anchor: "start", ..SMALL });
    }

    /// Draws the names in as many rows as needed; returns the position of the last row.
    fn legend(&mut self, (first, names): (usize, &[&str])) -> f64 {
        let (mut x, mut row) = (EDGE, EDGE + 11.0);
        for (i, name) in names.iter().enumerate().map(|(i, name)| (first + i, name)) {
            let name = fonts::shortened(name, LEAST_TEXT, Face::Plain, WIDTH - 2.0 * EDGE - 24.0);
            let width = 24.0 + fonts::width(&name, LEAST_TEXT, Face::Plain) + 14.0;
            if x > EDGE && x + width - 14.0 > WIDTH - EDGE {
                (x, row) = (EDGE, row + 19.0);
            }
            if first == 0 {
                self.polyline(&[(x, row - 4.5), (x + 18.0, row - 4.5)], i, 2.0);
            }
            self.mark((x + 9.0, row - 4.5), 5.0, SubjectStyle::solid(i), None);
            self.text(x + 23.0, row, &name, &TextStyle { anchor: "start", ..LABEL });
            x += width;
        }
        row
    }

    pub fn y_at(&self, value: f64) -> f64 {
        self.bottom - self.y.share(value) * (self.bottom - self.top)
    }

    pub fn x_label(&mut self, text: &str) {
        let middle = (self.left + self.right) / 2.0;
        let text = fonts::shortened(text, LEAST_TEXT, Face::Plain, self.right - self.left);
        self.text(middle, self.height - 8.0, &text, &SMALL);
    }

    /// A number at a tick or mark.
    pub fn number(&self, value: f64) -> String {
        self.language.number(&si(value))
    }

    /// A value preceded by the name of its quantity.
    pub fn named(&self, name: &str, value: &str) -> String {
        say!(self.language, "named-value", name = name, value = value)
    }

    /// The word in place of what was not measured.
    pub fn gap(&self) -> String {
        say!(self.language, "figure-gap")
    }

    /// A text in brackets after another.
    pub fn aside(&self, what: &str) -> String {
        say!(self.language, "unit-of-panel", unit = what)
    }

    /// Numbers under the baseline.
    pub fn x_numbers(&mut self, axis: &ChartAxis, x_at: &dyn Fn(f64) -> f64) {
        let number = |t: f64| (x_at(t), self.number(t));
        let ticks: Vec<_> = axis.ticks().into_iter().map(number).collect();
        self.x_ticks(&ticks);
    }

    /// Numbers or names below the baseline: all, or every second, third …, so that none overlap.
    pub fn x_ticks(&mut self, ticks: &[(f64, String)]) {
        let row = self.bottom + 18.0;
        let placed = |(x, text): &(f64, String)| {
            let text = fonts::shortened(text, LEAST_TEXT, Face::Plain, self.right - EDGE);
            let half = fonts::width(&text, LEAST_TEXT, Face::Plain) / 2.0;
            (x.clamp(half + 1.0, (WIDTH - half - 1.0).max(half + 1.0)), half + 3.0, text)
        };
        let placed: Vec<_> = ticks.iter().map(placed).collect();
        let fits = |every: usize| {
            let shown: Vec<_> = placed.iter().step_by(every).collect();
            shown.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0 - pair[1].1)
        };
        let every = (1..=placed.len().max(1)).find(|every| fits(*every)).unwrap_or(1);
        for (x, _, text) in placed.iter().step_by(every) {
            self.text(*x, row, text, &SMALL);
        }
    }

    /// The baseline, over the marks.
    pub fn baseline(&mut self) {
        let (left, right, bottom) = (self.left, self.right, self.bottom);
        self.line((left, bottom), (right, bottom), ("q", FAINT), 1.0);
    }

    /// The drawing for a figure without data.
    pub fn without_data(mut self, label: &str) -> String {
        let middle = ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0);
        let text = say!(self.language, "figure-nothing-measured");
        self.text(middle.0, middle.1, &text, &SMALL);
        self.svg(label)
    }

    pub fn text(&mut self, x: f64, y: f64, text: &str, set: &TextStyle) {
        self.taken.push(space(x, y, text, set));
        let weight = if set.bold { " font-weight=\"600\"" } else { "" };
        let (class, colour) = if set.ink { ("i", INK) } else { ("f", FAINT) };
        let face = if set.bold { Face::Bold } else { Face::Plain };
        // Runs in several fonts are placed one by one, from the left.
        let wide =
            if fonts::is_mixed(text, face) { fonts::width(text, LEAST_TEXT, face) } else { 0.0 };
        let (x, anchor) = match set.anchor {
            _ if wide == 0.0 => (x, set.anchor),
            "middle" => (x - wide / 2.0, "start"),
            "end" => (x - wide, "start"),
            anchor => (x, anchor),
        };
        let anchor =
            if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        self.push(format_args!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" \
             fill=\"{colour}\"{anchor}{weight}>{}</text>",
            fonts::markup(text, face, LEAST_TEXT, x)
        ));
    }

    /// A straight line with a class and a colour.
    pub fn line(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        (class, colour): (&str, &str),
        width: f64,
    ) {
        self.push(format_args!(
            "<path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// A subject's bar.
    pub fn bar(&mut self, at: (f64, f64), size: (f64, f64), style: SubjectStyle, hover: &str) {
        let SubjectStyle { subject, hollow } = style;
        self.taken.push(FreeArea(at.0 + 1.0, at.0 + size.0 - 1.0, at.1 + 1.0, at.1 + size.1));
        let colour = self.palette.of(subject).to_string();
        let (line, inside) = if hollow { (2.0, 0.0) } else { (0.0, 1.0) };
        let (x, y) = (at.0 + line / 2.0, at.1 + line / 2.0);
        let (w, h) = ((size.0 - line).max(0.5), (size.1 - line).max(0.5));
        self.push(format_args!(
            "<rect class=\"m s{} k{}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" \
             height=\"{h:.1}\" fill=\"{colour}\" fill-opacity=\"{inside}\" stroke=\"{colour}\" \
             stroke-width=\"{line}\">{}</rect>",
            subject % self.palette.count(),
            subject % self.palette.count(),
            title(hover)
        ));
    }

    /// A subject's mark.
    pub fn mark(&mut self, at: (f64, f64), radius: f64, style: SubjectStyle, hover: Option<&str>) {
        let SubjectStyle { subject, hollow } = style;
        self.taken.push(FreeArea(at.0 - radius, at.0 + radius, at.1 - radius, at.1 + radius));
        let colour = self.palette.of(subject).to_string();
        let (series, class) =
            (subject % self.palette.count(), if hover.is_some() { "m " } else { "" });
        let (fill, own) = if hollow { ("p", PAPER) } else { ("", colour.as_str()) };
        let fill = if hollow { fill.to_string() } else { format!("s{series}") };
        let d = theme::shape(subject, at, if hollow { radius - 0.5 } else { radius });
        let edge = if hollow {
            (format!("k{series}"), colour.as_str())
        } else {
            ("pk".to_string(), PAPER)
        };
        self.push(format_args!(
            "<path class=\"{class}{fill} {}\" d=\"{d}\" fill=\"{own}\" stroke=\"{}\" \
             stroke-width=\"{}\">{}</path>",
            edge.0,
            edge.1,
            if hollow { 1.8 } else { 0.8 },
            hover.map(title).unwrap_or_default()
        ));
    }

    /// A ring in the subject's colour, around a mark.
    pub fn ring(&mut self, at: (f64, f64), radius: f64, subject: usize) {
        self.taken.push(FreeArea(at.0 - radius, at.0 + radius, at.1 - radius, at.1 + radius));
        let (x, y, series) = (at.0, at.1, subject % self.palette.count());
        let colour = self.palette.of(subject).to_string();
        self.push(format_args!(
            "<circle class=\"k{series}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" \
             fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.4\"/>"
        ));
    }

    /// A subject's mark in the paper colour, on its bar.
    pub fn emblem(&mut self, at: (f64, f64), radius: f64, subject: usize) {
        let d = theme::shape(subject, at, radius);
        self.push(format_args!("<path class=\"p\" d=\"{d}\" fill=\"{PAPER}\"/>"));
    }

    /// An invisible dot for pointing.
    pub fn dot(&mut self, at: (f64, f64), radius: f64, subject: usize, hover: &str) {
        let (x, y, series) = (at.0, at.1, subject % self.palette.count());
        let colour = self.palette.of(subject).to_string();
        self.push(format_args!(
            "<circle class=\"m s{series}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" \
             fill=\"{colour}\">{}</circle>",
            title(hover)
        ));
    }

    /// A subject's line, in its colour and dash.
    pub fn polyline(&mut self, points: &[(f64, f64)], subject: usize, width: f64) {
        let mut path = String::new();
        for (i, (x, y)) in points.iter().enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
        }
        let dash = match theme::dash(subject) {
            "" => String::new(),
            dash => format!(" stroke-dasharray=\"{dash}\""),
        };
        let (series, colour) =
            (subject % self.palette.count(), self.palette.of(subject).to_string());
        self.push(format_args!(
            "<path class=\"k{series}\" d=\"{path}\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"{width}\" stroke-linejoin=\"round\"{dash}/>"
        ));
    }

    /// The area between two lines, in the subject's colour: the intervals of a curve.
    pub fn band(&mut self, low: &[(f64, f64)], high: &[(f64, f64)], subject: usize) {
        let mut path = String::new();
        let around = low.iter().chain(high.iter().rev());
        for (i, (x, y)) in around.enumerate() {
            let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
        }
        let (series, colour) =
            (subject % self.palette.count(), self.palette.of(subject).to_string());
        self.push(format_args!(
            "<path class=\"s{series}\" d=\"{path}Z\" fill=\"{colour}\" fill-opacity=\"0.14\"/>"
        ));
    }

    /// A vertical interval with caps; an arrow if it extends beyond the axis.
    pub fn whisker(&mut self, x: f64, low: f64, high: f64, cap: f64) {
        let (from, to) = (self.y_at(low), self.y_at(high));
        let top = match self.y.reaches(high) {
            true => format!("M{:.1} {to:.1}H{:.1}", x - cap, x + cap),
            false => format!(
                "M{:.1} {:.1}L{x:.1} {to:.1}L{:.1} {:.1}",
                x - cap,
                to + 5.0,
                x + cap,
                to + 5.0
            ),
        };
        let bottom = match self.y.log && low < self.y.low {
            true => String::new(),
            false => format!("M{:.1} {from:.1}H{:.1}", x - cap, x + cap),
        };
        self.interval(&format!("M{x:.1} {from:.1}V{to:.1}{top}{bottom}"));
        self.taken.push(FreeArea(x - cap, x + cap, to, from));
    }

    /// An interval's line and caps, as an SVG path.
    pub fn interval(&mut self, d: &str) {
        self.push(format_args!(
            "<path class=\"w\" d=\"{d}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.2\"/>"
        ));
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(text);
    }

    /// The drawing, with its baseline and x-axis label.
    pub fn with_x(mut self, x_label: &str, label: &str) -> String {
        self.baseline();
        self.x_label(x_label);
        self.svg(label)
    }

    /// The drawing, with `label` as its description.
    pub fn svg(self, label: &str) -> String {
        let (height, families, label) = (self.height, fonts::FAMILIES, escape(label));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
             role=\"img\" aria-label=\"{label}\" font-family=\"{families}\" \
             font-size=\"{LEAST_TEXT}\"><rect class=\"p\" width=\"{WIDTH}\" height=\"{height:.0}\" \
             fill=\"{PAPER}\"/>{}</svg>",
            self.body
        )
    }
}

fn title(hover: &str) -> String {
    format!("<title>{}</title>", escape(hover))
}
