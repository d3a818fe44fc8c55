//! The facts known to both a writer and a reader of bundles: heading and name. Facts that are only
//! listed are named where they are collected.

use super::Fact;

/// The subject of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactHeading {
    /// The measuring program.
    Dyno,
    /// The server and its operating system.
    Host,
    /// The processors.
    Cpu,
    /// The memory of the host.
    Memory,
    /// The kernel and the parameters of its drivers.
    Kernel,
    /// One drive; followed by its subject's name.
    Drive,
}

impl FactHeading {
    /// All headings, in order of disclosure.
    pub const ALL: [FactHeading; 6] = [
        FactHeading::Dyno,
        FactHeading::Host,
        FactHeading::Cpu,
        FactHeading::Memory,
        FactHeading::Kernel,
        FactHeading::Drive,
    ];

    /// The heading in a bundle and in a brief.
    pub const fn name(self) -> &'static str {
        match self {
            FactHeading::Dyno => "Dyno",
            FactHeading::Host => "Host",
            FactHeading::Cpu => "CPU",
            FactHeading::Memory => "Memory",
            FactHeading::Kernel => "Kernel",
            FactHeading::Drive => "Drive",
        }
    }

    /// Whether it describes the location of a run, apart from the drives.
    pub fn is_of_host(self) -> bool {
        matches!(
            self,
            FactHeading::Host | FactHeading::Cpu | FactHeading::Memory | FactHeading::Kernel
        )
    }
}

/// The name of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactKey {
    /// None: each engine has its own heading, the name of its software.
    pub heading: Option<FactHeading>,
    /// The fact's name under its heading.
    pub name: &'static str,
}

impl FactKey {
    /// The fact under its heading; an engine's goes under `under`.
    pub fn fact(self, under: &str, value: impl ToString) -> Fact {
        Fact::new(self.heading.map_or(under, |heading| heading.name()), self.name, value)
    }
}

const fn of(heading: FactHeading, name: &'static str) -> FactKey {
    FactKey { heading: Some(heading), name }
}

/// The measuring program.
pub mod dyno {
    use super::*;
    /// Dyno's version, as `dyno --version` prints it.
    pub const VERSION: FactKey = of(FactHeading::Dyno, "Version");
}

/// The physical devices of the subjects' drives.
pub mod devices {
    /// Heading of the facts, each named after its subject.
    pub const GROUP: &str = "Physical devices";
    /// The name of the fact that lists subjects which share a device.
    pub const SHARED: &str = "Shared by subjects";
}

/// The course of a point's load.
pub mod load {
    use super::*;
    /// By how much the load fell behind its schedule, if that ended the point.
    pub const FELL_BEHIND: FactKey = FactKey { heading: None, name: "Fell behind" };
    /// Heading of the load's memory use, if its step limits it.
    pub const MEMORY_OF_LOAD: &str = "Memory of the load";
    /// Heading of the processors of a stream's workers: "0-3,8: …".
    pub const PROCESSORS_OF_WORKERS: &str = "Processors of workers";
}

/// The server: from DMI (/sys/class/dmi/id) and /etc/os-release.
pub mod host {
    use super::*;
    /// The host's name (`uname -n`), by which a fleet's drives are grouped.
    pub const NAME: FactKey = of(FactHeading::Host, "Name");
    /// Maker of the server (`sys_vendor`).
    pub const VENDOR: FactKey = of(FactHeading::Host, "Vendor");
    /// Model of the server (`product_name`).
    pub const SERVER: FactKey = of(FactHeading::Host, "Server");
    /// Mainboard (`board_name`).
    pub const BOARD: FactKey = of(FactHeading::Host, "Board");
    /// Vendor, version and date of the firmware (`bios_vendor`, `bios_version`, `bios_date`).
    pub const BIOS: FactKey = of(FactHeading::Host, "BIOS");
    /// Distribution and version (`PRETTY_NAME`).
    pub const OPERATING_SYSTEM: FactKey = of(FactHeading::Host, "Operating system");
    /// The hypervisor, or "yes" if only the processor's flag indicates one.
    pub const VIRTUAL_MACHINE: FactKey = of(FactHeading::Host, "Virtual machine");
}

/// The processors: from /proc/cpuinfo and /sys/devices/system/cpu.
pub mod cpu {
    use super::*;
    /// Model name.
    pub const MODEL: FactKey = of(FactHeading::Cpu, "Model");
    /// Number of sockets.
    pub const SOCKETS: FactKey = of(FactHeading::Cpu, "Sockets");
    /// Physical cores of each socket.
    pub const CORES: FactKey = of(FactHeading::Cpu, "Cores a socket");
    /// Processors used by the kernel's scheduler.
    pub const LOGICAL_PROCESSORS: FactKey = of(FactHeading::Cpu, "Logical processors");
    /// Simultaneous multithreading: `on`, `off`, `notsupported` (smt/control).
    pub const SMT: FactKey = of(FactHeading::Cpu, "SMT");
    /// Frequency governor (`scaling_governor`).
    pub const GOVERNOR: FactKey = of(FactHeading::Cpu, "Governor");
    /// Frequency driver (`scaling_driver`).
    pub const FREQUENCY_DRIVER: FactKey = of(FactHeading::Cpu, "Frequency driver");
    /// Highest frequency, in GHz (`cpuinfo_max_freq`).
    pub const HIGHEST_FREQUENCY: FactKey = of(FactHeading::Cpu, "Highest frequency");
    /// Vulnerabilities with an active mitigation.
    pub const MITIGATIONS: FactKey = of(FactHeading::Cpu, "Mitigations");
    /// Number of NUMA nodes.
    pub const NUMA_NODES: FactKey = of(FactHeading::Cpu, "NUMA nodes");
}

