//! Every comparison of the bundles' subjects, one per row, with its simultaneous interval.

use super::{Column, ColumnKind, ExportTable, ExportValue};
use crate::analysis::claim::compare::StepPlace;
use crate::analysis::facts::Facts;
use crate::brief::text::wording;
use crate::language::Language;

pub struct ComparisonsTable;

const COLUMNS: [Column; 15] = [
    ("step", ColumnKind::Text),
    ("metric", ColumnKind::Text),
    ("where", ColumnKind::Text),
    ("axis_value", ColumnKind::Real),
    ("better", ColumnKind::Text),
    ("worse", ColumnKind::Text),
    ("percent", ColumnKind::Real),
    ("percent_low", ColumnKind::Real),
    ("percent_high", ColumnKind::Real),
    ("factor", ColumnKind::Real),
    ("factor_low", ColumnKind::Real),
    ("factor_high", ColumnKind::Real),
    ("standing", ColumnKind::Text),
    ("printed", ColumnKind::Text),
    ("part", ColumnKind::Text),
];

impl ExportTable for ComparisonsTable {
    fn name(&self) -> &'static str {
        "comparisons"
    }

    fn columns(&self) -> Vec<Column> {
        COLUMNS.to_vec()
    }

    fn whole(&self, facts: &Facts) -> Option<Vec<Vec<ExportValue>>> {
        let l = Language::ENGLISH;
        let row = |c: &crate::analysis::Comparison| {
            let step = &facts.measured.steps[c.step];
            let (percent, ends) = c.percent();
            let ((low, high), (factor_low, factor_high)) = (ends.unzip(), c.interval.unzip());
            let value = if let StepPlace::Value(value) = c.at {
                Some(step.values[value].number)
            } else {
                None
            };
            vec![
                step.name.as_str().into(),
                c.metric.short().as_str().into(),
                wording::at(l, step, c).trim().into(),
                value.into(),
                facts.subjects[c.better].name.as_str().into(),
                facts.subjects[c.worse].name.as_str().into(),
                percent.into(),
                low.into(),
                high.into(),
                c.factor.into(),
                factor_low.into(),
                factor_high.into(),
                format!("{:?}", c.standing).as_str().into(),
                wording::difference(l, c).as_str().into(),
                c.metric.part.name().as_deref().into(),
            ]
        };
        Some(facts.comparisons.all.iter().map(row).collect())
    }
}
