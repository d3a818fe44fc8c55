//! The elements of pages: texts, rules and drawings, in strips across the page.

use crate::render::paper::tags::TagId;

pub type Rgb = (u8, u8, u8);

/// An item to draw; positions in points, relative to the top left of a piece or page.
#[derive(Clone)]
pub enum Item {
    Text {
        at: (f32, f32),
        size: f32,
        face: crate::chart::canvas::fonts::Face,
        colour: Rgb,
        text: String,
    },
    Rule {
        at: (f32, f32),
        size: (f32, f32),
        colour: Rgb,
    },
    Drawing {
        at: (f32, f32),
        size: (f32, f32),
        svg: String,
    },
    /// The page number of an anchor, right-aligned here.
    PageOf {
        end: (f32, f32),
        size: f32,
        anchor: usize,
    },
    /// A link to an anchor.
    Link {
        at: (f32, f32),
        size: (f32, f32),
        anchor: usize,
        says: String,
    },
}

impl Item {
    pub fn moved(mut self, by: (f32, f32)) -> Item {
        let at = match &mut self {
            Item::Text { at, .. }
            | Item::Rule { at, .. }
            | Item::Drawing { at, .. }
            | Item::Link { at, .. } => at,
            Item::PageOf { end, .. } => end,
        };
        *at = (at.0 + by.0, at.1 + by.1);
        self
    }
}

/// An indivisible strip across the page.
#[derive(Default)]
pub struct Piece {
    pub height: f32,
    /// Decoration has no tag.
    pub items: Vec<(Item, Option<TagId>)>,
    /// The next piece is on the same page.
    pub keep: bool,
    /// `keep` does not apply if the page would be too empty.
    pub soft: bool,
    /// `keep` applies in any case: after a heading, or if a drawing extends over the next pieces.
    pub bound: bool,
    /// If it does not fit on a page that is still too empty, it is moved to the top of the next
    /// page, and the following pieces precede it: its caption identifies it.
    pub floats: bool,
    /// The table to which a row belongs.
    pub table: Option<usize>,
    /// The number of columns that it shares with its neighbours, and their spacing; None if it
    /// spans the page.
    pub columns: Option<(usize, u32)>,
    /// Targets of links.
    pub anchors: Vec<usize>,
}

impl Piece {
    /// The lower end of its drawing; None if it is only space.
    pub fn drawn(&self) -> Option<f32> {
        let bottom = |item: &Item| match item {
            Item::Drawing { at, size, .. } => at.1 + size.1,
            _ => 0.0,
        };
        let lowest = self.items.iter().map(|(item, _)| bottom(item));
        (!self.items.is_empty()).then(|| lowest.fold(self.height, f32::max))
    }

    /// Reduces the drawings of a row of figures to this height; not below this share of their size.
    pub fn shrink(&mut self, height: f32, least: f32) -> bool {
        let drawing = |item: &Item| match item {
            Item::Drawing { at, size, .. } => Some((at.1, size.1)),
            _ => None,
        };
        let drawn = self.items.iter().filter_map(|(item, _)| drawing(item));
        let factor = drawn.map(|(top, high)| (height - top - FIGURE_FOOT) / high);
        let factor = factor.fold(1.0, f32::min);
        if factor < least {
            return false;
        }
        for (item, _) in &mut self.items {
            if let Item::Drawing { size, .. } = item {
                *size = (size.0 * factor, size.1 * factor);
            }
        }
        self.height = self.height.min(height);
        true
    }
}

/// Space below a figure.
pub const FIGURE_FOOT: f32 = 5.0;
