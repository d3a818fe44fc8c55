//! The conclusion: how all comparisons ended, counted, and what they cannot say.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::compare::Standing;
use crate::analysis::facts::Facts;
use crate::report::html::{Table, escape};
use crate::report::wording;

pub struct Conclusion;

const HEAD: [&str; 8] =
    ["step", "figure", "pair", "comparisons", "first better", "second better", "not distinguishable", "not ranked"];

impl Section for Conclusion {
    fn info(&self) -> Info {
        Info { id: "conclusion", title: "Conclusion" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        if facts.comparisons.is_empty() {
            return None;
        }
        let mut table = Table::new(3, &HEAD);
        let mut keys: Vec<_> = Vec::new();
        for c in &facts.comparisons {
            let key = (c.step, c.metric.clone(), c.better.min(c.worse), c.better.max(c.worse));
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        for (step, metric, a, b) in keys {
            let own = || facts.comparisons.iter().filter(|c| c.step == step && c.metric == metric && c.is_of(a, b));
            let better = |subject| own().filter(|c| c.is_claimed() && c.better == subject).count();
            let count = |standing| own().filter(|c| c.standing == standing).count();
            let title = &facts.steps[step].title;
            let pair = format!("{}, {}", facts.subjects[a], facts.subjects[b]);
            let mut row = vec![title.clone(), wording::metric(&metric, &facts.steps[step]), pair];
            let counts =
                [own().count(), better(a), better(b), count(Standing::NotShown), count(Standing::NotTheDrives)];
            row.extend(counts.map(|n| n.to_string()));
            table.row("", &row);
        }
        let mut out = String::from("<p>How every comparison ended:</p>\n");
        out.push_str(&table.html());
        let _ = writeln!(out, "<p>{}</p>", escape(LIMITS));
        Some(out)
    }
}

/// What must be known before any of it is taken further than it goes.
const LIMITS: &str = "Every interval is of the scatter between repeats on this host and these drives. The findings hold for \
these drives, with this firmware, on this host and software, under these loads; the section Full disclosure lists them. \
One drive of a model does not stand for all of its kind.";
