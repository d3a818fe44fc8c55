//! Figures with several series per point: drives, instances, neighbours; and one class of op per
//! minute.

use super::{StepDrawing, name, quantity, scaled, time};
use crate::analysis::facts::CellFacts;
use crate::analysis::points::metric::{Metric, PointFigure as Of};
use crate::analysis::points::point_summary::{ClassSummary, P99, RepeatSummary};
use crate::chart::Chart;
use crate::chart::kinds::bars::{Bar, BarSeries, GroupedBars};
use crate::language::Name;
use crate::say;

/// A bar's value from a summary.
type BarPick<'p> = dyn Fn(&RepeatSummary) -> Option<Bar> + 'p;

/// The bar, which is an outline if the cell ranks no drives.
fn of_cell(cell: &CellFacts, bar: Option<Bar>) -> Option<Bar> {
    bar.map(|bar| Bar { marked: cell.is_not_the_drives(), ..bar })
}

impl StepDrawing<'_> {
    /// Ops of one class per minute, if this is the step's headline: New-Orders.
    pub fn per_minute(&self) -> Option<Chart> {
        let Of::PerMinute(class) = self.step.headline_metric.figure else { return None };
        let done =
            |t: &RepeatSummary| Some(scaled(t.class(Some(class))?.done_per_minute.as_ref()?, 1.0));
        let unit = say!(self.language, "figure-a-minute", class = Name::op(class.name()));
        let metric = Metric::total(Of::PerMinute(class));
        Some(self.bars(&quantity("per-minute", &unit, &unit, Some(&metric)), &done))
    }

    /// ops/s and p99 of each drive of a group at the representative point.
    pub fn by_drive(&self) -> Vec<Chart> {
        let most = self.lead().iter().map(|(_, cell)| cell.drives.len()).max().unwrap_or(0);
        if most < 2 {
            return Vec::new();
        }
        let l = self.language;
        let (scale, time_unit) = time(self.step);
        let p99 = |s: &RepeatSummary| Some(scaled(s.p99_ns(self.step.class)?, scale));
        let ops = |s: &RepeatSummary| Some(scaled(s.ops_per_s.as_ref()?, 1.0));
        let pick: [(&str, &str, &BarPick<'_>); 2] =
            [("ops/s", "ops/s", &ops), ("p99", time_unit, &p99)];
        let groups =
            || (0..most).map(|drive| say!(l, "figure-drive", number = drive + 1)).collect();
        let made = pick.map(|(what, unit, pick)| {
            let series = self.lead().into_iter().map(|(_, cell)| BarSeries {
                name: name(self.subjects, cell),
                values: (0..most)
                    .map(|drive| cell.drives.get(drive).and_then(|(_, s)| of_cell(cell, pick(s))))
                    .collect(),
            });
            let plot = GroupedBars {
                text: self.text_of_bars(say!(
                    l,
                    "figure-of-each-drive",
                    figure = what,
                    at = self.lead_label()
                )),
                x_label: String::new(),
                y_label: unit.to_string(),
                groups: groups(),
                series: series.collect(),
                call_outs: Vec::new(),
                lying: false,
                quiet: self.quiet,
            };
            self.figure(if unit == time_unit { "drives-p99" } else { "drives" }, plot)
        });
        made.into_iter().collect()
    }

    /// The pooled p99 of several instances, and the mean of their individual p99.
    pub fn by_instance(&self) -> Option<Chart> {
        let l = self.language;
        let several = self.lead().iter().any(|(_, cell)| cell.instances.len() > 1);
        let (scale, time_unit) = time(self.step);
        let p99 = |s: &RepeatSummary| Some(scaled(s.p99_ns(self.step.class)?, scale));
        let mean = |cell: &CellFacts| {
            let each: Option<Vec<f64>> =
                cell.instances.iter().map(|(_, s)| Some(p99(s)?.value)).collect();
            let value =
                each.filter(|e| e.len() > 1).map(|e| e.iter().sum::<f64>() / e.len() as f64)?;
            Some(Bar::of(value))
        };
        let series = self.lead().into_iter().map(|(_, cell)| BarSeries {
            name: name(self.subjects, cell),
            values: vec![
                of_cell(cell, cell.total.as_deref().and_then(p99)),
                of_cell(cell, mean(cell)),
            ],
        });
        let plot = GroupedBars {
            text: self.text_of_bars(say!(l, "figure-of-instances", at = self.lead_label())),
            x_label: String::new(),
            y_label: time_unit.to_string(),
            groups: vec![say!(l, "figure-pooled"), say!(l, "figure-mean-of-instances")],
            series: series.collect(),
            call_outs: Vec::new(),
            lying: true,
            quiet: self.quiet,
        };
        several.then(|| self.figure("instances", plot))
    }

    /// Bars by neighbour and percentile, one bar per subject.
    pub fn by_neighbour(&self) -> Chart {
        let (scale, time_unit) = time(self.step);
        const SHOWN: [&str; 5] = ["mean", "p99", "p99.9", "p99.99", "p99.999"];
        let l = self.language;
        let value = |cell: &CellFacts, stream: &str, what: usize| {
            let summary = cell.streams.iter().find(|(name, ..)| name == stream).map(|(.., s)| s)?;
            let times = summary.classes.first().map(ClassSummary::user_latency)?;
            let estimate = if what == 0 {
                times.mean_ns.as_ref()
            } else {
                times.percentiles_ns[P99 + what - 1].as_ref()
            };
            of_cell(cell, estimate.map(|e| scaled(e, scale)))
        };
        let cells: Vec<(&str, usize)> = self
            .neighbours()
            .into_iter()
            .flat_map(|name| (0..SHOWN.len()).map(move |i| (name, i)))
            // A percentile without enough samples has no bar for any subject.
            .filter(|(name, what)| {
                self.lead().iter().any(|(_, cell)| value(cell, name, *what).is_some())
            })
            .collect();
        let series = self.lead().into_iter().map(|(_, cell)| BarSeries {
            name: name(self.subjects, cell),
            values: cells.iter().map(|(name, what)| value(cell, name, *what)).collect(),
        });
        // The neighbour is named once, below its first percentile.
        let group = |(name, what): &(&str, usize)| match what {
            0 => say!(l, "figure-of-neighbour", name = *name, figure = say!(l, "mean")),
            _ => SHOWN[*what].to_string(),
        };
        // Vertical bars have no room for their names.
        let plot = GroupedBars {
            text: self.text_of_bars(say!(l, "figure-by-neighbour", at = self.lead_label())),
            x_label: String::new(),
            y_label: time_unit.to_string(),
            series: series.collect(),
            groups: cells.iter().map(group).collect(),
            call_outs: Vec::new(),
            lying: true,
            quiet: self.quiet,
        };
        self.figure("neighbours", plot)
    }
}
