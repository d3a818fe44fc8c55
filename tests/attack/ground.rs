//! What a drive stands on: loop devices over devices and files that something else uses, and those
//! that nothing else uses. Every layout is combined with every use; a part of the combinations on
//! every day, all of them with `DYNO_SOAK=1`.

use std::fs;
use std::os::fd::IntoRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;

use dyno::lab::guard;
use dyno::plan::{Drive, DrivePlace};
use tempfile::tempdir;

use crate::bench::{Loop, REFUSAL, Room, attach, bench, drive, mounted, must, ran};
use crate::drives::{passed, refused};
use crate::held::Other;
use crate::support::{LoopDevice, have, size, skip, until};

pub const CASES: usize = LAYOUTS.len() * USES.len()
    + (FILE_LAYOUTS + FILESYSTEMS.len()) * FILE_USES.len()
    + FREE.len()
    + 4;

/// A drive, and the device or file that something else will use.
struct Built {
    disk: Loop,
    /// Detached in this order.
    others: Vec<LoopDevice>,
    used: PathBuf,
}

impl Built {
    /// The drive is the last device, or the disk itself if there is none.
    fn drive(&self) -> Drive {
        let device = self.others.first().unwrap_or(&self.disk.device);
        let name = device.file_name().unwrap().to_string_lossy().into_owned();
        let serial = fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).unwrap();
        let erase = ["ext4", "xfs", "swap"].map(str::to_string).to_vec();
        let own = drive(device, serial.trim());
        Drive { erase_signatures: [own.erase_signatures, erase].concat(), ..own }
    }
}

fn built(disk: Loop, others: Vec<LoopDevice>, used: &Path) -> Built {
    Built { used: used.to_path_buf(), disk, others }
}

/// A loop device over part of a file.
fn part(file: &Path, offset_mib: u64, mib: u64) -> LoopDevice {
    let (offset, bytes) = ((offset_mib << 20).to_string(), (mib << 20).to_string());
    LoopDevice::bound(&["--offset", &offset, "--sizelimit", &bytes], file).unwrap()
}

/// How the drive shares bytes with the device in use.
type Layout = (&'static str, fn(Loop) -> Built);

const LAYOUTS: &[Layout] = &[
    ("on the device", |disk| {
        let (upper, used) = (attach(&disk.device), disk.device.to_path_buf());
        built(disk, vec![upper], &used)
    }),
    ("on a device on the device", |disk| {
        let lower = attach(&disk.device);
        let (upper, used) = (attach(&lower), disk.device.to_path_buf());
        built(disk, vec![upper, lower], &used)
    }),
    ("on the upper of two devices", |disk| {
        let lower = attach(&disk.device);
        let (upper, used) = (attach(&lower), lower.to_path_buf());
        built(disk, vec![upper, lower], &used)
    }),
    ("on a part of the device", |disk| {
        let (upper, used) = (part(&disk.device, 4, 8), disk.device.to_path_buf());
        built(disk, vec![upper], &used)
    }),
    ("beside it on the same file", |disk| {
        let (other, used) = (attach(&disk.file), disk.device.to_path_buf());
        built(disk, vec![other], &used)
    }),
    ("beside it by a hard link", |disk| {
        let link = disk.folder.path().join("link");
        fs::hard_link(&disk.file, &link).unwrap();
        let (other, used) = (attach(&link), disk.device.to_path_buf());
        built(disk, vec![other], &used)
    }),
    ("beside it by a symbolic link, in another folder", |disk| {
        let folder = disk.folder.path().join("elsewhere");
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&disk.file, folder.join("name")).unwrap();
        let (other, used) = (attach(&folder.join("name")), disk.device.to_path_buf());
        built(disk, vec![other], &used)
    }),
    ("beside it on an overlapping part of the file", |disk| {
        let (other, used) = (part(&disk.file, 2, 12), disk.device.to_path_buf());
        built(disk, vec![other], &used)
    }),
    ("beside it on a file that was removed since", |disk| {
        let (other, used) = (attach(&disk.file), disk.device.to_path_buf());
        // Its bytes are still compared.
        let held = fs::File::open(&disk.file).unwrap().into_raw_fd();
        fs::remove_file(&disk.file).unwrap();
        let disk = Loop { file: format!("/proc/self/fd/{held}").into(), ..disk };
        built(disk, vec![other], &used)
    }),
    ("on a device beside it", |disk| {
        let lower = attach(&disk.file);
        let (upper, used) = (attach(&lower), disk.device.to_path_buf());
        built(disk, vec![upper, lower], &used)
    }),
];

