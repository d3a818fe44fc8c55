//! Key findings: what may be claimed, strongest first, each subject's, and the headline numbers of the cover.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::claims::{self, Claim};
use crate::analysis::facts::Facts;
use crate::report::html::{Table, colour, escape};
use crate::report::{published, wording, words};

pub struct Findings;

/// A number for the cover: the highest ops/s of one subject over all steps' values.
pub struct Headline {
    pub subject: String,
    pub colour: &'static str,
    pub value: String,
    pub unit: &'static str,
    pub of: String,
}

/// How many steps the cover speaks of.
const ON_COVER: usize = 1;

/// Claims for each subject; the steps' own tables have all.
const MOST: usize = 6;

/// Findings that lead.
const LEADING: usize = 4;

const HOW: &str = "A claim is made only where the simultaneous 95 % interval excludes “no difference”: the probability that \
any claim of this brief is false is at most 5 %. Of several points that show the same, the one with the strongest lower \
bound is named. Numbers are rounded towards the weaker claim. Points with a caveat support none.";

impl Section for Findings {
    fn info(&self) -> Info {
        Info { id: "findings", title: "Key findings" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        if facts.subjects.len() < 2 {
            return None;
        }
        if let Some(rows) = published::rows(facts) {
            let mut table = Table::new(8, &published::HEAD);
            rows.iter().for_each(|row| table.row("", row));
            return Some(format!("<p>{}</p>\n{}", escape(published::HOW), table.html()));
        }
        let mut out = String::new();
        for line in wording::headlines(facts, LEADING) {
            let _ = writeln!(out, "<p class=lead>{}</p>", escape(&line));
        }
        for bar in &facts.barred {
            let _ = writeln!(out, "<p>{}</p>", escape(&wording::barred(facts, bar)));
        }
        let found = claims::all(facts);
        if !found.is_empty() {
            out.push_str(&by_subject(facts, &found));
            for own in claims::crossovers(facts) {
                let _ = writeln!(out, "<p>{}.</p>", escape(&wording::crossover(facts, &own)));
            }
            let _ = writeln!(out, "<p class=note>{}</p>", escape(HOW));
        }
        let caveats = wording::caveats(facts).len();
        if caveats > 0 {
            let _ = writeln!(out, "<p class=note>Caveats noted: {caveats}; the section Caveats lists them.</p>");
        }
        Some(out)
    }
}

/// Each subject's claims.
fn by_subject(facts: &Facts, found: &[Claim<'_>]) -> String {
    let mut out = String::new();
    for (subject, name) in facts.subjects.iter().enumerate() {
        let own: Vec<&Claim<'_>> = found.iter().filter(|c| c.comparison.better == subject).collect();
        let _ = write!(out, "<div class=finding><h3>Claims for {}</h3>", escape(name));
        if own.is_empty() {
            let _ = write!(out, "<p>None.</p>");
        } else {
            out.push_str("<ul>\n");
            for claim in own.iter().take(MOST) {
                let (said, basis) = wording::claim(facts, claim);
                let _ = writeln!(out, "<li><strong>{}</strong><br>({})</li>", escape(&said), escape(&basis));
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

/// The highest ops/s of each subject in the first steps.
pub fn headlines(facts: &Facts) -> Vec<Headline> {
    let mut all = Vec::new();
    for step in facts.steps.iter().take(ON_COVER) {
        for (index, subject) in facts.subjects.iter().enumerate() {
            let cells = step.cells.iter().filter(|c| c.subject == index);
            let rates = cells.filter_map(|c| c.total.as_ref().map(|t| (t.ops_per_s.value, c)));
            let Some((most, cell)) = rates.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let of = format!("{}{}", step.title, wording::place(step, &[cell.value]));
            all.push(Headline {
                subject: subject.clone(),
                colour: colour(index),
                value: cell.marked(words::count(most)),
                unit: "ops/s",
                of,
            });
        }
    }
    all
}
