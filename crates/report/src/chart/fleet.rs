//! The fleet: every drive as a mark on a line for its model and firmware, by host; and each drive
//! of a model in order, highlighting the one farthest from the others.

use crate::analysis::facts::StepFacts;
use crate::analysis::notes::models::{DriveModel, Fleet, FleetDrive};
use crate::chart::canvas::axis::ChartAxis;
use crate::chart::canvas::fonts::{self, Face};
use crate::chart::canvas::frame::{Canvas, LABEL, SubjectStyle, TextStyle};
use crate::chart::canvas::theme::{GRID, LEAST_TEXT, Palette, WIDTH};
use crate::chart::kinds::trend::scale;
use crate::chart::{Chart, FigureText, Plot, StepDrawing};
use crate::language::Language;
use crate::say;

/// With more hosts than this, they have no individual colours.
const MOST_HOSTS: usize = 8;
/// Maximum number of lines in a figure; models with most drives come first.
const MOST_LINES: usize = 16;
/// Maximum number of models that are drawn drive by drive.
const MOST_MODELS: usize = 4;

const NAME: f64 = 19.0;
const LANE: f64 = 9.0;
const GAP: f64 = 8.0;

/// A drive as drawn.
struct Dot {
    value: f64,
    ends: (f64, f64),
    host: usize,
    apart: bool,
    hover: String,
}

/// A model's drives of one firmware.
struct FirmwareStrip {
    name: String,
    drives: usize,
    dots: Vec<Dot>,
}

struct Strips {
    text: FigureText,
    x_label: String,
    hosts: Vec<String>,
    strips: Vec<FirmwareStrip>,
}

/// A model's drives in ascending order.
struct Ordered {
    text: FigureText,
    y_label: String,
    names: [String; 2],
    dots: Vec<Dot>,
    /// The position of the highlighted drive.
    looked_at: usize,
}

/// The figures of a step; None if no model has enough specimens.
pub fn figures(drawing: &StepDrawing<'_>) -> Vec<Chart> {
    let &StepDrawing { language: l, step, .. } = drawing;
    let Some(fleet) = &drawing.comparisons.fleets[step.key] else { return Vec::new() };
    let mut all = vec![Chart::of_step(&step.name, "fleet", strips(l, step, fleet))];
    let mut largest: Vec<&DriveModel> =
        fleet.models.iter().filter(|m| !m.name.is_empty()).collect();
    largest.sort_by_key(|m| std::cmp::Reverse(m.specimens.len()));
    for (number, model) in largest.into_iter().take(MOST_MODELS).enumerate() {
        if let Some(plot) = ordered(l, step, fleet, model) {
            all.push(Chart::of_step(&step.name, &format!("drives-{}", number + 1), plot));
        }
    }
    all
}

/// "ops/s", "p99, µs"
fn label(l: Language, fleet: &Fleet) -> String {
    let (metric, unit) = (fleet.metric.text(l), scale(&fleet.metric).1);
    if metric == unit { metric } else { l.sequence(&[metric, unit.to_string()]) }
}

/// "4 KiB reads, 8"
fn title(l: Language, step: &StepFacts, fleet: &Fleet) -> String {
    match &step.axis {
        None => step.title.text(l),
        Some(_) => {
            let value = step.values[fleet.value].text(l);
            let subject = &step.title;
            say!(l, "place-on-axis", what = subject, axis = step.axis_text(l), value)
        }
    }
}

/// A drive's mark, at its level in one bundle or over all.
fn dot(
    fleet: &Fleet,
    one: &FleetDrive,
    (place, level): (Option<&str>, f64),
    host: usize,
    apart: bool,
) -> Dot {
    let (by, unit) = scale(&fleet.metric);
    let least = one.by_repeat.iter().copied().fold(f64::INFINITY, f64::min);
    let most = one.by_repeat.iter().copied().fold(0.0, f64::max);
    let value = level * by;
    let known = [one.serial.as_deref(), one.firmware.as_deref(), place];
    let known: Vec<&str> = known.into_iter().flatten().collect();
    let more = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
    let hover = format!("{}{more}: {} {unit}", one.name, crate::chart::canvas::axis::si(value));
    Dot { value, ends: (least * by, most * by), host, apart, hover }
}

