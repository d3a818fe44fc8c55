//! Tables, and names with values, as pieces for pages: the font size is reduced until a table fits,
//! and its head is repeated on further pages.

use std::num::NonZeroU32;

use krilla::tagging::{TableHeaderScope, Tag};

use crate::brief::block::{Mark, Table};
use crate::chart::canvas::fonts::{self, Face};
use crate::render::html::{is_grouped, names_row};
use crate::render::paper::columns;
use crate::render::paper::layout::{
    ACROSS, FAINT, INK, LineStyle, MARGIN, PLAIN, PageLayout, TextFlow, broken, width, written,
};
use crate::render::paper::piece::{Item, Piece, Rgb};
use crate::render::paper::tags::{TagId, Tags};

const RULE: Rgb = (0xd5, 0xdb, 0xe2);
/// Font sizes of tables: the largest that fits.
const IN_TABLES: [f32; 6] = [7.8, 7.4, 7.0, 6.6, 6.2, 5.8];
/// Space between columns.
const GUTTER: f32 = 6.0;
/// Number of rows kept with their table's head.
const KEPT_ROWS: usize = 3;
/// Maximum number of rows of a table that is not divided between columns.
const SMALL_TABLE: usize = 12;

impl PageLayout {
    /// Names and values, several pairs per row.
    pub fn pairs(&mut self, title: &str, pairs: &[(String, String)]) {
        let across = self.across();
        let set = LineStyle { size: 8.0 * self.scale(), ..PLAIN };
        let (part, name) = ((self.width - 12.0 * (across - 1) as f32) / across as f32, 0.4);
        self.tags.begin(Tag::Table.with_summary(Some(title.to_string())));
        // A long value gets its own row.
        let room = f64::from(part * (1.0 - name) * 2.0);
        let is_long = |(_, value): &&(String, String)| {
            fonts::width(value, f64::from(set.size), set.face) > room
        };
        let (long, short): (Vec<_>, Vec<_>) = pairs.iter().partition(is_long);
        let rows = short.len().div_ceil(across);
        let empty = (String::new(), String::new());
        for row in 0..rows {
            let cells: Vec<_> =
                (0..across).map(|side| *short.get(row + rows * side).unwrap_or(&&empty)).collect();
            self.pairs_row(&cells, (part, part * name), set, row == 0 && rows > 1);
        }
        for pair in long {
            self.pairs_row(&[pair], (self.width, part * name), set, false);
        }
        self.tags.end();
        self.gap(3.0);
    }

    fn across(&self) -> usize {
        if self.is_narrow { 1 } else { ACROSS[usize::from(self.is_fine)] }
    }

    /// Whether a table fits into one of this many columns.
    pub fn fits(&self, table: &Table, columns: usize) -> bool {
        let rows: Vec<&Vec<String>> =
            std::iter::once(&table.head).chain(table.rows.iter().map(|(_, r)| r)).collect();
        let many = rows.iter().map(|r| r.len()).max().unwrap_or(0);
        let natural: f32 = natural(many, &rows).iter().map(|w| w * IN_TABLES[4] + GUTTER).sum();
        natural <= columns::width(self.width, columns)
    }

    /// Pairs next to one another with this width, of which the name takes this much; a single one
    /// spans all columns.
    fn pairs_row(
        &mut self,
        cells: &[&(String, String)],
        (part, name): (f32, f32),
        set: LineStyle,
        keep: bool,
    ) {
        self.tags.begin(Tag::TR);
        let mut piece = Piece { keep, ..Piece::default() };
        let mut deep = 1;
        let span = if cells.len() == 1 { self.across() as u32 * 2 - 1 } else { 1 };
        for (side, (key, value)) in cells.iter().enumerate() {
            let x = MARGIN + (part + 12.0) * side as f32;
            let over = NonZeroU32::new(span).filter(|_| span > 1);
            let tags = [
                self.tags.leaf(Tag::TH(TableHeaderScope::Row)),
                self.tags.leaf(Tag::TD.with_col_span(over)),
            ];
            let columns = [(x, name - 5.0, key, FAINT), (x + name, part - name, value, INK)];
            for ((x, wide, text, colour), tag) in columns.into_iter().zip(tags) {
                let set = LineStyle { colour, ..set };
                let lines = broken(text, set, wide);
                deep = deep.max(lines.len());
                cell(&mut piece, (x, 0.0), CellText { lines, set, tag, right: None });
            }
        }
        piece.height = deep as f32 * set.size * 1.25 + 2.0;
        let line =
            Item::Rule { at: (MARGIN, piece.height - 1.2), size: (self.width, 0.4), colour: RULE };
        piece.items.push((line, None));
        self.pieces.push(piece);
        self.tags.end();
    }

