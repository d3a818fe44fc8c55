//! The host and the drives of a run, as gathered before its first point: typed fields with their
//! units, from which comparability, briefs and exports take values. Unreadable fields are absent.
//!
//! `HostField` and `DriveField` name the fields that are disclosed, in the order of disclosure;
//! `SetupValue` is the value of one, with its unit.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::key::FactHeading;
use super::{Fact, Observed};
use crate::base::units;

/// Everything known about a run before its first point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// The host.
    pub host: HostSetup,
    /// One for each drive of each subject, in the plan's order.
    pub drives: Vec<DriveSetup>,
    /// Facts that are only disclosed: the program, the devices, an import's source.
    pub facts: Vec<Fact>,
    /// What was observed of the host before the run.
    pub observed: Vec<Observed>,
}

/// Names and values that the kernel reports, in its order: `nr_requests`, `1023`.
pub type Settings = Vec<(String, String)>;

/// The server, its processors, memory and kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostSetup {
    /// The host's name (`uname -n`), by which a fleet's drives are grouped.
    pub name: Option<String>,
    /// Maker of the server (`sys_vendor`).
    pub vendor: Option<String>,
    /// Model of the server (`product_name`).
    pub server: Option<String>,
    /// Mainboard (`board_name`).
    pub board: Option<String>,
    /// Vendor, version and date of the firmware (`bios_vendor`, `bios_version`, `bios_date`).
    pub bios: Option<String>,
    /// Distribution and version (`PRETTY_NAME`).
    pub operating_system: Option<String>,
    /// The hypervisor, or "yes" if only the processor's flag indicates one.
    pub virtual_machine: Option<String>,
    /// Model name of the processors.
    pub cpu_model: Option<String>,
    /// Number of sockets.
    pub cpu_sockets: Option<u64>,
    /// Physical cores of each socket.
    pub cores_per_socket: Option<u64>,
    /// Processors used by the kernel's scheduler.
    pub logical_processors: Option<u64>,
    /// Simultaneous multithreading: `on`, `off`, `notsupported` (smt/control).
    pub smt: Option<String>,
    /// Revision of the processors' microcode.
    pub microcode: Option<String>,
    /// Frequency governor (`scaling_governor`).
    pub governor: Option<String>,
    /// Frequency driver (`scaling_driver`).
    pub frequency_driver: Option<String>,
    /// `energy_performance_preference`.
    pub energy_preference: Option<String>,
    /// Highest frequency (`cpuinfo_max_freq`).
    pub highest_frequency_hz: Option<u64>,
    /// The driver of idle states.
    pub idle_driver: Option<String>,
    /// Vulnerabilities with an active mitigation; None if the kernel does not report them.
    pub mitigations: Option<Vec<String>>,
    /// Number of NUMA nodes.
    pub numa_nodes: Option<u64>,
    /// `MemTotal`.
    pub memory_bytes: Option<u64>,
    /// Number, size, type and speed of the modules (SMBIOS, DMTF DSP0134, type 17).
    pub memory_modules: Vec<String>,
    /// `SwapTotal`.
    pub swap_bytes: Option<u64>,
    /// The line of transparent_hugepage/enabled, with the selected value in brackets.
    pub transparent_huge_pages: Option<String>,
    /// `vm.dirty_ratio`, in percent of memory.
    pub dirty_ratio_percent: Option<u64>,
    /// `vm.dirty_background_ratio`, in percent of memory.
    pub dirty_background_ratio_percent: Option<u64>,
    /// `vm.swappiness`, 0 to 200.
    pub swappiness: Option<u64>,
    /// Release, as `uname -r` prints it.
    pub kernel_release: Option<String>,
    /// Build number and date, as `uname -v` prints them.
    pub kernel_build: Option<String>,
    /// Boot parameters.
    pub kernel_command_line: Option<String>,
    /// The kernel's clock source.
    pub clock_source: Option<String>,
    /// Parameters of the module `nvme`.
    pub nvme_parameters: Settings,
    /// Parameters of the module `nvme_core`.
    pub nvme_core_parameters: Settings,
}

