//! State of a bare device after a run, to decide whether its contents are still Dyno's before they
//! are overwritten: a checksum of samples. It detects data written by any path, including another
//! host or the file under a loop device. Data outside the samples are detected by the kernel's
//! counter of written sectors, unless the host was rebooted.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::base::error::{Context, Result};
use crate::base::private;
use crate::lab::drive::write_counter;
use crate::lab::guard::disk::{Disk, read};
use crate::lab::guard::unknown;
use crate::plan::{Drive, DrivePlace};
use crate::record::DriveState;

/// Name of the list of device states.
const LEFT: &str = "drives";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LeftContents {
    /// Identifies the device and its range.
    device: String,
    contents: String,
    /// Number of sectors written to the device, with the name of the counter.
    sectors: Option<(String, u64)>,
}

/// Checksum of a device's current contents, after writing back cached data. The device itself is
/// not flushed, because that would be a command that is not in the plan.
fn checksum(path: &Path) -> Result<String> {
    let device = File::open(path).context("opening the device to examine its contents")?;
    let all = libc::SYNC_FILE_RANGE_WAIT_BEFORE
        | libc::SYNC_FILE_RANGE_WRITE
        | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    // SAFETY: takes an open descriptor and numbers.
    if unsafe { libc::sync_file_range(device.as_raw_fd(), 0, 0, all) } != 0 {
        return Err(std::io::Error::last_os_error())
            .context("writing what is cached to the device");
    }
    unknown::checksum(path, Disk::of_open(&device)?.bytes())
}

fn device(drive: &Drive) -> Result<Option<Disk>> {
    let DrivePlace::Device { path, .. } = &drive.place else { return Ok(None) };
    Disk::of(path).map(Some)
}

/// All identities of the device, and its range: partitions share a serial number, and so do loop
/// devices on one file.
fn identity(disk: &Disk) -> String {
    let offset = read(&disk.whole().sysfs.join("loop/offset")).unwrap_or_default();
    let start = disk.start_bytes().unwrap_or(0);
    format!("{} {offset} {start}+{}", disk.identities().join(" "), disk.bytes())
}

fn left(drive: &Drive) -> Result<Option<LeftContents>> {
    let Some(disk) = device(drive)? else { return Ok(None) };
    let contents = checksum(drive.place.path())?;
    let sectors = write_counter::sectors_since_binding(&disk);
    Ok(Some(LeftContents { device: identity(&disk), contents, sectors }))
}

/// Stores the state of a device after a run, here and for its bundle; None for a directory.
pub fn remember(subject: &str, index: u32, drive: &Drive) -> Result<Option<DriveState>> {
    let Some(left) = left(drive)? else { return Ok(None) };
    if let Ok(line) = serde_json::to_string(&left) {
        private::remember(LEFT, &line);
    }
    let state = write_counter::state(subject, index, drive)?;
    Ok(state.map(|state| DriveState { contents: left.contents, ..state }))
}

/// Whether a device's contents are unchanged since a run. `noted`: the state in the bundle of the
/// run that continues; on this host a later run may have replaced the contents.
pub fn are_as_a_run_left_them(drive: &Drive, noted: Option<&DriveState>) -> bool {
    let Ok(Some(disk)) = device(drive) else { return false };
    let identity = identity(&disk);
    let lines = private::recall(LEFT);
    let mut all = lines.iter().rev().filter_map(|l| serde_json::from_str::<LeftContents>(l).ok());
    let then = all.find(|then| then.device == identity && disk.serial().is_some());
    if then.is_none() && noted.is_none_or(|noted| Some(&noted.serial) != disk.serial().as_ref()) {
        return false;
    }
    let Ok(Some(now)) = left(drive) else { return false };
    match (then, noted) {
        (Some(then), _) => unchanged(&then, &now),
        (None, Some(noted)) => noted.contents == now.contents,
        (None, None) => false,
    }
}

fn unchanged(then: &LeftContents, now: &LeftContents) -> bool {
    // After a reboot or a new binding of a loop device, the counter has another origin.
    let counted = match (&then.sectors, &now.sectors) {
        (Some(then), Some(now)) if then.0 == now.0 => then.1 == now.1,
        _ => true,
    };
    counted && then.device == now.device && then.contents == now.contents
}

/// Whether a device has only contents written by Dyno, according to samples: for a run that was
/// killed before it could record the state.
pub fn are_dynos(drive: &Drive) -> bool {
    let Ok(Some(disk)) = device(drive) else { return false };
    unknown::is_dynos(drive.place.path(), disk.bytes()).unwrap_or(false)
}

/// Whether a device still has the contents of this state; true if they are unknown.
pub fn same(then: &DriveState, drive: &Drive) -> bool {
    then.contents.is_empty()
        || checksum(drive.place.path()).is_ok_and(|contents| contents == then.contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_unchanged_only_if_samples_and_counters_say_so() {
        let sectors = |name: &str, count| Some((name.to_string(), count));
        let then = LeftContents {
            device: "S1 0+100".into(),
            contents: "a".into(),
            sectors: sectors("boot 1", 100),
        };
        assert!(unchanged(&then, &then));
        let other = |now: LeftContents| assert!(!unchanged(&then, &now), "{now:?}");
        other(LeftContents { contents: "b".into(), ..then.clone() });
        other(LeftContents { device: "S1 100+100".into(), ..then.clone() });
        other(LeftContents { sectors: sectors("boot 1", 101), ..then.clone() });
        let restarted = LeftContents { sectors: sectors("boot 2", 5), ..then.clone() };
        assert!(unchanged(&then, &restarted), "the samples are all that can be compared");
        assert!(!unchanged(&then, &LeftContents { contents: "b".into(), ..restarted }));
    }
}
