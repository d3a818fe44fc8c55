//! The host's disclosure: server and BIOS, processors, memory, kernel and drivers, from /proc and
//! /sys. Unreadable values are omitted, not guessed.

use std::fs;
use std::path::Path;

use crate::base::{secret, units};
use crate::lab::machine::cgroup::{OwnGroup, number};
use crate::record::setup::{HostSetup, Settings};

pub(in crate::lab) fn read(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?.trim().to_string();
    (!text.is_empty()).then_some(text)
}

/// A file's number.
pub(in crate::lab) fn read_number(path: impl AsRef<Path>) -> Option<u64> {
    read(path)?.parse().ok()
}

/// The host's setup, without secrets.
pub fn gather() -> HostSetup {
    let mut setup = HostSetup::default();
    server(&mut setup);
    processors(&mut setup);
    memory(&mut setup);
    kernel(&mut setup);
    setup
}

fn server(setup: &mut HostSetup) {
    let dmi = |name: &str| read(format!("/sys/class/dmi/id/{name}"));
    setup.name = read("/proc/sys/kernel/hostname");
    setup.vendor = dmi("sys_vendor");
    setup.server = dmi("product_name");
    setup.board = dmi("board_name");
    let bios = [dmi("bios_vendor"), dmi("bios_version"), dmi("bios_date")];
    let bios: Vec<String> = bios.into_iter().flatten().collect();
    setup.bios = (!bios.is_empty()).then(|| bios.join(", "));
    let release = read("/etc/os-release").unwrap_or_default();
    setup.operating_system = release
        .lines()
        .find_map(|l| l.strip_prefix("PRETTY_NAME="))
        .map(|n| n.trim_matches('"').to_string());
    setup.virtual_machine = read("/sys/hypervisor/type").or_else(|| {
        let info = read("/proc/cpuinfo").unwrap_or_default();
        let flags = info.lines().find(|l| l.starts_with("flags")).unwrap_or_default();
        flags.split_whitespace().any(|f| f == "hypervisor").then(|| "yes".to_string())
    });
}

fn processors(setup: &mut HostSetup) {
    let info = read("/proc/cpuinfo").unwrap_or_default();
    let field = |key: &str| {
        let line = info.lines().find(|l| l.split(':').next().is_some_and(|k| k.trim() == key))?;
        line.split_once(':').map(|(_, v)| v.trim().to_string())
    };
    let distinct = |key: &str| {
        let mut all: Vec<&str> =
            info.lines().filter(|l| l.split(':').next().is_some_and(|k| k.trim() == key)).collect();
        all.sort_unstable();
        all.dedup();
        all.len() as u64
    };
    setup.cpu_model = field("model name");
    setup.cpu_sockets = Some(distinct("physical id")).filter(|n| *n > 0);
    setup.cores_per_socket = field("cpu cores").and_then(|n| n.parse().ok());
    setup.logical_processors = std::thread::available_parallelism().ok().map(|n| n.get() as u64);
    setup.smt = read("/sys/devices/system/cpu/smt/control");
    setup.microcode = field("microcode");
    let scaling = |name: &str| read(format!("/sys/devices/system/cpu/cpu0/cpufreq/{name}"));
    setup.governor = scaling("scaling_governor");
    setup.frequency_driver = scaling("scaling_driver");
    setup.energy_preference = scaling("energy_performance_preference");
    let highest_khz = scaling("cpuinfo_max_freq").and_then(|khz| khz.parse::<u64>().ok());
    setup.highest_frequency_hz = highest_khz.map(|khz| khz.saturating_mul(1000));
    setup.idle_driver = read("/sys/devices/system/cpu/cpuidle/current_driver");
    if let Ok(entries) = fs::read_dir("/sys/devices/system/cpu/vulnerabilities") {
        let mut on: Vec<String> = entries
            .flatten()
            .filter(|e| read(e.path()).is_some_and(|t| t.starts_with("Mitigation")))
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        on.sort_unstable();
        setup.mitigations = Some(on);
    }
    let nodes = fs::read_dir("/sys/devices/system/node").into_iter().flatten().flatten();
    let nodes = nodes.filter(|e| e.path().join("distance").exists()).count() as u64;
    setup.numa_nodes = Some(nodes).filter(|nodes| *nodes > 0);
}

/// `MemTotal`, bytes.
pub fn memory_bytes() -> Option<u64> {
    of_meminfo("MemTotal:")
}

