//! Which block device in sysfs lies under a place under test.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A disk or a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// As in /proc/diskstats: `nvme0n1p2`.
    pub name: String,
    /// The whole disk: `nvme0n1`.
    pub disk: String,
    /// The disk's folder in sysfs.
    pub sysfs: PathBuf,
}

/// None where no block device lies under it (tmpfs, a network filesystem).
pub fn under(place: &Path) -> Option<Block> {
    let metadata = std::fs::metadata(place).ok()?;
    let number = if metadata.file_type().is_block_device() { metadata.rdev() } else { metadata.dev() };
    let link = format!("/sys/dev/block/{}:{}", rustix::fs::major(number), rustix::fs::minor(number));
    let own = PathBuf::from(link).canonicalize().ok()?;
    let sysfs = if own.join("partition").exists() { own.parent()?.to_path_buf() } else { own.clone() };
    let name = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
    Some(Block { name: name(&own)?, disk: name(&sysfs)?, sysfs })
}

/// The devices under several places, each once.
pub fn all_under(places: &[PathBuf]) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    for block in places.iter().filter_map(|p| under(p)) {
        if !found.contains(&block) {
            found.push(block);
        }
    }
    found
}
