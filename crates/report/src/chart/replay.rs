//! Figures of a step that replays a recorded load: when its requests arrived, and how long they
//! took, on one axis of time. Bursts stand above the response times that they cause.

use super::kinds::panels::{PanelChart, Panels};
use super::step::{TIMELINE_POINTS, name, thinned, time};
use super::{Chart, FigureText, LineSeries};
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::language::Language;
use crate::plan::Field;
use crate::say;

/// The response time over the time of the trace: at its recorded pace, or at the step's lead point.
pub fn figures(l: Language, facts: &Facts, step: &StepFacts) -> Vec<Chart> {
    let scaled = step.axis.as_ref().is_some_and(|axis| axis.field == Field::Scale);
    let recorded = step.values.iter().position(|value| scaled && value.number == 1.0);
    let value = recorded.unwrap_or(step.lead);
    let cells = |subject| step.cells_of(subject).into_iter().nth(value).flatten();
    let lead: Vec<&CellFacts> = facts.subjects.keys().filter_map(cells).collect();
    if lead.iter().all(|cell| cell.replay.response_ns.len() < 3) {
        return Vec::new();
    }
    let (unit_ns, unit) = time(l, facts, step);
    let panel = |y_label: String, pick: &dyn Fn(&CellFacts) -> Vec<(f64, f64)>| {
        let series = lead.iter().map(|cell| LineSeries {
            name: facts.subjects[cell.subject].name.clone(),
            points: thinned(&pick(cell), TIMELINE_POINTS),
        });
        PanelChart { y_label, series: series.collect() }
    };
    let responses = |cell: &CellFacts| {
        let points = cell.replay.response_ns.iter();
        points.map(|(seconds, ns)| (*seconds, ns / unit_ns)).collect()
    };
    let plot = Panels {
        text: FigureText {
            language: l,
            title: step.title.text(l),
            caption: say!(l, "figure-response-over-time"),
        },
        names: lead.iter().map(|cell| name(&facts.subjects, cell)).collect(),
        panels: vec![
            panel(say!(l, "figure-arrivals-a-second"), &|cell| cell.replay.arrivals.clone()),
            panel(say!(l, "figure-mean-response", unit = unit), &responses),
        ],
    };
    vec![Chart::of_step(&step.name, "response-over-time", plot)]
}
