//! Logs of NVMe drives, read raw through nvme-cli by the offsets of the specifications, because the
//! names in its JSON differ between its versions.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::base::error::{Context, Result, bail};
use crate::record::gauge::errors::ErrorCounter;
use crate::record::gauge::nvme as names;
use crate::record::gauge::written::{
    CounterKind, CounterSource, DATA_UNIT_BYTES, DriveCounter, GROUP_UNIT_BYTES, VENDOR_UNIT_BYTES,
};

const LOG_BYTES: usize = 512;

/// 0xAFD514C97C6F4F9CA4F2BFEA2810AFC5, little endian: distinguishes an OCP log from another
/// vendor's C0h.
const OCP_GUID: [u8; 16] = [
    0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4, 0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF,
];

/// The same of the log's predecessor for boot drives, whose counts of flash written as TLC and as
/// SLC are apart (nvme-cli, plugins/wdc/wdc-nvme.c: `ext_smart_guid`, `SCAO_V1_…`;
/// plugins/micron/micron-nvme.c: `hyperscale_BSSD_nand_stats`).
const BOOT_GUID: [u8; 16] = [
    0x65, 0x43, 0x88, 0x78, 0xAC, 0xD8, 0x78, 0xA1, 0x66, 0x42, 0x1E, 0x0F, 0x92, 0xD7, 0x6D, 0xC4,
];

/// The UUID of Solidigm's logs in the UUID list of drives that support several (nvme-cli,
/// plugins/solidigm/solidigm-util.c).
const SOLIDIGM_UUID: [u8; 16] = [
    0x96, 0x19, 0x58, 0x6e, 0xc1, 0x1b, 0x43, 0xad, 0xaa, 0xaa, 0x65, 0x41, 0x87, 0xf6, 0xbb, 0xb2,
];

/// Names and values.
pub type Values = Vec<(String, f64)>;

/// Access to the logs of drives.
#[derive(Clone, Debug)]
pub struct NvmeLogs {
    program: PathBuf,
}

impl Default for NvmeLogs {
    /// The installed nvme-cli.
    fn default() -> NvmeLogs {
        NvmeLogs { program: "nvme".into() }
    }
}

impl NvmeLogs {
    /// Uses another program with the interface of nvme-cli.
    pub fn through(program: PathBuf) -> NvmeLogs {
        NvmeLogs { program }
    }

    /// Raw contents of a log. `specific` selects one of several instances, such as an endurance
    /// group.
    pub fn log(&self, disk: &str, id: u8, bytes: usize, specific: Option<u16>) -> Result<Vec<u8>> {
        self.log_with(disk, id, bytes, specific.map(|of| format!("--lsi={of}")))
    }

    /// Like `log`, with one more option.
    fn log_with(
        &self,
        disk: &str,
        id: u8,
        bytes: usize,
        option: Option<String>,
    ) -> Result<Vec<u8>> {
        let mut options = vec![format!("--log-id={id:#x}"), format!("--log-len={bytes}")];
        options.extend(option);
        let log = self.answer("get-log", disk, &options)?;
        match log.len() < bytes {
            true => bail!("{disk}: a log {id:#x} of {} bytes", log.len()),
            false => Ok(log),
        }
    }

    fn answer(&self, command: &str, disk: &str, options: &[String]) -> Result<Vec<u8>> {
        let mut started = Command::new(&self.program);
        started.args([command, &format!("/dev/{disk}")]).args(options).arg("--raw-binary");
        let output = started.stdin(Stdio::null()).output();
        let output = output.context("starting nvme; is nvme-cli installed?")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("nvme {command} {} of {disk}: {}", options.join(" "), said.trim());
        }
        Ok(output.stdout)
    }

    /// The health log.
    pub fn smart(&self, disk: &str) -> Result<Vec<u8>> {
        const SMART: u8 = 0x02;
        self.log(disk, SMART, LOG_BYTES, None)
    }

    /// The endurance group of a namespace (Identify Namespace, ENDGID); None if it is in none.
    pub fn endurance_group(&self, disk: &str) -> Option<u16> {
        const ENDGID: usize = 102;
        let identity = self.answer("id-ns", disk, &[]).ok()?;
        let group = u16::from_le_bytes(identity.get(ENDGID..ENDGID + 2)?.try_into().ok()?);
        (group > 0).then_some(group)
    }

    /// The index of Solidigm's logs in the drive's UUID list (Identify, CNS 17h), which requests
    /// for these logs need; None if the drive has no such entry or no list.
    fn solidigm_index(&self, disk: &str) -> Option<u8> {
        const ENTRY: usize = 32;
        const UUID: usize = 16;
        let list = self.answer("id-uuid", disk, &[]).ok()?;
        // Some of its drives store it in reverse order.
        let reversed: Vec<u8> = SOLIDIGM_UUID.into_iter().rev().collect();
        let is_own = |entry: &[u8]| entry[UUID..] == SOLIDIGM_UUID || entry[UUID..] == reversed;
        let index = list.chunks_exact(ENTRY).skip(1).position(is_own)? + 1;
        u8::try_from(index).ok().filter(|index| *index < 128)
    }

    /// The PCI vendor of a drive (Identify Controller, VID).
    pub fn vendor(&self, disk: &str) -> Option<u16> {
        let identity = self.answer("id-ctrl", disk, &[]).ok()?;
        Some(u16::from_le_bytes(identity.get(..2)?.try_into().ok()?))
    }
}

