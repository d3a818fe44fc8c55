//! The facts that both a writer and a reader of bundles know: heading and name. Facts that are only
//! listed are named where they are gathered.

use super::Fact;

/// What a fact is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// The program that measured.
    Dyno,
    /// The server and its operating system.
    Host,
    /// The processors.
    Cpu,
    /// The memory of the host.
    Memory,
    /// The kernel and the parameters of its drivers.
    Kernel,
    /// Of one drive; its subject's name follows.
    Drive,
}

impl Heading {
    /// All of them, in the order in which they are disclosed.
    pub const ALL: [Heading; 6] = [
        Heading::Dyno,
        Heading::Host,
        Heading::Cpu,
        Heading::Memory,
        Heading::Kernel,
        Heading::Drive,
    ];

    /// The heading as it stands in a bundle and in a brief.
    pub const fn name(self) -> &'static str {
        match self {
            Heading::Dyno => "Dyno",
            Heading::Host => "Host",
            Heading::Cpu => "CPU",
            Heading::Memory => "Memory",
            Heading::Kernel => "Kernel",
            Heading::Drive => "Drive",
        }
    }

    /// Whether it says where a run was made, apart from the drives.
    pub fn is_of_host(self) -> bool {
        matches!(self, Heading::Host | Heading::Cpu | Heading::Memory | Heading::Kernel)
    }
}

/// What a fact is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// None: each engine has a heading of its own, the name of what it runs.
    pub heading: Option<Heading>,
    /// The fact's name under its heading.
    pub name: &'static str,
}

impl Key {
    /// The fact under its heading; an engine's goes under `under`.
    pub fn fact(self, under: &str, value: impl ToString) -> Fact {
        Fact::new(self.heading.map_or(under, |heading| heading.name()), self.name, value)
    }
}

const fn of(heading: Heading, name: &'static str) -> Key {
    Key { heading: Some(heading), name }
}

/// The program that measured.
pub mod dyno {
    use super::*;
    /// Dyno's version, as `dyno --version` prints it.
    pub const VERSION: Key = of(Heading::Dyno, "Version");
}

/// What the subjects' drives lie on.
pub mod devices {
    /// Heading of the facts, each named after its subject.
    pub const GROUP: &str = "Physical devices";
    /// The name of the fact that says which subjects share a device.
    pub const SHARED: &str = "Shared by subjects";
}

/// How a point's load went.
pub mod load {
    use super::*;
    /// By how much, where a point ended because its load fell too far behind its schedule.
    pub const FELL_BEHIND: Key = Key { heading: None, name: "Fell behind" };
    /// Heading of what the load had of the memory, where its step limits it.
    pub const MEMORY_OF_LOAD: &str = "Memory of the load";
    /// Heading of the processors that a stream's workers had: "0-3,8: …".
    pub const PROCESSORS_OF_WORKERS: &str = "Processors of workers";
}

/// The server: from DMI (/sys/class/dmi/id) and /etc/os-release.
pub mod host {
    use super::*;
    /// The host's name (`uname -n`), by which a fleet's drives are grouped.
    pub const NAME: Key = of(Heading::Host, "Name");
    /// Maker of the server (`sys_vendor`).
    pub const VENDOR: Key = of(Heading::Host, "Vendor");
    /// Model of the server (`product_name`).
    pub const SERVER: Key = of(Heading::Host, "Server");
    /// Mainboard (`board_name`).
    pub const BOARD: Key = of(Heading::Host, "Board");
    /// Vendor, version and date of the firmware (`bios_vendor`, `bios_version`, `bios_date`).
    pub const BIOS: Key = of(Heading::Host, "BIOS");
    /// Distribution and version (`PRETTY_NAME`).
    pub const OPERATING_SYSTEM: Key = of(Heading::Host, "Operating system");
    /// The hypervisor, or "yes" where only the processor's flag shows one.
    pub const VIRTUAL_MACHINE: Key = of(Heading::Host, "Virtual machine");
}

/// The processors: from /proc/cpuinfo and /sys/devices/system/cpu.
pub mod cpu {
    use super::*;
    /// Model name.
    pub const MODEL: Key = of(Heading::Cpu, "Model");
    /// Number of sockets.
    pub const SOCKETS: Key = of(Heading::Cpu, "Sockets");
    /// Physical cores of each socket.
    pub const CORES: Key = of(Heading::Cpu, "Cores a socket");
    /// Processors that the kernel schedules on.
    pub const LOGICAL_PROCESSORS: Key = of(Heading::Cpu, "Logical processors");
    /// Simultaneous multithreading: `on`, `off`, `notsupported` (smt/control).
    pub const SMT: Key = of(Heading::Cpu, "SMT");
    /// Frequency governor (`scaling_governor`).
    pub const GOVERNOR: Key = of(Heading::Cpu, "Governor");
    /// Frequency driver (`scaling_driver`).
    pub const FREQUENCY_DRIVER: Key = of(Heading::Cpu, "Frequency driver");
    /// Highest frequency, in GHz (`cpuinfo_max_freq`).
    pub const HIGHEST_FREQUENCY: Key = of(Heading::Cpu, "Highest frequency");
    /// Vulnerabilities with a mitigation switched on.
    pub const MITIGATIONS: Key = of(Heading::Cpu, "Mitigations");
    /// Number of NUMA nodes.
    pub const NUMA_NODES: Key = of(Heading::Cpu, "NUMA nodes");
}

