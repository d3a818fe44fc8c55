//! Standstills of Dyno itself: the witness intends to wake every 10 ms, and records its lateness.
//! If Dyno is stopped by a signal, or its machine is not running, none of its threads and meters
//! run; latencies alone could not distinguish that from a stalled drive.

use crate::measure::worker::MeasuredWindow;
use crate::record::Standstill;

/// Minimum lateness that counts as a standstill. On two processors with ten competing threads, the
/// witness is at most 7 ms late.
pub const LEAST_NS: u64 = 50_000_000;

/// The observations within the window: (intended wake-up, actual wake-up).
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
