//! Metrics as text, and their printed values.

use crate::analysis::facts::{CellFacts, StepFacts};
use crate::analysis::metric_values::instruments;
use crate::analysis::points::metric::{Instrument, Metric, NEW_ORDER, PointFigure};
use crate::analysis::points::point_summary::{ClassSummary, PERCENTILES};
use crate::brief::number_format;
use crate::brief::text::table_cell::{Scale, TableCell};
use crate::language::{Language, Name};
use crate::say;
use crate::terms::names;
use dyno_core::record::Class;

/// A metric as text: "ops/s", "p99 read latency", "reader-4 p99 response time".
pub fn metric(l: Language, metric: &Metric, step: &StepFacts) -> String {
    let figure = match &metric.figure {
        PointFigure::Mean => latency(l, say!(l, "mean"), metric, step),
        PointFigure::Percentile(i) => {
            latency(l, names::percentile(l, PERCENTILES[*i].0), metric, step)
        }
        PointFigure::OpsPerWatt(i) => {
            let (class, kind) = i.names();
            say!(l, "ops-per-watt-by", class, kind)
        }
        PointFigure::MbPerWatt(i) => {
            let (class, kind) = i.names();
            say!(l, "mb-per-watt-by", class, kind)
        }
        PointFigure::JoulesPerOp(i) => {
            let (class, kind) = i.names();
            say!(l, "energy-per-op-by", class, kind)
        }
        PointFigure::JoulesPerTb(i) => {
            let (class, kind) = i.names();
            say!(l, "energy-per-tb-by", class, kind)
        }
        PointFigure::Watts(i) => say!(l, "power-of", class = Name::power_class(&i.class)),
        PointFigure::Waf => say!(l, "write-amplification"),
        PointFigure::PerMinute(class) if *class == NEW_ORDER => say!(l, "new-orders-per-minute"),
        _ => Metric::total(metric.figure.clone()).text(l),
    };
    match metric.part.name() {
        Some(part) => say!(l, "of-part", part, figure),
        None => figure,
    }
}

/// "p99 read latency", "mean response time".
fn latency(l: Language, figure: String, metric: &Metric, step: &StepFacts) -> String {
    match (metric.is_open_loop(step), metric.class(step).map(|class| Name::op(class.name()))) {
        (false, None) => say!(l, "latency", figure),
        (false, Some(class)) => say!(l, "latency-of", figure, class),
        (true, None) => say!(l, "response-time", figure),
        (true, Some(class)) => say!(l, "response-time-of", figure, class),
    }
}

/// "read"; if the step's latencies are of both kinds, "read, response" or "read, service".
pub fn class_of_latency(l: Language, class: &ClassSummary, open_loop: bool) -> String {
    let name = l.name(&Name::op(class.class.name()));
    let kind = match class.response {
        Some(_) => say!(l, "time-response"),
        None if open_loop => say!(l, "time-service"),
        None => return name,
    };
    l.sequence(&[name, kind])
}

/// A cell's figure as printed: in the metric's base unit (ns, ops/s …), and the text.
pub fn printed(
    l: Language,
    metric: &Metric,
    step: &StepFacts,
    cell: &CellFacts,
) -> Option<(f64, String)> {
    let estimate = metric.of(step, cell)?.0;
    let (value, text) = match (estimate.digits, &metric.figure) {
        (None, _) => printed_value(l, metric, estimate.value),
        // Imported figures, and figures derived from them, have the digits of their source.
        (Some(digits), PointFigure::Mean | PointFigure::Percentile(_)) => {
            (estimate.value, number_format::time_in(l, estimate.value, digits))
        }
        (Some(_), PointFigure::JoulesPerOp(_)) => {
            (estimate.value, number_format::joules_of(l, &estimate))
        }
        (Some(_), PointFigure::Bytes) => {
            (estimate.value / 1e6, number_format::megabytes_of(l, Some(&estimate)))
        }
        (Some(_), _) => (estimate.value, number_format::ops(l, Some(&estimate))),
    };
    Some((value, number_format::at_least(estimate.at_least, text)))
}

/// A cell's figure as printed, which is the same number in every language.
pub fn rounded(metric: &Metric, step: &StepFacts, cell: &CellFacts) -> Option<f64> {
    Some(printed(Language::default(), metric, step, cell)?.0)
}

