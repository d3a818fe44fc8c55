//! Pieces of a document onto pages: what belongs together stays together, a table that goes on
//! repeats its head, and space between pieces is left out where a page begins.

use crate::render::paper::columns::{self, PieceHeight};
use crate::render::paper::tags::TagId;

pub type Rgb = (u8, u8, u8);

/// Something to draw; positions in points, in a piece from its top left, on a page from the page's.
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

/// A strip across the page that is not divided.
#[derive(Default)]
pub struct Piece {
    pub height: f32,
    /// What is decoration has no tag.
    pub items: Vec<(Item, Option<TagId>)>,
    /// The next piece stands on the same page.
    pub keep: bool,
    /// Unless the page would be left too empty for it.
    pub soft: bool,
    /// Where it has no room on a page that is still too empty, it stands at the head of the next
    /// one, and what follows goes on before it: its caption says what it is of.
    pub floats: bool,
    /// Of which table it is a row.
    pub table: Option<usize>,
    /// In how many columns it stands with its neighbours, and how far apart those are; not, where
    /// it goes across the page.
    pub columns: Option<(usize, u32)>,
    /// Places that others lead to.
    pub anchors: Vec<usize>,
}

/// Where an anchor came to stand.
#[derive(Clone, Copy, Default)]
pub struct AnchorSpot {
    pub page: usize,
    pub y: f32,
}

pub struct Paginator {
    pub all: Vec<Vec<(Item, Option<TagId>)>>,
    pub spots: Vec<AnchorSpot>,
    /// How far down each page is filled, from 0 to 1.
    pub filled: Vec<f32>,
}

impl Paginator {
    /// How empty the emptiest page but the last is, from 0 to 1.
    pub fn emptiest(&self) -> f32 {
        let [full @ .., _] = &self.filled[..] else { return 0.0 };
        full.iter().map(|filled| 1.0 - filled).fold(0.0, f32::max)
    }
}

/// Puts the pieces onto pages between `top` and `bottom`; `heads` are the tables' own.
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
    // Up to where pieces are known to have room together.
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
        // What is taller than a page is divided after all, and so is what would leave it empty.
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
            // After what was deferred there may be no room.
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

/// Where the next piece goes.
struct Flow {
    pages: Paginator,
    y: f32,
    top: f32,
    bottom: f32,
    /// Figures that wait for the next page.
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

    /// What is deferred where nothing follows any more.
    fn last(&mut self) {
        if self.y + self.deferred[0].height > self.bottom && self.y > self.top {
            return self.fresh();
        }
        let next = self.deferred.remove(0);
        self.put(next);
    }

    /// A table's head again. It was read once; from here on it is decoration.
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

    /// A run of pieces in so many columns, each so wide.
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
            // What would leave the page too empty is parted.
            if from + strip.done < many && (room.0 - strip.height) / room.1 > MOST_EMPTY {
                strip = set(least);
            }
            // Few lines in each column at the foot of a page are none.
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
            // What is taller than a page is left out of it: no piece is.
            from += strip.done.max(1);
            if from < many {
                self.fresh();
            }
        }
    }
}

/// Columns of less than this are not begun at a page's foot.
const LEAST_STRIP: f32 = 36.0;

/// How much of a page may be left empty at its foot, as a share of it.
pub const MOST_EMPTY: f32 = 0.2;

/// Pieces that stand on one page: from one of them on their height, and the index after the last.
#[derive(Clone, Copy)]
struct Chain {
    height: f32,
    end: usize,
}

impl Chain {
    /// A piece alone.
    fn of(piece: &Piece, at: usize) -> Chain {
        Chain { height: piece.height, end: at + 1 }
    }
}

/// From each piece on, what must stand on one page with it; with less, where what is kept together
/// softly may be parted and figures may float.
fn together(pieces: &[Piece], parted: bool) -> Vec<Chain> {
    let mut all: Vec<Chain> = (0..pieces.len()).map(|at| Chain::of(&pieces[at], at)).collect();
    for (i, piece) in pieces.iter().enumerate().rev() {
        if !piece.keep || parted && piece.soft {
            continue;
        }
        let floating = pieces[i + 1..].iter().take_while(|p| parted && p.floats).count();
        if let Some(next) = all.get(i + 1 + floating).copied() {
            // What floats is looked at by itself when its turn comes.
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
        // Less than a fifth may stay empty.
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
