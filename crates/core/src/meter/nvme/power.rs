//! The power that an NVMe drive measures itself: the mean over the last second, which NVMe 2.3
//! drives report in their health log. The power measurement log (25h) contains more, but only while
//! a feature is enabled, and a meter changes no settings.

use super::super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use super::disks;
use super::logs::{NvmeLogs, number};
use crate::base::error::{Result, bail};
use crate::plan::Info;
use crate::record::gauge::power::DRIVE_WATTS;

/// The meter `nvme-power`.
pub struct NvmePower;

static INFO: Info = info(
    "nvme_power",
    "the power that NVMe drives measure themselves (class drive), where they report it",
    &[],
    "NVM Express Base Specification 2.3, SMART / Health log 02h, Interval Power Measurement",
);

const AT: usize = 240;
/// The interval ends when the log is read, so its mean is assigned to its middle.
const MIDDLE_NS: i64 = 500_000_000;

impl Meter for NvmePower {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn watches_drives(&self) -> bool {
        true
    }

    fn holds_marks(&self) -> bool {
        false
    }

    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        let drives = disks(site)?;
        // A drive that reports nothing is refused before the run, not after it.
        for disk in &drives {
            watts(disk, &NvmeLogs::default().smart(disk)?)?;
        }
        Ok(Box::new(PowerStates(drives)))
    }
}

struct PowerStates(Vec<String>);

impl Probe for PowerStates {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        let each = self.0.iter().map(|disk| watts(disk, &NvmeLogs::default().smart(disk)?));
        let sum: f64 = each.sum::<Result<f64>>()?;
        out.push(Reading {
            at_ns: now.ns as i64 - MIDDLE_NS,
            name: DRIVE_WATTS.into(),
            value: sum,
        });
        Ok(())
    }
}

/// Bits 15 to 0: the value; 17 and 16: its scale; 23 to 20: its scope, where 0 is the whole NVM
/// subsystem.
fn watts(disk: &str, log: &[u8]) -> Result<f64> {
    if log.len() < AT + 4 {
        bail!("{disk}: a health log of {} bytes", log.len());
    }
    let word = number(log, AT, 4) as u32;
    let unit_watts = match word >> 16 & 0x3 {
        1 => 1e-4,
        2 => 1e-2,
        _ => bail!("{disk} does not report its power; leave the meter out, or use an instrument"),
    };
    if word >> 20 & 0xf != 0 {
        bail!("{disk} reports the power of something else than all of it");
    }
    Ok(f64::from(word & 0xffff) * unit_watts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_is_read_by_its_scale_and_a_drive_that_reports_none_is_refused() {
        let read = |word: u32| {
            let mut log = vec![0u8; 512];
            log[AT..AT + 4].copy_from_slice(&word.to_le_bytes());
            watts("nvme0n1", &log)
        };
        assert_eq!(read(2 << 16 | 1_275).unwrap(), 12.75);
        assert_eq!(read(1 << 16 | 52_500).unwrap(), 5.25);
        for (word, why) in [
            (0, "does not report"),
            (1_275, "does not report"),
            (3 << 20 | 2 << 16 | 9, "something else"),
        ] {
            assert!(read(word).unwrap_err().to_string().contains(why), "{word:#x}");
        }
        assert!(watts("nvme0n1", &[0; 100]).is_err());
    }
}