/// What keeps the device in use, until it is dropped: a process, a loop device, or one of these.
type Use = Box<dyn std::any::Any>;

struct Mount(PathBuf);

impl Drop for Mount {
    fn drop(&mut self) {
        let ended = ran("umount", &[self.0.to_str().unwrap()]);
        assert!(ended || std::thread::panicking(), "{:?} stays mounted", self.0);
    }
}

struct Swap(PathBuf);

impl Drop for Swap {
    fn drop(&mut self) {
        let ended = ran("swapoff", &[self.0.to_str().unwrap()]);
        assert!(ended || std::thread::panicking(), "{:?} stays in use as swap", self.0);
    }
}

fn mount_of(kind: &str, options: &str, built: &Built) -> Use {
    let point = built.disk.folder.path().join("mnt");
    let _ = fs::create_dir(&point);
    let used = built.used.to_str().unwrap();
    let whole = ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"];
    let options_of_mkfs = if kind == "xfs" { &["-q", "-f"][..] } else { &whole };
    must(&format!("mkfs.{kind}"), &[options_of_mkfs, &[used]].concat());
    mounted(&["-o", options, used, point.to_str().unwrap()]);
    Box::new(Mount(point))
}

fn process(script: &str, built: &Built) -> Use {
    Box::new(Other::doing(script, &built.used))
}

/// The main thread ends, and another keeps the descriptor.
const HEADLESS: &str = "import threading, ctypes
f = os.open(d, os.O_RDWR)
def rest():
    time.sleep(0.05)
    print('ready', flush=True)
    time.sleep(600)
threading.Thread(target=rest).start()
ctypes.CDLL(None).syscall(60, 0)";

/// A thread has a table of its own, and the only descriptor in it.
const OWN_TABLE: &str = "import threading, ctypes
opened = threading.Event()
def apart():
    assert ctypes.CDLL(None).unshare(0x400) == 0
    global f
    f = os.open(d, os.O_RDWR)
    opened.set()
    time.sleep(600)
threading.Thread(target=apart, daemon=True).start()
opened.wait()";

/// Registered with a ring, and closed.
const REGISTERED: &str = "import ctypes
libc, f = ctypes.CDLL(None), os.open(d, os.O_RDWR)
ring = libc.syscall(425, 8, ctypes.create_string_buffer(120))
assert ring >= 0
files = (ctypes.c_int * 1)(f)
assert libc.syscall(427, ring, 2, files, 1) == 0
os.close(f)";

const MAPPED: &str = "f = os.open(d, os.O_RDWR); m = mmap.mmap(f, 4096); os.close(f)";
/// The kernel lets it be made writable at any time.
const MAPPED_FOR_READING: &str =
    "f = os.open(d, os.O_RDWR); m = mmap.mmap(f, 4096, prot=mmap.PROT_READ); os.close(f)";