/// The host's memory: from /proc/meminfo, DMI and sysfs.
pub mod memory {
    use super::*;
    /// `MemTotal`.
    pub const TOTAL: FactKey = of(FactHeading::Memory, "Total");
    /// Number, size, type and speed of the modules (SMBIOS, DMTF DSP0134, type 17).
    pub const MODULES: FactKey = of(FactHeading::Memory, "Modules");
    /// The line of transparent_hugepage/enabled, with the selected value in brackets.
    pub const HUGE_PAGES: FactKey = of(FactHeading::Memory, "Transparent huge pages");
}

/// The kernel: from uname(2), /proc/cmdline and /sys/module.
pub mod kernel {
    use super::*;
    /// Release, as `uname -r` prints it.
    pub const RELEASE: FactKey = of(FactHeading::Kernel, "Release");
    /// Boot parameters.
    pub const COMMAND_LINE: FactKey = of(FactHeading::Kernel, "Command line");
    /// The parameters of a driver's module, and the module.
    pub const DRIVERS: [(FactKey, &str); 2] = [
        (of(FactHeading::Kernel, "Driver nvme"), "nvme"),
        (of(FactHeading::Kernel, "Driver nvme_core"), "nvme_core"),
    ];
}

/// One drive: from sysfs and the mount table. For a partition, those of its whole disk.
pub mod drive {
    use super::*;
    /// Model number.
    pub const MODEL: FactKey = of(FactHeading::Drive, "Model");
    /// Serial number.
    pub const SERIAL: FactKey = of(FactHeading::Drive, "Serial");
    /// Firmware revision.
    pub const FIRMWARE: FactKey = of(FactHeading::Drive, "Firmware");
    /// Wear, spare blocks and errors, as reported by the drive.
    pub const HEALTH: FactKey = of(FactHeading::Drive, "Health log");
    /// Size of the device.
    pub const CAPACITY: FactKey = of(FactHeading::Drive, "Capacity");
    /// Size of a logical block, in bytes.
    pub const LOGICAL_BLOCK_SIZE: FactKey = of(FactHeading::Drive, "Logical block size");
    /// Metadata of each logical block, in bytes, if its LBA format has any.
    pub const METADATA: FactKey = of(FactHeading::Drive, "Metadata");
    /// Used share of the filesystem, or of the namespace (NVMe's NUSE), in percent.
    pub const FILLED: FactKey = of(FactHeading::Drive, "Filled");
    /// Type of the filesystem of the subject's folder.
    pub const FILESYSTEM: FactKey = of(FactHeading::Drive, "Filesystem");
    /// Mount options of this filesystem.
    pub const MOUNT_OPTIONS: FactKey = of(FactHeading::Drive, "Mount options");
    /// Current PCIe transfer rate of the link (`current_link_speed`).
    pub const LINK_SPEED: FactKey = of(FactHeading::Drive, "Link speed");
    /// Current number of PCIe lanes of the link (`current_link_width`).
    pub const LINK_WIDTH: FactKey = of(FactHeading::Drive, "Link width");
    /// The drive's NUMA node.
    pub const NUMA_NODE: FactKey = of(FactHeading::Drive, "NUMA node");
    /// I/O scheduler of the block layer.
    pub const SCHEDULER: FactKey = of(FactHeading::Drive, "Scheduler");
    /// Settings of the block layer's queue, as `name=value`.
    pub const QUEUE: FactKey = of(FactHeading::Drive, "Queue");
    /// State of the drive's volatile write cache when its points were measured: `on`, `off`, `none`
    /// (Identify VWC and feature 06h of NVMe drives; `queue/write_cache` of others).
    pub const VOLATILE_CACHE: FactKey = of(FactHeading::Drive, "Volatile write cache");
    /// The same after the run.
    pub const VOLATILE_CACHE_AFTER: FactKey = of(FactHeading::Drive, "Volatile write cache after");
    /// `write back` if a volatile write cache is on, otherwise `write through`
    /// (`queue/write_cache`).
    pub const WRITE_CACHE: FactKey = of(FactHeading::Drive, "Write cache");
}

/// Facts with the same name for every engine.
pub mod engine {
    use super::*;
    /// Version of the library or server.
    pub const VERSION: FactKey = FactKey { heading: None, name: "Version" };
    /// The server's complete version text.
    pub const VERSION_IN_FULL: FactKey = FactKey { heading: None, name: "Version, in full" };
    /// Settings by the server's own names.
    pub const SETTINGS: FactKey = FactKey { heading: None, name: "Settings" };
    /// Of a library in the same process.
    pub const OPTIONS: FactKey = FactKey { heading: None, name: "Options" };
    /// Size of RocksDB's block cache.
    pub const BLOCK_CACHE: FactKey = FactKey { heading: None, name: "Block cache" };
    /// Settings derived from knobs of a plan.
    pub const OF_KNOBS: [FactKey; 3] = [OPTIONS, BLOCK_CACHE, SETTINGS];
}

/// The beginning of a note that an import makes about subjects whose loads differ.
pub const NOT_COMPARED: &str = "not compared in";
