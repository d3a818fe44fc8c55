//! Knees, and loads at equal latency, of steps swept in open loop.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::facts::Facts;
use crate::report::equal;
use crate::report::html::{Table, escape};

pub struct Equal;

impl Section for Equal {
    fn info(&self) -> Info {
        Info { id: "equal-latency", title: "Load at equal latency" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::new();
        for (index, step) in facts.steps.iter().enumerate() {
            let rows = equal::rows(facts, index);
            if rows.is_empty() {
                continue;
            }
            let mut table = Table::new(1, &equal::HEAD);
            rows.iter().for_each(|row| table.row("", row));
            let _ = writeln!(out, "<h3>{}</h3>\n{}", escape(&step.title), table.html());
        }
        (!out.is_empty()).then(|| format!("<p class=note>{}</p>\n{out}", escape(equal::HOW)))
    }
}
