//! The ground of a block device: all devices and files below it. These are the disk of a partition,
//! the backing device or file of a loop device, the members of md and dm, and the devices behind
//! nbd and NVMe over Fabrics if the kernel names them. A file is an end, because a loop device over
//! a file does not affect the rest of the file's filesystem. Other loop devices over the same bytes
//! of the file are included, because they write the same data.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::disk::{Disk, linked, read};
use super::loops::{self, BoundLoop};
use super::place::mount_of;
use super::span::Span;

/// Relation of a device to the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The examined device.
    Own,
    /// A device below the examined one.
    Below,
    /// A device below the examined one through md or dm, which have claimed it.
    Member,
    /// Another loop device over the same bytes of a file.
    Beside,
}

/// A device that shares bytes with the examined one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footing {
    pub disk: Disk,
    pub place: Place,
    /// The shared range of the device.
    pub span: Span,
}

/// A file that contains the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackingFile {
    /// Device number of the filesystem, and inode.
    pub id: (u64, u64),
    /// Path reported by the kernel.
    pub path: PathBuf,
    pub span: Span,
}

/// Everything that shares bytes with a device.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    pub devices: Vec<Footing>,
    pub files: Vec<BackingFile>,
    /// Entries in configfs by which this host exports a device of the ground to itself.
    pub exports: Vec<PathBuf>,
}

impl Ground {
    /// The ground of a device under test, which is its first entry.
    pub fn of(disk: &Disk) -> Ground {
        let mut ground = Ground::default();
        ground.add(Footing { disk: disk.clone(), place: Place::Own, span: Span::ALL });
        ground.descend(false);
        for other in loops::all() {
            if other.device == 0 && ground.files.iter().any(|file| file.is_under(&other)) {
                ground.add(Footing { disk: other.disk, place: Place::Beside, span: Span::ALL });
            }
        }
        ground
    }

    /// The ground of a file's filesystem, through files down to the last device.
    pub fn under(file: &Path) -> Ground {
        let mut ground = Ground::default();
        for disk in devices_of(file, 0) {
            ground.add(Footing { disk, place: Place::Below, span: Span::ALL });
        }
        ground.descend(true);
        ground
    }

    /// Whether both contain the same whole disk, or the same bytes of a file.
    pub fn meets(&self, other: &Ground) -> bool {
        let disks = |ground: &Ground| -> Vec<Disk> {
            ground.devices.iter().map(|footing| footing.disk.whole()).collect()
        };
        let theirs = disks(other);
        let same = |a: &BackingFile, b: &BackingFile| a.id == b.id && a.span.meets(b.span);
        disks(self).iter().any(|disk| theirs.contains(disk))
            || self.files.iter().any(|a| other.files.iter().any(|b| same(a, b)))
    }

    /// Whether the examined device is this one or is built on it. Such users count as users of the
    /// device itself, not as strangers on its ground.
    pub fn is_of_the_stack(&self, name: &str) -> bool {
        self.devices
            .iter()
            .any(|footing| footing.place != Place::Beside && footing.disk.whole().name() == name)
    }

    fn add(&mut self, footing: Footing) {
        if !self.devices.iter().any(|known| known.disk == footing.disk) {
            self.devices.push(footing);
        }
    }

    /// Adds the devices below each device. `through_files`: also the devices of a file's
    /// filesystem.
    fn descend(&mut self, through_files: bool) {
        let mut next = 0;
        while let Some(footing) = self.devices.get(next).cloned() {
            next += 1;
            let whole = footing.disk.whole();
            let span = match footing.disk.start_bytes() {
                Some(start) => footing.span.within(Span::new(start, footing.disk.bytes())),
                None => footing.span,
            };
            for member in whole.members() {
                self.add(Footing { disk: member, place: Place::Member, span: Span::ALL });
            }
            let bound = loops::bound(&whole);
            let shared = bound.iter().map(|bound| (bound.path.clone(), span.within(bound.span)));
            let mut shared: Vec<(PathBuf, Span)> = shared.collect();
            shared.extend(named(&whole).map(|path| (path, Span::ALL)));
            if let Some((export, path)) = export_of(&whole) {
                shared.push((path, Span::ALL));
                self.exports.push(export);
            }
            for (path, span) in shared {
                let (device, id) = match &bound {
                    Some(bound) => (bound.device, bound.file),
                    None => identity(&path),
                };
                match Disk::numbered(device) {
                    Ok(disk) if device != 0 => {
                        self.add(Footing { disk, place: Place::Below, span });
                    }
                    _ => self.add_file(BackingFile { id, path, span }, through_files),
                }
            }
        }
    }

