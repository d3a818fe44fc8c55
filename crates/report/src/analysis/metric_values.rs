//! The metrics of a step, and a metric's value in a cell.

use std::borrow::Cow;

use crate::analysis::caveat::Caveat;
use crate::analysis::comparability::caveats;
use crate::analysis::facts::{CellFacts, ReportStatements, StepFacts};
use crate::analysis::limits::power::PowerFacts;
use crate::analysis::points::metric::{
    Instrument, Metric, MetricRequest, OF_POWER, PointFigure, PointPart, class_a_minute,
};
use crate::analysis::points::point_summary::{Latency, PERCENTILES, RepeatSummary};
use dyno_core::base::error::{Result, failed};
use dyno_core::base::histogram::RESOLUTION;
use dyno_core::plan::Plan;
use dyno_core::record::Class;
use dyno_core::stats::{Estimate, IntervalMethod, estimate};

impl MetricRequest {
    /// Refuses a part that no plan has.
    pub fn check(&self, plans: &[&Plan]) -> Result<()> {
        let Some(name) = &self.part else { return Ok(()) };
        let streams = || plans.iter().flat_map(|p| p.stream_names());
        if streams().any(|own| own == name) {
            return Ok(());
        }
        let drives =
            plans.iter().flat_map(|p| &p.subjects).map(|s| s.drives.len()).max().unwrap_or(0);
        let is_drive = PointPart::drive(name).is_some_and(|index| drives > 1 && index.0 < drives);
        if is_drive && OF_POWER.contains(&self.word.as_str()) {
            let what = format!(
                "{name} has no {}: power is measured for a subject's drives together",
                self.word
            );
            return Err(failed(what, format!("use {} of the subject, or of a stream", self.word)));
        }
        if is_drive {
            return Ok(());
        }
        let mut known: Vec<String> = streams().map(str::to_string).collect();
        known.extend((drives > 1).then(|| format!("drive-1 to drive-{drives}")));
        known.dedup();
        Err(failed(
            format!("no step has a stream or drive '{name}'"),
            format!("there are: {}", known.join(", ")),
        ))
    }

    fn part(&self, step: &StepFacts) -> Option<PointPart> {
        let Some(name) = &self.part else { return Some(PointPart::Whole) };
        let stream = step.cells.iter().flat_map(|c| &c.streams).any(|(own, ..)| own == name);
        if stream {
            Some(PointPart::Stream(name.clone()))
        } else {
            PointPart::drive(name).map(PointPart::Drive)
        }
    }

    /// The corresponding metrics of a step; for power there may be several instruments.
    pub fn in_step(&self, step: &StepFacts) -> Vec<Metric> {
        let Some(part) = self.part(step) else { return Vec::new() };
        let of = |figure: PointFigure| Metric { figure, part: part.clone() };
        let each = |make: fn(Instrument) -> PointFigure| {
            instruments(step).into_iter().map(|i| of(make(i))).collect()
        };
        match self.word.as_str() {
            "ops/s" => vec![of(PointFigure::Ops)],
            "MB/s" => vec![of(PointFigure::Bytes)],
            "mean" => vec![of(PointFigure::Mean)],
            "ops/s/W" => each(PointFigure::OpsPerWatt),
            "MB/s/W" => each(PointFigure::MbPerWatt),
            "J/op" => each(PointFigure::JoulesPerOp),
            "J/TB" => each(PointFigure::JoulesPerTb),
            "WAF" => vec![of(PointFigure::Waf)],
            word => {
                let percentile = PERCENTILES
                    .iter()
                    .position(|(name, _)| *name == word)
                    .map(PointFigure::Percentile);
                percentile
                    .or_else(|| class_a_minute(word).map(PointFigure::PerMinute))
                    .map(of)
                    .into_iter()
                    .collect()
            }
        }
    }
}

/// Every power instrument of a step.
pub fn instruments(step: &StepFacts) -> Vec<Instrument> {
    let mut all: Vec<Instrument> = Vec::new();
    for power in step.cells.iter().flat_map(|c| &c.power).filter(|p| p.ops_per_watt.is_some()) {
        let own = Instrument { class: power.class.clone(), kind: power.kind.clone() };
        if !all.contains(&own) {
            all.push(own);
        }
    }
    all
}

