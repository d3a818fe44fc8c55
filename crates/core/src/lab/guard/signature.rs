//! The contents of a device: filesystems, partition tables, members of volume groups. Uses
//! libblkid: `wipefs --no-act` lists every signature, also overlapping ones, and writes nothing.

use std::fs::File;
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::base::error::{Context, Result, failed};

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
];

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
    let input = device.try_clone().context("examining the contents of the device")?;
    // Through the descriptor, so that the open device is examined, whatever its path refers to by
    // now.
    let ran = Command::new("wipefs")
        .args(["--no-act", "--json", "/proc/self/fd/0"])
        .env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin")
        .stdin(Stdio::from(input))
        .output();
    let unknown = |why: String| {
        failed(format!("its contents cannot be determined: {why}"), "install util-linux (wipefs)")
    };
    let output = ran.map_err(|error| unknown(format!("wipefs: {error}")))?;
    if !output.status.success() {
        return Err(unknown(String::from_utf8_lossy(&output.stderr).trim().to_string()));
    }
    if output.stdout.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let listing: Listing =
        serde_json::from_slice(&output.stdout).map_err(|error| unknown(error.to_string()))?;
    let mut kinds: Vec<String> = listing.signatures.into_iter().map(|s| s.kind).collect();
    kinds.dedup();
    // A GPT has a protective MBR: naming one includes the other.
    if kinds.iter().any(|kind| kind == "gpt") {
        kinds.retain(|kind| kind != "PMBR");
    }
    Ok(kinds)
}

/// The remedy for a member, which is never erased.
pub fn member_remedy(kind: &str) -> Option<&'static str> {
    MEMBERS.iter().find(|(mark, _)| kind.contains(mark)).map(|(_, remedy)| *remedy)
}