/// The host's memory: from /proc/meminfo, DMI and sysfs.
pub mod memory {
    use super::*;
    /// `MemTotal`.
    pub const TOTAL: Key = of(Heading::Memory, "Total");
    /// Number, size, type and speed of the modules (SMBIOS, DMTF DSP0134, type 17).
    pub const MODULES: Key = of(Heading::Memory, "Modules");
    /// The line of transparent_hugepage/enabled, the chosen one in brackets.
    pub const HUGE_PAGES: Key = of(Heading::Memory, "Transparent huge pages");
}

/// The kernel: from uname(2), /proc/cmdline and /sys/module.
pub mod kernel {
    use super::*;
    /// Release, as `uname -r` prints it.
    pub const RELEASE: Key = of(Heading::Kernel, "Release");
    /// Boot parameters.
    pub const COMMAND_LINE: Key = of(Heading::Kernel, "Command line");
    /// The parameters of a driver's module, and the module.
    pub const DRIVERS: [(Key, &str); 2] = [
        (of(Heading::Kernel, "Driver nvme"), "nvme"),
        (of(Heading::Kernel, "Driver nvme_core"), "nvme_core"),
    ];
}

/// One drive: from sysfs and the mount table. A partition's are those of its whole disk.
pub mod drive {
    use super::*;
    /// Model number.
    pub const MODEL: Key = of(Heading::Drive, "Model");
    /// Serial number.
    pub const SERIAL: Key = of(Heading::Drive, "Serial");
    /// Firmware revision.
    pub const FIRMWARE: Key = of(Heading::Drive, "Firmware");
    /// Wear, spare blocks and errors, as the drive reports them.
    pub const HEALTH: Key = of(Heading::Drive, "Health log");
    /// Size of the device.
    pub const CAPACITY: Key = of(Heading::Drive, "Capacity");
    /// Size of a logical block, in bytes.
    pub const LOGICAL_BLOCK_SIZE: Key = of(Heading::Drive, "Logical block size");
    /// Metadata of each logical block, in bytes, where its LBA format has any.
    pub const METADATA: Key = of(Heading::Drive, "Metadata");
    /// How much of the filesystem, or of the namespace (NVMe's NUSE), is in use, in percent.
    pub const FILLED: Key = of(Heading::Drive, "Filled");
    /// Type of the filesystem that the subject's folder is on.
    pub const FILESYSTEM: Key = of(Heading::Drive, "Filesystem");
    /// Options that this filesystem is mounted with.
    pub const MOUNT_OPTIONS: Key = of(Heading::Drive, "Mount options");
    /// PCIe transfer rate of the link now (`current_link_speed`).
    pub const LINK_SPEED: Key = of(Heading::Drive, "Link speed");
    /// PCIe lanes of the link now (`current_link_width`).
    pub const LINK_WIDTH: Key = of(Heading::Drive, "Link width");
    /// The NUMA node that the drive is attached to.
    pub const NUMA_NODE: Key = of(Heading::Drive, "NUMA node");
    /// I/O scheduler of the block layer.
    pub const SCHEDULER: Key = of(Heading::Drive, "Scheduler");
    /// Settings of the block layer's queue, as `name=value`.
    pub const QUEUE: Key = of(Heading::Drive, "Queue");
    /// Whether the drive's volatile write cache was on as its points were measured: `on`, `off`,
    /// `none` (Identify VWC and feature 06h of NVMe drives; `queue/write_cache` of others).
    pub const VOLATILE_CACHE: Key = of(Heading::Drive, "Volatile write cache");
    /// The same when the run had ended.
    pub const VOLATILE_CACHE_AFTER: Key = of(Heading::Drive, "Volatile write cache after");
    /// `write back` where a volatile write cache is on, else `write through` (`queue/write_cache`).
    pub const WRITE_CACHE: Key = of(Heading::Drive, "Write cache");
}

/// What every engine calls the same.
pub mod engine {
    use super::*;
    /// Version of the library or server.
    pub const VERSION: Key = Key { heading: None, name: "Version" };
    /// All that a server says of its version, in its own words.
    pub const VERSION_IN_FULL: Key = Key { heading: None, name: "Version, in full" };
    /// Settings by the server's own names.
    pub const SETTINGS: Key = Key { heading: None, name: "Settings" };
    /// Of a library in the same process.
    pub const OPTIONS: Key = Key { heading: None, name: "Options" };
    /// Size of RocksDB's block cache.
    pub const BLOCK_CACHE: Key = Key { heading: None, name: "Block cache" };
    /// Those that follow from knobs of a plan.
    pub const OF_KNOBS: [Key; 3] = [OPTIONS, BLOCK_CACHE, SETTINGS];
}
