//! The page: one HTML file that opens offline and prints well. Sections make the body; this joins them to the cover.

use askama::Template;

use super::brief::Brief;
use super::document;
use super::facts::Facts;
use super::figure::theme::COLOURS;
use super::section;
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
        logo: brief.logo_png.as_deref().map(base64).unwrap_or_default(),
    };
    brief.coloured(facts, &page.render().context("making the page")?)
}

/// Bytes as text, for a picture inside the page.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let all = three.iter().fold(0u32, |all, b| all << 8 | u32::from(*b)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = DIGITS[(all >> (18 - 6 * i)) as usize & 63];
            out.push(if i <= three.len() { digit as char } else { '=' });
        }
    }
    out
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
    body: String,
}

impl Table {
    pub fn new(left: usize, head: &[&str]) -> Table {
        Table { left, head: head.iter().map(|h| h.to_string()).collect(), body: String::new() }
    }

    pub fn row(&mut self, class: &str, cells: &[String]) {
        let mark = if class.is_empty() { String::new() } else { format!(" class={class}") };
        self.body.push_str(&format!("<tr{mark}>"));
        for cell in cells {
            self.body.push_str("<td>");
            self.body.push_str(&escape(cell));
        }
        self.body.push('\n');
    }

    pub fn html(&self) -> String {
        let head: String = self.head.iter().map(|h| format!("<th>{}", escape(h))).collect();
        format!(
            "<div class=scroll><table class=\"data left{}\"><thead><tr>{head}</thead><tbody>\n{}</tbody></table></div>\n",
            self.left, self.body
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
