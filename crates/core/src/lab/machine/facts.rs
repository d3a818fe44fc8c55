//! Facts about the host and the devices of each subject, from /proc and /sys, for the disclosure.
//! Unreadable values are omitted, not guessed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::base::units;
use crate::lab::machine::host::{self, push, read};
use crate::lab::nvme;
use crate::plan::{DrivePlace, Subject};
use crate::record::Fact;
use crate::record::key::{FactHeading, drive};

/// Host, processor, memory, kernel, and the filesystem and device of every drive of every subject.
pub fn gather(subjects: &[Subject]) -> Vec<Fact> {
    let mut facts = Vec::new();
    host::gather(&mut facts);
    for subject in subjects {
        for (i, drive) in subject.drives.iter().enumerate() {
            under(&mut facts, &heading(subject, i), &drive.place);
        }
    }
    facts
}

/// The heading of a drive's facts.
pub(in crate::lab) fn heading(subject: &Subject, drive: usize) -> String {
    match subject.drives.len() {
        1 => format!("{}: {}", FactHeading::Drive.name(), subject.name),
        _ => format!("{}: {} ({})", FactHeading::Drive.name(), subject.name, drive + 1),
    }
}

/// The filesystem of a path, from /proc/self/mountinfo.
pub(in crate::lab) struct MountFacts {
    /// "0:45"
    pub device: String,
    point: String,
    pub kind: String,
    pub source: String,
    pub options: String,
}

pub(in crate::lab) fn mount_of(path: &Path) -> Option<MountFacts> {
    let path = path.canonicalize().ok()?;
    let table = read("/proc/self/mountinfo")?;
    let mounts = table.lines().filter_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let (left, right): (Vec<&str>, Vec<&str>) =
            (left.split(' ').collect(), right.split(' ').collect());
        Some(MountFacts {
            device: left.get(2)?.to_string(),
            point: left.get(4)?.to_string(),
            kind: right.first()?.to_string(),
            source: right.get(1)?.to_string(),
            options: format!("{},{}", left.get(5)?, right.get(2)?),
        })
    });
    mounts.filter(|m| path.starts_with(&m.point)).max_by_key(|m| m.point.len())
}

fn under(facts: &mut Vec<Fact>, group: &str, place: &DrivePlace) {
    facts.push(Fact::new(group, "Path", place.path().display()));
    let block = match place {
        DrivePlace::Directory(path) => {
            let Some(mount) = mount_of(path) else { return };
            facts.push(Fact::new(group, drive::FILESYSTEM.name, &mount.kind));
            facts.push(Fact::new(group, "Filesystem on", &mount.source));
            facts.push(Fact::new(group, drive::MOUNT_OPTIONS.name, &mount.options));
            push(facts, group, drive::FILLED.name, filesystem_filled(path).map(percent));
            PathBuf::from("/sys/dev/block").join(&mount.device)
        }
        DrivePlace::Device { path, .. } => {
            let name = path.canonicalize().ok().and_then(|p| p.file_name().map(|n| n.to_owned()));
            PathBuf::from("/sys/class/block").join(name.unwrap_or_default())
        }
    };
    block_device(facts, group, &block);
}

/// The used share of a filesystem.
fn filesystem_filled(path: &Path) -> Option<f64> {
    let stat = rustix::fs::statvfs(path).ok().filter(|stat| stat.f_blocks > 0)?;
    Some(1.0 - stat.f_bfree as f64 / stat.f_blocks as f64)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Queue settings of a device that affect a load.
const QUEUE: [&str; 9] = [
    "nr_requests",
    "read_ahead_kb",
    "max_sectors_kb",
    "nomerges",
    "rq_affinity",
    "wbt_lat_usec",
    "io_poll",
    "iostats",
    "rotational",
];

/// An NVMe drive's health log; None for other drives, or without permission.
fn health_log(disk: &OsStr) -> Option<String> {
    if !disk.to_string_lossy().starts_with("nvme") {
        return None;
    }
    nvme::health_log(&Path::new("/dev").join(disk)).map(|log| health(&log))
}

fn health(log: &[u8]) -> String {
    let number = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&log[at..at + 8]);
        u64::from_le_bytes(bytes)
    };
    let [warning, spare, used] = [log[0], log[3], log[5]];
    let (hours, media_errors) = (number(128), number(160));
    format!(
        "{used} % used, {spare} % spare, {media_errors} media errors, critical warning \
         {warning:02x}h, {hours} h powered on"
    )
}

