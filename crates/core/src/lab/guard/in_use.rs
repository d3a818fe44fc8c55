//! The users of a block device and of its ground: every kind of use, with its name and remedy.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::disk::{self, Disk};
use super::ground::{BackingFile, Footing, Ground, Place, identity};
use super::loops::{self, BoundLoop};
use super::openers::{Opened, Openers};
use super::place::{MountEntry, mounts, unescaped};
use crate::lab::holders;

/// A use that forbids writing, and its remedy.
pub struct DriveUse {
    pub why: String,
    pub remedy: &'static str,
}

fn found(why: String, remedy: &'static str) -> Option<DriveUse> {
    Some(DriveUse { why, remedy })
}

/// The first use found, in order of significance: of the device itself, of devices below it, and of
/// other devices that write the same bytes.
pub fn of(disk: &Disk) -> Option<DriveUse> {
    let ground = Ground::of(disk);
    let openers = Openers::of(&ground);
    let devices = ground.devices.iter();
    let of_device = |footing| of_device(&ground, footing, &openers);
    let of_file = |file| of_file(file, &openers);
    devices.clone().find_map(of_device).or_else(|| ground.files.iter().find_map(of_file))
}

/// One device of the ground, with its name in messages.
struct Examined<'a> {
    ground: &'a Ground,
    footing: &'a Footing,
    /// "it", or the device's name.
    it: String,
}

fn of_device(ground: &Ground, footing: &Footing, openers: &Openers<'_>) -> Option<DriveUse> {
    let node = footing.disk.node();
    let it = if footing.place == Place::Own { "it".into() } else { node.display().to_string() };
    let seen = Examined { ground, footing, it };
    let used = vital(&seen)
        .or_else(|| mounted(&seen))
        .or_else(|| swap(&seen))
        .or_else(|| held(&seen))
        .or_else(|| backs_a_loop_device(&seen))
        .or_else(|| exported(&seen))
        .or_else(|| open_elsewhere(&seen, openers))
        .or_else(|| locked(&seen, openers))
        .or_else(|| open_to_write(&seen, openers))?;
    let file = || ground.files.first().map(|f| f.path.display().to_string()).unwrap_or_default();
    let why = match footing.place {
        Place::Own => used.why,
        Place::Below | Place::Member => format!("it is on {}, and {}", node.display(), used.why),
        Place::Beside => {
            format!("{} is on the same file, {}, and {}", node.display(), file(), used.why)
        }
    };
    Some(DriveUse { why, ..used })
}

/// A backing file must be free, not its filesystem.
fn of_file(file: &BackingFile, openers: &Openers<'_>) -> Option<DriveUse> {
    let what = [Opened::File(file.id.0, file.id.1)];
    let name = file.path.display();
    let mount = || mounts().into_iter().find(|mount| is_file(Path::new(&mount.source), file));
    let swap = || swaps().into_iter().find(|swap| is_file(Path::new(swap), file));
    let locker = || {
        let locker = openers.locker(&what).cloned();
        locker.or_else(|| holders::holders_of_inode(file.id.0, file.id.1).into_iter().next())
    };
    if let Some(mount) = mount() {
        let why = format!("the file under it, {name}, is mounted on {}", mount.point);
        return found(why, "unmount it first");
    }
    if swap().is_some() {
        return found(
            format!("the file under it, {name}, is in use as swap"),
            "`swapoff` it first",
        );
    }
    if let Some(export) = exports().into_iter().find(|export| is_file(&export.what, file)) {
        let why = format!("{} exports the file under it, {name}", export.by.display());
        return found(why, "take it out of the target first");
    }
    if let Some(writer) = openers.writer(&what) {
        let why = format!("{writer} has the file under it, {name}, open for writing");
        return found(why, "stop that first");
    }
    let why = format!("{} has locked the file under it, {name}", locker()?);
    found(why, "wait until that has ended, or stop it")
}

fn is_file(path: &Path, file: &BackingFile) -> bool {
    path.is_absolute() && identity(path).1 == file.id
}

/// Refuses a device if another device of its ground has been claimed since the guard's check: the
/// kernel's exclusive access to the device itself does not cover these.
pub fn claimed(disk: &Disk) -> Option<DriveUse> {
    let ground = Ground::of(disk);
    let openers = Openers::of(&ground);
    let others = ground.devices.iter().filter(|footing| footing.place != Place::Own);
    let mut claims = others.filter_map(|footing| {
        let it = footing.disk.node().display().to_string();
        open_elsewhere(&Examined { ground: &ground, footing, it }, &openers)
    });
    claims.next()
}

/// The disk of the root filesystem, or of the running program.
fn vital(seen: &Examined<'_>) -> Option<DriveUse> {
    let program = std::env::current_exe().ok();
    let places = [Some(Path::new("/").to_path_buf()), program];
    let names = ["the root filesystem", "the running program"];
    let files = match seen.footing.place {
        Place::Own => seen.ground.files.clone(),
        _ => Vec::new(),
    };
    let own = Ground { devices: vec![seen.footing.clone()], files, exports: Vec::new() };
    for (place, what) in places.iter().flatten().zip(names) {
        if Ground::under(place).meets(&own) {
            return found(format!("{what} lies on {}", seen.it), "test another drive");
        }
    }
    None
}

/// Whether a file is on the disk, on a partition of it, on a device built on it, or on the disk's
/// ground.
pub fn lies_on(file: &Path, disk: &Disk) -> bool {
    Ground::under(file).meets(&Ground::of(disk))
}

