//! The brief as Markdown: tables as tables, figures as SVG files next to it. Every text goes
//! through `escape`.

mod escape;

use std::fmt::Write;

use escape::{address, at_start, code, code_block, heading, in_brackets, inline, line, marked};

use crate::brief::Brief;
use crate::brief::block::{Block, Style, Table, TextLine, TextSpan, words};

/// The text, and its figures: (file name, SVG).
pub fn markdown(document: &Brief, folder: &str) -> (String, Vec<(String, String)>) {
    let (mut out, mut figures) = (String::new(), Vec::new());
    let _ = writeln!(out, "# {}\n", heading(&document.title));
    let _ = writeln!(out, "{}\n", line(&document.byline));
    let parts =
        document.parts.iter().map(|part| (part.id.as_str(), Some(&part.title), &part.blocks));
    for (id, title, blocks) in [("cover", None, &document.cover)].into_iter().chain(parts) {
        if let Some(title) = title {
            let _ = writeln!(out, "## {}\n", heading(title));
        }
        for block in blocks {
            match block {
                Block::Figures(drawn) => {
                    for figure in drawn {
                        let name = format!("{id}-{}.svg", figures.len() + 1);
                        let (label, at) =
                            (in_brackets(&figure.label()), format!("{folder}/{name}"));
                        let _ = writeln!(out, "![{label}]({})\n", address(&at));
                        figures.push((name, figure.alone(&document.palette)));
                    }
                }
                other => put(&mut out, other),
            }
        }
    }
    (out, figures)
}

fn put(out: &mut String, block: &Block) {
    let _ = match block {
        Block::Heading(h) => {
            writeln!(out, "{} {}\n", "#".repeat(usize::from(h.level) + 2), heading(&h.text))
        }
        Block::Text(_, text) => writeln!(out, "{}\n", styled(text)),
        Block::List(items) => {
            items.iter().for_each(|item| out.push_str(&format!("- {}\n", styled(item))));
            writeln!(out)
        }
        Block::Terms(terms) => {
            terms.iter().for_each(|(term, text)| {
                let term = marked("**", &inline(term));
                out.push_str(&format!("- {}: {}\n", at_start(&term), inline(text)))
            });
            writeln!(out)
        }
        Block::Pairs(title, pairs) => {
            let rows: Vec<Vec<String>> =
                pairs.iter().map(|(name, value)| vec![name.clone(), value.clone()]).collect();
            out.push_str(&format!("### {}\n\n", heading(title)));
            table(out, &Table::of(2, &["", ""], rows));
            Ok(())
        }
        Block::Table(own) => {
            table(out, own);
            Ok(())
        }
        Block::Code(title, text) => {
            let title =
                if title.is_empty() { String::new() } else { format!("{}\n\n", line(title)) };
            writeln!(out, "{title}{}", code_block(text))
        }
        Block::Figures(_) => Ok(()),
    };
}

fn table(out: &mut String, table: &Table) {
    let columns =
        table.rows.iter().map(|(_, row)| row.len()).max().unwrap_or(0).max(table.head.len());
    let row_of = |row: &[String]| {
        let cells = (0..columns).map(|i| inline(row.get(i).map_or("", String::as_str)));
        let cells: Vec<String> = cells.map(|cell| cell.trim().to_string()).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let aligned = (0..columns).map(|i| if i < table.left { "---" } else { "---:" });
    out.push_str(&row_of(&table.head));
    out.push_str(&format!("| {} |\n", aligned.collect::<Vec<_>>().join(" | ")));
    out.extend(table.rows.iter().map(|(_, row)| row_of(row)));
    out.push('\n');
}

fn styled(text: &TextLine) -> String {
    if words(text).trim().is_empty() {
        return String::new();
    }
    let mut out = String::new();
    for TextSpan { text, style } in text {
        match style {
            Style::Plain => out.push_str(&inline(text)),
            Style::Strong => out.push_str(&marked("**", &inline(text))),
            Style::Emphasis => out.push_str(&marked("*", &inline(text))),
            Style::Code => out.push_str(&code(text)),
            Style::Link(to) => {
                // Otherwise it is a picture.
                if out.ends_with('!') {
                    out.insert(out.len() - 1, '\\');
                }
                out.push_str(&format!("[{}](<{}>)", in_brackets(text), address(to)));
            }
        }
    }
    // The marks of a style do not begin a block, except those of a list.
    match text.first().map(|first| &first.style) {
        Some(Style::Plain) => at_start(&out),
        _ => out.trim().to_string(),
    }
}

#[cfg(test)]
mod tests;
