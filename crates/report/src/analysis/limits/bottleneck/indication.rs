//! Evidence from the counts of a point, and the changes to make if the drive did not limit it:
//! data, which a report turns into sentences. Shares are from 0 to 1.

use super::evidence::{AtDevice, Foreign};
use dyno_core::record::IoLimit;

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq)]
pub enum Indication {
    /// The processors were busy, this share of them with other processes.
    ProcessorsWithOthers {
        /// Busy share of all of the host's processors.
        busy: f64,
        /// The share that other processes used.
        others: f64,
    },
    /// Only this share of the load's requests was at the device.
    FewAtDevice {
        /// Share of the requests that the load may have in flight.
        share: f64,
    },
    /// The hypervisor gave processor time to others.
    Hypervisor {
        /// Share of the host's processor time.
        stolen: f64,
    },
    /// Dyno as a whole did not run.
    StoodStill {
        /// The duration, seconds.
        still_s: f64,
        /// Length of the window, seconds.
        window_s: f64,
    },
    /// The subject is in memory.
    Tmpfs,
    /// The engine stores nothing.
    NoData,
    /// At least this share of the reads came from memory.
    FromMemory {
        /// Share of all reads.
        share: f64,
    },
    /// This share of the bytes written had not reached the device at the window's end.
    LeftInMemory {
        /// Share of the bytes written.
        share: f64,
    },
    /// The load reached a limit of its control group.
    IoLimit {
        /// The limit.
        limit: IoLimit,
        /// The share of the limit that the load reached.
        share: f64,
    },
    /// The control group's threads were stopped because of its limit on processor time.
    CpuLimit {
        /// The limit, in processors.
        cores: f64,
        /// The share of the group's periods.
        share: f64,
    },
    /// Other processes had requests at the device.
    Neighbour(Foreign),
    /// Ops were submitted late by Dyno itself.
    Late {
        /// Minimum share of all ops.
        share: f64,
        /// p99 of the response time over that of the service time.
        p99_ratio: Option<f64>,
    },
    /// The load is close to the maximum that Dyno generates for its shape.
    NearCeiling {
        /// Share of the ceiling.
        share: f64,
    },
    /// The maximum that Dyno generates for the load's shape.
    Ceiling {
        /// ops/s.
        ops_per_s: u64,
    },
    /// The target rate was reached.
    RateReached {
        /// Share of the target rate.
        share: f64,
    },
    /// The drive throttled itself.
    Throttled {
        /// Share of the window.
        share: f64,
    },
    /// Requests in flight of a load that waits by design.
    Thinks {
        /// Share of the requests that the load may have in flight.
        share: f64,
    },
    /// Dyno generated too few requests.
    TooFewMade {
        /// Share of the requests that the load may have in flight.
        share: f64,
    },
    /// The device is unknown.
    NoDevice,
    /// The location of the load's own requests.
    AtDevice(AtDevice),
    /// The use of the processors is unknown.
    ProcessorsUnknown,
    /// The use of the processors.
    OnProcessors {
        /// The processors in question.
        of: BusyProcessors,
        /// The busy share.
        busy: f64,
        /// The share used by Dyno and its child processes, if it is part of the evidence.
        own: Option<f64>,
        /// The part of it used by its database servers.
        servers: Option<f64>,
    },
    /// The processors reserved for the load's workers were busy.
    LoadsSet {
        /// Number of processors.
        count: usize,
        /// The busy share.
        busy: f64,
    },
    /// The processors reserved for the database servers were busy.
    ServersSet {
        /// Number of processors.
        count: usize,
        /// The busy share.
        busy: f64,
    },
    /// The load's other workers waited for the one at the device.
    OthersWaited,
    /// Workers waited for one another.
    Locks {
        /// The share of the time that workers were off the processors.
        off: f64,
        /// The share of the window in which any of their requests was at the device.
        window: f64,
    },
}

/// The processors to which a busy share applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusyProcessors {
    /// All of the host's.
    Host,
    /// The core of the only worker.
    OneCore,
    /// The computation time of the workers.
    Workers,
}

/// The change by which the drive is measured.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each is the cause that it removes")]
pub enum Remedy {
    OwnMachine,
    EndOthers,
    StoodStill,
    Tmpfs,
    NoData,
    DirectOrLongerWindow,
    LongerWindow,
    SmallerCache,
    WithoutHoles,
    /// Use a dataset that is larger than memory.
    LargerDataset {
        /// Its size, if the size of the memory is known.
        bytes: Option<f64>,
        /// Bypassing the page cache is an alternative.
        or_direct: bool,
        /// The sizes of the dataset and of the memory that holds it, bytes.
        fits: Option<(f64, f64)>,
    },
    ControlGroup,
    CpuLimit,
    Neighbour,
    Late,
    LateOnIdleHost,
    NearCeiling,
    TooFewMade,
    LoadsSet,
    ServerProcessors,
    Processors,
    Locks,
}

impl Indication {
    /// Evidence from the use of the host's processors.
    pub fn host_busy(busy: f64) -> Indication {
        Indication::OnProcessors { of: BusyProcessors::Host, busy, own: None, servers: None }
    }
}

impl From<Indication> for Vec<Indication> {
    fn from(one: Indication) -> Vec<Indication> {
        vec![one]
    }
}