/// One drive of a subject: from sysfs and the mount table. For a partition, the values of its whole
/// disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DriveSetup {
    /// The subject's name in the plan.
    pub subject: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// The folder or device of the plan.
    pub path: Option<String>,
    /// Type of the filesystem of the subject's folder.
    pub filesystem: Option<String>,
    /// The source of that mount.
    pub filesystem_source: Option<String>,
    /// Its mount options.
    pub mount_options: Option<String>,
    /// Used share of the filesystem, or of the namespace (NVMe's NUSE), 0 to 1.
    pub filled_share: Option<f64>,
    /// The kernel's name of the device.
    pub device: Option<String>,
    /// Model number.
    pub model: Option<String>,
    /// Serial number.
    pub serial: Option<String>,
    /// Firmware revision.
    pub firmware: Option<String>,
    /// Wear, spare blocks and errors, as reported by the drive.
    pub health: Option<HealthLog>,
    /// Size of the device.
    pub capacity_bytes: Option<u64>,
    /// Size of a logical block.
    pub logical_block_bytes: Option<u64>,
    /// Size of a physical block.
    pub physical_block_bytes: Option<u64>,
    /// Metadata of each logical block.
    pub metadata_bytes: Option<u64>,
    /// I/O scheduler of the block layer.
    pub scheduler: Option<String>,
    /// `write back` if a volatile write cache is on, otherwise `write through`
    /// (`queue/write_cache`).
    pub write_cache: Option<String>,
    /// Settings of the block layer's queue.
    pub queue: Settings,
    /// Current PCIe transfer rate of the link (`current_link_speed`).
    pub link_speed: Option<String>,
    /// Current number of PCIe lanes of the link (`current_link_width`).
    pub link_lanes: Option<u64>,
    /// The link's maximum transfer rate.
    pub highest_link_speed: Option<String>,
    /// The link's maximum number of lanes.
    pub highest_link_lanes: Option<u64>,
    /// The drive's NUMA node.
    pub numa_node: Option<u64>,
    /// The distance of that node to nodes 0, 1, …
    pub numa_distances: Option<String>,
    /// States of the drive's volatile write cache when its points were measured: one, or several
    /// of a run that was resumed (Identify VWC and feature 06h of NVMe drives; `queue/write_cache`
    /// of others).
    pub volatile_cache: Vec<WriteCacheState>,
    /// The same after the run.
    pub volatile_cache_after: Vec<WriteCacheState>,
}

/// A drive's handling of data that it has acknowledged but not made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteCacheState {
    /// It has no volatile cache, or reports none.
    Absent,
    /// Acknowledged data may be lost without a flush.
    On,
    /// It has one, which is switched off.
    Off,
}

impl fmt::Display for WriteCacheState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WriteCacheState::Absent => "none",
            WriteCacheState::On => "on",
            WriteCacheState::Off => "off",
        })
    }
}

/// The time at which the state of a volatile write cache was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteCacheTime {
    /// After the preparation of its subject, before the points.
    BeforePoints,
    /// After the run.
    AfterRun,
}

/// The state of one drive's volatile write cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveWriteCache {
    /// The subject's name.
    pub subject: String,
    /// Index into the subject's drives, from 0.
    pub drive: u32,
    /// The time of the reading.
    pub time: WriteCacheTime,
    /// The state.
    pub state: WriteCacheState,
}

/// The contents of an NVMe drive's health log (NVM Express Base Specification 2.0, 5.16.1.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthLog {
    /// Percentage Used; may exceed 100.
    pub used_percent: u8,
    /// Available Spare.
    pub spare_percent: u8,
    /// Media and Data Integrity Errors.
    pub media_errors: u64,
    /// The bits of Critical Warning.
    pub critical_warning: u8,
    /// Power On Hours.
    pub powered_on_hours: u64,
}

impl fmt::Display for HealthLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HealthLog { used_percent, spare_percent, media_errors, critical_warning, .. } = self;
        let hours = self.powered_on_hours;
        write!(
            f,
            "{used_percent} % used, {spare_percent} % spare, {media_errors} media errors, critical \
             warning {critical_warning:02x}h, {hours} h powered on"
        )
    }
}

/// The value of a field, with its unit.
#[derive(Clone, Debug, PartialEq)]
pub enum SetupValue {
    /// A text in the words of the kernel, the firmware or the drive.
    Text(String),
    /// A number without a unit.
    Number(u64),
    /// The size of memory or a device.
    Bytes(u64),
    /// The size of a block, printed in bytes.
    BlockBytes(u64),
    /// Bytes of metadata of each block.
    BytesPerBlock(u64),
    /// A percentage of a whole.
    Percent(u64),
    /// A frequency.
    Hertz(u64),
    /// Several, in order.
    List(Vec<String>),
    /// Memory modules.
    Modules(Vec<String>),
    /// Names with values.
    Settings(Settings),
    /// States of a volatile write cache.
    WriteCache(Vec<WriteCacheState>),
    /// A health log.
    Health(HealthLog),
}

