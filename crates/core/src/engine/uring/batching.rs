//! When a worker reaps its completions: as soon as there is one, or several at a time.
//!
//! A completion is timestamped when it is reaped, so its latency includes the time that it waits
//! for others.

use super::polling::Poll;
use super::ring::RingOptions;
use crate::base::error::{Result, failed};

/// What a worker optimises, at the expense of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// A completion is reaped at once, and its slot is refilled.
    Latency,
    /// Several completions are reaped with one system call, which also refills their slots.
    Cpu,
}

/// Number of completions to wait for (fewer if fewer requests are in flight), and the maximum wait
/// for more than one of them. Both are first choices; `benches/run.py batch-memory` measures their
/// cost.
pub const COMPLETIONS: usize = 16;
/// Maximum wait for more than one of the [`COMPLETIONS`], microseconds, the unit of the kernel's
/// `min_wait_usec`.
pub const WAIT_US: u32 = 2;

impl Batch {
    /// Values of the knob, in the order of the variants.
    pub const WORDS: &[&str] = &["latency", "cpu"];

    /// The value set in a plan.
    pub fn named(word: &str) -> Batch {
        match word {
            "cpu" => Batch::Cpu,
            _ => Batch::Latency,
        }
    }

    /// Value of the knob.
    pub fn name(self) -> &'static str {
        Batch::WORDS[self as usize]
    }

    /// Refuses options with which waiting for several completions is pointless: a polling processor
    /// is busy anyway, and a submitting thread leaves no system call to save.
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
