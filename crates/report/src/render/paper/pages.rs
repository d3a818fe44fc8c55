//! Distributes pieces over pages: related pieces stay together, a table's head is repeated on
//! further pages, and space at the top of a page is omitted.

use crate::render::paper::columns::{self, PieceHeight};
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
    fn moved(mut self, by: (f32, f32)) -> Item {
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
    /// Unless the page would be too empty.
    pub soft: bool,
    /// If it does not fit on a page that is still too empty, it moves to the top of the next one,
    /// and what follows precedes it: its caption identifies it.
    pub floats: bool,
    /// The table to which a row belongs.
    pub table: Option<usize>,
    /// The number of columns that it shares with its neighbours, and their spacing; None if it
    /// spans the page.
    pub columns: Option<(usize, u32)>,
    /// Targets of links.
    pub anchors: Vec<usize>,
}

/// The final position of an anchor.
#[derive(Clone, Copy, Default)]
pub struct AnchorSpot {
    pub page: usize,
    pub y: f32,
}

pub struct Paginator {
    pub all: Vec<Vec<(Item, Option<TagId>)>>,
    pub spots: Vec<AnchorSpot>,
    /// How far each page is filled, from 0 to 1.
    pub filled: Vec<f32>,
}

impl Paginator {
    /// How empty the emptiest page except the last is, from 0 to 1.
    pub fn emptiest(&self) -> f32 {
        let [full @ .., _] = &self.filled[..] else { return 0.0 };
        full.iter().map(|filled| 1.0 - filled).fold(0.0, f32::max)
    }
}

/// Distributes the pieces over pages between `top` and `bottom`; `heads` are the tables' own.
pub fn paginate(
    mut pieces: Vec<Piece>,
    heads: &[Vec<Piece>],
    (top, bottom): (f32, f32),
    anchors: usize,
) -> Paginator {
    let pages = Paginator {
        all: vec![Vec::new()],
        spots: vec![AnchorSpot::default(); anchors],
        filled: Vec::new(),
    };
    let mut flow = Flow { pages, y: top, top, bottom, deferred: Vec::new() };
    let (needs, least) = (together(&pieces, false), together(&pieces, true));
    let mut before: Option<usize> = None;
    // The end of the pieces known to fit together.
    let (mut at, mut admitted) = (0, 0);
    while at < pieces.len() {
        if let Some(columns) = pieces[at].columns {
            let many = pieces[at..].iter().take_while(|p| p.columns == Some(columns)).count();
            flow.in_columns(&mut pieces, (&needs, &least), at..at + many, columns);
            (at, before) = (at + many, None);
            continue;
        }
        let piece = std::mem::take(&mut pieces[at]);
        let empty = piece.items.is_empty();
        // A piece taller than a page is divided, and so is one that would leave it empty.
        let (whole, room) = (needs[at], bottom - flow.y);
        let whole = if whole.height > bottom - top { Chain::of(&piece, at) } else { whole };
        let empty_below = room / (bottom - top) > MOST_EMPTY;
        let chain = if empty_below && whole.height > room { least[at] } else { whole };
        let mut end = chain.end;
        if chain.height > room && flow.y > top && !empty && at >= admitted {
            if piece.floats && empty_below {
                flow.deferred.push(piece);
                at += 1;
                continue;
            }
            flow.fresh();
            // After deferred pieces there may be no room.
            if flow.y + whole.height > bottom && flow.y > top {
                flow.fresh();
            }
            end = whole.end;
            if let Some(table) = piece.table.filter(|_| before == piece.table) {
                heads[table].iter().for_each(|head| flow.head(head));
            }
        }
        if !empty {
            before = piece.table;
        }
        flow.put(piece);
        (at, admitted) = (at + 1, admitted.max(end));
    }
    while !flow.deferred.is_empty() {
        flow.last();
    }
    flow.pages.filled.push((flow.y - top) / (bottom - top));
    flow.pages
}

/// The position of the next piece.
struct Flow {
    pages: Paginator,
    y: f32,
    top: f32,
    bottom: f32,
    /// Figures deferred to the next page.
    deferred: Vec<Piece>,
}

impl Flow {
    fn fresh(&mut self) {
        self.pages.filled.push((self.y - self.top) / (self.bottom - self.top));
        self.pages.all.push(Vec::new());
        self.y = self.top;
        while let Some(next) = self.deferred.first() {
            if self.y + next.height > self.bottom && self.y > self.top {
                break;
            }
            let next = self.deferred.remove(0);
            self.put(next);
        }
    }

    /// Places deferred pieces when nothing follows.
    fn last(&mut self) {
        if self.y + self.deferred[0].height > self.bottom && self.y > self.top {
            return self.fresh();
        }
        let next = self.deferred.remove(0);
        self.put(next);
    }

