//! Holders of a file lock, from the kernel's own table.

use std::fs::{self, File};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{major, minor};

use crate::lab::fd::OPEN;

/// A process that uses or has locked something.
#[derive(Clone)]
pub struct Holder {
    pid: u32,
    pub command: String,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} ({})", self.pid, self.command)
    }
}

impl Holder {
    pub fn of(pid: u32) -> Holder {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<_> = words.split(|b| *b == 0).map(String::from_utf8_lossy).collect();
        // The first words identify the process; the rest may be long, and may contain a password.
        let command = words.iter().take(2).map(|w| w.as_ref()).collect::<Vec<_>>().join(" ");
        // A process whose first thread has ended has no arguments.
        let name = || fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let command = if command.trim().is_empty() { name() } else { command };
        let plain = command.chars().filter(|c| !c.is_control()).take(80).collect::<String>();
        Holder { pid, command: plain.trim().to_string() }
    }
}

/// The other processes with a lock on an open file.
pub fn holders(file: &File) -> Vec<Holder> {
    holders_of(&Path::new(OPEN).join(file.as_raw_fd().to_string()))
}

/// The kernel's table of locks. A single read is consistent; between two reads, entries move up
/// when a lock is released, and one may be missed. So reads are large, and if one does not cover
/// the table, it is read again.
fn table() -> String {
    let mut text = String::new();
    for _ in 0..4 {
        let Ok(mut file) = File::open("/proc/locks") else { break };
        let (mut buffer, mut reads) = (vec![0; 1 << 20], 0);
        while let Some(read) = file.read(&mut buffer).ok().filter(|read| *read > 0) {
            text.push_str(&String::from_utf8_lossy(&buffer[..read]));
            reads += 1;
        }
        if reads < 2 {
            break;
        }
    }
    text
}

/// The other processes with a lock of either kind on a file, from /proc/locks.
pub fn holders_of(path: &Path) -> Vec<Holder> {
    let Ok(found) = fs::metadata(path) else { return Vec::new() };
    holders_of_inode(found.dev(), found.ino())
}

/// The same, by the filesystem's device number and the inode.
pub fn holders_of_inode(device: u64, inode: u64) -> Vec<Holder> {
    let place = format!("{:02x}:{:02x}:{inode}", major(device), minor(device));
    let table = table();
    let held = table.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().filter(|word| *word != "->").collect();
        let pid = words.get(4)?.parse::<u32>().ok()?;
        (words.get(5) == Some(&place.as_str()) && pid != std::process::id())
            .then(|| Holder::of(pid))
    });
    held.collect()
}
