//! Processes that have a device open, mapped or locked, found by the device's number, because its
//! name may be anywhere, or deleted.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::{major, makedev, minor};

use super::disk::Disk;
use crate::lab::holders::{self, Holder};

fn others() -> impl Iterator<Item = u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers =
        processes.filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
    numbers.filter(|pid| *pid != std::process::id())
}

fn numbers(disk: &Disk) -> Vec<u64> {
    let number = |text: String| {
        let (major, minor) = text.split_once(':')?;
        Some(makedev(major.parse().ok()?, minor.parse().ok()?))
    };
    disk.numbers().into_iter().filter_map(number).collect()
}

/// The first process that has the device or a partition open, or mapped, for writing.
pub fn writer(disk: &Disk) -> Option<Holder> {
    let numbers = numbers(disk);
    others().find(|pid| opens(*pid, &numbers, true) || maps(*pid, &numbers)).map(Holder::of)
}

/// All processes that have it open, for the message.
pub fn all(disk: &Disk) -> Option<String> {
    let numbers = numbers(disk);
    let names: Vec<String> = others()
        .filter(|pid| opens(*pid, &numbers, false))
        .map(|pid| Holder::of(pid).to_string())
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn opens(pid: u32, numbers: &[u64], to_write: bool) -> bool {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    files.into_iter().any(|file| {
        let is_it = fs::metadata(file.path()).is_ok_and(|found| {
            found.file_type().is_block_device() && numbers.contains(&found.rdev())
        });
        is_it && (!to_write || writes(pid, &file.file_name().to_string_lossy()))
    })
}

/// From fdinfo: `flags:\t0100002`, the octal flags of open(2).
fn writes(pid: u32, file: &str) -> bool {
    let info = fs::read_to_string(format!("/proc/{pid}/fdinfo/{file}")).unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags =
        flags.and_then(|text| i32::from_str_radix(text.trim(), 8).ok()).unwrap_or(libc::O_RDWR);
    flags & libc::O_PATH == 0 && flags & libc::O_ACCMODE != libc::O_RDONLY
}

/// A mapping persists when its descriptor is closed.
fn maps(pid: u32, numbers: &[u64]) -> bool {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let shared = maps.lines().filter(|line| line.contains("rw-s") && line.contains(" /dev/"));
    shared.filter_map(|line| line.split_whitespace().nth(5)).any(|path| {
        fs::metadata(path).is_ok_and(|found| {
            found.file_type().is_block_device() && numbers.contains(&found.rdev())
        })
    })
}

/// Processes with flock or fcntl locks on a name of the device.
pub fn locker(disk: &Disk) -> Option<Holder> {
    let nodes = disk.all().into_iter().map(|part| part.node());
    nodes.filter_map(|node| holders::holders_of(&node).into_iter().next()).next()
}

/// Processes that use a filesystem on the device of this number: with open files, a working
/// directory, or a root.
pub fn who_works_on(device: u64) -> Option<String> {
    let on_it = |path: &Path| fs::metadata(path).is_ok_and(|found| found.dev() == device);
    let works = |pid: &u32| {
        let process = format!("/proc/{pid}");
        let process = Path::new(&process);
        let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        on_it(&process.join("cwd"))
            || on_it(&process.join("root"))
            || files.into_iter().any(|f| on_it(&f.path()))
    };
    let who: Vec<String> =
        others().filter(works).take(3).map(|pid| Holder::of(pid).to_string()).collect();
    (!who.is_empty())
        .then(|| format!("{}; device {}:{}", who.join(", "), major(device), minor(device)))
}
