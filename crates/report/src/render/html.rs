//! The brief as a page: one HTML file that opens offline and prints well.

use std::fmt::Write;

use askama::Template;
use base64::prelude::{BASE64_STANDARD, Engine};

use super::bound::bound;
use super::webfont::UsedCharacters;
use crate::brief::block::{Block, Heading, Mark, Role, Style, Table, TextLine};
use crate::brief::{Brief, BriefSection};
use crate::chart::canvas::theme;
use crate::chart::{Chart, Palette};
use crate::say;
use dyno_core::base::error::{Context, Result};

#[derive(Template)]
#[template(path = "report.html")]
struct HtmlPage<'a> {
    document: &'a Brief,
    /// Rendered HTML of the sections: (id, title, body).
    sections: Vec<(&'a str, &'a str, String)>,
    cover: String,
    /// A PNG as base64; empty without a logo.
    logo: String,
    /// The subjects' colours for light and dark pages, as CSS.
    colours: String,
    /// Placeholder for the page's fonts, which depend on its characters.
    fonts: &'static str,
}

/// The only script of every page.
pub const SCRIPT: &str = include_str!("../../../../templates/report.js");

/// Maximum length of a cell that is not broken.
const IN_ONE_LINE: usize = 24;

const FONTS_HERE: &str = "/* fonts */\n";

impl HtmlPage<'_> {
    /// Common texts of every page, in the brief's language.
    fn frame(&self, what: &str) -> String {
        let l = self.document.language;
        match what {
            "skip" => say!(l, "page-skip"),
            "sections" => say!(l, "page-sections"),
            _ => match &self.document.footer {
                Some(footer) => footer.clone(),
                None => say!(l, "page-footer", version = &self.document.version),
            },
        }
    }

    /// A subject's line and mark, as in the figures.
    fn swatch(&self, subject: &usize) -> String {
        let (series, dash) = (subject % self.document.palette.count(), theme::dash(*subject));
        format!(
            "<svg viewBox=\"0 0 30 14\" aria-hidden=\"true\"><path class=\"k{series}\" d=\"M0 \
             7H30\" stroke-width=\"2.5\" stroke-dasharray=\"{}\"/><path class=\"s{series}\" \
             d=\"{}\"/></svg>",
            if dash.is_empty() { "none" } else { dash },
            theme::shape(*subject, (15.0, 7.0), 5.5)
        )
    }
}

/// The whole brief as HTML.
pub fn html(document: &Brief) -> Result<String> {
    let body = |part: &BriefSection| Body::new(document, &part.title).of(&part.blocks);
    let page = HtmlPage {
        document,
        cover: Body::new(document, &document.title).of(&document.cover),
        sections: document
            .parts
            .iter()
            .map(|p| (p.id.as_str(), p.title.as_str(), body(p)))
            .collect(),
        logo: document
            .logo_png
            .as_deref()
            .map(|png| BASE64_STANDARD.encode(png))
            .unwrap_or_default(),
        colours: colours(&document.palette),
        fonts: FONTS_HERE,
    };
    let page = page.render().context("making the page")?;
    let mut fonts = String::new();
    for (code, weight, file) in UsedCharacters::of_page(&page)?.fonts()? {
        let (family, file) =
            (if code { "Brief Mono" } else { "Brief Sans" }, BASE64_STANDARD.encode(file));
        let url = format!("url(data:font/woff;base64,{file})");
        let _ = writeln!(
            fonts,
            "@font-face {{ font-family: \"{family}\"; font-weight: {weight}; src: {url}; }}"
        );
    }
    Ok(page.replacen(FONTS_HERE, &fonts, 1))
}

/// One colour per subject, for light and dark pages, referenced by figures and swatches.
fn colours(palette: &Palette) -> String {
    let (mut light, mut dark, mut classes) = (String::new(), String::new(), String::new());
    for i in 0..palette.count() {
        let _ = write!(light, " --s{i}: {};", palette.of(i));
        let _ = write!(dark, " --s{i}: {};", palette.on_dark(i));
        let _ = writeln!(
            classes,
            "svg .s{i} {{ fill: var(--s{i}); }} svg .k{i} {{ stroke: var(--s{i}); }}"
        );
    }
    let dark = format!("@media screen and (prefers-color-scheme: dark) {{ :root {{{dark} }} }}");
    format!(":root {{{light} }}\n{dark}\n{classes}")
}

/// Text escaped for HTML.
fn escape(text: &str) -> String {
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

/// The same for text that is read and not copied: no line breaks within its numbers.
fn prose(text: &str) -> String {
    escape(&bound(text))
}

/// The HTML of a section under construction.
struct Body<'a> {
    palette: &'a Palette,
    /// The name of a table without a caption: the headings above it.
    under: [String; 2],
    /// The section's level; the level of the last heading in it.
    title: &'a str,
    level: u8,
    out: String,
}

