//! Files of a campaign's folder: accessible only to the owner, written atomically.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use dyno_core::base::error::{Context, Result, refused};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// The folder of a campaign's file: next to it, with its name without the extension.
pub fn of(campaign: &Path) -> PathBuf {
    if campaign.is_dir() { campaign.to_path_buf() } else { campaign.with_extension("") }
}

/// Creates the folder, accessible only to the owner.
pub fn make(folder: &Path) -> Result<()> {
    let making = || format!("making {}", folder.display());
    DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(making)?;
    check(folder)
}

/// Refuses a folder that others may write to, because its contents are executed.
pub fn check(folder: &Path) -> Result<()> {
    let found = std::fs::symlink_metadata(folder)
        .with_context(|| format!("looking at {}", folder.display()))?;
    if found.is_dir() && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(refused(
        format!("{} is not a folder, or others may write to it", folder.display()),
        "a campaign's folder must be writable only by its owner: chmod go-w, or give the campaign \
         another name",
    ))
}

/// Writes a file under a temporary name and renames it when complete.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let writing = || format!("writing {}", path.display());
    if let Some(parent) = path.parent() {
        make(parent)?;
    }
    let mut name = path.as_os_str().to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(name);
    let mut file = new(&beside).with_context(writing)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).with_context(writing)?;
    std::fs::rename(&beside, path).with_context(writing)
}

/// Locks an open file until it is closed; false if another process has locked it, on any host.
pub fn lock(file: &File) -> Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn new(path: &Path) -> std::io::Result<File> {
    let _ = std::fs::remove_file(path);
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)
}
