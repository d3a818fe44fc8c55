//! The blocks of a document. Sections define their contents, renderers their form.

use crate::brief::number_format::NONE;
use crate::chart::Chart;

/// A piece of a document.
#[derive(Clone, Debug)]
pub enum Block {
    /// A heading within a section.
    Heading(Heading),
    /// A paragraph, with its purpose.
    Text(Role, TextLine),
    /// A list, one item per line.
    List(Vec<TextLine>),
    /// Terms with their definitions.
    Terms(Vec<(String, String)>),
    /// Names and values with their own title, as in a disclosure.
    Pairs(String, Vec<(String, String)>),
    /// A table.
    Table(Table),
    /// Figures in rows.
    Figures(Vec<Chart>),
    /// Preformatted text with a title.
    Code(String, String),
}

/// A heading within a section.
#[derive(Clone, Debug)]
pub struct Heading {
    /// 1 for a chapter of the section, 2 for a part of a chapter.
    pub level: u8,
    /// The heading's text.
    pub text: String,
    /// An anchor, if there are links to it.
    pub id: Option<String>,
}

/// The purpose of a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Running text.
    Plain,
    /// The result of the section.
    Lead,
    /// The computation of numbers, and what they exclude.
    Note,
    /// A warning.
    Warning,
}

/// Text of one line, of any length, in runs of one style.
pub type TextLine = Vec<TextSpan>;

/// A run of text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSpan {
    /// The text, without markup.
    pub text: String,
    /// Its style.
    pub style: Style,
}

/// The style of a run of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Style {
    /// Plain.
    Plain,
    /// Strong.
    Strong,
    /// Emphasised.
    Emphasis,
    /// Code.
    Code,
    /// A link to this address or anchor.
    Link(String),
}

/// A line of plain text.
pub fn plain(text: impl Into<String>) -> TextLine {
    vec![TextSpan { text: text.into(), style: Style::Plain }]
}

/// Text in which `…` is code. A mark without a partner is a character.
pub fn with_code(text: &str) -> TextLine {
    let (paired, rest) = match (text.matches('`').count() % 2, text.rfind('`')) {
        (1, Some(last)) => text.split_at(last),
        _ => (text, ""),
    };
    let style = |i: usize| if i % 2 == 1 { Style::Code } else { Style::Plain };
    let spans = paired
        .split('`')
        .enumerate()
        .map(|(i, part)| TextSpan { text: part.to_string(), style: style(i) });
    let mut spans: TextLine = spans.chain(plain(rest)).collect();
    spans.retain(|span| !span.text.is_empty());
    spans
}

/// Strong text.
pub fn strong(text: impl Into<String>) -> TextSpan {
    TextSpan { text: text.into(), style: Style::Strong }
}

/// The words without styles.
pub fn words(line: &TextLine) -> String {
    line.iter().map(|span| span.text.as_str()).collect()
}

impl Block {
    /// A paragraph of running text.
    pub fn text(text: impl Into<String>) -> Block {
        Block::Text(Role::Plain, plain(text))
    }

    /// A note on how numbers are computed.
    pub fn note(text: impl Into<String>) -> Block {
        Block::Text(Role::Note, plain(text))
    }

    /// A paragraph with the result of the section.
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

    /// A chapter with a list of plain lines; nothing if there are none.
    pub fn titled_list(title: String, items: Vec<String>) -> Vec<Block> {
        match items.is_empty() {
            true => Vec::new(),
            false => vec![Block::chapter(title), Block::list(items)],
        }
    }

    /// Figures, if there are any.
    pub fn figures(figures: Vec<Chart>) -> Option<Block> {
        (!figures.is_empty()).then_some(Block::Figures(figures))
    }

    /// A list of plain lines.
    pub fn list(items: impl IntoIterator<Item = String>) -> Block {
        Block::List(items.into_iter().map(plain).collect())
    }
}

/// The kind of a table row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Ordinary.
    None,
    /// It begins a group of rows.
    First,
    /// Background load.
    Side,
    /// Something is wrong with it.
    Bad,
}

/// A table; the `left` leading columns are text, the rest numbers.
#[derive(Clone, Debug)]
pub struct Table {
    /// The table's caption; if empty, the headings above it.
    pub caption: String,
    /// Number of leading text columns.
    pub left: usize,
    /// The columns' names.
    pub head: Vec<String>,
    /// Rows, with their kinds; as many cells as the head.
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

    /// A table with ordinary rows.
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

    /// The table without empty columns: of numbers, because imported results lack many, and of
    /// text, such as the axis of a step without one.
    pub fn block(mut self) -> Block {
        let says = |i: usize, cell: &str| !cell.is_empty() && (i < self.left || cell != NONE);
        let any = |i: usize| {
            let said = |(_, row): &(Mark, Vec<String>)| row.get(i).is_some_and(|own| says(i, own));
            self.rows.iter().any(said) || (self.rows.is_empty() && i < self.left)
        };
        let kept: Vec<bool> = (0..self.head.len()).map(any).collect();
        let keep = |cells: &mut Vec<String>| {
            let mut column = kept.iter();
            cells.retain(|_| *column.next().unwrap_or(&true));
        };
        keep(&mut self.head);
        self.rows.iter_mut().for_each(|(_, row)| keep(row));
        self.left = kept.iter().take(self.left).filter(|kept| **kept).count();
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
        let rows = vec![row(["", "A", "3", "1"]), row(["", "B", "4", "2"])];
        let Block::Table(of_one_point) =
            Table::of(2, &["", "subject", "MB/s", "ops/s"], rows).block()
        else {
            panic!()
        };
        assert_eq!((&*of_one_point.head.join("|"), of_one_point.left), ("subject|MB/s|ops/s", 1));
        assert_eq!(of_one_point.rows[1].1, ["B", "4", "2"]);
        assert_eq!(table.rows[1].1, ["16", "", "2"]);
    }
}
