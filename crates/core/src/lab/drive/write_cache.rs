//! The volatile write cache of a drive: whether it exists and is enabled; set for a run, and
//! restored. An NVMe drive reports it (Identify Controller, VWC; feature 06h), a SCSI, SATA or
//! virtio drive through its driver (`cache_type`). The kernel has a setting of its own
//! (`queue/write_cache`), which controls whether it sends flushes and FUA; it substitutes for the
//! state of drives that report nothing.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::error::{Context, Result, failed};
use crate::lab::drive::drives;
use crate::lab::drive::exclusive::Exclusive;
use crate::lab::guard::disk::{Disk, read};
use crate::lab::guard::place::mount_of;
use crate::lab::nvme::Spelling;
use crate::lab::{guard, nvme};
use crate::plan::{Drive, DrivePlace, Subject};
pub use crate::record::setup::WriteCacheState;
use crate::record::setup::{DriveWriteCache, WriteCacheTime};

/// Its number for `get-feature` and `set-feature` (NVM Express Base Specification 2.0, 5.27.1.4).
const FEATURE: &str = "--feature-id=6";
/// The feature belongs to the controller, not to a namespace.
const OF_CONTROLLER: &str = "--namespace-id=0xffffffff";

const SET_FEATURE: Spelling = Spelling { two: &["set-feature"], three: &["set-feature"] };

/// The kernel's value in `queue/write_cache`.
const BACK: &str = "write back";
/// Completed writes count as durable: the kernel sends no flush and no FUA.
pub const THROUGH: &str = "write through";

/// The state of a drive's device; None if there is none, or it is not reported.
pub fn state(place: &DrivePlace) -> Option<WriteCacheState> {
    state_of(&disk_of(place)?.whole())
}

fn disk_of(place: &DrivePlace) -> Option<Disk> {
    match place {
        DrivePlace::Device { path, .. } => Disk::of(path).ok(),
        DrivePlace::Directory(path) => {
            let number = mount_of(path)?.number;
            let sysfs = fs::canonicalize(Path::new("/sys/dev/block").join(number)).ok()?;
            Some(Disk { sysfs })
        }
    }
}

fn state_of(disk: &Disk) -> Option<WriteCacheState> {
    of_drive(disk).or_else(|| as_words(&read(&queue(disk))?))
}

fn as_words(words: &str) -> Option<WriteCacheState> {
    match words {
        BACK | "write back, no read (daft)" => Some(WriteCacheState::On),
        THROUGH => Some(WriteCacheState::Off),
        _ => None,
    }
}

/// The state reported by a whole drive itself, whatever the kernel's setting; None if it reports
/// none.
pub fn of_drive(disk: &Disk) -> Option<WriteCacheState> {
    if is_nvme(disk) {
        return of_controller(&disk.node());
    }
    // virtio, and the caching mode page of SCSI and SATA drives (Linux, sd.rst).
    let own = [disk.sysfs.join("cache_type")];
    let scsi = fs::read_dir(disk.sysfs.join("device/scsi_disk")).into_iter().flatten().flatten();
    let scsi = scsi.map(|found| found.path().join("cache_type"));
    own.into_iter().chain(scsi).find_map(|file| as_words(&read(&file)?))
}

/// The kernel's setting for a whole drive: [`THROUGH`] if it sends neither flushes nor FUA.
pub fn of_kernel(disk: &Disk) -> Option<String> {
    read(&queue(disk))
}

/// The name of a drive that reports a volatile write cache that is on, if the kernel treats it as
/// one without: what was to be durable is not.
pub fn without_flushes(place: &DrivePlace) -> Option<String> {
    let disk = disk_of(place)?.whole();
    let is_without = of_kernel(&disk)? == THROUGH && of_drive(&disk)? == WriteCacheState::On;
    is_without.then(|| disk.name())
}

/// Whether the kernel passes FUA on to a whole drive; otherwise a flush follows such a write.
pub fn kernel_sends_fua(disk: &Disk) -> bool {
    let fua = read(&disk.sysfs.join("queue/fua")).is_some_and(|fua| fua.trim() == "1");
    fua && of_kernel(disk).as_deref() != Some(THROUGH)
}

/// Flushes that the kernel has sent to a whole drive; None if it does not count them (before Linux
/// 5.5). For a device that maps others (device mapper, md), the flushes of the lowest devices.
pub fn flushes(disk: &Disk) -> Option<u64> {
    let below: Vec<Disk> = disk.members().collect();
    if !below.is_empty() {
        return below.iter().map(|disk| flushes(&disk.whole())).sum();
    }
    const FLUSHES: usize = 15;
    // Before Linux 6.5 a namespace with several paths has these counters only on its paths.
    let paths = drives::paths(&disk.name());
    let places = if paths.is_empty() { vec![disk.sysfs.clone()] } else { paths };
    let count = |place: &PathBuf| {
        read(&place.join("stat"))?.split_ascii_whitespace().nth(FLUSHES)?.parse::<u64>().ok()
    };
    places.iter().map(count).sum()
}

fn is_nvme(disk: &Disk) -> bool {
    disk.name().starts_with("nvme")
}