/// A line of /proc/meminfo, bytes.
fn of_meminfo(name: &str) -> Option<u64> {
    let info = read("/proc/meminfo")?;
    let line = info.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The lowest memory limit of this process in bytes, and its source: the host, or one of its
/// control groups.
pub fn least_memory() -> Option<(String, u64)> {
    let own = OwnGroup::of("memory").ok().flatten();
    let of_group = |own: &OwnGroup, folder: &Path| {
        let bytes = number(&folder.join(own.version.limit()))?;
        Some((format!("the control group {}", folder.display()), bytes))
    };
    let groups = own.iter().flat_map(|own| own.levels().filter_map(|at| of_group(own, at)));
    let host = of_meminfo("MemAvailable:").map(|bytes| ("this host".to_string(), bytes));
    groups.chain(host).min_by_key(|(_, bytes)| *bytes)
}

fn memory(setup: &mut HostSetup) {
    setup.memory_bytes = memory_bytes();
    setup.memory_modules =
        fs::read("/sys/firmware/dmi/tables/DMI").map(|table| modules(&table)).unwrap_or_default();
    setup.swap_bytes = of_meminfo("SwapTotal:");
    setup.transparent_huge_pages = read("/sys/kernel/mm/transparent_hugepage/enabled");
    setup.dirty_ratio_percent = read_number("/proc/sys/vm/dirty_ratio");
    setup.dirty_background_ratio_percent = read_number("/proc/sys/vm/dirty_background_ratio");
    setup.swappiness = read_number("/proc/sys/vm/swappiness");
}

/// The memory modules in the SMBIOS table (DMTF DSP0134, type 17), with identical ones counted: "4
/// × 32 GiB DDR5 at 4800 MT/s".
fn modules(table: &[u8]) -> Vec<String> {
    const MODULE: u8 = 17;
    let mut found: Vec<(String, u32)> = Vec::new();
    let mut rest = table;
    while rest.len() >= 4 {
        let (kind, length) = (rest[0], usize::from(rest[1]));
        if length < 4 || length > rest.len() {
            break;
        }
        if kind == MODULE
            && let Some(what) = module(&rest[..length])
        {
            match found.iter_mut().find(|(known, _)| *known == what) {
                Some((_, n)) => *n += 1,
                None => found.push((what, 1)),
            }
        }
        // Strings follow the structure and end with two zeros.
        let strings = &rest[length..];
        let Some(end) = strings.windows(2).position(|w| w == [0, 0]) else { break };
        rest = &strings[end + 2..];
    }
    found.into_iter().map(|(what, n)| format!("{n} × {what}")).collect()
}

/// None for an empty slot.
fn module(of: &[u8]) -> Option<String> {
    let word = |at: usize| Some(u16::from_le_bytes([*of.get(at)?, *of.get(at + 1)?]));
    let size = word(0x0c)?;
    let bytes = match size {
        0 | 0xffff => return None,
        0x7fff => u64::from(u32::from_le_bytes(of.get(0x1c..0x20)?.try_into().ok()?)) << 20,
        kib if kib & 0x8000 != 0 => u64::from(kib & 0x7fff) << 10,
        mib => u64::from(mib) << 20,
    };
    let kind = match of.get(0x12)? {
        0x18 => "DDR3",
        0x1a => "DDR4",
        0x1e => "LPDDR4",
        0x22 => "DDR5",
        0x23 => "LPDDR5",
        _ => "memory",
    };
    // The configured speed, or in older tables the maximum.
    let speed =
        word(0x20).filter(|s| *s != 0).or_else(|| word(0x15)).filter(|s| !matches!(s, 0 | 0xffff));
    let speed = speed.map_or(String::new(), |s| format!(" at {s} MT/s"));
    Some(format!("{} {kind}{speed}", units::bytes(bytes)))
}

fn kernel(setup: &mut HostSetup) {
    setup.kernel_release = read("/proc/sys/kernel/osrelease");
    setup.kernel_build = read("/proc/sys/kernel/version");
    setup.kernel_command_line = read("/proc/cmdline").map(|line| secret::hide(&line));
    setup.clock_source = read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    setup.nvme_parameters = module_parameters("nvme");
    setup.nvme_core_parameters = module_parameters("nvme_core");
}

fn module_parameters(module: &str) -> Settings {
    let folder = format!("/sys/module/{module}/parameters");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let parameter =
        |e: fs::DirEntry| Some((e.file_name().to_string_lossy().into_owned(), read(e.path())?));
    let mut all: Settings = entries.filter_map(parameter).collect();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_modules_are_counted_from_the_firmwares_table_and_empty_slots_are_not() {
        let module = |mib: u16, kind: u8, speed: u16| {
            let mut one = vec![0u8; 0x28];
            (one[0], one[1], one[0x12]) = (17, 0x28, kind);
            one[0x0c..0x0e].copy_from_slice(&mib.to_le_bytes());
            one[0x20..0x22].copy_from_slice(&speed.to_le_bytes());
            [one, b"DIMM A1\0Maker\0\0".to_vec()].concat()
        };
        let bios = [vec![0, 5, 0, 0, 1], b"v1\0\0".to_vec()].concat();
        let mut large = module(0x7fff, 0x22, 4800);
        large[0x1c..0x20].copy_from_slice(&65_536u32.to_le_bytes());
        let table =
            [bios, module(16_384, 0x1a, 3200), module(0, 2, 0), module(16_384, 0x1a, 3200), large]
                .concat();
        assert_eq!(
            modules(&table),
            ["2 × 16 GiB DDR4 at 3200 MT/s", "1 × 64 GiB DDR5 at 4800 MT/s"]
        );
        assert!(
            modules(&table[..30]).is_empty() && modules(&[17, 0, 0, 0]).is_empty(),
            "a broken table ends it"
        );
    }
}
