//! A block device on this machine whose requests are logged: a loop device on a file that
//! qemu-storage-daemon exports through FUSE, with QEMU's blklogwrites below it. A flush of the loop
//! device is a flush in the log.

use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::write_log::{Drive, SECTOR, WriteLog};
use crate::support::{LoopDevice, run_well, until};

/// An image of a filesystem, mounted on a loop device until dropped.
pub struct Mounted {
    device: LoopDevice,
    pub place: PathBuf,
}

impl Mounted {
    /// Mounts the image in a folder next to it; an error if it contains no filesystem.
    pub fn of(image: &Path) -> Result<Mounted, String> {
        let device = LoopDevice::bound(&[], image).expect("a loop device");
        let place = image.with_extension("mnt");
        std::fs::create_dir_all(&place).expect("a folder");
        let mounted = Mounted { device, place };
        let output = Command::new("mount").arg(&*mounted.device).arg(&mounted.place).output();
        let output = output.expect("mount is started");
        match output.status.success() {
            true => Ok(mounted),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // If another test has its own mount namespace, the filesystem stays mounted there and is
        // not written out by unmounting it here.
        let _ = Command::new("sync").arg("--file-system").arg(&self.place).status();
        // Its user may have it open for a moment longer.
        for how in [&[][..], &["--lazy"]] {
            let mut umount = Command::new("umount");
            umount.args(how).arg(&self.place).stderr(Stdio::null());
            if umount.status().is_ok_and(|status| status.success()) {
                break;
            }
        }
    }
}

/// An image with an empty ext4. Without discards, which are zeros in a log.
pub fn empty_filesystem(image: &Path, mib: u64) {
    std::fs::File::create(image).and_then(|file| file.set_len(mib << 20)).expect("an image");
    run_well(Command::new("mkfs.ext4").args(["-q", "-E", "nodiscard"]).arg(image));
}

/// A copy of an image, with holes for zeros. It is a new file: the old one may still be mounted in
/// another test's mount namespace.
pub fn copy(from: &Path, to: &Path) {
    run_well(
        Command::new("cp")
            .args(["--sparse=always", "--reflink=auto", "--remove-destination"])
            .args([from, to]),
    );
}

/// An image whose requests are logged while it is used through `export`.
pub struct Logged {
    daemon: Child,
    pub export: PathBuf,
    log: PathBuf,
}

impl Logged {
    pub fn start(folder: &Path, image: &Path) -> Logged {
        let (export, log) = (folder.join("export.img"), folder.join("requests.log"));
        for file in [&export, &log] {
            std::fs::write(file, []).expect("a file");
        }
        let node = |name: &str, file: &Path| {
            let file = file.display();
            format!("driver=file,node-name={name},filename={file},cache.no-flush=on")
        };
        let logs = "driver=blklogwrites,node-name=logged,file=data,log=log,log-sector-size=512";
        let fuse = format!(
            "type=fuse,id=export,node-name=logged,mountpoint={},writable=on",
            export.display()
        );
        let daemon = Command::new("qemu-storage-daemon")
            .args(["--blockdev", &node("data", image), "--blockdev", &node("log", &log)])
            .args(["--blockdev", logs, "--export", &fuse])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("qemu-storage-daemon is started");
        let mut logged = Logged { daemon, export, log };
        let bytes = std::fs::metadata(image).expect("an image").len();
        until("the export", 60, || {
            if let Ok(Some(status)) = logged.daemon.try_wait() {
                let mut said = String::new();
                let stderr = logged.daemon.stderr.as_mut().expect("a pipe");
                let _ = stderr.read_to_string(&mut said);
                panic!("qemu-storage-daemon ended with {status}: {said}");
            }
            std::fs::metadata(&logged.export).is_ok_and(|found| found.len() == bytes)
        });
        logged
    }

    /// The log's length: all requests completed by now are before it.
    pub fn len(&self) -> usize {
        std::fs::metadata(&self.log).expect("a log").len() as usize
    }

    /// The log up to a length. The export is no longer in use.
    pub fn stop(mut self, len: usize) -> WriteLog {
        let pid = self.daemon.id().to_string();
        run_well(Command::new("kill").arg(&pid));
        self.daemon.wait().expect("ended");
        let mut bytes = std::fs::read(&self.log).expect("a log");
        bytes.truncate(len);
        WriteLog::parse(bytes).expect("a log")
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// Writes a drive's contents into an image with its previous contents.
pub fn put(drive: &Drive, log: &WriteLog, image: &Path) {
    let file = std::fs::OpenOptions::new().write(true).open(image).expect("an image");
    for sector in 0..drive.0.len() {
        let Some(entry) = drive.entry(sector) else { continue };
        let bytes = log.sector(entry, sector - log.entries[entry].sector);
        file.write_all_at(bytes, (sector * SECTOR) as u64).expect("written");
    }
}
