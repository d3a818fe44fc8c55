//! A toy table to export: `subjects`, a row for each.

use dyno::analysis::Facts;
use dyno::export::{self, Column, Kind, Table, Value};

struct Subjects;

pub fn add() {
    export::TABLES.add(&Subjects);
}

impl Table for Subjects {
    fn name(&self) -> &'static str {
        "subjects"
    }

    fn columns(&self) -> Vec<Column> {
        vec![("name", Kind::Text)]
    }

    fn whole(&self, facts: &Facts) -> Option<Vec<Vec<Value>>> {
        Some(facts.subjects.iter().map(|name| vec![Value::Text(name.clone())]).collect())
    }
}
