//! Text and figures as pieces for pages: lines are broken by measurement, a heading stays with its
//! text and a figure with the table below it. `grid` has the tables.

use std::num::NonZeroU16;

use krilla::tagging::{ListNumbering, Tag};

use crate::chart;
use crate::chart::canvas::fonts::Face;
use crate::chart::canvas::{fonts, theme};
use crate::chart::{Chart, Palette};
use crate::render::bound::bound;
use crate::render::paper::columns;
use crate::render::paper::piece::{FIGURE_FOOT, Item, Piece, Rgb};
use crate::render::paper::tags::{TagId, Tags};

pub const MARGIN: f32 = 34.0;
pub const INK: Rgb = (0x1c, 0x27, 0x33);
pub const FAINT: Rgb = (0x52, 0x5e, 0x6b);

/// Font size of running text.
pub const BODY: f32 = 9.2;
/// Number of figures, and of name–value pairs, per row; normal and in fine print.
pub const ACROSS: [usize; 2] = [2, 3];
/// The scale of fine print.
const FINE: f32 = 0.69;
/// The width of a figure alone in its row.
const MOST_WIDE: f32 = 300.0;
/// Space between text and the figures next to it.
const BESIDE: f32 = 14.0;

/// The style of a line of text.
#[derive(Clone, Copy)]
pub struct LineStyle {
    pub size: f32,
    pub face: Face,
    pub colour: Rgb,
}

/// The arrangement of a text's lines.
#[derive(Clone, Copy)]
pub struct TextFlow {
    pub set: LineStyle,
    /// Distance from the left margin.
    pub indent: f32,
    pub tag: TagId,
    /// All lines stay on one page with what follows.
    pub keep: bool,
}

/// Figures in a row.
struct FigureRow<'a> {
    palette: &'a Palette,
    /// Width of each figure.
    wide: f32,
    /// The height of the longest caption, so that all start at the same height.
    above: f32,
}

pub const PLAIN: LineStyle = LineStyle { size: BODY, face: Face::Plain, colour: INK };
pub const SMALL: LineStyle = LineStyle { size: 7.8, face: Face::Plain, colour: FAINT };

/// The style of a figure's caption.
const CAPTION: LineStyle = LineStyle { size: 8.2, face: Face::Bold, colour: INK };

/// The text and position of a heading.
pub struct OutlineEntry {
    pub level: u16,
    pub text: String,
    pub anchor: usize,
    /// Whether it is listed in the contents.
    pub listed: bool,
}

pub struct PageLayout {
    pub width: f32,
    pub tags: Tags,
    pub pieces: Vec<Piece>,
    /// Pieces of the tables' heads, by the number of the table.
    pub heads: Vec<Vec<Piece>>,
    pub headings: Vec<OutlineEntry>,
    /// Level of the last heading.
    level: u16,
    /// Reference material is set smaller, with more columns.
    pub is_fine: bool,
    /// Pieces are being laid out for columns.
    pub is_narrow: bool,
    /// Figures may be placed next to the few lines about them.
    pub beside_text: bool,
}

pub fn width(text: &str, size: f32, face: Face) -> f32 {
    fonts::width(text, f64::from(size), face) as f32
}

pub fn broken(text: &str, set: LineStyle, most: f32) -> Vec<String> {
    fonts::broken(&bound(text), f64::from(set.size), set.face, f64::from(most))
}

pub fn written(at: (f32, f32), set: LineStyle, text: String) -> Item {
    Item::Text { at, size: set.size, face: set.face, colour: set.colour, text }
}

impl PageLayout {
    pub fn new(page_width: f32) -> PageLayout {
        let width = page_width - 2.0 * MARGIN;
        let (tags, level, fine) = (Tags::default(), 0, false);
        PageLayout {
            width,
            tags,
            pieces: Vec::new(),
            heads: Vec::new(),
            headings: Vec::new(),
            level,
            is_fine: fine,
            is_narrow: false,
            beside_text: true,
        }
    }

    pub fn width(&self) -> f32 {
        self.width
    }

    /// Enables or disables fine print.
    pub fn fine(&mut self, fine: bool) {
        self.is_fine = fine;
    }