/// Uses of a device, and the message.
const USES: &[(&str, fn(&Built) -> Use, &str)] = &[
    ("mounted (ext4)", |b| mount_of("ext4", "rw", b), "is mounted on"),
    ("mounted read-only", |b| mount_of("ext4", "ro,noload", b), "is mounted on"),
    (
        "mounted in another mount namespace",
        |b| {
            must("mkfs.ext4", &["-q", "-F", b.used.to_str().unwrap()]);
            let point = b.disk.folder.path().join("mnt");
            let _ = fs::create_dir(&point);
            Box::new(Other::apart("mount -o ro,noload \"$1\" \"$2\"", &b.used, &point))
        },
        "open for itself",
    ),
    (
        "in use as swap",
        |b| {
            must("mkswap", &["-f", b.used.to_str().unwrap()]);
            must("swapon", &[b.used.to_str().unwrap()]);
            Box::new(Swap(b.used.clone()))
        },
        "in use as swap",
    ),
    ("open for writing", |b| process("f = os.open(d, os.O_WRONLY)", b), "open for writing"),
    ("open to append", |b| process("f = os.open(d, os.O_RDWR | os.O_APPEND)", b), "for writing"),
    ("open past the page cache", |b| process("f = os.open(d, os.O_RDWR | os.O_DIRECT)", b), "open"),
    ("open exclusively", |b| process("f = os.open(d, os.O_EXCL)", b), "open for itself"),
    ("mapped", |b| process(MAPPED, b), "open for writing"),
    ("mapped for reading, opened for writing", |b| process(MAPPED_FOR_READING, b), "for writing"),
    ("its first thread has ended", |b| process(HEADLESS, b), "open for writing"),
    ("in a table of one thread", |b| process(OWN_TABLE, b), "open for writing"),
    ("registered with a ring", |b| process(REGISTERED, b), "open for writing"),
    (
        "locked with flock",
        |b| process("f = os.open(d, os.O_RDONLY); fcntl.flock(f, fcntl.LOCK_EX)", b),
        "has locked",
    ),
    (
        "locked by fcntl",
        |b| process("f = os.open(d, os.O_RDONLY); fcntl.lockf(f, fcntl.LOCK_SH)", b),
        "has locked",
    ),
    ("under another loop device", |b| Box::new(attach(&b.used)), "is on"),
];

/// The combinations of an ordinary day: every layout and every use at least once.
fn is_of_every_day(layout: usize, use_: usize) -> bool {
    layout == 0 && use_ >= 8 || use_ == 0 || (layout * 5 + use_) % 11 == 4
}

#[test]
fn a_drive_that_shares_bytes_with_a_device_in_use_is_refused_whatever_is_between() {
    if !bench() {
        return;
    }
    let all = size(false, true);
    for (l, (layout, build)) in LAYOUTS.iter().enumerate() {
        for (u, (what, use_, says)) in USES.iter().enumerate() {
            if all || is_of_every_day(l, u) {
                let built = build(Loop::new());
                let (situation, drive) = (format!("{layout}: {what}"), built.drive());
                let used = use_(&built);
                refused(&situation, &built.disk, &drive, says);
                drop(used);
                passed(&format!("{situation}, no longer"), &built.disk, &built.drive());
            }
        }
    }
    // A filesystem that needs more room.
    for (layout, build) in LAYOUTS.iter().take(if all { LAYOUTS.len() } else { 1 }) {
        let built = build(Loop::blank(512));
        let drive = built.drive();
        let _used = mount_of("xfs", "rw", &built);
        refused(&format!("{layout}: mounted (xfs)"), &built.disk, &drive, "is mounted on");
    }
}

/// The first layouts in which the file below all is the disk's.
const FILE_LAYOUTS: usize = 3;

/// Uses of the file under the device, and the message.
const FILE_USES: &[(&str, &str, &str)] = &[
    ("open for writing", "f = os.open(d, os.O_RDWR)", "open for writing"),
    ("open to append", "f = os.open(d, os.O_WRONLY | os.O_APPEND)", "open for writing"),
    ("mapped", MAPPED, "open for writing"),
    ("mapped for reading, opened for writing", MAPPED_FOR_READING, "open for writing"),
    ("its first thread has ended", HEADLESS, "open for writing"),
    ("in a table of one thread", OWN_TABLE, "open for writing"),
    (
        "locked with flock",
        "f = os.open(d, os.O_RDONLY); fcntl.flock(f, fcntl.LOCK_SH)",
        "has locked",
    ),
    (
        "locked by fcntl, as a machine's image is",
        "f = os.open(d, os.O_RDWR); fcntl.lockf(f, fcntl.LOCK_EX)",
        "the file under it",
    ),
    (
        "locked by an open file description",
        "import struct; f = os.open(d, os.O_RDONLY); \
         fcntl.fcntl(f, 37, struct.pack('hhqqi4x', 0, 0, 0, 0, 0))",
        "has locked",
    ),
];

