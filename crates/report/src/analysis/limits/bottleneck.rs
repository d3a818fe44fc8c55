//! Bottlenecks. Would a faster drive have changed a point's numbers: what limited it, with the
//! evidence, from what the meters counted over its window, and what to change where it was not the
//! drive.

mod evidence;
mod rules;
#[cfg(test)]
mod tests;

pub use evidence::{Foreign, from_memory};

use crate::language::Message;
use crate::message;

/// What limited a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// Requests waited for the drive.
    Drive,
    /// The load's own computing, or other processes, took the processors.
    Cpu,
    /// Reads were served from memory, or writes stayed there.
    Memory,
    /// The subject lies in memory: there is no drive.
    NoDrive,
    /// Requests of others were at the same drive.
    Neighbour,
    /// Dyno made requests too slowly, or handed them over late.
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
            Bottleneck::Neighbour => "neighbour",
            Bottleneck::Generator => "generator",
            Bottleneck::Standstill => "standstill",
            Bottleneck::Rate => "rate asked",
            Bottleneck::Thermal => "thermal throttling",
            Bottleneck::Locks => "locks",
            Bottleneck::Undecided => "undecided",
        }
    }

    /// The name in a brief.
    pub fn title(self) -> Message {
        match self {
            Bottleneck::Drive => message!("limit-drive"),
            Bottleneck::Cpu => message!("limit-cpu"),
            Bottleneck::Memory => message!("limit-memory"),
            Bottleneck::NoDrive => message!("limit-no-drive"),
            Bottleneck::Neighbour => message!("limit-neighbour"),
            Bottleneck::Generator => message!("limit-generator"),
            Bottleneck::Standstill => message!("limit-standstill"),
            Bottleneck::Rate => message!("limit-rate"),
            Bottleneck::Thermal => message!("limit-thermal"),
            Bottleneck::Locks => message!("limit-locks"),
            Bottleneck::Undecided => message!("limit-undecided"),
        }
    }

    /// The drive set the number. Heat is the drive's too.
    pub fn is_drive(self) -> bool {
        matches!(self, Bottleneck::Drive | Bottleneck::Thermal)
    }

    /// The host held the number down: the drive can do at least as much, and so can what lies in
    /// memory. Memory is not among them, which lifts a number above what the drive can do. An asked
    /// rate is neither: there latency is compared, which is the drive's.
    pub fn is_host(self) -> bool {
        use Bottleneck::{Cpu, Generator, Locks, Neighbour, NoDrive, Standstill};
        matches!(self, Cpu | NoDrive | Neighbour | Generator | Standstill | Locks)
    }

    /// Something other than the drive is known to have set the number, so it ranks no drives.
    pub fn bars_ranking(self) -> bool {
        self.is_host() || self == Bottleneck::Memory
    }
}

/// A verdict with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct BottleneckVerdict {
    /// What limited the point.
    pub limit: Bottleneck,
    /// The counts that show it, as a sentence.
    pub evidence: Message,
    /// What to change so that the drive is measured; given wherever the verdict bars a ranking.
    pub remedy: Option<Message>,
}

/// What is known of a point; what was not measured is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BottleneckInputs {
    /// Length of the window, seconds.
    pub window_s: f64,
    /// For how long Dyno itself stood still inside the window.
    pub stood_still_s: Option<f64>,
    /// Requests in flight that the load keeps up: workers times depth.
    pub outstanding: f64,
    /// Workers of all streams.
    pub workers: f64,
    /// Achieved rate divided by the target rate.
    pub achieved: Option<f64>,
    /// Open loop: ops that were handed over late.
    pub late: Option<Late>,
    /// The largest share that a stream reached of what Dyno generates in its shape, and that in
    /// ops/s.
    pub ceiling: Option<(f64, u64)>,
    /// Requests that were with the engine, on average: the rest the generator had not made yet.
    pub in_flight: Option<f64>,
    /// What the streams read and wrote, in their own count: a key-value read is one request.
    pub reads_per_s: f64,
    /// Bytes read per second.
    pub read_bytes_per_s: f64,
    /// Write requests per second.
    pub writes_per_s: f64,
    /// Bytes written per second.
    pub written_bytes_per_s: f64,
    /// Between its requests the load waits of its own accord, as people at terminals do.
    pub thinks: bool,
    /// What the devices under the subject did.
    pub device: Option<DeviceLoad>,
    /// What Dyno and the servers that it started read from devices and wrote to them.
    pub own: Option<DynoIo>,
    /// What the window's beginning left in memory to be written back, and its end did not, each
    /// second.
    pub drained_bytes_per_s: f64,
    /// No device lies under the subject: it is in memory.
    pub on_tmpfs: bool,
    /// Busy share of all of the host's processors, 0 to 1.
    pub host_busy: Option<f64>,
    /// The share of them that Dyno and what it started used.
    pub own_busy: Option<f64>,
    /// The part of that which its database servers used.
    pub servers_busy: Option<f64>,
    /// The share that a hypervisor gave to others; busy, as the host counts it.
    pub stolen: Option<f64>,
    /// Processors of the host.
    pub cores: f64,
    /// The share of the window that the busiest core was busy.
    pub busiest_core: Option<f64>,
    /// The load's workers and its servers have processors of their own.
    pub apart: Option<SeparateProcessors>,
    /// The share of the window during which the drive throttled itself.
    pub throttled: Option<f64>,
    /// What the streams work on.
    pub dataset: DatasetCaching,
}

