//! The run's own filesystem on a bare device: made, mounted below `/run/dyno`, and unmounted at the
//! end. Tools receive the held descriptor, not a name. A mount left by a killed run is removed by
//! the next; a lock distinguishes it from one in use.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, StatxFlags, flock, statx};
use rustix::io::Errno;

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, failed, refused};
use crate::base::private;
use crate::base::text::visible;
use crate::lab::drive::exclusive::Exclusive;
use crate::lab::folder::pin::{OPEN, shown};
use crate::lab::guard;
use crate::lab::guard::disk::Disk;
use crate::plan::{Drive, DrivePlace, Filesystem, FilesystemKind};

/// The folder of the run's mounts, writable only by the user.
const MOUNTS: &str = "/run/dyno";
/// An empty folder in it as mkfs's working directory, so that a file name among its arguments
/// matches nothing.
const EMPTY: &str = "empty";

/// Time limit for unmounting, ns. Kernel work that still refers to the filesystem, such as closing
/// a ring, ends within milliseconds.
const UNMOUNT_NS: u64 = 10_000_000_000;
const LOOK_NS: u64 = 10_000_000;

/// A mounted filesystem; unmounted by `unmount`, at the latest when dropped.
pub struct Mounted {
    /// Its mount point.
    pub point: PathBuf,
    /// The folder that contains the mount point.
    mounts: OwnedFd,
    name: String,
    /// The device's number.
    device: u64,
    clock: Clock,
    /// Exclusive while it is mounted.
    lock: File,
}

impl Mounted {
    /// Whether this filesystem is mounted there.
    fn is_there(&self) -> bool {
        number_at(&self.mounts, &self.name) == Some(self.device)
    }

    /// Unmounts it through the held folder, never through a link; waits for pending users, and
    /// reports remaining ones.
    pub fn unmount(&self) -> Result<()> {
        let at = format!("{OPEN}{}/{}", self.mounts.as_raw_fd(), self.name);
        let give_up_ns = self.clock.now_ns() + UNMOUNT_NS;
        while self.is_there() {
            match unmount(&at) {
                Err(Errno::BUSY) if self.clock.now_ns() < give_up_ns => {
                    self.clock.sleep_until(self.clock.now_ns() + LOOK_NS);
                }
                Err(error) => {
                    let who = guard::who_works_on(self.device)
                        .map_or(String::new(), |who| format!(" ({who})"));
                    let what = format!("{} is still mounted: {error}{who}", self.point.display());
                    return Err(failed(
                        what,
                        format!("stop what uses it, then: umount {}", self.point.display()),
                    ));
                }
                Ok(()) => {}
            }
        }
        let _ = rustix::fs::unlinkat(&self.mounts, &self.name, AtFlags::REMOVEDIR);
        Ok(())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Callers that can report an error have called `unmount`; otherwise the next run on the
        // drive unmounts it.
        let _ = self.unmount();
        let _ = flock(&self.lock, FlockOperation::Unlock);
    }
}

fn unmount(at: &str) -> rustix::io::Result<()> {
    let at = std::ffi::CString::new(at).map_err(|_| Errno::INVAL)?;
    // SAFETY: the path is zero-terminated and lives until the call returns.
    if unsafe { libc::umount2(at.as_ptr(), libc::UMOUNT_NOFOLLOW) } == 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
}

/// The device number of a name in a folder.
fn number_at(folder: &OwnedFd, name: &str) -> Option<u64> {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    let found = statx(folder, name, flags, StatxFlags::BASIC_STATS).ok()?;
    Some(rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor))
}

/// The list of filesystems made by Dyno, by UUID.
const MADE: &str = "filesystems";

/// Whether Dyno made the filesystem on a device, on this host.
pub fn is_dynos(drive: &Drive, kind: FilesystemKind) -> bool {
    uuid(drive, kind).is_some_and(|uuid| private::recall(MADE).contains(&uuid))
}

/// The program that makes a filesystem, with its version as it prints it: "mkfs.xfs version 6.1.0".
pub fn maker(kind: FilesystemKind) -> String {
    let program = format!("mkfs.{}", kind.name());
    // mkfs.ext4 prints it to standard error.
    let said = Command::new(&program).arg("-V").output().ok();
    let said = said.map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let first = said.lines().next().map(str::trim).filter(|line| !line.is_empty());
    first.map_or(program, |line| visible(line).into_owned())
}

