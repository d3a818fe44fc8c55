//! Grouped bars: one group per axis value, one bar per subject; ops/s by thread count. Vertical, or
//! horizontal if the groups' names are long.

use crate::chart::canvas::axis::{ChartAxis, in_digits, si};
use crate::chart::canvas::fonts::{self, Face};
use crate::chart::canvas::frame::{Canvas, SMALL, SubjectStyle, TextStyle, place};
use crate::chart::canvas::theme::{GRID, LEAST_TEXT, MARK, Palette};
use crate::chart::{FigureText, Plot};
use crate::say;
use dyno_core::base::units::{grouped, significant};

/// A value with its interval; without one, all three are the same.
pub struct Bar {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    /// Drawn as an outline with a mark: it ranks no drives.
    pub marked: bool,
    /// The significant digits of an imported value; no more are printed.
    pub digits: Option<u32>,
    /// Only a lower bound: "≥" precedes the number.
    pub at_least: bool,
}

impl Bar {
    /// An exact value.
    pub fn of(value: f64) -> Bar {
        Bar { value, low: value, high: value, marked: false, digits: None, at_least: false }
    }
}

pub struct BarSeries {
    pub name: String,
    /// One per group; `None` if not measured.
    pub values: Vec<Option<Bar>>,
}

/// A claimed difference, drawn at its subject's bar.
pub struct CalledBar {
    pub series: usize,
    pub group: usize,
    pub text: String,
}

pub struct GroupedBars {
    pub text: FigureText,
    pub x_label: String,
    pub y_label: String,
    /// If the only group has no name, each bar has its subject's below it.
    pub groups: Vec<String>,
    pub series: Vec<BarSeries>,
    pub call_outs: Vec<CalledBar>,
    /// Whether bars are horizontal, to make room for long group names; then without call-outs.
    pub lying: bool,
    /// For the first page: bars that rank no drives have no number.
    pub quiet: bool,
}

/// Height of a horizontal bar, and space between groups.
const THICK: f64 = 15.0;
const BETWEEN: f64 = 8.0;
/// Bars that are closer have no names below them.
const LEAST_NAMED: f64 = 40.0;

impl Plot for GroupedBars {
    fn text(&self) -> Option<&FigureText> {
        Some(&self.text)
    }

    fn svg(&self, palette: &Palette) -> String {
        if self.lying { self.lying(palette) } else { self.upright(palette) }
    }
}

