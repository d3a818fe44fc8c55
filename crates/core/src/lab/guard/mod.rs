//! The guard: refuses whatever must not be touched, before anything is touched, with the reason and
//! the remedy.
//!
//! A block device is written to only if the plan has its serial number (or EUI, NGUID) and `erase =
//! true`, and never while it or a device below it (`ground`) is in use (`in_use`), or while it has
//! contents that the plan does not name, with a signature (`signature`) or without (`unknown`).
//! `pass` checks before a run; `verify` checks again on the descriptor that will be written to, so
//! that a renumbered device or a changed link has no effect.

pub mod disk;
mod ground;
mod in_use;
mod loops;
mod openers;
pub(in crate::lab) mod place;
mod signature;
mod span;
pub mod unknown;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use crate::base::error::{self, Context, Error, Result, failed};
use crate::lab::folder::pin::shown;
use crate::plan::{Drive, DrivePlace};
use disk::Disk;
use ground::Ground;
pub use openers::who_works_on;
pub use unknown::UNKNOWN;

/// Approves a drive, or returns why it must not be used. `writes`: whether any stream or fill would
/// write to it.
pub fn pass(drive: &Drive, writes: bool) -> Result<()> {
    match &drive.place {
        DrivePlace::Directory(path) => pass_directory(path),
        DrivePlace::Device { path, serial } => pass_device(path, serial, drive, writes),
    }
}

/// Refuses a name that may refer to another drive after a reboot.
pub fn named_stably(drive: &Drive) -> Result<()> {
    let DrivePlace::Device { path, .. } = &drive.place else { return Ok(()) };
    if stable(path) {
        return Ok(());
    }
    let remedy = "use a link in /dev/disk/by-id (or /dev/disk/by-path)";
    Err(refused(path, "this name may refer to another drive after a reboot", remedy))
}

/// Whether a file at `file` (which exists, or its folder does) is on the drive.
pub fn holds(place: &DrivePlace, file: &Path) -> Result<bool> {
    let there = file.canonicalize().with_context(|| format!("looking for {}", file.display()))?;
    match place {
        DrivePlace::Directory(path) => {
            let Ok(path) = path.canonicalize() else { return Ok(false) };
            let places = (place::within_filesystem(&there), place::within_filesystem(&path));
            let by_another_mount = match places {
                (Some(there), Some(path)) => there.0 == path.0 && there.1.starts_with(path.1),
                _ => false,
            };
            Ok(there.starts_with(path) || by_another_mount)
        }
        DrivePlace::Device { path, .. } => Ok(in_use::lies_on(&there, &Disk::of(path)?)),
    }
}

/// Checks that an open device is the plan's, immediately before it is written to.
pub fn verify(device: &File, path: &Path, serial: &str) -> Result<()> {
    let disk = Disk::of_open(device)?;
    if disk.is(serial) {
        return Ok(());
    }
    Err(refused(path, wrong_drive(&disk, serial), WHICH))
}

/// The same check before a device that is already open exclusively is opened for writing: no other
/// device of its ground may have been claimed since `pass`.
pub fn verify_to_write(device: &File, path: &Path, serial: &str) -> Result<()> {
    verify(device, path, serial)?;
    match in_use::claimed(&Disk::of_open(device)?) {
        Some(used) => Err(refused(path, used.why, used.remedy)),
        None => Ok(()),
    }
}

/// The whole disks that share bytes with a device, including its own, in an order that is the same
/// for each of them.
pub fn sharing(disk: &Disk) -> Vec<Disk> {
    let mut others: Vec<Disk> =
        Ground::of(disk).devices.iter().map(|footing| footing.disk.whole()).collect();
    others.sort_by(|a, b| a.sysfs.cmp(&b.sysfs));
    others.dedup();
    others
}

/// The reason why a device that is in no plan must not be tested; Ok if a plan with its stable name
/// may erase it.
pub fn obstacle(path: &Path) -> Result<()> {
    let disk = Disk::of(path)?;
    disk.serial().ok_or_else(|| no_serial(path))?;
    unused(path, &disk)?;
    unmarked(path, &disk, &[UNKNOWN.to_string()])
}

fn pass_directory(path: &Path) -> Result<()> {
    let found = fs::metadata(path).map_err(|e| {
        failed(
            format!("{} cannot be used: {e}", path.display()),
            "use a directory on the drive to be tested",
        )
    })?;
    if found.is_dir() {
        return Ok(());
    }
    Err(failed(
        format!("{} is not a directory", path.display()),
        "use a directory on the drive to be tested",
    ))
}

fn pass_device(path: &Path, serial: &str, drive: &Drive, writes: bool) -> Result<()> {
    let disk = Disk::of(path)?;
    disk.serial().ok_or_else(|| no_serial(path))?;
    if !disk.is(serial) {
        return Err(refused(path, wrong_drive(&disk, serial), WHICH));
    }
    if !writes {
        return Ok(());
    }
    if !drive.erase {
        return Err(refused(
            path,
            "the plan does not say that it may be erased",
            "add `erase = true` to this drive",
        ));
    }
    named_stably(drive)?;
    unused(path, &disk)?;
    unmarked(path, &disk, &drive.erase_signatures)
}

const WHICH: &str =
    "check which drive is meant; device names change between boots, so use /dev/disk/by-id";

fn wrong_drive(disk: &Disk, serial: &str) -> String {
    format!(
        "its serial number is '{}', but the plan has '{serial}'",
        disk.serial().unwrap_or_default()
    )
}

