//! The drives of a group: each for itself, and how far they lie apart.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::facts::{Facts, StepFacts};
use crate::report::group;
use crate::report::html::{Table, escape};

pub struct Drives;

impl Section for Drives {
    fn info(&self) -> Info {
        Info { id: "drives", title: "Drive by drive" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::new();
        for step in &facts.steps {
            let groups = group::rows(facts, step);
            if groups.is_empty() {
                continue;
            }
            let _ = writeln!(out, "<h3>{}</h3>", escape(&step.title));
            out.push_str(&table(step, 2, &group::HEAD, &groups));
            out.push_str(&table(step, 3, &group::DRIVE_HEAD, &group::drive_rows(facts, step)));
        }
        (!out.is_empty()).then(|| format!("<p class=note>{}</p>\n{out}", escape(group::AGGREGATION)))
    }
}

fn table(step: &StepFacts, left: usize, head: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new(left, &[&[step.axis_label()], head].concat());
    rows.iter().for_each(|row| table.row("", row));
    table.html()
}
