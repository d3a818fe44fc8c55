//! One run at a time per directory, device or bundle: a lock that the kernel releases when the run
//! ends for any reason. The holder is found in the kernel's own table.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::base::clock::Clock;
use crate::base::error::{Context, Error, Result, failed, refused};
use crate::base::file;
use crate::lab::fd::{OPEN, shown};
use crate::lab::guard::disk::Disk;
use crate::lab::holders::{Holder, holders};

/// udev locks a device briefly while it probes it.
const PATIENCE_NS: u64 = 3_000_000_000;

/// Locks a directory under test; None if its filesystem has no locks on directories (NFS).
pub fn directory(folder: &File, path: &Path, clock: Clock) -> Result<Option<File>> {
    let again = Path::new(OPEN).join(folder.as_raw_fd().to_string());
    let file = File::open(again).with_context(|| format!("opening {}", path.display()))?;
    match take(&file, clock) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::WOULDBLOCK) => Err(busy(&file, path)),
        Err(_) => Ok(None),
    }
}

/// Locks a bundle for writing; None if it is not a file, or its filesystem has no locks.
pub fn bundle(path: &Path, clock: Clock) -> Result<Option<File>> {
    let Ok(file) = file::open(path) else { return Ok(None) };
    match take(&file, clock) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::WOULDBLOCK) => Err(busy(&file, path)),
        Err(_) => Ok(None),
    }
}

/// Whether another process has locked a bundle because its run is active. Takes no lock itself.
pub fn is_held(path: &Path) -> bool {
    file::open(path).is_ok_and(|file| !holders(&file).is_empty())
}

/// Locks a whole disk, as udev's documentation requires of programs that write to one.
pub fn device(disk: &Disk, path: &Path, clock: Clock) -> Result<File> {
    let whole = disk.whole();
    let node = whole.node();
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&node);
    let file = file.with_context(|| format!("opening {}", node.display()))?;
    if Disk::of_open(&file)? != whole {
        let what = format!("{} is not the disk of {}", node.display(), path.display());
        return Err(failed(what, "check what changes device names in /dev"));
    }
    take(&file, clock).map_err(|error| match error {
        Errno::WOULDBLOCK => busy(&file, path),
        other => failed(format!("locking {} failed: {other}", node.display()), "look at `dmesg`"),
    })?;
    Ok(file)
}

fn take(file: &File, clock: Clock) -> rustix::io::Result<()> {
    let give_up_ns = clock.now_ns() + PATIENCE_NS;
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if clock.now_ns() < give_up_ns && !by_dyno(file) => {
                clock.sleep_until(clock.now_ns() + 20_000_000);
            }
            taken => return taken,
        }
    }
}

fn by_dyno(file: &File) -> bool {
    holders(file).iter().any(|holder| holder.command.contains("dyno"))
}

fn busy(file: &File, path: &Path) -> Error {
    let named = holders(file).iter().map(Holder::to_string).collect::<Vec<_>>().join(", ");
    let by = if named.is_empty() { "another program".to_string() } else { named };
    let what = format!("{} is in use: {by} has locked it", shown(path).display());
    refused(
        what,
        "wait until it has ended; only one run at a time may use a directory, a device or a bundle",
    )
}
