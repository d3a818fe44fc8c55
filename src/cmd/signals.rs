//! Signals during a run: the first ends it with its exit code, the second immediately. SIGTERM ends
//! it within five seconds in any case. A terminal that disappears ends nothing.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::{emulate_default_handler, pipe};

use crate::base::clock::Clock;
use crate::base::error::{Context, Result};
use crate::base::stderr::note;
use crate::base::units::plural;

/// Time in which a run ends by itself after SIGTERM.
const PATIENCE: Duration = Duration::from_secs(4);

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

    /// Lets SIGTERM, which supervisors follow by SIGKILL, end the process as a second signal would
    /// if it has not ended by itself after [`PATIENCE`]: a request to a drive that does not answer
    /// blocks its thread. From then on a thread of its own receives signals: the kernel would
    /// deliver one to the main thread, although that waits uninterruptibly.
    pub fn end_in_time(&self) -> Result<()> {
        let (mut seen, signalled) = std::io::pipe().context("catching signals")?;
        pipe::register(SIGTERM, signalled).context("catching signals")?;
        let body = move || {
            if seen.read_exact(&mut [0]).is_err() {
                return;
            }
            let clock = Clock::for_pauses();
            clock.sleep_until(clock.now_ns() + PATIENCE.as_nanos() as u64);
            note(&late());
            let _ = emulate_default_handler(SIGTERM);
        };
        std::thread::Builder::new().name("deadline".into()).spawn(body)?;
        // Threads that are started later inherit this, and processes do not.
        block(&[SIGINT, SIGTERM, SIGHUP]).context("blocking signals")
    }

    /// 130 after an interrupt, 143 after a termination, 129 after a hang-up.
    pub fn exit_code(&self) -> u8 {
        128 + self.number.load(Relaxed) as u8
    }
}

/// Blocks signals in the calling thread.
fn block(signals: &[i32]) -> std::io::Result<()> {
    // SAFETY: fills a set, which the kernel reads.
    let failed = unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in signals {
            libc::sigaddset(&raw mut set, *signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut())
    };
    if failed == 0 { Ok(()) } else { Err(std::io::Error::from_raw_os_error(failed)) }
}

/// What keeps this process from ending, by the states of its threads.
fn late() -> String {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    // The name is in parentheses, and the state follows.
    let state = |task: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(task.path().join("stat")).ok()?;
        stat.rsplit_once(") ")?.1.chars().next()
    };
    let blocked = tasks.filter_map(state).filter(|state| *state == 'D').count();
    let cause = match blocked {
        0 => String::new(),
        n => format!(" ({} in the kernel, uninterruptibly)", plural(n, "waiting thread")),
    };
    let seconds = PATIENCE.as_secs();
    format!("Not ended {seconds} s after SIGTERM{cause}: ended now, without the running point.")
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
