//! Finds the block device in sysfs of a path under test.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A disk or a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockNode {
    /// Name as in /proc/diskstats: `nvme0n1p2`.
    pub name: String,
    /// The whole disk: `nvme0n1`.
    pub disk: String,
    /// The disk's folder in sysfs.
    pub sysfs: PathBuf,
    /// The files with the kernel's request counters. An NVMe namespace with several paths is only
    /// their head: before Linux 6.5 only its paths have counters.
    pub stats: Vec<PathBuf>,
}

/// None if there is no block device (tmpfs, a network filesystem).
pub fn under(place: &Path) -> Option<BlockNode> {
    let metadata = std::fs::metadata(place).ok()?;
    let number =
        if metadata.file_type().is_block_device() { metadata.rdev() } else { metadata.dev() };
    let link =
        format!("/sys/dev/block/{}:{}", rustix::fs::major(number), rustix::fs::minor(number));
    let own = PathBuf::from(link).canonicalize().ok()?;
    let sysfs =
        if own.join("partition").exists() { own.parent()?.to_path_buf() } else { own.clone() };
    let name = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
    let (name, disk) = (name(&own)?, name(&sysfs)?);
    let paths = paths_of(&disk, Path::new("/sys/block"));
    let stats = if paths.is_empty() { vec![own.join("stat")] } else { paths };
    Some(BlockNode { name, disk, sysfs, stats })
}

/// The statistics of a namespace's paths: `nvme0c1n1` is the one of `nvme0n1` through controller 1.
fn paths_of(disk: &str, blocks: &Path) -> Vec<PathBuf> {
    let Some((instance, namespace)) = instance_and_namespace(disk) else { return Vec::new() };
    let is_path = |name: &str| {
        let through =
            name.strip_prefix(&format!("nvme{instance}c")).and_then(|n| n.split_once('n'));
        through
            .is_some_and(|(controller, own)| own == namespace && controller.parse::<u32>().is_ok())
    };
    names(blocks).filter(|name| is_path(name)).map(|name| blocks.join(name).join("stat")).collect()
}

/// The statistics of all current namespaces of a namespace's drive.
pub fn of_whole_drive(disk: &str) -> Vec<PathBuf> {
    namespaces_of(disk, Path::new("/sys/block"))
}

fn namespaces_of(disk: &str, blocks: &Path) -> Vec<PathBuf> {
    let Some((instance, _)) = instance_and_namespace(disk) else {
        return vec![blocks.join(disk).join("stat")];
    };
    let own = |name: &String| instance_and_namespace(name).is_some_and(|(of, _)| of == instance);
    let stats = |name: String| {
        let paths = paths_of(&name, blocks);
        if paths.is_empty() { vec![blocks.join(name).join("stat")] } else { paths }
    };
    names(blocks).filter(own).flat_map(stats).collect()
}

/// `nvme0n1` is ("0", "1"); None for names of another form, such as a path.
pub(super) fn instance_and_namespace(disk: &str) -> Option<(&str, &str)> {
    let found = disk.strip_prefix("nvme")?.split_once('n')?;
    [found.0, found.1].iter().all(|n| n.parse::<u32>().is_ok()).then_some(found)
}

/// The sorted contents of a folder.
fn names(folder: &Path) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names.into_iter()
}

/// The devices of several paths, without duplicates.
pub fn all_under(places: &[PathBuf]) -> Vec<BlockNode> {
    let mut found: Vec<BlockNode> = Vec::new();
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
    fn a_namespace_is_counted_on_each_of_its_paths_and_a_drive_on_all_of_its_namespaces() {
        let folder = tempfile::tempdir().unwrap();
        for name in
            ["nvme0n1", "nvme0n2", "nvme0c0n1", "nvme0c1n1", "nvme0c1n10", "nvme1c0n1", "sda"]
        {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let named = |found: Vec<PathBuf>| {
            let of =
                |p: PathBuf| p.strip_prefix(folder.path()).unwrap().to_string_lossy().into_owned();
            found.into_iter().map(of).collect::<Vec<_>>()
        };
        let paths = |disk: &str| named(paths_of(disk, folder.path()));
        assert_eq!(paths("nvme0n1"), ["nvme0c0n1/stat", "nvme0c1n1/stat"]);
        assert_eq!(paths("nvme2n1"), [""; 0]);
        assert_eq!(paths("sda"), [""; 0]);
        // All namespaces of a drive, with several paths or one.
        let all = |disk: &str| named(namespaces_of(disk, folder.path()));
        assert_eq!(all("nvme0n1"), ["nvme0c0n1/stat", "nvme0c1n1/stat", "nvme0n2/stat"]);
        assert_eq!(all("sda"), ["sda/stat"]);
    }
}
