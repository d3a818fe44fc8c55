//! Facts about the host and the devices of each subject, from /proc and /sys, for the disclosure.
//! Unreadable values are omitted, not guessed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::lab::guard::place::mount_of;
use crate::lab::machine::host::{self, read, read_number};
use crate::lab::nvme;
use crate::plan::{DrivePlace, Subject};
use crate::record::Setup;
use crate::record::setup::{DriveSetup, HealthLog, Settings};

/// Host, processor, memory, kernel, and the filesystem and device of every drive of every subject.
pub fn gather(subjects: &[Subject]) -> Setup {
    let mut drives = Vec::new();
    for subject in subjects {
        for (number, drive) in (0..).zip(&subject.drives) {
            drives.push(of_drive(&subject.name, number, &drive.place));
        }
    }
    Setup { host: host::gather(), drives, ..Setup::default() }
}

fn of_drive(subject: &str, drive: u32, place: &DrivePlace) -> DriveSetup {
    let mut setup = DriveSetup {
        subject: subject.to_string(),
        drive,
        path: Some(place.path().display().to_string()),
        ..DriveSetup::default()
    };
    let block = match place {
        DrivePlace::Directory(path) => {
            let Some(mount) = mount_of(path) else { return setup };
            setup.filesystem = Some(mount.kind);
            setup.filesystem_source = Some(mount.source);
            setup.mount_options = Some(format!("{},{}", mount.mount_options, mount.options));
            setup.filled_share = filesystem_filled(path);
            PathBuf::from("/sys/dev/block").join(&mount.number)
        }
        DrivePlace::Device { path, .. } => {
            let name = path.canonicalize().ok().and_then(|p| p.file_name().map(|n| n.to_owned()));
            PathBuf::from("/sys/class/block").join(name.unwrap_or_default())
        }
    };
    block_device(&mut setup, &block);
    setup
}

/// The used share of a filesystem.
fn filesystem_filled(path: &Path) -> Option<f64> {
    let stat = rustix::fs::statvfs(path).ok().filter(|stat| stat.f_blocks > 0)?;
    Some(1.0 - stat.f_bfree as f64 / stat.f_blocks as f64)
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
fn health_log(disk: &OsStr) -> Option<HealthLog> {
    if !disk.to_string_lossy().starts_with("nvme") {
        return None;
    }
    nvme::health_log(&Path::new("/dev").join(disk)).map(|log| health(&log))
}

fn health(log: &[u8]) -> HealthLog {
    let number = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&log[at..at + 8]);
        u64::from_le_bytes(bytes)
    };
    HealthLog {
        used_percent: log[5],
        spare_percent: log[3],
        media_errors: number(160),
        critical_warning: log[0],
        powered_on_hours: number(128),
    }
}

/// A block device's sysfs attributes; for a partition, the whole disk's.
fn block_device(setup: &mut DriveSetup, sysfs: &Path) {
    let Ok(own) = sysfs.canonicalize() else { return };
    let disk = if own.join("partition").exists() {
        own.parent().map(Path::to_path_buf).unwrap_or(own)
    } else {
        own
    };
    let get = |name: &str| read(disk.join(name));
    let count = |name: &str| read_number(disk.join(name));
    setup.device = disk.file_name().map(|n| n.to_string_lossy().into_owned());
    setup.model = get("device/model");
    setup.serial = get("device/serial").or_else(|| get("serial"));
    setup.firmware = get("device/firmware_rev");
    setup.health = disk.file_name().and_then(health_log);
    // The kernel counts in sectors of 512 bytes, whatever the logical block size.
    setup.capacity_bytes = count("size").and_then(|sectors| sectors.checked_mul(512));
    setup.logical_block_bytes = count("queue/logical_block_size");
    setup.physical_block_bytes = count("queue/physical_block_size");
    setup.metadata_bytes = count("metadata_bytes");
    // From 6.8 on, the kernel reports the namespace's utilisation in its blocks.
    let used_bytes = count("nuse")
        .zip(setup.logical_block_bytes)
        .map(|(blocks, block_bytes)| blocks as f64 * block_bytes as f64);
    let whole_bytes = setup.capacity_bytes.filter(|bytes| *bytes > 0);
    setup.filled_share = setup
        .filled_share
        .or_else(|| used_bytes.zip(whole_bytes).map(|(used, whole)| used / whole as f64));
    setup.scheduler = get("queue/scheduler");
    setup.write_cache = get("queue/write_cache");
    let queue =
        QUEUE.iter().filter_map(|name| Some((name.to_string(), get(&format!("queue/{name}"))?)));
    setup.queue = queue.collect::<Settings>();
    let controller = controller_of(&disk);
    // A controller's own `device` is the PCI function.
    let pci = |name: &str| {
        read(controller.join("device").join(name)).or_else(|| read(controller.join(name)))
    };
    // An emulated link says "Unknown", 0 or 255.
    let known =
        |name: &str| pci(name).filter(|value| !["Unknown", "0", "255"].contains(&value.as_str()));
    let lanes = |name: &str| known(name).and_then(|lanes| lanes.parse().ok());
    setup.link_speed = known("current_link_speed");
    setup.link_lanes = lanes("current_link_width");
    setup.highest_link_speed = known("max_link_speed");
    setup.highest_link_lanes = lanes("max_link_width");
    // "-1" if the firmware assigns none.
    setup.numa_node = pci("numa_node").and_then(|node| node.parse().ok());
    setup.numa_distances =
        setup.numa_node.and_then(|n| read(format!("/sys/devices/system/node/node{n}/distance")));
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
        let expected = HealthLog {
            used_percent: 3,
            spare_percent: 97,
            media_errors: 2,
            critical_warning: 4,
            powered_on_hours: 4_321,
        };
        assert_eq!(health(&log), expected);
    }

    #[test]
    fn the_filesystem_of_a_directory_is_disclosed() {
        let setup = gather(&[Subject {
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
        assert_eq!(setup.drives[0].subject, "A");
        assert_eq!(setup.drives[0].filesystem.as_deref(), Some("proc"));
        assert!(setup.host.kernel_release.is_some());
    }
}
