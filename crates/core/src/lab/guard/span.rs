//! A range of bytes of a file or device.

/// From `from` to before `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub from: u64,
    pub to: u64,
}

impl Span {
    /// The whole range, of any length.
    pub const ALL: Span = Span { from: 0, to: u64::MAX };

    /// `bytes` from `from` on; a length of 0 means that it is unknown.
    pub fn new(from: u64, bytes: u64) -> Span {
        let to = if bytes == 0 { u64::MAX } else { from.saturating_add(bytes) };
        Span { from, to }
    }

    pub fn meets(self, other: Span) -> bool {
        self.from < other.to && other.from < self.to
    }

    /// This part of a range that starts at `outer.from`, limited to `outer.to`.
    pub fn within(self, outer: Span) -> Span {
        let moved = |at: u64| at.saturating_add(outer.from).min(outer.to);
        Span { from: moved(self.from), to: moved(self.to) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_do_not_meet_and_a_shared_byte_does() {
        let (low, high) = (Span::new(0, 512), Span::new(512, 512));
        assert!(!low.meets(high) && !high.meets(low));
        assert!(Span::new(0, 513).meets(high) && high.meets(Span::ALL));
        assert!(Span::new(100, 0).meets(Span::new(1 << 60, 1)), "an unknown length");
    }

    #[test]
    fn a_part_of_a_part_is_counted_from_the_beginning_of_the_whole() {
        let part = Span::new(1000, 500);
        assert_eq!(Span::new(10, 20).within(part), Span { from: 1010, to: 1030 });
        assert_eq!(Span::ALL.within(part), part, "it ends with the whole");
    }
}
