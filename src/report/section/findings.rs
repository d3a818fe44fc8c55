//! Key findings: what the comparison came to, a sentence at a time, and the headline numbers of the cover.

use std::fmt::Write;

use super::{Info, Section};
use crate::report::difference;
use crate::report::facts::Facts;
use crate::report::html::{colour, escape};
use crate::report::words;

pub struct Findings;

/// A number for the cover: the best of one subject over all steps' values.
pub struct Headline {
    pub subject: String,
    pub colour: &'static str,
    pub value: String,
    pub unit: &'static str,
    pub of: String,
}

/// How many steps the cover speaks of.
const ON_COVER: usize = 1;

impl Section for Findings {
    fn info(&self) -> Info {
        Info { id: "findings", title: "Key findings" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::new();
        for step in &facts.steps {
            let sentences = difference::sentences(facts, step);
            if sentences.is_empty() {
                continue;
            }
            let _ = write!(out, "<div class=finding><h3>{}</h3>", escape(&step.title));
            for sentence in sentences {
                let _ = write!(out, "<p>{}</p>", escape(&sentence));
            }
            out.push_str("</div>\n");
        }
        if facts.subjects.len() > 1 && !out.is_empty() {
            let note = difference::footnote(&facts.subjects[0]);
            let _ = writeln!(out, "<p class=note>{}</p>", escape(&note));
        }
        (!out.is_empty()).then_some(out)
    }
}

/// The most ops/s of each subject in the first steps.
pub fn headlines(facts: &Facts) -> Vec<Headline> {
    let mut all = Vec::new();
    for step in facts.steps.iter().take(ON_COVER) {
        for (index, subject) in facts.subjects.iter().enumerate() {
            let cells = step.cells.iter().filter(|c| c.subject == index);
            let rates = cells.filter_map(|c| c.total.as_ref().map(|t| (t.ops_per_s.value, c)));
            let Some((best, cell)) = rates.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let of = format!("{}{}", step.title, difference::place(step, &[cell.value]));
            all.push(Headline {
                subject: subject.clone(),
                colour: colour(index),
                value: cell.marked(words::count(best)),
                unit: "ops/s",
                of,
            });
        }
    }
    all
}
