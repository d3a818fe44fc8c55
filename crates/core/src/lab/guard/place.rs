//! The location of a directory in its filesystem, independent of the mount: a bind mount of a
//! directory is that directory.

use std::fs;
use std::path::{Path, PathBuf};

/// A line of /proc/self/mountinfo.
pub struct MountEntry {
    /// "8:1": the filesystem's device number.
    pub number: String,
    /// The mounted directory, from the filesystem's own root.
    root: PathBuf,
    pub point: String,
    /// "ext4", "overlay".
    pub kind: String,
    pub source: String,
    /// Options of this mount, separated by commas.
    pub mount_options: String,
    /// Options of the filesystem, separated by commas.
    pub options: String,
}

/// All mounts, in the order of mounting.
pub fn mounts() -> Vec<MountEntry> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    table.lines().filter_map(entry).collect()
}

fn entry(line: &str) -> Option<MountEntry> {
    let (left, right) = line.split_once(" - ")?;
    let (left, right): (Vec<&str>, Vec<&str>) =
        (left.split(' ').collect(), right.split(' ').collect());
    Some(MountEntry {
        number: left.get(2)?.to_string(),
        root: unescaped(left.get(3)?).into(),
        point: unescaped(left.get(4)?),
        kind: right.first()?.to_string(),
        source: unescaped(right.get(1)?),
        mount_options: unescaped(left.get(5)?),
        options: unescaped(right.get(2)?),
    })
}

/// The device number of a filesystem, and a path relative to its root.
pub fn within_filesystem(path: &Path) -> Option<(String, PathBuf)> {
    located(path, mounts())
}

/// The mount that contains a path.
pub fn mount_of(path: &Path) -> Option<MountEntry> {
    around(&path.canonicalize().ok()?, mounts())
}

fn around(path: &Path, mounts: Vec<MountEntry>) -> Option<MountEntry> {
    let around = mounts.into_iter().filter(|mount| path.starts_with(&mount.point));
    // A later mount on the same point covers an earlier one.
    around.max_by_key(|mount| mount.point.len())
}

fn located(path: &Path, mounts: Vec<MountEntry>) -> Option<(String, PathBuf)> {
    let mount = around(path, mounts)?;
    let within = path.strip_prefix(&mount.point).ok()?;
    Some((mount.number, mount.root.join(within)))
}

/// Octal escapes of the kernel's listings: `\\040` for a space.
pub fn unescaped(text: &str) -> String {
    let (mut plain, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let digits = after.get(..3).and_then(|d| std::str::from_utf8(d).ok());
        let code = digits.and_then(|d| u8::from_str_radix(d, 8).ok()).filter(|_| *first == b'\\');
        plain.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "22 1 254:0 / / rw shared:1 - ext4 /dev/vda rw
30 22 254:0 /home/a/drive /mnt/alias rw - ext4 /dev/vda rw
31 22 254:0 /home/a/drive/inner /mnt/a\\040part rw - ext4 /dev/vda rw
32 22 0:40 / /mnt/other rw - tmpfs none rw";

    fn of(path: &str) -> (String, PathBuf) {
        let mounts = TABLE.lines().filter_map(entry).collect();
        located(Path::new(path), mounts).expect("a place")
    }

    #[test]
    fn a_directory_has_one_place_by_all_its_mounts() {
        let drive = ("254:0".to_string(), PathBuf::from("/home/a/drive"));
        assert_eq!(of("/home/a/drive"), drive);
        assert_eq!(of("/mnt/alias"), drive);
        assert_eq!(of("/mnt/a part/b.dyno").1, Path::new("/home/a/drive/inner/b.dyno"));
        assert_eq!(of("/mnt/other/x"), ("0:40".to_string(), "/x".into()));
    }

    #[test]
    fn escapes_of_the_kernels_listings_are_resolved() {
        assert_eq!(unescaped("/images/disk\\0401.img\\"), "/images/disk 1.img\\");
    }
}
