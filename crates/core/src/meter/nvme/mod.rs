//! The drive's own counters through nvme-cli: the SMART / health log, and the drive's logs that
//! count bytes written to its flash.

pub mod latency_monitor;
pub mod logs;
pub mod power;

use super::blocks::BlockNode;
use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, blocks, info};
use std::time::Instant;

use crate::base::error::{Error, Result, failed};
use crate::plan::Info;
use crate::record::gauge::written::DriveCounter;

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
     C3h; nvme-cli, plugins/intel, log CAh, plugins/wdc, log C0h of boot \
     drives, plugins/micron, log D0h",
);

impl Meter for Nvme {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// Reading a log is a command to the drive, so readings are rare.
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

/// The NVMe drives of the paths, one namespace of each: their logs belong to the controller and
/// would be counted again for each further namespace.
pub fn disks(site: &MeterTarget<'_>) -> Result<Vec<String>> {
    let mut drives: Vec<String> = Vec::new();
    let mut disks: Vec<String> = Vec::new();
    for block in blocks::all_under(site.places) {
        let Some(drive) = drive_of(&block) else { continue };
        if !drives.contains(&drive) {
            drives.push(drive);
            disks.push(block.disk);
        }
    }
    match disks.is_empty() {
        true => Err(failed("none of the drives is an NVMe drive", "leave the meter out")),
        false => Ok(disks),
    }
}

/// Identity of a namespace's drive: its serial number, which is the same for two controllers of one
/// drive, or else its controller's name. None if it is not an NVMe drive.
fn drive_of(block: &BlockNode) -> Option<String> {
    let (instance, _) = blocks::instance_and_namespace(&block.disk)?;
    let read = |name: &str| std::fs::read_to_string(block.sysfs.join("device").join(name)).ok();
    let identity = read("serial").zip(read("model"));
    let known = identity.filter(|(serial, _)| !serial.trim().is_empty());
    Some(known.map_or(format!("nvme{instance}"), |(serial, model)| format!("{model} {serial}")))
}

/// Drives with their logs.
pub struct NvmeDrives {
    drives: Vec<NvmeDrive>,
    logs: NvmeLogs,
    looking: Looking,
}

/// Reads the counters repeatedly after a mark, until each has been updated twice, so that the
/// maximum age of their values is known.
#[derive(Default)]
struct Looking {
    begun_ns: u64,
    now_ns: u64,
    readings: u32,
    /// Last value of each counter, and its number of changes since the mark.
    seen: Vec<(String, f64, u32)>,
}

impl Looking {
    const AT_ONCE: u32 = 3;
    const OFTEN_NS: u64 = 3_000_000_000;
    const END_NS: u64 = 15_000_000_000;

    fn begin(&mut self) {
        self.readings = 0;
        self.seen.iter_mut().for_each(|own| own.2 = 0);
    }

    /// Whether only the counters are needed, and not the rest of the logs.
    fn is_going_on(&self) -> bool {
        self.readings > 0 && self.again_ns().is_some()
    }

    fn take(&mut self, now_ns: u64, readings: &[Reading]) {
        if self.readings == 0 {
            self.begun_ns = now_ns;
        }
        (self.now_ns, self.readings) = (now_ns, self.readings + 1);
        for Reading { name, value, .. } in readings {
            if DriveCounter::of_name(name).is_none() {
                continue;
            }
            match self.seen.iter_mut().find(|own| own.0 == *name) {
                Some(own) if own.1 != *value => (own.1, own.2) = (*value, own.2 + 1),
                Some(_) => {}
                None => self.seen.push((name.clone(), *value, 0)),
            }
        }
    }

    fn again_ns(&self) -> Option<u64> {
        // Without a media counter there is no amplification, so the age of the values does not
        // matter.
        let counts = self.seen.len() > 1;
        let known = self.seen.iter().all(|own| own.2 > 1);
        let since_ns = self.now_ns - self.begun_ns;
        match () {
            () if !counts => None,
            () if self.readings < Looking::AT_ONCE => Some(0),
            () if known => None,
            () if since_ns < Looking::OFTEN_NS => Some(500_000_000),
            () if since_ns < Looking::END_NS => Some(1_000_000_000),
            () => None,
        }
    }
}

struct NvmeDrive {
    disk: String,
    /// Its logs with counters of written bytes.
    written: Vec<WriteLog>,
    /// Its counters of slow commands; None if it has no such log.
    slow: Option<SlowCommandCount>,
}

impl NvmeDrives {
    /// Finds the logs of each drive.
    pub fn new(disks: Vec<String>, logs: NvmeLogs) -> NvmeDrives {
        let with = |disk: String| NvmeDrive {
            written: WriteLog::of_drive(&logs, &disk),
            slow: LatencyMonitorLog::read(&logs, &disk)
                .ok()
                .flatten()
                .map(|_| SlowCommandCount::default()),
            disk,
        };
        let drives = disks.into_iter().map(with).collect();
        NvmeDrives { drives, logs, looking: Looking::default() }
    }
}

impl Probe for NvmeDrives {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        let only_counters = self.looking.is_going_on();
        let clock = LogClock { now, begun: Instant::now() };
        let mut trouble: Option<Error> = None;
        for drive in &mut self.drives {
            // If one drive does not respond, the others are read nevertheless.
            if let Err(error) = drive.read(&self.logs, &clock, only_counters, out) {
                trouble.get_or_insert(error);
            }
        }
        self.looking.take(now.ns, out);
        trouble.map_or(Ok(()), Err)
    }

