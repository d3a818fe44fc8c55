//! The conclusion: how all comparisons ended, counted, and what they cannot say.

use std::fmt::Write;

use super::{Info, Section};
use crate::report::difference;
use crate::analysis::facts::Facts;
use crate::report::html::{Table, escape};

pub struct Conclusion;

impl Section for Conclusion {
    fn info(&self) -> Info {
        Info { id: "conclusion", title: "Conclusion" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        if facts.subjects.len() < 2 {
            return None;
        }
        let head = [
            "step",
            "figure",
            "subject",
            "against",
            "points",
            "better",
            "worse",
            "not told apart",
            "no interval",
            "marked",
        ];
        let mut table = Table::new(4, &head);
        let mut points = 0;
        for step in &facts.steps {
            for tally in difference::tallies(facts, step) {
                points += tally.points;
                let names = [&facts.subjects[tally.subject], &facts.subjects[0]].map(String::clone);
                let counts = [tally.points, tally.better, tally.worse, tally.open, tally.bare, tally.marked];
                let mut row = vec![step.title.clone(), tally.what];
                row.extend(names);
                row.extend(counts.map(|n| n.to_string()));
                table.row("", &row);
            }
        }
        if points == 0 {
            return None;
        }
        let mut out = String::from("<p>How every comparison with the first subject ended:</p>\n");
        out.push_str(&table.html());
        let _ = writeln!(out, "<p>{}</p>", escape(&limits(facts)));
        Some(out)
    }
}

/// What must be known before any of it is taken further than it goes.
fn limits(facts: &Facts) -> String {
    let least = facts.steps.iter().flat_map(|s| &s.cells).map(|c| c.repeats.len()).filter(|n| *n > 0).min();
    let repeats = match least {
        Some(1) => {
            "Some points were measured once: their intervals, where they have any, tell how steady that one run was, not \
             how runs differ."
        }
        _ => "Every interval is of the spread between repeats on this host and these drives.",
    };
    format!(
        "{repeats} The findings hold for these drives, with this firmware, on this host and software, under these loads; the \
         section Full disclosure lists them. One drive of a model does not stand for all of its kind."
    )
}
