//! The start of a load: its workers wait until all are ready and begin together, or end together if
//! one of them could not be started.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time that the caller waits for workers between checks for a signal.
const LOOK: Duration = Duration::from_millis(50);

#[derive(Default)]
pub struct StartGate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    waiting: u32,
    /// Whether the load begins, once that is known.
    begins: Option<bool>,
}

impl StartGate {
    fn state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A worker is ready; returns whether the load begins.
    pub fn wait(&self) -> bool {
        let mut state = self.state();
        state.waiting += 1;
        self.changed.notify_all();
        loop {
            if let Some(begins) = state.begins {
                return begins;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether this many workers wait, after a short time at most.
    pub fn has(&self, workers: u32) -> bool {
        let missing = |state: &mut GateState| state.waiting < workers;
        let waited = self.changed.wait_timeout_while(self.state(), LOOK, missing);
        waited.unwrap_or_else(PoisonError::into_inner).0.waiting >= workers
    }

    /// Lets all workers begin, or end.
    pub fn open(&self, begins: bool) {
        self.state().begins = Some(begins);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_begin_together_or_end_together_even_if_some_are_missing() {
        for (expected, begins) in [(3, true), (7, false)] {
            let gate = StartGate::default();
            let begun = std::thread::scope(|scope| {
                let workers: Vec<_> = (0..3).map(|_| scope.spawn(|| gate.wait())).collect();
                while !gate.has(3) {}
                assert_eq!(gate.has(expected), begins);
                gate.open(begins);
                workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Vec<_>>()
            });
            assert_eq!(begun, [begins; 3]);
        }
    }
}
