//! Metrics in words, and their values as they are printed.

use super::number_format;
use crate::analysis::facts::{CellFacts, StepFacts};
use crate::analysis::metric::{Figure, Metric, NEW_ORDER};
use crate::analysis::names;
use crate::analysis::point_summary::PERCENTILES;
use crate::base::units;
use crate::language::{Language, Name};
use crate::say;
use crate::stats::Estimate;

/// A metric in words: "ops/s", "p99 read latency", "reader-4 p99 response time".
pub fn metric(l: Language, metric: &Metric, step: &StepFacts) -> String {
    let figure = match &metric.figure {
        Figure::Mean => latency(l, say!(l, "mean"), metric, step),
        Figure::Percentile(i) => latency(l, names::percentile(l, PERCENTILES[*i].0), metric, step),
        Figure::OpsPerWatt(i) => {
            let (class, kind) = i.names();
            say!(l, "ops-per-watt-by", class = class, kind = kind)
        }
        Figure::MbPerWatt(i) => {
            let (class, kind) = i.names();
            say!(l, "mb-per-watt-by", class = class, kind = kind)
        }
        Figure::JoulesPerOp(i) => {
            let (class, kind) = i.names();
            say!(l, "energy-per-op-by", class = class, kind = kind)
        }
        Figure::PerMinute(class) if *class == NEW_ORDER => say!(l, "new-orders-per-minute"),
        _ => Metric::total(metric.figure.clone()).text(l),
    };
    match metric.part.name() {
        Some(part) => say!(l, "of-part", part = part, figure = figure),
        None => figure,
    }
}

/// "p99 read latency", "mean response time".
fn latency(l: Language, figure: String, metric: &Metric, step: &StepFacts) -> String {
    match (metric.is_open_loop(step), metric.class(step).map(|class| Name::op(class.name()))) {
        (false, None) => say!(l, "latency", figure = figure),
        (false, Some(class)) => say!(l, "latency-of", figure = figure, class = class),
        (true, None) => say!(l, "response-time", figure = figure),
        (true, Some(class)) => say!(l, "response-time-of", figure = figure, class = class),
    }
}

/// A cell's figure as it is printed, in the metric's base unit (ns, ops/s …), and the text.
pub fn printed(
    l: Language,
    metric: &Metric,
    step: &StepFacts,
    cell: &CellFacts,
) -> Option<(f64, String)> {
    let Estimate { value, .. } = metric.of(step, cell)?.0;
    Some(printed_value(l, metric, value))
}

/// A value of a metric, in its base unit, as it is printed.
pub fn printed_value(l: Language, metric: &Metric, value: f64) -> (f64, String) {
    match metric.figure {
        Figure::Mean | Figure::Percentile(_) => printed_latency(l, value),
        Figure::JoulesPerOp(_) => (value, number_format::joules(l, value)),
        Figure::Bytes => printed_rate(l, value / 1e6),
        _ => printed_rate(l, value),
    }
}

/// The same with its unit: "31,630 ops/s", "169 µs".
pub fn printed_with_unit(
    l: Language,
    metric: &Metric,
    step: &StepFacts,
    cell: &CellFacts,
) -> Option<String> {
    let (_, text) = printed(l, metric, step, cell)?;
    let own = || Metric::total(metric.figure.clone()).text(l);
    Some(match metric.figure {
        Figure::Mean | Figure::Percentile(_) => format!("{} {text}", own()),
        Figure::JoulesPerOp(_) => say!(l, "per-op", energy = text),
        Figure::PerMinute(_) => format!("{text} {}", own()),
        Figure::OpsPerWatt(_) => format!("{text} ops/s/W"),
        Figure::MbPerWatt(_) => format!("{text} MB/s/W"),
        Figure::Ops | Figure::Bytes => format!("{text} {}", own()),
    })
}

fn printed_rate(l: Language, rate: f64) -> (f64, String) {
    match rate < 999.995 {
        true => ((rate * 100.0).round() / 100.0, l.number(&format!("{rate:.2}"))),
        false => (rate.round(), number_format::grouped(l, rate.round() as u64)),
    }
}

pub fn printed_latency(l: Language, ns: f64) -> (f64, String) {
    let tenths = (ns / 100.0).round();
    let micros = match tenths % 10.0 == 0.0 {
        true => units::grouped((tenths / 10.0) as u64),
        false => format!("{}.{}", units::grouped((tenths / 10.0) as u64), tenths % 10.0),
    };
    // Below 100 µs a tenth of a microsecond is too coarse.
    let (value, text) = match ns < 100_000.0 && tenths * 100.0 != ns {
        true => (ns.round(), format!("{} ns", units::grouped(ns.round() as u64))),
        false => (tenths * 100.0, format!("{micros} µs")),
    };
    (value, l.number(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_what_is_computed_with() {
        assert_eq!(printed_rate(Language::ENGLISH, 892_201.6), (892_202.0, "892,202".to_string()));
        assert_eq!(printed_rate(Language::ENGLISH, 12.344), (12.34, "12.34".to_string()));
        assert_eq!(printed_rate(Language::ENGLISH, 999.996), (1000.0, "1,000".to_string()));
        assert_eq!(
            printed_latency(Language::ENGLISH, 169_000.0),
            (169_000.0, "169 µs".to_string())
        );
        assert_eq!(
            printed_latency(Language::ENGLISH, 1_234_560.0),
            (1_234_600.0, "1,234.6 µs".to_string())
        );
        assert_eq!(printed_latency(Language::ENGLISH, 8_123.4), (8_123.0, "8,123 ns".to_string()));
    }
}
