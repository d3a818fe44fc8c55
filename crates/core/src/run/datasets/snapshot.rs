//! Restored datasets: a copy of the filled dataset is stored next to it, and copied back before a
//! point that would find it modified, so that repeats start alike. If the filesystem supports it
//! (XFS, btrfs), copies share blocks.

use std::fs;

use rustix::fs::syncfs;

use crate::base::error::{Context, Result};
use crate::lab::folder::data::{DatasetFolder, DatasetMarker, MARKER};
use crate::lab::folder::{beneath, files};
use crate::run::datasets::caches;

/// The copy of a filled dataset.
pub fn copy_of(folder: &DatasetFolder) -> DatasetFolder {
    folder.beside("kept")
}

/// Exists while the dataset is, or may be, different from the copy.
fn mark_of(folder: &DatasetFolder) -> DatasetFolder {
    folder.beside("written")
}

/// Copies a newly filled dataset that will get this marker.
pub fn keep(folder: &DatasetFolder, marker: &DatasetMarker) -> Result<()> {
    copy(folder, &copy_of(folder), marker)
}

/// Removes the copy of a dataset that will be filled again. `old`: made before markers existed.
pub fn forget(folder: &DatasetFolder, old: bool) -> Result<()> {
    copy_of(folder).remove(old)?;
    let mark = mark_of(folder);
    match fs::remove_file(mark.path()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", mark.shown().display()))
        }
        _ => Ok(()),
    }
}

pub fn was_written(folder: &DatasetFolder) -> bool {
    mark_of(folder).exists()
}

/// Records that the dataset will be written to.
pub fn will_be_written(folder: &DatasetFolder) -> Result<()> {
    mark_of(folder).write("")
}

/// Replaces the modified dataset by the copy.
pub fn put_back(folder: &DatasetFolder) -> Result<()> {
    let copied = copy_of(folder);
    copy(&copied, folder, &copied.marker().unwrap_or_default())?;
    let mark = mark_of(folder);
    match fs::remove_file(mark.path()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", mark.shown().display()))
        }
        _ => Ok(()),
    }
}

/// Copies a folder completely, its marker first, writes it to the drive and drops it from the page
/// cache, so that the next window meets neither write-back nor a warm cache.
fn copy(from: &DatasetFolder, to: &DatasetFolder, marker: &DatasetMarker) -> Result<()> {
    to.remove(false)?;
    let copied = to.make()?;
    to.write_marker(&DatasetMarker {
        id: marker.id.clone(),
        open: true,
        ..DatasetMarker::default()
    })?;
    let copying = || format!("copying {} to {}", from.shown().display(), to.shown().display());
    beneath::copy(&from.hold()?, &copied, MARKER).with_context(copying)?;
    syncfs(&copied).with_context(|| format!("writing {} to the drive", to.shown().display()))?;
    to.write_marker(&DatasetMarker { open: false, files: files::look(to)?, ..marker.clone() })?;
    caches::drop_files_below(&to.path())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_was_kept_is_put_back_whole() {
        let dir = tempfile::tempdir().unwrap();
        let folder = DatasetFolder::of(dir.path(), "db", 0).unwrap();
        let at = folder.path();
        fs::create_dir_all(at.join("data/deep")).unwrap();
        let marker = DatasetMarker { id: "1".into(), ..DatasetMarker::default() };
        folder.write_marker(&marker).unwrap();
        fs::write(at.join("data/deep/rows"), [7; 10_000]).unwrap();
        fs::set_permissions(at.join("data/deep/rows"), fs::Permissions::from_mode(0o640)).unwrap();
        keep(&folder, &marker).unwrap();
        will_be_written(&folder).unwrap();
        fs::write(at.join("data/deep/rows"), "changed").unwrap();
        fs::write(at.join("data/more"), "new").unwrap();
        assert!(was_written(&folder));
        put_back(&folder).unwrap();
        assert_eq!(fs::read(at.join("data/deep/rows")).unwrap(), [7; 10_000]);
        assert_eq!(
            fs::metadata(at.join("data/deep/rows")).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert!(!at.join("data/more").exists() && !was_written(&folder));
        assert_eq!(folder.marker().unwrap().id, "1");
        forget(&folder, false).unwrap();
        assert!(!copy_of(&folder).exists() && folder.exists());
    }

    #[test]
    fn what_carries_no_marker_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = DatasetFolder::of(dir.path(), "db", 0).unwrap();
        fs::create_dir_all(copy_of(&folder).path()).unwrap();
        fs::write(copy_of(&folder).path().join("photo"), "mine").unwrap();
        assert!(forget(&folder, false).is_err());
        assert_eq!(fs::read_to_string(copy_of(&folder).path().join("photo")).unwrap(), "mine");
    }
}
