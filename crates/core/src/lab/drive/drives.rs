//! Every block device of the host: its identity, link, state, and whether it may be tested.
//! Identity comes from sysfs and, with nvme-cli, from the drive's own logs, never from a label.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::describe;
use crate::lab::drive::namespace_commands::{PlacementHandle, placement_handles};
use crate::lab::guard::disk::{Disk, name, read};
use crate::lab::{guard, nvme};

/// One device. Unreadable values are omitted, not guessed.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ListedDrive {
    /// The kernel's name: "nvme0n1".
    pub device: String,
    /// A name that refers to the same drive after a reboot.
    pub stable_path: Option<PathBuf>,
    /// Model number.
    pub model: Option<String>,
    /// Serial number.
    pub serial: Option<String>,
    /// Serial number, NGUID, EUI-64, UUID, WWID: any of them identifies the drive in a plan.
    pub identities: Vec<String>,
    /// Firmware revision.
    pub firmware: Option<String>,
    /// Size, bytes.
    pub capacity_bytes: u64,
    /// Size of a logical block, bytes.
    pub lba_bytes: Option<u64>,
    /// Current PCIe transfer rate of the link.
    pub link_speed: Option<String>,
    /// Current number of PCIe lanes of the link.
    pub link_width: Option<String>,
    /// The maximum transfer rate of drive and slot.
    pub max_link_speed: Option<String>,
    /// The maximum number of lanes of drive and slot.
    pub max_link_width: Option<String>,
    /// Its NUMA node.
    pub numa_node: Option<String>,
    /// I/O scheduler of the block layer.
    pub scheduler: Option<String>,
    /// "write back" if a volatile write cache is on, otherwise "write through".
    pub write_cache: Option<String>,
    /// Composite temperature (NVMe SMART log), in °C.
    pub temperature_celsius: Option<f64>,
    /// Percentage Used of the SMART log: 100 is the rated endurance, and it may exceed that.
    pub wear_percent: Option<u64>,
    /// Current NVMe power state, 0 for the highest.
    pub power_state: Option<u64>,
    /// Placement handles of the namespace (FDP), in the order in which `placement` counts them.
    pub placement_handles: Vec<PlacementHandle>,
    /// Whether a plan may use it as a subject.
    pub testable: bool,
    /// If not, the reason.
    pub obstacle: Option<String>,
    /// The remedy.
    pub remedy: Option<String>,
}

/// All whole block devices, sorted by name; memory disks and loop devices without a file are
/// omitted.
pub fn list() -> Vec<ListedDrive> {
    let shown = |disk: &Disk| {
        let (name, sysfs) = (disk.name(), &disk.sysfs);
        // This is one of several paths to a namespace, which has its own device.
        let hidden = read(&sysfs.join("hidden")).is_some_and(|hidden| hidden != "0");
        let empty_loop = name.starts_with("loop") && !sysfs.join("loop/backing_file").exists();
        !hidden && !empty_loop && !name.starts_with("ram") && !name.starts_with("zram")
    };
    let mut found: Vec<ListedDrive> = Disk::listed().filter(shown).map(look).collect();
    found.sort_by(|a, b| a.device.cmp(&b.device));
    found
}

/// The model number and the firmware revision of a whole device, if it reports them.
pub fn model_and_firmware(disk: &Disk) -> (Option<String>, Option<String>) {
    let get = |place: &str| read(&disk.sysfs.join("device").join(place));
    (get("model"), get("firmware_rev").or_else(|| get("rev")))
}

