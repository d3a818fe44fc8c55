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
    /// Where the kernel counts its requests. An NVMe namespace with several paths is only their head: before Linux 6.5 it
    /// counts nothing itself, its paths do.
    pub stats: Vec<PathBuf>,
}

/// None where no block device lies under it (tmpfs, a network filesystem).
pub fn under(place: &Path) -> Option<Block> {
    let metadata = std::fs::metadata(place).ok()?;
    let number = if metadata.file_type().is_block_device() { metadata.rdev() } else { metadata.dev() };
    let link = format!("/sys/dev/block/{}:{}", rustix::fs::major(number), rustix::fs::minor(number));
    let own = PathBuf::from(link).canonicalize().ok()?;
    let sysfs = if own.join("partition").exists() { own.parent()?.to_path_buf() } else { own.clone() };
    let name = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
    let (name, disk) = (name(&own)?, name(&sysfs)?);
    let paths = paths_of(&disk, Path::new("/sys/block"));
    let stats = if paths.is_empty() { vec![own.join("stat")] } else { paths };
    Some(Block { name, disk, sysfs, stats })
}

/// The statistics of a namespace's paths: `nvme0c1n1` is the one of `nvme0n1` through controller 1.
fn paths_of(disk: &str, blocks: &Path) -> Vec<PathBuf> {
    let Some((instance, namespace)) = disk.strip_prefix("nvme").and_then(|d| d.split_once('n')) else {
        return Vec::new();
    };
    let is_path = |name: &str| {
        let through = name.strip_prefix(&format!("nvme{instance}c")).and_then(|n| n.split_once('n'));
        through.is_some_and(|(controller, own)| own == namespace && controller.parse::<u32>().is_ok())
    };
    let names = std::fs::read_dir(blocks).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let paths = names.filter(|name| is_path(&name.to_string_lossy()));
    let mut stats: Vec<PathBuf> = paths.map(|name| blocks.join(name).join("stat")).collect();
    stats.sort();
    stats
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_with_several_paths_is_counted_on_each_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["nvme0n1", "nvme0c0n1", "nvme0c1n1", "nvme0c1n10", "nvme1c0n1", "sda"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let found = |disk: &str| {
            let of = |p: PathBuf| p.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned();
            paths_of(disk, folder.path()).into_iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(found("nvme0n1"), ["nvme0c0n1/stat", "nvme0c1n1/stat"]);
        assert_eq!(found("nvme2n1"), [""; 0]);
        assert_eq!(found("sda"), [""; 0]);
    }
}