/// Makes the filesystem; returns its UUID.
pub fn make(drive: &Drive, filesystem: &Filesystem) -> Result<String> {
    let held = Exclusive::take(drive)?.share()?;
    check_arguments(filesystem)?;
    let uuid = fs::read_to_string("/proc/sys/kernel/random/uuid")
        .context("drawing a UUID")?
        .trim()
        .to_string();
    // Recorded in advance: if a run is killed between mkfs and its record in the bundle, the next
    // one recognises the filesystem as Dyno's.
    private::remember(MADE, &uuid);
    let (program, id) = match filesystem.kind {
        FilesystemKind::Xfs => {
            ("mkfs.xfs", ["-f", "-m", &format!("uuid={uuid}")].map(str::to_string).to_vec())
        }
        FilesystemKind::Ext4 => {
            ("mkfs.ext4", ["-q", "-F", "-U", &uuid].map(str::to_string).to_vec())
        }
    };
    let options = match filesystem.kind {
        FilesystemKind::Ext4 => made_whole(&filesystem.mkfs),
        FilesystemKind::Xfs => filesystem.mkfs.clone(),
    };
    let arguments: Vec<&str> =
        id.iter().chain(&options).map(String::as_str).chain([INPUT]).collect();
    mounts()?;
    tool(program, &arguments, held.file(), &held.node)?;
    held.file().sync_all().with_context(|| format!("writing {}", held.node.display()))?;
    if uuid_on(held.file(), filesystem.kind).as_ref() != Some(&uuid) {
        let what =
            format!("{program} did not make the filesystem {uuid} on {}", held.node.display());
        return Err(failed(what, "look at `dmesg`"));
    }
    Ok(uuid)
}

/// mkfs writes all of an ext4: otherwise the kernel would initialise inode tables and the journal
/// while the drive is measured. mkfs uses only the last `-E`, so these options are merged with the
/// plan's, which take precedence.
fn made_whole(options: &[String]) -> Vec<String> {
    const WHOLE: &str = "lazy_itable_init=0,lazy_journal_init=0";
    let mut options = options.to_vec();
    match options.iter().rposition(|option| option.starts_with("-E")) {
        Some(at) if options[at] == "-E" => {
            if let Some(own) = options.get_mut(at + 1) {
                *own = format!("{WHOLE},{own}");
            }
        }
        Some(at) => options[at] = format!("-E{WHOLE},{}", &options[at][2..]),
        None => options.extend(["-E", WHOLE].map(str::to_string)),
    }
    options
}

/// Replaces the held device in a tool's arguments: its standard input.
const INPUT: &str = "/proc/self/fd/0";

/// An argument with a path may name another device, for a log, a journal or the data.
fn check_arguments(filesystem: &Filesystem) -> Result<()> {
    let named = filesystem.mkfs.iter().map(String::as_str).chain(filesystem.mount.split(','));
    let devices = ["logdev", "rtdev", "journal_dev", "journal_path", "device=", "/"];
    for argument in named {
        if devices.iter().any(|device| argument.contains(device)) {
            let what = format!(
                "'{argument}' among the filesystem's options may refer to another device or file"
            );
            return Err(refused(what, "omit it; the run's own filesystem is only on the drive"));
        }
    }
    Ok(())
}

/// Mounts the filesystem that `make` created with this UUID. `options` as after `-o`.
pub fn mount(
    drive: &Drive,
    filesystem: &Filesystem,
    expected: &str,
    clock: Clock,
) -> Result<Mounted> {
    let DrivePlace::Device { path, serial } = &drive.place else {
        return Err(failed("a directory cannot be mounted", "use a block device: device = …"));
    };
    check_arguments(filesystem)?;
    let device = File::open(path).with_context(|| format!("opening {}", shown(path).display()))?;
    guard::verify(&device, path, serial)?;
    let disk = Disk::of_open(&device)?;
    let node = disk.node();
    let changed = || {
        let what = format!(
            "{} does not contain the filesystem {expected} that was made on it",
            node.display()
        );
        failed(what, "look at what else writes to the drive")
    };
    if uuid_on(&device, filesystem.kind).as_deref() != Some(expected) {
        return Err(changed());
    }
    let (mounts, name) = (mounts()?, disk.name());
    let point = Path::new(MOUNTS).join(&name);
    make_folder(&mounts, &name)?;
    let lock = lock(&point)?.ok_or_else(|| busy(&point))?;
    let number = device.metadata().context("looking at an open device")?.rdev();
    let mounted = Mounted { point, mounts, name, device: number, clock, lock };
    let to = mounted.point.to_string_lossy();
    let arguments =
        ["--no-canonicalize", "-t", filesystem.kind.name(), "-o", &filesystem.mount, INPUT, &to];
    tool("mount", &arguments, &device, &node)?;
    if !mounted.is_there() || uuid_on(&device, filesystem.kind).as_deref() != Some(expected) {
        return Err(changed());
    }
    Ok(mounted)
}

/// A killed run's mounts of this drive.
pub fn leftovers(drive: &Drive) -> Result<Vec<PathBuf>> {
    let DrivePlace::Device { path, serial } = &drive.place else { return Ok(Vec::new()) };
    let Some(disk) = Disk::of(path).ok().filter(|disk| disk.is(serial)) else {
        return Ok(Vec::new());
    };
    let numbers = disk.numbers();
    let table = fs::read_to_string("/proc/self/mountinfo").context("reading the mounts")?;
    let point = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let (number, point) = (words.get(2)?, words.get(4).map(Path::new)?);
        let own = point.parent() == Some(Path::new(MOUNTS));
        (own && numbers.iter().any(|n| n == number)).then(|| point.to_path_buf())
    };
    Ok(table.lines().filter_map(point).collect())
}