/// A block device's sysfs attributes; for a partition, the whole disk's.
fn block_device(facts: &mut Vec<Fact>, group: &str, sysfs: &Path) {
    let Ok(own) = sysfs.canonicalize() else { return };
    let disk = if own.join("partition").exists() {
        own.parent().map(Path::to_path_buf).unwrap_or(own)
    } else {
        own
    };
    let get = |name: &str| read(disk.join(name));
    push(facts, group, "Device", disk.file_name().map(|n| n.to_string_lossy().into_owned()));
    push(facts, group, drive::MODEL.name, get("device/model"));
    push(facts, group, drive::SERIAL.name, get("device/serial").or_else(|| get("serial")));
    push(facts, group, drive::FIRMWARE.name, get("device/firmware_rev"));
    push(facts, group, drive::HEALTH.name, disk.file_name().and_then(health_log));
    let sectors = get("size").and_then(|s| s.parse::<u64>().ok());
    push(facts, group, drive::CAPACITY.name, sectors.map(|s| units::bytes(s * 512)));
    push(
        facts,
        group,
        drive::LOGICAL_BLOCK_SIZE.name,
        get("queue/logical_block_size").map(|b| format!("{b} bytes")),
    );
    push(
        facts,
        group,
        "Physical block size",
        get("queue/physical_block_size").map(|b| format!("{b} bytes")),
    );
    push(
        facts,
        group,
        drive::METADATA.name,
        get("metadata_bytes").filter(|b| b != "0").map(|b| format!("{b} bytes a block")),
    );
    // From 6.8 on, the kernel reports the namespace's utilisation in its blocks.
    let used = get("nuse").and_then(|n| n.parse::<f64>().ok());
    let block = get("queue/logical_block_size").and_then(|b| b.parse::<f64>().ok());
    let whole = sectors.map(|s| s as f64 * 512.0).filter(|bytes| *bytes > 0.0);
    push(
        facts,
        group,
        drive::FILLED.name,
        used.zip(block).zip(whole).map(|((n, b), whole)| percent(n * b / whole)),
    );
    push(facts, group, drive::SCHEDULER.name, get("queue/scheduler"));
    push(facts, group, drive::WRITE_CACHE.name, get("queue/write_cache"));
    let settings =
        QUEUE.iter().filter_map(|name| Some(format!("{name}={}", get(&format!("queue/{name}"))?)));
    let settings: Vec<String> = settings.collect();
    push(facts, group, drive::QUEUE.name, (!settings.is_empty()).then(|| settings.join(" ")));
    let controller = controller_of(&disk);
    // A controller's own `device` is the PCI function.
    let pci = |name: &str| {
        read(controller.join("device").join(name)).or_else(|| read(controller.join(name)))
    };
    // An emulated link says "Unknown", 0 or 255.
    let known =
        |name: &str| pci(name).filter(|value| !["Unknown", "0", "255"].contains(&value.as_str()));
    push(facts, group, drive::LINK_SPEED.name, known("current_link_speed"));
    push(facts, group, drive::LINK_WIDTH.name, known("current_link_width"));
    push(facts, group, "Highest link speed", known("max_link_speed"));
    push(facts, group, "Highest link width", known("max_link_width"));
    let node = pci("numa_node").filter(|node| node != "-1");
    let distance =
        node.as_ref().and_then(|n| read(format!("/sys/devices/system/node/node{n}/distance")));
    push(facts, group, drive::NUMA_NODE.name, node);
    push(facts, group, "NUMA distance to nodes 0, 1, …", distance);
}

/// The controller of a disk: its `device`, or if that is a multipath subsystem, its first
/// controller.
fn controller_of(disk: &Path) -> PathBuf {
    let device = disk.join("device");
    let is_controller = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.strip_prefix("nvme").is_some_and(|n| n.parse::<u32>().is_ok())
    };
    let entries =
        std::fs::read_dir(&device).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(is_controller).min().unwrap_or(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_health_log_is_read_at_the_bytes_that_the_specification_gives() {
        let mut log = [0; 512];
        (log[0], log[3], log[5]) = (0x04, 97, 3);
        log[128..130].copy_from_slice(&4_321u16.to_le_bytes());
        log[160] = 2;
        let says = "3 % used, 97 % spare, 2 media errors, critical warning 04h, 4321 h powered on";
        assert_eq!(health(&log), says);
    }

    #[test]
    fn the_filesystem_of_a_directory_is_disclosed() {
        let facts = gather(&[Subject {
            name: "A".into(),
            drives: vec![crate::plan::Drive {
                place: DrivePlace::Directory("/proc".into()),
                erase: false,
                erase_signatures: Vec::new(),
                connections: Vec::new(),
                namespaces: Vec::new(),
            }],
            ..Subject::default()
        }]);
        let found = facts.iter().find(|f| f.group == "Drive: A" && f.name == "Filesystem");
        assert_eq!(found.map(|f| f.value.as_str()), Some("proc"));
        assert!(facts.iter().any(|f| f.group == "Kernel" && f.name == "Release"));
    }
}
