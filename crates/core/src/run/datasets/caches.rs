//! Cold page cache before a point: `sync; echo 3 > drop_caches` as in the published protocols, or,
//! without permission, dropping the dataset's own files from the cache.

use std::path::{Path, PathBuf};

use rustix::fs::{Advice, fadvise, sync};

use crate::base::error::{Context, Result};

/// Writes back dirty pages and drops clean ones: for the whole host, or otherwise for files below
/// `folders`.
pub fn drop_page_cache(folders: &[PathBuf]) -> Result<()> {
    sync();
    if std::fs::write("/proc/sys/vm/drop_caches", "3").is_ok() {
        return Ok(());
    }
    folders.iter().try_for_each(|folder| drop_files_below(folder))
}

/// Drops the clean files below a folder from the page cache.
pub fn drop_files_below(folder: &Path) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("listing {}", folder.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("listing {}", folder.display()))?;
        let (kind, path) = (entry.file_type(), entry.path());
        if kind.as_ref().is_ok_and(|t| t.is_dir()) {
            drop_files_below(&path)?;
        } else if kind.is_ok_and(|t| t.is_file()) {
            let file = std::fs::File::open(&path)
                .with_context(|| format!("opening {}", path.display()))?;
            fadvise(&file, 0, None, Advice::DontNeed)
                .with_context(|| format!("dropping {} from the page cache", path.display()))?;
        }
    }
    Ok(())
}
