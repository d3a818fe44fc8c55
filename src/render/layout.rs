//! Text, tables and figures as pieces for pages: lines are broken by measuring, tables shrink until they fit, a heading
//! stays with what it heads and a figure with the table below it.

use std::num::{NonZeroU16, NonZeroU32};

use krilla::tagging::{ListNumbering, TableHeaderScope, Tag};

use super::html::{is_grouped, names_row};
use super::pages::{Item, Piece, Rgb};
use super::tags::{TagId, Tags};
use crate::brief::block::{Mark, Table};
use crate::chart::fonts::{self, Face};
use crate::chart::{self, Figure, Palette, theme};

pub const MARGIN: f32 = 42.0;
pub const INK: Rgb = (0x1c, 0x27, 0x33);
pub const FAINT: Rgb = (0x52, 0x5e, 0x6b);
const RULE: Rgb = (0xd5, 0xdb, 0xe2);

/// Of running text.
pub const BODY: f32 = 9.2;
/// Of the text of tables: the largest that fits.
const IN_TABLES: [f32; 6] = [7.8, 7.4, 7.0, 6.6, 6.2, 5.8];
/// Between columns.
const GUTTER: f32 = 6.0;
/// Rows that stay with their table's head.
const KEPT_ROWS: usize = 3;
/// Figures, and pairs of name and value, in a row; and in fine print.
const ACROSS: [usize; 2] = [2, 3];
/// How much smaller fine print is.
const FINE: f32 = 0.72;

/// How a line of text is set.
#[derive(Clone, Copy)]
pub struct Set {
    pub size: f32,
    pub face: Face,
    pub colour: Rgb,
}

pub const PLAIN: Set = Set { size: BODY, face: Face::Plain, colour: INK };
pub const SMALL: Set = Set { size: 7.8, face: Face::Plain, colour: FAINT };

/// What a heading is called, and where it stands.
pub struct Heading {
    pub level: u16,
    pub text: String,
    pub anchor: usize,
    /// Whether the contents name it.
    pub listed: bool,
}

pub struct Layout {
    width: f32,
    pub tags: Tags,
    pub pieces: Vec<Piece>,
    /// Of the tables, by their number.
    pub heads: Vec<Vec<Piece>>,
    pub headings: Vec<Heading>,
    /// Of the last heading.
    level: u16,
    /// What is looked up and not read through is set smaller, with more beside one another.
    fine: bool,
}

pub fn width(text: &str, size: f32, face: Face) -> f32 {
    fonts::width(text, f64::from(size), face) as f32
}

fn broken(text: &str, set: Set, most: f32) -> Vec<String> {
    fonts::broken(text, f64::from(set.size), set.face, f64::from(most))
}

fn written(at: (f32, f32), set: Set, text: String) -> Item {
    Item::Text { at, size: set.size, face: set.face, colour: set.colour, text }
}

impl Layout {
    pub fn new(page_width: f32) -> Layout {
        let width = page_width - 2.0 * MARGIN;
        let (tags, level, fine) = (Tags::default(), 0, false);
        Layout { width, tags, pieces: Vec::new(), heads: Vec::new(), headings: Vec::new(), level, fine }
    }

    pub fn width(&self) -> f32 {
        self.width
    }

    /// From here on in fine print, or no longer.
    pub fn fine(&mut self, fine: bool) {
        self.fine = fine;
    }

    fn scale(&self) -> f32 {
        if self.fine { FINE } else { 1.0 }
    }

    fn scaled(&self, set: Set) -> Set {
        Set { size: set.size * self.scale(), ..set }
    }

    pub fn gap(&mut self, height: f32) {
        let keep = self.pieces.last().is_some_and(|p| p.keep);
        self.pieces.push(Piece { height, keep, ..Piece::default() });
    }

    /// A heading of a level: 1 is the document's title.
    pub fn heading(&mut self, level: u16, text: &str) {
        let size = [22.0, 14.5, 11.5, 10.0][usize::from(level.clamp(1, 4)) - 1] * self.scale();
        // No level is left out.
        let level = level.min(self.level + 1);
        self.level = level;
        let anchor = self.headings.len();
        self.headings.push(Heading { level, text: text.to_string(), anchor, listed: level == 2 });
        self.gap(size * if level == 2 { 1.1 } else { 0.7 });
        let kind = Tag::Hn(NonZeroU16::new(level).unwrap_or(NonZeroU16::MIN), Some(text.to_string()));
        let tag = self.tags.leaf(kind);
        let from = self.pieces.len();
        self.lines(text, Set { size, face: Face::Bold, colour: INK }, 0.0, tag, true);
        if let Some(first) = self.pieces.get_mut(from) {
            first.anchors.push(anchor);
        }
        self.pieces.push(Piece { height: size * 0.25, keep: true, ..Piece::default() });
    }

