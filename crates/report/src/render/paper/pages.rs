//! Distributes pieces over pages: related pieces stay together, a table's head is repeated on
//! further pages, and space at the top of a page is omitted.

use crate::render::paper::columns::{self, PieceHeight};
use crate::render::paper::piece::{Item, Piece};
use crate::render::paper::tags::TagId;

/// The position of an anchor.
#[derive(Clone, Copy, Default)]
pub struct AnchorSpot {
    pub page: usize,
    pub y: f32,
}

pub struct Paginator {
    pub all: Vec<Vec<(Item, Option<TagId>)>>,
    pub spots: Vec<AnchorSpot>,
    /// The filled share of each page, from 0 to 1.
    pub filled: Vec<f32>,
}

impl Paginator {
    /// The largest empty share of any page except the last, from 0 to 1.
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
    let mut flow = Flow { pages, y: top, drawn: top, top, bottom, deferred: Vec::new() };
    let needs = Needs::of(&pieces);
    let mut before: Option<usize> = None;
    // The end of the pieces known to fit together.
    let (mut at, mut admitted) = (0, 0);
    while at < pieces.len() {
        if let Some(columns) = pieces[at].columns {
            let many = pieces[at..].iter().take_while(|p| p.columns == Some(columns)).count();
            flow.in_columns(&mut pieces, &needs, at..at + many, columns);
            (at, before) = (at + many, None);
            continue;
        }
        let mut piece = std::mem::take(&mut pieces[at]);
        let empty = piece.items.is_empty();
        let mut chain = needs.chain(at, flow.room(), flow.is_empty_below());
        let continued = piece.table.filter(|_| before == piece.table).map(|table| &heads[table]);
        let head = continued.map_or(0.0, |head| head.iter().map(|p| p.height).sum());
        let over = chain.height - flow.room().0;
        if piece.floats && at >= admitted && over > 0.0 && flow.y > top {
            let height = piece.height;
            if piece.shrink(height - over, LEAST_SIZE) {
                chain.height -= height - piece.height;
            }
        }
        let (mut begun, mut deferred) = (false, false);
        let mut above = 0.0;
        while above + chain.height > flow.room().0 && flow.y > top && !empty && at >= admitted {
            if piece.floats && flow.is_empty_below() {
                deferred = true;
                break;
            }
            flow.fresh();
            (begun, above) = (true, head);
            // After deferred figures there may be no room.
            let (room, page) = flow.room();
            chain = needs.chain(at, (room - above, page), flow.is_empty_below());
        }
        if deferred {
            flow.deferred.push(piece);
            at += 1;
            continue;
        }
        if begun {
            continued.into_iter().flatten().for_each(|head| flow.head(head));
        }
        if !empty {
            before = piece.table;
        }
        flow.put(piece);
        // A chain that was not examined may not fit; space has no position of its own.
        let end = if empty || at < admitted { 0 } else { chain.end };
        (at, admitted) = (at + 1, admitted.max(end));
    }
    while !flow.deferred.is_empty() {
        flow.last();
    }
    flow.pages.filled.push((flow.drawn - top) / (bottom - top));
    flow.pages
}

/// The position of the next piece.
struct Flow {
    pages: Paginator,
    y: f32,
    /// The bottom of the last piece that is not only space.
    drawn: f32,
    top: f32,
    bottom: f32,
    /// Figures deferred to the next page.
    deferred: Vec<Piece>,
}

impl Flow {
    /// The remaining height of the page, and the height of a whole page.
    fn room(&self) -> (f32, f32) {
        (self.bottom - self.y, self.bottom - self.top)
    }

    /// Whether the page would be left too empty if it ended here.
    fn is_empty_below(&self) -> bool {
        too_empty((self.bottom - self.drawn, self.bottom - self.top))
    }

    fn fresh(&mut self) {
        self.pages.filled.push((self.drawn - self.top) / (self.bottom - self.top));
        self.pages.all.push(Vec::new());
        (self.y, self.drawn) = (self.top, self.top);
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
        let mut next = self.deferred.remove(0);
        let room = self.bottom - self.y;
        let fits = next.height <= room || self.y <= self.top;
        let has_room = fits || self.is_empty_below() && next.shrink(room, LEAST_SIZE_AT_END);
        if !has_room {
            self.deferred.insert(0, next);
            return self.fresh();
        }
        self.put(next);
    }

