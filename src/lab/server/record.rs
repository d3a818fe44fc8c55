//! The note beside a data directory that says which process serves it, so that a server left behind by a crash of Dyno is
//! found and ended, and one that another Dyno is using is left alone.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, failed};

/// A process told apart from a later one with the same number by when it began.
#[derive(Serialize, Deserialize)]
struct Process {
    pid: u32,
    /// In clock ticks since the machine started.
    began: u64,
}

#[derive(Serialize, Deserialize)]
struct Note {
    server: Process,
    dyno: Process,
    stop_signal: i32,
    run: PathBuf,
}

const STOP_NS: u64 = 60_000_000_000;

fn note_path(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_os_string();
    name.push(".server.json");
    folder.with_file_name(name)
}

/// When a process began; none where there is no such process, or it has ended and only its parent has not noticed.
fn began(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in brackets, may hold spaces; the state follows it, and the start is the twentieth field from there.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if state == "Z" { None } else { fields.nth(18)?.parse().ok() }
}

impl Process {
    fn of(pid: u32) -> Process {
        Process { pid, began: began(pid).unwrap_or(0) }
    }

    fn lives(&self) -> bool {
        began(self.pid) == Some(self.began)
    }

    fn signal(&self, signal: i32) {
        // SAFETY: sends a signal to a process that was just seen to be the one that was noted.
        unsafe { libc::kill(self.pid as i32, signal) };
    }
}

/// Notes a server that was started; the note's path.
pub fn write(folder: &Path, pid: u32, stop_signal: i32, run: &Path) -> Result<PathBuf> {
    let note =
        Note { server: Process::of(pid), dyno: Process::of(std::process::id()), stop_signal, run: run.to_path_buf() };
    let path = note_path(folder);
    let text = serde_json::to_string(&note).context("noting the server")?;
    std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    Ok(path)
}

/// Ends a server that a Dyno which is no more left on this folder; at once where its data is to be removed anyway.
pub fn end_leftover(folder: &Path, at_once: bool, clock: Clock) -> Result<()> {
    let path = note_path(folder);
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(()) };
    if let Ok(note) = serde_json::from_str::<Note>(&text) {
        if note.dyno.lives() && note.dyno.pid != std::process::id() && note.server.lives() {
            let what = format!("{} is in use by another dyno, process {}", folder.display(), note.dyno.pid);
            return Err(failed(what, "let it end first, or give this run another directory"));
        }
        let give_up_ns = clock.now_ns() + STOP_NS;
        if note.server.lives() {
            note.server.signal(if at_once { libc::SIGKILL } else { note.stop_signal });
        }
        while note.server.lives() {
            if clock.now_ns() > give_up_ns {
                note.server.signal(libc::SIGKILL);
            }
            clock.sleep_until(clock.now_ns() + 20_000_000);
        }
        let ours = note.run.file_name().is_some_and(|name| name.to_string_lossy().starts_with("dyno-"));
        if ours && note.run.is_dir() {
            std::fs::remove_dir_all(&note.run).with_context(|| format!("removing {}", note.run.display()))?;
        }
    }
    std::fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_when_it_began() {
        let mine = Process::of(std::process::id());
        assert!(mine.lives());
        assert!(!Process { began: mine.began + 1, ..mine }.lives());
    }
}
