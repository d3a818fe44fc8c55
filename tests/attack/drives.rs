//! Drives: situations on loop devices in which a run must be refused, and some in which it must
//! not. The device's checksums before and after are compared in every one.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use dyno::base::error::{describe, exit, exit_code};
use dyno::lab::drive::shared;
use dyno::lab::guard;
use dyno::plan::{Drive, Subject};

use crate::bench::{Loop, MIB, attach, bench, drive, mounted, must};
use crate::marks::{self, MARKS};
use crate::support::skip;

/// The situations below, without those of each signature.
pub const CASES: usize = 55;

/// Refused for reason `why`, with a remedy, and without changing a byte.
#[track_caller]
pub fn refused(situation: &str, disk: &Loop, drive: &Drive, why: &str) {
    ends_with(exit::REFUSED, situation, disk, drive, why);
}

#[track_caller]
fn ends_with(code: u8, situation: &str, disk: &Loop, drive: &Drive, why: &str) {
    let before = disk.checksum();
    let error = guard::pass(drive, true).expect_err(situation);
    let (said, remedies) = describe(&error);
    assert!(said.contains(why), "{situation}: '{why}' is not in: {said}");
    assert_eq!(exit_code(&error), code, "{situation}: {said}");
    assert!(!remedies.is_empty(), "{situation}: no remedy");
    assert_eq!(before, disk.checksum(), "{situation}: the device changed");
}

#[track_caller]
pub fn passed(situation: &str, disk: &Loop, drive: &Drive) {
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
    refused(
        "not to be erased",
        &disk,
        &Drive { erase: false, ..disk.drive() },
        "does not say that it may be erased",
    );
    ends_with(
        exit::FAILED,
        "a regular file",
        &disk,
        &drive(&disk.file, own),
        "is not a block device",
    );
    ends_with(
        exit::FAILED,
        "a character device",
        &disk,
        &drive(Path::new("/dev/zero"), own),
        "is not a block device",
    );
    ends_with(
        exit::FAILED,
        "a folder",
        &disk,
        &drive(disk.folder.path(), own),
        "is not a block device",
    );
    ends_with(
        exit::FAILED,
        "a path that is gone",
        &disk,
        &drive(&disk.folder.path().join("gone"), own),
        "No such file",
    );
    let dangling = disk.folder.path().join("dangling");
    symlink("/dev/no-such-device", &dangling).unwrap();
    ends_with(exit::FAILED, "a dangling link", &disk, &drive(&dangling, own), "No such file");
}