fn look(disk: Disk) -> ListedDrive {
    let node = Path::new("/dev").join(disk.name());
    let get = |place: &str| read(&disk.sysfs.join(place));
    // A namespace's `device` is its controller, whose own `device` is the PCI function.
    let paths = paths(&disk.name());
    let pci = |place: &str| {
        let through = paths.iter().find_map(|path| read(&path.join("device/device").join(place)));
        through
            .or_else(|| get(&format!("device/device/{place}")))
            .or_else(|| get(&format!("device/{place}")))
    };
    let (model, firmware) = model_and_firmware(&disk);
    let mut found = ListedDrive {
        device: node.display().to_string(),
        stable_path: stable_path(&node),
        model,
        serial: disk.serial(),
        identities: disk.identities(),
        firmware,
        capacity_bytes: disk.bytes(),
        lba_bytes: get("queue/logical_block_size").and_then(|b| b.parse().ok()),
        link_speed: pci("current_link_speed"),
        link_width: pci("current_link_width"),
        max_link_speed: pci("max_link_speed"),
        max_link_width: pci("max_link_width"),
        numa_node: pci("numa_node").filter(|node| node != "-1"),
        scheduler: get("queue/scheduler").map(|all| chosen(&all)),
        write_cache: get("queue/write_cache"),
        ..ListedDrive::default()
    };
    if disk.name().starts_with("nvme") {
        ask_the_drive(&node, &mut found);
        let opened = fs::File::open(&node).ok();
        let handles = opened.and_then(|namespace| placement_handles(&namespace).ok());
        found.placement_handles = handles.unwrap_or_default();
    }
    match guard::obstacle(&node) {
        Ok(()) => found.testable = true,
        Err(error) => {
            let (why, remedies) = describe(&error);
            found.obstacle = Some(why);
            found.remedy = remedies.into_iter().next();
        }
    }
    found
}

/// The hidden devices of the paths to a namespace that several controllers can reach: `nvme0c0n1`
/// of `nvme0n1`.
pub(in crate::lab) fn paths(namespace: &str) -> Vec<PathBuf> {
    let Some((subsystem, number)) =
        namespace.strip_prefix("nvme").and_then(|rest| rest.split_once('n'))
    else {
        return Vec::new();
    };
    let (start, end) = (format!("nvme{subsystem}c"), format!("n{number}"));
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten().map(|e| e.path());
    entries.filter(|path| name(path).starts_with(&start) && name(path).ends_with(&end)).collect()
}

/// "none" of "[none] mq-deadline".
fn chosen(schedulers: &str) -> String {
    let inside = schedulers.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(schedulers, |(chosen, _)| chosen).to_string()
}

/// The first of its links in /dev/disk/by-id, which still names it after a reboot.
pub fn stable_path(node: &Path) -> Option<PathBuf> {
    let real = node.canonicalize().ok()?;
    let links = fs::read_dir("/dev/disk/by-id").into_iter().flatten().flatten().map(|e| e.path());
    let mut links: Vec<PathBuf> =
        links.filter(|l| l.canonicalize().is_ok_and(|there| there == real)).collect();
    links.sort();
    links.into_iter().next()
}

/// Temperature, wear and power state, from the drive's SMART log and features.
fn ask_the_drive(node: &Path, found: &mut ListedDrive) {
    let Some(smart) = nvme::ask(&nvme::SMART_LOG, node) else { return };
    let number = |names: &[&str]| names.iter().find_map(|name| smart.get(*name)?.as_f64());
    // nvme-cli prints kelvin.
    found.temperature_celsius =
        number(&["temperature"]).filter(|k| *k > 0.0).map(|kelvin| (kelvin - 273.15).round());
    found.wear_percent = number(&["percent_used", "percentage_used"]).map(|percent| percent as u64);
    found.power_state = power_state(node);
}

/// Feature 02h; nvme-cli prints it as text: "get-feature:0x02 (Power Management), Current
/// value:0x00000001".
fn power_state(node: &Path) -> Option<u64> {
    let text = nvme::text(&["get-feature", "--feature-id=2"], node)?;
    let value = text.rsplit(':').next()?.trim();
    let digits = value.strip_prefix("0x").unwrap_or(value);
    u64::from_str_radix(digits.split_whitespace().next()?, 16).ok().map(|value| value & 0x1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_brackets_is_the_one_in_use() {
        assert_eq!(chosen("none [mq-deadline] kyber"), "mq-deadline");
        assert_eq!(chosen("none"), "none");
    }

    #[test]
    fn every_disk_is_listed_and_is_testable_or_has_a_reason_why_not() {
        for found in list() {
            assert!(found.testable != found.obstacle.is_some(), "{found:?}");
            assert!(found.testable || found.remedy.is_some(), "{found:?}");
        }
    }
}