#[test]
fn a_backing_file_that_a_process_writes_or_has_locked_is_refused_with_its_name() {
    if !bench() {
        return;
    }
    let all = size(false, true);
    for (l, (layout, build)) in LAYOUTS.iter().take(FILE_LAYOUTS).enumerate() {
        for (u, (what, script, says)) in FILE_USES.iter().enumerate() {
            if !all && l > 0 && (l + u) % 5 != 0 {
                continue;
            }
            let built = build(Loop::new());
            let other = Other::doing(script, &built.disk.file);
            let (situation, drive) = (format!("{layout}, the file: {what}"), built.drive());
            refused(&situation, &built.disk, &drive, says);
            refused(&situation, &built.disk, &drive, &format!("process {}", other.id()));
            drop(other);
            passed(&format!("{situation}, no longer"), &built.disk, &built.drive());
        }
    }
}

/// Filesystems under the backing file, each with its tool. The numbers of devices and inodes that
/// the kernel gives of a file on btrfs differ between its interfaces.
const FILESYSTEMS: &[(&str, &str, &[&str])] = &[
    ("ext4", "mkfs.ext4", &["-q", "-F"]),
    ("xfs", "mkfs.xfs", &["-q", "-f"]),
    ("btrfs", "mkfs.btrfs", &["-q", "-f"]),
    ("a subvolume of btrfs", "mkfs.btrfs", &["-q", "-f"]),
];

#[test]
fn a_backing_file_that_is_in_use_is_found_on_every_filesystem() {
    if !bench() {
        return;
    }
    let all = size(false, true);
    for (kind, mkfs, options) in FILESYSTEMS {
        if !have(&[mkfs]) {
            continue;
        }
        let lower = Loop::blank(512);
        must(mkfs, &[options, &[lower.path()][..]].concat());
        let point = lower.folder.path().join("mnt");
        fs::create_dir(&point).unwrap();
        let kernel = mkfs.trim_start_matches("mkfs.");
        if !fs::read_to_string("/proc/filesystems").unwrap().contains(&format!("\t{kernel}\n")) {
            skip(format!("the kernel has no {kernel}"));
            continue;
        }
        mounted(&[lower.path(), point.to_str().unwrap()]);
        let mut folder = point.clone();
        if kind.starts_with("a subvolume") {
            folder.push("part");
            must("btrfs", &["-q", "subvolume", "create", folder.to_str().unwrap()]);
        }
        let file = folder.join("image");
        fs::write(&file, vec![0x5a; 16 << 20]).unwrap();
        {
            let upper = Loop { device: attach(&file), folder: tempdir().unwrap(), file };
            for (u, (what, script, says)) in FILE_USES.iter().enumerate() {
                if !all && u % 3 != 0 {
                    continue;
                }
                let other = Other::doing(script, &upper.file);
                let situation = format!("on {kind}: {what}");
                refused(&situation, &upper, &upper.drive(), says);
                drop(other);
                passed(&format!("{situation}, no longer"), &upper, &upper.drive());
            }
            let beside = attach(&upper.file);
            must("mkfs.ext4", &["-q", "-F", beside.to_str().unwrap()]);
            let inner = upper.folder.path().join("mnt");
            fs::create_dir(&inner).unwrap();
            mounted(&["-o", "ro,noload", beside.to_str().unwrap(), inner.to_str().unwrap()]);
            let mount = Mount(inner);
            let own = Drive { erase_signatures: vec!["ext4".into()], ..upper.drive() };
            refused(&format!("on {kind}: mounted beside it"), &upper, &own, "is mounted on");
            drop(mount);
            let named = Drive { erase_signatures: vec![kernel.into()], ..lower.drive() };
            refused(&format!("{kind} with such a file"), &lower, &named, "is mounted on");
        }
        until("the filesystem to be free", 60, || ran("umount", &[point.to_str().unwrap()]));
    }
}