/// The figures of two cells, rounded in the same way and in one unit.
pub fn rounded_both(
    metric: &Metric,
    step: &StepFacts,
    cells: (&CellFacts, &CellFacts),
) -> Option<[f64; 2]> {
    let [(a, _), (b, _)] = printed_both(Language::default(), metric, step, cells)?;
    Some([a, b])
}

/// Imported figures in a calculation: a derived one is shown as the quotient of the source's
/// figures, "(228,176 ÷ 7.7)", because rounded quotients would give a different result.
pub fn operands(
    l: Language,
    metric: &Metric,
    step: &StepFacts,
    cells: (&CellFacts, &CellFacts),
) -> Option<[String; 2]> {
    let [(_, a), (_, b)] = printed_both(l, metric, step, cells)?;
    Some([quotient(l, metric, cells.0).unwrap_or(a), quotient(l, metric, cells.1).unwrap_or(b)])
}

/// The quotient from which an imported figure is derived, if its source does not give it.
fn quotient(l: Language, metric: &Metric, cell: &CellFacts) -> Option<String> {
    let given = |i: &Instrument| {
        let watts = &cell.power_by(i).filter(|p| p.readings.is_none())?.mean_watts;
        watts.digits.map(|_| number_format::watts_of(l, watts))
    };
    let part = metric.part.of(cell)?;
    let ops = || number_format::ops(l, part.ops_per_s.as_ref());
    let (work, by) = match &metric.figure {
        PointFigure::OpsPerWatt(i) => (ops(), given(i)?),
        PointFigure::MbPerWatt(i) => {
            (number_format::megabytes_of(l, part.bytes_per_s.as_ref()), given(i)?)
        }
        PointFigure::JoulesPerOp(i) => (given(i)?, ops()),
        PointFigure::JoulesPerTb(i) => {
            (given(i)?, number_format::megabytes_of(l, part.bytes_per_s.as_ref()))
        }
        _ => return None,
    };
    Some(format!("({work} ÷ {by})"))
}

/// The same for two cells, in one unit.
pub fn printed_both(
    l: Language,
    metric: &Metric,
    step: &StepFacts,
    (first, other): (&CellFacts, &CellFacts),
) -> Option<[(f64, String); 2]> {
    let cells = [first, other].map(|one| cell(metric, step, one).exact());
    let Some(scale) = Scale::of_cells(cells.iter()).filter(|scale| !scale.unit.is_empty()) else {
        return Some([printed(l, metric, step, first)?, printed(l, metric, step, other)?]);
    };
    let [a, b] = cells.map(|cell| scale.of_cell(l, cell));
    Some([a?, b?])
}

/// The same for two values in the metric's base unit.
pub fn printed_values(
    l: Language,
    metric: &Metric,
    first: f64,
    other: f64,
) -> Option<[(f64, String); 2]> {
    let cells = [first, other].map(|value| cell_of_value(metric, value).exact());
    let Some(scale) = Scale::of_cells(cells.iter()).filter(|scale| !scale.unit.is_empty()) else {
        return Some([first, other].map(|value| printed_value(l, metric, value)));
    };
    let [a, b] = cells.map(|cell| scale.of_cell(l, cell));
    Some([a?, b?])
}

/// The same for a table, whose column has one unit.
pub fn cell(metric: &Metric, step: &StepFacts, cell: &CellFacts) -> TableCell {
    let estimate = metric.of(step, cell).map(|of| of.0);
    match metric.figure {
        PointFigure::Mean | PointFigure::Percentile(_) => TableCell::latency(estimate.as_ref()),
        PointFigure::JoulesPerOp(_) => TableCell::joules(estimate.as_ref()),
        PointFigure::Bytes => TableCell::megabytes(estimate.as_ref()),
        _ => TableCell::rate(estimate.as_ref()),
    }
}

/// A value of a metric, in its base unit, for a table.
pub fn cell_of_value(metric: &Metric, value: f64) -> TableCell {
    match metric.figure {
        PointFigure::Mean | PointFigure::Percentile(_) => TableCell::time(value),
        PointFigure::JoulesPerOp(_) => TableCell::energy(value),
        PointFigure::Bytes => TableCell::fixed(value / 1e6),
        _ => TableCell::fixed(value),
    }
}

