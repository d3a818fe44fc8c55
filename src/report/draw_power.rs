//! The figures of power: work a watt, watts against work, and power and temperature under the throughput.

use super::draw::{Draw, Drawing, TIMELINE_POINTS, scaled, slug, thinned};
use super::figure::bars::{Bar, BarSeries, GroupedBars};
use super::figure::curve::{Curve, CurvePoint};
use super::figure::panels::{Panel, Panels};
use super::figure::timeline::TimelineSeries;
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::power::PowerFacts;

/// The figures of a step; of power one set for each class, since classes are never mixed.
pub fn of_power(facts: &Facts, step: &StepFacts) -> Vec<Drawing> {
    let draw = Draw { facts, step };
    let mut classes: Vec<&str> = Vec::new();
    for power in step.cells.iter().flat_map(|c| &c.power) {
        if !classes.contains(&power.class.as_str()) {
            classes.push(&power.class);
        }
    }
    let mut all = Vec::new();
    for class in classes {
        all.push((format!("ops-per-watt-{class}"), draw.per_watt(class)));
        if step.values.len() > 1 {
            all.push((format!("watts-against-ops-{class}"), draw.watts_against_ops(class)));
        }
    }
    if step.cells.iter().any(|c| c.watts_over_time.len() > 2) {
        all.push(("power-over-time".to_string(), draw.over_time()));
    }
    all.into_iter().map(|(name, svg)| Drawing { file: format!("{}-{name}", slug(&step.name)), svg }).collect()
}

/// A cell's first instrument of a class.
fn of_class<'a>(cell: &'a CellFacts, class: &str) -> Option<&'a PowerFacts> {
    cell.power.iter().find(|p| p.class == class)
}

impl Draw<'_> {
    fn per_watt(&self, class: &str) -> String {
        let bar = |cell: &CellFacts| {
            let bar = scaled(of_class(cell, class)?.ops_per_watt.as_ref()?, 1.0);
            Some(Bar { marked: cell.is_not_the_drives(), ..bar })
        };
        let values = |subject| {
            let cells = self.facts.cells_of(self.step, subject).into_iter();
            cells.map(|c| c.and_then(&bar)).collect()
        };
        let subjects = self.facts.subjects.iter().enumerate();
        GroupedBars {
            title: self.step.title.clone(),
            subtitle: self.subtitle(format!("operations a second for each watt of {class} power")),
            x_label: self.x_label(),
            y_label: format!("ops/s per watt ({class})"),
            groups: self.groups(),
            series: subjects.map(|(i, name)| BarSeries { name: name.clone(), values: values(i) }).collect(),
        }
        .svg()
    }

    fn watts_against_ops(&self, class: &str) -> String {
        let point = |cell: &CellFacts| {
            let watts = scaled(&of_class(cell, class)?.mean_watts, 1.0);
            let (x, hollow) = (cell.total.as_ref()?.ops_per_s.value, cell.missed_its_rate());
            let label = cell.marked(self.step.values[cell.value].label.clone());
            Some(CurvePoint { x, y: watts.value, label, low: watts.low, high: watts.high, hollow })
        };
        Curve {
            title: self.step.title.clone(),
            subtitle: self.subtitle(format!("{class} power against throughput, by {}", self.x_label())),
            x_label: "ops/s".to_string(),
            y_label: format!("W ({class})"),
            log_y: false,
            series: self.curves(&point),
        }
        .svg()
    }

    /// Throughput, power and temperature of the lead point, one under the other.
    fn over_time(&self) -> String {
        let lead = self.lead();
        let panel = |y_label: &str, pick: &dyn Fn(&CellFacts) -> &[(f64, f64)]| {
            let series = lead.iter().map(|(i, cell)| TimelineSeries {
                name: self.facts.subjects[*i].clone(),
                points: thinned(pick(cell), TIMELINE_POINTS),
            });
            Panel { y_label: y_label.to_string(), series: series.collect() }
        };
        // Subjects measured by instruments of different classes have no common axis.
        let classes: Vec<&str> = lead.iter().filter_map(|(_, c)| Some(c.power.first()?.class.as_str())).collect();
        let mut panels = vec![panel("ops/s", &|c| &c.over_time)];
        let mut each: Vec<&str> = classes.clone();
        each.dedup();
        for class in each {
            let own = |c: &CellFacts| c.power.first().is_some_and(|p| p.class == class);
            let none: &[(f64, f64)] = &[];
            panels.push(panel(&format!("W ({class})"), &|c| if own(c) { &c.watts_over_time } else { none }));
        }
        if lead.iter().any(|(_, c)| !c.celsius_over_time.is_empty()) {
            panels.push(panel("°C", &|c| &c.celsius_over_time));
        }
        let what = if panels.len() > 2 { "power and temperature" } else { "power" };
        Panels {
            title: self.step.title.clone(),
            subtitle: self.subtitle(format!("{what} under the throughput{}", self.lead_label())),
            names: lead.iter().map(|(_, cell)| self.facts.name(cell)).collect(),
            panels,
        }
        .svg()
    }
}
