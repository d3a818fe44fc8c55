//! A run's clock, and the signal that ends whatever waits.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::base::clock::Clock;

/// How often a signal is looked for.
const LOOK_NS: u64 = 50_000_000;

#[derive(Clone, Copy)]
pub struct Time<'a> {
    pub clock: Clock,
    /// Set by a signal.
    pub stop: &'a AtomicBool,
}

impl Time<'_> {
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    pub fn unix_ns(&self) -> u64 {
        self.clock.unix_ns(self.clock.now_ns())
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Waits a moment, at most until then.
    pub fn wait_towards(&self, until_ns: u64) {
        self.clock.sleep_until((self.now_ns() + LOOK_NS).min(until_ns));
    }

    /// Waits until then, or for the signal.
    pub fn wait_until(&self, until_ns: u64) {
        while self.now_ns() < until_ns && !self.stopped() {
            self.wait_towards(until_ns);
        }
    }
}
