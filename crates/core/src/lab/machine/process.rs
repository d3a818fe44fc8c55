//! A process, distinguished from a later one with the same number.

use std::path::PathBuf;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};

/// A process, distinguished from a later one with the same number by its start time, and from
/// another by its program.
#[derive(Serialize, Deserialize, Clone)]
pub struct Process {
    pub pid: u32,
    /// In clock ticks since boot.
    pub began: u64,
    pub runs: PathBuf,
}

/// Start time of a process; None if it does not exist, or is a zombie.
pub fn began(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may contain spaces; the state follows it, and the start is the twentieth
    // field from there.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if state == "Z" { None } else { fields.nth(18)?.parse().ok() }
}

/// The program of a process.
fn runs(pid: u32) -> Option<PathBuf> {
    let link = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    // An upgrade has replaced the file.
    let name = link.to_string_lossy();
    Some(name.strip_suffix(" (deleted)").map_or(link.clone(), PathBuf::from))
}

impl Process {
    pub fn of(pid: u32) -> Process {
        Process { pid, began: began(pid).unwrap_or(0), runs: runs(pid).unwrap_or_default() }
    }

    /// Whether it is still the recorded process.
    pub fn lives(&self) -> bool {
        began(self.pid) == Some(self.began) && runs(self.pid).as_ref() == Some(&self.runs)
    }

    /// Sends a signal to the recorded process, never to another that has reused its number.
    pub fn signal(&self, signal: Signal) {
        let Some(pid) = Pid::from_raw(self.pid as i32) else { return };
        let Ok(held) = pidfd_open(pid, PidfdFlags::empty()) else { return };
        // The descriptor refers to one process; if this is still it, the signal reaches it.
        if self.lives() {
            let _ = pidfd_send_signal(&held, signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_when_it_began_and_what_it_runs() {
        let mine = Process::of(std::process::id());
        assert!(mine.lives());
        assert!(!Process { began: mine.began + 1, ..mine.clone() }.lives());
        assert!(!Process { runs: "/bin/other".into(), ..mine }.lives());
    }
}