/// A latency in a column head: "p99", of a mix "p99 (read)".
pub fn latency_column(l: Language, figure: String, class: Option<Class>, is_mix: bool) -> String {
    match class.filter(|_| is_mix) {
        Some(class) => say!(l, "column-of-class", figure, class = Name::op(class.name())),
        None => figure,
    }
}

/// A metric in a column head: "p99", "ops/s/W (drive)"; with the kind of meter only if there are
/// several, and the class of op of a latency only in mixes.
pub fn column(l: Language, metric: &Metric, step: &StepFacts) -> String {
    if matches!(metric.figure, PointFigure::Mean | PointFigure::Percentile(_)) {
        return latency_column(l, metric.text(l), metric.class(step), step.is_mix());
    }
    let (Some(instrument), [_]) = (metric.instrument(), &instruments(step)[..]) else {
        return metric.text(l);
    };
    let word = match metric.figure {
        PointFigure::Watts(_) => return metric.text(l),
        PointFigure::MbPerWatt(_) => "MB/s/W",
        PointFigure::JoulesPerOp(_) => "J/op",
        PointFigure::JoulesPerTb(_) => "J/TB",
        _ => "ops/s/W",
    };
    say!(l, "column-of-class", figure = word, class = Name::power_class(&instrument.class))
}

/// A metric as text, without the kind of meter if there is only one: "ops/s per watt".
pub fn in_words(l: Language, own: &Metric, step: &StepFacts) -> String {
    match (&own.figure, &instruments(step)[..]) {
        (PointFigure::OpsPerWatt(_), [_]) => say!(l, "ops-per-watt"),
        _ => metric(l, own, step),
    }
}

/// A value of a metric, in its base unit, as printed.
pub fn printed_value(l: Language, metric: &Metric, value: f64) -> (f64, String) {
    match metric.figure {
        PointFigure::Mean | PointFigure::Percentile(_) => printed_latency(l, value),
        PointFigure::JoulesPerOp(_) => (value, number_format::joules(l, value)),
        PointFigure::Bytes => printed_rate(l, value / 1e6),
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
        PointFigure::Mean | PointFigure::Percentile(_) => format!("{} {text}", own()),
        PointFigure::JoulesPerOp(_) => say!(l, "per-op", energy = text),
        PointFigure::PerMinute(_) => format!("{text} {}", own()),
        PointFigure::OpsPerWatt(_) => format!("{text} ops/s/W"),
        PointFigure::MbPerWatt(_) => format!("{text} MB/s/W"),
        PointFigure::JoulesPerTb(_) => format!("{text} J/TB"),
        PointFigure::Watts(_) => format!("{text} W"),
        PointFigure::Waf => format!("WAF {text}"),
        PointFigure::Ops | PointFigure::Bytes => format!("{text} {}", own()),
    })
}

fn printed_rate(l: Language, rate: f64) -> (f64, String) {
    match rate < 999.995 {
        true => ((rate * 100.0).round() / 100.0, l.number(&format!("{rate:.2}"))),
        false => (rate.round(), number_format::grouped(l, rate.round() as u64)),
    }
}

/// Nanoseconds, in µs from one on: with at least four digits, without trailing zeros.
pub fn printed_latency(l: Language, ns: f64) -> (f64, String) {
    let micros = ns / 1e3;
    let most = match micros {
        m if m < 1.0 => return (ns.round(), l.number(&format!("{:.0} ns", ns.round()))),
        m if m < 10.0 => 3,
        m if m < 100.0 => 2,
        _ => 1,
    };
    let times = |decimals: usize| 10f64.powi(decimals as i32);
    let rounded = (micros * times(most)).round() / times(most);
    let whole = |decimals: &usize| {
        let shown = rounded * times(*decimals);
        (shown - shown.round()).abs() < 1e-6
    };
    let decimals = (0..most).find(whole).unwrap_or(most);
    ((rounded * 1e3).round(), format!("{} µs", number_format::decimal(l, rounded, decimals)))
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
        for (ns, printed) in [(8_123.4, "8.123 µs"), (72_738.0, "72.74 µs"), (640.2, "640 ns")] {
            assert_eq!(printed_latency(Language::ENGLISH, ns).1, printed);
        }
    }
}
