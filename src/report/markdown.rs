//! The brief as Markdown: tables as tables, figures as SVG files beside it.

use std::fmt::Write;

use super::blocks::Block;
use super::document::Document;

/// The text, and the figures that it names: (file name, SVG).
pub fn markdown(document: &Document, folder: &str) -> (String, Vec<(String, String)>) {
    let (mut out, mut figures) = (String::new(), Vec::new());
    let _ = writeln!(out, "# {}\n", line(&document.title));
    let _ = writeln!(out, "{}\n", line(&document.byline));
    for [who, number, of] in &document.headlines {
        let _ = writeln!(out, "- {}: **{}**, {}", line(who), line(number), line(of));
    }
    out.push('\n');
    for (id, title, blocks) in &document.sections {
        let _ = writeln!(out, "## {}\n", line(title));
        for block in blocks {
            match block {
                Block::Heading(level, text) => {
                    out.push_str(&format!("{} {}\n\n", "#".repeat(usize::from(*level) + 1), line(text)));
                }
                Block::Text(text) => out.push_str(&format!("{}\n\n", line(text))),
                Block::Item(text) => out.push_str(&format!("- {}\n\n", line(text))),
                Block::Code(text) => out.push_str(&format!("```text\n{}\n```\n\n", text.replace("```", "'''"))),
                Block::Table { left, head, rows } => table(&mut out, *left, *head, rows),
                Block::Figure(svg) => {
                    let name = format!("{id}-{}.svg", figures.len() + 1);
                    let _ = writeln!(out, "![{}]({folder}/{name})\n", line(label(svg)));
                    figures.push((name, svg.clone()));
                }
            }
        }
    }
    (out, figures)
}

/// What a figure says of itself.
fn label(svg: &str) -> &str {
    svg.split("aria-label=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("figure")
}

fn table(out: &mut String, left: usize, head: bool, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let empty = Vec::new();
    let (first, rest) = if head { (&rows[0], &rows[1..]) } else { (&empty, rows) };
    let mut write = |row: &[String]| {
        let cells = (0..columns).map(|i| line(row.get(i).map_or("", String::as_str)).replace('|', "\\|"));
        let _ = writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    };
    write(first);
    let rule: Vec<String> = (0..columns).map(|i| if i < left { "---".into() } else { "---:".into() }).collect();
    write(&rule);
    rest.iter().for_each(|row| write(row));
    out.push('\n');
}

/// Text on one line, with what Markdown would take for its own marked as plain.
fn line(text: &str) -> String {
    text.replace('\n', " ").replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_").replace('[', "\\[")
}
