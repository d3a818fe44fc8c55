//! Possible contents of a device, written by the owning tool, or as far as the signature.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

/// A signature: its name in libblkid, whether it is a member of something larger, and how it is
/// written to a disk.
pub struct Mark {
    pub kind: &'static str,
    pub member: bool,
    pub put: fn(&Path),
}

const fn mark(kind: &'static str, put: fn(&Path)) -> Mark {
    Mark { kind, member: false, put }
}

const fn member(kind: &'static str, put: fn(&Path)) -> Mark {
    Mark { kind, member: true, put }
}

pub static MARKS: &[Mark] = &[
    mark("ext4", |f| make("mkfs.ext4", &["-q", "-F"], f)),
    mark("ext3", |f| make("mkfs.ext4", &["-q", "-F", "-t", "ext3"], f)),
    mark("ext2", |f| make("mkfs.ext4", &["-q", "-F", "-t", "ext2"], f)),
    mark("swap", |f| make("mkswap", &["-f"], f)),
    mark("xfs", xfs),
    mark("dos", dos),
    mark("gpt", gpt),
    mark("iso9660", |f| put(f, &[(32768, b"\x01CD001\x01\0")])),
    mark("squashfs", |f| put(f, &[(0, b"hsqs"), (28, b"\x04\0\0\0")])),
    mark("jfs", |f| {
        put(
            f,
            &[
                (32768, b"JFS1\x01\0\0\0"),
                (32768 + 16, &[0, 16, 0, 0, 12, 0, 3, 0]),
                (32768 + 24, &[0, 2, 0, 0, 9]),
            ],
        )
    }),
    mark("reiserfs", |f| {
        put(f, &[(65536 + 52, b"ReIsEr2Fs"), (65536 + 44, &[0, 16]), (65536 + 12, &[18])])
    }),
    mark("romfs", |f| put(f, &[(0, b"-rom1fs-")])),
    member("LVM2_member", lvm),
    member("linux_raid_member", |f| {
        put(f, &[(4096, b"\xfc\x4e\x2b\xa9\x01\0\0\0"), (4096 + 144, &8u64.to_le_bytes())])
    }),
    member("crypto_LUKS", |f| put(f, &[(0, b"LUKS\xba\xbe\0\x01")])),
    member("zfs_member", zfs),
    member("bcache", bcache),
    member("ceph_bluestore", |f| put(f, &[(0, b"bluestore block device")])),
    member("VMFS_volume_member", |f| put(f, &[(1 << 20, b"\x0d\xd0\x01\xc0")])),
    member("swsuspend", |f| put(f, &[(4086, b"S1SUSPEND\0")])),
    member("oracleasm", |f| put(f, &[(32, b"ORCLDISK")])),
    member("vdo", |f| put(f, &[(0, b"dmvdo001")])),
    member("DM_snapshot_cow", |f| put(f, &[(0, b"SnAp\x01\0\0\0\x01\0\0\0\x10\0\0\0")])),
    member("jbd", |f| make("mkfs.ext4", &["-q", "-F", "-O", "journal_dev"], f)),
    mark("btrfs", |f| btrfs(f, 1)),
    member("btrfs of 2 devices", |f| btrfs(f, 2)),
];

fn make(program: &str, args: &[&str], file: &Path) {
    let output = Command::new(program)
        .args(args)
        .arg(file)
        .output()
        .unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
}

fn open(file: &Path) -> File {
    OpenOptions::new().read(true).write(true).open(file).unwrap()
}

fn put(file: &Path, pieces: &[(u64, &[u8])]) {
    let file = open(file);
    pieces.iter().for_each(|(at, bytes)| file.write_all_at(bytes, *at).unwrap());
}

/// zlib's CRC-32, used by GPT unchanged, and by LVM with another initial value and without the
/// final inversion.
fn crc32(start: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(start, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 }
        })
    })
}

/// The first superblock of a btrfs over this many devices, with its checksum (CRC-32C).
fn btrfs(file: &Path, devices: u64) {
    let mut block = vec![0; 4096];
    block[32..48].fill(7);
    block[64..72].copy_from_slice(b"_BHRfS_M");
    for (at, number) in [(48, 65536), (72, 7), (112, 16 << 20), (136, devices)] {
        block[at..at + 8].copy_from_slice(&u64::to_le_bytes(number));
    }
    for (at, number) in [(144, 4096), (148, 16384), (152, 16384), (156, 4096)] {
        block[at..at + 4].copy_from_slice(&u32::to_le_bytes(number));
    }
    let crc = block[32..].iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0x82F6_3B78 } else { crc >> 1 }
        })
    });
    block[..4].copy_from_slice(&u32::to_le_bytes(!crc));
    put(file, &[(65536, &block)]);
}