impl fmt::Display for SetupValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupValue::Text(text) => f.write_str(text),
            SetupValue::Number(number) => write!(f, "{number}"),
            SetupValue::Bytes(bytes) => f.write_str(&units::bytes(*bytes)),
            SetupValue::BlockBytes(bytes) => write!(f, "{bytes} bytes"),
            SetupValue::BytesPerBlock(bytes) => write!(f, "{bytes} bytes a block"),
            SetupValue::Percent(percent) => write!(f, "{percent} %"),
            SetupValue::Hertz(hz) => write!(f, "{:.2} GHz", *hz as f64 / 1e9),
            SetupValue::List(all) if all.is_empty() => f.write_str("none"),
            SetupValue::List(all) => f.write_str(&all.join(", ")),
            SetupValue::Modules(all) => f.write_str(&all.join("; ")),
            SetupValue::Settings(all) => {
                let all: Vec<String> = all.iter().map(|(k, v)| format!("{k}={v}")).collect();
                f.write_str(&all.join(" "))
            }
            SetupValue::WriteCache(states) => {
                let states: Vec<String> = states.iter().map(ToString::to_string).collect();
                f.write_str(&states.join(", "))
            }
            SetupValue::Health(log) => log.fmt(f),
        }
    }
}

fn text(value: &Option<String>) -> Option<SetupValue> {
    value.clone().map(SetupValue::Text)
}

fn settings(value: &Settings) -> Option<SetupValue> {
    (!value.is_empty()).then(|| SetupValue::Settings(value.clone()))
}

fn write_cache(states: &[WriteCacheState]) -> Option<SetupValue> {
    (!states.is_empty()).then(|| SetupValue::WriteCache(states.to_vec()))
}