    fn mark(&mut self) {
        self.looking.begin();
    }

    fn again_ns(&self) -> Option<u64> {
        self.looking.again_ns()
    }
}

/// The times of logs that are read in sequence.
struct LogClock {
    now: ReadingTime,
    begun: Instant,
}

impl LogClock {
    fn ns(&self) -> u64 {
        self.now.ns + self.begun.elapsed().as_nanos() as u64
    }

    /// Reads a log and returns its contents with the time in the middle of the command.
    fn timed<T>(&self, read: impl FnOnce() -> T) -> (ReadingTime, T) {
        let from_ns = self.ns();
        let read = read();
        (ReadingTime { ns: from_ns.midpoint(self.ns()), ..self.now }, read)
    }
}

impl NvmeDrive {
    fn read(
        &mut self,
        logs: &NvmeLogs,
        clock: &LogClock,
        only_counters: bool,
        out: &mut Vec<Reading>,
    ) -> Result<()> {
        let disk = &self.disk;
        let wanted = |name: &str| !only_counters || DriveCounter::of_name(name).is_some();
        let mut add = |at: ReadingTime, values: logs::Values| {
            let wanted = values.into_iter().filter(|(name, _)| wanted(name));
            out.extend(wanted.map(|(name, value)| at.reading(name, value)));
        };
        let (at, health) = clock.timed(|| logs.smart(disk));
        let health = smart(&health?)?.into_iter();
        add(at, health.map(|(name, value)| (format!("{disk}_{name}"), value)).collect());
        for log in &self.written {
            let (at, values) = clock.timed(|| log.read(logs, disk));
            if let Some(values) = values {
                add(at, values);
            }
        }
        if let Some(slow) = self.slow.as_mut().filter(|_| !only_counters) {
            let (at, monitor) = clock.timed(|| LatencyMonitorLog::read(logs, disk));
            add(at, slow.add(disk, monitor?));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_until_two_updates_are_seen_and_then_seldom() {
        let reading = |name: &str, value: f64| Reading { at_ns: 0, name: name.into(), value };
        let mut looking = Looking::default();
        let mut look = |at_s: f64, media: f64| {
            let host = reading("nvme0n1_host_written_bytes", at_s);
            let read =
                [reading("celsius", 40.0), host, reading("nvme0n1_media_written_bytes", media)];
            looking.take((at_s * 1e9) as u64, &read);
            looking.again_ns().map(|ns| ns as f64 / 1e9)
        };
        assert_eq!(
            [look(0.0, 1.0), look(0.1, 1.0), look(0.2, 1.0)],
            [Some(0.0), Some(0.0), Some(0.5)]
        );
        assert_eq!([look(1.0, 2.0), look(4.0, 2.0)], [Some(0.5), Some(1.0)]);
        assert_eq!([look(5.0, 3.0)], [None], "updated twice");
        // If there is no update, this ends after a limit.
        looking.begin();
        let mut look = |at_s: f64| {
            looking.take((at_s * 1e9) as u64, &[reading("nvme0n1_media_written_bytes", 3.0)]);
            looking.again_ns()
        };
        assert!(look(10.0).is_some() && look(20.0).is_some() && look(26.0).is_none());
        // A drive without a media counter is not read more often.
        let mut health = Looking::default();
        health.take(0, &[reading("nvme0n1_host_written_bytes", 1.0)]);
        assert_eq!(health.again_ns(), None);
    }

    #[test]
    fn namespaces_of_a_controller_are_one_drive() {
        let folder = tempfile::tempdir().unwrap();
        let block = |disk: &str, serial: &str| {
            let sysfs = folder.path().join(disk);
            if !serial.is_empty() {
                std::fs::create_dir_all(sysfs.join("device")).unwrap();
                std::fs::write(sysfs.join("device/serial"), serial).unwrap();
                std::fs::write(sysfs.join("device/model"), "M").unwrap();
            }
            BlockNode { name: disk.into(), disk: disk.into(), sysfs, stats: Vec::new() }
        };
        let of = |disk: &str, serial: &str| drive_of(&block(disk, serial));
        assert_eq!(of("nvme0n1", ""), of("nvme0n2", ""));
        assert_ne!(of("nvme0n1", ""), of("nvme1n1", ""));
        assert_eq!(of("nvme2n1", "S1"), of("nvme3n1", "S1"), "two controllers of one drive");
        assert_eq!(of("sda", ""), None);
    }
}