    /// Whether the contents name the last heading; what is only looked up has its section there alone.
    pub fn list_last(&mut self, listed: bool) {
        let fine = self.fine;
        self.headings.last_mut().into_iter().for_each(|h| h.listed = listed && !fine);
    }

    pub fn paragraph(&mut self, text: &str, set: Set) {
        let (tag, set) = (self.tags.leaf(Tag::P), self.scaled(set));
        self.lines(text, set, 0.0, tag, false);
        self.gap(set.size * 0.45);
    }

    /// What follows stays with what was last said.
    pub fn stay(&mut self) {
        for piece in self.pieces.iter_mut().rev() {
            piece.keep = true;
            if !piece.items.is_empty() {
                break;
            }
        }
    }

    pub fn list(&mut self, items: &[String]) {
        self.tags.begin(Tag::L(ListNumbering::Disc));
        let set = self.scaled(PLAIN);
        for item in items {
            self.tags.begin(Tag::LI);
            let (label, body) = (self.tags.leaf(Tag::Lbl), self.tags.leaf(Tag::LBody));
            let from = self.pieces.len();
            self.lines(item, set, 10.0, body, false);
            if let Some(first) = self.pieces.get_mut(from) {
                let bullet = written((MARGIN + 1.0, set.size), Set { colour: FAINT, ..set }, "•".into());
                first.items.insert(0, (bullet, Some(label)));
            }
            self.gap(2.0 * self.scale());
            self.tags.end();
        }
        self.tags.end();
        self.gap(3.0);
    }

    pub fn code(&mut self, text: &str) {
        let tag = self.tags.leaf(Tag::Code);
        let set = Set { size: 5.8, face: Face::Code, colour: FAINT };
        for line in text.lines() {
            let indent = line.chars().take_while(|c| *c == ' ').count() as f32;
            self.lines(line.trim(), set, indent * 3.8, tag, false);
        }
        self.gap(6.0);
    }

    /// Lines from `indent` on; two at least stand together.
    fn lines(&mut self, text: &str, set: Set, indent: f32, tag: TagId, keep: bool) {
        let all = broken(text, set, self.width - indent);
        let last = all.len().saturating_sub(1);
        for (i, line) in all.into_iter().enumerate() {
            let item = written((MARGIN + indent, set.size), set, line);
            let keep = keep || last > 0 && (i == 0 || i + 2 == last + 1);
            self.pieces.push(Piece {
                height: set.size * 1.35,
                items: vec![(item, Some(tag))],
                keep,
                ..Piece::default()
            });
        }
    }

    /// The subjects with their lines and marks, in a row.
    pub fn chips(&mut self, names: &[String], palette: &Palette) {
        let (size, mut x) = (10.5, MARGIN);
        let tag = self.tags.leaf(Tag::P);
        let mut row = Piece { height: size * 1.7, ..Piece::default() };
        for (subject, name) in names.iter().enumerate() {
            let name = fonts::shortened(name, f64::from(size), Face::Bold, f64::from(self.width - 30.0));
            let wide = 25.0 + width(&name, size, Face::Bold) + 18.0;
            if x > MARGIN && x + wide - 18.0 > MARGIN + self.width {
                let full = Piece { height: row.height, ..Piece::default() };
                self.pieces.push(std::mem::replace(&mut row, full));
                x = MARGIN;
            }
            let swatch = Item::Drawing { at: (x, 2.0), size: (21.0, 9.8), svg: swatch(subject, palette) };
            row.items.push((swatch, None));
            let set = Set { size, face: Face::Bold, colour: INK };
            row.items.push((written((x + 25.0, size), set, format!("{name} ")), Some(tag)));
            x += wide;
        }
        self.pieces.push(row);
        self.gap(size * 0.5);
    }

