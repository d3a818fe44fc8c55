//! The blocks of a document. Sections define their contents, renderers their form.

use crate::brief::number_format::NONE;
use crate::chart::Chart;

/// A piece of a document.
#[derive(Clone, Debug)]
pub enum Block {
    /// A heading within a section.
    Heading(Heading),
    /// A paragraph, and what it is there for.
    Text(Role, TextLine),
    /// A list, an item a line.
    List(Vec<TextLine>),
    /// Terms and what they mean.
    Terms(Vec<(String, String)>),
    /// Names and values under a title of their own, as a disclosure lists them.
    Pairs(String, Vec<(String, String)>),
    /// A table.
    Table(Table),
    /// Figures in rows.
    Figures(Vec<Chart>),
    /// Text as it is, under a title.
    Code(String, String),
}

/// A heading within a section.
#[derive(Clone, Debug)]
pub struct Heading {
    /// 1 for a chapter of the section, 2 for a part of a chapter.
    pub level: u8,
    /// The heading's text.
    pub text: String,
    /// An anchor, where other places lead here.
    pub id: Option<String>,
}

/// What a paragraph is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Running text.
    Plain,
    /// What the section comes to.
    Lead,
    /// How numbers are made, and what they leave out.
    Note,
    /// What must not be overlooked.
    Warning,
}

/// Text of one line, however long, in runs of one style.
pub type TextLine = Vec<TextSpan>;

/// A run of text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSpan {
    /// The text, without markup.
    pub text: String,
    /// How it stands out.
    pub style: Style,
}

/// How a run of text stands out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Style {
    /// Not at all.
    Plain,
    /// Strongly.
    Strong,
    /// As words that are stressed.
    Emphasis,
    /// As something to type.
    Code,
    /// It leads to this address or anchor.
    Link(String),
}

/// A line of plain text.
pub fn plain(text: impl Into<String>) -> TextLine {
    vec![TextSpan { text: text.into(), style: Style::Plain }]
}

/// Text in which `…` is code.
pub fn with_code(text: &str) -> TextLine {
    let style = |i: usize| if i % 2 == 1 { Style::Code } else { Style::Plain };
    let spans = text
        .split('`')
        .enumerate()
        .map(|(i, part)| TextSpan { text: part.to_string(), style: style(i) });
    spans.filter(|span| !span.text.is_empty()).collect()
}

/// Text that stands out strongly.
pub fn strong(text: impl Into<String>) -> TextSpan {
    TextSpan { text: text.into(), style: Style::Strong }
}

/// The words without their styles.
pub fn words(line: &TextLine) -> String {
    line.iter().map(|span| span.text.as_str()).collect()
}

impl Block {
    /// A paragraph of running text.
    pub fn text(text: impl Into<String>) -> Block {
        Block::Text(Role::Plain, plain(text))
    }

    /// A note on how numbers are made.
    pub fn note(text: impl Into<String>) -> Block {
        Block::Text(Role::Note, plain(text))
    }

    /// A paragraph that says what the section comes to.
    pub fn lead(text: impl Into<String>) -> Block {
        Block::Text(Role::Lead, plain(text))
    }

    /// A warning.
    pub fn warning(text: impl Into<String>) -> Block {
        Block::Text(Role::Warning, plain(text))
    }

    /// A chapter of a section.
    pub fn chapter(text: impl Into<String>) -> Block {
        Block::Heading(Heading { level: 1, text: text.into(), id: None })
    }

    /// A part of a chapter.
    pub fn part(text: impl Into<String>) -> Block {
        Block::Heading(Heading { level: 2, text: text.into(), id: None })
    }

    /// A list of plain lines.
    pub fn list(items: impl IntoIterator<Item = String>) -> Block {
        Block::List(items.into_iter().map(plain).collect())
    }
}

/// What sets a row of a table apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    None,
    /// It begins a group of rows.
    First,
    /// It ran beside what was measured.
    Side,
    /// Something is wrong with it.
    Bad,
}

/// A table; the `left` leading columns are text, the rest numbers.
#[derive(Clone, Debug)]
pub struct Table {
    /// What the table is called; where empty, by the headings that it stands under.
    pub caption: String,
    /// How many leading columns are text.
    pub left: usize,
    /// The columns' names.
    pub head: Vec<String>,
    /// Rows, with what sets each apart; as many cells as the head has.
    pub rows: Vec<(Mark, Vec<String>)>,
}

impl Table {
    /// A table without rows.
    pub fn new<T: ToString>(left: usize, head: &[T]) -> Table {
        Table {
            caption: String::new(),
            left,
            head: head.iter().map(T::to_string).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, mark: Mark, cells: Vec<String>) {
        self.rows.push((mark, cells));
    }

    /// With rows that nothing sets apart.
    pub fn of<T: ToString>(left: usize, head: &[T], rows: Vec<Vec<String>>) -> Table {
        let mut table = Table::new(left, head);
        table.rows = rows.into_iter().map(|row| (Mark::None, row)).collect();
        table
    }

    /// The same table with a caption.
    pub fn captioned(mut self, caption: impl Into<String>) -> Table {
        self.caption = caption.into();
        self
    }

    /// Without the columns of numbers that were measured nowhere: imported results lack many.
    pub fn block(mut self) -> Block {
        let measured = |row: &[String], i: usize| {
            row.get(i).is_some_and(|cell| !cell.is_empty() && cell != NONE)
        };
        let kept: Vec<bool> = (0..self.head.len())
            .map(|i| i < self.left || self.rows.iter().any(|(_, row)| measured(row, i)))
            .collect();
        let keep = |cells: &mut Vec<String>| {
            let mut column = kept.iter();
            cells.retain(|_| *column.next().unwrap_or(&true));
        };
        keep(&mut self.head);
        self.rows.iter_mut().for_each(|(_, row)| keep(row));
        Block::Table(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_numbers_that_were_measured_nowhere_are_left_out() {
        let row = |cells: [&str; 4]| cells.map(String::from).to_vec();
        let rows = vec![row(["8", "A", NONE, "1"]), row(["16", "", "", "2"])];
        let Block::Table(table) =
            Table::of(2, &["threads", "subject", "MB/s", "ops/s"], rows).block()
        else {
            panic!()
        };
        assert_eq!(table.head, ["threads", "subject", "ops/s"]);
        assert_eq!(table.rows[1].1, ["16", "", "2"]);
    }
}
