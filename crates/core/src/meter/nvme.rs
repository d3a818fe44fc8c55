//! The drive's own counters: SMART / health log, and the OCP log if there is one, through nvme-cli.
//!
//! The logs are read in raw form at the specification's offsets, because the names in nvme-cli's
//! JSON differ between versions.

use std::process::{Command, Stdio};

use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, blocks, info};
use crate::base::error::{Context, Result, bail, failed};
use crate::plan::Info;
use crate::record::gauge::nvme as names;

/// The meter `nvme`.
pub struct Nvme;

static INFO: Info = info(
    "nvme",
    "temperatures, throttling, data units and media writes that NVMe drives count themselves",
    &[],
    "NVM Express Base Specification 2.3, SMART / Health log 02h; OCP Datacenter NVMe SSD \
     Specification 2.0, log C0h",
);

/// The health log.
pub const SMART: u8 = 0x02;
const OCP: u8 = 0xC0;
const LOG_BYTES: usize = 512;

/// 0xAFD514C97C6F4F9CA4F2BFEA2810AFC5, little endian: distinguishes an OCP log from another
/// vendor's C0h.
const OCP_GUID: [u8; 16] = [
    0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4, 0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF,
];

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
        let drives = disks(site)?.into_iter().map(|disk| (disk, true)).collect();
        Ok(Box::new(NvmeNamespaces(drives)))
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

/// Namespaces, and whether their OCP log is still queried.
struct NvmeNamespaces(Vec<(String, bool)>);

impl Probe for NvmeNamespaces {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        for (disk, ocp) in &mut self.0 {
            let values = smart(&log(disk, SMART)?)?;
            out.extend(
                values
                    .into_iter()
                    .map(|(name, value)| now.reading(format!("{disk}_{name}"), value)),
            );
            if *ocp {
                let values = log(disk, OCP).ok().and_then(|bytes| cloud(&bytes));
                *ocp = values.is_some();
                let values = values.unwrap_or_default();
                out.extend(
                    values
                        .into_iter()
                        .map(|(name, value)| now.reading(format!("{disk}_{name}"), value)),
                );
            }
        }
        Ok(())
    }
}

/// A log of the drive, raw.
pub fn log(disk: &str, id: u8) -> Result<Vec<u8>> {
    let mut command = Command::new("nvme");
    command.args([
        "get-log",
        &format!("/dev/{disk}"),
        &format!("--log-id={id:#x}"),
        &format!("--log-len={LOG_BYTES}"),
    ]);
    command.arg("--raw-binary").stdin(Stdio::null());
    let output = command.output().context("starting nvme; is nvme-cli installed?")?;
    if !output.status.success() {
        bail!("log {id:#x} of {disk}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

/// A little-endian number of the log; those of 16 bytes lose only precision beyond a double.
pub fn number(log: &[u8], at: usize, bytes: usize) -> f64 {
    log[at..at + bytes].iter().rev().fold(0.0, |n, byte| n * 256.0 + f64::from(*byte))
}

type Values = Vec<(String, f64)>;

fn smart(log: &[u8]) -> Result<Values> {
    if log.len() < LOG_BYTES {
        bail!("a health log of {} bytes", log.len());
    }
    const KELVIN: f64 = 273.0;
    // One data unit is a thousand blocks of 512 bytes.
    const UNIT_BYTES: f64 = 512_000.0;
    let n = |at, bytes| number(log, at, bytes);
    let mut values: Values = [
        ("celsius", n(1, 2) - KELVIN),
        ("spare_percent", n(3, 1)),
        ("used_percent", n(5, 1)),
        ("host_read_bytes", n(32, 16) * UNIT_BYTES),
        ("host_written_bytes", n(48, 16) * UNIT_BYTES),
        ("media_errors", n(160, 16)),
        ("warning_minutes", n(192, 4)),
        ("critical_minutes", n(196, 4)),
        ("throttle_light_count", n(216, 4)),
        ("throttle_heavy_count", n(220, 4)),
        (names::THROTTLE_LIGHT_S, n(224, 4)),
        (names::THROTTLE_HEAVY_S, n(228, 4)),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .into();
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

/// An OCP drive's media statistics; None if the log is not OCP's.
fn cloud(log: &[u8]) -> Option<Values> {
    let ours = log.len() >= LOG_BYTES && log[496..512] == OCP_GUID;
    let n = |at, bytes| number(log, at, bytes);
    ours.then(|| {
        let values = [("media_written_bytes", n(0, 16)), ("media_read_bytes", n(16, 16))];
        let throttle = [("throttle_events", n(96, 1)), ("throttle_status", n(97, 1))];
        [values, throttle]
            .concat()
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_health_log_is_read_by_the_specifications_offsets() {
        let mut log = vec![0u8; 512];
        log[1..3].copy_from_slice(&(273u16 + 41).to_le_bytes());
        log[48..64].copy_from_slice(&7u128.to_le_bytes());
        log[200..202].copy_from_slice(&(273u16 + 55).to_le_bytes());
        log[224..228].copy_from_slice(&90u32.to_le_bytes());
        let values = smart(&log).unwrap();
        let value = |name: &str| values.iter().find(|v| v.0 == name).map(|v| v.1);
        assert_eq!((value("celsius"), value("sensor1_celsius")), (Some(41.0), Some(55.0)));
        assert_eq!(
            (value("host_written_bytes"), value(names::THROTTLE_LIGHT_S)),
            (Some(7.0 * 512_000.0), Some(90.0))
        );
        assert_eq!(value("sensor2_celsius"), None, "a sensor that is not there");
        assert!(smart(&log[..100]).is_err());
    }

    #[test]
    fn media_writes_come_from_an_ocp_log_and_from_no_other() {
        let mut log = vec![0u8; 512];
        log[0..16].copy_from_slice(&(1u128 << 70).to_le_bytes());
        assert!(cloud(&log).is_none());
        log[496..512].copy_from_slice(&OCP_GUID);
        assert_eq!(
            cloud(&log).unwrap()[0],
            ("media_written_bytes".to_string(), (1u128 << 70) as f64)
        );
    }
}