    /// Rows of figures, each under its caption; the last stays with what follows, where that is a table.
    pub fn figures(&mut self, figures: &[Figure], palette: &Palette, table_follows: bool) {
        let most = ACROSS[usize::from(self.fine)];
        let across = if self.fine { most } else { most.min(figures.len()).max(1) };
        let wide = ((self.width - 14.0 * (across - 1) as f32) / across as f32).min(260.0);
        let rows = figures.chunks(most);
        let last = rows.len().saturating_sub(1);
        for (i, row) in rows.enumerate() {
            let mut piece = Piece { keep: table_follows && i == last, ..Piece::default() };
            let set = self.scaled(Set { size: 8.2, face: Face::Bold, colour: INK });
            let captions: Vec<Vec<String>> = row.iter().map(|f| broken(&f.caption(), set, wide)).collect();
            let above = captions.iter().map(Vec::len).max().unwrap_or(1) as f32 * set.size * 1.3 + 3.0;
            for (at, (figure, caption)) in row.iter().zip(captions).enumerate() {
                let x = MARGIN + (wide + 14.0) * at as f32;
                let svg = figure.svg(palette);
                let (w, h) = chart::size(&svg);
                let size = (wide, wide * (h / w) as f32);
                let tag = self.tags.begin(Tag::Figure(Some(figure.label())));
                let named = self.tags.leaf(Tag::Caption);
                self.tags.end();
                for (line, text) in caption.into_iter().enumerate() {
                    let at = (x, set.size + line as f32 * set.size * 1.3);
                    piece.items.push((written(at, set, format!("{text} ")), Some(named)));
                }
                piece.items.push((Item::Drawing { at: (x, above), size, svg }, Some(tag)));
                piece.height = piece.height.max(above + size.1 + 8.0);
            }
            self.pieces.push(piece);
        }
    }

    /// Names and values, several pairs to a row.
    pub fn pairs(&mut self, title: &str, pairs: &[(String, String)]) {
        let across = ACROSS[usize::from(self.fine)];
        let set = Set { size: 8.0 * self.scale(), ..PLAIN };
        let (part, name) = ((self.width - 12.0 * (across - 1) as f32) / across as f32, 0.4);
        self.tags.begin(Tag::Table.with_summary(Some(title.to_string())));
        // A long value has a row of its own.
        let room = f64::from(part * (1.0 - name) * 2.0);
        let is_long = |(_, value): &&(String, String)| fonts::width(value, f64::from(set.size), set.face) > room;
        let (long, short): (Vec<_>, Vec<_>) = pairs.iter().partition(is_long);
        let rows = short.len().div_ceil(across);
        let empty = (String::new(), String::new());
        for row in 0..rows {
            let cells: Vec<_> = (0..across).map(|side| *short.get(row + rows * side).unwrap_or(&&empty)).collect();
            self.pairs_row(&cells, (part, part * name), set, row == 0 && rows > 1);
        }
        for pair in long {
            self.pairs_row(&[pair], (self.width, part * name), set, false);
        }
        self.tags.end();
        self.gap(3.0);
    }

    /// Pairs beside one another, each so wide, its name taking so much of it; one alone spans the columns of all.
    fn pairs_row(&mut self, cells: &[&(String, String)], (part, name): (f32, f32), set: Set, keep: bool) {
        self.tags.begin(Tag::TR);
        let mut piece = Piece { keep, ..Piece::default() };
        let mut deep = 1;
        let span = if cells.len() == 1 { ACROSS[usize::from(self.fine)] as u32 * 2 - 1 } else { 1 };
        for (side, (key, value)) in cells.iter().enumerate() {
            let x = MARGIN + (part + 12.0) * side as f32;
            let over = NonZeroU32::new(span).filter(|_| span > 1);
            let tags = [self.tags.leaf(Tag::TH(TableHeaderScope::Row)), self.tags.leaf(Tag::TD.with_col_span(over))];
            let columns = [(x, name - 5.0, key, FAINT), (x + name, part - name, value, INK)];
            for ((x, wide, text, colour), tag) in columns.into_iter().zip(tags) {
                let set = Set { colour, ..set };
                let lines = broken(text, set, wide);
                deep = deep.max(lines.len());
                cell(&mut piece, (x, 0.0), set, lines, tag, None);
            }
        }
        piece.height = deep as f32 * set.size * 1.25 + 2.0;
        let line = Item::Rule { at: (MARGIN, piece.height - 1.2), size: (self.width, 0.4), colour: RULE };
        piece.items.push((line, None));
        self.pieces.push(piece);
        self.tags.end();
    }

    pub fn table(&mut self, table: &Table, called: &str) {
        let rows: Vec<&Vec<String>> = std::iter::once(&table.head).chain(table.rows.iter().map(|(_, r)| r)).collect();
        let columns = rows.iter().map(|r| r.len()).max().unwrap_or(0);
        let (size, mut widths) = self.columns(columns, &rows);
        // Numbers reach the right margin; a table of words stands at the left.
        let spare = self.width - widths.iter().sum::<f32>();
        if table.left < columns && spare > 0.0 {
            widths.iter_mut().for_each(|w| *w += spare / columns as f32);
        }
        if !table.caption.is_empty() {
            let set = self.scaled(Set { size: 8.2, face: Face::Bold, colour: INK });
            let tag = self.tags.leaf(Tag::P);
            self.lines(&table.caption, set, 0.0, tag, true);
        }
        let number = self.heads.len();
        self.tags.begin(Tag::Table.with_summary(Some(called.to_string())));
        let grid = Grid { table, widths, size, number, grouped: is_grouped(table) };
        let head = grid.row(&mut self.tags, None, self.width);
        // The head is drawn where the table begins, and again on each page that it goes on to.
        let again = Piece { height: head.height, items: head.items.clone(), ..Piece::default() };
        self.heads.push(vec![again]);
        self.pieces.push(head);
        for at in 0..table.rows.len() {
            let mut piece = grid.row(&mut self.tags, Some(at), self.width);
            let left = table.rows.len() - at;
            piece.keep = at + 1 < KEPT_ROWS.min(table.rows.len()) || left == 2;
            self.pieces.push(piece);
        }
        self.tags.end();
        self.gap(7.0 * self.scale());
    }