    pub fn table(&mut self, table: &Table, called: &str) {
        let rows: Vec<&Vec<String>> =
            std::iter::once(&table.head).chain(table.rows.iter().map(|(_, r)| r)).collect();
        let columns = rows.iter().map(|r| r.len()).max().unwrap_or(0);
        let (size, mut widths) = self.columns(columns, &rows);
        // Numbers extend to the right margin; a table of words is left-aligned.
        let spare = self.width - widths.iter().sum::<f32>();
        if table.left < columns && spare > 0.0 {
            widths.iter_mut().for_each(|w| *w += spare / columns as f32);
        }
        let from = self.pieces.len();
        if !table.caption.is_empty() {
            let set = self.scaled(LineStyle { size: 8.2, face: Face::Bold, colour: INK });
            let tag = self.tags.leaf(Tag::P);
            self.lines(&table.caption, TextFlow { set, indent: 0.0, tag, keep: true });
        }
        let number = self.heads.len();
        self.tags.begin(Tag::Table.with_summary(Some(called.to_string())));
        let grid = Grid { table, widths, size, number, grouped: is_grouped(table) };
        let head = grid.row(&mut self.tags, None, self.width);
        // The head is drawn at the table's start, and again on each further page.
        let again = Piece { height: head.height, items: head.items.clone(), ..Piece::default() };
        self.heads.push(vec![again]);
        self.pieces.push(head);
        self.bind(from);
        for (at, group) in groups(table).into_iter().enumerate() {
            let mut piece = grid.row(&mut self.tags, Some(at), self.width);
            let left = table.rows.len() - at;
            // Within columns its head is not repeated.
            let small = self.is_narrow && table.rows.len() <= SMALL_TABLE && left > 1;
            // The rows of adjacent subjects are read together.
            let grouped = group.is_some_and(|(end, rows)| at + 1 < end && rows <= SMALL_TABLE);
            let soft = at + 1 < KEPT_ROWS.min(table.rows.len()) || left == 2;
            piece.keep = soft || small || grouped;
            piece.soft = soft && !small && !grouped;
            self.pieces.push(piece);
        }
        self.tags.end();
        self.gap(7.0 * self.scale());
    }

    /// The lines of a table's tallest cell.
    #[cfg(test)]
    pub fn most_lines(&self, table: &Table) -> usize {
        let rows: Vec<&Vec<String>> =
            std::iter::once(&table.head).chain(table.rows.iter().map(|(_, r)| r)).collect();
        let (size, widths) = self.columns(table.head.len(), &rows);
        let set = LineStyle { size, ..PLAIN };
        let lines = |row: &&Vec<String>| {
            let cells = row.iter().zip(&widths);
            cells.map(|(text, wide)| broken(text, set, wide - GUTTER + 1.0).len()).max()
        };
        rows.iter().filter_map(lines).max().unwrap_or(0)
    }

    /// The font size and the widths of the columns: as large as fits, narrowing the widest columns
    /// if none does.
    fn columns(&self, columns: usize, rows: &[&Vec<String>]) -> (f32, Vec<f32>) {
        let natural = natural(columns, rows);
        let at = |size: f32| natural.iter().map(|w| w * size + GUTTER).collect::<Vec<f32>>();
        let largest = if self.is_fine { IN_TABLES[4] } else { IN_TABLES[0] };
        for size in IN_TABLES.into_iter().filter(|size| *size <= largest) {
            if at(size).iter().sum::<f32>() <= self.width {
                return (size, at(size));
            }
        }
        let size = IN_TABLES[3];
        let mut widths = at(size);
        while widths.iter().sum::<f32>() > self.width {
            let Some(widest) = widths.iter_mut().max_by(|a, b| a.total_cmp(b)) else { break };
            *widest *= 0.93;
        }
        (size, widths)
    }
}

/// The group of each row: the index after its last row, and its number of rows; None in a table
/// without groups.
fn groups(table: &Table) -> Vec<Option<(usize, usize)>> {
    let mut firsts: Vec<usize> =
        (0..table.rows.len()).filter(|at| table.rows[*at].0 == Mark::First).collect();
    let Some(first) = firsts.first().copied() else { return vec![None; table.rows.len()] };
    let mut all = vec![None; first];
    firsts.push(table.rows.len());
    for pair in firsts.windows(2) {
        let rows = pair[1] - pair[0];
        all.extend(std::iter::repeat_n(Some((pair[1], rows)), rows));
    }
    all
}

