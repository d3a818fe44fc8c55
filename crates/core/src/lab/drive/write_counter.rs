//! The number of bytes written to a drive by any program, which shows whether its preparation still
//! holds.

use std::path::Path;

use crate::base::error::Result;
use crate::lab::drive::drives;
use crate::lab::guard::disk::{Disk, read};
use crate::lab::nvme;
use crate::plan::{Drive, DrivePlace};
use crate::record::DriveState;

/// A counter may lag, and NVMe counts in half megabytes: a difference up to this is ignored.
const SLACK_BYTES: u64 = 64 << 20;

/// The state of a bare device; None for a directory, to which others may write as well.
pub fn state(subject: &str, index: u32, drive: &Drive) -> Result<Option<DriveState>> {
    let DrivePlace::Device { path, .. } = &drive.place else { return Ok(None) };
    let disk = Disk::of(path)?;
    let lifetime =
        if disk.name().starts_with("nvme") { lifetime_bytes(&disk.node()) } else { None };
    let counted = lifetime.map(|bytes| ("NVMe data units written".to_string(), bytes));
    let Some((counter, written_bytes)) = counted.or_else(|| since_boot(&disk)) else {
        return Ok(None);
    };
    let serial = disk.serial().unwrap_or_default();
    Ok(Some(DriveState {
        subject: subject.to_string(),
        drive: index,
        serial,
        counter,
        written_bytes,
        contents: String::new(),
    }))
}

/// Whether a drive is unchanged.
pub fn unchanged(then: &DriveState, now: &DriveState) -> bool {
    let same = then.serial == now.serial && then.counter == now.counter;
    same && (then.written_bytes..=then.written_bytes.saturating_add(SLACK_BYTES))
        .contains(&now.written_bytes)
}

/// Read from the raw SMART log: in JSON, versions of nvme-cli print such a long number differently.
fn lifetime_bytes(node: &Path) -> Option<u64> {
    data_units_written(&nvme::health_log(node)?).map(|units| units.saturating_mul(512_000))
}

/// Units of 1,000 × 512 bytes: 16 bytes at offset 48, little-endian, of which eight are sufficient
/// for a drive's lifetime.
fn data_units_written(log: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(log.get(48..56)?.try_into().ok()?))
}

/// A multipath namespace is counted by its paths; its own counter is zero.
fn since_boot(disk: &Disk) -> Option<(String, u64)> {
    let boot = read(Path::new("/proc/sys/kernel/random/boot_id"))?;
    let written =
        |sysfs: &Path| read(&sysfs.join("stat"))?.split_whitespace().nth(6)?.parse::<u64>().ok();
    let paths = drives::paths(&disk.name());
    let sectors = match &paths[..] {
        [] => written(&disk.sysfs)?,
        paths => paths.iter().map(|path| written(path)).sum::<Option<u64>>()?,
    };
    Some((format!("sectors written since boot {boot}"), sectors * 512))
}

/// The same since the name was given to this disk: a loop device may be bound again, and another
/// drive may get the name.
pub fn sectors_since_binding(disk: &Disk) -> Option<(String, u64)> {
    let (counter, bytes) = since_boot(disk)?;
    let sequence = read(&disk.whole().sysfs.join("diskseq"))?;
    Some((format!("{counter}, {} as disk {sequence}", disk.name()), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lifetime_counter_is_read_by_the_specifications_offset() {
        let mut log = [0xff; 512];
        log[48..64].copy_from_slice(&1_234_567u128.to_le_bytes());
        assert_eq!(data_units_written(&log), Some(1_234_567));
        assert_eq!(data_units_written(&log[..50]), None);
    }

    #[test]
    fn a_drive_is_unchanged_only_if_it_is_the_same_and_nobody_wrote_to_it() {
        let left = DriveState {
            subject: "A".into(),
            drive: 0,
            serial: "1".into(),
            counter: "sectors".into(),
            written_bytes: 1 << 40,
            contents: String::new(),
        };
        assert!(unchanged(&left, &left));
        assert!(unchanged(&left, &DriveState { written_bytes: (1 << 40) + 1000, ..left.clone() }));
        assert!(!unchanged(
            &left,
            &DriveState { written_bytes: (1 << 40) + (65 << 20), ..left.clone() }
        ));
        assert!(!unchanged(&left, &DriveState { written_bytes: 0, ..left.clone() }));
        assert!(!unchanged(&left, &DriveState { serial: "2".into(), ..left.clone() }));
        assert!(!unchanged(
            &left,
            &DriveState { counter: "sectors since another boot".into(), ..left.clone() }
        ));
    }
}