    /// Lays out the contents of `set` in this many columns.
    pub fn in_columns(&mut self, columns: usize, set: impl FnOnce(&mut PageLayout)) {
        let (whole, from) = (self.width, self.pieces.len());
        self.width = columns::width(whole, columns);
        self.is_narrow = true;
        set(self);
        let apart = (self.width + columns::GUTTER).round() as u32;
        (self.width, self.is_narrow) = (whole, false);
        for piece in &mut self.pieces[from..] {
            piece.columns = Some((columns, apart));
        }
    }

    /// Places figures of this width to the right of the contents of `set`, all on one page.
    pub fn beside(
        &mut self,
        (figures, wide): (&[Chart], f32),
        palette: &Palette,
        table_follows: bool,
        set: impl FnOnce(&mut PageLayout),
    ) {
        let (whole, from) = (self.width, self.pieces.len());
        let right = (wide + BESIDE) * figures.len() as f32;
        self.width = whole - right;
        set(self);
        self.width = whole;
        let mut drawn = Piece::default();
        let row = FigureRow { palette, wide, above: self.above(figures, wide) };
        for (at, figure) in figures.iter().enumerate() {
            let x = MARGIN + whole - right + BESIDE + (wide + BESIDE) * at as f32;
            self.figure(&mut drawn, figure, &row, x);
        }
        let deep: f32 = self.pieces[from..].iter().map(|p| p.height).sum();
        self.bind(from);
        let left = (drawn.height - deep).max(0.0);
        match self.pieces.get_mut(from) {
            Some(first) => first.items.extend(drawn.items),
            None => {
                self.pieces.push(Piece { height: 0.0, keep: true, bound: true, ..drawn });
            }
        }
        let keep = table_follows;
        self.pieces.push(Piece { height: left, keep, soft: keep, ..Piece::default() });
    }

    /// The height of the longest caption.
    fn above(&self, figures: &[Chart], wide: f32) -> f32 {
        let set = self.scaled(CAPTION);
        let lines = figures.iter().map(|f| broken(&f.caption(), set, wide).len());
        lines.max().unwrap_or(1) as f32 * set.size * 1.3 + 3.0
    }

    pub fn scale(&self) -> f32 {
        if self.is_fine { FINE } else { 1.0 }
    }

    pub fn scaled(&self, set: LineStyle) -> LineStyle {
        LineStyle { size: set.size * self.scale(), ..set }
    }

    pub fn gap(&mut self, height: f32) {
        let (keep, soft) = self.pieces.last().map_or((false, false), |p| (p.keep, p.soft));
        self.pieces.push(Piece { height, keep, soft, ..Piece::default() });
    }

    /// A heading of a level: 1 is the document's title.
    pub fn heading(&mut self, level: u16, text: &str) {
        let size = [22.0, 14.5, 11.5, 10.0][usize::from(level.clamp(1, 4)) - 1] * self.scale();
        // No level is skipped.
        let level = level.min(self.level + 1);
        self.level = level;
        let anchor = self.headings.len();
        self.headings.push(OutlineEntry {
            level,
            text: text.to_string(),
            anchor,
            listed: level == 2,
        });
        self.gap(size * if level == 2 { 1.1 } else { 0.7 });
        let kind =
            Tag::Hn(NonZeroU16::new(level).unwrap_or(NonZeroU16::MIN), Some(text.to_string()));
        let tag = self.tags.leaf(kind);
        let from = self.pieces.len();
        let set = LineStyle { size, face: Face::Bold, colour: INK };
        self.lines(text, TextFlow { set, indent: 0.0, tag, keep: true });
        if let Some(first) = self.pieces.get_mut(from) {
            first.anchors.push(anchor);
        }
        self.pieces.push(Piece { height: size * 0.25, keep: true, ..Piece::default() });
        self.bind(from);
    }

    /// Makes the pieces from this index on unable to end a page.
    pub fn bind(&mut self, from: usize) {
        self.pieces[from..].iter_mut().for_each(|p| (p.keep, p.bound) = (true, true));
    }

    /// Whether the last heading is listed in the contents; for reference material only the section
    /// is listed.
    pub fn list_last(&mut self, listed: bool) {
        let fine = self.is_fine;
        self.headings.last_mut().into_iter().for_each(|h| h.listed = listed && !fine);
    }

