//! What subjects are compared by: a figure of the step's headline streams together, or of one stream.

use super::facts::{CellFacts, StepFacts};
use super::point_summary::{ClassSummary, Latency, P99, PERCENTILES, Summary};
use crate::base::error::{Result, failed};
use crate::base::histogram::RESOLUTION;
use crate::record::Class;
use crate::stats::{Better, Estimate, Method};

/// One figure of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Ops a second.
    Ops,
    /// Bytes a second.
    Bytes,
    Mean,
    /// By its place in `PERCENTILES`.
    Percentile(usize),
    /// Ops of one class a minute, of those that were committed: New-Orders, transactions.
    PerMinute(Class),
    /// Of one class of power ("drive", "system") as one kind of meter reads it: neither is ever mixed with another.
    OpsPerWatt(Instrument),
    MbPerWatt(Instrument),
    JoulesPerOp(Instrument),
}

/// What power is of, and the kind of meter that read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instrument {
    pub class: String,
    pub kind: String,
}

/// A figure, of the headline streams together or of one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    pub figure: Figure,
    pub stream: Option<String>,
}

/// A request for a metric, as in `--metric p99.9` or `--metric reader-4:p99`: a word, and a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub word: String,
    pub stream: Option<String>,
}

/// The words for figures other than percentiles.
const WORDS: &[&str] = &["ops/s", "MB/s", "mean", "ops/s/W", "MB/s/W", "J/op"];

/// The class of op that "new-orders/min" or "transactions/min" counts.
fn class_a_minute(word: &str) -> Option<Class> {
    word.strip_suffix("s/min").and_then(|class| Class::stored(class).ok())
}

impl Asked {
    /// Reads "p99.9" or "reader-4:p99".
    pub fn parse(text: &str) -> Result<Asked> {
        let (stream, word) = text.rsplit_once(':').map_or((None, text), |(stream, word)| (Some(stream), word));
        let percentiles = PERCENTILES.iter().map(|(name, _)| *name);
        let known = WORDS.iter().copied().chain(percentiles.clone()).any(|known| known == word);
        if known || class_a_minute(word).is_some() {
            return Ok(Asked { word: word.to_string(), stream: stream.map(str::to_string) });
        }
        let known: Vec<&str> = WORDS.iter().copied().chain(percentiles).collect();
        Err(failed(
            format!("there is no metric '{word}'"),
            format!("the metrics are {}, and new-orders/min and the like", known.join(", ")),
        ))
    }

    /// The metrics that it means in a step; of power there may be several instruments.
    fn in_step(&self, step: &StepFacts) -> Vec<Metric> {
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
    /// Of the headline streams together.
    pub fn total(figure: Figure) -> Metric {
        Metric { figure, stream: None }
    }

    pub fn p99() -> Metric {
        Metric::total(Figure::Percentile(P99))
    }

    /// Those that a step is compared by: what was asked for, or ops/s (where no rate was asked for), p99, and ops/s per
    /// watt. The fewer, the narrower the intervals: all that are searched share one promise.
    pub fn of_step(step: &StepFacts, asked: &[Asked]) -> Vec<Metric> {
        if !asked.is_empty() {
            return asked.iter().flat_map(|a| a.in_step(step)).collect();
        }
        let mut all = vec![Metric::total(Figure::Ops), Metric::p99()];
        all.extend(instruments(step).into_iter().map(|i| Metric::total(Figure::OpsPerWatt(i))));
        all
    }

    pub fn better(&self) -> Better {
        match self.figure {
            Figure::Mean | Figure::Percentile(_) | Figure::JoulesPerOp(_) => Better::Lower,
            _ => Better::Higher,
        }
    }

    /// Whether it says how long a request takes.
    pub fn is_latency(&self) -> bool {
        matches!(self.figure, Figure::Mean | Figure::Percentile(_))
    }

    /// Whether it is a rate, which an open loop is given and does not find.
    pub fn is_rate(&self) -> bool {
        matches!(self.figure, Figure::Ops | Figure::Bytes | Figure::PerMinute(_))
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

    /// For a table's column: "p99", "reader-4 p99", "ops/s/W, drive (exec)".
    pub fn short(&self) -> String {
        let own = |word: &str, i: &Instrument| format!("{word}, {} ({})", i.class, i.kind);
        let figure = match &self.figure {
            Figure::Ops => "ops/s".to_string(),
            Figure::Bytes => "MB/s".to_string(),
            Figure::Mean => "mean".to_string(),
            Figure::Percentile(i) => PERCENTILES[*i].0.to_string(),
            Figure::PerMinute(class) => format!("{}s/min", class.name()),
            Figure::OpsPerWatt(i) => own("ops/s/W", i),
            Figure::MbPerWatt(i) => own("MB/s/W", i),
            Figure::JoulesPerOp(i) => own("J/op", i),
        };
        self.stream.as_ref().map_or(figure.clone(), |stream| format!("{stream} {figure}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_asked_for_by_its_word_and_perhaps_a_stream() {
        let stream = Asked { word: "p99".into(), stream: Some("reader-4".into()) };
        assert_eq!(Asked::parse("reader-4:p99").expect("a metric"), stream);
        assert!(Asked::parse("p99.9").is_ok() && Asked::parse("ops/s/W").is_ok());
        let error = crate::base::error::describe(&Asked::parse("p98").expect_err("no such metric"));
        assert!(error.0.contains("no metric 'p98'"), "{error:?}");
    }
}
