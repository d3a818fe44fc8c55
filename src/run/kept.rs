//! Datasets that are put back: kept as they were filled, in a copy beside them, and copied again before a point that would
//! find them written to, so that repeats start alike. Where the filesystem can (XFS, btrfs) a copy shares its blocks.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use rustix::fs::{ioctl_ficlone, syncfs};

use super::caches;
use crate::base::error::{Context, Result};

/// `db.0` and "kept" are `db.0.kept`.
pub fn beside(folder: &Path, what: &str) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(what);
    folder.with_file_name(name)
}

/// The copy of a dataset as it was filled.
pub fn copy_of(folder: &Path) -> PathBuf {
    beside(folder, "kept")
}

/// There while the dataset is, or may be, another than the one kept.
fn mark_of(folder: &Path) -> PathBuf {
    beside(folder, "written")
}

/// Keeps a dataset that was just filled.
pub fn keep(folder: &Path) -> Result<()> {
    copy(folder, &copy_of(folder))
}

/// Forgets the copy of a dataset that is about to be filled anew.
pub fn forget(folder: &Path) -> Result<()> {
    remove(&copy_of(folder))?;
    match fs::remove_file(mark_of(folder)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", mark_of(folder).display()))
        }
        _ => Ok(()),
    }
}

pub fn was_written(folder: &Path) -> bool {
    mark_of(folder).exists()
}

/// Notes that the dataset is about to be written to.
pub fn will_be_written(folder: &Path) -> Result<()> {
    let mark = mark_of(folder);
    fs::write(&mark, "").with_context(|| format!("writing {}", mark.display()))
}

/// Puts the kept dataset in the place of the one that was written to.
pub fn put_back(folder: &Path) -> Result<()> {
    remove(folder)?;
    copy(&copy_of(folder), folder)?;
    let mark = mark_of(folder);
    fs::remove_file(&mark).with_context(|| format!("removing {}", mark.display()))
}

/// Copies a folder whole, writes it to the drive and leaves nothing of it in the page cache: a window that follows is
/// not to meet our write-back, or find warm what would have been cold.
fn copy(from: &Path, to: &Path) -> Result<()> {
    remove(to)?;
    copy_folder(from, to)?;
    let file = File::open(to).with_context(|| format!("opening {}", to.display()))?;
    syncfs(&file).with_context(|| format!("writing {} to the drive", to.display()))?;
    caches::drop_files_below(to)
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let meta = fs::symlink_metadata(from).with_context(|| format!("looking at {}", from.display()))?;
    let made = fs::DirBuilder::new().mode(0o700).create(to);
    made.with_context(|| format!("making {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("listing {}", from.display()))? {
        let name = entry.with_context(|| format!("listing {}", from.display()))?.file_name();
        let (from, to) = (from.join(&name), to.join(&name));
        let meta = fs::symlink_metadata(&from).with_context(|| format!("looking at {}", from.display()))?;
        if meta.is_dir() {
            copy_folder(&from, &to)?;
        } else if meta.is_file() {
            copy_file(&from, &to).with_context(|| format!("copying {}", from.display()))?;
            like(&to, &meta)?;
        }
    }
    like(to, &meta)
}

fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    let (source, copy) = (File::open(from)?, File::create_new(to)?);
    if ioctl_ficlone(&copy, &source).is_ok() {
        return Ok(());
    }
    // The kernel copies, without the bytes coming here.
    std::io::copy(&mut &source, &mut &copy).map(drop)
}

/// Gives a copy its original's owner and mode: a server's account must find its files its own.
fn like(copy: &Path, original: &Metadata) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    chown(copy, Some(original.uid()), Some(original.gid()))
        .and_then(|()| fs::set_permissions(copy, fs::Permissions::from_mode(original.mode())))
        .with_context(|| format!("giving {} its owner and mode", copy.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_put_back_whole() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("db.0");
        fs::create_dir_all(folder.join("data/deep")).unwrap();
        fs::write(folder.join("data/deep/rows"), [7; 10_000]).unwrap();
        fs::set_permissions(folder.join("data/deep/rows"), fs::Permissions::from_mode(0o640)).unwrap();
        keep(&folder).unwrap();
        will_be_written(&folder).unwrap();
        fs::write(folder.join("data/deep/rows"), "changed").unwrap();
        fs::write(folder.join("data/more"), "new").unwrap();
        assert!(was_written(&folder));
        put_back(&folder).unwrap();
        assert_eq!(fs::read(folder.join("data/deep/rows")).unwrap(), [7; 10_000]);
        assert_eq!(fs::metadata(folder.join("data/deep/rows")).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(!folder.join("data/more").exists() && !was_written(&folder));
        forget(&folder).unwrap();
        assert!(!copy_of(&folder).exists() && folder.exists());
    }
}