/// Removes a killed run's mounts of this drive.
pub fn unmount_leftovers(drive: &Drive, clock: Clock) -> Result<()> {
    for point in leftovers(drive)? {
        let name = point.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(lock) = lock(&point)? else { return Err(busy(&point)) };
        let mounts = mounts()?;
        let Some(device) = number_at(&mounts, &name) else { continue };
        Mounted { point, mounts, name, device, clock, lock }.unmount()?;
    }
    Ok(())
}

/// The UUID of a device's filesystem, if it has one of that kind.
pub fn uuid(drive: &Drive, kind: FilesystemKind) -> Option<String> {
    uuid_on(&File::open(drive.place.path()).ok()?, kind)
}

fn uuid_on(mut device: &File, kind: FilesystemKind) -> Option<String> {
    let (magic_at, magic, uuid_at): (u64, &[u8], u64) = match kind {
        FilesystemKind::Xfs => (0, b"XFSB", 32),
        FilesystemKind::Ext4 => (1024 + 56, &[0x53, 0xEF], 1024 + 104),
    };
    let mut read = |at: u64, into: &mut [u8]| {
        device.seek(SeekFrom::Start(at)).and_then(|_| device.read_exact(into)).is_ok()
    };
    let (mut found, mut id) = (vec![0; magic.len()], [0u8; 16]);
    if !read(magic_at, &mut found) || found != magic || !read(uuid_at, &mut id) {
        return None;
    }
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]))
}

/// The folder of the run's mounts, in which only the user may change names.
fn mounts() -> Result<OwnedFd> {
    match fs::DirBuilder::new().mode(0o755).create(MOUNTS) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| format!("making {MOUNTS}"));
        }
        _ => {}
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(MOUNTS, flags, Mode::empty());
    let opened = opened.with_context(|| format!("opening {MOUNTS}"))?;
    let found = rustix::fs::fstat(&opened).with_context(|| format!("looking at {MOUNTS}"))?;
    if found.st_uid == rustix::process::geteuid().as_raw() && found.st_mode & 0o022 == 0 {
        make_folder(&opened, EMPTY)?;
        return Ok(opened);
    }
    Err(refused(
        format!("{MOUNTS} is not used: others may write to it"),
        format!("remove it: rm -r {MOUNTS}"),
    ))
}

fn make_folder(mounts: &OwnedFd, name: &str) -> Result<()> {
    match rustix::fs::mkdirat(mounts, name, Mode::from_raw_mode(0o755)) {
        Err(error) if error != Errno::EXIST => {
            Err(error).with_context(|| format!("making {MOUNTS}/{name}"))
        }
        _ => Ok(()),
    }
}

/// The mount point's lock; None while another run holds it.
fn lock(point: &Path) -> Result<Option<File>> {
    let path = point.with_extension("lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(&path);
    let file = file.with_context(|| format!("opening {}", path.display()))?;
    Ok(flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok().then_some(file))
}

fn busy(point: &Path) -> crate::base::error::Error {
    refused(format!("another run of Dyno uses {}", point.display()), "wait until it has ended")
}

/// Runs a tool with the device as its standard input; `node` is for messages.
fn tool(program: &str, arguments: &[&str], device: &File, node: &Path) -> Result<()> {
    let input = device.try_clone().with_context(|| format!("holding {}", node.display()))?;
    let mut command = Command::new(program);
    command
        .env("PATH", "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin")
        .stdin(Stdio::from(input))
        .args(arguments);
    let output = command.current_dir(Path::new(MOUNTS).join(EMPTY)).output();
    let output = output.map_err(|e| {
        failed(format!("{program} cannot be started: {e}"), format!("install {program}"))
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said =
        String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    let called = arguments.join(" ").replace(INPUT, &node.to_string_lossy());
    Err(failed(format!("`{program} {called}` failed: {said}"), "look at `dmesg`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ext4_is_written_whole_unless_the_plan_says_otherwise() {
        let made = |given: &[&str]| {
            made_whole(&given.iter().map(|o| o.to_string()).collect::<Vec<_>>()).join(" ")
        };
        let whole = "lazy_itable_init=0,lazy_journal_init=0";
        assert_eq!(made(&[]), format!("-E {whole}"));
        assert_eq!(made(&["-m", "0"]), format!("-m 0 -E {whole}"));
        assert_eq!(made(&["-E", "nodiscard", "-m0"]), format!("-E {whole},nodiscard -m0"));
        assert_eq!(made(&["-Elazy_itable_init=1"]), format!("-E{whole},lazy_itable_init=1"));
    }
}
