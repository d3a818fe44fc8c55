//! The page: one HTML file that opens offline and prints well. Sections make the body; this joins them to the cover.

use askama::Template;
use base64::prelude::{BASE64_STANDARD, Engine};

use super::brief::Brief;
use super::document;
use super::figure::theme::COLOURS;
use super::section;
use super::words::NONE;
use crate::analysis::facts::Facts;
use crate::base::error::{Context, Result};

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: &'a str,
    kicker: &'a str,
    subjects: Vec<Chip<'a>>,
    byline: String,
    version: &'a str,
    headlines: Vec<section::findings::Headline>,
    contents: Vec<(String, String)>,
    /// Ready-made HTML of the sections: (id, title, body).
    sections: Vec<(String, String, String)>,
    /// A PNG as base64; empty without a logo.
    logo: String,
}

struct Chip<'a> {
    name: &'a str,
    /// The same as in the figures.
    colour: &'static str,
}

/// The whole report as HTML.
pub fn page(facts: &Facts, brief: &Brief) -> Result<String> {
    let sections = document::bodies(facts, brief);
    let page = Page {
        title: brief.title(facts),
        kicker: &facts.protocol,
        subjects: facts.subjects.iter().enumerate().map(|(i, name)| Chip { name, colour: colour(i) }).collect(),
        byline: document::byline(facts),
        version: facts.runs.first().map_or("", |r| r.dyno_version.as_str()),
        headlines: section::findings::headlines(facts),
        contents: sections.iter().map(|(id, title, _)| (id.clone(), title.clone())).collect(),
        sections,
        logo: brief.logo_png.as_deref().map(|png| BASE64_STANDARD.encode(png)).unwrap_or_default(),
    };
    brief.coloured(facts, &page.render().context("making the page")?)
}

/// The colour of subject `index`, the same as in the figures.
pub fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// Text made safe to stand in HTML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// A table; `left` columns are text, the rest numbers. A row's class marks it: "", "first" or "side".
pub struct Table {
    left: usize,
    head: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

impl Table {
    pub fn new(left: usize, head: &[&str]) -> Table {
        Table { left, head: head.iter().map(|h| h.to_string()).collect(), rows: Vec::new() }
    }

    pub fn row(&mut self, class: &str, cells: &[String]) {
        self.rows.push((class.to_string(), cells.to_vec()));
    }

    /// Columns of numbers that were measured nowhere are left out: imported results lack many.
    pub fn html(&self) -> String {
        let told = |row: &[String], i: usize| row.get(i).is_some_and(|cell| !cell.is_empty() && cell != NONE);
        let kept: Vec<usize> =
            (0..self.head.len()).filter(|i| *i < self.left || self.rows.iter().any(|(_, r)| told(r, *i))).collect();
        let cells = |mark: &str, row: &[String]| -> String {
            kept.iter().map(|i| format!("<{mark}>{}", escape(row.get(*i).map_or("", String::as_str)))).collect()
        };
        let row = |(class, row): &(String, Vec<String>)| {
            let mark = if class.is_empty() { String::new() } else { format!(" class={class}") };
            format!("<tr{mark}>{}\n", cells("td", row))
        };
        format!(
            "<div class=scroll><table class=\"data left{}\"><thead><tr>{}</thead><tbody>\n{}</tbody></table></div>\n",
            self.left,
            cells("th", &self.head),
            self.rows.iter().map(row).collect::<String>()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_page() {
        let mut table = Table::new(1, &["<b>"]);
        table.row("", &["a & \"b\"".to_string()]);
        assert!(table.html().contains("<th>&lt;b&gt;") && table.html().contains("<td>a &amp; &quot;b&quot;"));
    }
}
