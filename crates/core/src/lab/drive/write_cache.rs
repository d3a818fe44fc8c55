//! The volatile write cache of a drive: whether it exists and is enabled; set for a run, and
//! restored. An NVMe drive reports it (Identify Controller, VWC; feature 06h); for other drives the
//! kernel's setting is used (`queue/write_cache`), which controls whether it sends flushes.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::error::{Context, Result, failed};
use crate::lab::drive::exclusive::Exclusive;
use crate::lab::guard::disk::{Disk, read};
use crate::lab::machine::facts::mount_of;
use crate::lab::nvme::Spelling;
use crate::lab::{guard, nvme};
use crate::plan::{Drive, DrivePlace, Subject};
pub use crate::record::setup::WriteCacheState;
use crate::record::setup::{DriveWriteCache, WriteCacheTime};

/// Its number for `get-feature` and `set-feature` (NVM Express Base Specification 2.0, 5.27.1.4).
const FEATURE: &str = "--feature-id=6";
/// It is a property of the controller, not of a namespace.
const OF_CONTROLLER: &str = "--namespace-id=0xffffffff";

const SET_FEATURE: Spelling = Spelling { two: &["set-feature"], three: &["set-feature"] };

/// The kernel's words in `queue/write_cache`.
const BACK: &str = "write back";
const THROUGH: &str = "write through";

/// The state of a drive's device; None if there is none, or it is not reported.
pub fn state(place: &DrivePlace) -> Option<WriteCacheState> {
    let disk = match place {
        DrivePlace::Device { path, .. } => Disk::of(path).ok()?,
        DrivePlace::Directory(path) => {
            let mount = mount_of(path)?;
            Disk { sysfs: fs::canonicalize(Path::new("/sys/dev/block").join(mount.device)).ok()? }
        }
    };
    state_of(&disk.whole())
}

fn state_of(disk: &Disk) -> Option<WriteCacheState> {
    let of_drive = if is_nvme(disk) { of_controller(&disk.node()) } else { None };
    of_drive.or_else(|| match read(&queue(disk))?.as_str() {
        BACK => Some(WriteCacheState::On),
        THROUGH => Some(WriteCacheState::Off),
        _ => None,
    })
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

/// As reported by an NVMe drive.
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
    /// Switches the cache of a device on or off, past the guard.
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