impl Metric {
    /// The metrics of a step's comparisons: the requested ones, or ops/s (without a target rate),
    /// p99, ops/s per watt and watts; for imported figures those given by the source, with the mean
    /// and MB/s in place of a missing p99 and ops/s. Fewer metrics give narrower intervals, because
    /// all share one error probability.
    pub fn of_step(step: &StepFacts, asked: &[MetricRequest]) -> Vec<Metric> {
        if !asked.is_empty() {
            return asked.iter().flat_map(|a| a.in_step(step)).collect();
        }
        let mut all = vec![Metric::total(PointFigure::Ops), Metric::p99()];
        if step.imported {
            let has = |metric: &Metric| step.cells.iter().any(|c| metric.of(step, c).is_some());
            let instead = [PointFigure::Bytes, PointFigure::Mean].map(Metric::total);
            all = all
                .into_iter()
                .zip(instead)
                .map(|(own, other)| if has(&own) { own } else { other })
                .filter(has)
                .collect();
        }
        let own = step.headline.iter().flat_map(|asked| asked.in_step(step));
        all.extend(own.filter(|m| !m.is_power() && !all.contains(m)).collect::<Vec<_>>());
        let of_power = |i: Instrument| {
            [PointFigure::OpsPerWatt(i.clone()), PointFigure::Watts(i)].map(Metric::total)
        };
        all.extend(instruments(step).into_iter().flat_map(of_power));
        all
    }

    /// The reasons why nothing is claimed about its part, in addition to caveats of the whole cell.
    pub fn caveats(&self, cell: &CellFacts) -> Vec<Caveat> {
        match &self.part {
            PointPart::Whole => Vec::new(),
            part => part.of(cell).map(caveats::of_load).unwrap_or_default(),
        }
    }

    /// The class of op whose latency matters to a user of the drive.
    pub fn class(&self, step: &StepFacts) -> Option<Class> {
        let PointPart::Stream(name) = &self.part else { return step.class };
        let own = || step.cells.iter().flat_map(|c| &c.streams).filter(|(own, ..)| own == name);
        let classes = || own().flat_map(|(.., s)| &s.classes).map(|c| c.class);
        // Prefixes or reads if there are any, as for a step; otherwise the workload's leading
        // class.
        let there = |class: &Class| classes().any(|c| c == *class);
        [Class::PREFIX, Class::READ].into_iter().find(there).or_else(|| classes().next())
    }

    /// Whether it has a target rate, so that its latencies are response times.
    pub fn is_open_loop(&self, step: &StepFacts) -> bool {
        match &self.part {
            PointPart::Stream(_) => {
                step.cells.iter().any(|c| self.part.of(c).is_some_and(|s| s.asked.is_some()))
            }
            _ => step.is_open_loop(),
        }
    }

