//! A dataset's file when the dataset was closed, and the kinds of files that may be accessed.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::error::{Result, refused};

/// The state of a file when its dataset was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    pub path: PathBuf,
    pub bytes: u64,
    /// Number of allocated blocks of 512 bytes; fewer than the length means holes.
    pub blocks: u64,
    pub modified_ns: i128,
    pub checksum: u64,
}

/// Refuses a file that is a symbolic link, or that has other hard links: writes to it would go
/// elsewhere.
pub fn check_own(found: &Metadata, shown: &Path) -> Result<()> {
    if found.is_file() && found.nlink() > 1 {
        let what = format!(
            "{} is not touched: it has {} names (hard links)",
            shown.display(),
            found.nlink()
        );
        return Err(refused(
            what,
            format!("`find -inum {}` finds the others; remove the link", found.ino()),
        ));
    }
    if found.is_symlink() {
        let target = std::fs::read_link(shown).unwrap_or_default();
        let what = format!(
            "{} is not followed: it is a symbolic link to {}",
            shown.display(),
            target.display()
        );
        return Err(refused(what, "remove the link"));
    }
    if !found.is_file() && !found.is_dir() {
        return Err(refused(
            format!("{} is not touched: it is not a file", shown.display()),
            "move it away",
        ));
    }
    Ok(())
}
