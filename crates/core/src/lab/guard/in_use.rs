//! The users of a block device: every kind of use, with its name and remedy.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use super::disk::Disk;
use super::{loops, openers};

/// A use that forbids writing: its description, and its remedy.
pub struct DriveUse {
    pub why: String,
    pub remedy: &'static str,
}

fn found(why: String, remedy: &'static str) -> Option<DriveUse> {
    Some(DriveUse { why, remedy })
}

/// The first use found, in order of significance.
pub fn of(disk: &Disk) -> Option<DriveUse> {
    vital(disk)
        .or_else(|| mounted(disk))
        .or_else(|| swap(disk))
        .or_else(|| held(disk))
        .or_else(|| backs_a_loop_device(disk))
        .or_else(|| exported(disk))
        .or_else(|| open_elsewhere(disk))
        .or_else(|| locked(disk))
        .or_else(|| open_to_write(disk))
}

/// The disk of the root filesystem, or of the running program, through LVM, md and dm.
fn vital(disk: &Disk) -> Option<DriveUse> {
    let program = std::env::current_exe().ok();
    let places = [Some(Path::new("/").to_path_buf()), program];
    let names = ["the root filesystem", "the running program"];
    for (place, what) in places.iter().flatten().zip(names) {
        if lies_on(place, disk) {
            return found(format!("{what} lies on it"), "test another drive");
        }
    }
    None
}

/// Whether a file is on the disk, a partition of it or a device built on it.
pub fn lies_on(file: &Path, disk: &Disk) -> bool {
    let Ok(found) = fs::metadata(file) else { return false };
    let Ok(under) = Disk::numbered(found.dev()) else { return on_named_source(file, disk) };
    under.foundations().contains(&disk.whole())
}

/// btrfs and overlay give files a device number without a block device; their mount's source is
/// used instead.
fn on_named_source(file: &Path, disk: &Disk) -> bool {
    let Ok(file) = file.canonicalize() else { return false };
    let mounts = mounts().into_iter().filter(|m| file.starts_with(&m.point));
    let Some(mount) = mounts.max_by_key(|m| m.point.len()) else { return false };
    Disk::of(Path::new(&mount.source)).is_ok_and(|d| d.foundations().contains(&disk.whole()))
}

struct MountEntry {
    number: String,
    point: String,
    source: String,
}

fn mounts() -> Vec<MountEntry> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounts = table.lines().filter_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let left: Vec<&str> = left.split(' ').collect();
        Some(MountEntry {
            number: left.get(2)?.to_string(),
            point: left.get(4)?.to_string(),
            source: right.split(' ').nth(1)?.to_string(),
        })
    });
    mounts.collect()
}

fn mounted(disk: &Disk) -> Option<DriveUse> {
    let numbers = disk.numbers();
    let named = |source: &str| {
        source.starts_with('/') && device_number(source).is_some_and(|n| numbers.contains(&n))
    };
    let mount = mounts().into_iter().find(|m| numbers.contains(&m.number) || named(&m.source))?;
    found(format!("it, or a partition of it, is mounted on {}", mount.point), "unmount it first")
}

fn device_number(path: &str) -> Option<String> {
    let found = fs::metadata(path).ok().filter(|m| m.file_type().is_block_device())?;
    Some(format!("{}:{}", rustix::fs::major(found.rdev()), rustix::fs::minor(found.rdev())))
}

/// Swap on the device; swap in a file appears as a mount of its filesystem.
fn swap(disk: &Disk) -> Option<DriveUse> {
    let numbers = disk.numbers();
    let table = fs::read_to_string("/proc/swaps").ok()?;
    let mut swaps = table.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let swap = swaps.find(|swap| device_number(swap).is_some_and(|n| numbers.contains(&n)))?;
    found(format!("{swap} is in use as swap"), "`swapoff` it first")
}

fn held(disk: &Disk) -> Option<DriveUse> {
    found(format!("{} holds it", disk.holder()?), "take it out of LVM, md, dm or bcache first")
}

/// A loop device on the disk, or on a file on it, writes to it without claiming it.
fn backs_a_loop_device(disk: &Disk) -> Option<DriveUse> {
    found(format!("the loop device {} is on it", loops::on(disk)?), "detach it with `losetup -d`")
}

/// A device exported to other machines may be used by them at any time.
fn exported(disk: &Disk) -> Option<DriveUse> {
    let numbers = disk.numbers();
    let of =
        |path: &Path| device_number(&path.to_string_lossy()).is_some_and(|n| numbers.contains(&n));
    for folder in ["/sys/kernel/config/nvmet/subsystems", "/sys/kernel/config/target/core"] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let inner = [entry.path(), entry.path().join("namespaces")];
            for place in inner.iter().flat_map(|p| fs::read_dir(p).into_iter().flatten().flatten())
            {
                let named = ["device_path", "udev_path"]
                    .map(|name| super::disk::read(&place.path().join(name)));
                if named.iter().flatten().any(|path| of(Path::new(path))) {
                    return found(
                        format!("{} exports it", place.path().display()),
                        "take it out of the target first",
                    );
                }
            }
        }
    }
    None
}

/// A program that has it open for writing claims nothing, but may write at any time.
fn open_to_write(disk: &Disk) -> Option<DriveUse> {
    let writer = openers::writer(disk)?;
    found(format!("{writer} has it open for writing"), "stop that first")
}

fn locked(disk: &Disk) -> Option<DriveUse> {
    let locker = openers::locker(disk)?;
    found(format!("{locker} has locked it"), "wait until that has ended, or stop it")
}

/// Requests exclusive access from the kernel, which refuses it while anything else claims the
/// device.
fn open_elsewhere(disk: &Disk) -> Option<DriveUse> {
    for part in disk.all() {
        let node = part.node();
        let opened =
            OpenOptions::new().read(true).custom_flags(libc::O_EXCL | libc::O_NONBLOCK).open(&node);
        let Err(error) = opened else { continue };
        if error.raw_os_error() == Some(libc::EBUSY) {
            let who =
                openers::all(&part).unwrap_or_else(|| "the kernel or another program".to_string());
            return found(
                format!("{who} has {} open for itself", node.display()),
                "stop that first",
            );
        }
        let why =
            format!("{} cannot be opened to see whether it is in use: {error}", node.display());
        return found(why, "run as a user who may open it, with the drive in place");
    }
    None
}
