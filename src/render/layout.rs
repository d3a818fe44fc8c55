//! Laying text, tables and figures out on pages: lines are broken by measuring, tables shrink until they fit and repeat
//! their heads, a heading never ends a page.

use std::sync::Arc;

use crate::base::error::{Result, failed};
use crate::chart::fonts;
use crate::chart::theme::{HEIGHT, WIDTH};

pub const MARGIN: f32 = 45.0;

pub type Rgb = (u8, u8, u8);

/// A font with its widths.
pub struct Face {
    pub data: Vec<u8>,
    pub index: u32,
    widths: Arc<dyn Fn(char) -> f32>,
}

impl Face {
    pub fn load(bold: bool) -> Result<Face> {
        let (data, index) = fonts::sans(bold)?;
        let bad = || failed("the font for the PDF cannot be read", "apt-get install fonts-dejavu-core");
        let kept = data.clone();
        ttf_parser::Face::parse(&kept, index).map_err(|_| bad())?;
        let widths = move |c: char| {
            let Ok(face) = ttf_parser::Face::parse(&kept, index) else { return 0.6 };
            let glyph = face.glyph_index(c).unwrap_or_default();
            f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) / f32::from(face.units_per_em())
        };
        Ok(Face { data, index, widths: Arc::new(widths) })
    }

    fn width(&self, text: &str, size: f32) -> f32 {
        text.chars().map(|c| (self.widths)(c)).sum::<f32>() * size
    }
}

/// Something on a page; positions in points from the top left.
pub enum Item {
    Text { at: (f32, f32), size: f32, bold: bool, faint: bool, text: String },
    Rule { from: (f32, f32), width: f32, height: f32, colour: Rgb },
    Figure { at: (f32, f32), size: (f32, f32), svg: String },
}

pub struct Layout<'a> {
    page: (f32, f32),
    plain: &'a Face,
    bold: &'a Face,
    y: f32,
    pages: Vec<Vec<Item>>,
    /// The left half of a row of figures is taken, down to here.
    beside: Option<f32>,
}

