//! Loop devices and their backing, as reported by the kernel: the number of the device, or the
//! file's filesystem and inode, and the range. The name stored by the kernel may belong to another
//! mount namespace, or to a node or file that no longer exists.

use std::fs::{self, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::disk::{Disk, read};
use super::span::Span;

/// `LOOP_GET_STATUS64` of linux/loop.h.
const LOOP_GET_STATUS64: libc::c_ulong = 0x4C05;

/// `struct loop_info64`, of which the first three numbers are used.
#[repr(C)]
struct LoopInfo {
    /// The device of the backing file's filesystem.
    device: u64,
    inode: u64,
    /// Number of the backing device, if the backing is a device.
    backing: u64,
    rest: [u8; 256],
}

/// A bound loop device.
pub struct BoundLoop {
    pub disk: Disk,
    /// The backing device's number, or 0 if it is bound to a file.
    pub device: u64,
    /// The device number and the inode of the backing file or device node.
    pub file: (u64, u64),
    /// The name stored by the kernel.
    pub path: PathBuf,
    /// The range of the file or device.
    pub span: Span,
}

/// All bound loop devices.
pub fn all() -> Vec<BoundLoop> {
    Disk::listed().filter_map(|disk| bound(&disk)).collect()
}

/// The backing of a loop device; None for other devices, and for an unbound one.
pub fn bound(disk: &Disk) -> Option<BoundLoop> {
    let folder = disk.sysfs.join("loop");
    let path = PathBuf::from(read(&folder.join("backing_file"))?);
    let (device, file) = match status(&disk.node()) {
        Some(info) => (info.backing, (info.device, info.inode)),
        // It cannot be queried: only its name is known.
        None => {
            let found = fs::metadata(&path).ok();
            let file = found.as_ref().map_or((0, 0), |found| (found.dev(), found.ino()));
            let device = found.filter(|found| found.file_type().is_block_device());
            (device.map_or(0, |found| found.rdev()), file)
        }
    };
    let from = read(&folder.join("offset")).and_then(|text| text.parse().ok()).unwrap_or(0);
    Some(BoundLoop { disk: disk.clone(), device, file, path, span: Span::new(from, disk.bytes()) })
}

fn status(node: &Path) -> Option<LoopInfo> {
    let device = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(node).ok()?;
    let mut status = LoopInfo { device: 0, inode: 0, backing: 0, rest: [0; 256] };
    // SAFETY: the ioctl fills a structure of 232 bytes, and this one is longer.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), LOOP_GET_STATUS64, &raw mut status) };
    (result == 0).then_some(status)
}
