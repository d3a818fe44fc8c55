//! Narrow pieces in columns: filled one after another, and as deep as one another where all that is
//! left has room on the page.

use super::pages::Piece;

/// Between two columns.
pub const GUTTER: f32 = 14.0;

/// How wide one of so many columns is.
pub fn width(whole: f32, columns: usize) -> f32 {
    (whole - GUTTER * (columns - 1) as f32) / columns as f32
}

/// A strip of a page in columns.
#[derive(Default)]
pub struct Strip {
    /// Pieces by their index, each with its column and how far down it stands.
    pub placed: Vec<(usize, usize, f32)>,
    /// The first piece that had no room.
    pub next: usize,
    /// Of the longest column.
    pub height: f32,
}

/// Pieces from `range` on, in columns of at most this height, on a page of that; `needs` are the heights that must
/// stand together from each piece on.
pub fn strip(
    pieces: &[Piece],
    needs: &[f32],
    range: std::ops::Range<usize>,
    columns: usize,
    (most, page): (f32, f32),
) -> Strip {
    let whole = filled(pieces, needs, range.clone(), columns, (most, page));
    if whole.next < range.end {
        return whole;
    }
    // All of it has room: the least height in which it still has.
    let (mut low, mut high, mut best) = (0.0, most, whole);
    for _ in 0..14 {
        let middle = (low + high) / 2.0;
        let tried = filled(pieces, needs, range.clone(), columns, (middle, page));
        if tried.next < range.end {
            low = middle;
        } else {
            (high, best) = (middle, tried);
        }
    }
    best
}

fn filled(
    pieces: &[Piece],
    needs: &[f32],
    range: std::ops::Range<usize>,
    columns: usize,
    (most, page): (f32, f32),
) -> Strip {
    let mut strip = Strip { next: range.start, ..Strip::default() };
    for column in 0..columns {
        let mut y = 0.0;
        while strip.next < range.end {
            let (piece, at) = (&pieces[strip.next], strip.next);
            let empty = piece.items.is_empty();
            // What is taller than a page is divided after all.
            let need = if needs[at] > page { piece.height } else { needs[at] };
            if !empty && y + need > most {
                break;
            }
            strip.next += 1;
            // No column begins with empty space.
            if empty && y == 0.0 {
                continue;
            }
            strip.placed.push((at, column, y));
            y += piece.height;
            if !empty {
                strip.height = strip.height.max(y);
            }
        }
    }
    strip
}

#[cfg(test)]
mod tests {
    use super::super::pages::Item;
    use super::*;

    fn piece(height: f32) -> Piece {
        let item = Item::Rule { at: (0.0, 0.0), size: (1.0, height), colour: (0, 0, 0) };
        Piece { height, items: vec![(item, None)], ..Piece::default() }
    }

    #[test]
    fn what_has_room_is_divided_evenly_and_the_rest_is_left_for_the_next_page() {
        let pieces: Vec<Piece> = (0..8).map(|_| piece(10.0)).collect();
        let needs = vec![10.0; 8];
        let even = strip(&pieces, &needs, 0..8, 2, (500.0, 500.0));
        assert_eq!((even.next, even.height), (8, 40.0));
        assert_eq!(even.placed[4], (4, 1, 0.0));
        let full = strip(&pieces, &needs, 0..8, 2, (25.0, 500.0));
        assert_eq!((full.next, full.height), (4, 20.0));
    }
}
