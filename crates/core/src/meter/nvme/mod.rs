//! The drive's own counters through nvme-cli: the SMART / health log, and the logs of the drive
//! that count what it wrote to its flash.

pub mod latency_monitor;
pub mod logs;
pub mod power;

use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, blocks, info};
use crate::base::error::{Result, failed};
use crate::plan::Info;

use latency_monitor::{LatencyMonitorLog, SlowCommandCount};
use logs::{NvmeLogs, WriteLog, smart};

/// The meter `nvme`.
pub struct Nvme;

static INFO: Info = info(
    "nvme",
    "temperatures, throttling, errors, slow commands, and what NVMe drives received and wrote to \
     their flash, as they count it themselves",
    &[],
    "NVM Express Base Specification 2.3: SMART / Health log 02h, Endurance Group Information 09h, \
     FDP Statistics 22h; OCP Datacenter NVMe SSD Specification 2.0, logs C0h and \
     C3h; nvme-cli, plugins/intel, log CAh",
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

/// Drives, each with the logs that it has.
pub struct NvmeDrives {
    drives: Vec<NvmeDrive>,
    logs: NvmeLogs,
}

struct NvmeDrive {
    disk: String,
    /// Its logs of writes.
    written: Vec<WriteLog>,
    /// Its count of slow commands; None if it has no such log.
    slow: Option<SlowCommandCount>,
}

impl NvmeDrives {
    /// Looks which logs each drive has.
    pub fn new(disks: Vec<String>, logs: NvmeLogs) -> NvmeDrives {
        let with = |disk: String| NvmeDrive {
            written: WriteLog::of_drive(&logs, &disk),
            slow: LatencyMonitorLog::read(&logs, &disk)
                .ok()
                .flatten()
                .map(|_| SlowCommandCount::default()),
            disk,
        };
        NvmeDrives { drives: disks.into_iter().map(with).collect(), logs }
    }
}

impl Probe for NvmeDrives {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        for NvmeDrive { disk, written, slow } in &mut self.drives {
            let health = smart(&self.logs.smart(disk)?)?.into_iter();
            out.extend(health.map(|(name, value)| now.reading(format!("{disk}_{name}"), value)));
            let mut more: logs::Values =
                written.iter().filter_map(|log| log.read(&self.logs, disk)).flatten().collect();
            if let Some(slow) = slow {
                more.extend(slow.add(disk, LatencyMonitorLog::read(&self.logs, disk)?));
            }
            out.extend(more.into_iter().map(|(name, value)| now.reading(name, value)));
        }
        Ok(())
    }
}