impl<'a> Layout<'a> {
    pub fn new(page: (f32, f32), plain: &'a Face, bold: &'a Face) -> Layout<'a> {
        Layout { page, plain, bold, y: MARGIN, pages: vec![Vec::new()], beside: None }
    }

    pub fn pages(self) -> Vec<Vec<Item>> {
        self.pages
    }

    fn width(&self) -> f32 {
        self.page.0 - 2.0 * MARGIN
    }

    fn bottom(&self) -> f32 {
        self.page.1 - MARGIN - 8.0
    }

    fn put(&mut self, item: Item) {
        if let Some(page) = self.pages.last_mut() {
            page.push(item);
        }
    }

    pub fn gap(&mut self, height: f32) {
        self.y += height;
    }

    /// Ends a row of figures, and begins a page where `height` has no room on this one.
    fn room(&mut self, height: f32) {
        if let Some(bottom) = self.beside.take() {
            self.y = bottom;
        }
        if self.y + height > self.bottom() && self.y > MARGIN {
            self.pages.push(Vec::new());
            self.y = MARGIN;
        }
    }

    /// How high a row of figures is.
    pub fn figure_height(&self) -> f32 {
        (self.width() - 10.0) / 2.0 * (HEIGHT / WIDTH) as f32 + 8.0
    }

    /// A heading, together with at least `below` of what it heads.
    pub fn heading(&mut self, text: &str, size: f32, below: f32) {
        self.room(size * 2.0 + below);
        self.y += size * 0.7;
        self.lines(text, MARGIN, size, true, false);
        self.y += size * 0.25;
    }

    pub fn paragraph(&mut self, text: &str, size: f32) {
        self.lines(text, MARGIN, size, false, size < 9.2);
        self.y += size * 0.5;
    }

    pub fn item(&mut self, text: &str) {
        self.room(12.0);
        let at = (MARGIN + 2.0, self.y + 9.5);
        self.put(Item::Text { at, size: 9.5, bold: false, faint: true, text: "•".to_string() });
        self.lines(text, MARGIN + 12.0, 9.5, false, false);
        self.y += 2.5;
    }

    pub fn code(&mut self, text: &str) {
        for line in text.lines() {
            let indent = line.chars().take_while(|c| *c == ' ').count() as f32;
            self.lines(line.trim(), MARGIN + indent * 3.0, 6.5, false, true);
        }
        self.y += 6.0;
    }

    fn lines(&mut self, text: &str, left: f32, size: f32, bold: bool, faint: bool) {
        let face = if bold { self.bold } else { self.plain };
        for line in broken(face, text, size, self.page.0 - MARGIN - left) {
            self.room(size * 1.35);
            self.put(Item::Text { at: (left, self.y + size), size, bold, faint, text: line });
            self.y += size * 1.35;
        }
    }

    /// The subjects with their colours, in a row.
    pub fn chips(&mut self, names: &[(String, Rgb)]) {
        let (size, mut x) = (11.0, MARGIN);
        self.room(size * 1.6);
        for (name, colour) in names {
            let width = 13.0 + self.bold.width(name, size) + 18.0;
            if x > MARGIN && x + width > self.page.0 - MARGIN {
                (x, self.y) = (MARGIN, self.y + size * 1.6);
            }
            self.put(Item::Rule { from: (x, self.y + 2.0), width: 9.0, height: 9.0, colour: *colour });
            let at = (x + 13.0, self.y + size);
            self.put(Item::Text { at, size, bold: true, faint: false, text: name.clone() });
            x += width;
        }
        self.y += size * 2.2;
    }

    /// `size`, or what is needed to keep the text on one line of `width`.
    fn fitting(&self, text: &str, size: f32, bold: bool, width: f32) -> f32 {
        let face = if bold { self.bold } else { self.plain };
        (width / face.width(text, 1.0).max(0.01)).min(size)
    }

    /// The cover's numbers: boxes in a row, each with its subject's colour at the left.
    pub fn headlines(&mut self, boxes: &[([String; 3], Rgb)]) {
        const HIGH: f32 = 62.0;
        let across = boxes.len().clamp(1, 3);
        let width = (self.width() - 10.0 * (across - 1) as f32) / across as f32;
        for row in boxes.chunks(across) {
            self.room(HIGH + 10.0);
            for (i, ([who, number, of], colour)) in row.iter().enumerate() {
                let x = MARGIN + (width + 10.0) * i as f32;
                self.put(Item::Rule { from: (x, self.y), width, height: HIGH, colour: (0xf5, 0xf7, 0xf9) });
                self.put(Item::Rule { from: (x, self.y), width: 3.0, height: HIGH, colour: *colour });
                let lines =
                    [(who, 8.5, true, false, 15.0), (number, 17.0, true, false, 36.0), (of, 8.0, false, true, 52.0)];
                for (text, size, bold, faint, down) in lines {
                    let size = self.fitting(text, size, bold, width - 18.0);
                    self.put(Item::Text { at: (x + 11.0, self.y + down), size, bold, faint, text: text.clone() });
                }
            }
            self.y += HIGH + 10.0;
        }
        self.y += 4.0;
    }

    /// Two figures in a row, each half the page wide.
    pub fn figure(&mut self, svg: &str) {
        let width = (self.width() - 10.0) / 2.0;
        let size = (width, width * (HEIGHT / WIDTH) as f32);
        let (x, bottom) = match self.beside {
            Some(bottom) => (MARGIN + width + 10.0, bottom),
            None => {
                self.room(size.1 + 8.0);
                (MARGIN, self.y + size.1 + 8.0)
            }
        };
        self.put(Item::Figure { at: (x, self.y), size, svg: svg.to_string() });
        if self.beside.take().is_some() {
            self.y = bottom;
        } else {
            self.beside = Some(bottom);
        }
    }

    pub fn table(&mut self, left: usize, head: bool, rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let (size, mut widths) = self.columns(columns, rows);
        // Numbers reach the right margin; a table of words stands at the left.
        let spare = self.width() - widths.iter().sum::<f32>();
        if left < columns && spare > 0.0 {
            widths.iter_mut().for_each(|w| *w += spare / columns as f32);
        }
        let line = size * 1.3;
        let set: Vec<Vec<Vec<String>>> = rows
            .iter()
            .enumerate()
            .map(|(i, row)| {
                let face = if head && i == 0 { self.bold } else { self.plain };
                (0..columns)
                    .map(|c| broken(face, row.get(c).map_or("", String::as_str), size, widths[c] - 5.0))
                    .collect()
            })
            .collect();
        let height = |row: &[Vec<String>]| row.iter().map(Vec::len).max().unwrap_or(1).max(1) as f32 * line + 3.0;
        self.room(set.iter().take(3).map(|r| height(r)).sum());
        for (i, row) in set.iter().enumerate() {
            let page = self.pages.len();
            self.room(height(row));
            if self.pages.len() > page && head && i > 0 {
                self.table_row(&set[0], &widths, left, size, true);
            }
            self.table_row(row, &widths, left, size, head && i == 0);
        }
        self.y += 8.0;
    }

    fn table_row(&mut self, row: &[Vec<String>], widths: &[f32], left: usize, size: f32, bold: bool) {
        let line = size * 1.3;
        let height = row.iter().map(Vec::len).max().unwrap_or(1).max(1) as f32 * line + 3.0;
        let face = if bold { self.bold } else { self.plain };
        let mut x = MARGIN;
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            for (i, text) in cell.iter().enumerate() {
                let shift = if column < left { 0.0 } else { width - 5.0 - face.width(text, size) };
                let at = (x + shift, self.y + size + i as f32 * line);
                self.put(Item::Text { at, size, bold, faint: false, text: text.clone() });
            }
            x += width;
        }
        self.y += height;
        let (from, width) = ((MARGIN, self.y - 1.5), self.width());
        self.put(Item::Rule {
            from,
            width,
            height: 0.4,
            colour: if bold { (0x60, 0x60, 0x60) } else { (0xd8, 0xd8, 0xd8) },
        });
    }

    /// The size of the letters, and the widths of the columns: as large as fits, narrowing the widest where none does.
    fn columns(&self, columns: usize, rows: &[Vec<String>]) -> (f32, Vec<f32>) {
        let natural = |size: f32| -> Vec<f32> {
            let widest =
                |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|t| self.bold.width(t, size)).fold(0.0, f32::max);
            (0..columns).map(|c| widest(c) + 7.0).collect()
        };
        for size in [8.5, 8.0, 7.5, 7.0, 6.5, 6.0] {
            let widths = natural(size);
            if widths.iter().sum::<f32>() <= self.width() {
                return (size, widths);
            }
        }
        let mut widths = natural(6.5);
        while widths.iter().sum::<f32>() > self.width() {
            let Some(widest) = widths.iter_mut().max_by(|a, b| a.total_cmp(b)) else { break };
            *widest *= 0.93;
        }
        (6.5, widths)
    }
}

/// Text in lines no wider than `width`; a word that is wider is cut.
fn broken(face: &Face, text: &str, size: f32, width: f32) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split(' ') {
        let joined = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
        if face.width(&joined, size) <= width {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            if !line.is_empty() && face.width(&line, size) + (face.widths)(c) * size > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}