fn strips(l: Language, step: &StepFacts, fleet: &Fleet) -> Strips {
    let mut hosts: Vec<String> = fleet
        .models
        .iter()
        .flat_map(|m| m.hosts().into_iter().map(str::to_string).collect::<Vec<_>>())
        .collect();
    hosts.sort();
    hosts.dedup();
    if !(2..=MOST_HOSTS).contains(&hosts.len()) {
        hosts.clear();
    }
    let mut all = Vec::new();
    for model in &fleet.models {
        let mut firmware: Vec<Option<&str>> = model.firmware().into_iter().map(Some).collect();
        if model.specimens.iter().any(|s| s.firmware.is_none()) {
            firmware.push(None);
        }
        for own in firmware {
            let mine = model.specimens.iter().enumerate();
            let mine = mine.filter(|(_, s)| s.firmware.as_deref() == own);
            let mut dots = Vec::new();
            for (i, specimen) in mine {
                for (name, level) in &specimen.levels {
                    let host = hosts.iter().position(|h| Some(h) == name.as_ref()).unwrap_or(0);
                    let (at, apart) = ((name.as_deref(), *level), model.apart.contains(&i));
                    dots.push(dot(fleet, specimen, at, host, apart));
                }
            }
            let drives = own_drives(model, own);
            let model = match model.name.as_str() {
                "" => say!(l, "fleet-unknown-model"),
                name => name.to_string(),
            };
            let name = own.map_or(model.clone(), |firmware| format!("{model} · {firmware}"));
            all.push(FirmwareStrip { name, drives, dots });
        }
    }
    if all.len() > MOST_LINES {
        all.sort_by_key(|strip| std::cmp::Reverse(strip.dots.len()));
        all.truncate(MOST_LINES);
    }
    let x_label = label(l, fleet);
    let caption = match hosts.is_empty() {
        true => say!(l, "fleet-figure", metric = &x_label),
        false => say!(l, "fleet-figure-by-host", metric = &x_label),
    };
    Strips { text: FigureText::of(l, title(l, step, fleet), caption), x_label, hosts, strips: all }
}

fn own_drives(model: &DriveModel, firmware: Option<&str>) -> usize {
    model.specimens.iter().filter(|s| s.firmware.as_deref() == firmware).count()
}

/// None for a model with fewer than four drives.
fn ordered(l: Language, step: &StepFacts, fleet: &Fleet, model: &DriveModel) -> Option<Ordered> {
    if model.specimens.len() < 4 {
        return None;
    }
    let far = |s: &FleetDrive| (s.level / model.level()).ln().abs();
    let farthest = model
        .specimens
        .iter()
        .enumerate()
        .max_by(|a, b| far(a.1).total_cmp(&far(b.1)))
        .map(|(i, _)| i)?;
    let mut order: Vec<usize> = (0..model.specimens.len()).collect();
    order.sort_by(|a, b| model.specimens[*a].level.total_cmp(&model.specimens[*b].level));
    let of = |i: &usize| {
        let one = &model.specimens[*i];
        dot(fleet, one, (None, one.level), 0, model.apart.contains(i))
    };
    let (y_label, drive) = (label(l, fleet), &model.specimens[farthest].name);
    let caption = say!(l, "fleet-ordered", metric = &y_label, model = &model.name, drive);
    Some(Ordered {
        text: FigureText::of(l, title(l, step, fleet), caption),
        y_label,
        names: [model.name.clone(), drive.clone()],
        dots: order.iter().map(of).collect(),
        looked_at: order.iter().position(|i| *i == farthest)?,
    })
}

impl Plot for Strips {
    fn text(&self) -> Option<&FigureText> {
        Some(&self.text)
    }