/// The numbers of the device, its partitions, and the disk that contains it.
fn numbers(seen: &Examined<'_>) -> Vec<u64> {
    seen.footing.disk.overlapping().iter().filter_map(Disk::device_number).collect()
}

fn opened(seen: &Examined<'_>) -> Vec<Opened> {
    let commands = seen.footing.disk.command_devices();
    numbers(seen).into_iter().chain(commands).map(Opened::Device).collect()
}

/// Whether a path's device has one of these numbers.
fn is_one_of(path: &str, numbers: &[u64]) -> bool {
    let device = if path.starts_with('/') { identity(Path::new(path)).0 } else { 0 };
    device != 0 && numbers.contains(&device)
}

fn mounted(seen: &Examined<'_>) -> Option<DriveUse> {
    let numbers = numbers(seen);
    let is_it = |mount: &MountEntry| {
        let number = disk::device_number(&mount.number);
        number.is_some_and(|n| numbers.contains(&n)) || is_one_of(&mount.source, &numbers)
    };
    let mount = mounts().into_iter().find(is_it)?;
    let it = &seen.it;
    found(format!("{it}, or a partition of it, is mounted on {}", mount.point), "unmount it first")
}

fn swaps() -> Vec<String> {
    let table = fs::read_to_string("/proc/swaps").unwrap_or_default();
    let names = table.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    names.map(unescaped).collect()
}

/// Swap on the device; swap in a file appears as a mount of its filesystem.
fn swap(seen: &Examined<'_>) -> Option<DriveUse> {
    let numbers = numbers(seen);
    let swap = swaps().into_iter().find(|swap| is_one_of(swap, &numbers))?;
    found(format!("{swap} is in use as swap"), "`swapoff` it first")
}

fn held(seen: &Examined<'_>) -> Option<DriveUse> {
    let holder = seen.footing.disk.holder(&|name| seen.ground.is_of_the_stack(name))?;
    found(format!("{holder} holds {}", seen.it), "take it out of LVM, md, dm or bcache first")
}

/// A loop device on the disk, or on a file on it, writes to it without claiming it.
fn backs_a_loop_device(seen: &Examined<'_>) -> Option<DriveUse> {
    let numbers = numbers(seen);
    let own = seen.footing.disk.device_number();
    let on_it = |other: &BoundLoop| match other.device {
        0 => numbers.contains(&other.file.0),
        // Ranges of one device are compared; a partition and its disk are not.
        device if Some(device) == own => other.span.meets(seen.footing.span),
        device => numbers.contains(&device),
    };
    let mut others = loops::all().into_iter();
    let other = others.find(|other| {
        let name = other.disk.name();
        on_it(other) && !seen.ground.is_of_the_stack(&name)
    })?;
    found(
        format!("the loop device {} is on {}", other.disk.name(), seen.it),
        "detach it with `losetup -d`",
    )
}

/// An export to other machines, which may use it at any time.
struct Export {
    what: PathBuf,
    by: PathBuf,
}

fn exports() -> Vec<Export> {
    let mut exports = Vec::new();
    for folder in ["/sys/kernel/config/nvmet/subsystems", "/sys/kernel/config/target/core"] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let inner = [entry.path(), entry.path().join("namespaces")];
            for place in inner.iter().flat_map(|p| fs::read_dir(p).into_iter().flatten().flatten())
            {
                let named = ["device_path", "udev_path"]
                    .map(|name| super::disk::read(&place.path().join(name)));
                let by = place.path();
                let export = |what: String| Export { what: what.into(), by: by.clone() };
                exports.extend(named.into_iter().flatten().map(export));
            }
        }
    }
    exports
}

fn exported(seen: &Examined<'_>) -> Option<DriveUse> {
    let numbers = numbers(seen);
    let of = |export: &Export| is_one_of(&export.what.to_string_lossy(), &numbers);
    // Exports of the device's own ground to this host.
    let known = |export: &Export| seen.ground.exports.contains(&export.by);
    let export = exports().into_iter().find(|export| of(export) && !known(export))?;
    found(format!("{} exports {}", export.by.display(), seen.it), "take it out of the target first")
}

/// A program that has the device open for writing does not claim it, but may write at any time.
fn open_to_write(seen: &Examined<'_>, openers: &Openers<'_>) -> Option<DriveUse> {
    let opened = opened(seen);
    let writer = openers.writer(&opened)?;
    found(format!("{writer} has {} open for writing", seen.it), "stop that first")
}

fn locked(seen: &Examined<'_>, openers: &Openers<'_>) -> Option<DriveUse> {
    let nodes = seen.footing.disk.overlapping().into_iter().map(|part| part.node());
    let on_nodes = || nodes.flat_map(|node| holders::holders_of(&node)).next();
    let locker = openers.locker(&opened(seen)).cloned().or_else(on_nodes)?;
    found(format!("{locker} has locked {}", seen.it), "wait until that has ended, or stop it")
}

/// Requests exclusive access from the kernel, which refuses it if anything else has claimed the
/// device.
fn open_elsewhere(seen: &Examined<'_>, openers: &Openers<'_>) -> Option<DriveUse> {
    // md and dm have claimed their members.
    if seen.footing.place == Place::Member {
        return None;
    }
    for part in seen.footing.disk.all() {
        let node = part.node();
        let opened =
            OpenOptions::new().read(true).custom_flags(libc::O_EXCL | libc::O_NONBLOCK).open(&node);
        let Err(error) = opened else { continue };
        if error.raw_os_error() == Some(libc::EBUSY) {
            let number = part.device_number().map(Opened::Device);
            let who = openers
                .names(number.as_slice())
                .unwrap_or_else(|| "the kernel or another program".to_string());
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