impl<'a> Body<'a> {
    fn new(document: &'a Brief, title: &'a str) -> Body<'a> {
        Body {
            palette: &document.palette,
            under: Default::default(),
            title,
            level: 0,
            out: String::new(),
        }
    }

    fn of(mut self, blocks: &[Block]) -> String {
        for (i, block) in blocks.iter().enumerate() {
            let grouped = |b: Option<&Block>| matches!(b, Some(Block::Pairs(..)));
            if grouped(Some(block)) && (i == 0 || !grouped(blocks.get(i - 1))) {
                self.out.push_str("<div class=groups>\n");
            }
            self.block(block);
            if grouped(Some(block)) && !grouped(blocks.get(i + 1)) {
                self.out.push_str("</div>\n");
            }
        }
        self.out
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(heading) => self.heading(heading),
            Block::Text(role, line) => {
                let class = match role {
                    Role::Plain => "",
                    Role::Lead => " class=lead",
                    Role::Note => " class=note",
                    Role::Warning => " class=bad",
                };
                self.put(format_args!("<p{class}>{}</p>\n", styled(line)));
            }
            Block::List(items) => {
                let items: String =
                    items.iter().map(|item| format!("<li>{}</li>\n", styled(item))).collect();
                self.put(format_args!("<ul>\n{items}</ul>\n"));
            }
            Block::Terms(terms) => {
                let term = |(term, text): &(String, String)| {
                    format!("<dt>{}<dd>{}\n", prose(term), prose(text))
                };
                self.put(format_args!(
                    "<dl class=method>\n{}</dl>\n",
                    terms.iter().map(term).collect::<String>()
                ));
            }
            Block::Pairs(title, pairs) => {
                let row = |(name, value): &(String, String)| {
                    format!("<tr><th scope=row>{}<td>{}\n", prose(name), prose(value))
                };
                let (title, rows) = (escape(title), pairs.iter().map(row).collect::<String>());
                let h = if self.level == 0 { 3 } else { 4 };
                self.put(format_args!(
                    "<div class=group><h{h}>{title}</h{h}><table class=pairs><caption \
                     class=unseen>{title}</caption>\n\
                     {rows}</table></div>\n"
                ));
            }
            Block::Table(own) => self.table(own),
            Block::Figures(figures) => {
                let figure = |f: &Chart| {
                    let caption = prose(&f.caption());
                    format!(
                        "<figure><figcaption>{caption}</figcaption>{}</figure>\n",
                        f.svg(self.palette)
                    )
                };
                let figures: String = figures.iter().map(figure).collect();
                self.put(format_args!("<div class=figures>\n{figures}</div>\n"));
            }
            Block::Code(title, text) if title.is_empty() => {
                self.put(format_args!("<pre tabindex=0>{}</pre>\n", escape(text)));
            }
            Block::Code(title, text) => self.put(format_args!(
                "<details><summary>{}</summary><pre tabindex=0>{}</pre></details>\n",
                escape(title),
                escape(text)
            )),
        }
    }

    /// No level is skipped, so that navigation by headings misses none.
    fn heading(&mut self, heading: &Heading) {
        self.level = heading.level.min(self.level + 1);
        match heading.level {
            1 => self.under = [heading.text.clone(), String::new()],
            _ => self.under[1] = heading.text.clone(),
        }
        let id = heading.id.as_ref().map_or(String::new(), |id| format!(" id=\"{}\"", escape(id)));
        let h = self.level + 2;
        self.put(format_args!("<h{h}{id}>{}</h{h}>\n", escape(&heading.text)));
    }

    fn table(&mut self, table: &Table) {
        let called = table_caption(table, &self.under, self.title);
        let (caption, unseen) =
            (escape(&called), if table.caption.is_empty() { " class=unseen" } else { "" });
        let head = |(i, cell): (usize, &String)| {
            let left = if i < table.left { " class=left" } else { "" };
            // A column without a name is not a header.
            let mark = if cell.is_empty() { "td" } else { "th scope=col" };
            format!("<{mark}{left}>{}", prose(cell))
        };
        let head: String = table.head.iter().enumerate().map(head).collect();
        let grouped = is_grouped(table);
        let rows: String = (0..table.rows.len()).map(|at| row(table, at, grouped)).collect();
        self.put(format_args!(
            "<div class=scroll tabindex=0 role=group aria-label=\"{caption}\"><table \
             class=data><caption{unseen}>{caption}</caption><thead><tr>{head}</thead><tbody>\n\
             {rows}</tbody></table></div>\n"
        ));
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(text);
    }
}