/// A log, other than the health log, with counters of written bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WriteLog {
    /// OCP Datacenter NVMe SSD Specification 2.0, log C0h.
    Ocp,
    /// NVM Express Base Specification 2.3, FDP Statistics log 22h, of an endurance group.
    Fdp(u16),
    /// NVM Express Base Specification 2.3, Endurance Group Information log 09h.
    Group(u16),
    /// Log CAh of Intel and Solidigm drives (nvme-cli, plugins/intel, plugins/solidigm), with the
    /// UUID index if the drive has one.
    Vendor(Option<u8>),
    /// Log D0h of Micron drives that have no log FBh (nvme-cli, plugins/micron/micron-nvme.c:
    /// `init_d0_log_page`).
    Micron,
}

impl WriteLog {
    /// The logs that a drive supports.
    pub fn of_drive(logs: &NvmeLogs, disk: &str) -> Vec<WriteLog> {
        const INTEL: u16 = 0x8086;
        const SOLIDIGM: u16 = 0x025E;
        const MICRON: u16 = 0x1344;
        let group = logs.endurance_group(disk);
        let mut all = vec![WriteLog::Ocp];
        all.extend(group.into_iter().flat_map(|g| [WriteLog::Fdp(g), WriteLog::Group(g)]));
        match logs.vendor(disk) {
            Some(INTEL | SOLIDIGM) => all.push(WriteLog::Vendor(logs.solidigm_index(disk))),
            Some(MICRON) if logs.log(disk, 0xFB, LOG_BYTES, None).is_err() => {
                all.push(WriteLog::Micron);
            }
            _ => {}
        }
        all.retain(|log| log.read(logs, disk).is_some());
        // Both would be the count of media bytes.
        if all.contains(&WriteLog::Ocp) {
            all.retain(|log| *log != WriteLog::Micron);
        }
        all
    }

    /// Counters of the log; None if the drive does not have it.
    pub fn read(self, logs: &NvmeLogs, disk: &str) -> Option<Values> {
        let get = |id, bytes, of| logs.log(disk, id, bytes, of).ok();
        let values = match self {
            WriteLog::Ocp => ocp(&get(0xC0, LOG_BYTES, None)?)?,
            WriteLog::Fdp(group) => fdp(&get(0x22, 64, Some(group))?)?,
            WriteLog::Group(group) => endurance_group(&get(0x09, LOG_BYTES, Some(group))?)?,
            WriteLog::Vendor(index) => {
                let option = index.map(|index| format!("--uuid-index={index}"));
                vendor(&logs.log_with(disk, 0xCA, LOG_BYTES, option).ok()?)?
            }
            WriteLog::Micron => micron(&get(0xD0, LOG_BYTES, None)?, &logs.smart(disk).ok()?)?,
        };
        Some(values.into_iter().map(|(name, value)| (format!("{disk}_{name}"), value)).collect())
    }
}

/// A little-endian number of the log. Numbers of 16 bytes are rounded to a double.
pub fn number(log: &[u8], at: usize, bytes: usize) -> f64 {
    log[at..at + bytes].iter().rev().fold(0.0, |n, byte| n * 256.0 + f64::from(*byte))
}

