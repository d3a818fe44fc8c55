//! Every comparison of the bundles' subjects, one a row, with its simultaneous interval.

use super::{Column, Kind, Table, Value};
use crate::analysis::compare::At;
use crate::analysis::facts::Facts;
use crate::brief::wording;

pub struct Comparisons;

const COLUMNS: [Column; 15] = [
    ("step", Kind::Text),
    ("metric", Kind::Text),
    ("where", Kind::Text),
    ("axis_value", Kind::Real),
    ("better", Kind::Text),
    ("worse", Kind::Text),
    ("percent", Kind::Real),
    ("percent_low", Kind::Real),
    ("percent_high", Kind::Real),
    ("factor", Kind::Real),
    ("factor_low", Kind::Real),
    ("factor_high", Kind::Real),
    ("standing", Kind::Text),
    ("printed", Kind::Text),
    ("part", Kind::Text),
];

impl Table for Comparisons {
    fn name(&self) -> &'static str {
        "comparisons"
    }

    fn columns(&self) -> Vec<Column> {
        COLUMNS.to_vec()
    }

    fn whole(&self, facts: &Facts) -> Option<Vec<Vec<Value>>> {
        let row = |c: &crate::analysis::Comparison| {
            let step = &facts.steps[c.step];
            let (percent, low, high) = c.percent();
            let value =
                if let At::Value(value) = c.at { Some(step.values[value].number) } else { None };
            vec![
                step.name.as_str().into(),
                c.metric.short().as_str().into(),
                wording::at(facts, c).trim().into(),
                value.into(),
                facts.subjects[c.better].as_str().into(),
                facts.subjects[c.worse].as_str().into(),
                percent.into(),
                low.into(),
                high.into(),
                c.factor.into(),
                c.low.into(),
                c.high.into(),
                format!("{:?}", c.standing).as_str().into(),
                wording::difference(facts.language, c).as_str().into(),
                c.metric.part.name().as_deref().into(),
            ]
        };
        Some(facts.comparisons.iter().map(row).collect())
    }
}
