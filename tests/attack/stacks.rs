//! Drives under md, dm, LVM, nbd, bcache and NVMe multipath, in a machine whose kernel supports
//! them (`labs/stacks`): a drive that is part of anything is refused, and its checksum is
//! unchanged; once released, it is erased.

use std::path::Path;
use std::process::Command;

use crate::support::{DYNO, size, skip};

/// A situation of the lab, and the message; None if the drive is free and erased.
const STACKS: &[(&str, &str)] = &[
    ("free-drive", ""),
    ("md-raid1-1.2", "md0 holds it"),
    ("md-raid1-1.2-other-half", "md0 holds it"),
    ("loop-over-md", ""),
    ("loop-over-md-mounted", "is mounted on"),
    ("loop-over-half-of-md", "md0 holds"),
    ("md-raid1-1.2-stopped", "the signature of a member: linux_raid_member"),
    ("md-raid1-1.0", "md0 holds it"),
    ("md-raid1-1.0-other-half", "md0 holds it"),
    ("md-raid1-1.0-stopped", "the signature of a member: linux_raid_member"),
    ("md-raid1-0.90", "md0 holds it"),
    ("md-raid1-0.90-other-half", "md0 holds it"),
    ("md-raid1-0.90-stopped", "the signature of a member: linux_raid_member"),
    ("md-raid0-without-a-mark", "md0 holds it"),
    ("md-taken-apart", ""),
    ("dm-linear", "dm-0 holds it"),
    ("dm-two-storeys", "dm-0 holds it"),
    ("dm-linear-taken-apart", ""),
    ("dm-crypt", "dm-0 holds it"),
    ("dm-multipath", "dm-0 holds it"),
    ("partition-mounted", "is mounted on"),
    ("loop-over-disk-of-mounted-partition", "is mounted on"),
    ("loop-over-mounted-partition", "is mounted on"),
    ("partition-mounted-elsewhere", "open for itself"),
    ("partition-as-swap", "is in use as swap"),
    ("partition-of-a-disk-open-for-writing", "has it open for writing"),
    ("dm-over-a-partition", "dm-0 holds it"),
    ("dm-over-a-partition-taken-apart", ""),
    ("dm-snapshot-origin", "dm-0 holds it"),
    ("dm-snapshot-store", "dm-0 holds it"),
    ("dm-over-nvme-multipath", "dm-0 holds it"),
    ("nvme-multipath-taken-apart", ""),
    ("lvm-physical-volume", "the signature of a member: LVM2_member"),
    ("lvm-volume", "dm-0 holds it"),
    ("loop-over-lvm-volume", ""),
    ("loop-over-mounted-lvm-volume", "is mounted on"),
    ("loop-over-lvm-physical-volume", "dm-0 holds"),
    ("lvm-deactivated", "the signature of a member: LVM2_member"),
    ("nbd-served-drive", "has it open for writing"),
    ("nbd-clients-device", "serial number"),
    ("nbd-under-dm", "serial number"),
    ("nbd-taken-apart", ""),
    ("nbd-over-a-file-on-the-drive", "is mounted on"),
    ("bcache-backing-unregistered", "the signature of a member: bcache"),
    ("bcache-cache-unregistered", "the signature of a member: bcache"),
    ("bcache-backing", "bcache0 holds it"),
    ("bcache-cache", "bcache"),
    ("bcache-backing-without-its-mark", "bcache0 holds it"),
    ("bcache-cache-without-its-mark", "bcache"),
];

/// Those omitted from everyday runs, because they are similar to others.
const RARE: &[&str] = &[
    "loop-over-md",
    "loop-over-half-of-md",
    "loop-over-disk-of-mounted-partition",
    "loop-over-mounted-partition",
    "partition-of-a-disk-open-for-writing",
    "loop-over-lvm-volume",
    "loop-over-lvm-physical-volume",
    "md-raid1-1.2-other-half",
    "md-raid1-1.0",
    "md-raid1-1.0-other-half",
    "md-raid1-1.0-stopped",
    "md-raid1-0.90",
    "md-raid1-0.90-other-half",
    "md-raid1-0.90-stopped",
    "md-raid0-without-a-mark",
    "md-taken-apart",
    "dm-two-storeys",
    "dm-linear-taken-apart",
    "dm-crypt",
    "dm-multipath",
    "dm-over-a-partition",
    "dm-over-a-partition-taken-apart",
    "dm-snapshot-origin",
    "dm-snapshot-store",
    "nvme-multipath-taken-apart",
    "lvm-physical-volume",
    "lvm-deactivated",
    "nbd-clients-device",
    "nbd-under-dm",
    "nbd-taken-apart",
    "nbd-over-a-file-on-the-drive",
    "bcache-backing-unregistered",
    "bcache-cache-unregistered",
    "bcache-backing",
    "bcache-cache",
    "bcache-cache-without-its-mark",
];

/// Only in soaks.
pub const CASES: usize = STACKS.len();

#[test]
fn in_qemu_what_is_part_of_a_stack_is_refused_and_not_a_byte_of_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("labs/stacks");
    let many = size(STACKS.len() - RARE.len(), STACKS.len());
    let short = if many < STACKS.len() { &["--short"][..] } else { &[] };
    let stacks = STACKS.iter().filter(|(name, _)| short.is_empty() || !RARE.contains(name));
    let mut lab = Command::new(script);
    let output = lab.args(["--dyno", DYNO, "--out"]).arg(folder.path()).args(short).output();
    let output = match output {
        Ok(output) if output.status.code() == Some(77) => {
            return skip(String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(output) => output,
        Err(error) => return skip(format!("labs/stacks cannot be started: {error}")),
    };
    let log = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{log}");
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let ended: Vec<String> = text("stacks.csv").lines().map(str::to_string).collect();
    let expected = |(name, says): &(&str, &str)| {
        format!("{name},{}", if says.is_empty() { "0,changed" } else { "3,same" })
    };
    assert_eq!(ended, stacks.clone().map(expected).collect::<Vec<_>>(), "{log}");
    assert_eq!(ended.len(), many);
    for (name, says) in stacks {
        let said = text(&format!("{name}.txt"));
        assert!(said.contains(says), "{name}: '{says}' is not in: {said}");
    }
}
