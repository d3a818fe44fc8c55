//! Was it the drive? What limited each point, and how that is known.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::facts::Facts;
use crate::report::html::{Table, escape};
use crate::report::limits;

pub struct Limits;

const HOW: &str = "From what the kernel counted of processors, devices and Dyno's own processes over each window, and from the \
    requests that Dyno had under way. A point counts as the drive's where at least half of the load's own requests were at \
    the device, or where its workers waited for one that was; time in flushes counts as the device's.";

impl Section for Limits {
    fn info(&self) -> Info {
        Info { id: "limits", title: "Bottleneck" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = format!("<p>{}</p>\n<p class=note>{HOW}</p>\n", escape(&limits::sum(facts)?));
        for step in &facts.steps {
            let rows = limits::rows(facts, step);
            if rows.is_empty() {
                continue;
            }
            let mut table = Table::new(4, &[&[step.axis_label()], &limits::HEAD[..]].concat());
            rows.iter().for_each(|row| table.row("", row));
            let _ = writeln!(out, "<h3>{}</h3>\n{}", escape(&step.title), table.html());
        }
        Some(out)
    }
}
