//! Blocks for the terminal: at most 120 columns, numbers aligned right. Figures are left to the
//! other forms.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use crate::brief::block::{Block, Role, Table, words};

/// The widest line.
const WIDTH: usize = 120;
/// Where a table is too wide, longer words in its leading columns are cut.
const NAME: usize = 18;

/// The blocks one under the other.
pub fn terminal(blocks: &[Block]) -> String {
    let mut out = String::new();
    let mut before = None;
    for block in blocks {
        if apart(before, block) {
            out.push('\n');
        }
        put(&mut out, block);
        before = Some(block);
    }
    out
}

/// Whether an empty line stands between two blocks: not under a heading, nor between notes or
/// sentences in a row, nor between a sentence that leads and the list of what it rests on.
fn apart(before: Option<&Block>, block: &Block) -> bool {
    match (before, block) {
        (None | Some(Block::Figures(_)), _) | (_, Block::Figures(_)) => false,
        (Some(Block::Heading(_)), Block::Heading(_)) => true,
        (Some(Block::Heading(_)), Block::Table(_)) => true,
        (Some(Block::Heading(_)), _) => false,
        (Some(Block::Text(before, _)), Block::Text(role, _)) => before != role,
        (Some(Block::Text(Role::Lead, _)), Block::List(_)) => false,
        _ => true,
    }
}

fn put(out: &mut String, block: &Block) {
    match block {
        Block::Heading(heading) => {
            let indent = "  ".repeat(usize::from(heading.level) - 1);
            let _ = writeln!(out, "{indent}{}", heading.text);
        }
        Block::Text(_, line) => wrap(out, "  ", &words(line)),
        Block::List(items) => items.iter().for_each(|item| wrap(out, "  - ", &words(item))),
        Block::Terms(terms) => {
            terms.iter().for_each(|(term, meaning)| wrap(out, "  ", &format!("{term}: {meaning}")))
        }
        Block::Pairs(title, pairs) => {
            let _ = writeln!(out, "  {title}");
            pairs.iter().for_each(|(name, value)| wrap(out, "    ", &format!("{name}: {value}")));
        }
        Block::Table(table) => self::table(out, table),
        Block::Figures(_) => {}
        Block::Code(title, text) => {
            let _ = write!(out, "  {title}\n{text}\n");
        }
    }
}

/// A sentence in lines of the terminal's width; all but the first are indented as far as it is.
fn wrap(out: &mut String, indent: &str, text: &str) {
    let (mut line, mut empty) = (indent.to_string(), true);
    for word in text.split(' ') {
        if !empty && line.width() + 1 + word.width() > WIDTH {
            let _ = writeln!(out, "{line}");
            (line, empty) = (" ".repeat(indent.chars().count()), true);
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    let _ = writeln!(out, "{line}");
}

/// Two spaces between columns. Where a table is too wide, names are cut, then one space stands
/// between columns, and then columns at the end are left out.
fn table(out: &mut String, table: &Table) {
    let mut rows: Vec<Vec<String>> = vec![table.head.clone()];
    rows.extend(table.rows.iter().map(|(_, row)| row.clone()));
    let columns = table.head.len();
    let widths = |rows: &[Vec<String>]| -> Vec<usize> {
        let cells = |c: usize| rows.iter().filter_map(move |r| r.get(c));
        (0..columns).map(|c| cells(c).map(|s| s.width()).max().unwrap_or(0)).collect()
    };
    let spaced = |widths: &[usize], apart: usize| {
        widths.iter().sum::<usize>() + apart * widths.len().saturating_sub(1) + 2
    };
    if spaced(&widths(&rows), 2) > WIDTH {
        rows.iter_mut()
            .flat_map(|row| row.iter_mut().take(table.left))
            .for_each(|cell| *cell = cut(cell));
    }
    let widths = widths(&rows);
    let apart = if spaced(&widths, 2) > WIDTH { 1 } else { 2 };
    let total = |widths: &[usize]| spaced(widths, apart);
    let shown = (1..=columns).rev().find(|n| total(&widths[..*n]) <= WIDTH).unwrap_or(1);
    for (index, row) in rows.iter().enumerate() {
        let mut line = " ".to_string();
        for (c, (text, &width)) in row.iter().zip(&widths).take(shown).enumerate() {
            let gap = " ".repeat(width.saturating_sub(text.width()));
            let (before, after) =
                if c < table.left { ("", gap.as_str()) } else { (gap.as_str(), "") };
            let space = " ".repeat(if c == 0 { 1 } else { apart });
            let _ = write!(line, "{space}{before}{text}{after}");
        }
        let _ = writeln!(out, "{}", line.trim_end());
        if index == 0 {
            let _ = writeln!(out, "  {}", "─".repeat(total(&widths[..shown]) - 2));
        }
    }
}

fn cut(name: &str) -> String {
    if name.width() <= NAME {
        return name.to_string();
    }
    let mut kept = name.to_string();
    while kept.width() >= NAME {
        kept.pop();
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_wrapped_and_wide_tables_lose_columns_from_the_end() {
        let long = "word ".repeat(60);
        let name = "a subject whose name is long".to_string();
        let cells =
            |first: &str| [vec![first.to_string()], vec!["1,234,567".to_string(); 12]].concat();
        let rows = vec![cells(&name)];
        let shown =
            terminal(&[Block::text(long.trim()), Table::of(1, &cells("subject"), rows).block()]);
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
        assert!(shown.contains("  a subject whose n… 1,234,567"), "{shown}");
        assert!(shown.contains("word\n\n  subject"), "{shown}");
    }
}
