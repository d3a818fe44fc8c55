//! The host's disclosure: server and BIOS, processors, memory, kernel and drivers, from /proc and
//! /sys. Unreadable values are omitted, not guessed.

use std::fs;
use std::path::Path;

use crate::base::{secret, units};
use crate::lab::machine::cgroup::{OwnGroup, number};
use crate::record::Fact;
use crate::record::key::{FactHeading, FactKey, cpu, host, kernel, memory};

pub(in crate::lab) fn read(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?.trim().to_string();
    (!text.is_empty()).then_some(text)
}

/// Adds a fact, if there is one, without secrets.
pub(in crate::lab) fn push(facts: &mut Vec<Fact>, group: &str, name: &str, value: Option<String>) {
    if let Some(value) = value {
        facts.push(Fact::new(group, name, secret::hide(&value)));
    }
}

/// The same for facts with a known key.
fn push_key(facts: &mut Vec<Fact>, key: FactKey, value: Option<String>) {
    push(facts, key.heading.map_or("", FactHeading::name), key.name, value);
}

pub fn gather(facts: &mut Vec<Fact>) {
    of_server(facts);
    of_processor(facts);
    of_memory(facts);
    of_kernel(facts);
}

fn of_server(facts: &mut Vec<Fact>) {
    let dmi = |name: &str| read(format!("/sys/class/dmi/id/{name}"));
    push_key(facts, host::NAME, read("/proc/sys/kernel/hostname"));
    push_key(facts, host::VENDOR, dmi("sys_vendor"));
    push_key(facts, host::SERVER, dmi("product_name"));
    push_key(facts, host::BOARD, dmi("board_name"));
    let bios = [dmi("bios_vendor"), dmi("bios_version"), dmi("bios_date")];
    let bios: Vec<String> = bios.into_iter().flatten().collect();
    push_key(facts, host::BIOS, (!bios.is_empty()).then(|| bios.join(", ")));
    let release = read("/etc/os-release").unwrap_or_default();
    let name = release
        .lines()
        .find_map(|l| l.strip_prefix("PRETTY_NAME="))
        .map(|n| n.trim_matches('"').to_string());
    push_key(facts, host::OPERATING_SYSTEM, name);
    let virtual_of = read("/sys/hypervisor/type").or_else(|| {
        let info = read("/proc/cpuinfo").unwrap_or_default();
        let flags = info.lines().find(|l| l.starts_with("flags")).unwrap_or_default();
        flags.split_whitespace().any(|f| f == "hypervisor").then(|| "yes".to_string())
    });
    push_key(facts, host::VIRTUAL_MACHINE, virtual_of);
}

fn of_processor(facts: &mut Vec<Fact>) {
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
        all.len()
    };
    push_key(facts, cpu::MODEL, field("model name"));
    push_key(
        facts,
        cpu::SOCKETS,
        Some(distinct("physical id")).filter(|n| *n > 0).map(|n| n.to_string()),
    );
    push_key(facts, cpu::CORES, field("cpu cores"));
    push_key(
        facts,
        cpu::LOGICAL_PROCESSORS,
        std::thread::available_parallelism().ok().map(|n| n.to_string()),
    );
    push_key(facts, cpu::SMT, read("/sys/devices/system/cpu/smt/control"));
    push(facts, FactHeading::Cpu.name(), "Microcode", field("microcode"));
    let scaling = |name: &str| read(format!("/sys/devices/system/cpu/cpu0/cpufreq/{name}"));
    push_key(facts, cpu::GOVERNOR, scaling("scaling_governor"));
    push_key(facts, cpu::FREQUENCY_DRIVER, scaling("scaling_driver"));
    push(
        facts,
        FactHeading::Cpu.name(),
        "Energy preference",
        scaling("energy_performance_preference"),
    );
    let highest = scaling("cpuinfo_max_freq").and_then(|khz| khz.parse::<f64>().ok());
    push_key(facts, cpu::HIGHEST_FREQUENCY, highest.map(|khz| format!("{:.2} GHz", khz / 1e6)));
    push(
        facts,
        FactHeading::Cpu.name(),
        "Idle driver",
        read("/sys/devices/system/cpu/cpuidle/current_driver"),
    );
    if let Ok(entries) = fs::read_dir("/sys/devices/system/cpu/vulnerabilities") {
        let mut on: Vec<String> = entries
            .flatten()
            .filter(|e| read(e.path()).is_some_and(|t| t.starts_with("Mitigation")))
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        on.sort_unstable();
        push_key(
            facts,
            cpu::MITIGATIONS,
            Some(if on.is_empty() { "none".into() } else { on.join(", ") }),
        );
    }
    let nodes = fs::read_dir("/sys/devices/system/node").into_iter().flatten().flatten();
    let nodes = nodes.filter(|e| e.path().join("distance").exists()).count();
    push_key(facts, cpu::NUMA_NODES, (nodes > 0).then(|| nodes.to_string()));
}

/// `MemTotal`, bytes.
pub fn memory_bytes() -> Option<u64> {
    of_meminfo("MemTotal:")
}

fn of_meminfo(name: &str) -> Option<u64> {
    let info = read("/proc/meminfo")?;
    let line = info.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok()?.checked_mul(1024)
}

/// What limits the memory of this process most, and to how many bytes: its host, or one of its
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

fn of_memory(facts: &mut Vec<Fact>) {
    let info = read("/proc/meminfo").unwrap_or_default();
    let kib = |key: &str| {
        let line = info.lines().find(|l| l.starts_with(key))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    push_key(facts, memory::TOTAL, kib("MemTotal:").map(|k| units::bytes(k * 1024)));
    let modules =
        fs::read("/sys/firmware/dmi/tables/DMI").map(|table| modules(&table)).unwrap_or_default();
    push_key(facts, memory::MODULES, (!modules.is_empty()).then(|| modules.join("; ")));
    push(
        facts,
        FactHeading::Memory.name(),
        "Swap",
        kib("SwapTotal:").map(|k| units::bytes(k * 1024)),
    );
    push_key(facts, memory::HUGE_PAGES, read("/sys/kernel/mm/transparent_hugepage/enabled"));
    for name in ["dirty_ratio", "dirty_background_ratio", "swappiness"] {
        push(
            facts,
            FactHeading::Memory.name(),
            &format!("vm.{name}"),
            read(format!("/proc/sys/vm/{name}")),
        );
    }
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

fn of_kernel(facts: &mut Vec<Fact>) {
    push_key(facts, kernel::RELEASE, read("/proc/sys/kernel/osrelease"));
    push(facts, FactHeading::Kernel.name(), "Build", read("/proc/sys/kernel/version"));
    push_key(facts, kernel::COMMAND_LINE, read("/proc/cmdline"));
    push(
        facts,
        FactHeading::Kernel.name(),
        "Clock source",
        read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
    );
    for (key, module) in kernel::DRIVERS {
        let folder = format!("/sys/module/{module}/parameters");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let set = |e: fs::DirEntry| {
            Some(format!("{}={}", e.file_name().to_string_lossy(), read(e.path())?))
        };
        let mut all: Vec<String> = entries.filter_map(set).collect();
        all.sort_unstable();
        push_key(facts, key, (!all.is_empty()).then(|| all.join(" ")));
    }
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

    #[test]
    fn the_kernels_command_line_keeps_no_secret() {
        let mut facts = Vec::new();
        push_key(&mut facts, kernel::COMMAND_LINE, Some("root=/dev/vda token=abc123 quiet".into()));
        assert_eq!(facts[0].value, "root=/dev/vda token=*** quiet");
    }
}
