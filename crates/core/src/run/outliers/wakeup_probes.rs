//! Detects processors that were unavailable to all threads: on each, a thread at ordinary priority
//! wakes every 10 ms. A kernel thread that serves a request (of a loop device, of a filesystem) may
//! have waited as long as the longest of these waits, while the worker itself waited for nothing.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;

use crate::base::clock::Clock;
use crate::lab::machine::processors::{self, Processors};
use crate::run::outliers::account::Moment;
use crate::run::outliers::stretches::{Stretch, Stretches};

const TICK_NS: u64 = 10_000_000;

/// Each thread costs 0.2 to 0.4 % of its processor in a virtual machine (its `schedstat`), where a
/// timer is expensive; beyond this number, each wakes less often.
const OFTEN: u64 = 16;

/// Shorter waits are not stored.
const LEAST_NS: u64 = 1_000_000;

/// The active threads; they stop when dropped.
pub struct WakeupProbes {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Stretches>>,
}

impl WakeupProbes {
    /// One on each of these processors. If a thread cannot be started, its processor is not
    /// observed; a machine without threads fails at its workers.
    pub fn start(clock: Clock, on: &Processors) -> WakeupProbes {
        let stop = Arc::new(AtomicBool::new(false));
        let tick_ns = TICK_NS * (on.len() as u64).div_ceil(OFTEN).max(1);
        let start = |cpu: &u32| {
            let (seen, own) = (Arc::clone(&stop), Processors::from([*cpu]));
            let body = move || {
                let pinned = processors::pin(&own).is_ok();
                if pinned { wait(clock, tick_ns, &seen) } else { Stretches::default() }
            };
            std::thread::Builder::new().name("canary".into()).spawn(body).ok()
        };
        let threads = on.iter().filter_map(start).collect();
        WakeupProbes { stop, threads }
    }

    /// The waits of the threads, by processor.
    pub fn end(mut self) -> Vec<Stretches> {
        self.stop.store(true, Relaxed);
        self.threads.drain(..).filter_map(|thread| thread.join().ok()).collect()
    }
}

impl Drop for WakeupProbes {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

fn wait(clock: Clock, tick_ns: u64, stop: &AtomicBool) -> Stretches {
    let mut waits = Stretches::default();
    let Ok(account) = File::open("/proc/thread-self/schedstat") else { return waits };
    let mut last = Moment::read(&account, clock).unwrap_or_default();
    while !stop.load(Relaxed) {
        let due_ns = clock.now_ns() + tick_ns;
        clock.sleep_until(due_ns);
        let late_ns = clock.now_ns().saturating_sub(due_ns);
        // Only a thread that wakes late may have waited, so the kernel is queried only then.
        if late_ns < LEAST_NS {
            continue;
        }
        let Some(now) = Moment::read(&account, clock) else { continue };
        // Shorter waits since the last reading are counted too.
        let ns = now.waited_ns.saturating_sub(last.waited_ns).min(late_ns);
        if ns >= LEAST_NS {
            let from_ns = now.at_ns.saturating_sub(ns);
            waits.add(Stretch { ns, from_ns, until_ns: now.at_ns, switches: 0 });
        }
        last = now;
    }
    waits
}
