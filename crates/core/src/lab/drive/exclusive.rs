//! Exclusive access to a device for a destructive step: it has passed the guard, is opened
//! exclusively, and its identity is checked again on the open descriptor. While it is held, the
//! kernel gives its name to no other drive, so a tool that is called with that name accesses this
//! device.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;

use crate::base::error::{Context, Result, failed, refused};
use crate::lab::folder::pin::shown;
use crate::lab::guard;
use crate::lab::guard::disk::Disk;
use crate::plan::{Drive, DrivePlace};

/// A device held open with O_EXCL: nobody else can mount or claim it.
pub struct Exclusive {
    file: File,
    /// Its entry in sysfs.
    pub disk: Disk,
    /// The kernel's own name, independent of links in the plan's path.
    pub node: PathBuf,
}

impl Exclusive {
    /// Claims a device; an error if the guard refuses it, or it is in use.
    pub fn take(drive: &Drive) -> Result<Exclusive> {
        let DrivePlace::Device { path, serial } = &drive.place else {
            return Err(failed(
                "a directory cannot be taken as a device",
                "use a block device: device = …",
            ));
        };
        guard::pass(drive, true)?;
        let opened =
            OpenOptions::new().read(true).write(true).custom_flags(libc::O_EXCL).open(path);
        let file =
            opened.with_context(|| format!("opening {} exclusively", shown(path).display()))?;
        guard::verify_to_write(&file, path, serial)?;
        let disk = Disk::of_open(&file)?;
        let held = Exclusive { node: disk.node(), file, disk };
        held.check_name()?;
        Ok(held)
    }

    /// Keeps the device open, but allows others to open it exclusively, as mkfs and mount do.
    pub fn share(self) -> Result<Exclusive> {
        let again = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let file =
            File::open(&again).with_context(|| format!("opening {} again", self.node.display()))?;
        Ok(Exclusive { file, ..self })
    }

    /// The open device.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The node must match the descriptor.
    fn check_name(&self) -> Result<()> {
        let (open, named) =
            (self.file.metadata()?.rdev(), std::fs::metadata(&self.node).map(|m| m.rdev()));
        if named.is_ok_and(|named| named == open) {
            return Ok(());
        }
        let why =
            format!("{} is not touched: it is not the drive that was opened", self.node.display());
        Err(refused(why, "check what changes device names in /dev"))
    }

    /// Discards all blocks.
    pub fn discard(&self) -> Result<()> {
        let range: [u64; 2] = [0, self.disk.bytes()];
        // SAFETY: BLKDISCARD reads two 64-bit numbers, which live until it returns.
        let result = unsafe { libc::ioctl(self.file.as_raw_fd(), BLKDISCARD, range.as_ptr()) };
        if result == 0 {
            return Ok(());
        }
        let cause = std::io::Error::last_os_error();
        Err(failed(
            format!("discarding {} failed: {cause}", self.node.display()),
            "choose another purge",
        ))
    }

    /// The other namespaces of the same controller.
    pub fn siblings(&self) -> Vec<PathBuf> {
        let others = self.disk.namespaces().into_iter().filter(|d| *d != self.disk);
        others.map(|d| d.node()).collect()
    }
}

/// `_IO(0x12, 119)` of linux/fs.h.
const BLKDISCARD: libc::c_ulong = 0x1277;