fn queue(disk: &Disk) -> PathBuf {
    disk.sysfs.join("queue/write_cache")
}

/// The state of the volatile write cache of each drive of a subject, if it is reported.
pub fn states(subject: &Subject, time: WriteCacheTime) -> Vec<DriveWriteCache> {
    let of = |(number, drive): (u32, &Drive)| {
        let state = state(&drive.place)?;
        Some(DriveWriteCache { subject: subject.name.clone(), drive: number, time, state })
    };
    (0..).zip(&subject.drives).filter_map(of).collect()
}

/// The state reported by an NVMe drive.
fn of_controller(node: &Path) -> Option<WriteCacheState> {
    let has_one = nvme::ask(&nvme::ID_CTRL, node)?.get("vwc").and_then(Value::as_u64)? & 1 == 1;
    if !has_one {
        return Some(WriteCacheState::Absent);
    }
    let enabled =
        current_value(&nvme::text(&["get-feature", FEATURE, OF_CONTROLLER], node)?)? & 1 == 1;
    Some(if enabled { WriteCacheState::On } else { WriteCacheState::Off })
}

/// "get-feature:0x06 (Volatile Write Cache), Current value:0x00000001"
fn current_value(said: &str) -> Option<u64> {
    let value = said.to_ascii_lowercase();
    let value = value.split("current value:").nth(1)?.trim_start();
    let digits = value.trim_start_matches("0x");
    let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], 16).ok()
}

/// A device with a changed write cache setting, and its previous setting.
#[derive(Debug)]
pub struct Switched {
    disk: Disk,
    before: WriteCacheState,
    kernel_before: String,
}

impl Switched {
    /// Switches the cache of a device on or off, after the guard has approved it.
    pub fn to(on: bool, drive: &Drive) -> Result<Switched> {
        let held = Exclusive::take(drive)?;
        let disk = held.disk.clone();
        let wanted = if on { WriteCacheState::On } else { WriteCacheState::Off };
        let Some(before) = state_of(&disk) else {
            return Err(failed(
                format!("{} does not say whether it has a write cache", held.node.display()),
                "leave write_cache out of [prepare]",
            ));
        };
        if before == WriteCacheState::Absent && on {
            return Err(failed(
                format!("{} has no volatile write cache (VWC of Identify is 0)", disk.name()),
                "leave write_cache out of [prepare], or set it to \"off\"",
            ));
        }
        // The setting is the controller's: filesystems on its other namespaces would lose flushes.
        for sibling in held.siblings() {
            let why = || format!("this would switch the write cache of {} too", sibling.display());
            guard::obstacle(&sibling).with_context(why)?;
        }
        let kernel_before = read(&queue(&disk)).unwrap_or_default();
        let switched = Switched { disk, before, kernel_before };
        let kernel = if on { BACK } else { THROUGH };
        match switched.set(wanted, kernel).and_then(|()| switched.check(wanted)) {
            Ok(()) => Ok(switched),
            Err(error) => {
                // Restores the previous setting as far as possible; reports the first error.
                let _ = switched.put_back();
                Err(error)
            }
        }
    }

    /// The text for the bundle.
    pub fn words(&self) -> String {
        let now = state_of(&self.disk).map_or_else(|| "unknown".to_string(), |s| s.to_string());
        format!("{now} (it was {}, which the end of the run puts back)", self.before)
    }

    /// Restores the previous setting.
    pub fn put_back(&self) -> Result<()> {
        self.set(self.before, &self.kernel_before)?;
        self.check(self.before)
    }

    fn check(&self, wanted: WriteCacheState) -> Result<()> {
        match state_of(&self.disk) {
            // An absent one counts as off.
            Some(found) if found == wanted || found == WriteCacheState::Absent => Ok(()),
            found => Err(failed(
                format!(
                    "the write cache of {} is {}, not {wanted}",
                    self.disk.name(),
                    found.map_or("unknown".to_string(), |f| f.to_string())
                ),
                "look at `dmesg`, and at `nvme get-feature --feature-id=6`",
            )),
        }
    }

    fn set(&self, wanted: WriteCacheState, kernel: &str) -> Result<()> {
        if is_nvme(&self.disk) && self.before != WriteCacheState::Absent {
            let value = format!("--value={}", u8::from(wanted == WriteCacheState::On));
            let options = [FEATURE, OF_CONTROLLER, &value].map(str::to_string);
            nvme::order(&SET_FEATURE, &self.disk.node(), &options)?;
        }
        if kernel.is_empty() || read(&queue(&self.disk)).as_deref() == Some(kernel) {
            return Ok(());
        }
        fs::write(queue(&self.disk), kernel)
            .with_context(|| format!("writing '{kernel}' to {}", queue(&self.disk).display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_features_value_is_read_from_what_the_tool_says() {
        let said = "get-feature:0x06 (Volatile Write Cache), Current value:0x00000001\n";
        assert_eq!(current_value(said), Some(1));
        assert_eq!(current_value("get-feature:0x6 (…), Current value:00000000\n"), Some(0));
        assert_eq!(current_value("NVMe status: Invalid Field"), None);
    }
}