/// A field enum of a setup: each variant with its name in the disclosure and its value.
macro_rules! fields {
    ($(#[$about:meta])* $field:ident of $setup:ident {
        $($variant:ident, $name:literal, |$own:ident| $value:expr;)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $field {
            $(#[doc = $name] $variant,)+
        }

        impl $field {
            /// All fields, in order of disclosure.
            pub const ALL: &[$field] = &[$($field::$variant,)+];

            /// The name in disclosures and exports.
            pub const fn name(self) -> &'static str {
                match self {
                    $($field::$variant => $name,)+
                }
            }
        }

        impl $setup {
            /// The value of a field; None if it could not be read.
            pub fn value(&self, field: $field) -> Option<SetupValue> {
                match field {
                    $($field::$variant => {
                        let $own = self;
                        $value
                    })+
                }
            }
        }
    };
}

fields! {
    /// A disclosed field of a host.
    HostField of HostSetup {
        Name, "Name", |own| text(&own.name);
        Vendor, "Vendor", |own| text(&own.vendor);
        Server, "Server", |own| text(&own.server);
        Board, "Board", |own| text(&own.board);
        Bios, "BIOS", |own| text(&own.bios);
        OperatingSystem, "Operating system", |own| text(&own.operating_system);
        VirtualMachine, "Virtual machine", |own| text(&own.virtual_machine);
        CpuModel, "Model", |own| text(&own.cpu_model);
        CpuSockets, "Sockets", |own| own.cpu_sockets.map(SetupValue::Number);
        CoresPerSocket, "Cores a socket", |own| own.cores_per_socket.map(SetupValue::Number);
        LogicalProcessors, "Logical processors",
            |own| own.logical_processors.map(SetupValue::Number);
        Smt, "SMT", |own| text(&own.smt);
        Microcode, "Microcode", |own| text(&own.microcode);
        Governor, "Governor", |own| text(&own.governor);
        FrequencyDriver, "Frequency driver", |own| text(&own.frequency_driver);
        EnergyPreference, "Energy preference", |own| text(&own.energy_preference);
        HighestFrequency, "Highest frequency",
            |own| own.highest_frequency_hz.map(SetupValue::Hertz);
        IdleDriver, "Idle driver", |own| text(&own.idle_driver);
        Mitigations, "Mitigations", |own| own.mitigations.clone().map(SetupValue::List);
        NumaNodes, "NUMA nodes", |own| own.numa_nodes.map(SetupValue::Number);
        Memory, "Total", |own| own.memory_bytes.map(SetupValue::Bytes);
        MemoryModules, "Modules", |own| {
            let modules = &own.memory_modules;
            (!modules.is_empty()).then(|| SetupValue::Modules(modules.clone()))
        };
        Swap, "Swap", |own| own.swap_bytes.map(SetupValue::Bytes);
        HugePages, "Transparent huge pages", |own| text(&own.transparent_huge_pages);
        DirtyRatio, "vm.dirty_ratio", |own| own.dirty_ratio_percent.map(SetupValue::Number);
        DirtyBackgroundRatio, "vm.dirty_background_ratio",
            |own| own.dirty_background_ratio_percent.map(SetupValue::Number);
        Swappiness, "vm.swappiness", |own| own.swappiness.map(SetupValue::Number);
        KernelRelease, "Release", |own| text(&own.kernel_release);
        KernelBuild, "Build", |own| text(&own.kernel_build);
        KernelCommandLine, "Command line", |own| text(&own.kernel_command_line);
        ClockSource, "Clock source", |own| text(&own.clock_source);
        NvmeParameters, "Driver nvme", |own| settings(&own.nvme_parameters);
        NvmeCoreParameters, "Driver nvme_core", |own| settings(&own.nvme_core_parameters);
    }
}

impl HostField {
    /// The heading under which it is disclosed.
    pub fn heading(self) -> FactHeading {
        use HostField::*;
        match self {
            Name | Vendor | Server | Board | Bios | OperatingSystem | VirtualMachine => {
                FactHeading::Host
            }
            CpuModel | CpuSockets | CoresPerSocket | LogicalProcessors | Smt | Microcode
            | Governor | FrequencyDriver | EnergyPreference | HighestFrequency | IdleDriver
            | Mitigations | NumaNodes => FactHeading::Cpu,
            Memory | MemoryModules | Swap | HugePages | DirtyRatio | DirtyBackgroundRatio
            | Swappiness => FactHeading::Memory,
            KernelRelease | KernelBuild | KernelCommandLine | ClockSource | NvmeParameters
            | NvmeCoreParameters => FactHeading::Kernel,
        }
    }
}

fields! {
    /// A disclosed field of a drive.
    DriveField of DriveSetup {
        Path, "Path", |own| text(&own.path);
        Filesystem, "Filesystem", |own| text(&own.filesystem);
        FilesystemSource, "Filesystem on", |own| text(&own.filesystem_source);
        MountOptions, "Mount options", |own| text(&own.mount_options);
        Filled, "Filled",
            |own| own.filled_share.map(|share| SetupValue::Percent((share * 100.0).round() as u64));
        Device, "Device", |own| text(&own.device);
        Model, "Model", |own| text(&own.model);
        Serial, "Serial", |own| text(&own.serial);
        Firmware, "Firmware", |own| text(&own.firmware);
        Health, "Health log", |own| own.health.map(SetupValue::Health);
        Capacity, "Capacity", |own| own.capacity_bytes.map(SetupValue::Bytes);
        LogicalBlock, "Logical block size",
            |own| own.logical_block_bytes.map(SetupValue::BlockBytes);
        PhysicalBlock, "Physical block size",
            |own| own.physical_block_bytes.map(SetupValue::BlockBytes);
        Metadata, "Metadata", |own| own.metadata_bytes.map(SetupValue::BytesPerBlock);
        Scheduler, "Scheduler", |own| text(&own.scheduler);
        WriteCache, "Write cache", |own| text(&own.write_cache);
        Queue, "Queue", |own| settings(&own.queue);
        LinkSpeed, "Link speed", |own| text(&own.link_speed);
        LinkLanes, "Link width", |own| own.link_lanes.map(SetupValue::Number);
        HighestLinkSpeed, "Highest link speed", |own| text(&own.highest_link_speed);
        HighestLinkLanes, "Highest link width",
            |own| own.highest_link_lanes.map(SetupValue::Number);
        NumaNode, "NUMA node", |own| own.numa_node.map(SetupValue::Number);
        NumaDistances, "NUMA distance to nodes 0, 1, …", |own| text(&own.numa_distances);
        VolatileCache, "Volatile write cache", |own| write_cache(&own.volatile_cache);
        VolatileCacheAfter, "Volatile write cache after",
            |own| write_cache(&own.volatile_cache_after);
    }
}

impl DriveField {
    /// Whether it may be shown for a masked subject: it is a setting of the test, or a property
    /// that many models share.
    pub fn is_shown_of_masked(self) -> bool {
        use DriveField::*;
        matches!(
            self,
            Filesystem
                | MountOptions
                | Filled
                | Capacity
                | LogicalBlock
                | PhysicalBlock
                | Metadata
                | Scheduler
                | WriteCache
                | Queue
                | LinkSpeed
                | LinkLanes
                | HighestLinkSpeed
                | HighestLinkLanes
                | NumaNode
                | NumaDistances
                | VolatileCache
                | VolatileCacheAfter
        )
    }
}

impl HostSetup {
    /// Whether nothing is known about it, as for an import.
    pub fn is_empty(&self) -> bool {
        *self == HostSetup::default()
    }

    /// Its known fields in order of disclosure.
    pub fn disclosed(&self) -> impl Iterator<Item = (HostField, SetupValue)> {
        HostField::ALL.iter().filter_map(|field| Some((*field, self.value(*field)?)))
    }
}

impl DriveSetup {
    /// Its known fields in order of disclosure. A block without metadata is not mentioned.
    pub fn disclosed(&self) -> impl Iterator<Item = (DriveField, SetupValue)> {
        DriveField::ALL
            .iter()
            .filter_map(|field| Some((*field, self.value(*field)?)))
            .filter(|(_, value)| *value != SetupValue::BytesPerBlock(0))
    }

    /// Removes the value of a field.
    pub fn clear(&mut self, field: DriveField) {
        use DriveField::*;
        match field {
            Path => self.path = None,
            Filesystem => self.filesystem = None,
            FilesystemSource => self.filesystem_source = None,
            MountOptions => self.mount_options = None,
            Filled => self.filled_share = None,
            Device => self.device = None,
            Model => self.model = None,
            Serial => self.serial = None,
            Firmware => self.firmware = None,
            Health => self.health = None,
            Capacity => self.capacity_bytes = None,
            LogicalBlock => self.logical_block_bytes = None,
            PhysicalBlock => self.physical_block_bytes = None,
            Metadata => self.metadata_bytes = None,
            Scheduler => self.scheduler = None,
            WriteCache => self.write_cache = None,
            Queue => self.queue.clear(),
            LinkSpeed => self.link_speed = None,
            LinkLanes => self.link_lanes = None,
            HighestLinkSpeed => self.highest_link_speed = None,
            HighestLinkLanes => self.highest_link_lanes = None,
            NumaNode => self.numa_node = None,
            NumaDistances => self.numa_distances = None,
            VolatileCache => self.volatile_cache.clear(),
            VolatileCacheAfter => self.volatile_cache_after.clear(),
        }
    }

    /// All of its texts.
    pub fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let optional = [
            &mut self.path,
            &mut self.filesystem,
            &mut self.filesystem_source,
            &mut self.mount_options,
            &mut self.device,
            &mut self.model,
            &mut self.serial,
            &mut self.firmware,
            &mut self.scheduler,
            &mut self.write_cache,
            &mut self.link_speed,
            &mut self.highest_link_speed,
            &mut self.numa_distances,
        ];
        let settings = self.queue.iter_mut().flat_map(|(name, value)| [name, value]);
        std::iter::once(&mut self.subject).chain(optional.into_iter().flatten()).chain(settings)
    }

    /// The states of its volatile write cache before the points and after the run.
    pub fn volatile_cache_states(&self) -> impl Iterator<Item = WriteCacheState> {
        self.volatile_cache.iter().chain(&self.volatile_cache_after).copied()
    }

    /// Adds a state that was read during the run.
    pub fn note_write_cache(&mut self, time: WriteCacheTime, state: WriteCacheState) {
        let states = match time {
            WriteCacheTime::BeforePoints => &mut self.volatile_cache,
            WriteCacheTime::AfterRun => &mut self.volatile_cache_after,
        };
        if !states.contains(&state) {
            states.push(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_with_their_units_and_a_setup_survives_a_bundle() {
        let drive = DriveSetup {
            subject: "P5510 (2)".into(),
            capacity_bytes: Some(7_681_501_126_656),
            logical_block_bytes: Some(512),
            metadata_bytes: Some(0),
            filled_share: Some(0.434),
            queue: vec![("nr_requests".into(), "1023".into()), ("iostats".into(), "1".into())],
            volatile_cache: vec![WriteCacheState::Absent],
            health: Some(HealthLog { used_percent: 3, spare_percent: 97, ..HealthLog::default() }),
            ..DriveSetup::default()
        };
        let rows: Vec<String> =
            drive.disclosed().map(|(f, v)| format!("{}: {v}", f.name())).collect();
        assert_eq!(
            rows,
            [
                "Filled: 43 %",
                "Health log: 3 % used, 97 % spare, 0 media errors, critical warning 00h, 0 h \
                 powered on",
                &format!("Capacity: {}", units::bytes(7_681_501_126_656)),
                "Logical block size: 512 bytes",
                "Queue: nr_requests=1023 iostats=1",
                "Volatile write cache: none",
            ]
        );
        let stored = serde_json::to_string(&drive).expect("JSON");
        assert_eq!(serde_json::from_str::<DriveSetup>(&stored).expect("a setup"), drive);
    }
}
