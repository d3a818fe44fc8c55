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
    /// Lag of the load behind its schedule, if it ended the point.
    pub const FELL_BEHIND: FactKey = FactKey { heading: None, name: "Fell behind" };
    /// Heading of the load's memory use, if its step limits it.
    pub const MEMORY_OF_LOAD: &str = "Memory of the load";
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
    /// Options of a library in the same process.
    pub const OPTIONS: FactKey = FactKey { heading: None, name: "Options" };
    /// Size of RocksDB's block cache.
    pub const BLOCK_CACHE: FactKey = FactKey { heading: None, name: "Block cache" };
    /// Settings derived from knobs of a plan.
    pub const OF_KNOBS: [FactKey; 3] = [OPTIONS, BLOCK_CACHE, SETTINGS];
}

/// The beginning of a note that an import makes about subjects whose loads differ.
pub const NOT_COMPARED: &str = "not compared in";