/// Ordinary situations, in which nothing else can write the drive's bytes.
const FREE: &[(&str, fn(Loop) -> (Built, Option<Use>))] = &[
    ("a file on a filesystem in use", |disk| {
        let used = disk.file.clone();
        (built(disk, Vec::new(), &used), None)
    }),
    ("a device on a device that nothing uses", |disk| {
        let (upper, used) = (attach(&disk.device), disk.file.clone());
        (built(disk, vec![upper], &used), None)
    }),
    ("another device on the same file, which nothing uses", |disk| {
        let (other, used) = (attach(&disk.file), disk.file.clone());
        (built(disk, vec![other], &used), None)
    }),
    ("the other half of the file is mounted", |disk| {
        let (own, file) = (part(&disk.file, 0, 8), disk.file.clone());
        let other = part(&file, 8, 8);
        let at = other.to_path_buf();
        // The disk itself is over all of it.
        let disk = Loop { device: other, ..disk };
        let built = built(disk, vec![own], &at);
        let used = mount_of("ext4", "ro,noload", &built);
        (built, Some(used))
    }),
    ("the file is open for reading", |disk| {
        let used = disk.file.clone();
        let built = built(disk, Vec::new(), &used);
        let used = process("f = os.open(d, os.O_RDONLY)", &built);
        (built, Some(used))
    }),
    ("the file is mapped for reading", |disk| {
        let used = disk.file.clone();
        let built = built(disk, Vec::new(), &used);
        let script = "f = os.open(d, os.O_RDONLY); m = mmap.mmap(f, 4096, prot=mmap.PROT_READ)";
        let used = process(script, &built);
        (built, Some(used))
    }),
    ("the device is known by a descriptor that cannot write (O_PATH)", |disk| {
        let used = disk.device.to_path_buf();
        let built = built(disk, Vec::new(), &used);
        let used = process("f = os.open(d, os.O_PATH | os.O_RDWR)", &built);
        (built, Some(used))
    }),
    ("a file beside it is written to and locked", |disk| {
        let used = disk.folder.path().join("other");
        fs::write(&used, [0; 4096]).unwrap();
        let built = built(disk, Vec::new(), &used);
        let script = "f = os.open(d, os.O_RDWR); fcntl.flock(f, fcntl.LOCK_EX)";
        let used = process(script, &built);
        (built, Some(used))
    }),
    ("a private mapping, whose writes stay with the process", |disk| {
        let used = disk.device.to_path_buf();
        let built = built(disk, Vec::new(), &used);
        let script = "f = os.open(d, os.O_RDONLY); m = mmap.mmap(f, 4096, mmap.MAP_PRIVATE, \
                      mmap.PROT_READ | mmap.PROT_WRITE)";
        let used = process(script, &built);
        (built, Some(used))
    }),
];

#[test]
fn a_drive_on_which_nothing_else_can_write_passes() {
    if !bench() {
        return;
    }
    for (situation, build) in FREE {
        let (built, used) = build(Loop::new());
        passed(situation, &built.disk, &built.drive());
        drop(used);
    }
}

#[test]
fn a_file_on_a_filesystem_on_another_loop_device_is_free_and_that_device_is_not() {
    if !bench() {
        return;
    }
    let lower = Loop::blank(64);
    must("mkfs.ext4", &["-q", "-F", lower.path()]);
    let point = lower.folder.path().join("mnt");
    fs::create_dir(&point).unwrap();
    mounted(&[lower.path(), point.to_str().unwrap()]);
    let file = point.join("image");
    fs::File::create(&file).unwrap().set_len(16 << 20).unwrap();
    {
        let upper = attach(&file);
        let own = drive(&upper, file.to_str().unwrap());
        guard::pass(&own, true).unwrap();
        let named = Drive { erase_signatures: vec!["ext4".into()], ..lower.drive() };
        refused("a filesystem with such a file", &lower, &named, "is mounted on");
        // A bundle beside the file is not on the drive; one on a filesystem on the drive is.
        assert!(!guard::holds(&own.place, &point).unwrap());
        assert!(guard::holds(&named.place, &point).unwrap());
    }
    until("the filesystem to be free", 60, || ran("umount", &[point.to_str().unwrap()]));
}

