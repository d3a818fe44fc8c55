//! Blocks for the terminal, at its width: sentences are wrapped, wide tables continue below, and
//! numbers are right-aligned. Figures are omitted.

use std::borrow::Cow;
use std::fmt::Write;
use std::iter::repeat_n;

use unicode_width::UnicodeWidthStr;

use crate::brief::block::{Block, Role, Table, words};

/// If a table is too wide, longer words in its leading columns are truncated.
const NAME: usize = 18;

/// The number of terminal columns of a text. Nearly all cells are ASCII, whose width equals their
/// bytes.
fn width_of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// The blocks, for a terminal of this many columns.
pub fn terminal(blocks: &[Block], columns: usize) -> String {
    let mut out = String::new();
    let mut before = None;
    for block in blocks {
        if apart(before, block) {
            out.push('\n');
        }
        put(&mut out, block, columns);
        before = Some(block);
    }
    out
}

/// Whether an empty line separates two blocks: not after a heading, between consecutive notes or
/// sentences, or between a sentence and the list that supports it.
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

fn put(out: &mut String, block: &Block, columns: usize) {
    let mut wrap = |indent: &str, text: &str| wrapped(out, indent, text, columns);
    match block {
        Block::Text(_, line) => wrap("  ", &words(line)),
        Block::List(items) => items.iter().for_each(|item| wrap("  - ", &words(item))),
        Block::Terms(terms) => {
            terms.iter().for_each(|(term, meaning)| wrap("  ", &format!("{term}: {meaning}")))
        }
        Block::Pairs(title, pairs) => {
            wrap("  ", title);
            pairs.iter().for_each(|(name, value)| wrap("    ", &format!("{name}: {value}")));
        }
        Block::Heading(heading) => {
            wrap(&"  ".repeat(usize::from(heading.level) - 1), &heading.text)
        }
        Block::Table(table) => self::table(out, table, columns),
        Block::Figures(_) => {}
        Block::Code(title, text) => {
            let _ = write!(out, "  {title}\n{text}\n");
        }
    }
}

/// A sentence in lines of the terminal's width; continuation lines are indented like the first.
fn wrapped(out: &mut String, indent: &str, text: &str, columns: usize) {
    let (mut line, mut empty) = (indent.to_string(), true);
    for word in text.split(' ') {
        if !empty && width_of(&line) + 1 + width_of(word) > columns {
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

/// Two spaces between columns. If a table is too wide, names are truncated, then columns are
/// separated by one space, and finally the table continues below with its names repeated.
fn table(out: &mut String, table: &Table, columns: usize) {
    let (mut whole, mut short) = (vec![0; table.head.len()], vec![0; table.head.len()]);
    for row in rows(table) {
        for (c, text) in row.iter().enumerate().take(whole.len()) {
            let width = width_of(text);
            whole[c] = whole[c].max(width);
            short[c] = short[c].max(if c < table.left { width.min(NAME) } else { width });
        }
    }
    let all: Vec<usize> = (0..table.head.len()).collect();
    let forms = [(&whole, 2), (&short, 2), (&short, 1)];
    if let Some((widths, apart)) =
        forms.into_iter().find(|(widths, apart)| spaced(widths, &all, *apart) <= columns)
    {
        return part(out, table, (widths, apart), &all);
    }
    let names = all[..table.left.min(all.len())].to_vec();
    let mut parts = vec![names.clone()];
    for column in &all[names.len()..] {
        let last = parts.len() - 1;
        let longer = [&parts[last][..], &[*column]].concat();
        match spaced(&short, &longer, 2) <= columns || parts[last].len() == names.len() {
            true => parts[last] = longer,
            false => parts.push([&names[..], &[*column]].concat()),
        }
    }
    for (i, shown) in parts.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        part(out, table, (&short, 2), shown);
    }
}

/// The head and the rows.
fn rows(table: &Table) -> impl Iterator<Item = &Vec<String>> {
    std::iter::once(&table.head).chain(table.rows.iter().map(|(_, row)| row))
}

/// The width of some columns with their indent.
fn spaced(widths: &[usize], shown: &[usize], apart: usize) -> usize {
    shown.iter().map(|c| widths[*c]).sum::<usize>() + apart * shown.len().saturating_sub(1) + 2
}

/// Some columns of a table.
fn part(out: &mut String, table: &Table, (widths, apart): (&[usize], usize), shown: &[usize]) {
    for (index, row) in rows(table).enumerate() {
        let begin = out.len();
        out.push(' ');
        for (i, c) in shown.iter().copied().enumerate() {
            let text = row.get(c).map_or("", String::as_str);
            let (width, wide) = (widths[c], width_of(text));
            let cut = if c < table.left && wide > width { cut(text, width) } else { text.into() };
            let gap = width.saturating_sub(if wide > width { width_of(&cut) } else { wide });
            let (before, after) = if c < table.left { (0, gap) } else { (gap, 0) };
            let space = if i == 0 { 1 } else { apart };
            out.extend(repeat_n(' ', space + before));
            out.push_str(&cut);
            out.extend(repeat_n(' ', after));
        }
        out.truncate(begin + out[begin..].trim_end().len());
        out.push('\n');
        if index == 0 {
            let _ = writeln!(out, "  {}", "─".repeat(spaced(widths, shown, apart) - 2));
        }
    }
}

/// The beginning of a name that is wider than `most`.
fn cut(name: &str, most: usize) -> Cow<'_, str> {
    let mut kept = name.to_string();
    while width_of(&kept) >= most {
        kept.pop();
    }
    Cow::Owned(kept + "…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_wrapped_and_wide_tables_continue_below_with_their_names() {
        let long = "word ".repeat(60);
        let name = "a subject whose name is long".to_string();
        let cells =
            |first: &str| [vec![first.to_string()], vec!["1,234,567".to_string(); 12]].concat();
        let rows = vec![cells(&name)];
        let shown = terminal(
            &[Block::text(long.trim()), Table::of(1, &cells("subject"), rows).block()],
            120,
        );
        assert!(shown.lines().all(|line| line.chars().count() <= 120), "{shown}");
        assert_eq!(shown.matches("  a subject whose n…  1,234,567").count(), 2, "{shown}");
        assert_eq!(shown.matches("1,234,567").count(), 12 + 12, "{shown}");
        assert!(shown.contains("word\n\n  subject"), "{shown}");
    }

    #[test]
    fn a_narrow_terminal_has_narrow_sentences_and_tables_without_a_column_less() {
        let cells = |first: &str, number: &str| {
            [vec![first.to_string()], vec![number.to_string(); 6]].concat()
        };
        let name = "a subject whose name is long";
        let shown = |number: &str, columns: usize| {
            let rows = vec![cells(name, number)];
            let table = Table::of(1, &cells("subject", "ops/s"), rows).block();
            terminal(&[Block::text("word ".repeat(60).trim()), table], columns)
        };
        let narrow = shown("1,234,567", 80);
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        assert!(narrow.contains("a subject whose n… 1,234,567"), "{narrow}");
        assert_eq!(narrow.matches("1,234,567").count(), 6, "{narrow}");
        assert!(shown("1,234,567", 120).contains(name));
        let wide = shown("1,234,567,890", 80);
        assert!(wide.lines().all(|line| line.chars().count() <= 80), "{wide}");
        assert!(wide.matches("whose").count() == 2 && wide.matches("890").count() == 6, "{wide}");
    }
}