/// How many processors the load's workers have, and how many its servers, of which none are the
/// others'.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeparateProcessors {
    /// The workers'.
    pub load: f64,
    /// All servers' together.
    pub servers: f64,
}

/// What decides whether a dataset is read from memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatasetCaching {
    /// Its size, bytes.
    pub bytes: Option<f64>,
    /// Of the host.
    pub memory_bytes: Option<f64>,
    /// Whether there is none: the engine keeps no data.
    pub missing: bool,
    /// Whether it is opened past the page cache; none where the engine has no such setting.
    pub direct: Option<bool>,
}

/// Ops of an open loop that were handed over late although the engine could have taken them: the
/// generator's fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Late {
    /// Their share of all ops, 0 to 1.
    pub share: f64,
    /// p99 of the response time over that of the service time, where there are ops enough.
    pub p99_ratio: Option<f64>,
}

/// What the kernel counted of the devices, summed where there are several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceLoad {
    /// Read requests per second.
    pub reads_per_s: f64,
    /// Bytes read per second.
    pub read_bytes_per_s: f64,
    /// Bytes written per second.
    pub written_bytes_per_s: f64,
    /// Requests in flight at the device, on average. What waits for a flush counts.
    pub queue: f64,
    /// Those of them that read, and those that write or flush.
    pub read_queue: f64,
    /// Requests in flight that write or flush, on average.
    pub write_queue: f64,
    /// The share of the window with any request in flight.
    pub busy: f64,
    /// Flush requests per second.
    pub flushes_per_s: f64,
    /// The share of the window that the device spent in flushes.
    pub flushing: f64,
}

/// The kernel's counters of Dyno's processes (/proc/PID/io).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DynoIo {
    /// Bytes read from devices, per second.
    pub read_bytes_per_s: f64,
    /// Bytes written, or left in memory to be written, per second.
    pub written_bytes_per_s: f64,
    /// Calls that write, per second.
    pub write_calls_per_s: f64,
}

/// The verdict. The order matters: what makes the others meaningless comes first.
pub fn verdict(p: &BottleneckInputs) -> BottleneckVerdict {
    let found = rules::IN_ORDER.iter().find_map(|rule| rule(p));
    rules::beside_ceiling(found.unwrap_or_else(|| rules::undecided(p)), p)
}

/// The verdict of most of a point's repeats, with the others named. Of two that as many repeats
/// have, the one that bars a ranking.
pub fn of_most(repeats: &[&BottleneckVerdict]) -> Option<BottleneckVerdict> {
    // The first verdict of each kind, and of how many repeats it is.
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
    let named = others.map(|(verdict, count)| {
        message!("verdict-limit-in", limit = verdict.limit.title(), count = *count)
    });
    let others =
        named.reduce(|first, other| message!("verdict-limits", first = first, other = other));
    let evidence = match others {
        None => most.evidence.clone(),
        Some(others) => message!(
            "verdict-in-repeats",
            evidence = &most.evidence,
            count = count,
            repeats = repeats.len(),
            others = others
        ),
    };
    Some(BottleneckVerdict { evidence, ..most.clone() })
}