fn styled(line: &TextLine) -> String {
    let span = |span: &crate::brief::block::TextSpan| {
        let code = matches!(span.style, Style::Code);
        let text = if code { escape(&span.text) } else { prose(&span.text) };
        match &span.style {
            Style::Plain => text,
            Style::Strong => format!("<strong>{text}</strong>"),
            Style::Emphasis => format!("<em>{text}</em>"),
            Style::Code => format!("<code>{text}</code>"),
            Style::Link(to) => format!("<a href=\"{}\">{text}</a>", escape(to)),
        }
    };
    line.iter().map(span).collect()
}

/// The name of a table: its caption, or the headings above it.
pub fn table_caption(table: &Table, under: &[String; 2], section: &str) -> String {
    let under = [&under[0], &under[1]].into_iter().filter(|text| !text.is_empty());
    let under: Vec<&str> = under.map(String::as_str).collect();
    match (table.caption.as_str(), &under[..]) {
        ("", []) => section.to_string(),
        ("", under) => under.join(": "),
        (own, _) => own.to_string(),
    }
}

/// A row's cells. The leading columns name the row; a name common to the rows below spans them.
fn row(table: &Table, at: usize, grouped: bool) -> String {
    let (mark, cells) = &table.rows[at];
    let class = match mark {
        Mark::None => "",
        Mark::First => " class=first",
        Mark::Side => " class=side",
        Mark::Bad => " class=bad",
    };
    let mut out = format!("<tr{class}>");
    for (i, text) in cells.iter().enumerate() {
        let span = if i == 0 && grouped { rows_below(table, at) } else { 1 };
        if i == 0 && grouped && text.is_empty() && at > 0 {
            continue;
        }
        let letters = text.chars().count();
        let words = if letters > 60 { " words" } else { "" };
        let left = match i < table.left {
            true => format!(" class=\"left{words}\""),
            // A difference with its interval is broken into two lines before the table becomes too
            // wide.
            false if letters > IN_ONE_LINE => " class=long".to_string(),
            false => String::new(),
        };
        let cell = match () {
            () if !names_row(table, cells, i, grouped) => "td".to_string(),
            () if span > 1 => format!("th scope=rowgroup rowspan={span}"),
            () => "th scope=row".to_string(),
        };
        let _ = write!(out, "<{cell}{left}>{}", prose(text));
    }
    out.push('\n');
    out
}

/// Whether rows share the name in the first column, which is then only in the first of them.
pub fn is_grouped(table: &Table) -> bool {
    let empty = |(_, cells): &(Mark, Vec<String>)| cells.first().is_some_and(String::is_empty);
    table.left > 1
        && table.rows.first().is_some_and(|row| !empty(row))
        && table.rows.iter().any(empty)
}

/// Whether a cell names its row: the first non-empty leading column, and within a group the second.
pub fn names_row(table: &Table, cells: &[String], column: usize, grouped: bool) -> bool {
    let first = cells[..column].iter().all(String::is_empty) || grouped && column == 1;
    column < table.left && !cells[column].is_empty() && first
}

/// Number of rows to which a name in the first column applies, including its own.
fn rows_below(table: &Table, at: usize) -> usize {
    let below = table.rows[at + 1..].iter();
    1 + below.take_while(|(_, cells)| cells.first().is_some_and(String::is_empty)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brief::block::{plain, strong};

    #[test]
    fn names_cannot_break_the_page() {
        let table = Table::of(1, &["<b>"], vec![vec!["a & \"b\"".to_string()]]);
        let text = Block::Text(Role::Plain, [plain("<i>"), vec![strong("</p>")]].concat());
        let body = of(&[table.block(), text]);
        assert!(body.contains("<th scope=col class=left>&lt;b&gt;"), "{body}");
        assert!(body.contains("<th scope=row class=\"left\">a &amp; &quot;b&quot;"), "{body}");
        assert!(body.contains("<p>&lt;i&gt;<strong>&lt;/p&gt;</strong></p>"), "{body}");
    }

    fn of(blocks: &[Block]) -> String {
        let palette = Palette::default();
        let own = Default::default();
        Body { palette: &palette, under: own, title: "Results", level: 0, out: String::new() }
            .of(blocks)
    }

    #[test]
    fn a_name_spans_the_rows_that_it_is_of_and_a_table_is_called_by_its_headings() {
        let rows = [["8", "A", "1"], ["", "B", "2"], ["16", "A", "3"]];
        let rows = rows.map(|row| row.map(String::from).to_vec()).to_vec();
        let body = of(&[
            Block::chapter("Reads"),
            Table::of(2, &["threads", "subject", "ops/s"], rows).block(),
        ]);
        assert!(body.contains("<caption class=unseen>Reads</caption>"), "{body}");
        assert!(
            body.contains(
                "<th scope=rowgroup rowspan=2 class=\"left\">8<th scope=row class=\"left\">A<td>1"
            ),
            "{body}"
        );
        assert!(body.contains("<tr><th scope=row class=\"left\">B<td>2"), "{body}");
    }
}
