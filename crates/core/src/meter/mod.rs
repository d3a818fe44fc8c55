//! Meters: sources of readings beside the load (watts, temperature, CPU, what the kernel sees of a
//! device), listed in `ALL`. `watch` reads all of a run's meters in one thread of its own, never in
//! a worker.
//!
//! A reading's name ends in its unit. What only ever counts up (device reads, CPU time) is kept as
//! the kernel counts it and differenced when it is read back, so nothing is lost between two
//! readings. A power reading is named after its class, `drive_watts`, `slot_watts`, `system_watts`
//! or `cpu_watts`, because classes are never compared.

pub mod blocks;
pub mod cpu;
pub mod csv;
pub mod diskstats;
pub mod exec;
pub mod hwmon;
pub mod interrupts;
pub mod memory;
pub mod nvme;
pub mod nvme_power;
pub mod processes;
pub mod rapl;
pub mod redfish;
pub mod watch;

use std::path::PathBuf;

use crate::base::error::Result;
use crate::base::registry::Registry;
use crate::plan::{Info, Knob, Knobs, RequestFamily, Writes};

/// A kind of meter.
pub trait Meter: Sync {
    /// Its name and knobs.
    fn info(&self) -> &'static Info;

    /// Nanoseconds between readings where the plan does not say.
    fn every_ns(&self) -> u64 {
        1_000_000_000
    }

    /// Whether it looks at the drives, so that each subject has its own.
    fn watches_drives(&self) -> bool {
        false
    }

    /// Begins to measure what the plan says of one subject, or of the host.
    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>>;
}

/// What a meter is pointed at.
pub struct MeterTarget<'a> {
    /// The meter's knobs, resolved.
    pub knobs: &'a Knobs,
    /// The drives of the subjects that it watches: devices, or directories on them.
    pub places: &'a [PathBuf],
    /// Whether the load is on all namespaces of an NVMe drive, not only on the one that is named.
    pub divided: bool,
}

/// A meter at work. It is called at its own rate by one thread.
pub trait Probe: Send {
    /// Reads what there is. An error makes a gap; the probe is called again.
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()>;
}

/// The moment of a reading.
#[derive(Clone, Copy, Debug)]
pub struct ReadingTime {
    /// Of the run's clock.
    pub ns: u64,
    /// Nanoseconds since 1970, UTC, for instruments that stamp their own readings.
    pub unix_ns: u64,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Of the run's clock; negative before the run began, in logs of other instruments.
    pub at_ns: i64,
    /// What was read, with its unit at the end.
    pub name: String,
    /// The value; not a number where there was none to read.
    pub value: f64,
}

impl ReadingTime {
    /// A reading taken at this moment.
    pub fn reading(self, name: impl Into<String>, value: f64) -> Reading {
        Reading { at_ns: self.ns as i64, name: name.into(), value }
    }

    /// The run's clock at a moment of the wall clock.
    pub fn at_unix(self, unix_s: f64) -> i64 {
        let ahead_s = unix_s - self.unix_ns as f64 / 1e9;
        self.ns as i64 + (ahead_s * 1e9) as i64
    }
}

/// A meter's description: it has no requests and no depth.
pub const fn info(
    name: &'static str,
    summary: &'static str,
    knobs: &'static [Knob],
    source: &'static str,
) -> Info {
    Info {
        name,
        summary,
        family: RequestFamily::Any,
        writes: Writes::Never,
        max_depth: 1,
        knobs,
        source,
    }
}

/// Every meter.
pub static ALL: Registry<&'static dyn Meter> = Registry::new(&[
    &cpu::Cpu,
    &csv::CsvMeter,
    &diskstats::Diskstats,
    &exec::Exec,
    &hwmon::Hwmon,
    &interrupts::Interrupts,
    &memory::Memory,
    &nvme::Nvme,
    &nvme_power::NvmePower,
    &processes::Processes,
    &rapl::Rapl,
    &redfish::Redfish,
]);

/// What watches every run: cheap, and without settings.
pub static ALWAYS: &[&str] = &["cpu", "processes", "diskstats", "memory"];

/// Finds a meter by the name that a plan gives it.
pub fn find(name: &str) -> Option<&'static dyn Meter> {
    ALL.iter().find(|m| m.info().name == name)
}