#[test]
fn whatever_is_written_on_a_device_is_refused_until_erase_names_it() {
    if !bench() {
        return;
    }
    for mark in MARKS {
        // A pool's member has at least 64 MiB.
        let disk = Loop::sized(if mark.kind == "zfs_member" { 64 } else { 16 });
        (mark.put)(&disk.file);
        disk.refresh();
        refused(mark.kind, &disk, &disk.drive(), mark.kind);
        let other = Drive { erase_signatures: vec!["another".into()], ..disk.drive() };
        refused(mark.kind, &disk, &other, mark.kind);
        let named = Drive { erase_signatures: vec![mark.kind.into()], ..disk.drive() };
        match mark.member {
            true => refused(mark.kind, &disk, &named, "signature of a member"),
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
        mounted(&["-o", options, disk.path(), at]);
        refused(situation, &disk, &named, "is mounted on");
        must("umount", &[at]);
    }
    mounted(&["-o", "ro,noload", disk.path(), at]);
    must("mount", &["--bind", at, second.to_str().unwrap()]);
    must("umount", &[at]);
    refused("mounted only by a bind", &disk, &named, "is mounted on");
    assert!(
        guard::holds(&disk.drive().place, &second).unwrap(),
        "a bundle there would lie on the device"
    );
    must("umount", &[second.to_str().unwrap()]);
    passed("unmounted again", &disk, &named);

    must("mkswap", &["-f", disk.path()]);
    must("swapon", &[disk.path()]);
    let swap = Drive { erase_signatures: vec!["swap".into()], ..disk.drive() };
    refused("in use as swap", &disk, &swap, "in use as swap");
    must("swapoff", &[disk.path()]);

    let upper = attach(&disk.device);
    refused("under another loop device", &disk, &swap, "is on it");
    drop(upper);

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
    disk.device.rebind(&["--partscan"], &disk.file);
    let part = PathBuf::from(format!("{}p1", disk.path()));
    if !part.exists() {
        skip(
            "this kernel makes no partitions of loop devices (labs/stacks has a kernel that does)",
        );
        return;
    }
    must("mkfs.ext4", &["-q", "-F", part.to_str().unwrap()]);
    let table = Drive { erase_signatures: vec!["dos".into()], ..disk.drive() };
    refused("a filesystem in a partition", &disk, &table, "ext4");
    let all = Drive { erase_signatures: vec!["dos".into(), "ext4".into()], ..disk.drive() };
    passed("table and filesystem named", &disk, &all);
    let place = disk.folder.path().join("mnt");
    fs::create_dir(&place).unwrap();
    mounted(&["-o", "ro,noload", part.to_str().unwrap(), place.to_str().unwrap()]);
    refused("a partition mounted", &disk, &all, "is mounted on");
    must("umount", &[place.to_str().unwrap()]);
}

/// The contents of the partition that `marks::dos` makes, where the kernel has no device for it;
/// and the kind that a plan must name, or a part of the message if none can be.
const IN_A_PARTITION: &[(&str, fn(&Path), &str, bool)] = &[
    ("a physical volume", |f| write_at(f, MIB + 512, &marks::lvm_label()), "LVM2_member", true),
    ("part of Oracle ASM", |f| write_at(f, MIB + 32, b"ORCLDISK"), "oracleasm", true),
    ("a hibernated system", |f| write_at(f, MIB + 4086, b"S1SUSPEND\0"), "swsuspend", true),
    ("a filesystem", |f| write_at(f, MIB, b"hsqs\0\0\0\0"), "squashfs", false),
];

fn write_at(file: &Path, at: u64, bytes: &[u8]) {
    // SquashFS has its version behind its mark.
    let file = File::options().write(true).open(file).unwrap();
    file.write_all_at(bytes, at).unwrap();
    if bytes.starts_with(b"hsqs") {
        file.write_all_at(b"\x04\0\0\0", at + 28).unwrap();
    }
}

#[test]
fn what_is_in_a_partition_without_a_device_is_asked_for_too() {
    if !bench() {
        return;
    }
    for (situation, put, kind, member) in IN_A_PARTITION {
        let disk = Loop::new();
        marks::dos(&disk.file);
        put(&disk.file);
        disk.refresh();
        let table = Drive { erase_signatures: vec!["dos".into()], ..disk.drive() };
        refused(situation, &disk, &table, kind);
        let named = Drive { erase_signatures: vec!["dos".into(), (*kind).into()], ..disk.drive() };
        match member {
            true => refused(situation, &disk, &named, "signature of a member"),
            false => passed(situation, &disk, &named),
        }
    }
}

#[test]
fn a_drive_changed_between_the_check_and_the_write_is_not_written_to() {
    if !bench() {
        return;
    }
    let (meant, other) = (Loop::new(), Loop::new());
    let serial = meant.file.to_str().unwrap();
    let open = |path: &Path| OpenOptions::new().read(true).write(true).open(path).unwrap();

    // A link whose target has changed.
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
    let taken = meant.device.to_path_buf();
    passed("before it is renumbered", &meant, &meant.drive());
    meant.device.rebind(&[], &other.file);
    assert!(
        guard::verify(&open(&taken), &taken, serial).is_err(),
        "the number is another drive's by now"
    );
    refused("renumbered", &other, &drive(&taken, serial), "serial number");
    drop(meant.device);
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
    let subject = |name: &str, drive: Drive| Subject {
        name: name.into(),
        drives: vec![drive],
        ..Subject::default()
    };
    let serial = disk.file.to_str().unwrap();
    for other in [disk.drive(), drive(&link, serial)] {
        let error = shared::apart(&[subject("A", disk.drive()), subject("B", other)], "dyno-data")
            .unwrap_err();
        assert!(describe(&error).0.contains("share a physical device"), "{error:?}");
    }
}

/// The contents of a device without a signature, and their position.
const UNSIGNED: &[(&str, u64, &[u8])] = &[
    ("the first byte", 0, &[1]),
    ("a byte of the first MiB", 700_001, &[0x80]),
    ("the last byte", 136 * MIB - 1, &[7]),
    ("ext4's backup superblock, its first one gone", 128 * MIB + 56, &[0x53, 0xEF]),
    ("a backup superblock of 1 KiB blocks", (8193 << 10) + 56, &[0x53, 0xEF]),
    ("a raw tar archive", 0, b"letters/\0\0\0\0"),
];

#[test]
fn data_of_no_known_kind_needs_a_word_of_its_own() {
    if !bench() {
        return;
    }
    let without = |disk: &Loop| Drive { erase_signatures: Vec::new(), ..disk.drive() };
    let zeros = Loop::blank(136);
    passed("all zeros", &zeros, &without(&zeros));
    for (situation, at, bytes) in UNSIGNED {
        let disk = Loop::blank(136);
        File::options().write(true).open(&disk.file).unwrap().write_all_at(bytes, *at).unwrap();
        disk.refresh();
        refused(situation, &disk, &without(&disk), "of an unknown kind");
        let other = Drive { erase_signatures: vec!["xfs".into()], ..disk.drive() };
        refused(situation, &disk, &other, "of an unknown kind");
        passed(situation, &disk, &disk.drive());
    }
    // Random data from end to end, like plain dm-crypt.
    let disk = Loop::sized(32);
    refused("an encrypted disk without a header", &disk, &without(&disk), "of an unknown kind");
    must("blkdiscard", &[disk.path()]);
    passed("the same, trimmed", &disk, &without(&disk));
}
