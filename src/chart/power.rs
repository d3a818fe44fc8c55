//! The figures of power: work per watt, power against work, and power and temperature under the
//! throughput.

use super::Figure;
use super::bars::{Bar, BarSeries, GroupedBars};
use super::curve::{Curve, CurvePoint};
use super::panels::{Panel, Panels};
use super::step::{Draw, TIMELINE_POINTS, marked, name, scaled, thinned};
use super::timeline::TimelineSeries;
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::power::PowerFacts;
use crate::language::Name;
use crate::say;
use crate::stats::Estimate;

/// The figures of a step; of power one set for each class, since classes are never mixed.
pub fn figures(facts: &Facts, step: &StepFacts) -> Vec<Figure> {
    let l = facts.language;
    let draw = Draw { facts, step, titled: false, quiet: false };
    let mut classes: Vec<&str> = Vec::new();
    for power in step.cells.iter().flat_map(|c| &c.power) {
        if !classes.contains(&power.class.as_str()) {
            classes.push(&power.class);
        }
    }
    let mut all = Vec::new();
    for class in classes {
        all.push(draw.of_power(
            class,
            "watts",
            &say!(l, "power-of", class = Name::power_class(class)),
            "W",
            &|p| Some(&p.mean_watts),
        ));
        let name = Name::power_class(class);
        let (what, unit) = (say!(l, "ops-per-watt-of", class = name), say!(l, "ops-per-watt"));
        all.push(draw.of_power(class, "ops-per-watt", &what, &unit, &|p| p.ops_per_watt.as_ref()));
        if step.values.len() > 1 {
            all.push(draw.watts_against_ops(class));
        }
    }
    if step.cells.iter().any(|c| c.watts_over_time.len() > 2) {
        all.push(draw.over_time());
    }
    all
}

/// A cell's first instrument of a class.
fn of_class<'a>(cell: &'a CellFacts, class: &str) -> Option<&'a PowerFacts> {
    cell.power.iter().find(|p| p.class == class)
}

impl Draw<'_> {
    /// A unit with what it is of: "W (drive)".
    fn of_class(&self, unit: &str, class: &str) -> String {
        let class = Name::power_class(class);
        say!(self.facts.language, "with-detail", what = unit, detail = class)
    }

    /// Bars of one figure of power, by axis value.
    fn of_power(
        &self,
        class: &str,
        file: &str,
        what: &str,
        unit: &str,
        pick: &dyn Fn(&PowerFacts) -> Option<&Estimate>,
    ) -> Figure {
        let bar = |cell: &CellFacts| {
            let bar = scaled(pick(of_class(cell, class)?)?, 1.0);
            Some(Bar { marked: cell.is_not_the_drives(), ..bar })
        };
        let values = |subject| {
            let cells = self.facts.cells_of(self.step, subject).into_iter();
            cells.map(|c| c.and_then(&bar)).collect()
        };
        let subjects = self.facts.subjects.iter().enumerate();
        let plot = GroupedBars {
            language: self.facts.language,
            title: self.step.title.clone(),
            subtitle: self.subtitle(what.to_string()),
            x_label: self.x_label(),
            y_label: self.of_class(unit, class),
            groups: self.groups(),
            series: subjects
                .map(|(i, name)| BarSeries { name: name.clone(), values: values(i) })
                .collect(),
            call_outs: Vec::new(),
            lying: false,
            quiet: false,
        };
        self.figure(&format!("{file}-{class}"), plot)
    }

    fn watts_against_ops(&self, class: &str) -> Figure {
        let point = |cell: &CellFacts| {
            let watts = scaled(&of_class(cell, class)?.mean_watts, 1.0);
            let (x, hollow) = (cell.total.as_ref()?.ops_per_s.value, cell.missed_its_rate());
            let label = marked(cell, self.step.values[cell.value].text(self.facts.language));
            Some(CurvePoint { x, y: watts.value, label, low: watts.low, high: watts.high, hollow })
        };
        let plot = Curve {
            language: self.facts.language,
            title: self.step.title.clone(),
            subtitle: self.subtitle(say!(
                self.facts.language,
                "power-against-throughput",
                class = Name::power_class(class),
                axis = self.x_label()
            )),
            x_label: "ops/s".to_string(),
            y_label: self.of_class("W", class),
            log_y: false,
            places: Vec::new(),
            call_outs: Vec::new(),
            series: self.curves(&point),
        };
        self.figure(&format!("watts-against-ops-{class}"), plot)
    }

    /// Throughput, power and temperature of the lead point, one under the other.
    fn over_time(&self) -> Figure {
        let lead = self.lead();
        let panel = |y_label: &str, pick: &dyn Fn(&CellFacts) -> &[(f64, f64)]| {
            let series = lead.iter().map(|(i, cell)| TimelineSeries {
                name: self.facts.subjects[*i].clone(),
                points: thinned(pick(cell), TIMELINE_POINTS),
            });
            Panel { y_label: y_label.to_string(), series: series.collect() }
        };
        // Subjects measured by instruments of different classes have no common axis.
        let classes: Vec<&str> =
            lead.iter().filter_map(|(_, c)| Some(c.power.first()?.class.as_str())).collect();
        let mut panels = vec![panel("ops/s", &|c| &c.over_time)];
        let mut each: Vec<&str> = classes.clone();
        each.dedup();
        for class in each {
            let own = |c: &CellFacts| c.power.first().is_some_and(|p| p.class == class);
            let none: &[(f64, f64)] = &[];
            panels.push(panel(&self.of_class("W", class), &|c| {
                if own(c) { &c.watts_over_time } else { none }
            }));
        }
        if lead.iter().any(|(_, c)| !c.celsius_over_time.is_empty()) {
            panels.push(panel("°C", &|c| &c.celsius_over_time));
        }
        let (l, at) = (self.facts.language, self.lead_label());
        let what = match panels.len() > 2 {
            true => say!(l, "power-and-temperature-over-time", at = at),
            false => say!(l, "power-over-time", at = at),
        };
        let plot = Panels {
            language: self.facts.language,
            title: self.step.title.clone(),
            subtitle: self.subtitle(what),
            names: lead.iter().map(|(_, cell)| name(self.facts, cell)).collect(),
            panels,
        };
        self.figure("power-over-time", plot)
    }
}