    fn latency<'a>(&self, step: &StepFacts, cell: &'a CellFacts) -> Option<&'a Latency> {
        self.part.of(cell)?.user_latency(self.class(step))
    }

    /// A cell's estimate, and its repeats in order. Latencies are in nanoseconds.
    pub fn of<'a>(
        &self,
        step: &StepFacts,
        cell: &'a CellFacts,
    ) -> Option<(Estimate, Cow<'a, [f64]>)> {
        let power = |i: &Instrument| cell.power_by(i);
        let (estimate, repeats) = match &self.figure {
            PointFigure::Ops => {
                let part = self.part.of(cell)?;
                (part.ops_per_s.clone()?, &part.by_repeat[..])
            }
            PointFigure::Bytes => {
                let part = self.part.of(cell)?;
                (part.bytes_per_s.clone()?, &part.bytes_by_repeat[..])
            }
            PointFigure::Mean => self
                .latency(step, cell)
                .and_then(|l| Some((l.mean_ns.clone()?, l.measured_mean())))?,
            PointFigure::Percentile(i) => {
                let latency = self.latency(step, cell)?;
                (latency.percentiles_ns[*i].clone()?, latency.measured(*i))
            }
            PointFigure::PerMinute(class) => {
                let own = self.part.of(cell)?.class(Some(*class))?;
                (own.done_per_minute.clone()?, &own.done_by_repeat[..])
            }
            PointFigure::OpsPerWatt(i)
            | PointFigure::MbPerWatt(i)
            | PointFigure::JoulesPerOp(i)
            | PointFigure::JoulesPerTb(i) => {
                return self.of_power(power(i)?, self.part.of(cell)?);
            }
            PointFigure::Watts(i) => {
                let power = power(i).filter(|_| self.part == PointPart::Whole)?;
                (power.mean_watts.clone(), &power.watts_by_repeat[..])
            }
            PointFigure::Waf => {
                let whole = self.part == PointPart::Whole;
                let (estimate, repeats) =
                    cell.writes.as_ref().filter(|_| whole)?.amplification.as_ref().ok()?;
                (estimate.clone(), &repeats[..])
            }
        };
        Some((estimate, Cow::Borrowed(repeats)))
    }

    /// A part's work per watt of its subject: the power includes everything that ran at the same
    /// time.
    fn of_power<'a>(
        &self,
        power: &PowerFacts,
        part: &RepeatSummary,
    ) -> Option<(Estimate, Cow<'a, [f64]>)> {
        let (repeats, unit) = match self.figure {
            PointFigure::MbPerWatt(_) => {
                (power.work_per_watt(&part.bytes_by_repeat, 1e-6), "MB/s/W")
            }
            PointFigure::JoulesPerTb(_) => {
                let per_watt = power.work_per_watt(&part.bytes_by_repeat, 1e-12);
                (per_watt.into_iter().map(|tb| 1.0 / tb).collect(), "J/TB")
            }
            PointFigure::JoulesPerOp(_) => {
                let per_watt = power.work_per_watt(&part.by_repeat, 1.0);
                (per_watt.into_iter().map(|ops| 1.0 / ops).collect(), "J/op")
            }
            _ => (power.work_per_watt(&part.by_repeat, 1.0), "ops/s/W"),
        };
        let work = match self.figure {
            PointFigure::MbPerWatt(_) | PointFigure::JoulesPerTb(_) => {
                part.bytes_per_s.as_ref()?.digits
            }
            _ => part.ops_per_s.as_ref()?.digits,
        };
        let found = estimate::from_repeats(&repeats, unit)
            .filter(|e| e.value > 0.0 && e.value.is_finite())?
            .written_in([work, power.mean_watts.digits]);
        Some((found, Cow::Owned(repeats)))
    }

    /// The relative resolution of a cell's figure: a histogram's bucket, or another tool's reported
    /// bounds; for response times the run's pacing floor; for write amplification the units of the
    /// drive's counters. That of counts and watts is negligible.
    pub fn resolution(&self, step: &StepFacts, cell: &CellFacts, floor_ns: f64) -> f64 {
        if self.figure == PointFigure::Waf {
            return cell.writes.as_ref().map_or(0.0, |writes| writes.resolution);
        }
        let PointFigure::Percentile(_) = self.figure else { return 0.0 };
        match self.of(step, cell) {
            Some((e, _)) if e.method == IntervalMethod::Reported && e.low > 0.0 => {
                (e.high / e.low).ln()
            }
            // A response time includes the pacing floor, which varies by at most its own size.
            Some((e, _)) if e.value > 0.0 && self.is_open_loop(step) => {
                RESOLUTION.max(floor_ns / e.value)
            }
            _ => RESOLUTION,
        }
    }
}

impl PointPart {
    /// A cell's figures for this part.
    pub fn of<'a>(&self, cell: &'a CellFacts) -> Option<&'a RepeatSummary> {
        match self {
            PointPart::Whole => cell.total.as_deref(),
            PointPart::Stream(stream) => cell.stream(stream),
            PointPart::Drive(drive) => {
                cell.drives.iter().find(|(index, _)| index == drive).map(|(_, s)| s)
            }
        }
    }
}

impl ReportStatements {
    /// The requested parts of a step's points, without the whole.
    pub fn parts_asked(&self, step: &StepFacts) -> Vec<PointPart> {
        let mut parts: Vec<PointPart> = Vec::new();
        for part in self.metrics.iter().filter_map(|asked| asked.part(step)) {
            if part != PointPart::Whole && !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts
    }
}
