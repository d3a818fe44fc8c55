//! The figures of the cost of writes: the waterfall of bytes from the application to the flash, and
//! write amplification over time.

use crate::analysis::facts::CellFacts;
use crate::analysis::keys::SubjectKey;
use crate::analysis::limits::writes::Layers;
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::chart::kinds::bars::{Bar, BarSeries, GroupedBars};
use crate::chart::kinds::timeline::Timeline;
use crate::chart::step::{StepDrawing, TIMELINE_POINTS, quantity, scaled, thinned};
use crate::chart::{Chart, LineSeries};
use crate::language::Language;
use crate::say;

/// The figures of a step; none if nothing was counted.
pub fn figures(drawing: &StepDrawing<'_>) -> Vec<Chart> {
    let draw = drawing.titled();
    let mut all: Vec<Chart> = draw.waterfall().into_iter().collect();
    all.extend(draw.amplification());
    all.extend(draw.amplification_over_time());
    all
}

/// The name of a layer, and its bytes.
type Layer = (String, f64);

/// The layers of a waterfall, from the application down, and their divisor: the application's
/// bytes, or the bytes received by the drives if the engine counts only its own writes. None if
/// neither is known.
fn layers(l: Language, all: &Layers) -> Option<(Vec<Layer>, f64)> {
    let user = all.user.filter(|bytes| *bytes > 0.0);
    let own = || all.received().filter(|bytes| *bytes > 0.0 && !all.parts.is_empty());
    let base = user.or_else(own)?;
    let mut rows: Vec<Layer> =
        user.map(|bytes| (say!(l, "layer-application"), bytes)).into_iter().collect();
    rows.extend(all.parts.iter().map(|(name, bytes)| (part(l, name), *bytes)));
    rows.extend(all.rest().map(|bytes| (say!(l, "layer-filesystem"), bytes)));
    rows.push((say!(l, "layer-host"), all.received()?));
    rows.extend(all.media.map(|bytes| (say!(l, "layer-media"), bytes)));
    Some((rows, base))
}

/// The name of one of an engine's ways of writing.
pub fn part(l: Language, name: &str) -> String {
    match name {
        "wal" => say!(l, "layer-wal"),
        "flush" => say!(l, "layer-flush"),
        "compaction" => say!(l, "layer-compaction"),
        "pages" => say!(l, "layer-pages"),
        "doublewrite" => say!(l, "layer-doublewrite"),
        other => other.to_string(),
    }
}

impl StepDrawing<'_> {
    /// Bytes of each layer for each byte of the application, at the step's lead value.
    fn waterfall(&self) -> Option<Chart> {
        let l = self.language;
        let of = |subject: SubjectKey| {
            let cell = self.step.cell(subject, self.step.lead)?;
            layers(l, &cell.writes.as_ref()?.layers())
        };
        let each: Vec<Option<(Vec<Layer>, f64)>> = self.subjects.keys().map(of).collect();
        let mut groups: Vec<String> = Vec::new();
        for (name, _) in each.iter().flatten().flat_map(|(rows, _)| rows) {
            if !groups.contains(name) {
                groups.push(name.clone());
            }
        }
        if groups.is_empty() {
            return None;
        }
        let values = |subject: SubjectKey| {
            let value = |group: &String| {
                let (rows, base) = each[subject.0].as_ref()?;
                let bytes = rows.iter().find(|(name, _)| name == group)?.1;
                Some(Bar::of((bytes / base).max(0.0)))
            };
            groups.iter().map(value).collect()
        };
        let subjects = self.subjects.iter_enumerated();
        let series =
            subjects.map(|(key, own)| BarSeries { name: own.name.clone(), values: values(key) });
        let plot = GroupedBars {
            text: self.text(say!(l, "figure-waterfall", at = self.lead_label())),
            x_label: String::new(),
            y_label: match groups.contains(&say!(l, "layer-application")) {
                true => say!(l, "figure-waterfall-unit"),
                false => say!(l, "figure-waterfall-unit-host"),
            },
            series: series.collect(),
            groups,
            call_outs: Vec::new(),
            lying: true,
            quiet: false,
        };
        Some(self.figure("waterfall", plot))
    }

    /// Write amplification of each subject, by axis value.
    fn amplification(&self) -> Option<Chart> {
        let metric = Metric::total(PointFigure::Waf);
        let of = |cell: &CellFacts| Some(scaled(&metric.of(self.step, cell)?.0, 1.0));
        let values = |subject: SubjectKey| {
            let cells = self.step.cells_of(subject).into_iter();
            cells.map(|cell| of(cell?)).collect::<Vec<_>>()
        };
        let each: Vec<Vec<Option<Bar>>> = self.subjects.keys().map(values).collect();
        each.iter().flatten().any(Option::is_some).then_some(())?;
        let what = say!(self.language, "write-amplification");
        let of = quantity("waf", &what, "WAF", Some(&metric));
        let subjects = self.subjects.iter().zip(each);
        let plot = GroupedBars {
            text: self.text(self.called(&of)),
            x_label: self.x_label(),
            y_label: "WAF".to_string(),
            groups: self.groups(),
            series: subjects
                .map(|(own, values)| BarSeries { name: own.name.clone(), values })
                .collect(),
            call_outs: self.called_bars(&metric),
            lying: false,
            quiet: false,
        };
        Some(self.figure("waf", plot))
    }

    /// The figure for the first repeat at the step's lead value.
    fn amplification_over_time(&self) -> Option<Chart> {
        let line = |(subject, cell): (SubjectKey, &CellFacts)| {
            let points = &cell.writes.as_ref()?.repeats.first()?.over_time;
            (points.len() > 2).then(|| LineSeries {
                name: self.subjects[subject].name.clone(),
                points: thinned(points, TIMELINE_POINTS),
            })
        };
        let series: Vec<LineSeries> = self.lead().into_iter().filter_map(line).collect();
        (!series.is_empty()).then_some(())?;
        let caption = say!(self.language, "figure-waf-over-time", at = self.lead_label());
        let plot = Timeline { text: self.text(caption), y_label: "WAF".to_string(), series };
        Some(self.figure("waf-over-time", plot))
    }
}
