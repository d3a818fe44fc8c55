//! Figures of a step that replays a recorded load: the arrivals of its requests and their response
//! times, on one time axis. Bursts are above the response times that they cause.

use super::kinds::panels::{PanelChart, Panels};
use super::step::{TIMELINE_POINTS, name, thinned, time};
use super::{Chart, FigureText, LineSeries, StepDrawing};
use crate::analysis::facts::{CellFacts, StepFacts, Subjects};
use crate::analysis::keys::{SubjectKey, ValueKey};
use crate::language::Language;
use crate::say;
use dyno_core::plan::Field;

/// The response time over the time of the trace: at its recorded pace, or at the step's lead point.
pub fn figures(drawing: &StepDrawing<'_>) -> Vec<Chart> {
    let &StepDrawing { language: l, subjects, step, .. } = drawing;
    let scaled = step.axis.as_ref().is_some_and(|axis| axis.field == Field::Scale);
    let recorded = step.values.position(|value| scaled && value.number == 1.0);
    let value = recorded.unwrap_or(step.lead);
    let cells = |subject| step.cell(subject, value);
    let lead: Vec<&CellFacts> = subjects.keys().filter_map(cells).collect();
    if lead.iter().all(|cell| cell.replay.response_ns.len() < 3) {
        return Vec::new();
    }
    let (unit_ns, unit) = time(step);
    let panel = |y_label: String, pick: &dyn Fn(&CellFacts) -> Vec<(f64, f64)>| {
        let series = lead.iter().map(|cell| LineSeries {
            name: subjects[cell.subject].name.clone(),
            points: thinned(&pick(cell), TIMELINE_POINTS),
        });
        PanelChart { y_label, series: series.collect() }
    };
    let responses = |cell: &CellFacts| {
        let points = cell.replay.response_ns.iter();
        points.map(|(seconds, ns)| (*seconds, ns / unit_ns)).collect()
    };
    // All subjects replay the same requests.
    let bursts = lead.first().map(|cell| cell.replay.bursts()).unwrap_or_default();
    let caption = match bursts.is_empty() {
        true => say!(l, "figure-response-over-time"),
        false => say!(l, "figure-response-over-time-bursts"),
    };
    let plot = Panels {
        text: FigureText::of(l, step.title.text(l), caption),
        names: lead.iter().map(|cell| name(subjects, cell)).collect(),
        panels: vec![
            panel(say!(l, "figure-arrivals-a-second"), &|cell| cell.replay.arrivals.clone()),
            panel(say!(l, "figure-mean-response", unit = unit), &responses),
        ],
        spans: bursts,
    };
    vec![Chart::of_step(&step.name, "response-over-time", plot)]
}

/// Maximum number of panels in a figure.
const MOST_SUBJECTS: usize = 4;

/// Ops/s over time of a recorded load and of its model, a panel for each subject.
pub fn beside_model(
    l: Language,
    subjects: &Subjects,
    trace: &StepFacts,
    model: &StepFacts,
) -> Vec<Chart> {
    let line = |step: &StepFacts, subject: SubjectKey| LineSeries {
        name: step.title.text(l),
        points: step
            .cell(subject, ValueKey(0))
            .map_or(Vec::new(), |cell| thinned(&cell.over_time, TIMELINE_POINTS)),
    };
    let panel = |subject: SubjectKey| PanelChart {
        y_label: l.sequence(&["ops/s".to_string(), subjects[subject].name.clone()]),
        series: [trace, model].map(|step| line(step, subject)).into(),
    };
    let drawn = |panel: &PanelChart| panel.series.iter().all(|series| series.points.len() > 2);
    let panels: Vec<PanelChart> =
        subjects.keys().map(panel).filter(drawn).take(MOST_SUBJECTS).collect();
    if panels.is_empty() {
        return Vec::new();
    }
    let plot = Panels {
        text: FigureText::of(l, "", say!(l, "figure-trace-and-model")),
        names: [trace, model].map(|step| step.title.text(l)).into(),
        panels,
        spans: Vec::new(),
    };
    vec![Chart::of_step(&model.name, "beside-trace", plot)]
}
