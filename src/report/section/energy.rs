//! Watts and what was done with them, where a meter measured power.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::facts::Facts;
use crate::report::html::{Table, escape};
use crate::report::{draw_power, energy};

pub struct Energy;

impl Section for Energy {
    fn info(&self) -> Info {
        Info { id: "energy", title: "Power and energy" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::new();
        for step in &facts.steps {
            let rows = energy::rows(facts, step);
            if rows.is_empty() {
                continue;
            }
            let _ = writeln!(out, "<h3>{}</h3>\n<div class=figures>", escape(&step.title));
            for drawing in draw_power::of_power(facts, step) {
                let _ = writeln!(out, "<figure>{}</figure>", drawing.svg);
            }
            out.push_str("</div>\n");
            let mut table = Table::new(3, &[&[step.axis_label()], &energy::HEAD[..]].concat());
            rows.iter().for_each(|row| table.row("", row));
            out.push_str(&table.html());
        }
        if out.is_empty() {
            return None;
        }
        let notes: String = energy::notes(facts).iter().map(|n| format!("<li>{}\n", escape(n))).collect();
        Some(format!("<p class=note>{}</p>\n{out}<ul>\n{notes}</ul>\n", escape(&energy::how())))
    }
}
