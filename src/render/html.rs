//! The brief as a page: one HTML file that opens offline and prints well.

use std::fmt::Write;

use askama::Template;
use base64::prelude::{BASE64_STANDARD, Engine};

use crate::base::error::{Context, Result};
use crate::brief::Document;
use crate::brief::block::{Block, Line, Mark, Role, Style, Table};
use crate::chart::Palette;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    document: &'a Document,
    /// Ready-made HTML of the sections: (id, title, body).
    sections: Vec<(&'a str, &'a str, String)>,
    cover: String,
    /// A PNG as base64; empty without a logo.
    logo: String,
}

impl Page<'_> {
    fn colour(&self, subject: &usize) -> &str {
        self.document.palette.of(*subject)
    }
}

/// The whole brief as HTML.
pub fn html(document: &Document) -> Result<String> {
    let body = |blocks: &[Block]| Body { palette: &document.palette, out: String::new() }.of(blocks);
    let page = Page {
        document,
        cover: body(&document.cover),
        sections: document.parts.iter().map(|p| (p.id.as_str(), p.title.as_str(), body(&p.blocks))).collect(),
        logo: document.logo_png.as_deref().map(|png| BASE64_STANDARD.encode(png)).unwrap_or_default(),
    };
    page.render().context("making the page")
}

/// Text made safe to stand in HTML.
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

/// A section's HTML on its way.
struct Body<'a> {
    palette: &'a Palette,
    out: String,
}

impl Body<'_> {
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
            Block::Heading(heading) => {
                let id = heading.id.as_ref().map_or(String::new(), |id| format!(" id=\"{}\"", escape(id)));
                let h = heading.level + 2;
                self.put(format_args!("<h{h}{id}>{}</h{h}>\n", escape(&heading.text)));
            }
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
                let items: String = items.iter().map(|item| format!("<li>{}</li>\n", styled(item))).collect();
                self.put(format_args!("<ul>\n{items}</ul>\n"));
            }
            Block::Terms(terms) => {
                let term = |(term, text): &(String, String)| format!("<dt>{}<dd>{}\n", escape(term), escape(text));
                self.put(format_args!("<dl class=method>\n{}</dl>\n", terms.iter().map(term).collect::<String>()));
            }
            Block::Pairs(title, pairs) => {
                let row = |(name, value): &(String, String)| {
                    format!("<tr><th scope=row>{}<td>{}\n", escape(name), escape(value))
                };
                let (title, rows) = (escape(title), pairs.iter().map(row).collect::<String>());
                self.put(format_args!("<div class=group><h3>{title}</h3><table class=pairs>\n{rows}</table></div>\n"));
            }
            Block::Table(own) => self.table(own),
            Block::Figures(figures) => {
                let figure = |f: &crate::chart::Figure| format!("<figure>{}</figure>\n", f.svg(self.palette));
                let figures: String = figures.iter().map(figure).collect();
                self.put(format_args!("<div class=figures>\n{figures}</div>\n"));
            }
            Block::Code(title, text) if title.is_empty() => self.put(format_args!("<pre>{}</pre>\n", escape(text))),
            Block::Code(title, text) => self.put(format_args!(
                "<details><summary>{}</summary><pre>{}</pre></details>\n",
                escape(title),
                escape(text)
            )),
        }
    }

    fn table(&mut self, table: &Table) {
        let cells = |mark: &str, row: &[String]| -> String {
            row.iter().map(|cell| format!("<{mark}>{}", escape(cell))).collect()
        };
        let row = |(mark, row): &(Mark, Vec<String>)| {
            let class = match mark {
                Mark::None => "",
                Mark::First => " class=first",
                Mark::Side => " class=side",
                Mark::Bad => " class=bad",
            };
            format!("<tr{class}>{}\n", cells("td", row))
        };
        self.put(format_args!(
            "<div class=scroll><table class=\"data left{}\"><thead><tr>{}</thead><tbody>\n{}</tbody></table></div>\n",
            table.left,
            cells("th scope=col", &table.head),
            table.rows.iter().map(row).collect::<String>()
        ));
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a string cannot fail.
        let _ = self.out.write_fmt(text);
    }
}

fn styled(line: &Line) -> String {
    let span = |span: &crate::brief::block::Span| {
        let text = escape(&span.text);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brief::block::{plain, strong};

    #[test]
    fn names_cannot_break_the_page() {
        let table = Table::of(1, &["<b>"], vec![vec!["a & \"b\"".to_string()]]);
        let text = Block::Text(Role::Plain, [plain("<i>"), vec![strong("</p>")]].concat());
        let body = Body { palette: &Palette::default(), out: String::new() }.of(&[table.block(), text]);
        assert!(body.contains("<th scope=col>&lt;b&gt;") && body.contains("<td>a &amp; &quot;b&quot;"), "{body}");
        assert!(body.contains("<p>&lt;i&gt;<strong>&lt;/p&gt;</strong></p>"), "{body}");
    }
}
