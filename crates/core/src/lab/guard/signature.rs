//! The contents of a device: filesystems, partition tables, members of volume groups. Uses
//! libblkid: `wipefs --no-act` lists every signature, also overlapping ones, and writes nothing;
//! `partx` and `blkid` find those in partitions for which the kernel has no device.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::process::{Command, Output, Stdio};

use serde::Deserialize;

use crate::base::error::{Context, Error, Result, failed};

/// Signatures of members of something larger. `erase` cannot permit them, because the rest would be
/// broken.
const MEMBERS: &[(&str, &str)] = &[
    ("LVM", "take it out of its volume group with `vgreduce` and `pvremove` first"),
    ("raid", "stop the array and `mdadm --zero-superblock` it first"),
    ("zfs_member", "take it out of its pool with `zpool` and `zpool labelclear` it first"),
    ("bcache", "unregister it from bcache and `wipefs` it first"),
    ("crypto_LUKS", "close it and `cryptsetup erase` it first"),
    ("drbd", "take it out of DRBD and `wipefs` it first"),
    ("ceph_bluestore", "take it out of Ceph and `wipefs` it first"),
    ("stratis", "take it out of its pool first"),
    ("VMFS_volume_member", "take it out of its datastore first"),
    (
        DEVICES,
        "take it out of its filesystem with `btrfs device remove`, or `wipefs` all of them first",
    ),
    ("oracleasm", "drop it from its disk group and `oracleasm deletedisk` it first"),
    ("vdo", "remove its volume with `lvremove` or `vdo remove` first"),
    ("DM_", "remove the device-mapper device that it belongs to, and `wipefs` it first"),
    ("swsuspend", "resume the system that hibernated to it, or `mkswap` it first"),
    ("jbd", "take the journal from its filesystem with `tune2fs -O ^has_journal` first"),
    ("xfs_external_log", "it is the log of an XFS on another device; `wipefs` both first"),
    (SEVERAL, "look at it with `wipefs`, and remove what does not belong there"),
];

/// A filesystem with more than one device.
const DEVICES: &str = "devices";

/// Contents with signatures of several kinds.
const SEVERAL: &str = "contradicting signatures";

/// Kinds of partition tables.
const TABLES: &[&str] = &["dos", "gpt", "PMBR", "mac", "bsd", "sun", "sgi", "solaris_x86"];

/// Superblocks of filesystems over several devices: their kind, the position of the number of
/// devices, and its length in bytes.
const OVER_DEVICES: &[(&str, u64, usize)] =
    &[("btrfs", 0x10000 + 136, 8), ("bcachefs", 4096 + 123, 1)];

#[derive(Deserialize)]
struct Listing {
    #[serde(default)]
    signatures: Vec<Signature>,
}

#[derive(Deserialize)]
struct Signature {
    #[serde(rename = "type")]
    kind: String,
}

/// The kinds of all signatures on an open device: "xfs", "gpt", "LVM2_member".
pub fn on(device: &File) -> Result<Vec<String>> {
    let output = util_linux("wipefs", &["--no-act", "--json", "/proc/self/fd/0"], device)?;
    if !output.status.success() {
        return Err(unknown(&String::from_utf8_lossy(&output.stderr)));
    }
    if output.stdout.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let listing: Listing =
        serde_json::from_slice(&output.stdout).map_err(|error| unknown(&error.to_string()))?;
    let mut kinds: Vec<String> = listing.signatures.into_iter().map(|s| s.kind).collect();
    kinds.dedup();
    // A GPT has a protective MBR: naming one includes the other.
    if kinds.iter().any(|kind| kind == "gpt") {
        kinds.retain(|kind| kind != "PMBR");
    }
    kinds.iter_mut().for_each(|kind| count_devices(kind, device, 0));
    Ok(kinds)
}

/// One device of several is a member: "btrfs of 2 devices".
fn count_devices(kind: &mut String, device: &File, from: u64) {
    let Some((_, at, length)) = OVER_DEVICES.iter().find(|(name, ..)| name == kind) else { return };
    let mut number = [0; 8];
    if device.read_exact_at(&mut number[..*length], from + at).is_ok() {
        let count = u64::from_le_bytes(number);
        if count > 1 {
            *kind = format!("{kind} of {count} {DEVICES}");
        }
    }
}

/// Whether a signature is a partition table's.
pub fn is_table(kind: &str) -> bool {
    TABLES.contains(&kind)
}

/// A partition in the device's own table: its start and length in bytes.
pub struct TablePartition {
    pub start: u64,
    pub bytes: u64,
}

/// The partitions in the tables on an open device, whether the kernel has devices for them or not.
pub fn partitions(device: &File) -> Result<Vec<TablePartition>> {
    let arguments = ["--raw", "--noheadings", "--output", "START,SECTORS", "/proc/self/fd/0"];
    let output = util_linux("partx", &arguments, device)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let partition = |line: &str| {
        let (start, sectors) = line.trim().split_once(' ')?;
        let bytes = |sectors: &str| Some(sectors.trim().parse::<u64>().ok()? * 512);
        Some(TablePartition { start: bytes(start)?, bytes: bytes(sectors)? })
    };
    // Without a table it reports an error.
    Ok(text.lines().filter_map(partition).collect())
}

/// The kind of the contents of a part of an open device, if it has a signature.
pub fn within(device: &File, part: &TablePartition) -> Result<Option<String>> {
    let (start, bytes) = (part.start.to_string(), part.bytes.to_string());
    let arguments = ["--probe", "--offset", &start, "--size", &bytes];
    let arguments = [&arguments[..], &["--output", "export", "/proc/self/fd/0"]].concat();
    let output = util_linux("blkid", &arguments, device)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let value = |name: &str| text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix('='));
    match output.status.code() {
        Some(0) => {
            let kind = value("TYPE").or_else(|| value("PTTYPE")).map(str::to_string);
            Ok(kind.map(|mut kind| {
                count_devices(&mut kind, device, part.start);
                kind
            }))
        }
        // Nothing was found.
        Some(2) => Ok(None),
        Some(8) => Ok(Some(SEVERAL.to_string())),
        _ => Err(unknown(&String::from_utf8_lossy(&output.stderr))),
    }
}

/// Runs a tool on an open device as its standard input, so that this device is examined, whatever
/// its path refers to by now.
fn util_linux(program: &str, arguments: &[&str], device: &File) -> Result<Output> {
    let input = device.try_clone().context("examining the contents of the device")?;
    let ran = Command::new(program)
        .args(arguments)
        .env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin")
        .stdin(Stdio::from(input))
        .output();
    ran.map_err(|error| unknown(&format!("{program}: {error}")))
}

fn unknown(why: &str) -> Error {
    failed(
        format!("its contents cannot be determined: {}", why.trim()),
        "install util-linux (wipefs, partx, blkid)",
    )
}

/// The remedy for a member, which is never erased.
pub fn member_remedy(kind: &str) -> Option<&'static str> {
    MEMBERS.iter().find(|(mark, _)| kind.contains(mark)).map(|(_, remedy)| *remedy)
}
