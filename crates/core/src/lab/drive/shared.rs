//! The physical devices of drives: two subjects on one device would disturb each other.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::base::error::{Result, refused};
use crate::lab::guard::disk::{Disk, name, read};
use crate::lab::guard::place::mount_of;
use crate::plan::{Drive, DrivePlace, Subject};
use crate::record::Fact;
use crate::record::key::devices::{GROUP, SHARED};

/// The kernel's names of a drive's physical devices, through partitions, dm, md and loop devices;
/// an NVMe namespace is represented by its controller. `folder` is Dyno's data folder in a
/// directory, which may be a link.
pub fn devices(drive: &Drive, folder: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    match &drive.place {
        DrivePlace::Device { path, .. } => {
            if let Ok(disk) = Disk::of(path) {
                below(&disk, &mut found);
            }
        }
        DrivePlace::Directory(path) => {
            let data = path.join(folder);
            of_file(if data.exists() { &data } else { path }, &mut found);
        }
    }
    found
}

/// The same for a folder.
pub fn devices_below(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    of_file(folder, &mut found);
    found
}

fn below(disk: &Disk, found: &mut BTreeSet<String>) {
    for disk in disk.foundations() {
        let new = found.insert(name(&disk.body()));
        if let (true, Some(file)) = (new, read(&disk.sysfs.join("loop/backing_file"))) {
            of_file(Path::new(&file), found);
        }
    }
}

fn of_file(path: &Path, found: &mut BTreeSet<String>) {
    if let Ok(disk) = Disk::of(path) {
        // A loop device over a device.
        return below(&disk, found);
    }
    let Ok(number) = fs::metadata(path).map(|metadata| metadata.dev()) else { return };
    match Disk::numbered(number) {
        Ok(disk) => below(&disk, found),
        Err(_) => of_mount(path, number, found),
    }
}

/// tmpfs, overlay, btrfs and network filesystems have device numbers without a block device; the
/// mount table is used instead.
fn of_mount(path: &Path, number: u64, found: &mut BTreeSet<String>) {
    let Some(mount) = mount_of(path) else { return };
    let upper = mount.options.split(',').find_map(|option| option.strip_prefix("upperdir="));
    let elsewhere =
        |upper: &&str| fs::metadata(upper).is_ok_and(|metadata| metadata.dev() != number);
    match mount.kind.as_str() {
        "tmpfs" | "ramfs" | "devtmpfs" => drop(found.insert("memory".to_string())),
        "overlay" if upper.filter(elsewhere).is_some() => {
            of_file(Path::new(upper.unwrap_or_default()), found)
        }
        "zfs" => drop(
            found.insert(format!("zfs {}", mount.source.split('/').next().unwrap_or_default())),
        ),
        kind => match Disk::of(Path::new(&mount.source)) {
            Ok(disk) => below(&disk, found),
            // An overlay with invisible layers, or a server.
            Err(_) => drop(found.insert(format!("{kind} {} {}", mount.source, mount.number))),
        },
    }
}

/// Refuses two subjects on one device.
pub fn apart(subjects: &[Subject], folder: &str) -> Result<()> {
    match shared(subjects, folder).into_iter().next() {
        None => Ok(()),
        Some((one, other, device)) => Err(refused(
            format!("subjects '{one}' and '{other}' share a physical device: {device}"),
            "use a different device for each, because they would disturb each other; for a \
             control run of one device against itself use --same-device, or same_device = true in \
             the plan",
        )),
    }
}

/// Pairs of subjects that share a device, and the device.
fn shared(subjects: &[Subject], folder: &str) -> Vec<(String, String, String)> {
    let own = |subject: &Subject| {
        subject.drives.iter().flat_map(|drive| devices(drive, folder)).collect::<BTreeSet<_>>()
    };
    let all: Vec<(&str, BTreeSet<String>)> =
        subjects.iter().map(|s| (s.name.as_str(), own(s))).collect();
    let mut found = Vec::new();
    for (i, (name, devices)) in all.iter().enumerate() {
        for (other, others) in &all[..i] {
            let both = devices.intersection(others).next();
            found.extend(both.map(|device| (other.to_string(), name.to_string(), device.clone())));
        }
    }
    found
}

/// The physical devices of each subject's drives, and the shared ones.
pub fn facts(subjects: &[Subject], folder: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    for subject in subjects {
        let drives: Vec<BTreeSet<String>> =
            subject.drives.iter().map(|drive| devices(drive, folder)).collect();
        let names =
            |devices: &BTreeSet<String>| devices.iter().cloned().collect::<Vec<_>>().join(" + ");
        let meets = |i: usize| drives[..i].iter().any(|earlier| !earlier.is_disjoint(&drives[i]));
        let shares = if (0..drives.len()).any(meets) {
            " (drives of the subject share a device)"
        } else {
            ""
        };
        let all: Vec<String> = drives.iter().map(names).filter(|names| !names.is_empty()).collect();
        if !all.is_empty() {
            facts.push(Fact::new(GROUP, &subject.name, format!("{}{shares}", all.join(", "))));
        }
    }
    let pairs = shared(subjects, folder).into_iter();
    let pairs: Vec<String> =
        pairs.map(|(one, other, device)| format!("{one} and {other}: {device}")).collect();
    facts.extend((!pairs.is_empty()).then(|| Fact::new(GROUP, SHARED, pairs.join("; "))));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(name: &str, paths: &[&Path]) -> Subject {
        let drive = |path: &&Path| Drive {
            place: DrivePlace::Directory(path.to_path_buf()),
            erase: false,
            erase_signatures: Vec::new(),
            connections: Vec::new(),
            namespaces: Vec::new(),
        };
        Subject {
            name: name.into(),
            drives: paths.iter().map(drive).collect(),
            ..Subject::default()
        }
    }

    #[test]
    fn two_folders_of_one_filesystem_share_its_device_and_memory_is_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        [&a, &b].into_iter().for_each(|path| fs::create_dir(path).expect("a folder"));
        let pair = [subject("A", &[&a]), subject("B", &[&b])];
        let error = apart(&pair, "dyno-data").expect_err("refused");
        assert!(error.to_string().contains("'A' and 'B' share a physical device"), "{error:?}");
        assert!(facts(&pair, "dyno-data").iter().any(|fact| fact.name == SHARED));
        let group = facts(&[subject("A", &[&a, &b])], "dyno-data");
        assert!(group[0].value.ends_with("(drives of the subject share a device)"), "{group:?}");

        let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
            return eprintln!("SKIPPED: no /dev/shm");
        };
        let other = [subject("A", &[&a]), subject("M", &[memory.path()])];
        assert!(devices(&other[1].drives[0], "dyno-data").contains("memory"));
        apart(&other, "dyno-data").expect("a disk and memory are two");
        // Dyno's data folder may be elsewhere.
        std::os::unix::fs::symlink(memory.path(), a.join("dyno-data")).expect("a link");
        apart(&other, "dyno-data").expect_err("both in memory");
        apart(&pair, "dyno-data").expect("A's data lie in memory");
    }
}