    fn svg(&self, palette: &Palette) -> String {
        let hosts: Vec<&str> = self.hosts.iter().map(String::as_str).collect();
        let set = (palette, self.text.language);
        let mut frame = Canvas::with_legend_from(set, (1, &hosts), &[], 0.0);
        let lanes = self.hosts.len().max(2) as f64;
        let deep = NAME + LANE * lanes + GAP;
        frame.top -= 16.0;
        (frame.left, frame.right) = (14.0, WIDTH - 14.0);
        frame.bottom = frame.top + deep * self.strips.len() as f64;
        frame.height = frame.bottom + 46.0;
        let all = || self.strips.iter().flat_map(|s| &s.dots);
        let axis = ChartAxis::around(all().map(|d| (d.value, d.value, d.value)));
        let (left, right) = (frame.left, frame.right);
        let x_at = |value: f64| left + axis.share(value) * (right - left);
        for (i, strip) in self.strips.iter().enumerate() {
            let top = frame.top + deep * i as f64;
            let count = say!(self.text.language, "fleet-drives", count = strip.drives);
            let room = right - left - fonts::width(&count, LEAST_TEXT, Face::Bold) - 12.0;
            let name = fonts::shortened(&strip.name, LEAST_TEXT, Face::Bold, room);
            let bold = TextStyle { anchor: "start", bold: true, ..LABEL };
            frame.text(left, top + 13.0, &name, &bold);
            frame.text(right, top + 13.0, &count, &TextStyle { anchor: "end", ..LABEL });
            for tick in axis.ticks() {
                let x = x_at(tick);
                frame.line((x, top + NAME), (x, top + deep - GAP), ("g", GRID), 1.0);
            }
            strip.draw(&mut frame, top + NAME, (lanes, self.hosts.len()), &x_at);
        }
        frame.baseline();
        frame.x_numbers(&axis, &x_at);
        frame.x_label(&self.x_label);
        frame.svg(&self.label())
    }
}

impl FirmwareStrip {
    /// A row for each host; without hosts the drives are spread over the height.
    fn draw(
        &self,
        frame: &mut Canvas<'_>,
        top: f64,
        (lanes, hosts): (f64, usize),
        x_at: &dyn Fn(f64) -> f64,
    ) {
        for (number, dot) in self.dots.iter().enumerate() {
            let lane = match hosts {
                // Neighbours in the plan's order are separated.
                0 => (number * 5 % 8) as f64 / 8.0 * (lanes - 1.0),
                _ => dot.host as f64,
            };
            let at = (x_at(dot.value), top + LANE * (lane + 0.5));
            let style = SubjectStyle { subject: 1 + dot.host, hollow: dot.apart };
            frame.mark(at, 3.6, style, Some(&dot.hover));
        }
    }
}

impl Plot for Ordered {
    fn text(&self) -> Option<&FigureText> {
        Some(&self.text)
    }

    fn svg(&self, palette: &Palette) -> String {
        let names = self.names.each_ref().map(String::as_str);
        let y = ChartAxis::around(self.dots.iter().map(|d| (d.value, d.ends.0, d.ends.1)));
        let mut frame =
            Canvas::with_legend_from((palette, self.text.language), (1, &names), &[y], 290.0);
        let (top, bottom) = (frame.top, frame.bottom);
        frame.panel(top, bottom, &self.y_label, y);
        let (left, right) = (frame.left, frame.right);
        let wide = (right - left) / self.dots.len().max(1) as f64;
        let x_at = |place: f64| left + (place + 0.5) * wide;
        for (i, dot) in self.dots.iter().enumerate() {
            let x = x_at(i as f64);
            if dot.ends.1 > dot.ends.0 {
                frame.whisker(x, dot.ends.0.max(y.low), dot.ends.1, (wide * 0.3).min(3.0));
            }
        }
        // On top of all whiskers, the highlighted one above the others.
        let mut order: Vec<usize> = (0..self.dots.len()).filter(|i| *i != self.looked_at).collect();
        order.push(self.looked_at);
        for i in order {
            let (dot, looked_at) = (&self.dots[i], i == self.looked_at);
            let (radius, subject) = if looked_at { (5.0, 2) } else { (3.2, 1) };
            let at = (x_at(i as f64), frame.y_at(dot.value));
            let style = SubjectStyle { subject, hollow: dot.apart };
            frame.mark(at, radius, style, Some(&dot.hover));
        }
        frame.with_x(&say!(self.text.language, "fleet-in-order"), &self.label())
    }
}