fn xfs(file: &Path) {
    let mut block = vec![0; 512];
    block[..4].copy_from_slice(b"XFSB");
    block[4..8].copy_from_slice(&4096u32.to_be_bytes());
    block[8..16].copy_from_slice(&4096u64.to_be_bytes());
    block[80..84].copy_from_slice(&1u32.to_be_bytes());
    block[84..88].copy_from_slice(&1024u32.to_be_bytes());
    block[88..92].copy_from_slice(&4u32.to_be_bytes());
    block[96..100].copy_from_slice(&64u32.to_be_bytes());
    block[100..102].copy_from_slice(&0xB4A4u16.to_be_bytes());
    block[102..104].copy_from_slice(&512u16.to_be_bytes());
    block[104..106].copy_from_slice(&512u16.to_be_bytes());
    block[106..108].copy_from_slice(&8u16.to_be_bytes());
    // The logarithms of block size, sector size, inode size, inodes per block, and blocks per
    // group; the share of inodes.
    block[120..125].copy_from_slice(&[12, 9, 9, 3, 10]);
    block[127] = 25;
    put(file, &[(0, &block)]);
}

/// A partition table with one Linux partition from the first mebibyte on.
pub fn dos(file: &Path) {
    let mut entry = vec![0, 0, 0, 0, 0x83, 0, 0, 0];
    entry.extend(2048u32.to_le_bytes());
    entry.extend(16384u32.to_le_bytes());
    put(file, &[(440, &[1, 2, 3, 4]), (446, &entry), (510, &[0x55, 0xAA])]);
}

fn gpt(file: &Path) {
    let last = open(file).metadata().unwrap().len() / 512 - 1;
    let entries = vec![0; 128 * 128];
    let mut header = vec![0; 92];
    header[..16].copy_from_slice(b"EFI PART\0\0\x01\0\x5c\0\0\0");
    header[24..32].copy_from_slice(&1u64.to_le_bytes());
    header[32..40].copy_from_slice(&last.to_le_bytes());
    header[40..48].copy_from_slice(&34u64.to_le_bytes());
    header[48..56].copy_from_slice(&(last - 33).to_le_bytes());
    header[56..72].copy_from_slice(&[7; 16]);
    header[72..80].copy_from_slice(&2u64.to_le_bytes());
    header[80..84].copy_from_slice(&128u32.to_le_bytes());
    header[84..88].copy_from_slice(&128u32.to_le_bytes());
    header[88..92].copy_from_slice(&(!crc32(!0, &entries)).to_le_bytes());
    let crc = !crc32(!0, &header);
    header[16..20].copy_from_slice(&crc.to_le_bytes());
    let mut entry = vec![0, 0, 2, 0, 0xEE, 0xff, 0xff, 0xff, 1, 0, 0, 0];
    entry.extend((last as u32).to_le_bytes());
    put(file, &[(446, &entry), (510, &[0x55, 0xAA]), (512, &header), (1024, &entries)]);
}

fn lvm(file: &Path) {
    put(file, &[(512, &lvm_label())]);
}

/// The label of a physical volume, at 512 bytes from its beginning.
pub fn lvm_label() -> Vec<u8> {
    let mut label = vec![0; 512];
    label[..8].copy_from_slice(b"LABELONE");
    label[8..16].copy_from_slice(&1u64.to_le_bytes());
    label[20..24].copy_from_slice(&32u32.to_le_bytes());
    label[24..32].copy_from_slice(b"LVM2 001");
    let crc = crc32(0xf597_a6cf, &label[20..]);
    label[16..20].copy_from_slice(&crc.to_le_bytes());
    label
}

fn zfs(file: &Path) {
    let file = open(file);
    for n in 0..8 {
        file.write_all_at(&0x00ba_b10cu64.to_le_bytes(), (128 + n) * 1024).unwrap();
    }
}

fn bcache(file: &Path) {
    let magic = b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81";
    put(file, &[(4096 + 8, &8u64.to_le_bytes()), (4096 + 24, magic)]);
}
