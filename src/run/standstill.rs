//! Sees when Dyno itself stands still: a thread that means to wake every 10 ms, and notes by how
//! much it was late. Stopped by a signal, or with its machine not running, no thread of Dyno's
//! runs, and no meter either; the loads' latencies alone would not distinguish that from a drive
//! that stalled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;

use crate::base::clock::Clock;
use crate::load::worker::Window;
use crate::record::Standstill;

const TICK_NS: u64 = 10_000_000;

/// What counts as standing still. On two processors with ten threads that want one the watcher
/// wakes at most 7 ms late.
const LEAST_NS: u64 = 50_000_000;

/// Room for what is seen, made before the window: a minute of nothing but standing still.
const ROOM: usize = 1_024;

/// The watcher at work; dropped, it stops.
pub struct Watcher {
    stop: Arc<AtomicBool>,
    /// (when it meant to wake, when it did)
    thread: Option<JoinHandle<Vec<(u64, u64)>>>,
}

impl Watcher {
    pub fn start(clock: Clock) -> Watcher {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("standstill".into())
            .spawn(move || watch(clock, &seen));
        // Without the thread nothing is seen; a machine that cannot start one fails at its workers.
        Watcher { stop, thread: thread.ok() }
    }

    /// What was seen inside a window.
    pub fn end(mut self, window: Window) -> Vec<Standstill> {
        self.stop.store(true, Relaxed);
        let seen = self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        within(&seen, window)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

fn watch(clock: Clock, stop: &AtomicBool) -> Vec<(u64, u64)> {
    let mut seen = Vec::with_capacity(ROOM);
    while !stop.load(Relaxed) {
        let due_ns = clock.now_ns() + TICK_NS;
        clock.sleep_until(due_ns);
        let now_ns = clock.now_ns();
        if now_ns.saturating_sub(due_ns) >= LEAST_NS {
            seen.push((due_ns, now_ns));
        }
    }
    seen
}

/// The parts of what was seen that lie in the window.
fn within(seen: &[(u64, u64)], window: Window) -> Vec<Standstill> {
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
        let window = Window { from_ns: 100, until_ns: 200 };
        let at = |at_ns, length_ns| Standstill { at_ns, length_ns };
        let seen = within(&[(0, 90), (80, 110), (120, 130), (190, 300), (250, 260)], window);
        assert_eq!(seen, [at(0, 10), at(20, 10), at(90, 10)]);
    }
}
