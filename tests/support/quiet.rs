//! Whether something else used this machine during a measurement: the host of a virtual machine
//! (steal time, threads that wake late), or other programs (processor time that is not the test's,
//! its children's, or the kernel's).
//!
//! A measurement that fails its test while the machine was disturbed shows nothing: it is repeated,
//! and finally skipped. One that fails on an undisturbed machine fails.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::skip;

const TRIES: usize = 3;
/// The wait for the machine to become quiet before another attempt.
const PATIENCE: Duration = Duration::from_secs(20);
/// The intended wake-up interval of the watching thread.
const PERIOD: Duration = Duration::from_millis(10);

/// A machine counts as disturbed if a thread woke this late, …
const LATE: Duration = Duration::from_millis(20);
/// … if the host took this share of a processor, …
const STOLEN: f64 = 0.02;
/// … or if other programs took this share of one.
const OTHERS: f64 = 0.2;

/// Makes a measurement with assertions: repeated if it failed on a disturbed machine, and skipped
/// if the machine does not become quiet. Beside other measuring tests it is made once:
/// `scripts/test.py` repeats a failed one alone.
#[track_caller]
pub fn on_a_quiet_machine(measure: impl Fn()) {
    if std::env::var_os("DYNO_BESIDE").is_some() {
        return measure();
    }
    let mut seen = Vec::new();
    for _ in 0..TRIES {
        let watch = Watch::start();
        let measured = catch_unwind(AssertUnwindSafe(&measure));
        let disturbed = watch.disturbed();
        match (measured, disturbed) {
            (Ok(()), _) => return,
            (Err(failure), None) => resume_unwind(failure),
            (Err(_), Some(how)) => seen.push(how),
        }
        let patience = Instant::now() + PATIENCE;
        while Instant::now() < patience && disturbed_for(Duration::from_secs(1)).is_some() {}
    }
    skip(format!(
        "this machine was disturbed each time that this was measured: {}",
        seen.join("; ")
    ));
}

/// Watches the machine for a while and does nothing else.
fn disturbed_for(span: Duration) -> Option<String> {
    let watch = Watch::start();
    std::thread::sleep(span);
    watch.disturbed()
}

/// Watches the machine from its start until queried.
pub struct Watch {
    begun: Instant,
    before: Used,
    stop: Sender<()>,
    /// The latest wake-up.
    late: JoinHandle<Duration>,
}

impl Watch {
    pub fn start() -> Watch {
        let (stop, stopped) = channel();
        let late = std::thread::spawn(move || {
            let mut latest = Duration::ZERO;
            loop {
                let due = Instant::now() + PERIOD;
                match stopped.recv_timeout(PERIOD) {
                    Err(RecvTimeoutError::Timeout) => latest = latest.max(Instant::now() - due),
                    _ => return latest,
                }
            }
        });
        Watch { begun: Instant::now(), before: Used::read(), stop, late }
    }

    /// The disturbance as text; None without one.
    pub fn disturbed(self) -> Option<String> {
        let (used, span_s) = (Used::read(), self.begun.elapsed().as_secs_f64());
        let _ = self.stop.send(());
        let late = self.late.join().expect("a watching thread without a panic");
        let stolen = (used.stolen_s - self.before.stolen_s) / span_s;
        let others = (used.others_s() - self.before.others_s()) / span_s;
        let mut how = Vec::new();
        if late >= LATE {
            how.push(format!("a thread woke {late:.0?} late"));
        }
        if stolen >= STOLEN {
            how.push(format!("the host kept {:.0} % of a processor", 100.0 * stolen));
        }
        // A few of the kernel's ticks are not meaningful.
        if others >= OTHERS && others * span_s > 0.05 {
            how.push(format!("other programs took {:.0} % of a processor", 100.0 * others));
        }
        (!how.is_empty()).then(|| format!("{} in {span_s:.1} s", how.join(" and ")))
    }
}

/// Processor time since boot, in seconds.
struct Used {
    stolen_s: f64,
    /// Of programs and the kernel on their behalf; interrupts belong to none.
    busy_s: f64,
    /// Of this process and its children, including ended ones.
    own_s: f64,
    /// Of kernel threads.
    kernel_s: f64,
}

/// The kernel's ticks per second, as reported to programs.
const TICKS: f64 = 100.0;
/// The process flag of a kernel thread.
const KERNEL_THREAD: u64 = 0x0020_0000;

impl Used {
    fn read() -> Used {
        let text = std::fs::read_to_string("/proc/stat").expect("/proc/stat");
        let all = text
            .lines()
            .next()
            .and_then(|l| l.strip_prefix("cpu "))
            .expect("a line of all processors");
        let ticks: Vec<f64> = all.split_whitespace().map(|n| n.parse().expect("ticks")).collect();
        let processes = processes();
        let sum = |of: &dyn Fn(u32, &Process) -> bool| {
            processes.iter().filter(|(pid, p)| of(**pid, p)).map(|(_, p)| p.ticks).sum::<f64>()
                / TICKS
        };
        Used {
            stolen_s: ticks[7] / TICKS,
            busy_s: (ticks[0] + ticks[1] + ticks[2]) / TICKS,
            own_s: sum(&|pid, _| is_own(&processes, pid)),
            kernel_s: sum(&|_, p| p.flags & KERNEL_THREAD != 0),
        }
    }

    fn others_s(&self) -> f64 {
        self.busy_s - self.own_s - self.kernel_s
    }
}

struct Process {
    parent: u32,
    session: u32,
    flags: u64,
    /// Its own and those of its ended children.
    ticks: f64,
}

fn processes() -> HashMap<u32, Process> {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name is in parentheses and may contain any character; fields are counted from its
        // end.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |i: usize| fields.get(i)?.parse::<u64>().ok();
        let ticks = (11..15).map(number).sum::<Option<u64>>()? as f64;
        let (parent, session) = (number(1)? as u32, number(3)? as u32);
        Some((pid, Process { parent, session, flags: number(6)?, ticks }))
    })
    .collect()
}

/// Whether a process is this one, one of its descendants, or in the session that this one leads.
fn is_own(processes: &HashMap<u32, Process>, pid: u32) -> bool {
    let own = std::process::id();
    let mut at = pid;
    while let Some(process) = processes.get(&at) {
        if at == own || process.session == own {
            return true;
        }
        at = process.parent;
    }
    false
}
