//! The facts that both a writer and a reader of bundles know: under which heading, by which name. What is only listed has
//! its name where it is gathered.

use super::Fact;

/// What a fact is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    Dyno,
    Host,
    Cpu,
    Memory,
    Kernel,
    /// Of one drive; its subject's name follows.
    Drive,
}

impl Heading {
    pub const ALL: [Heading; 6] =
        [Heading::Dyno, Heading::Host, Heading::Cpu, Heading::Memory, Heading::Kernel, Heading::Drive];

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

pub mod dyno {
    use super::*;
    pub const VERSION: Key = of(Heading::Dyno, "Version");
}

pub mod host {
    use super::*;
    pub const VENDOR: Key = of(Heading::Host, "Vendor");
    pub const SERVER: Key = of(Heading::Host, "Server");
    pub const BOARD: Key = of(Heading::Host, "Board");
    pub const BIOS: Key = of(Heading::Host, "BIOS");
    pub const OPERATING_SYSTEM: Key = of(Heading::Host, "Operating system");
    pub const VIRTUAL_MACHINE: Key = of(Heading::Host, "Virtual machine");
}

pub mod cpu {
    use super::*;
    pub const MODEL: Key = of(Heading::Cpu, "Model");
    pub const SOCKETS: Key = of(Heading::Cpu, "Sockets");
    pub const CORES: Key = of(Heading::Cpu, "Cores a socket");
    pub const LOGICAL_PROCESSORS: Key = of(Heading::Cpu, "Logical processors");
    pub const SMT: Key = of(Heading::Cpu, "SMT");
    pub const GOVERNOR: Key = of(Heading::Cpu, "Governor");
    pub const FREQUENCY_DRIVER: Key = of(Heading::Cpu, "Frequency driver");
    pub const HIGHEST_FREQUENCY: Key = of(Heading::Cpu, "Highest frequency");
    pub const MITIGATIONS: Key = of(Heading::Cpu, "Mitigations");
    pub const NUMA_NODES: Key = of(Heading::Cpu, "NUMA nodes");
}

pub mod memory {
    use super::*;
    pub const TOTAL: Key = of(Heading::Memory, "Total");
    pub const MODULES: Key = of(Heading::Memory, "Modules");
    pub const HUGE_PAGES: Key = of(Heading::Memory, "Transparent huge pages");
}

pub mod kernel {
    use super::*;
    pub const RELEASE: Key = of(Heading::Kernel, "Release");
    pub const COMMAND_LINE: Key = of(Heading::Kernel, "Command line");
    /// The parameters of a driver's module, and the module.
    pub const DRIVERS: [(Key, &str); 2] =
        [(of(Heading::Kernel, "Driver nvme"), "nvme"), (of(Heading::Kernel, "Driver nvme_core"), "nvme_core")];
}

pub mod drive {
    use super::*;
    pub const MODEL: Key = of(Heading::Drive, "Model");
    pub const SERIAL: Key = of(Heading::Drive, "Serial");
    pub const FIRMWARE: Key = of(Heading::Drive, "Firmware");
    pub const CAPACITY: Key = of(Heading::Drive, "Capacity");
    pub const LOGICAL_BLOCK_SIZE: Key = of(Heading::Drive, "Logical block size");
    pub const METADATA: Key = of(Heading::Drive, "Metadata");
    pub const FILLED: Key = of(Heading::Drive, "Filled");
    pub const FILESYSTEM: Key = of(Heading::Drive, "Filesystem");
    pub const MOUNT_OPTIONS: Key = of(Heading::Drive, "Mount options");
    pub const LINK_SPEED: Key = of(Heading::Drive, "Link speed");
    pub const LINK_WIDTH: Key = of(Heading::Drive, "Link width");
    pub const NUMA_NODE: Key = of(Heading::Drive, "NUMA node");
    pub const SCHEDULER: Key = of(Heading::Drive, "Scheduler");
    pub const QUEUE: Key = of(Heading::Drive, "Queue");
    pub const WRITE_CACHE: Key = of(Heading::Drive, "Write cache");
}

/// What every engine calls the same.
pub mod engine {
    use super::*;
    pub const VERSION: Key = Key { heading: None, name: "Version" };
    /// Settings by the server's own names.
    pub const SETTINGS: Key = Key { heading: None, name: "Settings" };
    /// Of a library in the same process.
    pub const OPTIONS: Key = Key { heading: None, name: "Options" };
    pub const BLOCK_CACHE: Key = Key { heading: None, name: "Block cache" };
    /// Those that follow from knobs of a plan.
    pub const OF_KNOBS: [Key; 3] = [OPTIONS, BLOCK_CACHE, SETTINGS];
}
