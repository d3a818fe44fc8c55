//! Narrow pieces in columns: filled one after another, and balanced if the rest fits on the page.

/// Space between columns.
pub const GUTTER: f32 = 14.0;

/// The width of one of this many columns.
pub fn width(whole: f32, columns: usize) -> f32 {
    (whole - GUTTER * (columns - 1) as f32) / columns as f32
}

/// The height of a piece, the height from it on that must stay together, and whether it is only
/// space.
pub struct PieceHeight {
    pub height: f32,
    pub needed: f32,
    pub empty: bool,
}

/// A strip of a page in columns.
#[derive(Default)]
pub struct PageStrip {
    /// Pieces by index, each with its column and vertical position.
    pub placed: Vec<(usize, usize, f32)>,
    /// Number of pieces that fit.
    pub done: usize,
    /// Height of the longest column.
    pub height: f32,
}

/// Pieces in columns of at most this height, on a page of that height.
pub fn strip(pieces: &[PieceHeight], columns: usize, (most, page): (f32, f32)) -> PageStrip {
    let whole = filled(pieces, columns, (most, page));
    if whole.done < pieces.len() {
        return whole;
    }
    // If everything fits: the minimum height.
    let (mut low, mut high, mut best) = (0.0, most, whole);
    for _ in 0..14 {
        let middle = (low + high) / 2.0;
        let tried = filled(pieces, columns, (middle, page));
        if tried.done < pieces.len() {
            low = middle;
        } else {
            (high, best) = (middle, tried);
        }
    }
    best
}

fn filled(pieces: &[PieceHeight], columns: usize, (most, page): (f32, f32)) -> PageStrip {
    let mut strip = PageStrip::default();
    for column in 0..columns {
        let mut y = 0.0;
        while let Some(piece) = pieces.get(strip.done) {
            let at = strip.done;
            // A piece taller than a page is divided.
            let need = if piece.needed > page { piece.height } else { piece.needed };
            if !piece.empty && y + need > most {
                break;
            }
            strip.done += 1;
            // No column begins with space.
            if piece.empty && y == 0.0 {
                continue;
            }
            strip.placed.push((at, column, y));
            y += piece.height;
            if !piece.empty {
                strip.height = strip.height.max(y);
            }
        }
    }
    strip
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_room_is_divided_evenly_and_the_rest_is_left_for_the_next_page() {
        let size = |_| PieceHeight { height: 10.0, needed: 10.0, empty: false };
        let pieces: Vec<PieceHeight> = (0..8).map(size).collect();
        let even = strip(&pieces, 2, (500.0, 500.0));
        assert_eq!(even.done, 8);
        assert!((even.height - 40.0).abs() < 1.0, "{}", even.height);
        assert_eq!(even.placed[4], (4, 1, 0.0));
        let full = strip(&pieces, 2, (25.0, 500.0));
        assert_eq!((full.done, full.height), (4, 20.0));
    }
}
