//! Signals during a run: the first ends it between two points with its exit code, the second
//! immediately. A terminal that disappears ends nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::base::error::{Context, Result};

/// The caught signals.
pub struct Signals {
    /// Set when the run is to end.
    pub stop: Arc<AtomicBool>,
    number: Arc<AtomicUsize>,
}

impl Signals {
    pub fn catch() -> Result<Signals> {
        let signals = Signals { stop: Arc::default(), number: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
            signals.ends_with(signal)?;
        }
        match (is_ignored(SIGHUP), has_terminal()) {
            // As with `nohup`.
            (true, _) => {}
            // Prints that the terminal has gone. A handler is needed, because child processes would
            // inherit an ignored signal.
            (false, true) => {
                flag::register(SIGHUP, Arc::default()).context("catching signals")?;
            }
            // Without a terminal, the signal was sent intentionally by the run's supervisor.
            (false, false) => signals.ends_with(SIGHUP)?,
        }
        Ok(signals)
    }

    fn ends_with(&self, signal: i32) -> Result<()> {
        flag::register_conditional_default(signal, Arc::clone(&self.stop))
            .and_then(|_| flag::register_usize(signal, Arc::clone(&self.number), signal as usize))
            .and_then(|_| flag::register(signal, Arc::clone(&self.stop)))
            .map(drop)
            .context("catching signals")
    }

    /// 130 after an interrupt, 143 after a termination, 129 after a hang-up.
    pub fn exit_code(&self) -> u8 {
        128 + self.number.load(Relaxed) as u8
    }
}

fn is_ignored(signal: i32) -> bool {
    // SAFETY: reads the signal's disposition into a structure that the kernel fills; all zeros is a
    // valid one.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut now) == 0
            && now.sa_sigaction == libc::SIG_IGN
    }
}

/// Whether there is a terminal to lose.
fn has_terminal() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}
