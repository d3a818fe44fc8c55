//! All steps in one figure: a small panel each with one bar per subject, in the step's headline
//! metric; and the MB/s of all steps that move data, on one scale.

use crate::analysis::facts::{CellFacts, Comparisons, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::chart::canvas::axis::in_digits;
use crate::chart::canvas::fonts::{self, Face};
use crate::chart::canvas::frame::{Canvas, LABEL, SMALL, SubjectStyle, TextStyle};
use crate::chart::canvas::theme::{LEAST_TEXT, MARK, Palette, WIDTH};
use crate::chart::step::scaled;
use crate::chart::{Chart, FigureText, Plot};
use crate::language::Language;
use crate::say;

/// A subject's value in a panel; None if not measured.
struct PanelValue {
    value: f64,
    marked: bool,
}

struct MultiplePanel {
    title: String,
    unit: String,
    levels: Vec<Option<PanelValue>>,
}

struct Multiples {
    text: FigureText,
    names: Vec<String>,
    panels: Vec<MultiplePanel>,
    /// The caption's scale: panels of one unit share it, so that equal bars are equal values.
    scales: Vec<(String, f64)>,
}

const TITLE: f64 = 18.0;
const BAR: f64 = 16.0;
const GAP: f64 = 9.0;

/// The headline of every step; as many figures as needed.
pub fn figures(
    l: Language,
    subjects: &Subjects,
    comparisons: &Comparisons,
    steps: &[&StepFacts],
) -> Vec<Chart> {
    let panel = |step: &&StepFacts| {
        let metric = &step.headline_metric;
        let (scale, unit) = match metric.figure {
            PointFigure::Bytes => (1e6, ""),
            _ if metric.is_latency() => crate::chart::step::time(step),
            _ => (1.0, ""),
        };
        let unit = match unit {
            "" => metric.text(l),
            unit => l.sequence(&[metric.text(l), unit.to_string()]),
        };
        let value = comparisons.leads[step.key].value;
        let level = |subject| level(step, metric, (value, subject), scale);
        MultiplePanel {
            title: step.title.text(l),
            unit,
            levels: subjects.keys().map(level).collect(),
        }
    };
    // A metric that no subject has, such as a percentile of too few samples, has no bars.
    let mut panels: Vec<MultiplePanel> = steps.iter().map(panel).collect();
    panels.retain(|panel| panel.levels.iter().any(Option::is_some));
    let names = subjects.names();
    let caption = FigureText::of(l, "", say!(l, "figures-lead"));
    let mut all = of_panels(&caption, &names, "summary", panels);
    all.extend(megabytes(l, subjects, steps));
    all
}

/// MB/s of all steps that move data, each at its maximum.
fn megabytes(l: Language, subjects: &Subjects, steps: &[&StepFacts]) -> Vec<Chart> {
    let moving: Vec<&StepFacts> = steps.iter().copied().filter(|step| moves_data(step)).collect();
    if moving.len() < 2 {
        return Vec::new();
    }
    let most = |step: &StepFacts, subject: SubjectKey| {
        let cells = step.cells_of(subject).into_iter().flatten();
        let rate = |c: &CellFacts| {
            Some((c.total.as_ref()?.bytes_per_s.as_ref()?.value / 1e6, c.is_not_the_drives()))
        };
        let found = cells.filter_map(rate).max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(PanelValue { value: found.0, marked: found.1 })
    };
    let panel = |step: &&StepFacts| MultiplePanel {
        title: step.title.text(l),
        unit: "MB/s".to_string(),
        levels: subjects.keys().map(|subject| most(step, subject)).collect(),
    };
    let panels: Vec<MultiplePanel> = moving.iter().map(panel).collect();
    let caption = FigureText::of(l, "", say!(l, "figures-megabytes"));
    of_panels(&caption, &subjects.names(), "summary-mb", panels)
}

fn moves_data(step: &StepFacts) -> bool {
    step.cells
        .iter()
        .filter_map(|c| c.total.as_ref())
        .filter_map(|t| t.bytes_per_s.as_ref())
        .any(|e| e.value > crate::chart::step::MOVES_DATA)
}

fn level(
    step: &StepFacts,
    metric: &Metric,
    (value, subject): (Option<ValueKey>, SubjectKey),
    scale: f64,
) -> Option<PanelValue> {
    match value {
        Some(value) => {
            let cell = step.cell(subject, value)?;
            let bar = scaled(&metric.of(step, cell)?.0, scale);
            let value = in_digits(bar.value, bar.digits);
            Some(PanelValue { value, marked: cell.is_not_the_drives() })
        }
        None => step.over_axis.level(metric, subject).map(|value| PanelValue {
            value: value / scale,
            marked: step.over_axis.marked.contains(&subject),
        }),
    }
}

/// Panels are distributed evenly over figures.
fn of_panels(
    text: &FigureText,
    names: &[String],
    file: &str,
    panels: Vec<MultiplePanel>,
) -> Vec<Chart> {
    let mut scales: Vec<(String, f64)> = Vec::new();
    for panel in &panels {
        let own = panel.levels.iter().flatten().map(|level| level.value).fold(0.0, f64::max);
        match scales.iter_mut().find(|(unit, _)| *unit == panel.unit) {
            Some((_, longest)) => *longest = longest.max(own),
            None => scales.push((panel.unit.clone(), own)),
        }
    }
    let (l, caption) = (text.language, &text.caption);
    let deep = TITLE + BAR * names.len() as f64 + GAP;
    let most = ((380.0 / deep).floor() as usize).max(1);
    let each = panels.len().div_ceil(panels.len().div_ceil(most).max(1)).max(1);
    let several = panels.len().div_ceil(each);
    let mut panels = panels.into_iter();
    let mut draw = |i: usize| {
        let caption = match several > 1 {
            true => {
                say!(l, "figures-part", caption = caption, number = i + 1, count = several)
            }
            false => caption.to_string(),
        };
        let plot = Multiples {
            text: FigureText { caption, ..text.clone() },
            names: names.to_vec(),
            panels: panels.by_ref().take(each).collect(),
            scales: scales.clone(),
        };
        Chart::new(format!("{file}-{}", i + 1), plot)
    };
    (0..several).map(&mut draw).collect()
}

impl Plot for Multiples {
    fn text(&self) -> Option<&FigureText> {
        Some(&self.text)
    }

    fn svg(&self, palette: &Palette) -> String {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let mut frame = Canvas::bare((palette, self.text.language), &names, &[], 0.0);
        let top = frame.top - 18.0;
        let deep = TITLE + BAR * self.names.len() as f64 + GAP;
        frame.height = top + deep * self.panels.len() as f64;
        for (i, panel) in self.panels.iter().enumerate() {
            let scale = self.scales.iter().find(|(unit, _)| *unit == panel.unit);
            let scale = scale.map_or(1.0, |(_, longest)| *longest);
            panel.draw(&mut frame, top + deep * i as f64, scale, &self.names);
        }
        frame.svg(&self.label())
    }
}

impl MultiplePanel {
    fn draw(&self, frame: &mut Canvas<'_>, y: f64, scale: f64, names: &[String]) {
        let (x, right) = (6.0, WIDTH - 6.0);
        // The metric follows the name, which is truncated if both do not fit.
        let unit = frame.aside(&self.unit);
        let room = right - x - fonts::width(&unit, LEAST_TEXT, Face::Bold);
        let title =
            format!("{}{unit}", fonts::shortened(&self.title, LEAST_TEXT, Face::Bold, room));
        frame.text(x, y + 12.0, &title, &TextStyle { anchor: "start", bold: true, ..LABEL });
        let most = scale.max(f64::MIN_POSITIVE);
        // The longest label follows the longest bar.
        let longest = right - x - 64.0;
        let gap = frame.gap();
        for (s, level) in self.levels.iter().enumerate() {
            let top = y + TITLE + BAR * s as f64;
            let Some(level) = level else {
                let start = TextStyle { anchor: "start", ..SMALL };
                frame.text(x, top + 11.5, &gap, &start);
                continue;
            };
            let size = (longest * level.value / most, BAR - 2.0);
            let number = frame.number(level.value);
            let value = format!("{number} {}", self.unit);
            let hover = frame.named(&names[s], &value);
            let style = SubjectStyle { subject: s, hollow: level.marked };
            frame.bar((x, top), size, style, &hover);
            if self.levels.len() > 1 && size.0 >= 22.0 && !level.marked {
                frame.emblem((x + 8.0, top + size.1 / 2.0), 3.2, s);
            }
            let label = if level.marked { format!("{number}{MARK}") } else { number };
            frame.text(
                x + size.0 + 5.0,
                top + 11.5,
                &label,
                &TextStyle { anchor: "start", ..LABEL },
            );
        }
    }
}