    /// Repeats a table's head. It was tagged once; repetitions are decoration.
    fn head(&mut self, head: &Piece) {
        let y = self.y;
        let items = head.items.iter().map(|(item, _)| (item.clone().moved((0.0, y)), None));
        self.pages.all.last_mut().into_iter().for_each(|page| page.extend(items.clone()));
        self.y += head.height;
        self.drawn = self.y;
    }

    fn put(&mut self, piece: Piece) {
        if piece.items.is_empty() && self.y == self.top && piece.anchors.is_empty() {
            return;
        }
        let (height, drawn) = (piece.height, piece.drawn());
        self.draw(piece, (0.0, self.y));
        self.drawn = drawn.map_or(self.drawn, |drawn| self.drawn.max(self.y + drawn));
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
        needs: &Needs,
        run: std::ops::Range<usize>,
        (columns, apart): (usize, u32),
    ) {
        let many = run.len();
        let mut from = 0;
        while from < many {
            let room = self.room();
            let set = |needs: &[Chain]| {
                let size = |at: usize| PieceHeight {
                    height: pieces[at].height,
                    needed: needs[at].height,
                    empty: pieces[at].items.is_empty(),
                };
                let sizes: Vec<PieceHeight> = (run.start + from..run.end).map(size).collect();
                columns::strip(&sizes, columns, room)
            };
            // Pieces that would leave the page too empty are divided.
            let leaves = |strip: &columns::PageStrip| {
                from + strip.done < many && too_empty((room.0 - strip.height, room.1))
            };
            let mut strip = set(&needs.whole);
            for needs in [&needs.parted, &needs.alone] {
                if leaves(&strip) {
                    strip = set(needs);
                }
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
            self.drawn = self.y;
            // A piece taller than a page would be omitted; none is.
            from += strip.done.max(1);
            if from < many {
                self.fresh();
            }
        }
    }
}

/// Figures are reduced to fit on a page, to at least these shares of their size: with text after
/// them, and at the end of the document.
const LEAST_SIZE: f32 = 0.66;
const LEAST_SIZE_AT_END: f32 = 0.5;

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

/// Whether leaving this room empty exceeds the permitted share of the page.
fn too_empty((room, page): (f32, f32)) -> bool {
    room / page > MOST_EMPTY
}

/// The chain that starts at each piece and stays on one page: all pieces that are kept together; a
/// smaller one in which softly kept pieces may be separated and figures may float; and the pieces
/// from which it cannot be separated.
struct Needs {
    whole: Vec<Chain>,
    parted: Vec<Chain>,
    alone: Vec<Chain>,
}

impl Needs {
    fn of(pieces: &[Piece]) -> Needs {
        let bound = |piece: &Piece| piece.bound;
        let kept = |piece: &Piece| piece.keep;
        let hard = |piece: &Piece| piece.keep && !piece.soft;
        Needs {
            whole: together(pieces, &kept, false),
            parted: together(pieces, &hard, true),
            alone: together(pieces, &bound, true),
        }
    }

