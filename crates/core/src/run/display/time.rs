//! A run's clock, and the signal that ends all waits.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::clock::{Clock, wall_ns};
use crate::base::error::{Result, failed};
use crate::base::units;

/// Polling interval for the signal.
const LOOK_NS: u64 = 50_000_000;

#[derive(Clone, Copy)]
pub struct RunClock<'a> {
    pub clock: Clock,
    /// Set by a signal.
    pub stop: &'a AtomicBool,
    /// The wall-clock time at which the load starts, if set; nanoseconds since 1970.
    pub starts_unix_ns: Option<u64>,
}

/// The last part of a wait is spun, because a sleep may end late.
const SPUN_NS: u64 = 1_000_000;

impl RunClock<'_> {
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    pub fn unix_ns(&self) -> u64 {
        self.clock.unix_ns(self.clock.now_ns())
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The wall-clock time of a timestamp. If the load starts by wall clock it is read again,
    /// because the run's own clock drifts over hours.
    pub fn unix_ns_of(&self, stamp_ns: u64) -> u64 {
        match self.starts_unix_ns {
            Some(_) => (wall_ns() + stamp_ns).saturating_sub(self.now_ns()),
            None => self.clock.unix_ns(stamp_ns),
        }
    }

    /// Waits for the start of the load, or for the signal; returns its timestamp.
    pub fn wait_for_start(&self) -> Result<u64> {
        let Some(start_unix_ns) = self.starts_unix_ns else { return Ok(self.now_ns()) };
        loop {
            let (wall, now_ns) = (wall_ns(), self.now_ns());
            if wall > start_unix_ns {
                let late = units::duration(wall - start_unix_ns);
                return Err(failed(
                    format!(
                        "this point should have begun {late} ago, \
                     together with those of the other hosts"
                    ),
                    "allow more time: a later --start-at for the preparation, a longer \
                     --start-every for opening points",
                ));
            }
            let ahead_ns = start_unix_ns - wall;
            if self.stopped() {
                return Ok(now_ns);
            }
            if ahead_ns < LOOK_NS {
                self.clock.sleep_until(now_ns + ahead_ns.saturating_sub(SPUN_NS));
                return Ok(self.clock.spin_until(now_ns + ahead_ns));
            }
            self.wait_towards(now_ns + ahead_ns - SPUN_NS);
        }
    }

    /// Waits briefly, at most until this time.
    pub fn wait_towards(&self, until_ns: u64) {
        self.clock.sleep_until((self.now_ns() + LOOK_NS).min(until_ns));
    }

    /// Waits until this time, or for the signal.
    pub fn wait_until(&self, until_ns: u64) {
        while self.now_ns() < until_ns && !self.stopped() {
            self.wait_towards(until_ns);
        }
    }
}
