//! Metrics: a figure of the step's headline streams together, of one stream, or of one drive of
//! each group.

use crate::analysis::keys::DriveKey;
use crate::analysis::points::point_summary::{P99, PERCENTILES};
use dyno_core::base::error::{Result, failed};
use dyno_core::plan::remedy;
use dyno_core::plan::steps::headline::{METRICS, is_metric};
use dyno_core::record::Class;
use dyno_core::stats::Better;

/// One figure of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointFigure {
    /// Ops per second.
    Ops,
    /// Bytes per second.
    Bytes,
    /// Mean latency, nanoseconds.
    Mean,
    /// A percentile, by index in `PERCENTILES`.
    Percentile(usize),
    /// Committed ops of one class per minute: New-Orders, transactions.
    PerMinute(Class),
    /// Ops/s per watt, for one class of power ("drive", "system") and one kind of meter: neither is
    /// ever mixed with another.
    OpsPerWatt(Instrument),
    /// MB/s per watt, by one instrument.
    MbPerWatt(Instrument),
    /// Joules per op, by one instrument.
    JoulesPerOp(Instrument),
    /// Joules per terabyte (10¹² bytes) moved, of one instrument.
    JoulesPerTb(Instrument),
    /// Mean power, by one instrument.
    Watts(Instrument),
    /// Write amplification of the drives, by their own counters.
    Waf,
}

/// The class of power, and the kind of its meter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instrument {
    /// The class of power: "drive", "slot", "system", "cpu".
    pub class: String,
    /// The kind of meter.
    pub kind: String,
}

/// The part of a point to which a figure applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointPart {
    /// The headline streams together, on all drives.
    Whole,
    /// One stream, by name.
    Stream(String),
    /// The headline streams on one drive of a group, by index.
    Drive(DriveKey),
}

impl PointPart {
    /// "reader-4", "drive-1"; empty for the whole.
    pub fn name(&self) -> Option<String> {
        match self {
            PointPart::Whole => None,
            PointPart::Stream(name) => Some(name.clone()),
            PointPart::Drive(index) => Some(format!("{DRIVE}{}", index.0 + 1)),
        }
    }

    /// The drive named "drive-1".
    pub fn drive(name: &str) -> Option<DriveKey> {
        name.strip_prefix(DRIVE)?.parse::<usize>().ok()?.checked_sub(1).map(DriveKey)
    }
}

const DRIVE: &str = "drive-";

/// A figure of a part of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The figure.
    pub figure: PointFigure,
    /// The part of the point.
    pub part: PointPart,
}

/// A request for a metric, as in `--metric p99.9` or `--metric reader-4:p99`: a word, and the name
/// of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricRequest {
    /// The figure, as written by the user.
    pub word: String,
    /// The stream or drive, if named.
    pub part: Option<String>,
}

/// Metrics that require a power meter.
pub const OF_POWER: [&str; 4] = ["ops/s/W", "MB/s/W", "J/op", "J/TB"];

/// TPC-C's New-Order as declared by the workload, whose rate has its own name: New-Orders per
/// minute.
pub const NEW_ORDER: Class = Class::new("new-order");

/// The class of op that "new-orders/min" or "transactions/min" counts.
pub fn class_a_minute(word: &str) -> Option<Class> {
    word.strip_suffix("s/min").and_then(|class| Class::stored(class).ok())
}

impl MetricRequest {
    /// Reads "p99.9" or "reader-4:p99".
    pub fn parse(text: &str) -> Result<MetricRequest> {
        let (part, word) =
            text.rsplit_once(':').map_or((None, text), |(part, word)| (Some(part), word));
        // The name in fio and in `[prepare] steady`.
        let word = if word.eq_ignore_ascii_case("iops") { "ops/s" } else { word };
        let percentiles = PERCENTILES.iter().map(|(name, _)| *name);
        if is_metric(word) {
            return Ok(MetricRequest { word: word.to_string(), part: part.map(str::to_string) });
        }
        let known: Vec<&str> = METRICS.iter().copied().chain(percentiles).collect();
        Err(failed(
            format!("there is no metric '{word}'"),
            remedy(word, "the metrics, besides new-orders/min and the like", known.into_iter()),
        ))
    }
}

