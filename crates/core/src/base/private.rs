//! Dyno's private state between runs: `/var/lib/dyno` for root, the XDG state folder for other
//! users. Contains lists of lines; if the folder is not available, nothing is stored, and every run
//! is treated as the first.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

use rustix::fs::{FlockOperation, flock};

/// A longer list is cut to its newer half.
const MOST_BYTES: u64 = 1 << 20;

/// The folder, created if missing; None if others could write to it.
pub fn folder() -> Option<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let set =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = match user {
        // HOME may still be that of the user who became root.
        0 => PathBuf::from("/var/lib/dyno"),
        _ => {
            set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?.join("dyno")
        }
    };
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).ok()?;
    let found = std::fs::symlink_metadata(&folder).ok()?;
    (found.is_dir() && found.uid() == user && found.mode() & 0o022 == 0).then_some(folder)
}

/// Adds a line to a list; failures are ignored.
pub fn remember(list: &str, line: &str) {
    let Some(folder) = folder() else { return };
    let path = folder.join(list);
    // Another Dyno that shortens the list would lose this line. Without locks, it is still rare.
    let lock = File::open(&folder).ok();
    let _ = lock.as_ref().map(|lock| flock(lock, FlockOperation::LockExclusive));
    let line = format!("{}\n", line.replace('\n', " "));
    let options =
        |file: &mut OpenOptions| file.mode(0o600).custom_flags(libc::O_NOFOLLOW).open(&path);
    let Ok(mut file) = options(OpenOptions::new().append(true).create(true)) else { return };
    if file.write_all(line.as_bytes()).is_ok()
        && file.metadata().is_ok_and(|found| found.len() > MOST_BYTES)
    {
        let lines = recall(list);
        let kept = lines[lines.len() / 2..].join("\n") + "\n";
        let new = path.with_extension("new");
        if std::fs::write(&new, kept).is_ok() {
            let _ = std::fs::rename(new, path);
        }
    }
}

/// The lines of a list, oldest first.
pub fn recall(list: &str) -> Vec<String> {
    let opened = folder().and_then(|folder| {
        OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(folder.join(list)).ok()
    });
    let mut text = String::new();
    let own = |file: &File| {
        file.metadata().is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
    };
    if let Some(file) = opened.filter(own) {
        let _ = file.take(4 * MOST_BYTES).read_to_string(&mut text);
    }
    text.lines().map(str::to_string).collect()
}
