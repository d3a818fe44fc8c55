//! The drive's own counters through nvme-cli: the SMART / health log, and the logs of the drive
//! that count what it wrote to its flash.

pub mod logs;
pub mod power;

use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, blocks, info};
use crate::base::error::{Result, failed};
use crate::plan::Info;

use logs::{NvmeLogs, WriteLog, smart};

/// The meter `nvme`.
pub struct Nvme;

static INFO: Info = info(
    "nvme",
    "temperatures, throttling, and what NVMe drives received and wrote to their flash, as they \
     count it themselves",
    &[],
    "NVM Express Base Specification 2.3: SMART / Health log 02h, Endurance Group Information 09h, \
     FDP Statistics 22h; OCP Datacenter NVMe SSD Specification 2.0, log C0h; nvme-cli, \
     plugins/intel, log CAh",
);

impl Meter for Nvme {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// Reading a log is a command to the drive, so it is rare.
    fn every_ns(&self) -> u64 {
        10_000_000_000
    }

    fn watches_drives(&self) -> bool {
        true
    }

    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        Ok(Box::new(NvmeDrives::new(disks(site)?, NvmeLogs::default())))
    }
}

/// The NVMe drives of the paths.
pub fn disks(site: &MeterTarget<'_>) -> Result<Vec<String>> {
    let blocks = blocks::all_under(site.places);
    let disks: Vec<String> =
        blocks.into_iter().map(|b| b.disk).filter(|d| d.starts_with("nvme")).collect();
    match disks.is_empty() {
        true => Err(failed("none of the drives is an NVMe drive", "leave the meter out")),
        false => Ok(disks),
    }
}

/// Drives, each with the logs of writes that it has.
pub struct NvmeDrives {
    drives: Vec<(String, Vec<WriteLog>)>,
    logs: NvmeLogs,
}

impl NvmeDrives {
    /// Looks which logs each drive has.
    pub fn new(disks: Vec<String>, logs: NvmeLogs) -> NvmeDrives {
        let with = |disk: String| (WriteLog::of_drive(&logs, &disk), disk);
        let drives = disks.into_iter().map(with).map(|(own, disk)| (disk, own)).collect();
        NvmeDrives { drives, logs }
    }
}

impl Probe for NvmeDrives {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        for (disk, own) in &self.drives {
            let health = smart(&self.logs.smart(disk)?)?.into_iter();
            out.extend(health.map(|(name, value)| now.reading(format!("{disk}_{name}"), value)));
            let written = own.iter().filter_map(|log| log.read(&self.logs, disk)).flatten();
            out.extend(written.map(|(name, value)| now.reading(name, value)));
        }
        Ok(())
    }
}
