//! A filesystem of the run's own on a bare device: made, mounted below `/run/dyno`, and unmounted when the run ends. One
//! that a killed run left mounted is unmounted when the next begins; a lock tells it from one that is in use.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{FlockOperation, flock};

use super::guard::disk::Disk;
use super::held::Held;
use crate::base::error::{Context, Result, failed};
use crate::plan::{Drive, Filesystem, FilesystemKind, Place};

/// Where the run's mounts are.
const MOUNTS: &str = "/run/dyno";

/// A mounted filesystem; unmounted when dropped.
pub struct Mounted {
    pub point: PathBuf,
    /// Held as long as it is mounted.
    lock: File,
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // What cannot be unmounted now, because something still works in it, the next run unmounts.
        if tool("umount", &[&self.point.to_string_lossy()]).is_ok() {
            let _ = fs::remove_dir(&self.point);
        }
        let _ = flock(&self.lock, FlockOperation::Unlock);
    }
}

/// Makes the filesystem. Answers with its UUID.
pub fn make(drive: &Drive, filesystem: &Filesystem) -> Result<String> {
    let held = Held::take(drive)?.share()?;
    let uuid = fs::read_to_string("/proc/sys/kernel/random/uuid").context("drawing a UUID")?.trim().to_string();
    let (program, id) = match filesystem.kind {
        FilesystemKind::Xfs => ("mkfs.xfs", ["-f", "-m", &format!("uuid={uuid}")].map(str::to_string).to_vec()),
        FilesystemKind::Ext4 => ("mkfs.ext4", ["-q", "-F", "-U", &uuid].map(str::to_string).to_vec()),
    };
    let node = held.node.to_string_lossy().into_owned();
    let arguments: Vec<&str> = id.iter().chain(&filesystem.mkfs).map(String::as_str).chain([node.as_str()]).collect();
    tool(program, &arguments)?;
    Ok(uuid)
}

/// Mounts the filesystem that `make` made. `options` as after `-o`.
pub fn mount(drive: &Drive, filesystem: &Filesystem) -> Result<Mounted> {
    let disk = Disk::of(drive.place.path())?;
    let node = Path::new("/dev").join(disk.name());
    let point = place(&disk);
    fs::create_dir_all(&point).with_context(|| format!("making {}", point.display()))?;
    let lock = lock(&point)?.ok_or_else(|| busy(&point))?;
    let (from, to) = (node.to_string_lossy(), point.to_string_lossy());
    tool("mount", &["-t", filesystem.kind.name(), "-o", &filesystem.mount, &from, &to])?;
    let mounted = Mounted { point, lock };
    let (inside, device) = (fs::metadata(&mounted.point)?.dev(), fs::metadata(&node)?.rdev());
    if inside != device {
        let what = format!("{} is not what was mounted on {}", node.display(), mounted.point.display());
        return Err(failed(what, "look at `findmnt` and `dmesg`"));
    }
    Ok(mounted)
}

/// Unmounts what a run that was killed left of this drive.
pub fn unmount_leftover(drive: &Drive) -> Result<()> {
    let Place::Device { path, .. } = &drive.place else { return Ok(()) };
    let Ok(disk) = Disk::of(path) else { return Ok(()) };
    let numbers = disk.numbers();
    let table = fs::read_to_string("/proc/self/mountinfo").context("reading the mounts")?;
    for line in table.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (Some(number), Some(point)) = (words.get(2), words.get(4).map(Path::new)) else { continue };
        if !point.starts_with(MOUNTS) || !numbers.iter().any(|n| n == number) {
            continue;
        }
        let Some(lock) = lock(point)? else { return Err(busy(point)) };
        drop(Mounted { point: point.to_path_buf(), lock });
    }
    Ok(())
}

/// The UUID of the filesystem on a device, if it has one of that kind.
pub fn uuid(drive: &Drive, kind: FilesystemKind) -> Option<String> {
    let (magic_at, magic, uuid_at): (u64, &[u8], u64) = match kind {
        FilesystemKind::Xfs => (0, b"XFSB", 32),
        FilesystemKind::Ext4 => (1024 + 56, &[0x53, 0xEF], 1024 + 104),
    };
    let mut device = File::open(drive.place.path()).ok()?;
    let mut read =
        |at: u64, into: &mut [u8]| device.seek(SeekFrom::Start(at)).and_then(|_| device.read_exact(into)).is_ok();
    let (mut found, mut id) = (vec![0; magic.len()], [0u8; 16]);
    if !read(magic_at, &mut found) || found != magic || !read(uuid_at, &mut id) {
        return None;
    }
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]))
}

fn place(disk: &Disk) -> PathBuf {
    Path::new(MOUNTS).join(disk.name())
}

/// The mount point's lock; nothing while another run has it.
fn lock(point: &Path) -> Result<Option<File>> {
    let path = point.with_extension("lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.with_context(|| format!("opening {}", path.display()))?;
    Ok(flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok().then_some(file))
}

fn busy(point: &Path) -> crate::base::error::Error {
    failed(format!("another run of Dyno uses {}", point.display()), "wait until it has ended")
}

fn tool(program: &str, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(program);
    command.env("PATH", "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin").stdin(Stdio::null()).args(arguments);
    let output = command.output();
    let output =
        output.map_err(|e| failed(format!("{program} cannot be started: {e}"), format!("install {program}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    Err(failed(format!("`{program} {}` failed: {said}", arguments.join(" ")), "look at `dmesg`"))
}
