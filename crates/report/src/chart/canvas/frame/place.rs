//! Free space in a figure: labels and call-outs are placed where they cover nothing.

use super::{Canvas, LABEL, TextStyle};
use crate::chart::canvas::fonts::{self, Face};
use crate::chart::canvas::theme::{INK, LEAST_TEXT, PAPER, WIDTH};

/// A rectangle: from left to right, from top to bottom.
#[derive(Clone, Copy, Debug)]
pub struct FreeArea(pub f64, pub f64, pub f64, pub f64);

impl FreeArea {
    fn meets(&self, other: &FreeArea) -> bool {
        self.0 < other.1 && other.0 < self.1 && self.2 < other.3 && other.2 < self.3
    }
}

/// Height of letters above and below their baseline.
const ABOVE: f64 = 0.8;
const BELOW: f64 = 0.22;

/// Padding of a call-out's text, and its height.
const PAD: f64 = 5.0;
const CALL_OUT: f64 = LEAST_TEXT + 5.0;
/// Height of a call-out above a mark and its label.
pub const OVER: f64 = CALL_OUT + 6.0;

impl Canvas<'_> {
    /// Reserves the baseline and the area below it.
    pub fn keep_off_baseline(&mut self) {
        let (left, right, bottom) = (self.left, self.right, self.bottom);
        self.taken.push(FreeArea(left, right, bottom - 0.5, self.height));
    }

    /// Places a label at the first position where it covers nothing and is within the figure;
    /// otherwise it is omitted, because its text is also in the mark's description and in the
    /// table. Returns whether it was placed.
    pub fn label(&mut self, places: &[(f64, f64, &'static str)], text: &str) -> bool {
        let free = places.iter().find(|(x, y, anchor)| {
            self.is_free(&space(*x, *y, text, &TextStyle { anchor, ..LABEL }))
        });
        if let Some((x, y, anchor)) = free {
            self.text(*x, *y, text, &TextStyle { anchor, ..LABEL });
        }
        free.is_some()
    }

    fn is_free(&self, wanted: &FreeArea) -> bool {
        let inside =
            wanted.0 >= 1.0 && wanted.1 <= WIDTH - 1.0 && wanted.2 >= 1.0 && wanted.3 < self.height;
        inside && !self.taken.iter().any(|taken| taken.meets(wanted))
    }

    /// A vertical label, if adjacent horizontal numbers do not fit.
    pub fn upward(&mut self, (x, y): (f64, f64), text: &str) -> bool {
        let wide = fonts::width(text, LEAST_TEXT, Face::Plain);
        let (above, below) = (ABOVE * LEAST_TEXT, BELOW * LEAST_TEXT);
        let line = x + (above - below) / 2.0;
        let wanted = FreeArea(line - above, line + below, y - wide - 1.0, y);
        let free = self.is_free(&wanted);
        if free {
            self.taken.push(wanted);
            self.push(format_args!(
                "<text class=\"i\" transform=\"translate({line:.1} {y:.1}) rotate(-90)\" \
                 fill=\"{INK}\">{}</text>",
                fonts::markup(text, Face::Plain, LEAST_TEXT, 0.0)
            ));
        }
        free
    }

    /// Reserves the area of a line: a series' own.
    pub fn keep_clear(&mut self, from: (f64, f64), to: (f64, f64)) {
        let steps =
            ((to.0 - from.0).abs().max((to.1 - from.1).abs()) / 8.0).clamp(1.0, 60.0) as u32;
        for step in 0..=steps {
            let share = f64::from(step) / f64::from(steps);
            let (x, y) = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            self.taken.push(FreeArea(x - 1.5, x + 1.5, y - 1.5, y + 1.5));
        }
    }

    /// A claimed difference at its subject's mark: framed, in the subject's colour, with a line to
    /// the mark; at the nearest free position. Returns whether it was placed.
    pub fn call_out(&mut self, at: (f64, f64), reach: f64, subject: usize, text: &str) -> bool {
        let half = fonts::width(text, LEAST_TEXT, Face::Bold) / 2.0 + PAD;
        let high = CALL_OUT / 2.0;
        let box_at = |(x, y): (f64, f64)| FreeArea(x - half, x + half, y - high, y + high);
        let inner = |x: f64| x.clamp(half + 2.0, (WIDTH - half - 2.0).max(half + 2.0));
        let near = [reach + high + 4.0, 34.0, 48.0, 64.0, 84.0, 110.0];
        let around = |far: f64| {
            let side = half + far * 0.6;
            let (x, y) = at;
            [
                (inner(x), y - far),
                (inner(x - side), y - far),
                (inner(x + side), y - far),
                (inner(x + side), y),
                (inner(x - side), y),
                (inner(x), y + far),
                (inner(x + side), y + far),
                (inner(x - side), y + far),
            ]
        };
        let places = near.into_iter().filter(|far| *far > reach).flat_map(around);
        let within = |s: &FreeArea| s.0 > self.left && s.3 < self.bottom && s.2 >= self.top - 10.0;
        // The line ends at the frame's nearest edge, and shortly before the mark.
        let line_from = |(x, y): (f64, f64)| {
            let from = (at.0.clamp(x - half, x + half), at.1.clamp(y - high, y + high));
            let (dx, dy) = (at.0 - from.0, at.1 - from.1);
            let far = dx.hypot(dy);
            let end = (at.0 - dx / far.max(1.0) * reach, at.1 - dy / far.max(1.0) * reach);
            (from, end, far - reach)
        };
        let is_clear = |place: (f64, f64)| {
            let (from, end, long) = line_from(place);
            let on = |i: u32| {
                let share = f64::from(i) / 12.0;
                (from.0 + (end.0 - from.0) * share, from.1 + (end.1 - from.1) * share)
            };
            let covered = |(x, y)| self.taken.iter().any(|s| s.meets(&FreeArea(x, x, y, y)));
            long < 6.0 || !(0..11).map(on).any(covered)
        };
        let free = places.into_iter().find(|place| {
            let wanted = box_at(*place);
            within(&wanted) && self.is_free(&wanted) && is_clear(*place)
        });
        let Some((x, y)) = free else { return false };
        let (from, end, long) = line_from((x, y));
        let colour = self.palette.of(subject).to_string();
        let series = subject % self.palette.count();
        if long > 2.0 {
            self.line(from, end, (&format!("k{series}"), &colour), 1.2);
            self.keep_clear(from, end);
        }
        self.push(format_args!(
            "<rect class=\"p k{series} callout\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" \
             height=\"{CALL_OUT}\" rx=\"3\" fill=\"{PAPER}\" stroke=\"{colour}\" \
             stroke-width=\"1.4\"/>",
            x - half,
            y - high,
            2.0 * half
        ));
        self.taken.push(box_at((x, y)));
        self.text(x, y + LEAST_TEXT * 0.34, text, &TextStyle { bold: true, ..LABEL });
        true
    }
}

/// The area of a text.
pub fn space(x: f64, y: f64, text: &str, set: &TextStyle) -> FreeArea {
    let wide = fonts::width(text, LEAST_TEXT, if set.bold { Face::Bold } else { Face::Plain });
    let left = match set.anchor {
        "start" => x,
        "end" => x - wide,
        _ => x - wide / 2.0,
    };
    FreeArea(left - 1.0, left + wide + 1.0, y - ABOVE * LEAST_TEXT, y + BELOW * LEAST_TEXT)
}
