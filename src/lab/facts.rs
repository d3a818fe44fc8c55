//! The facts of the host and of what lies under each subject, gathered from /proc and /sys for the disclosure. What
//! cannot be read is left out: a guess would be worse.

use std::fs;
use std::path::{Path, PathBuf};

use crate::base::units;
use crate::plan::{Place, Subject};
use crate::record::Fact;

/// Host, processor, memory, kernel, and the filesystem and device under every drive of every subject.
pub fn gather(subjects: &[Subject]) -> Vec<Fact> {
    let mut facts = Vec::new();
    host(&mut facts);
    processor(&mut facts);
    memory(&mut facts);
    kernel(&mut facts);
    for subject in subjects {
        for (i, drive) in subject.drives.iter().enumerate() {
            let group = match subject.drives.len() {
                1 => format!("Drive: {}", subject.name),
                _ => format!("Drive: {} ({})", subject.name, i + 1),
            };
            under(&mut facts, &group, &drive.place);
        }
    }
    facts
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?.trim().to_string();
    (!text.is_empty()).then_some(text)
}

fn push(facts: &mut Vec<Fact>, group: &str, name: &str, value: Option<String>) {
    if let Some(value) = value {
        facts.push(Fact::new(group, name, value));
    }
}

fn host(facts: &mut Vec<Fact>) {
    let dmi = |name: &str| read(format!("/sys/class/dmi/id/{name}"));
    push(facts, "Host", "Vendor", dmi("sys_vendor"));
    push(facts, "Host", "Server", dmi("product_name"));
    push(facts, "Host", "BIOS", dmi("bios_version"));
    let release = read("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|l| l.strip_prefix("PRETTY_NAME=")).map(|n| n.trim_matches('"').to_string());
    push(facts, "Host", "Operating system", name);
}

fn processor(facts: &mut Vec<Fact>) {
    let info = read("/proc/cpuinfo").unwrap_or_default();
    let field = |key: &str| {
        let line = info.lines().find(|l| l.split(':').next().is_some_and(|k| k.trim() == key))?;
        line.split_once(':').map(|(_, v)| v.trim().to_string())
    };
    push(facts, "CPU", "Model", field("model name"));
    push(facts, "CPU", "Logical processors", std::thread::available_parallelism().ok().map(|n| n.to_string()));
    push(facts, "CPU", "SMT", read("/sys/devices/system/cpu/smt/control"));
    push(facts, "CPU", "Governor", read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    if let Ok(entries) = fs::read_dir("/sys/devices/system/cpu/vulnerabilities") {
        let on: Vec<String> = entries
            .flatten()
            .filter(|e| read(e.path()).is_some_and(|t| t.starts_with("Mitigation")))
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        facts.push(Fact::new("CPU", "Mitigations", if on.is_empty() { "none".into() } else { on.join(", ") }));
    }
}

fn memory(facts: &mut Vec<Fact>) {
    let info = read("/proc/meminfo").unwrap_or_default();
    let kib = |key: &str| {
        let line = info.lines().find(|l| l.starts_with(key))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    push(facts, "Memory", "Total", kib("MemTotal:").map(|k| units::bytes(k * 1024)));
    push(facts, "Memory", "Swap", kib("SwapTotal:").map(|k| units::bytes(k * 1024)));
    push(facts, "Memory", "Transparent huge pages", read("/sys/kernel/mm/transparent_hugepage/enabled"));
}

fn kernel(facts: &mut Vec<Fact>) {
    push(facts, "Kernel", "Release", read("/proc/sys/kernel/osrelease"));
    push(facts, "Kernel", "Command line", read("/proc/cmdline"));
    push(facts, "Kernel", "Clock source", read("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
}

/// The filesystem that a path is on, as /proc/self/mountinfo has it.
struct Mount {
    device: String,
    point: String,
    kind: String,
    source: String,
    options: String,
}

fn mount_of(path: &Path) -> Option<Mount> {
    let path = path.canonicalize().ok()?;
    let table = read("/proc/self/mountinfo")?;
    let mounts = table.lines().filter_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let (left, right): (Vec<&str>, Vec<&str>) = (left.split(' ').collect(), right.split(' ').collect());
        Some(Mount {
            device: left.get(2)?.to_string(),
            point: left.get(4)?.to_string(),
            kind: right.first()?.to_string(),
            source: right.get(1)?.to_string(),
            options: format!("{},{}", left.get(5)?, right.get(2)?),
        })
    });
    mounts.filter(|m| path.starts_with(&m.point)).max_by_key(|m| m.point.len())
}

fn under(facts: &mut Vec<Fact>, group: &str, place: &Place) {
    facts.push(Fact::new(group, "Path", place.path().display()));
    let block = match place {
        Place::Directory(path) => {
            let Some(mount) = mount_of(path) else { return };
            facts.push(Fact::new(group, "Filesystem", format!("{} on {}", mount.kind, mount.source)));
            facts.push(Fact::new(group, "Mount options", &mount.options));
            PathBuf::from("/sys/dev/block").join(&mount.device)
        }
        Place::Device { path, .. } => {
            let name = path.canonicalize().ok().and_then(|p| p.file_name().map(|n| n.to_owned()));
            PathBuf::from("/sys/class/block").join(name.unwrap_or_default())
        }
    };
    block_device(facts, group, &block);
}

/// What sysfs says of a block device; a partition's whole disk is asked.
fn block_device(facts: &mut Vec<Fact>, group: &str, sysfs: &Path) {
    let Ok(own) = sysfs.canonicalize() else { return };
    let disk = if own.join("partition").exists() { own.parent().map(Path::to_path_buf).unwrap_or(own) } else { own };
    let get = |name: &str| read(disk.join(name));
    push(facts, group, "Device", disk.file_name().map(|n| n.to_string_lossy().into_owned()));
    push(facts, group, "Model", get("device/model"));
    push(facts, group, "Serial", get("device/serial").or_else(|| get("serial")));
    push(facts, group, "Firmware", get("device/firmware_rev"));
    let sectors = get("size").and_then(|s| s.parse::<u64>().ok());
    push(facts, group, "Capacity", sectors.map(|s| units::bytes(s * 512)));
    push(facts, group, "Logical block size", get("queue/logical_block_size").map(|b| format!("{b} bytes")));
    push(facts, group, "Scheduler", get("queue/scheduler"));
    push(facts, group, "Write cache", get("queue/write_cache"));
    push(facts, group, "Link speed", get("device/device/current_link_speed"));
    push(facts, group, "Link width", get("device/device/current_link_width"));
    push(facts, group, "NUMA node", get("device/device/numa_node"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filesystem_of_a_directory_is_disclosed() {
        let facts = gather(&[Subject {
            name: "A".into(),
            drives: vec![crate::plan::Drive {
                place: Place::Directory("/proc".into()),
                erase: false,
                erase_signatures: Vec::new(),
                namespaces: Vec::new(),
            }],
            meters: Vec::new(),
        }]);
        let found = facts.iter().find(|f| f.group == "Drive: A" && f.name == "Filesystem");
        assert_eq!(found.map(|f| f.value.as_str()), Some("proc on proc"));
        assert!(facts.iter().any(|f| f.group == "Kernel" && f.name == "Release"));
    }
}
