//! No byte is lost: situations on loop devices in which a run must be refused, and two in which it must not. The
//! device's checksum before and after is compared in every one. Needs root and loop devices; says so where they are
//! missing, which counts as not shown.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::marks::{self, MARKS};
use crate::support::skip;
use dyno::base::error::describe;
use dyno::lab::{guard, shared};
use dyno::plan::{Drive, Place, Subject};

const MIB: u64 = 1 << 20;

/// A loop device over a sparse file, gone when dropped.
struct Loop {
    folder: tempfile::TempDir,
    file: PathBuf,
    device: PathBuf,
}

fn ran(program: &str, args: &[&str]) -> bool {
    let output = Command::new(program).args(args).output();
    output.is_ok_and(|o| o.status.success())
}

#[track_caller]
fn must(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(output.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

impl Loop {
    fn new() -> Loop {
        Loop::sized(16)
    }

    fn sized(mib: u64) -> Loop {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        // Not zeros, so that an overwrite with zeros shows; nothing that any signature is mistaken for.
        let byte_of = |i: usize| if i % 4096 < 3584 { 0 } else { (i / 4096 % 200) as u8 };
        fs::write(&file, (0..(mib * MIB) as usize).map(byte_of).collect::<Vec<u8>>()).unwrap();
        let device = attach(&file);
        Loop { folder, file, device }
    }

    fn path(&self) -> &str {
        self.device.to_str().unwrap()
    }

    fn drive(&self) -> Drive {
        drive(&self.device, self.file.to_str().unwrap())
    }

    fn checksum(&self) -> u64 {
        must("sync", &["-f", self.file.to_str().unwrap()]);
        let (mut hash, mut bytes) = (DefaultHasher::new(), Vec::new());
        File::open(&self.file).unwrap().read_to_end(&mut bytes).unwrap();
        hash.write(&bytes);
        hash.finish()
    }

    fn refresh(&self) {
        must("blockdev", &["--flushbufs", self.path()]);
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        ran("losetup", &["-d", self.path()]);
    }
}

fn attach(file: &Path) -> PathBuf {
    PathBuf::from(must("losetup", &["--find", "--show", file.to_str().unwrap()]))
}

fn drive(device: &Path, serial: &str) -> Drive {
    let place = Place::Device { path: device.into(), serial: serial.into() };
    Drive { place, erase: true, erase_signatures: Vec::new(), namespaces: Vec::new() }
}

/// Whether this machine can show anything; said aloud where it cannot.
fn bench() -> bool {
    let root = must("id", &["-u"]) == "0";
    let tools = ["losetup", "wipefs", "mkfs.ext4", "mkswap", "blockdev"];
    let missing: Vec<_> = tools.iter().filter(|t| !ran("which", &[t])).collect();
    if root && Path::new("/dev/loop-control").exists() && missing.is_empty() {
        return true;
    }
    skip(format!("the guard's table needs root, loop devices and {tools:?} (missing: {missing:?})"));
    false
}

/// Refused because of `why`, with a remedy, and not a byte changed.
#[track_caller]
fn refused(situation: &str, disk: &Loop, drive: &Drive, why: &str) {
    let before = disk.checksum();
    let error = guard::pass(drive, true).expect_err(situation);
    let (said, remedies) = describe(&error);
    assert!(said.contains(why), "{situation}: '{why}' is not in: {said}");
    assert!(!remedies.is_empty(), "{situation}: no remedy");
    assert_eq!(before, disk.checksum(), "{situation}: the device changed");
}

#[track_caller]
fn passed(situation: &str, disk: &Loop, drive: &Drive) {
    let before = disk.checksum();
    if let Err(error) = guard::pass(drive, true) {
        panic!("{situation}: {:?}", describe(&error));
    }
    assert_eq!(before, disk.checksum(), "{situation}: asking changed the device");
}

#[test]
fn a_blank_device_named_properly_passes_and_every_slip_in_the_name_is_refused() {
    if !bench() {
        return;
    }
    let disk = Loop::new();
    let own = disk.file.to_str().unwrap();
    passed("blank, named, to be erased", &disk, &disk.drive());
    for (situation, serial) in [
        ("no serial", String::new()),
        ("a blank serial", "   ".into()),
        ("another serial", "S123".into()),
        ("the serial's beginning", own[..own.len() - 1].into()),
        ("more than the serial", format!("{own}1")),
        ("the device's name as its serial", disk.path().into()),
    ] {
        refused(situation, &disk, &drive(&disk.device, &serial), "serial number");
    }
    refused("not to be erased", &disk, &Drive { erase: false, ..disk.drive() }, "does not say that it may be erased");
    refused("a regular file", &disk, &drive(&disk.file, own), "is not a block device");
    refused("a character device", &disk, &drive(Path::new("/dev/zero"), own), "is not a block device");
    refused("a folder", &disk, &drive(disk.folder.path(), own), "is not a block device");
    refused("a path that is gone", &disk, &drive(&disk.folder.path().join("gone"), own), "No such file");
    let dangling = disk.folder.path().join("dangling");
    symlink("/dev/no-such-device", &dangling).unwrap();
    refused("a dangling link", &disk, &drive(&dangling, own), "No such file");
}

#[test]
fn whatever_is_written_on_a_device_is_refused_until_erase_names_it() {
    if !bench() {
        return;
    }
    for mark in MARKS {
        // A pool's member has 64 MiB at the least.
        let disk = Loop::sized(if mark.kind == "zfs_member" { 64 } else { 16 });
        (mark.put)(&disk.file);
        disk.refresh();
        refused(mark.kind, &disk, &disk.drive(), mark.kind);
        let other = Drive { erase_signatures: vec!["another".into()], ..disk.drive() };
        refused(mark.kind, &disk, &other, mark.kind);
        let named = Drive { erase_signatures: vec![mark.kind.into()], ..disk.drive() };
        match mark.member {
            true => refused(mark.kind, &disk, &named, "mark of a member"),
            false => passed(mark.kind, &disk, &named),
        }
    }
}

#[test]
fn what_anything_else_uses_is_refused_even_where_erase_names_its_filesystem() {
    if !bench() {
        return;
    }
    let disk = Loop::new();
    must("mkfs.ext4", &["-q", "-F", disk.path()]);
    let named = Drive { erase_signatures: vec!["ext4".into()], ..disk.drive() };
    passed("an ext4 that erase names", &disk, &named);
    let place = disk.folder.path().join("mnt");
    let second = disk.folder.path().join("second");
    [&place, &second].iter().for_each(|p| fs::create_dir(p).unwrap());
    let at = place.to_str().unwrap();
    for (situation, options) in [("mounted", "rw"), ("mounted read-only", "ro,noload")] {
        must("mount", &["-o", options, disk.path(), at]);
        refused(situation, &disk, &named, "is mounted on");
        must("umount", &[at]);
    }
    must("mount", &["-o", "ro,noload", disk.path(), at]);
    must("mount", &["--bind", at, second.to_str().unwrap()]);
    must("umount", &[at]);
    refused("mounted only by a bind", &disk, &named, "is mounted on");
    assert!(guard::holds(&disk.drive().place, &second).unwrap(), "a bundle there would lie on the device");
    must("umount", &[second.to_str().unwrap()]);
    passed("unmounted again", &disk, &named);

    must("mkswap", &["-f", disk.path()]);
    must("swapon", &[disk.path()]);
    let swap = Drive { erase_signatures: vec!["swap".into()], ..disk.drive() };
    refused("in use as swap", &disk, &swap, "in use as swap");
    must("swapoff", &[disk.path()]);

    let upper = attach(&disk.device);
    refused("under another loop device", &disk, &swap, "lies on it");
    must("losetup", &["-d", upper.to_str().unwrap()]);

    let held = OpenOptions::new().read(true).custom_flags(libc::O_EXCL).open(&disk.device).unwrap();
    refused("open elsewhere exclusively", &disk, &swap, "open for itself");
    drop(held);
    passed("let go", &disk, &swap);
}

#[test]
fn a_partition_in_use_keeps_its_whole_disk() {
    if !bench() {
        return;
    }
    let disk = Loop::new();
    marks::dos(&disk.file);
    must("losetup", &["-d", disk.path()]);
    must("losetup", &["--partscan", disk.path(), disk.file.to_str().unwrap()]);
    let part = PathBuf::from(format!("{}p1", disk.path()));
    if !part.exists() {
        skip("this kernel makes no partitions of loop devices");
        return;
    }
    must("mkfs.ext4", &["-q", "-F", part.to_str().unwrap()]);
    let table = Drive { erase_signatures: vec!["dos".into()], ..disk.drive() };
    refused("a filesystem in a partition", &disk, &table, "ext4");
    let all = Drive { erase_signatures: vec!["dos".into(), "ext4".into()], ..disk.drive() };
    passed("table and filesystem named", &disk, &all);
    let place = disk.folder.path().join("mnt");
    fs::create_dir(&place).unwrap();
    must("mount", &["-o", "ro,noload", part.to_str().unwrap(), place.to_str().unwrap()]);
    refused("a partition mounted", &disk, &all, "is mounted on");
    must("umount", &[place.to_str().unwrap()]);
}

#[test]
fn a_drive_changed_between_the_check_and_the_write_is_not_written_to() {
    if !bench() {
        return;
    }
    let (meant, other) = (Loop::new(), Loop::new());
    let serial = meant.file.to_str().unwrap();
    let open = |path: &Path| OpenOptions::new().read(true).write(true).open(path).unwrap();

    // A link that leads elsewhere by now.
    let link = meant.folder.path().join("link");
    symlink(&meant.device, &link).unwrap();
    passed("through a link", &meant, &drive(&link, serial));
    guard::verify(&open(&link), &link, serial).unwrap();
    fs::remove_file(&link).unwrap();
    symlink(&other.device, &link).unwrap();
    let before = other.checksum();
    assert!(guard::verify(&open(&link), &link, serial).is_err(), "the link leads to another drive");
    refused("a link turned round", &other, &drive(&link, serial), "serial number");
    assert_eq!(before, other.checksum());

    // The same number, another drive.
    let taken = meant.device.clone();
    passed("before it is renumbered", &meant, &meant.drive());
    must("losetup", &["-d", meant.path()]);
    must("losetup", &[taken.to_str().unwrap(), other.file.to_str().unwrap()]);
    assert!(guard::verify(&open(&taken), &taken, serial).is_err(), "the number is another drive's by now");
    refused("renumbered", &other, &drive(&taken, serial), "serial number");
    must("losetup", &["-d", taken.to_str().unwrap()]);
    assert!(guard::pass(&drive(&taken, serial), true).is_err(), "detached");
}

#[test]
fn two_subjects_do_not_share_a_drive() {
    if !bench() {
        return;
    }
    let disk = Loop::new();
    let link = disk.folder.path().join("link");
    symlink(&disk.device, &link).unwrap();
    let subject = |name: &str, drive: Drive| Subject { name: name.into(), drives: vec![drive], ..Subject::default() };
    let serial = disk.file.to_str().unwrap();
    for other in [disk.drive(), drive(&link, serial)] {
        let error = shared::apart(&[subject("A", disk.drive()), subject("B", other)], "dyno-data").unwrap_err();
        assert!(describe(&error).0.contains("share a physical device"), "{error:?}");
    }
}