fn refused(path: &Path, why: impl std::fmt::Display, try_next: &str) -> Error {
    error::refused(format!("{} is not touched: {why}", shown(path).display()), try_next)
}

fn no_serial(path: &Path) -> Error {
    refused(
        path,
        "it reports no serial number",
        "create a filesystem on it, mount it, and test a directory there",
    )
}

/// The kernel's own name is stable only for a loop device, which is identified by its backing file
/// as serial number. With udev, every drive that reports a serial number has a link in /dev/disk.
fn stable(path: &Path) -> bool {
    let kernels_own = path.parent() == Some(Path::new("/dev"));
    let is_loop = disk::name(path).starts_with("loop");
    !kernels_own || is_loop || !Path::new("/dev/disk/by-id").is_dir()
}

fn unused(path: &Path, disk: &Disk) -> Result<()> {
    match in_use::of(disk) {
        Some(used) => Err(refused(path, used.why, used.remedy)),
        None => Ok(()),
    }
}

/// Refuses a signature of a member, or one that the plan does not name.
fn is_named(path: &Path, place: &str, kind: &str, named: &[String]) -> Result<()> {
    if let Some(remedy) = signature::member_remedy(kind) {
        return Err(refused(
            path,
            format!("{place} has the signature of a member: {kind}"),
            remedy,
        ));
    }
    if named.iter().any(|name| name == kind) {
        return Ok(());
    }
    let remedy = format!(
        "if its contents are not needed, permit that: erase = \"{kind}\" (or a list of such)"
    );
    Err(refused(path, format!("{place} has a signature: {kind}"), &remedy))
}

/// Refuses contents of the device or its partitions that the plan does not name, including
/// partitions for which the kernel has no device.
fn unmarked(path: &Path, disk: &Disk, named: &[String]) -> Result<()> {
    let mut signed = false;
    for part in disk.all() {
        let node = part.node();
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&node);
        let device = opened
            .with_context(|| format!("opening {} to examine its contents", node.display()))?;
        let expected = device.metadata().context("looking at an open device")?.rdev();
        if Disk::numbered(expected)? != part {
            return Err(refused(
                path,
                format!("{} changed while it was looked at", node.display()),
                WHICH,
            ));
        }
        let place = node.display().to_string();
        let kinds = signature::on(&device)?;
        signed |= !kinds.is_empty();
        kinds.iter().try_for_each(|kind| is_named(path, &place, kind, named))?;
        if !kinds.iter().any(|kind| signature::is_table(kind)) {
            continue;
        }
        for inner in signature::partitions(&device)? {
            let known = |part: &Disk| part.start_bytes() == Some(inner.start);
            if part.partitions().iter().any(known) {
                continue;
            }
            if let Some(kind) = signature::within(&device, &inner)? {
                let place = format!("a partition on {place}, from byte {} on,", inner.start);
                is_named(path, &place, &kind, named)?;
            }
        }
    }
    if signed || named.iter().any(|name| name == UNKNOWN) {
        return Ok(());
    }
    match unknown::found(&disk.node(), disk.bytes())? {
        None => Ok(()),
        Some(at) => {
            let why = format!("it contains data of an unknown kind (not zero at byte {at})");
            let remedy = format!(
                "if its contents are not needed, permit that: erase = \"{UNKNOWN}\"; or discard \
                 it first"
            );
            Err(refused(path, why, &remedy))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::describe;

    fn device(path: &str, serial: &str) -> Drive {
        Drive {
            place: DrivePlace::Device { path: path.into(), serial: serial.into() },
            erase: true,
            erase_signatures: Vec::new(),
            connections: Vec::new(),
            namespaces: Vec::new(),
        }
    }

    fn directory(path: &str) -> Drive {
        Drive { place: DrivePlace::Directory(path.into()), ..device("", "") }
    }

    #[track_caller]
    fn refused(drive: &Drive, because: &str) {
        let error = pass(drive, true).expect_err("must be refused");
        let (why, try_next) = describe(&error);
        assert!(why.contains(because) && !try_next.is_empty(), "{why}; {try_next:?}");
    }

    #[test]
    fn what_is_no_drive_is_refused() {
        refused(&directory("/proc/version"), "is not a directory");
        refused(&directory("/no/such/place"), "No such file");
        refused(&device("/dev/null", "1"), "is not a block device");
        refused(&device("/no/such/device", "1"), "No such file");
    }

    #[test]
    fn every_disk_of_this_machine_is_refused_under_a_wrong_serial() {
        for entry in fs::read_dir("/sys/block").into_iter().flatten().flatten() {
            let path = Path::new("/dev").join(entry.file_name());
            if path.exists() {
                refused(&device(&path.to_string_lossy(), "not this one"), "is not touched");
            }
        }
    }

    #[test]
    fn a_directory_holds_what_lies_in_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = DrivePlace::Directory(folder.path().into());
        assert!(holds(&place, folder.path()).expect("looked at"));
        assert!(!holds(&place, Path::new("/proc")).expect("looked at"));
    }

    #[test]
    fn the_disk_under_the_root_is_known_to_be_in_use() {
        let number = fs::metadata("/").expect("a root").dev();
        // A root on overlay, tmpfs or btrfs has no block device of its own.
        if let Ok(disk) = Disk::numbered(number) {
            let used = in_use::of(&disk.whole()).map(|u| u.why);
            assert_eq!(used.as_deref(), Some("the root filesystem lies on it"));
        }
    }
}