    /// The size of the letters, and the widths of the columns: as large as fits, narrowing the widest where none does.
    fn columns(&self, columns: usize, rows: &[&Vec<String>]) -> (f32, Vec<f32>) {
        let mut natural = vec![0.0f32; columns];
        for (i, row) in rows.iter().enumerate() {
            let face = if i == 0 { Face::Bold } else { Face::Plain };
            for (most, text) in natural.iter_mut().zip(row.iter()) {
                *most = most.max(width(text, 1.0, face));
            }
        }
        let at = |size: f32| natural.iter().map(|w| w * size + GUTTER).collect::<Vec<f32>>();
        let largest = if self.fine { IN_TABLES[4] } else { IN_TABLES[0] };
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

/// A table as it is set.
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
        let (mark, cells) =
            at.map_or((Mark::None, &self.table.head), |at| (self.table.rows[at].0, &self.table.rows[at].1));
        let face = if at.is_none() { Face::Bold } else { Face::Plain };
        let colour = match (at, mark) {
            (None, _) | (_, Mark::Side) => FAINT,
            (_, Mark::Bad) => (0xa3, 0x26, 0x0f),
            _ => INK,
        };
        let set = Set { size: self.size, face, colour };
        let line = self.size * 1.25;
        tags.begin(Tag::TR);
        let mut piece = Piece { table: Some(self.number), keep: at.is_none(), ..Piece::default() };
        let (mut x, mut deep) = (MARGIN, 1);
        for (column, wide) in self.widths.iter().enumerate() {
            let text = cells.get(column).map_or("", String::as_str);
            let lines = broken(text, set, wide - GUTTER + 1.0);
            deep = deep.max(lines.len());
            if let Some(tag) = self.tag(tags, at, column, text) {
                let right = (column >= self.table.left).then_some(wide - GUTTER);
                cell(&mut piece, (x, 0.0), set, lines, tag, right);
            }
            x += wide;
        }
        tags.end();
        piece.height = deep as f32 * line + 3.0;
        let (thick, colour) = if at.is_none() { (0.8, INK) } else { (0.4, RULE) };
        let rule =
            |y: f32, thick: f32, colour: Rgb| (Item::Rule { at: (MARGIN, y), size: (whole, thick), colour }, None);
        piece.items.push(rule(piece.height - 1.5, thick, colour));
        if mark == Mark::First && at != Some(0) {
            piece.items.push(rule(-1.5, 0.5, FAINT));
        }
        piece
    }

    /// What a cell is; nothing where the name above spans it.
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
        let below = below.take_while(|(_, cells)| cells.first().is_some_and(String::is_empty)).count();
        let span = if column == 0 && self.grouped { below as u32 + 1 } else { 1 };
        let kind = Tag::TH(TableHeaderScope::Row).with_row_span(NonZeroU32::new(span).filter(|_| span > 1));
        Some(tags.leaf(kind))
    }
}

/// The lines of a cell, at the left, or with their ends at `right`; an empty one holds a space, since it is a cell.
fn cell(piece: &mut Piece, (x, y): (f32, f32), set: Set, lines: Vec<String>, tag: TagId, right: Option<f32>) {
    let lines = if lines.is_empty() { vec![" ".to_string()] } else { lines };
    for (i, text) in lines.into_iter().enumerate() {
        let shift = right.map_or(0.0, |right| right - width(&text, set.size, set.face));
        let at = (x + shift, y + set.size + i as f32 * set.size * 1.25);
        piece.items.push((written(at, set, text), Some(tag)));
    }
}

/// A subject's line and mark, as they stand in the figures.
fn swatch(subject: usize, palette: &Palette) -> String {
    let (colour, dash) = (palette.of(subject), theme::dash(subject));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 30 14\"><path d=\"M0 7H30\" stroke=\"{colour}\" \
         stroke-width=\"2.5\" stroke-dasharray=\"{}\"/><path d=\"{}\" fill=\"{colour}\"/></svg>",
        if dash.is_empty() { "none" } else { dash },
        theme::shape(subject, (15.0, 7.0), 5.5)
    )
}
