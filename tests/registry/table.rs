//! A toy export table: `subjects`, one row each.

use dyno::analysis::Facts;
use dyno::export::{self, Column, ColumnKind, ExportTable, ExportValue};

struct Subjects;

pub fn add() {
    export::TABLES.add(&Subjects);
}

impl ExportTable for Subjects {
    fn name(&self) -> &'static str {
        "subjects"
    }

    fn columns(&self) -> Vec<Column> {
        vec![("name", ColumnKind::Text)]
    }

    fn whole(&self, facts: &Facts) -> Option<Vec<Vec<ExportValue>>> {
        Some(facts.subjects.iter().map(|s| vec![ExportValue::Text(s.name.clone())]).collect())
    }
}
