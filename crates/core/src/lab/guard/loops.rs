//! Loop devices by backing device, as reported by the kernel: the number of the device, or of the
//! device that contains the backing file. The name stored by the kernel may belong to another mount
//! namespace, or to a node that no longer exists.

use std::fs::{self, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{major, minor};

use super::disk::{Disk, read};

/// `LOOP_GET_STATUS64` of linux/loop.h.
const LOOP_GET_STATUS64: libc::c_ulong = 0x4C05;

/// `struct loop_info64`, of which the first three numbers are used.
#[repr(C)]
struct LoopInfo {
    /// The device of the backing file's filesystem.
    device: u64,
    inode: u64,
    /// The backing device, if it is one.
    backing: u64,
    rest: [u8; 256],
}

/// The loop device on the disk, or on a file of a filesystem on it.
pub fn on(disk: &Disk) -> Option<String> {
    let numbers = disk.numbers();
    for entry in fs::read_dir("/sys/block").into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(file) = read(&entry.path().join("loop/backing_file")) else { continue };
        let text = |number: u64| format!("{}:{}", major(number), minor(number));
        let lies = match status(&Path::new("/dev").join(&name)) {
            Some(status) => {
                numbers.contains(&text(status.backing)) || numbers.contains(&text(status.device))
            }
            // It cannot be queried: only its name is known.
            None => Disk::of(Path::new(&file)).is_ok_and(|under| disk.all().contains(&under)),
        };
        if lies {
            return Some(name);
        }
    }
    None
}

fn status(node: &Path) -> Option<LoopInfo> {
    let device = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(node).ok()?;
    let mut status = LoopInfo { device: 0, inode: 0, backing: 0, rest: [0; 256] };
    // SAFETY: the ioctl fills a structure of 232 bytes, and this one is longer.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), LOOP_GET_STATUS64, &raw mut status) };
    (result == 0).then_some(status)
}
