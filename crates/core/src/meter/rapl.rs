//! The processor's own energy counters (RAPL), as power: the sum of packages, and DRAM if
//! available.

use std::path::PathBuf;

use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use crate::base::error::{Context, Result, failed};
use crate::plan::Info;
use crate::record::gauge::power;

/// The meter `rapl`.
pub struct Rapl;

static INFO: Info = info(
    "rapl",
    "power of the processor packages and of DRAM, from the processor's energy counters",
    &[],
    "Linux, Documentation/power/powercap/powercap.rst",
);

impl Meter for Rapl {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, _: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        let zones = zones("/sys/class/powercap".into());
        if zones.is_empty() {
            let next = "RAPL needs a processor and kernel that offer it, and root to read it; \
                        virtual machines have none";
            return Err(failed("there are no energy counters in /sys/class/powercap", next));
        }
        Ok(Box::new(Zones { zones, last_ns: 0 }))
    }
}

struct Zone {
    file: PathBuf,
    name: &'static str,
    /// The value at which the counter wraps.
    range_uj: f64,
    last_uj: f64,
}

struct Zones {
    zones: Vec<Zone>,
    last_ns: u64,
}

fn zones(root: PathBuf) -> Vec<Zone> {
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root).into_iter().flatten().flatten().map(|e| e.path()) {
        let read =
            |name: &str| std::fs::read_to_string(folder.join(name)).map(|t| t.trim().to_string());
        let name = match read("name") {
            Ok(name) if name.starts_with("package") => power::CPU_WATTS,
            Ok(name) if name == "dram" => power::DRAM_WATTS,
            _ => continue,
        };
        let range_uj =
            read("max_energy_range_uj").ok().and_then(|n| n.parse().ok()).unwrap_or(f64::MAX);
        let last_uj = read("energy_uj").ok().and_then(|n| n.parse().ok());
        found.extend(last_uj.map(|last_uj| Zone {
            file: folder.join("energy_uj"),
            name,
            range_uj,
            last_uj,
        }));
    }
    found
}

impl Probe for Zones {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        let mut sums: Vec<(&str, f64)> = Vec::new();
        for zone in &mut self.zones {
            let text = std::fs::read_to_string(&zone.file)
                .with_context(|| format!("reading {}", zone.file.display()))?;
            let uj: f64 = text.trim().parse().context("an energy counter that is not a number")?;
            let used = if uj >= zone.last_uj {
                uj - zone.last_uj
            } else {
                uj + zone.range_uj - zone.last_uj
            };
            zone.last_uj = uj;
            match sums.iter_mut().find(|s| s.0 == zone.name) {
                Some(sum) => sum.1 += used,
                None => sums.push((zone.name, used)),
            }
        }
        let (from, seconds) = (self.last_ns, (now.ns - self.last_ns) as f64 / 1e9);
        self.last_ns = now.ns;
        // The first reading has no predecessor.
        if from > 0 && seconds > 0.0 {
            out.extend(sums.into_iter().map(|(name, uj)| {
                // The mean over the interval is assigned to its middle.
                Reading {
                    at_ns: ((from + now.ns) / 2) as i64,
                    name: name.into(),
                    value: uj / 1e6 / seconds,
                }
            }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_becomes_power_and_a_counter_may_begin_again() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("intel-rapl:0");
        std::fs::create_dir(&folder).unwrap();
        let set = |name: &str, value: &str| std::fs::write(folder.join(name), value).unwrap();
        set("name", "package-0");
        set("max_energy_range_uj", "100000000");
        set("energy_uj", "90000000");
        let mut probe = Zones { zones: zones(root.path().into()), last_ns: 0 };
        let mut out = Vec::new();
        let s = 1_000_000_000;
        probe.read(ReadingTime { ns: s, unix_ns: 0 }, &mut out).unwrap();
        set("energy_uj", "10000000");
        probe.read(ReadingTime { ns: 3 * s, unix_ns: 0 }, &mut out).unwrap();
        assert_eq!(out, [Reading { at_ns: 2 * s as i64, name: "cpu_watts".into(), value: 10.0 }]);
    }
}
