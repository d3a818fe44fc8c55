//! Key findings: the claims that the data bear out, strongest first, those that rivals would print as well, and the
//! headline numbers of the cover.

use std::fmt::Write;

use super::{Info, Section};
use crate::report::claims::{self, Largest};
use crate::report::difference;
use crate::analysis::facts::Facts;
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

/// Sentences for each subject; the steps' own tables have all.
const MOST: usize = 6;

const HOW: &str = "A claim is the largest difference of a step that stays clear of chance once every comparison searched \
is counted; its interval allows for that choice; numbers are cut off, never rounded up; of marked points nothing is \
claimed. What speaks for the other subjects is found in the same way.";

const BARE: &str = "The figures have no intervals (one figure each, without its spread), so nothing is claimed from them. \
As they stand, they say:";

impl Section for Findings {
    fn info(&self) -> Info {
        Info { id: "findings", title: "Key findings" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        if facts.subjects.len() < 2 {
            return None;
        }
        let mut out = String::new();
        let found = claims::all(facts);
        let bare = claims::as_they_stand(facts);
        for unfair in &facts.unfair {
            let _ = writeln!(out, "<p>{}</p>", escape(&unfair.said(facts)));
        }
        if found.is_empty() && bare.is_empty() && facts.unfair.is_empty() {
            out.push_str("<p>The data bear out no claim: no difference is clear of chance once all are counted.</p>\n");
        }
        if !found.is_empty() {
            out.push_str(&by_subject(facts, &found));
            let _ = writeln!(out, "<p class=note>{}</p>", escape(HOW));
        }
        if !bare.is_empty() {
            let _ = writeln!(out, "<p>{}</p>\n{}", escape(BARE), by_subject(facts, &bare));
        }
        let marked = difference::all_marks(facts).len();
        if marked > 0 {
            let are = if marked == 1 { "1 point is".to_string() } else { format!("{marked} points are") };
            let _ = writeln!(out, "<p class=note>{are} marked and left out; the section Marks says which and why.</p>");
        }
        Some(out)
    }
}

/// The first subject's sentences, then what each of the others would print.
fn by_subject(facts: &Facts, found: &[Largest]) -> String {
    let mut out = String::new();
    for (subject, name) in facts.subjects.iter().enumerate() {
        let own: Vec<&Largest> = found.iter().filter(|l| l.subject == subject).collect();
        let _ = write!(out, "<div class=finding><h3>What speaks for {}</h3>", escape(name));
        if own.is_empty() {
            let _ = write!(out, "<p>Nothing that the data bear out.</p>");
        } else {
            out.push_str("<ul>\n");
            for claim in own.iter().take(MOST) {
                let (said, basis) = (escape(&claim.said(facts)), escape(&claim.basis()));
                let _ = writeln!(out, "<li><strong>{said}</strong><br>({basis})</li>");
            }
            out.push_str("</ul>");
        }
        if own.len() > MOST {
            let _ = write!(out, "<p class=note>{} weaker ones are in the tables of the steps.</p>", own.len() - MOST);
        }
        out.push_str("</div>\n");
    }
    out
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
