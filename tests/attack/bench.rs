//! Shared by the tables: loop devices, folders of other users, their checksums, and running Dyno.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use dyno::base::error::exit;
use dyno::lab::guard::UNKNOWN;
use dyno::plan::{Drive, DrivePlace};
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use crate::support::{DYNO, LoopDevice, run_well, skip, until};

pub const MIB: u64 = 1 << 20;

/// Each run takes seconds.
const HANGS: Duration = Duration::from_secs(300);

/// Dyno's exit code for a refusal.
pub const REFUSAL: Option<i32> = Some(exit::REFUSED as i32);

/// A loop device on a sparse file, removed when dropped.
pub struct Loop {
    pub device: LoopDevice,
    pub folder: tempfile::TempDir,
    pub file: PathBuf,
}

pub fn ran(program: &str, args: &[&str]) -> bool {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    output.is_ok_and(|o| o.status.success())
}

#[track_caller]
pub fn must(program: &str, args: &[&str]) -> String {
    run_well(Command::new(program).args(args).stdin(Stdio::null())).trim().to_string()
}

/// Mounts a device, which the new mount namespace of another test may briefly hold, because it
/// begins with a copy of all mounts.
pub fn mounted(args: &[&str]) {
    until("the device to be free", 60, || ran("mount", args));
}

impl Loop {
    pub fn new() -> Loop {
        Loop::sized(16)
    }

    /// Not zeros, so that overwriting with zeros is detected; nothing that resembles a signature.
    pub fn sized(mib: u64) -> Loop {
        let mut bytes = vec![0; (mib * MIB) as usize];
        for (number, block) in bytes.chunks_mut(4096).enumerate() {
            block[3584..].fill((number % 200) as u8);
        }
        Loop::over(|file| fs::write(file, bytes))
    }

    pub fn blank(mib: u64) -> Loop {
        Loop::over(|file| File::create(file)?.set_len(mib * MIB))
    }

    fn over(make: impl FnOnce(&Path) -> std::io::Result<()>) -> Loop {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        make(&file).unwrap();
        let device = attach(&file);
        Loop { folder, file, device }
    }

    /// Another device on the same file, whose writes the kernel refuses.
    pub fn read_only(&self) -> Loop {
        let (folder, file) = (tempfile::tempdir().unwrap(), self.file.clone());
        Loop { folder, device: LoopDevice::bound(&["--read-only"], &file).unwrap(), file }
    }

    pub fn path(&self) -> &str {
        self.device.to_str().unwrap()
    }

    pub fn drive(&self) -> Drive {
        drive(&self.device, self.file.to_str().unwrap())
    }

    pub fn checksum(&self) -> String {
        // Writes the device's own cache to the file, which is then read.
        let _ = File::open(&self.device).and_then(|device| device.sync_all());
        of_file(&self.file)
    }

    pub fn refresh(&self) {
        must("blockdev", &["--flushbufs", self.path()]);
    }
}

#[track_caller]
pub fn attach(file: &Path) -> LoopDevice {
    LoopDevice::bound(&[], file).unwrap()
}

/// Permits erasing any unknown data on it.
pub fn drive(device: &Path, serial: &str) -> Drive {
    let place = DrivePlace::Device { path: device.into(), serial: serial.into() };
    Drive {
        place,
        erase: true,
        erase_signatures: vec![UNKNOWN.to_string()],
        connections: Vec::new(),
        namespaces: Vec::new(),
    }
}

/// Whether this machine can run the test; printed if not.
pub fn bench() -> bool {
    let root = must("id", &["-u"]) == "0";
    let tools =
        ["losetup", "wipefs", "mkfs.ext4", "mkswap", "blockdev", "mount", "unshare", "mknod"];
    let missing: Vec<_> = tools.iter().filter(|t| !ran("which", &[t])).collect();
    if root && Path::new("/dev/loop-control").exists() && missing.is_empty() {
        return true;
    }
    skip(format!("attacks need root, loop devices and {tools:?} (missing: {missing:?})"));
    false
}

/// Most of a device's file is holes, which are not read, or zeroes, which may become holes.
fn of_file(file: &Path) -> String {
    let (file, mut hash, zeroes) = (File::open(file).unwrap(), Sha256::new(), [0; 4096]);
    let length = file.metadata().unwrap().len();
    hash.update(length.to_le_bytes());
    let mut at = 0;
    while at < length {
        let from = match seek(&file, SeekFrom::Data(at)) {
            Ok(from) => from,
            // Only a hole is left.
            Err(Errno::NXIO) => break,
            Err(error) => panic!("looking for data: {error}"),
        };
        at = seek(&file, SeekFrom::Hole(from)).unwrap();
        let mut bytes = vec![0; (at - from) as usize];
        file.read_exact_at(&mut bytes, from).unwrap();
        for (at, block) in (from..).step_by(zeroes.len()).zip(bytes.chunks(zeroes.len())) {
            if block != &zeroes[..block.len()] {
                hash.update(at.to_le_bytes());
                hash.update(block);
            }
        }
    }
    format!("{:x?}", hash.finalize())
}