/// The width of each column's longest text at font size 1.
fn natural(columns: usize, rows: &[&Vec<String>]) -> Vec<f32> {
    let mut natural = vec![0.0f32; columns];
    for (i, row) in rows.iter().enumerate() {
        let face = if i == 0 { Face::Bold } else { Face::Plain };
        for (most, text) in natural.iter_mut().zip(row.iter()) {
            *most = most.max(width(text, 1.0, face));
        }
    }
    natural
}

/// A table during layout.
struct Grid<'a> {
    table: &'a Table,
    widths: Vec<f32>,
    size: f32,
    number: usize,
    grouped: bool,
}

impl Grid<'_> {
    /// A row, or the head, with its tags.
    fn row(&self, tags: &mut Tags, at: Option<usize>, whole: f32) -> Piece {
        let (mark, cells) = at.map_or((Mark::None, &self.table.head), |at| {
            (self.table.rows[at].0, &self.table.rows[at].1)
        });
        let face = if at.is_none() { Face::Bold } else { Face::Plain };
        let colour = match (at, mark) {
            (None, _) | (_, Mark::Side) => FAINT,
            (_, Mark::Bad) => (0xa3, 0x26, 0x0f),
            _ => INK,
        };
        let set = LineStyle { size: self.size, face, colour };
        let line = self.size * 1.25;
        tags.begin(Tag::TR);
        let mut piece = Piece { table: Some(self.number), ..Piece::default() };
        let (mut x, mut deep) = (MARGIN, 1);
        for (column, wide) in self.widths.iter().enumerate() {
            let text = cells.get(column).map_or("", String::as_str);
            let lines = broken(text, set, wide - GUTTER + 1.0);
            deep = deep.max(lines.len());
            if let Some(tag) = self.tag(tags, at, column, text) {
                let right = (column >= self.table.left).then_some(wide - GUTTER);
                cell(&mut piece, (x, 0.0), CellText { lines, set, tag, right });
            }
            x += wide;
        }
        tags.end();
        piece.height = deep as f32 * line + 3.0;
        let (thick, colour) = if at.is_none() { (0.8, INK) } else { (0.4, RULE) };
        let rule = |y: f32, thick: f32, colour: Rgb| {
            (Item::Rule { at: (MARGIN, y), size: (whole, thick), colour }, None)
        };
        piece.items.push(rule(piece.height - 1.5, thick, colour));
        if mark == Mark::First && at != Some(0) {
            piece.items.push(rule(-1.5, 0.5, FAINT));
        }
        piece
    }

    /// The kind of a cell; None if the name above spans it.
    fn tag(&self, tags: &mut Tags, at: Option<usize>, column: usize, text: &str) -> Option<TagId> {
        let Some(at) = at else {
            return Some(match text {
                "" => tags.leaf(Tag::TD),
                _ => tags.leaf(Tag::TH(TableHeaderScope::Column)),
            });
        };
        if column == 0 && self.grouped && text.is_empty() && at > 0 {
            return None;
        }
        let cells = &self.table.rows[at].1;
        if text.is_empty() || !names_row(self.table, cells, column, self.grouped) {
            return Some(tags.leaf(Tag::TD));
        }
        let below = self.table.rows[at + 1..].iter();
        let below =
            below.take_while(|(_, cells)| cells.first().is_some_and(String::is_empty)).count();
        let span = if column == 0 && self.grouped { below as u32 + 1 } else { 1 };
        let kind = Tag::TH(TableHeaderScope::Row)
            .with_row_span(NonZeroU32::new(span).filter(|_| span > 1));
        Some(tags.leaf(kind))
    }
}

/// The contents of a cell.
struct CellText {
    lines: Vec<String>,
    set: LineStyle,
    tag: TagId,
    /// The right edge of its lines; without it, they are left-aligned.
    right: Option<f32>,
}

/// The lines of a cell; an empty one contains a space, to remain a cell.
fn cell(piece: &mut Piece, (x, y): (f32, f32), text: CellText) {
    let CellText { lines, set, tag, right } = text;
    let lines = if lines.is_empty() { vec![" ".to_string()] } else { lines };
    for (i, text) in lines.into_iter().enumerate() {
        let shift = right.map_or(0.0, |right| right - width(&text, set.size, set.face));
        let at = (x + shift, y + set.size + i as f32 * set.size * 1.25);
        piece.items.push((written(at, set, text), Some(tag)));
    }
}