impl GroupedBars {
    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.series.iter().flat_map(|s| s.values.iter().flatten())
    }

    fn names(&self) -> Vec<&str> {
        self.series.iter().map(|s| s.name.as_str()).collect()
    }

    /// Numbers are above their bars; vertical if they do not fit next to one another.
    fn upright(&self, palette: &Palette) -> String {
        let (drawn, left_out) = self.draw_upright(palette, false);
        if left_out == 0 {
            return drawn;
        }
        let (turned, still) = self.draw_upright(palette, true);
        if still < left_out { turned } else { drawn }
    }

    /// The drawing, and the number of omitted labels.
    fn draw_upright(&self, palette: &Palette, turned: bool) -> (String, usize) {
        let largest = self.bars().map(|b| b.high.max(b.value)).fold(0.0, f64::max);
        let y = ChartAxis::fitting(self.bars().map(|b| (b.value, b.high)))
            .with_room(largest, self.over(turned));
        let mut frame = Canvas::new((palette, self.text.language), &self.y_label, &self.names(), y);
        if self.bars().next().is_none() || self.groups.is_empty() {
            return (frame.without_data(&self.label()), 0);
        }
        let (left, group) = (frame.left, (frame.right - frame.left) / self.groups.len() as f64);
        let middle = |g: usize| left + group * (g as f64 + 0.5);
        let bar = (group * 0.8 / self.series.len() as f64).min(64.0);
        let slot = self.slot(bar, group);
        let at = |g: usize, s: usize| {
            middle(g) + (s as f64 - self.series.len() as f64 / 2.0) * slot + slot / 2.0
        };
        frame.x_ticks(&self.ticks(&middle, &at, slot));
        let mut labels = Vec::new();
        for g in 0..self.groups.len() {
            for (s, series) in self.series.iter().enumerate() {
                match series.values.get(g) {
                    Some(Some(value)) => {
                        self.stand(&mut frame, (at(g, s) - bar / 2.0, bar), (g, s), value);
                        labels.push(((g, s), value));
                    }
                    _ => {
                        let word = say!(self.text.language, "figure-gap");
                        frame.upward((at(g, s), frame.bottom - 4.0), &word);
                    }
                }
            }
        }
        // Labels are placed after all bars, to avoid every bar's interval; call-outs last.
        let (mut left_out, mut over) = (0, Vec::new());
        for ((g, s), bar) in labels {
            let (x, top) = (at(g, s), frame.y_at(bar.high.max(bar.value)) - 4.0);
            let text = self.short(bar).unwrap_or_default();
            let placed = match turned {
                _ if text.is_empty() => true,
                true => frame.upward((x, top), &text),
                false => frame.label(&[(x, top, "middle")], &text),
            };
            left_out += usize::from(!placed);
            let wide = fonts::width(&text, LEAST_TEXT, Face::Plain);
            let high = if turned { wide } else { LEAST_TEXT };
            over.push(((g, s), (x, top - if placed && !text.is_empty() { high } else { 0.0 })));
        }
        for call in &self.call_outs {
            let place = over.iter().find(|(of, _)| *of == (call.group, call.series));
            if let Some((_, at)) = place {
                frame.call_out(*at, 1.0, call.series, &call.text);
            }
        }
        (frame.with_x(&self.x_label, &self.label()), left_out)
    }

    /// The share of the height for numbers and call-outs above the highest bar.
    fn over(&self, turned: bool) -> f64 {
        let text =
            |bar: &Bar| fonts::width(&self.short(bar).unwrap_or_default(), LEAST_TEXT, Face::Plain);
        let label = if turned { self.bars().map(text).fold(0.0, f64::max) + 4.0 } else { 0.0 };
        let call = if self.call_outs.is_empty() { 0.0 } else { place::OVER + 16.0 };
        (label + call) / 205.0
    }

    /// Whether subjects' names are below the bars, because the only group has none.
    fn are_named(&self) -> bool {
        matches!(&self.groups[..], [only] if only.is_empty())
    }

    /// The distance from one bar to the next: at least the width of the longest name below them, if
    /// there are names.
    fn slot(&self, bar: f64, group: f64) -> f64 {
        if !self.are_named() {
            return bar;
        }
        let wide = |series: &BarSeries| fonts::width(&series.name, LEAST_TEXT, Face::Plain);
        let widest = self.series.iter().map(wide).fold(0.0, f64::max) + BETWEEN;
        widest.max(bar).min(group / self.series.len() as f64)
    }

    /// Names below the groups, or, for a single group without one, below the bars: all of them, or
    /// none if the bars are too narrow, because the legend has them.
    fn ticks(
        &self,
        middle: &dyn Fn(usize) -> f64,
        at: &dyn Fn(usize, usize) -> f64,
        slot: f64,
    ) -> Vec<(f64, String)> {
        if !self.are_named() {
            let groups = self.groups.iter().enumerate();
            return groups.map(|(g, name)| (middle(g), name.clone())).collect();
        }
        if self.series.len() > 1 && slot < LEAST_NAMED {
            return Vec::new();
        }
        let shown = |series: &BarSeries| {
            fonts::shortened(&series.name, LEAST_TEXT, Face::Plain, slot - BETWEEN)
        };
        let series = self.series.iter().enumerate();
        series.map(|(s, series)| (at(0, s), shown(series))).collect()
    }

    fn stand(
        &self,
        frame: &mut Canvas<'_>,
        (x, width): (f64, f64),
        (g, s): (usize, usize),
        bar: &Bar,
    ) {
        let (top, middle) = (frame.y_at(bar.value), x + width / 2.0);
        let high = frame.bottom - top;
        let style = SubjectStyle { subject: s, hollow: bar.marked };
        let hover = self.hover(s, &self.groups[g], bar);
        frame.bar((x + 0.75, top), (width - 1.5, high), style, &hover);
        if self.series.len() > 1 && width >= 11.0 && high >= 22.0 && !bar.marked {
            frame.emblem((middle, frame.bottom - 9.0), 3.2, s);
        }
        if bar.high > bar.low {
            frame.whisker(middle, bar.low.max(0.0), bar.high, (width / 6.0).clamp(1.5, 5.0));
        }
    }

    fn lying(&self, palette: &Palette) -> String {
        let axis = ChartAxis::fitting(self.bars().map(|b| (b.value, b.high)));
        let deep = THICK * self.series.len() as f64;
        let mut frame = Canvas::bare((palette, self.text.language), &self.names(), &[], 0.0);
        let wide = |name: &String| fonts::width(name, LEAST_TEXT, Face::Plain);
        frame.left = 6.0 + self.groups.iter().map(wide).fold(0.0, f64::max).min(170.0) + 7.0;
        frame.top -= 18.0;
        frame.bottom = frame.top + (deep + BETWEEN) * self.groups.len() as f64;
        frame.height = frame.bottom + 46.0;
        let (left, right) = (frame.left, frame.right - 16.0);
        let x_at = |value: f64| left + axis.share(value) * (right - left);
        for tick in axis.ticks() {
            frame.line((x_at(tick), frame.top), (x_at(tick), frame.bottom), ("g", GRID), 1.0);
        }
        frame.x_numbers(&axis, &x_at);
        for (g, name) in self.groups.iter().enumerate() {
            let top = frame.top + (deep + BETWEEN) * g as f64 + BETWEEN / 2.0;
            let name_shown = fonts::shortened(name, LEAST_TEXT, Face::Plain, left - 13.0);
            frame.text(
                left - 7.0,
                top + deep / 2.0 + 4.5,
                &name_shown,
                &TextStyle { anchor: "end", ..SMALL },
            );
            for (s, series) in self.series.iter().enumerate() {
                let Some(Some(bar)) = series.values.get(g) else { continue };
                let y = top + THICK * s as f64;
                let size = (x_at(bar.value) - left, THICK - 1.5);
                let style = SubjectStyle { subject: s, hollow: bar.marked };
                frame.bar((left, y), size, style, &self.hover(s, name, bar));
                if self.series.len() > 1 && size.0 >= 22.0 && !bar.marked {
                    frame.emblem((left + 8.0, y + size.1 / 2.0), 3.2, s);
                }
                let end = if bar.high > bar.low {
                    self.reach(
                        &mut frame,
                        y + size.1 / 2.0,
                        (x_at(bar.low.max(0.0)), x_at(bar.high)),
                        axis.reaches(bar.high),
                    )
                } else {
                    x_at(bar.value)
                };
                if let Some(text) = self.short(bar) {
                    let place = (end + 6.0, y + 11.5, "start");
                    frame.label(&[place], &text);
                }
            }
        }
        frame.line(
            (left, frame.top),
            (left, frame.bottom),
            ("q", crate::chart::canvas::theme::FAINT),
            1.0,
        );
        frame.x_label(&self.y_label);
        frame.svg(&self.label())
    }

    /// A horizontal interval; returns the position of its end.
    fn reach(&self, frame: &mut Canvas<'_>, y: f64, (from, to): (f64, f64), whole: bool) -> f64 {
        let cap = 3.5;
        let end = match whole {
            true => format!("M{to:.1} {:.1}V{:.1}", y - cap, y + cap),
            false => format!(
                "M{:.1} {:.1}L{to:.1} {y:.1}L{:.1} {:.1}",
                to - 5.0,
                y - cap,
                to - 5.0,
                y + cap
            ),
        };
        frame.interval(&format!(
            "M{from:.1} {y:.1}H{to:.1}{end}M{from:.1} {:.1}V{:.1}",
            y - cap,
            y + cap
        ));
        to
    }

    fn short(&self, bar: &Bar) -> Option<String> {
        let text = self.text.language.number(&si(in_digits(bar.value, bar.digits)));
        let text = if bar.at_least { format!("≥ {text}") } else { text };
        match (bar.marked, self.quiet) {
            (true, true) => None,
            (true, false) => Some(format!("{text}{MARK}")),
            (false, _) => Some(text),
        }
    }

    fn hover(&self, series: usize, group: &str, bar: &Bar) -> String {
        let l = self.text.language;
        let exact = |v: f64| {
            l.number(&match bar.digits {
                Some(digits) => significant(v, digits),
                None if v >= 100.0 => grouped(v.round() as u64),
                None => si(v),
            })
        };
        let mark = if bar.marked { format!(" {MARK}") } else { String::new() };
        let of = &self.series[series].name;
        let name = if group.is_empty() { of.clone() } else { format!("{of}, {group}") };
        if bar.marked && self.quiet {
            return say!(l, "hover-not-limited", bar = name);
        }
        let least = if bar.at_least { "≥ " } else { "" };
        let value = format!("{least}{}{mark} {}", exact(bar.value), self.y_label);
        let value = say!(l, "named-value", name, value);
        match bar.high > bar.low {
            true => {
                let (low, high) = (exact(bar.low), exact(bar.high));
                say!(l, "hover-interval", value, low, high)
            }
            false => value,
        }
    }
}
