//! Meters: sources of readings during the load (watts, temperature, CPU, the kernel's device
//! counters), listed in `ALL`. `watch` reads each meter of a run in a thread of its own, never in a
//! worker.
//!
//! A reading's name ends in its unit. Counters (device reads, CPU time) are stored as totals and
//! differenced on reading, so nothing is lost between two readings. A power reading is named after
//! its class, `drive_watts`, `slot_watts`, `system_watts` or `cpu_watts`, because classes are never
//! compared.

pub mod blocks;
pub mod counters;
pub mod cpu;
pub mod csv;
pub mod diskstats;
pub mod exec;
pub mod hwmon;
pub mod interrupts;
pub mod line;
pub mod memory;
pub mod nvme;
pub mod pcie;
pub mod power;
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

    /// Default nanoseconds between readings.
    fn every_ns(&self) -> u64 {
        1_000_000_000
    }

    /// Whether a point waits for its reading at a mark, as for counters.
    fn holds_marks(&self) -> bool {
        self.every_ns() >= 1_000_000_000
    }

    /// Whether it reads the drives, so that each subject has its own meter.
    fn watches_drives(&self) -> bool {
        false
    }

    /// Starts to measure one subject, or the host, as the plan specifies.
    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>>;
}

/// What a meter measures.
pub struct MeterTarget<'a> {
    /// The meter's knobs, resolved.
    pub knobs: &'a Knobs,
    /// The drives of the subjects that it measures: devices, or directories on them.
    pub places: &'a [PathBuf],
    /// Whether the load uses all namespaces of an NVMe drive, not only the named one.
    pub divided: bool,
}

/// An active meter. It is called at its own rate by a thread of its own.
pub trait Probe: Send {
    /// Reads current values. An error makes a gap; the probe is called again.
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()>;

    /// Announces that the next reading is for a mark.
    fn mark(&mut self) {}

    /// Nanoseconds until the next reading, if that is earlier than the meter's period.
    fn again_ns(&self) -> Option<u64> {
        None
    }
}

/// The time of a reading.
#[derive(Clone, Copy, Debug)]
pub struct ReadingTime {
    /// On the run's clock.
    pub ns: u64,
    /// Nanoseconds since 1970, UTC, for instruments with their own timestamps.
    pub unix_ns: u64,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// On the run's clock; negative before the start of the run, in logs of other instruments.
    pub at_ns: i64,
    /// The gauge's name, ending in its unit.
    pub name: String,
    /// The value; NaN for a gap.
    pub value: f64,
}

impl ReadingTime {
    /// A reading taken at this time.
    pub fn reading(self, name: impl Into<String>, value: f64) -> Reading {
        Reading { at_ns: self.ns as i64, name: name.into(), value }
    }

    /// The run's clock for a wall-clock time.
    pub fn at_unix(self, unix_s: f64) -> i64 {
        let ahead_s = unix_s - self.unix_ns as f64 / 1e9;
        self.ns as i64 + (ahead_s * 1e9) as i64
    }
}

/// A meter's description, without requests or depth.
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
    &nvme::power::NvmePower,
    &pcie::Pcie,
    &processes::Processes,
    &rapl::Rapl,
    &redfish::Redfish,
]);

/// The meters that are always active: cheap, and without settings.
pub static ALWAYS: &[&str] = &["cpu", "processes", "diskstats", "memory", "pcie"];

/// Finds a meter by its name in a plan.
pub fn find(name: &str) -> Option<&'static dyn Meter> {
    ALL.iter().find(|m| m.info().name == name)
}