    fn add_file(&mut self, file: BackingFile, through_files: bool) {
        if self.files.contains(&file) {
            return;
        }
        if through_files {
            let by_name = || match identity(&file.path).1 == file.id {
                true => devices_of(&file.path, 0),
                false => Vec::new(),
            };
            let disks = Disk::numbered(file.id.0).map_or_else(|_| by_name(), |disk| vec![disk]);
            for disk in disks {
                self.add(Footing { disk, place: Place::Below, span: Span::ALL });
            }
        }
        self.files.push(file);
    }
}

impl BackingFile {
    /// Whether a loop device is over these bytes of the file.
    pub fn is_under(&self, other: &BoundLoop) -> bool {
        other.file == self.id && other.span.meets(self.span)
    }
}

/// The number of a path's device, or 0, and the identity of the file itself; zeros if it is gone.
pub fn identity(path: &Path) -> (u64, (u64, u64)) {
    let Ok(found) = fs::metadata(path) else { return (0, (0, 0)) };
    let device = if found.file_type().is_block_device() { found.rdev() } else { 0 };
    (device, (found.dev(), found.ino()))
}

/// The local file or device behind nbd and zram, if the kernel reports its path.
fn named(disk: &Disk) -> impl Iterator<Item = PathBuf> {
    let names = ["backend", "backing_dev"].map(|name| read(&disk.sysfs.join(name)));
    names.into_iter().flatten().filter(|name| name.starts_with('/')).map(PathBuf::from)
}

/// The export and the device of an NVMe namespace over Fabrics whose target is this host, by
/// subsystem and number.
fn export_of(disk: &Disk) -> Option<(PathBuf, PathBuf)> {
    let subsystem = ["device/subsysnqn", "device/device/subsysnqn"]
        .iter()
        .find_map(|place| read(&disk.sysfs.join(place)))
        .filter(|name| !name.contains('/'))?;
    let number = read(&disk.sysfs.join("nsid"))?;
    let place = Path::new("/sys/kernel/config/nvmet/subsystems").join(subsystem);
    let export = place.join("namespaces").join(number);
    let device = read(&export.join("device_path"))?;
    Some((export, device.into()))
}

/// The devices of a file's filesystem: several for btrfs, those of the layers for overlay.
fn devices_of(file: &Path, depth: u32) -> Vec<Disk> {
    let Ok(found) = fs::metadata(file) else { return Vec::new() };
    if let Ok(disk) = Disk::numbered(found.dev()) {
        return vec![disk];
    }
    let Some(mount) = mount_of(file) else { return Vec::new() };
    if mount.kind == "overlay" && depth < 4 {
        let layer = |option: &str| {
            let layers = ["upperdir=", "lowerdir=", "lowerdir+=", "datadir+="];
            layers.iter().find_map(|name| option.strip_prefix(name)).map(str::to_string)
        };
        let layers = mount.options.split(',').filter_map(layer);
        let folders: Vec<String> =
            layers.flat_map(|l| l.split(':').map(str::to_string).collect::<Vec<_>>()).collect();
        return folders.iter().flat_map(|path| devices_of(Path::new(path), depth + 1)).collect();
    }
    let Ok(source) = Disk::of(Path::new(&mount.source)) else { return Vec::new() };
    let others = of_btrfs(&source);
    if others.is_empty() { vec![source] } else { others }
}

/// All devices of the btrfs that includes this one; none if it is in no btrfs.
fn of_btrfs(disk: &Disk) -> Vec<Disk> {
    for filesystem in fs::read_dir("/sys/fs/btrfs").into_iter().flatten().flatten() {
        let devices: Vec<Disk> = linked(&filesystem.path().join("devices")).collect();
        if devices.contains(disk) {
            return devices;
        }
    }
    Vec::new()
}
