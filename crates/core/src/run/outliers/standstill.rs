//! When Dyno itself stood still: the witness means to wake every 10 ms, and notes by how much it
//! was late. Stopped by a signal, or with its machine not running, no thread of Dyno's runs, and
//! no meter either; the loads' latencies alone would not distinguish that from a drive that
//! stalled.

use crate::measure::worker::MeasuredWindow;
use crate::record::Standstill;

/// What counts as standing still. On two processors with ten threads that want one the witness
/// wakes at most 7 ms late.
pub const LEAST_NS: u64 = 50_000_000;

/// The parts of what was seen that lie in the window: (when the witness meant to wake, when it
/// did).
pub fn within(seen: &[(u64, u64)], window: MeasuredWindow) -> Vec<Standstill> {
    let parts =
        seen.iter().map(|&(from, until)| (from.max(window.from_ns), until.min(window.until_ns)));
    let inside = parts.filter(|(from, until)| from < until);
    inside
        .map(|(from, until)| Standstill {
            at_ns: (from - window.from_ns) as i64,
            length_ns: until - from,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_the_window_counts() {
        let window = MeasuredWindow { from_ns: 100, until_ns: 200 };
        let at = |at_ns, length_ns| Standstill { at_ns, length_ns };
        let seen = within(&[(0, 90), (80, 110), (120, 130), (190, 300), (250, 260)], window);
        assert_eq!(seen, [at(0, 10), at(20, 10), at(90, 10)]);
    }
}