    pub fn paragraph(&mut self, text: &str, set: LineStyle) {
        let (tag, set) = (self.tags.leaf(Tag::P), self.scaled(set));
        self.lines(text, TextFlow { set, indent: 0.0, tag, keep: false });
        self.gap(set.size * 0.45);
    }

    pub fn list(&mut self, items: &[String]) {
        self.tags.begin(Tag::L(ListNumbering::Disc));
        let set = self.scaled(PLAIN);
        for item in items {
            self.tags.begin(Tag::LI);
            let (label, body) = (self.tags.leaf(Tag::Lbl), self.tags.leaf(Tag::LBody));
            let from = self.pieces.len();
            self.lines(item, TextFlow { set, indent: 10.0, tag: body, keep: false });
            if let Some(first) = self.pieces.get_mut(from) {
                let bullet = written(
                    (MARGIN + 1.0, set.size),
                    LineStyle { colour: FAINT, ..set },
                    "•".into(),
                );
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
        let set = LineStyle { size: 5.8, face: Face::Code, colour: FAINT };
        for line in text.lines() {
            let spaces = line.chars().take_while(|c| *c == ' ').count() as f32;
            self.lines(line.trim(), TextFlow { set, indent: spaces * 3.8, tag, keep: false });
        }
        self.gap(6.0);
    }

    /// A text's lines; at least two stay together.
    pub fn lines(&mut self, text: &str, flow: TextFlow) {
        let TextFlow { set, indent, tag, keep } = flow;
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
            let name =
                fonts::shortened(name, f64::from(size), Face::Bold, f64::from(self.width - 30.0));
            let wide = 25.0 + width(&name, size, Face::Bold) + 18.0;
            if x > MARGIN && x + wide - 18.0 > MARGIN + self.width {
                let full = Piece { height: row.height, ..Piece::default() };
                self.pieces.push(std::mem::replace(&mut row, full));
                x = MARGIN;
            }
            let swatch =
                Item::Drawing { at: (x, 2.0), size: (21.0, 9.8), svg: swatch(subject, palette) };
            row.items.push((swatch, None));
            let set = LineStyle { size, face: Face::Bold, colour: INK };
            row.items.push((written((x + 25.0, size), set, format!("{name} ")), Some(tag)));
            x += wide;
        }
        self.pieces.push(row);
        self.gap(size * 0.5);
    }

    /// Rows of figures, each below its caption; the last stays with what follows, if that is a
    /// table.
    pub fn figures(&mut self, figures: &[Chart], palette: &Palette, table_follows: bool) {
        let most = ACROSS[usize::from(self.is_fine)];
        let across = if self.is_fine { most } else { most.min(figures.len()).max(1) };
        let most_wide = if across > 1 { self.width } else { MOST_WIDE };
        let wide = ((self.width - 14.0 * (across - 1) as f32) / across as f32).min(most_wide);
        let rows = figures.chunks(most);
        let last = rows.len().saturating_sub(1);
        for (i, row) in rows.enumerate() {
            let keep = table_follows && i == last;
            let mut piece = Piece { keep, soft: keep, floats: true, ..Piece::default() };
            let above = self.above(row, wide);
            let set = FigureRow { palette, wide, above };
            for (at, figure) in row.iter().enumerate() {
                let x = MARGIN + (wide + 14.0) * at as f32;
                self.figure(&mut piece, figure, &set, x);
            }
            self.pieces.push(piece);
        }
    }

    /// A figure of a row below its caption, from `x` on.
    fn figure(&mut self, piece: &mut Piece, figure: &Chart, row: &FigureRow<'_>, x: f32) {
        let &FigureRow { palette, wide, above } = row;
        let set = self.scaled(CAPTION);
        let caption = broken(&figure.caption(), set, wide);
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
        piece.height = piece.height.max(above + size.1 + FIGURE_FOOT);
    }
}

/// A subject's line and mark, as in the figures.
fn swatch(subject: usize, palette: &Palette) -> String {
    let (colour, dash) = (palette.of(subject), theme::dash(subject));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 30 14\"><path d=\"M0 7H30\" \
         stroke=\"{colour}\" stroke-width=\"2.5\" stroke-dasharray=\"{}\"/><path d=\"{}\" \
         fill=\"{colour}\"/></svg>",
        if dash.is_empty() { "none" } else { dash },
        theme::shape(subject, (15.0, 7.0), 5.5)
    )
}