    /// The chain of a piece for the available height: a chain taller than a page is divided, and so
    /// is one that would leave the page too empty.
    fn chain(&self, at: usize, (room, page): (f32, f32), is_empty_below: bool) -> Chain {
        let whole = [self.whole[at], self.parted[at], self.alone[at]];
        let fits = |chain: &Chain| chain.height <= page;
        let whole = *whole.iter().find(|chain| fits(chain)).unwrap_or(&self.alone[at]);
        if whole.height <= room || !is_empty_below {
            return whole;
        }
        let less = [self.parted[at], self.alone[at]];
        *less.iter().find(|chain| chain.height <= room).unwrap_or(&self.alone[at])
    }
}

/// Chains of pieces that are kept together; figures may float out of them.
fn together(pieces: &[Piece], kept: &dyn Fn(&Piece) -> bool, floating: bool) -> Vec<Chain> {
    let mut all: Vec<Chain> = (0..pieces.len()).map(|at| Chain::of(&pieces[at], at)).collect();
    for (i, piece) in pieces.iter().enumerate().rev().filter(|(_, piece)| kept(piece)) {
        let floats = pieces[i + 1..].iter().take_while(|p| floating && p.floats).count();
        if let Some(next) = all.get(i + 1 + floats).copied() {
            // Floating pieces are examined separately in their turn.
            let end = if floats > 0 { i + 1 } else { next.end };
            all[i] = Chain { height: piece.height + next.height, end };
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::paper::piece::FIGURE_FOOT;
    use dyno_core::base::rng::Seed;

    fn piece(height: f32, keep: bool, table: Option<usize>) -> Piece {
        let item = Item::Rule { at: (0.0, 0.0), size: (1.0, height), colour: (0, 0, 0) };
        Piece { height, items: vec![(item, Some(0))], keep, table, ..Piece::default() }
    }

    #[test]
    fn what_belongs_together_is_on_one_page() {
        let pieces =
            vec![piece(85.0, false, None), piece(10.0, true, None), piece(30.0, false, None)];
        let pages = paginate(pieces, &[], (0.0, 100.0), 0);
        assert_eq!(pages.all.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(pages.filled, [0.85, 0.4]);
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

    /// The tag of headings and tables' heads.
    const HEAD: Option<TagId> = Some(1);

    fn head(height: f32, table: Option<usize>) -> Piece {
        let mut piece = Piece { bound: true, ..piece(height, true, table) };
        piece.items[0].1 = HEAD;
        piece
    }

    /// A random document of paragraphs, tables and figures: kept-together pieces are less than a
    /// page high, and no piece except a figure is higher than a fifth of a page.
    fn by_chance(seed: u64) -> (Vec<Piece>, Vec<Vec<Piece>>) {
        let mut rng = Seed::new(seed, 0, 0).at(0);
        let mut from = |low: f32, high: f32| low + (high - low) * rng.unit() as f32;
        let (mut pieces, mut heads) = (Vec::new(), Vec::new());
        for _ in 0..60 {
            match from(0.0, 4.0) as usize {
                0 => {
                    pieces.push(head(from(12.0, 30.0), None));
                    pieces.extend((0..3).map(|i| piece(12.0, i == 0, None)));
                }
                1 => {
                    let height = from(60.0, 290.0);
                    let at = (0.0, 20.0);
                    let size = (200.0, height - 20.0 - FIGURE_FOOT);
                    let drawing = Item::Drawing { at, size, svg: String::new() };
                    let (items, keep) = (vec![(drawing, Some(0))], from(0.0, 1.0) < 0.5);
                    let (soft, floats) = (keep, true);
                    pieces.push(Piece { height, items, keep, soft, floats, ..Piece::default() });
                }
                2 => {
                    let table = Some(heads.len());
                    heads.push(vec![piece(12.0, true, table)]);
                    pieces.push(head(12.0, table));
                    let (rows, group) = (from(3.0, 60.0) as usize, from(1.0, 14.0) as usize);
                    let height = from(9.0, 30.0);
                    let row = |i: usize| piece(height, !(i + 1).is_multiple_of(group), table);
                    pieces.extend((0..rows).map(row));
                }
                _ => pieces.extend((0..from(1.0, 9.0) as usize).map(|_| piece(12.0, false, None))),
            }
            let keep = from(0.0, 1.0) < 0.3;
            pieces.push(Piece { height: 6.0, keep, soft: keep, ..Piece::default() });
        }
        (pieces, heads)
    }

    #[test]
    fn no_page_before_the_last_is_emptier_than_a_fifth_whatever_the_document_holds() {
        for seed in 0..400 {
            let (pieces, heads) = by_chance(seed);
            let set = pieces.iter().filter(|p| !p.items.is_empty()).count();
            let pages = paginate(pieces, &heads, (30.0, 800.0), 0);
            assert!(pages.emptiest() <= MOST_EMPTY, "seed {seed}: {:?}", pages.filled);
            // Only the space after the last piece may extend below the page.
            let most = 1.0 + 6.5 / 770.0;
            assert!(pages.filled.iter().all(|filled| *filled <= most), "{:?}", pages.filled);
            let last = |page: &Vec<(Item, _)>| page.last().and_then(|(_, tag)| *tag);
            assert!(pages.all.iter().all(|page| last(page) != HEAD), "seed {seed}");
            let tagged = pages.all.iter().flatten().filter(|(_, tag)| tag.is_some()).count();
            assert_eq!(tagged, set, "seed {seed}: pieces are lost or stand twice");
        }
    }
}
