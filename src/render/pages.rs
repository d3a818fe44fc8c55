//! Pieces of a document onto pages: what belongs together stays together, a table that goes on
//! repeats its head, and space between pieces is left out where a page begins.

use super::tags::TagId;

pub type Rgb = (u8, u8, u8);

/// Something to draw; positions in points, in a piece from its top left, on a page from the page's.
#[derive(Clone)]
pub enum Item {
    Text {
        at: (f32, f32),
        size: f32,
        face: crate::chart::fonts::Face,
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
    /// The number of the page that an anchor is on, ending here.
    PageOf {
        end: (f32, f32),
        size: f32,
        anchor: usize,
    },
    /// Leads to an anchor.
    Link {
        at: (f32, f32),
        size: (f32, f32),
        anchor: usize,
        says: String,
    },
}

impl Item {
    fn down(mut self, by: f32) -> Item {
        let at = match &mut self {
            Item::Text { at, .. }
            | Item::Rule { at, .. }
            | Item::Drawing { at, .. }
            | Item::Link { at, .. } => at,
            Item::PageOf { end, .. } => end,
        };
        at.1 += by;
        self
    }
}

/// A strip across the page that is not divided.
#[derive(Default)]
pub struct Piece {
    pub height: f32,
    /// What is decoration has no tag.
    pub items: Vec<(Item, Option<TagId>)>,
    /// The next piece stands on the same page.
    pub keep: bool,
    /// Of which table it is a row.
    pub table: Option<usize>,
    /// Places that others lead to.
    pub anchors: Vec<usize>,
}

/// Where an anchor came to stand.
#[derive(Clone, Copy, Default)]
pub struct Spot {
    pub page: usize,
    pub y: f32,
}

pub struct Pages {
    pub all: Vec<Vec<(Item, Option<TagId>)>>,
    pub spots: Vec<Spot>,
    /// How far down each page is filled, from 0 to 1.
    pub filled: Vec<f32>,
}

/// Puts the pieces onto pages between `top` and `bottom`; `heads` are the tables' own.
pub fn paginate(
    pieces: Vec<Piece>,
    heads: &[Vec<Piece>],
    (top, bottom): (f32, f32),
    anchors: usize,
) -> Pages {
    let mut pages =
        Pages { all: vec![Vec::new()], spots: vec![Spot::default(); anchors], filled: Vec::new() };
    let mut y = top;
    let needs = together(&pieces);
    let fresh = |pages: &mut Pages, y: &mut f32| {
        pages.filled.push((*y - top) / (bottom - top));
        pages.all.push(Vec::new());
        *y = top;
    };
    let mut before: Option<usize> = None;
    for (i, piece) in pieces.into_iter().enumerate() {
        let empty = piece.items.is_empty();
        // What is taller than a page is divided after all.
        let needed = if needs[i] > bottom - top { piece.height } else { needs[i] };
        if y + needed > bottom && y > top && !empty {
            fresh(&mut pages, &mut y);
            if let Some(table) = piece.table.filter(|_| before == piece.table) {
                for head in &heads[table] {
                    let page = pages.all.len() - 1;
                    // Told once; from here on decoration.
                    pages.all[page]
                        .extend(head.items.iter().map(|(item, _)| (item.clone().down(y), None)));
                    y += head.height;
                }
            }
        }
        let page = pages.all.len() - 1;
        piece.anchors.iter().for_each(|anchor| pages.spots[*anchor] = Spot { page, y });
        if empty && y == top {
            continue;
        }
        pages.all[page].extend(piece.items.into_iter().map(|(item, tag)| (item.down(y), tag)));
        y += piece.height;
        if !empty {
            before = piece.table;
        }
    }
    pages.filled.push((y - top) / (bottom - top));
    pages
}

/// From each piece on, the height of all that must stand on one page with it.
fn together(pieces: &[Piece]) -> Vec<f32> {
    let mut all = vec![0.0; pieces.len()];
    for (i, piece) in pieces.iter().enumerate().rev() {
        let next = if piece.keep { all.get(i + 1).copied().unwrap_or(0.0) } else { 0.0 };
        all[i] = piece.height + next;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(height: f32, keep: bool, table: Option<usize>) -> Piece {
        let item = Item::Rule { at: (0.0, 0.0), size: (1.0, height), colour: (0, 0, 0) };
        Piece { height, items: vec![(item, Some(0))], keep, table, ..Piece::default() }
    }

    #[test]
    fn what_belongs_together_is_on_one_page() {
        let pieces =
            vec![piece(60.0, false, None), piece(20.0, true, None), piece(30.0, false, None)];
        let pages = paginate(pieces, &[], (0.0, 100.0), 0);
        assert_eq!(pages.all.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(pages.filled, [0.6, 0.5]);
    }

    #[test]
    fn a_table_that_goes_on_repeats_its_head_as_decoration() {
        let rows = (0..5).map(|_| piece(30.0, false, Some(0))).collect();
        let pages = paginate(rows, &[vec![piece(10.0, true, Some(0))]], (0.0, 100.0), 0);
        assert_eq!(pages.all.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
        assert!(pages.all[1][0].1.is_none() && pages.all[1][1].1.is_some());
    }
}