    /// Repeats a table's head. It was tagged once; repetitions are decoration.
    fn head(&mut self, head: &Piece) {
        let y = self.y;
        let items = head.items.iter().map(|(item, _)| (item.clone().moved((0.0, y)), None));
        self.pages.all.last_mut().into_iter().for_each(|page| page.extend(items.clone()));
        self.y += head.height;
    }

    fn put(&mut self, piece: Piece) {
        if piece.items.is_empty() && self.y == self.top && piece.anchors.is_empty() {
            return;
        }
        let height = piece.height;
        self.draw(piece, (0.0, self.y));
        self.y += height;
    }

    fn draw(&mut self, piece: Piece, by: (f32, f32)) {
        let page = self.pages.all.len() - 1;
        piece.anchors.iter().for_each(|at| self.pages.spots[*at] = AnchorSpot { page, y: by.1 });
        let items = piece.items.into_iter().map(|(item, tag)| (item.moved(by), tag));
        self.pages.all[page].extend(items);
    }

    /// A run of pieces in this many columns of this width.
    fn in_columns(
        &mut self,
        pieces: &mut [Piece],
        (needs, least): (&[Chain], &[Chain]),
        run: std::ops::Range<usize>,
        (columns, apart): (usize, u32),
    ) {
        let many = run.len();
        let mut from = 0;
        while from < many {
            let room = (self.bottom - self.y, self.bottom - self.top);
            let set = |needs: &[Chain]| {
                let size = |at: usize| PieceHeight {
                    height: pieces[at].height,
                    needed: needs[at].height,
                    empty: pieces[at].items.is_empty(),
                };
                let sizes: Vec<PieceHeight> = (run.start + from..run.end).map(size).collect();
                columns::strip(&sizes, columns, room)
            };
            let mut strip = set(needs);
            // Pieces that would leave the page too empty are divided.
            if from + strip.done < many && (room.0 - strip.height) / room.1 > MOST_EMPTY {
                strip = set(least);
            }
            // A few lines in each column at the bottom of a page are not placed.
            let few = from + strip.done < many && strip.height < LEAST_STRIP;
            if self.y > self.top && (strip.done == 0 || few) {
                self.fresh();
                continue;
            }
            for (at, column, down) in &strip.placed {
                let x = *column as f32 * apart as f32;
                let piece = std::mem::take(&mut pieces[run.start + from + at]);
                self.draw(piece, (x, self.y + down));
            }
            self.y += strip.height;
            // A piece taller than a page would be omitted; none is.
            from += strip.done.max(1);
            if from < many {
                self.fresh();
            }
        }
    }
}

/// Columns lower than this are not started at the bottom of a page.
const LEAST_STRIP: f32 = 36.0;

/// The maximum empty share of a page at its bottom.
pub const MOST_EMPTY: f32 = 0.2;

/// Pieces that stay on one page: their height, and the index after the last.
#[derive(Clone, Copy)]
struct Chain {
    height: f32,
    end: usize,
}

impl Chain {
    /// A single piece.
    fn of(piece: &Piece, at: usize) -> Chain {
        Chain { height: piece.height, end: at + 1 }
    }
}

/// For each piece, what must stay on one page with it; also the reduced set, if weak groups may be
/// divided and figures may float.
fn together(pieces: &[Piece], parted: bool) -> Vec<Chain> {
    let mut all: Vec<Chain> = (0..pieces.len()).map(|at| Chain::of(&pieces[at], at)).collect();
    for (i, piece) in pieces.iter().enumerate().rev() {
        if !piece.keep || parted && piece.soft {
            continue;
        }
        let floating = pieces[i + 1..].iter().take_while(|p| parted && p.floats).count();
        if let Some(next) = all.get(i + 1 + floating).copied() {
            // Floating pieces are handled individually later.
            let end = if floating > 0 { i + 1 } else { next.end };
            all[i] = Chain { height: piece.height + next.height, end };
        }
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
    fn what_belongs_together_softly_is_parted_before_a_page_is_left_empty() {
        let soft = |height| Piece { soft: true, ..piece(height, true, None) };
        let pieces = vec![piece(60.0, false, None), soft(20.0), piece(30.0, false, None)];
        let pages = paginate(pieces, &[], (0.0, 100.0), 0);
        assert_eq!(pages.filled, [0.8, 0.3]);
        // At most a fifth may stay empty.
        let pieces = vec![piece(85.0, false, None), soft(10.0), piece(30.0, false, None)];
        let pages = paginate(pieces, &[], (0.0, 100.0), 0);
        assert_eq!(pages.filled, [0.85, 0.4]);
    }

    #[test]
    fn a_table_that_goes_on_repeats_its_head_as_decoration() {
        let rows = (0..5).map(|_| piece(30.0, false, Some(0))).collect();
        let pages = paginate(rows, &[vec![piece(10.0, true, Some(0))]], (0.0, 100.0), 0);
        assert_eq!(pages.all.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
        assert!(pages.all[1][0].1.is_none() && pages.all[1][1].1.is_some());
    }
}
