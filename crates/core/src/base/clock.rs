//! One clock for every timestamp: nanoseconds since the clock was created, monotonic, cheap enough
//! for two reads per op.
//!
//! If the kernel itself trusts the time-stamp counter (its current clock source is `tsc`, which it
//! allows only for counters that are constant, never stop and agree between cores), the counter is
//! read directly and scaled by a factor measured against CLOCK_MONOTONIC. Otherwise CLOCK_MONOTONIC
//! is read. The choice is disclosed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// Duration of the comparison of the counter with CLOCK_MONOTONIC. A pair of reads is uncertain by
/// about 50 ns, so 40 ms limit the error of the scale to a few parts in a million, far below the
/// histogram's resolution.
const CALIBRATION: Duration = Duration::from_millis(40);

/// Scale factors are fixed-point with this many fractional bits.
const SHIFT: u32 = 32;

/// A copyable clock; copies agree with one another.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    source: ClockSource,
    epoch_unix_ns: u64,
}

#[derive(Clone, Copy, Debug)]
enum ClockSource {
    /// `ns = (counter - base) * mult >> SHIFT`
    Tsc {
        base: u64,
        mult: u64,
    },
    Monotonic {
        base_ns: u64,
    },
    #[cfg(test)]
    Simulated,
}

#[cfg(test)]
thread_local! {
    /// The simulated clock of this thread.
    static SIMULATED_NS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

impl Clock {
    /// Creates a clock that starts at zero now. Takes 40 ms if the counter has to be calibrated.
    pub fn start() -> Clock {
        let source = if kernel_trusts_tsc() {
            calibrate()
        } else {
            ClockSource::Monotonic { base_ns: monotonic_ns() }
        };
        let mut clock = Clock { source, epoch_unix_ns: 0 };
        clock.epoch_unix_ns = wall_ns().saturating_sub(clock.now_ns());
        clock
    }

    /// A clock for pauses: it reads CLOCK_MONOTONIC and needs no calibration.
    pub fn for_pauses() -> Clock {
        Clock { source: ClockSource::Monotonic { base_ns: monotonic_ns() }, epoch_unix_ns: 0 }
    }

    /// A simulated clock for tests of arithmetic on times, independent of the machine: each read
    /// takes ten nanoseconds, a sleep takes exactly the requested time, and nothing else takes any
    /// time. Private to the calling thread.
    #[cfg(test)]
    pub fn simulated() -> Clock {
        SIMULATED_NS.set(0);
        Clock { source: ClockSource::Simulated, epoch_unix_ns: 0 }
    }

    /// Nanoseconds since this clock was started.
    #[inline(always)]
    pub fn now_ns(&self) -> u64 {
        match self.source {
            ClockSource::Tsc { base, mult } => {
                let ticks = counter().saturating_sub(base);
                ((u128::from(ticks) * u128::from(mult)) >> SHIFT) as u64
            }
            ClockSource::Monotonic { base_ns } => monotonic_ns() - base_ns,
            #[cfg(test)]
            ClockSource::Simulated => SIMULATED_NS.replace(SIMULATED_NS.get() + 10),
        }
    }

    /// The wall-clock time of a timestamp, in nanoseconds since 1970 (UTC).
    pub fn unix_ns(&self, stamp_ns: u64) -> u64 {
        self.epoch_unix_ns + stamp_ns
    }

    /// The clock source, for the disclosure: `tsc, 2494 MHz` or `CLOCK_MONOTONIC`.
    pub fn describe(&self) -> String {
        match self.source {
            ClockSource::Tsc { mult, .. } => {
                let mhz = (1u64 << SHIFT) as f64 / mult as f64 * 1000.0;
                format!("tsc, {mhz:.0} MHz")
            }
            ClockSource::Monotonic { .. } => "CLOCK_MONOTONIC".to_string(),
            #[cfg(test)]
            ClockSource::Simulated => "simulated".to_string(),
        }
    }

    /// Spins until `until_ns`; returns the time afterwards.
    pub fn spin_until(&self, until_ns: u64) -> u64 {
        #[cfg(test)]
        if let ClockSource::Simulated = self.source {
            SIMULATED_NS.set(SIMULATED_NS.get().max(until_ns));
        }
        let mut now_ns = self.now_ns();
        while now_ns < until_ns {
            std::hint::spin_loop();
            now_ns = self.now_ns();
        }
        now_ns
    }

    /// Sleeps until `due_ns`, to the timer's precision; a caller that needs the exact time spins
    /// for the remainder.
    pub fn sleep_until(&self, due_ns: u64) {
        let now_ns = self.now_ns();
        #[cfg(test)]
        if let ClockSource::Simulated = self.source {
            return SIMULATED_NS.set(due_ns.max(now_ns));
        }
        if due_ns > now_ns {
            std::thread::sleep(Duration::from_nanos(due_ns - now_ns));
        }
    }
}

/// The host's wall clock now, nanoseconds since 1970 (UTC). Unlike a `Clock`, it may be adjusted
/// during a run.
pub fn wall_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

fn monotonic_ns() -> u64 {
    let t = clock_gettime(ClockId::Monotonic);
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: RDTSC exists on every x86-64 processor and touches no memory.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn counter() -> u64 {
    monotonic_ns()
}

fn kernel_trusts_tsc() -> bool {
    cfg!(target_arch = "x86_64")
        && std::fs::read_to_string(
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        )
        .is_ok_and(|name| name.trim() == "tsc")
}

fn calibrate() -> ClockSource {
    let (base, from_ns) = tightest_pair();
    std::thread::sleep(CALIBRATION);
    let (until, until_ns) = tightest_pair();
    let mult = (u128::from(until_ns - from_ns) << SHIFT) / u128::from((until - base).max(1));
    ClockSource::Tsc { base, mult: mult as u64 }
}

/// The counter and CLOCK_MONOTONIC at the same moment: the closest of a few attempts, so that an
/// interrupt between the two reads has no effect.
fn tightest_pair() -> (u64, u64) {
    let tries = (0..16).map(|_| {
        let before = counter();
        let ns = monotonic_ns();
        let after = counter();
        (after - before, before + (after - before) / 2, ns)
    });
    let (_, ticks, ns) = tries.min().expect("sixteen tries");
    (ticks, ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_monotonic_clock() {
        let clock = Clock::start();
        let (ours, theirs) = (clock.now_ns(), monotonic_ns());
        std::thread::sleep(Duration::from_millis(50));
        let (ours, theirs) = (clock.now_ns() - ours, monotonic_ns() - theirs);
        let off = (ours as f64 / theirs as f64 - 1.0).abs();
        assert!(off < 1e-3, "{ours} ns against {theirs} ns");
    }

    #[test]
    fn never_runs_backwards() {
        let clock = Clock::start();
        let stamps: Vec<u64> = (0..10_000).map(|_| clock.now_ns()).collect();
        assert!(stamps.windows(2).all(|w| w[0] <= w[1]));
    }
}
