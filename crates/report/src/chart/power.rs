//! The figures of power: work per watt, power against work, and power and temperature below the
//! throughput.

use crate::analysis::facts::CellFacts;
use crate::analysis::limits::power::PowerFacts;
use crate::analysis::metric_values::instruments;
use crate::analysis::points::metric::{Metric, PointFigure as Of};
use crate::chart::kinds::bars::{Bar, BarSeries, GroupedBars};
use crate::chart::kinds::curve::{CurveChart, CurvePoint};
use crate::chart::kinds::panels::{PanelChart, Panels};
use crate::chart::step::{
    PlottedQuantity, StepDrawing, TIMELINE_POINTS, marked, name, quantity, scaled, thinned,
};
use crate::chart::{Chart, LineSeries};
use crate::language::Name;
use crate::say;
use dyno_core::stats::Estimate;

/// The figures of a step; one set of power figures for each class, because classes are never mixed.
pub fn figures(drawing: &StepDrawing<'_>) -> Vec<Chart> {
    let &StepDrawing { language: l, step, .. } = drawing;
    let mut classes: Vec<&str> = Vec::new();
    for power in step.cells.iter().flat_map(|c| &c.power) {
        if !classes.contains(&power.class.as_str()) {
            classes.push(&power.class);
        }
    }
    let mut all = Vec::new();
    for class in classes {
        let class_name = || Name::power_class(class);
        let what = say!(l, "power-of", class = class_name());
        let watts = quantity("watts", &what, "W", None);
        all.push(drawing.of_power(class, &watts, &|p| Some(&p.mean_watts)));
        let what = say!(l, "ops-per-watt-of", class = class_name());
        let unit = say!(l, "ops-per-watt");
        // Bars and call-outs show the class's first instrument.
        let instrument = instruments(step).into_iter().find(|i| i.class == class);
        let metric = instrument.map(|i| Metric::total(Of::OpsPerWatt(i)));
        let ops = quantity("ops-per-watt", &what, &unit, metric.as_ref());
        all.push(drawing.of_power(class, &ops, &|p| p.ops_per_watt.as_ref()));
        if step.values.len() > 1 {
            all.push(drawing.watts_against_ops(class));
        }
    }
    if step.cells.iter().any(|c| c.watts_over_time.len() > 2) {
        all.push(drawing.over_time());
    }
    all
}

/// A cell's first instrument of a class.
fn of_class<'a>(cell: &'a CellFacts, class: &str) -> Option<&'a PowerFacts> {
    cell.power.iter().find(|p| p.class == class)
}

impl StepDrawing<'_> {
    /// A unit with its class: "W (drive)".
    fn of_class(&self, unit: &str, class: &str) -> String {
        let class = Name::power_class(class);
        say!(self.language, "with-detail", what = unit, detail = class)
    }

    /// Bars of one power figure, by axis value.
    fn of_power(
        &self,
        class: &str,
        of: &PlottedQuantity<'_>,
        pick: &dyn Fn(&PowerFacts) -> Option<&Estimate>,
    ) -> Chart {
        let bar = |cell: &CellFacts| {
            let bar = scaled(pick(of_class(cell, class)?)?, 1.0);
            Some(Bar { marked: cell.is_not_the_drives(), ..bar })
        };
        let values = |subject| {
            let cells = self.step.cells_of(subject).into_iter();
            cells.map(|c| c.and_then(&bar)).collect()
        };
        let subjects = self.subjects.iter_enumerated();
        let plot = GroupedBars {
            text: self.text(self.called(of)),
            x_label: self.x_label(),
            y_label: self.of_class(of.unit, class),
            groups: self.groups(),
            series: subjects
                .map(|(key, own)| BarSeries { name: own.name.clone(), values: values(key) })
                .collect(),
            call_outs: of.metric.map(|m| self.called_bars(m)).unwrap_or_default(),
            lying: false,
            quiet: false,
        };
        self.figure(&format!("{}-{class}", of.file), plot)
    }

    fn watts_against_ops(&self, class: &str) -> Chart {
        let point = |cell: &CellFacts| {
            let watts = scaled(&of_class(cell, class)?.mean_watts, 1.0);
            let x = cell.total.as_ref()?.ops_per_s.as_ref()?.value;
            let mark = cell.rate_mark();
            let label = marked(cell, self.step.values[cell.value].text(self.language));
            Some(CurvePoint { x, y: watts.value, label, low: watts.low, high: watts.high, mark })
        };
        let plot = CurveChart {
            text: self.text(say!(
                self.language,
                "power-against-throughput",
                class = Name::power_class(class),
                axis = self.x_label()
            )),
            x_label: "ops/s".to_string(),
            y_label: self.of_class("W", class),
            log_y: false,
            joined: true,
            places: Vec::new(),
            call_outs: Vec::new(),
            series: self.curves(&point),
        };
        self.figure(&format!("watts-against-ops-{class}"), plot)
    }

    /// Throughput, power and temperature of the representative point, stacked.
    fn over_time(&self) -> Chart {
        let lead = self.lead();
        let panel = |y_label: &str, pick: &dyn Fn(&CellFacts) -> &[(f64, f64)]| {
            let series = lead.iter().map(|(i, cell)| LineSeries {
                name: self.subjects[*i].name.clone(),
                points: thinned(pick(cell), TIMELINE_POINTS),
            });
            PanelChart { y_label: y_label.to_string(), series: series.collect() }
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
        let (l, at) = (self.language, self.lead_label());
        let what = match panels.len() > 2 {
            true => say!(l, "power-and-temperature-over-time", at),
            false => say!(l, "power-over-time", at),
        };
        let plot = Panels {
            text: self.text(what),
            names: lead.iter().map(|(_, cell)| name(self.subjects, cell)).collect(),
            panels,
            spans: Vec::new(),
        };
        self.figure("power-over-time", plot)
    }
}