/// The complete state of a tree: names, kinds, modes, owners, link counts, link targets, file
/// contents. Names in `apart` are excluded.
pub fn checksums(folder: &Path, apart: &[&Path]) -> Vec<String> {
    let mut found = Vec::new();
    walk(folder, apart, &mut found);
    found.sort();
    found
}

fn walk(at: &Path, apart: &[&Path], found: &mut Vec<String>) {
    let meta = fs::symlink_metadata(at).unwrap_or_else(|e| panic!("{}: {e}", at.display()));
    let kind = meta.file_type();
    let holds = match () {
        () if kind.is_symlink() => fs::read_link(at).unwrap().display().to_string(),
        () if kind.is_file() => format!("{} {}", meta.len(), of_file(at)),
        () if kind.is_block_device() || kind.is_char_device() => meta.rdev().to_string(),
        () => String::new(),
    };
    let (mode, user, group) = (meta.mode(), meta.uid(), meta.gid());
    found.push(format!("{} {mode:o} {user} {group} {holds}", at.display()));
    if kind.is_dir() {
        for entry in fs::read_dir(at).unwrap().flatten() {
            if !apart.contains(&entry.path().as_path()) {
                walk(&entry.path(), apart, found);
            }
        }
    }
}

/// A folder for testing, a foreign folder next to it, and a protocol.
pub struct Room {
    pub folder: tempfile::TempDir,
}

pub const PROTOCOL: &str = r#"
title = "T"
source = "test"
[dataset.file]
engine = "ENGINE"
size = "256KiB"
direct = false
restore = RESTORE
fill = { kind = "sequential", read = 0, block = "64KiB" }
[[step]]
name = "first"
duration = "250ms"
[[step.stream]]
name = "io"
engine = "ENGINE"
workload = { kind = "random", read = 50, block = "4KiB" }
"#;

impl Room {
    pub fn new(engine: &str, restore: bool) -> Room {
        Room::with(&PROTOCOL.replace("ENGINE", engine).replace("RESTORE", &restore.to_string()))
    }

    pub fn with(protocol: &str) -> Room {
        let room = Room { folder: tempfile::tempdir().unwrap() };
        for folder in ["drive", "theirs", "theirs/photos"] {
            fs::create_dir(room.at(folder)).unwrap();
        }
        for (file, text) in
            [("letter", "dear"), ("photos/cat", "meow"), ("data", "data of theirs"), ("json", "{}")]
        {
            fs::write(room.at("theirs").join(file), text).unwrap();
        }
        fs::write(room.at("protocol.toml"), protocol).unwrap();
        room
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The file of the plan's dataset.
    pub fn own(&self, name: &str) -> PathBuf {
        self.at("drive/dyno-data").join(name)
    }

    pub fn theirs(&self) -> Vec<String> {
        checksums(&self.at("theirs"), &[])
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(DYNO);
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    pub fn dyno(&self, args: &[&str]) -> (Option<i32>, String) {
        let child =
            self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = child.id() as i32;
        let (ended, watched) = mpsc::channel::<()>();
        let watch = thread::spawn(move || {
            let hangs = watched.recv_timeout(HANGS) == Err(mpsc::RecvTimeoutError::Timeout);
            // SAFETY: sends a signal to the child, whose output is still being read.
            hangs && unsafe { libc::kill(pid, libc::SIGKILL) } == 0
        });
        let output = child.wait_with_output().unwrap();
        drop(ended);
        assert!(!watch.join().unwrap(), "{args:?} hangs: {}", crate::support::said(&output));
        (output.status.code(), crate::support::said(&output))
    }

    /// Runs the protocol on the folder, into a bundle with this name.
    pub fn run(&self, bundle: &str) -> (Option<i32>, String) {
        self.dyno(&["run", "./protocol.toml", "--subject", "A=drive", "--output", bundle])
    }

    /// A run that must succeed: the resulting files are Dyno's own.
    #[track_caller]
    pub fn run_well(&self, bundle: &str) -> String {
        let (code, said) = self.run(bundle);
        assert_eq!(code, Some(0), "{said}");
        said
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // Bind mounts of a situation, last first.
        let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let within = |line: &&str| {
            line.split(' ').nth(4).is_some_and(|p| Path::new(p).starts_with(self.folder.path()))
        };
        for line in table.lines().filter(within).collect::<Vec<_>>().iter().rev() {
            ran("umount", &[line.split(' ').nth(4).unwrap_or_default()]);
        }
    }
}
