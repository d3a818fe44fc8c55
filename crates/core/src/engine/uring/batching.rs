//! When a worker takes its completions: as soon as there is one, or several at a time.
//!
//! A completion is stamped when it is taken, so the time that it waits for others is in its
//! latency.

use super::polling::Poll;
use super::ring::RingOptions;
use crate::base::error::{Result, failed};

/// What a worker saves at the cost of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// A completion is taken at once, and its slot refilled.
    Latency,
    /// Several completions are taken with one system call, which also refills their slots.
    Cpu,
}

/// How many completions are waited for (fewer where fewer requests are in flight), and how long for
/// more than one of them: a first choice, with its price measured by `benches/run.py batch-memory`.
pub const COMPLETIONS: usize = 16;
/// See [`COMPLETIONS`]. Microseconds, the unit of the kernel's `min_wait_usec`.
pub const WAIT_US: u32 = 2;

impl Batch {
    /// The words of the knob, in the order of the variants.
    pub const WORDS: &[&str] = &["latency", "cpu"];

    /// The one that a plan names.
    pub fn named(word: &str) -> Batch {
        match word {
            "cpu" => Batch::Cpu,
            _ => Batch::Latency,
        }
    }

    /// The word of the knob.
    pub fn name(self) -> &'static str {
        Batch::WORDS[self as usize]
    }

    /// Refuses what makes waiting for several completions pointless: a processor that polls is busy
    /// all the same, and with a submitting thread there is no call to save.
    pub fn check(self, options: RingOptions) -> Result<()> {
        if self == Batch::Latency || (options.poll == Poll::None && !options.sqpoll) {
            return Ok(());
        }
        Err(failed(
            "`batch = \"cpu\"` saves system calls, which a ring that polls or has a submitting \
             thread does not make",
            "set `batch = \"latency\"`, or `poll = \"none\"` and `sqpoll = false`",
        ))
    }
}
