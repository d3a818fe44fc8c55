//! A bundle as data of an audit: every comparable figure, as printed in Dyno's own documents.

use std::collections::{BTreeMap, BTreeSet};

use crate::audit_data::PublishedFigures;
use crate::says::{scale, unit_of_column};
use crate::{FigureTable, PublishedFigure};
use dyno_report::analysis::facts::{CellFacts, MeasuredFacts, StepFacts, Subjects};
use dyno_report::analysis::keys::DriveKey;
use dyno_report::analysis::metric_values::instruments;
use dyno_report::analysis::points::metric::{Metric, PointFigure as Of, PointPart};
use dyno_report::analysis::points::point_summary::PERCENTILES;
use dyno_report::brief::number_format;
use dyno_report::brief::text::wording;
use dyno_report::language::Language;

/// Each step as a table, whose metrics have column names: `ops_per_s`, `p99_9_us`,
/// `reader-4:p99_us`.
pub fn of_bundle(subjects: &Subjects, measured: &MeasuredFacts) -> Vec<PublishedFigures> {
    measured.steps.iter().map(|step| dataset(subjects, step)).collect()
}

fn dataset(subjects: &Subjects, step: &StepFacts) -> PublishedFigures {
    let points: Vec<String> = step.values.iter().map(|v| v.number.to_string()).collect();
    let at_label = step.axis_text(Language::ENGLISH);
    let mut made = PublishedFigures {
        name: step.name.clone(),
        at_column: at_label.clone(),
        at_label,
        drives: None,
        points,
        metrics: BTreeMap::new(),
        better: BTreeMap::new(),
    };
    for (name, metric) in metrics(step) {
        let unit = unit_of_column(&name);
        for cell in &step.cells {
            let Some(figure) = figure(&metric, step, cell, unit) else { continue };
            let table: &mut FigureTable = made.metrics.entry(name.clone()).or_default();
            let of_subject = table.figures.entry(subjects[cell.subject].name.clone()).or_default();
            of_subject.insert(made.points[cell.value.0].clone(), figure);
        }
        made.better.insert(name, metric.better());
    }
    made
}

/// Every metric of a step's comparisons, under a column name.
fn metrics(step: &StepFacts) -> Vec<(String, Metric)> {
    let mut all = Vec::new();
    for part in parts(step) {
        for (name, figure) in figures(step) {
            let metric = Metric { figure, part: part.clone() };
            if metric.is_power() && matches!(part, PointPart::Drive(_))
                || metric.figure == Of::Waf && part != PointPart::Whole
            {
                continue;
            }
            let name = part.name().map_or(name.clone(), |part| format!("{part}:{name}"));
            all.push((name, metric));
        }
    }
    all
}

fn parts(step: &StepFacts) -> Vec<PointPart> {
    let cells = || step.cells.iter();
    let streams: BTreeSet<&String> =
        cells().flat_map(|c| &c.streams).map(|(name, ..)| name).collect();
    let drives: BTreeSet<DriveKey> =
        cells().flat_map(|c| &c.drives).map(|(drive, _)| *drive).collect();
    let mut all = vec![PointPart::Whole];
    all.extend(streams.into_iter().cloned().map(PointPart::Stream));
    all.extend(drives.into_iter().map(PointPart::Drive));
    all
}