impl Metric {
    /// A metric of the headline streams together.
    pub fn total(figure: PointFigure) -> Metric {
        Metric { figure, part: PointPart::Whole }
    }

    /// The 99th percentile of the headline streams.
    pub fn p99() -> Metric {
        Metric::total(PointFigure::Percentile(P99))
    }

    /// The better direction.
    pub fn better(&self) -> Better {
        match self.figure {
            PointFigure::Mean
            | PointFigure::Percentile(_)
            | PointFigure::JoulesPerOp(_)
            | PointFigure::JoulesPerTb(_)
            | PointFigure::Watts(_)
            | PointFigure::Waf => Better::Lower,
            _ => Better::Higher,
        }
    }

    /// Whether it is a latency.
    pub fn is_latency(&self) -> bool {
        matches!(self.figure, PointFigure::Mean | PointFigure::Percentile(_))
    }

    /// Whether it is a rate, which is given in open loop, not measured.
    pub fn is_rate(&self) -> bool {
        matches!(self.figure, PointFigure::Ops | PointFigure::Bytes | PointFigure::PerMinute(_))
    }

    /// Whether it depends on when requests are made and how long they take. Write amplification is
    /// a ratio of bytes: late submission, or a load limited by the host, does not change it.
    pub fn is_of_time(&self) -> bool {
        self.figure != PointFigure::Waf
    }

    /// Whether it depends on power, and so is compared separately for every instrument of a step.
    pub fn is_power(&self) -> bool {
        self.instrument().is_some()
    }

    /// Its power meter, if it depends on power.
    pub fn instrument(&self) -> Option<&Instrument> {
        match &self.figure {
            PointFigure::OpsPerWatt(i)
            | PointFigure::MbPerWatt(i)
            | PointFigure::JoulesPerOp(i)
            | PointFigure::JoulesPerTb(i)
            | PointFigure::Watts(i) => Some(i),
            _ => None,
        }
    }

    /// The name in a table's column: "p99", "reader-4 p99", "drive-1 p99", "ops/s/W, drive (exec)".
    pub fn short(&self) -> String {
        let own = |word: &str, i: &Instrument| format!("{word}, {} ({})", i.class, i.kind);
        let figure = match &self.figure {
            PointFigure::Ops => "ops/s".to_string(),
            PointFigure::Bytes => "MB/s".to_string(),
            PointFigure::Mean => "mean".to_string(),
            PointFigure::Percentile(i) => PERCENTILES[*i].0.to_string(),
            PointFigure::PerMinute(class) => format!("{}s/min", class.name()),
            PointFigure::OpsPerWatt(i) => own("ops/s/W", i),
            PointFigure::MbPerWatt(i) => own("MB/s/W", i),
            PointFigure::JoulesPerOp(i) => own("J/op", i),
            PointFigure::JoulesPerTb(i) => own("J/TB", i),
            PointFigure::Watts(i) => own("W", i),
            PointFigure::Waf => "WAF".to_string(),
        };
        self.part.name().map_or(figure.clone(), |part| format!("{part} {figure}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_asked_for_by_its_word_and_perhaps_a_part() {
        let stream = MetricRequest { word: "p99".into(), part: Some("reader-4".into()) };
        assert_eq!(MetricRequest::parse("reader-4:p99").expect("a metric"), stream);
        assert!(MetricRequest::parse("p99.9").is_ok() && MetricRequest::parse("ops/s/W").is_ok());
        let error = dyno_core::base::error::describe(
            &MetricRequest::parse("p98").expect_err("no such metric"),
        );
        assert!(error.0.contains("no metric 'p98'"), "{error:?}");
        let drives =
            ["drive-1", "drive-12", "drive-0", "drive-x", "reader-1"].map(PointPart::drive);
        assert_eq!(drives, [Some(DriveKey(0)), Some(DriveKey(11)), None, None, None]);
    }
}