#[test]
fn the_disk_of_the_root_filesystem_is_refused_through_a_loop_device() {
    if !bench() {
        return;
    }
    let root = must("findmnt", &["-n", "-o", "SOURCE", "/"]);
    if !root.starts_with("/dev/") {
        return skip("the root filesystem is not on a block device here");
    }
    let Ok(upper) = LoopDevice::bound(&["--read-only"], Path::new(&root)) else {
        return skip("no loop device can be made over the root filesystem's disk here");
    };
    let place = DrivePlace::Device { path: upper.to_path_buf(), serial: root };
    let error = guard::pass(&Drive { place, ..drive(&upper, "") }, true).unwrap_err();
    let said = dyno::base::error::describe(&error).0;
    assert!(said.contains("the root filesystem lies on"), "{said}");
}

#[test]
fn a_bind_mount_of_the_directory_under_test_or_of_a_part_of_it_is_under_test() {
    if !bench() {
        return;
    }
    let room = Room::new("psync", false);
    fs::create_dir_all(room.at("drive/inner")).unwrap();
    for (from, to) in [("drive", "alias"), ("drive/inner", "alias-of-a-part")] {
        fs::create_dir(room.at(to)).unwrap();
        must("mount", &["--bind", room.at(from).to_str().unwrap(), room.at(to).to_str().unwrap()]);
        let (code, said) = room.run(&format!("{to}/a.dyno"));
        assert!(code == REFUSAL && said.contains("which is under test"), "{to}: {said}");
        // The other way round: the alias is under test.
        let place = DrivePlace::Directory(room.at(to));
        assert!(guard::holds(&place, &room.at(from)).unwrap(), "{to}");
        assert!(!guard::holds(&place, &room.at("theirs")).unwrap(), "{to}");
    }
    let parent = DrivePlace::Directory(room.at("alias-of-a-part"));
    assert!(!guard::holds(&parent, &room.at("drive")).unwrap(), "only a part is under test");
}

const LONG: &str = "title = \"T\"\nsource = \"t\"\n[dataset.file]\nengine = \"psync\"\n\
    size = \"256KiB\"\ndirect = false\n[[step]]\nname = \"long\"\nduration = \"60s\"\n\
    [[step.stream]]\nname = \"io\"\nengine = \"psync\"\n\
    workload = { kind = \"random\", read = 0, block = \"4KiB\" }\n";

#[test]
fn two_runs_at_once_do_not_share_a_file_by_two_loop_devices() {
    if !bench() {
        return;
    }
    let (room, disk) = (Room::with(LONG), Loop::blank(16));
    let plan = |name: &str, device: &Path| {
        let text = format!(
            "protocol = \"./protocol.toml\"\n[[subject]]\nname = \"A\"\n\
             drives = [{{ device = \"{}\", serial = \"{}\", erase = true }}]\n",
            device.display(),
            disk.file.display()
        );
        fs::write(room.at(name), text).unwrap();
    };
    let other = attach(&disk.file);
    plan("one.toml", &disk.device);
    plan("two.toml", &other);
    for (first, second) in [("one.toml", "two.toml"), ("two.toml", "one.toml")] {
        let mut command: Command = room.command(&["run", first, "--output", "a.dyno", "-q"]);
        let mut run = command.spawn().unwrap();
        let device = if first == "one.toml" { &other } else { &disk.device };
        until("the first run's lock on the other device", 60, || {
            !ran("flock", &["--nonblock", device.to_str().unwrap(), "true"])
        });
        let (code, said) = room.dyno(&["run", second, "--output", "b.dyno"]);
        run.kill().unwrap();
        run.wait().unwrap();
        assert_eq!(code, REFUSAL, "{said}");
        assert!(said.contains("is in use") && said.contains(&format!("{}", run.id())), "{said}");
        for bundle in ["a.dyno", "b.dyno", "a.dyno-journal", "b.dyno-journal"] {
            let _ = fs::remove_file(room.at(bundle));
        }
        must("blkdiscard", &["-f", device.to_str().unwrap()]);
    }
}
