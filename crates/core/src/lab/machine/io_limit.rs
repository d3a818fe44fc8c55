//! The limits of this process's control groups on the devices of a subject.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::lab::guard::disk::Disk;
use crate::lab::machine::cgroup::{CgroupVersion, OwnGroup};
use crate::plan::{Drive, DrivePlace, Subject};
use crate::record::{IoLimit, IoLimitKind};

/// The limits on all devices of a subject together; no limit of a kind if one of its devices has
/// none.
pub fn of(subject: &Subject) -> Vec<IoLimit> {
    let controller = |name| OwnGroup::of(name).ok().flatten();
    // The controller is in a hierarchy of version 1, or else in version 2.
    let own = controller("blkio").filter(|own| own.version == CgroupVersion::One);
    let Some(own) = own.or_else(|| controller("io")) else { return Vec::new() };
    let mut devices: Vec<Vec<String>> = subject.drives.iter().map(numbers).collect();
    devices.sort();
    devices.dedup();
    let of_kind = |kind: &IoLimitKind| {
        let limits = devices.iter().map(|device| tightest(&own, *kind, device));
        let all: Vec<IoLimit> = limits.collect::<Option<_>>()?;
        let per_s = all.iter().fold(0u64, |sum, limit| sum.saturating_add(limit.per_s));
        Some(IoLimit { per_s, ..all.into_iter().next()? })
    };
    IoLimitKind::ALL.iter().filter_map(of_kind).collect()
}

/// The numbers of the whole disks of a drive, starting with the one that receives the requests:
/// each may be limited.
fn numbers(drive: &Drive) -> Vec<String> {
    let disk = match &drive.place {
        DrivePlace::Device { path, .. } => Disk::of(path),
        DrivePlace::Directory(path) => {
            let Ok(metadata) = fs::metadata(path) else { return Vec::new() };
            Disk::numbered(metadata.dev())
        }
    };
    let Ok(disk) = disk else { return Vec::new() };
    disk.foundations().iter().filter_map(Disk::number).collect()
}

/// The lowest limit of a kind on any of these disks.
fn tightest(own: &OwnGroup, kind: IoLimitKind, disks: &[String]) -> Option<IoLimit> {
    // In version 1 the limits of groups above do not apply (blkio-controller.rst, "Hierarchical
    // Cgroups").
    let levels: Vec<&Path> = match own.version {
        CgroupVersion::One => vec![&own.folder],
        CgroupVersion::Two => own.levels().collect(),
    };
    let of = |folder: &Path| {
        let text = match own.version {
            CgroupVersion::One => fs::read_to_string(folder.join(kind.of_version_1())),
            CgroupVersion::Two => fs::read_to_string(folder.join("io.max")),
        };
        let limits = limits(own.version, kind, &text.unwrap_or_default());
        let per_s = disks.iter().filter_map(|disk| limits.get(disk).copied()).min()?;
        Some(IoLimit { kind, per_s, group: folder.display().to_string() })
    };
    levels.into_iter().filter_map(of).min_by_key(|limit| limit.per_s)
}

/// By disk: "8:16 rbps=2097152 wbps=max riops=max wiops=120" in version 2, "8:16 120" in version 1.
fn limits(version: CgroupVersion, kind: IoLimitKind, text: &str) -> BTreeMap<String, u64> {
    let line = |line: &str| {
        let (disk, rest) = line.split_once(' ')?;
        let written = match version {
            CgroupVersion::One => rest,
            CgroupVersion::Two => {
                rest.split(' ')
                    .find_map(|pair| {
                        pair.split_once('=').filter(|(name, _)| *name == kind.of_version_2())
                    })?
                    .1
            }
        };
        Some((disk.to_string(), written.trim().parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(version: CgroupVersion, files: &[(&str, &str)]) -> (tempfile::TempDir, OwnGroup) {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = dir.path().join("a/b");
        fs::create_dir_all(&folder).expect("made");
        for (file, text) in files {
            fs::write(dir.path().join(file), text).expect("written");
        }
        let mount = dir.path().to_path_buf();
        (dir, OwnGroup { folder, mount, version })
    }

    #[test]
    fn the_tightest_limit_of_version_2_is_that_of_any_group_above() {
        let (dir, own) = group(
            CgroupVersion::Two,
            &[
                ("a/io.max", "7:0 rbps=max wbps=max riops=2000 wiops=max\n8:0 riops=5\n"),
                ("a/b/io.max", "7:0 rbps=1048576 wbps=max riops=3000 wiops=max\n"),
            ],
        );
        let of = |kind, disks: &[&str]| {
            let disks: Vec<String> = disks.iter().map(|disk| disk.to_string()).collect();
            tightest(&own, kind, &disks).map(|limit| (limit.per_s, limit.group))
        };
        let shown = |folder: &str| dir.path().join(folder).display().to_string();
        assert_eq!(of(IoLimitKind::Reads, &["7:0"]), Some((2000, shown("a"))));
        assert_eq!(of(IoLimitKind::ReadBytes, &["7:0"]), Some((1 << 20, shown("a/b"))));
        assert_eq!(of(IoLimitKind::Writes, &["7:0"]), None, "unlimited");
        assert_eq!(of(IoLimitKind::Reads, &["9:0"]), None, "another disk");
        assert_eq!(of(IoLimitKind::Reads, &["253:0", "8:0"]), Some((5, shown("a"))), "below dm");
    }

    #[test]
    fn in_version_1_the_own_group_alone_limits() {
        let read = IoLimitKind::Reads.of_version_1();
        let (above, own_file) = (format!("a/{read}"), format!("a/b/{read}"));
        let files = [(above.as_str(), "7:0 100\n"), (own_file.as_str(), "7:0 2000\n")];
        let (_dir, own) = group(CgroupVersion::One, &files);
        let found = tightest(&own, IoLimitKind::Reads, &["7:0".to_string()]).expect("a limit");
        assert_eq!(found.per_s, 2000);
    }
}
