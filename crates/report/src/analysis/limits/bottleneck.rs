//! Bottlenecks: whether a faster drive would have changed a point's figures; what limited it, with
//! the evidence from the meters over its window, and what to change if it was not the drive.

mod evidence;
mod indication;
mod rules;
#[cfg(test)]
mod tests;

pub use evidence::{AtDevice, Foreign, from_memory};
pub use indication::{BusyProcessors, Indication, Remedy};

use dyno_core::record::IoLimit;

/// The bottleneck of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// Requests waited for the drive.
    Drive,
    /// The processors were busy with the load's own computation, or with other processes.
    Cpu,
    /// Reads were served from memory, or writes remained there.
    Memory,
    /// The subject is in memory: there is no drive.
    NoDrive,
    /// A control group limits the I/O or the processor time of the load.
    ControlGroup,
    /// Others used the same drive.
    Neighbour,
    /// Dyno generated requests too slowly, or submitted them late.
    Generator,
    /// Dyno itself did not run.
    Standstill,
    /// The target rate was reached.
    Rate,
    /// The drive slowed itself down because of its temperature.
    Thermal,
    /// Workers waited for one another.
    Locks,
    /// No rule applies.
    Undecided,
}

impl Bottleneck {
    /// The name in data; GLOSSARY.md and docs/meters.md define it.
    pub fn name(self) -> &'static str {
        match self {
            Bottleneck::Drive => "drive",
            Bottleneck::Cpu => "host CPU",
            Bottleneck::Memory => "memory",
            Bottleneck::NoDrive => "no drive",
            Bottleneck::ControlGroup => "control group",
            Bottleneck::Neighbour => "neighbour",
            Bottleneck::Generator => "generator",
            Bottleneck::Standstill => "standstill",
            Bottleneck::Rate => "target rate",
            Bottleneck::Thermal => "thermal throttling",
            Bottleneck::Locks => "locks",
            Bottleneck::Undecided => "undecided",
        }
    }

    /// Whether the drive limited the figure. Throttling also counts as the drive's.
    pub fn is_drive(self) -> bool {
        matches!(self, Bottleneck::Drive | Bottleneck::Thermal)
    }

    /// The host limited the figure: the drive, or a subject in memory, can do at least as much.
    /// Reads served from memory are not included, because they raise the figure above the drive's;
    /// nor is a target rate, because latency is then compared, which depends on the drive.
    pub fn is_host(self) -> bool {
        use Bottleneck::{ControlGroup, Cpu, Generator, Locks, Neighbour, NoDrive, Standstill};
        matches!(self, ControlGroup | Cpu | NoDrive | Neighbour | Generator | Standstill | Locks)
    }

    /// The figure is known not to be limited by the drive, so it ranks no drives.
    pub fn bars_ranking(self) -> bool {
        self.is_host() || self == Bottleneck::Memory
    }
}

/// A verdict with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct BottleneckVerdict {
    /// The bottleneck.
    pub limit: Bottleneck,
    /// The counts that show it.
    pub evidence: Vec<Indication>,
    /// The remedy by which the drive is measured; present if the verdict rules out a ranking.
    pub remedy: Option<Remedy>,
    /// The distribution over several repeats; None if all have the same verdict.
    pub repeats: Option<RepeatVerdicts>,
}

/// The distribution of verdicts over a point's repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatVerdicts {
    /// Repeats with the point's verdict.
    pub count: usize,
    /// Total number of repeats.
    pub of: usize,
    /// The other verdicts, each with the number of its repeats.
    pub others: Vec<(Bottleneck, usize)>,
}

/// The known data about a point; `None` if not measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BottleneckInputs {
    /// Length of the window, seconds.
    pub window_s: f64,
    /// Duration of Dyno's own standstills inside the window.
    pub stood_still_s: Option<f64>,
    /// The maximum number of requests in flight: workers times depth.
    pub outstanding: f64,
    /// Workers of all streams.
    pub workers: f64,
    /// Achieved rate divided by the target rate.
    pub achieved: Option<f64>,
    /// Open loop: ops submitted late.
    pub late: Option<Late>,
    /// The largest share of the generator's ceiling reached by a stream, and the ceiling in ops/s.
    pub ceiling: Option<(f64, u64)>,
    /// Mean number of requests at the engine: the others had not been generated yet.
    pub in_flight: Option<f64>,
    /// The streams' own counts of reads and writes: a key-value read is one request.
    pub reads_per_s: f64,
    /// Bytes read per second.
    pub read_bytes_per_s: f64,
    /// Trims per second.
    pub trims_per_s: f64,
    /// Write requests per second.
    pub writes_per_s: f64,
    /// Bytes written per second.
    pub written_bytes_per_s: f64,
    /// Whether the load waits between its requests by design, like users at terminals.
    pub thinks: bool,
    /// The activity of the subject's devices.
    pub device: Option<DeviceLoad>,
    /// Reads from, and writes to, devices by Dyno and its servers.
    pub own: Option<DynoIo>,
    /// Dirty memory at the start of the window that was written back by its end, per second.
    pub drained_bytes_per_s: f64,
    /// The limit of a control group that the load came closest to, and the share of it reached.
    pub io_limit: Option<(IoLimit, f64)>,
    /// The processors that Dyno's control group may use, and the share of its periods in which its
    /// threads were stopped for that; None without a limit.
    pub cpu_limit: Option<(f64, f64)>,
    /// Whether the subject has no device, because it is in memory.
    pub on_tmpfs: bool,
    /// Busy share of all of the host's processors, 0 to 1.
    pub host_busy: Option<f64>,
    /// The share used by Dyno and its descendants.
    pub own_busy: Option<f64>,
    /// The part of it used by its database servers.
    pub servers_busy: Option<f64>,
    /// The share that a hypervisor gave to others; counted as busy by the host.
    pub stolen: Option<f64>,
    /// Processors of the host.
    pub cores: f64,
    /// The busy share of the busiest core over the window.
    pub busiest_core: Option<f64>,
    /// The load's workers and its servers have separate processors.
    pub apart: Option<SeparateProcessors>,
    /// The share of the window during which the drive throttled.
    pub throttled: Option<f64>,
    /// The streams' datasets.
    pub dataset: DatasetCaching,
}