/// Values of the health log; `written` bytes are host bytes.
pub fn smart(log: &[u8]) -> Result<Values> {
    if log.len() < LOG_BYTES {
        bail!("a health log of {} bytes", log.len());
    }
    const KELVIN: f64 = 273.0;
    let n = |at, bytes| number(log, at, bytes);
    let mut values: Values = [
        ("spare_percent", n(3, 1)),
        ("used_percent", n(5, 1)),
        ("host_read_bytes", n(32, 16) * DATA_UNIT_BYTES),
        ("host_written_bytes", n(48, 16) * DATA_UNIT_BYTES),
        (ErrorCounter::Media.name(), n(160, 16)),
        (ErrorCounter::Log.name(), n(176, 16)),
        ("warning_minutes", n(192, 4)),
        ("critical_minutes", n(196, 4)),
        ("throttle_light_count", n(216, 4)),
        ("throttle_heavy_count", n(220, 4)),
        (names::THROTTLE_LIGHT_S, n(224, 4)),
        (names::THROTTLE_HEAVY_S, n(228, 4)),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .into();
    // Zero kelvins: not reported.
    let kelvin = n(1, 2);
    if kelvin > 0.0 {
        values.insert(0, ("celsius".to_string(), kelvin - KELVIN));
    }
    // NVMe 2.3 and later; zero if the drive does not count it.
    let energy_wh = n(232, 8);
    if energy_wh > 0.0 {
        values.push(("lifetime_energy_wh".to_string(), energy_wh));
    }
    for sensor in 0..8 {
        let kelvin = n(200 + 2 * sensor, 2);
        // Zero: the drive has no such sensor.
        if kelvin > 0.0 {
            values.push((format!("sensor{}_celsius", sensor + 1), kelvin - KELVIN));
        }
    }
    Ok(values)
}

fn pair(source: CounterSource, host: f64, media: f64) -> Values {
    let name = |written| DriveCounter::name("", source, written).trim_matches('_').to_string();
    vec![(name(CounterKind::Host), host), (name(CounterKind::Media), media)]
}

/// An OCP drive's media statistics; None if the log is not OCP's.
fn ocp(log: &[u8]) -> Option<Values> {
    let guid = log.get(496..512)?;
    let n = |at, bytes| number(log, at, bytes);
    if guid == BOOT_GUID {
        let (tlc, slc, read) = (n(0, 16), n(16, 16), n(252, 16));
        let values = [("media_written_bytes", tlc + slc), ("media_read_bytes", read)];
        return Some(values.map(|(name, value)| (name.to_string(), value)).into());
    }
    (guid == OCP_GUID).then(|| {
        let values = [("media_written_bytes", n(0, 16)), ("media_read_bytes", n(16, 16))];
        let throttle = [("throttle_events", n(96, 1)), ("throttle_status", n(97, 1))];
        [values, throttle]
            .concat()
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect()
    })
}

/// Host and media bytes with metadata written (HBMW, MBMW).
fn fdp(log: &[u8]) -> Option<Values> {
    (log.len() >= 64).then(|| pair(CounterSource::Fdp, number(log, 0, 16), number(log, 16, 16)))
}

/// Data units written and media units written; a drive that does not count has zeroes there.
fn endurance_group(log: &[u8]) -> Option<Values> {
    const HOST: usize = 64;
    const MEDIA: usize = 80;
    if log.len() < MEDIA + 16 {
        return None;
    }
    let (host, media) = (number(log, HOST, 16), number(log, MEDIA, 16));
    let bytes = |units: f64| units * GROUP_UNIT_BYTES;
    (host > 0.0 && media > 0.0).then(|| pair(CounterSource::Group, bytes(host), bytes(media)))
}

/// The items F4h (NAND bytes written) and F5h (host bytes written) of log CAh, which have no fixed
/// offsets: a key, the normalized value at 3, the raw value of six bytes at 5. All zero on drives
/// of another vendor.
fn vendor(log: &[u8]) -> Option<Values> {
    const ITEM: usize = 12;
    let item = |key: u8| log.chunks_exact(ITEM).find(|item| item[0] == key);
    let raw = |key: u8| item(key).map(|item| number(item, 5, 6) * VENDOR_UNIT_BYTES);
    let (host, media) = (raw(0xF5)?, raw(0xF4)?);
    (host > 0.0 && media > 0.0).then(|| pair(CounterSource::Vendor, host, media))
}

/// NAND bytes written; the host's bytes are those of the health log. The log has no signature, and
/// its drives do not compress: less than half of the host's bytes is another layout.
fn micron(log: &[u8], health: &[u8]) -> Option<Values> {
    const WRITTEN: usize = 176;
    let (media, host) = (number(log, WRITTEN, 8), number(health, 48, 16) * DATA_UNIT_BYTES);
    let is_possible = media >= host / 2.0 && media <= 1_000.0 * host;
    (media > 0.0 && is_possible).then(|| vec![("media_written_bytes".to_string(), media)])
}

#[cfg(test)]
#[path = "tests_logs.rs"]
mod tests;