fn figures(step: &StepFacts) -> Vec<(String, Of)> {
    let mut all: Vec<(String, Of)> =
        [("ops_per_s", Of::Ops), ("mb_per_s", Of::Bytes), ("mean_us", Of::Mean)]
            .map(|(n, f)| (n.into(), f))
            .into();
    let percentile =
        |(i, (name, _)): (usize, &(&str, f64))| (format!("{}_us", column(name)), Of::Percentile(i));
    all.extend(PERCENTILES.iter().enumerate().map(percentile));
    let mut classes = Vec::new();
    for class in
        step.cells.iter().flat_map(|c| &c.streams).flat_map(|(.., s)| &s.classes).map(|c| c.class)
    {
        if !classes.contains(&class) {
            classes.push(class);
        }
    }
    all.extend(
        classes.into_iter().map(|c| (format!("{}s_per_min", column(c.name())), Of::PerMinute(c))),
    );
    let read_power = instruments(step);
    let one = read_power.len() == 1;
    for i in read_power {
        let whose =
            if one { String::new() } else { format!("{}_{}_", column(&i.class), column(&i.kind)) };
        all.push((format!("{whose}ops_per_s_per_watt"), Of::OpsPerWatt(i.clone())));
        all.push((format!("{whose}mb_per_s_per_watt"), Of::MbPerWatt(i.clone())));
        all.push((format!("{whose}joules_per_op"), Of::JoulesPerOp(i.clone())));
        all.push((format!("{whose}joules_per_tb"), Of::JoulesPerTb(i)));
    }
    all.push(("write_amplification".into(), Of::Waf));
    all
}

/// The form in a column name: "p99_9", "new_order".
fn column(name: &str) -> String {
    name.replace(['.', '-', ' '], "_")
}

/// A figure as printed in sentences, with the tolerance of tables, which print fewer digits: a
/// statement may be derived from either.
fn figure(
    metric: &Metric,
    step: &StepFacts,
    cell: &CellFacts,
    unit: &str,
) -> Option<PublishedFigure> {
    let value = metric.of(step, cell)?.0.value;
    let fine = printed(&wording::printed(Language::ENGLISH, metric, step, cell)?.1, unit)?;
    let in_tables = match metric.figure {
        Of::Mean | Of::Percentile(_) => number_format::time(Language::ENGLISH, value),
        Of::Bytes => number_format::megabytes(Language::ENGLISH, value),
        Of::JoulesPerOp(_) => number_format::joules(Language::ENGLISH, value),
        Of::Ops
        | Of::PerMinute(_)
        | Of::OpsPerWatt(_)
        | Of::MbPerWatt(_)
        | Of::JoulesPerTb(_)
        | Of::Watts(_)
        | Of::Waf => number_format::count(Language::ENGLISH, value),
    };
    let coarse = printed(&in_tables, unit).unwrap_or(fine);
    Some(PublishedFigure {
        low: fine.low.min(coarse.low),
        high: fine.high.max(coarse.high),
        ..fine
    })
}

/// "892,202", "169 µs", "6.14 ms" or "75.000 µJ" in the unit of a column.
fn printed(text: &str, unit: &str) -> Option<PublishedFigure> {
    let (number, own) = text.split_once(' ').unwrap_or((text, unit));
    Some(PublishedFigure::printed(&number.replace(',', ""))?.scaled(scale(own, unit)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_report_prints_is_read_back_with_what_its_rounding_leaves_open() {
        let of = |text, unit| printed(text, unit).map(|f| (f.low, f.value, f.high));
        assert_eq!(of("892,202", "ops/s"), Some((892_201.5, 892_202.0, 892_202.5)));
        assert_eq!(of("12,345", "a minute"), Some((12_344.5, 12_345.0, 12_345.5)));
        assert_eq!((of("–", "MB/s"), of("5 W", "µs")), (None, None));
        for (text, unit, ends) in [
            ("1,234.6 µs", "µs", (1234.55, 1234.65)),
            ("8,123 ns", "µs", (8.1225, 8.1235)),
            ("6.14 ms", "µs", (6135.0, 6145.0)),
            ("75.000 µJ", "J", (74.9995e-6, 75.0005e-6)),
        ] {
            let (low, _, high) = of(text, unit).expect(text);
            assert!(
                (low / ends.0 - 1.0).abs() < 1e-9 && (high / ends.1 - 1.0).abs() < 1e-9,
                "{text}: {low} to {high}"
            );
        }
    }

    #[test]
    fn names_are_those_of_columns() {
        assert_eq!(
            (column("p99.99"), column("new-order")),
            ("p99_99".to_string(), "new_order".to_string())
        );
    }
}