/// The numbers of processors of the load's workers and of its servers, if separate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeparateProcessors {
    /// The processors of the workers.
    pub load: f64,
    /// The processors of all servers together.
    pub servers: f64,
}

/// The data that determine whether a dataset is read from memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatasetCaching {
    /// Its size, bytes.
    pub bytes: Option<f64>,
    /// The host's memory.
    pub memory_bytes: Option<f64>,
    /// Whether there is none: the engine stores no data.
    pub missing: bool,
    /// Whether it bypasses the page cache; None if the engine has no such setting.
    pub direct: Option<bool>,
    /// Whether its engine has no cache of its own: blocks of a file or device.
    pub is_of_blocks: bool,
}

/// Ops of an open loop that were submitted late although the engine could have accepted them:
/// caused by the generator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Late {
    /// The share of these ops among all, 0 to 1.
    pub share: f64,
    /// The mean response time divided by the mean service time.
    pub mean_ratio: Option<f64>,
    /// p99 of the response time divided by that of the service time, if there are enough ops.
    pub p99_ratio: Option<f64>,
}

/// The kernel's device counters, summed over devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceLoad {
    /// Read requests per second.
    pub reads_per_s: f64,
    /// Bytes read per second.
    pub read_bytes_per_s: f64,
    /// Bytes written per second.
    pub written_bytes_per_s: f64,
    /// Mean number of requests in flight at the device, including those that wait for a flush.
    pub queue: f64,
    /// Mean number of requests in flight that read.
    pub read_queue: f64,
    /// Mean number of requests in flight that write or flush.
    pub write_queue: f64,
    /// The share of the window with any request in flight.
    pub busy: f64,
    /// Flush requests per second.
    pub flushes_per_s: f64,
    /// The share of the window that the device spent on flushes.
    pub flushing: f64,
}

/// The kernel's counters of Dyno's processes (/proc/PID/io).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DynoIo {
    /// Bytes read from devices, per second.
    pub read_bytes_per_s: f64,
    /// Bytes written to devices or the page cache, per second.
    pub written_bytes_per_s: f64,
    /// Write calls per second.
    pub write_calls_per_s: f64,
}

/// The verdict. The order matters: verdicts that invalidate the others come first.
pub fn verdict(p: &BottleneckInputs) -> BottleneckVerdict {
    let found = rules::IN_ORDER.iter().find_map(|rule| rule(p));
    rules::beside_ceiling(found.unwrap_or_else(|| rules::undecided(p)), p)
}

/// The most frequent verdict of a point's repeats, with the others named. If tied, the one that
/// rules out a ranking.
pub fn of_most(repeats: &[&BottleneckVerdict]) -> Option<BottleneckVerdict> {
    // The first verdict of each kind, and its number of repeats.
    let mut kinds: Vec<(&BottleneckVerdict, usize)> = Vec::new();
    for verdict in repeats {
        match kinds.iter_mut().find(|(first, _)| first.limit == verdict.limit) {
            Some((_, count)) => *count += 1,
            None => kinds.push((verdict, 1)),
        }
    }
    let rank =
        |(verdict, count): &(&BottleneckVerdict, usize)| (*count, verdict.limit.bars_ranking());
    let (most, count) = *kinds.iter().rev().max_by_key(|kind| rank(kind))?;
    let others = kinds.iter().filter(|(verdict, _)| verdict.limit != most.limit);
    let others: Vec<_> = others.map(|(verdict, count)| (verdict.limit, *count)).collect();
    let repeats = RepeatVerdicts { count, of: repeats.len(), others };
    Some(BottleneckVerdict {
        repeats: Some(repeats).filter(|repeats| !repeats.others.is_empty()),
        ..most.clone()
    })
}
