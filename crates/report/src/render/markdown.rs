//! The brief as Markdown: tables as tables, figures as SVG files next to it.

use std::fmt::Write;

use crate::brief::Brief;
use crate::brief::block::{Block, Style, Table, TextLine, TextSpan, words};

/// The text, and its figures: (file name, SVG).
pub fn markdown(document: &Brief, folder: &str) -> (String, Vec<(String, String)>) {
    let (mut out, mut figures) = (String::new(), Vec::new());
    let _ = writeln!(out, "# {}\n", line(&document.title));
    let _ = writeln!(out, "{}\n", line(&document.byline));
    let parts =
        document.parts.iter().map(|part| (part.id.as_str(), Some(&part.title), &part.blocks));
    for (id, title, blocks) in [("cover", None, &document.cover)].into_iter().chain(parts) {
        if let Some(title) = title {
            let _ = writeln!(out, "## {}\n", line(title));
        }
        for block in blocks {
            match block {
                Block::Figures(drawn) => {
                    for figure in drawn {
                        let name = format!("{id}-{}.svg", figures.len() + 1);
                        let _ = writeln!(out, "![{}]({folder}/{name})\n", line(&figure.label()));
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
            writeln!(out, "{} {}\n", "#".repeat(usize::from(h.level) + 2), line(&h.text))
        }
        Block::Text(_, text) => writeln!(out, "{}\n", styled(text)),
        Block::List(items) => {
            items.iter().for_each(|item| out.push_str(&format!("- {}\n", styled(item))));
            writeln!(out)
        }
        Block::Terms(terms) => {
            terms.iter().for_each(|(term, text)| {
                out.push_str(&format!("- **{}**: {}\n", line(term), line(text)))
            });
            writeln!(out)
        }
        Block::Pairs(title, pairs) => {
            let rows: Vec<Vec<String>> =
                pairs.iter().map(|(name, value)| vec![name.clone(), value.clone()]).collect();
            out.push_str(&format!("### {}\n\n", line(title)));
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
            writeln!(out, "{title}```text\n{}\n```\n", text.replace("```", "'''"))
        }
        Block::Figures(_) => Ok(()),
    };
}

fn table(out: &mut String, table: &Table) {
    let columns =
        table.rows.iter().map(|(_, row)| row.len()).max().unwrap_or(0).max(table.head.len());
    let mut write = |row: &[String]| {
        let cells =
            (0..columns).map(|i| line(row.get(i).map_or("", String::as_str)).replace('|', "\\|"));
        let _ = writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    };
    write(&table.head);
    write(
        &(0..columns)
            .map(|i| if i < table.left { "---".into() } else { "---:".into() })
            .collect::<Vec<_>>(),
    );
    table.rows.iter().for_each(|(_, row)| write(row));
    out.push('\n');
}

fn styled(text: &TextLine) -> String {
    let span = |span: &TextSpan| {
        let text = line(&span.text);
        match &span.style {
            Style::Plain => text,
            Style::Strong => format!("**{text}**"),
            Style::Emphasis => format!("*{text}*"),
            Style::Code => format!("`{}`", span.text),
            Style::Link(to) => format!("[{text}](<{}>)", to.replace(['<', '>', '\n'], "")),
        }
    };
    if words(text).trim().is_empty() { String::new() } else { text.iter().map(span).collect() }
}

/// Text on one line, escaped for Markdown.
fn line(text: &str) -> String {
    text.replace('\n', " ")
        .replace('<', "&lt;")
        .replace('*', "\\*")
        .replace('_', "\\_")
        .replace('[', "\\[")
}
