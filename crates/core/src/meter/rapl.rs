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

/// Each package once. The same package has a zone of each interface of the processor (`intel-rapl`
/// by MSR, `intel-rapl-mmio`), and on AMD's processors of several dies each die shows the counter
/// of its package.
fn zones(root: PathBuf) -> Vec<Zone> {
    let mut found: Vec<(Zone, (String, String, bool, String))> = Vec::new();
    for folder in std::fs::read_dir(root).into_iter().flatten().flatten().map(|e| e.path()) {
        let read =
            |name: &str| std::fs::read_to_string(folder.join(name)).map(|t| t.trim().to_string());
        let Ok(own) = read("name") else { continue };
        let path = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (name, of) = if own.starts_with("package") {
            (power::CPU_WATTS, package(&own).to_string())
        } else if own == "dram" {
            // `intel-rapl:0:2` is a part of `intel-rapl:0`; its package is the parent's.
            let parent = path.rsplit_once(':').map_or("", |(parent, _)| parent);
            let of = std::fs::read_to_string(folder.with_file_name(parent).join("name"));
            let of = of.map_or(parent.to_string(), |name| package(name.trim()).to_string());
            (power::DRAM_WATTS, of)
        } else {
            continue;
        };
        let range_uj =
            read("max_energy_range_uj").ok().and_then(|n| n.parse().ok()).unwrap_or(f64::MAX);
        let last_uj = read("energy_uj").ok().and_then(|n| n.parse().ok());
        let Some(last_uj) = last_uj else { continue };
        let zone = Zone { file: folder.join("energy_uj"), name, range_uj, last_uj };
        let is_mmio = path.contains("mmio");
        found.push((zone, (name.to_string(), of, is_mmio, path)));
    }
    // The MSR's zone of a package comes first, and is the one that counts.
    found.sort_by(|a, b| a.1.cmp(&b.1));
    found.dedup_by(|later, first| (&later.1.0, &later.1.1) == (&first.1.0, &first.1.1));
    found.into_iter().map(|(zone, _)| zone).collect()
}

/// "package-0" of "package-0-die-1".
fn package(name: &str) -> &str {
    name.split_once("-die-").map_or(name, |(package, _)| package)
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
    #[test]
    fn a_package_counts_once_whatever_interfaces_and_dies_show_it() {
        let root = tempfile::tempdir().unwrap();
        for (folder, name) in [
            ("intel-rapl:0", "package-0"),
            ("intel-rapl:0:0", "core"),
            ("intel-rapl:0:1", "dram"),
            ("intel-rapl:1", "package-1"),
            ("intel-rapl:1:0", "dram"),
            ("intel-rapl-mmio:0", "package-0"),
            ("intel-rapl-mmio:0:0", "dram"),
            ("intel-rapl:2", "package-2-die-0"),
            ("intel-rapl:3", "package-2-die-1"),
            ("intel-rapl:4", "psys"),
        ] {
            let folder = root.path().join(folder);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("name"), format!("{name}\n")).unwrap();
            std::fs::write(folder.join("energy_uj"), "1\n").unwrap();
        }
        let of = |name: &str| -> Vec<String> {
            let own = zones(root.path().into()).into_iter().filter(|zone| zone.name == name);
            let folder = |zone: Zone| zone.file.parent().unwrap().file_name().unwrap().to_owned();
            own.map(|zone| folder(zone).into_string().unwrap()).collect()
        };
        assert_eq!(of("cpu_watts"), ["intel-rapl:0", "intel-rapl:1", "intel-rapl:2"]);
        assert_eq!(of("dram_watts"), ["intel-rapl:0:1", "intel-rapl:1:0"]);
    }
}
