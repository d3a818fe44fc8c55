//! What metrics a step has, and a metric's value in a cell.

use super::facts::{CellFacts, StepFacts};
use super::metric::{Asked, Figure, Instrument, Metric, class_a_minute};
use super::point_summary::{ClassSummary, Latency, PERCENTILES, Summary};
use crate::base::histogram::RESOLUTION;
use crate::stats::{Estimate, Method};

impl Asked {
    /// The metrics that it means in a step; of power there may be several instruments.
    pub fn in_step(&self, step: &StepFacts) -> Vec<Metric> {
        let of = |figure: Figure| Metric { figure, stream: self.stream.clone() };
        let each = |make: fn(Instrument) -> Figure| instruments(step).into_iter().map(|i| of(make(i))).collect();
        match self.word.as_str() {
            "ops/s" => vec![of(Figure::Ops)],
            "MB/s" => vec![of(Figure::Bytes)],
            "mean" => vec![of(Figure::Mean)],
            "ops/s/W" => each(Figure::OpsPerWatt),
            "MB/s/W" => each(Figure::MbPerWatt),
            "J/op" => each(Figure::JoulesPerOp),
            word => {
                let percentile = PERCENTILES.iter().position(|(name, _)| *name == word).map(Figure::Percentile);
                percentile.or_else(|| class_a_minute(word).map(Figure::PerMinute)).map(of).into_iter().collect()
            }
        }
    }
}

/// Every instrument that read power in a step.
fn instruments(step: &StepFacts) -> Vec<Instrument> {
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
    /// Those that a step is compared by: what was asked for, or ops/s (where no rate was asked for), p99, and ops/s per
    /// watt. The fewer, the narrower the intervals: all that are searched share one promise.
    pub fn of_step(step: &StepFacts, asked: &[Asked]) -> Vec<Metric> {
        if !asked.is_empty() {
            return asked.iter().flat_map(|a| a.in_step(step)).collect();
        }
        let mut all = vec![Metric::total(Figure::Ops), Metric::p99()];
        let own = step.headline.iter().flat_map(|asked| asked.in_step(step));
        all.extend(own.filter(|m| !m.is_power() && !all.contains(m)).collect::<Vec<_>>());
        all.extend(instruments(step).into_iter().map(|i| Metric::total(Figure::OpsPerWatt(i))));
        all
    }

    fn summary<'a>(&self, cell: &'a CellFacts) -> Option<&'a Summary> {
        match &self.stream {
            None => cell.total.as_ref(),
            Some(stream) => cell.streams.iter().find(|(name, ..)| name == stream).map(|(.., s)| s),
        }
    }

    /// The latency that a user of the drive sees: of the step's class, or of the stream's most frequent one.
    fn latency<'a>(&self, step: &StepFacts, cell: &'a CellFacts) -> Option<&'a Latency> {
        let summary = self.summary(cell)?;
        let class = match &self.stream {
            None => summary.class(step.class),
            Some(_) => summary.classes.iter().max_by_key(|c| c.ops),
        };
        class.map(ClassSummary::user_latency)
    }

    /// A cell's estimate, and the repeats behind it, in their order. Latencies are in nanoseconds.
    pub fn of<'a>(&self, step: &StepFacts, cell: &'a CellFacts) -> Option<(Estimate, &'a [f64])> {
        let power = |i: &Instrument| cell.power.iter().find(|p| p.class == i.class && p.kind == i.kind);
        let (estimate, repeats) = match &self.figure {
            Figure::Ops => self.summary(cell).map(|s| (s.ops_per_s.clone(), &s.by_repeat[..]))?,
            Figure::Bytes => self.summary(cell).map(|s| (s.bytes_per_s.clone(), &s.bytes_by_repeat[..]))?,
            Figure::Mean => self.latency(step, cell).and_then(|l| Some((l.mean_ns.clone()?, &l.mean_by_repeat[..])))?,
            Figure::Percentile(i) => {
                let latency = self.latency(step, cell)?;
                (latency.percentiles_ns[*i].clone()?, &latency.percentiles_by_repeat[*i][..])
            }
            Figure::PerMinute(class) => {
                let own = self.summary(cell)?.class(Some(*class))?;
                (own.done_per_minute.clone()?, &own.done_by_repeat[..])
            }
            Figure::OpsPerWatt(i) => {
                power(i).and_then(|p| Some((p.ops_per_watt.clone()?, &p.ops_per_watt_by_repeat[..])))?
            }
            Figure::MbPerWatt(i) => {
                power(i).and_then(|p| Some((p.mb_per_watt.clone()?, &p.mb_per_watt_by_repeat[..])))?
            }
            Figure::JoulesPerOp(i) => {
                power(i).and_then(|p| Some((p.joules_per_op.clone()?, &p.joules_per_op_by_repeat[..])))?
            }
        };
        Some((estimate, repeats))
    }

    /// The relative resolution of what a cell's figure was measured with: a histogram's bucket, or the bounds that another
    /// tool reported; of response times the pacing floor of the run. Counts and watts have none to speak of.
    pub fn resolution(&self, step: &StepFacts, cell: &CellFacts, floor_ns: f64) -> f64 {
        let Figure::Percentile(_) = self.figure else { return 0.0 };
        match self.of(step, cell) {
            Some((e, _)) if e.method == Method::Reported && e.low > 0.0 => (e.high / e.low).ln(),
            // A response time holds the pacer's own floor, which differs by no more than itself.
            Some((e, _)) if e.value > 0.0 && step.open_loop => RESOLUTION.max(floor_ns / e.value),
            _ => RESOLUTION,
        }
    }
}
