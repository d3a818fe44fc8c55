//! The conditions of each verdict, in order of evaluation, and the remedies if it is not the drive.

use super::evidence::{at_device, foreign, from_memory, kept_in_memory, on_processor, strangers};
use super::indication::{BusyProcessors, Indication, Remedy};
use super::{Bottleneck, BottleneckInputs, BottleneckVerdict, DatasetCaching};
use dyno_core::record::NEAR_CEILING;

type Rule = fn(&BottleneckInputs) -> Option<BottleneckVerdict>;

/// First, verdicts that are independent of the processors' state.
pub const IN_ORDER: [Rule; 15] = [
    cpu_limit,
    ceiling,
    memory,
    control_group,
    neighbour,
    stopped,
    late,
    hog,
    standstill,
    rate,
    thermal,
    generator,
    drive,
    processors,
    serial_or_locks,
];

/// From here on the processors are saturated.
const CPU_FULL: f64 = 0.93;
/// If others use this much of them, others are the bottleneck and not the load.
const OTHERS_HOG: f64 = 0.35;
/// A standstill of Dyno for more of the window than this affects its figures; busy processors do
/// not cause such long ones.
const STOOD_STILL: f64 = 0.02;
const WAS_STOPPED: f64 = 0.1;
/// A read that did not reach the device came from memory; from this share on memory determines the
/// figure.
const FROM_MEMORY: f64 = 0.5;
/// A limit of a control group is kept within a few percent, in slices of 100 ms. A load far above
/// it is not under it.
const AT_LIMIT: std::ops::RangeInclusive<f64> = 0.95..=1.25;
/// A thread that is stopped in one of this many of its group's periods of 100 ms waits for tens of
/// milliseconds, which p99 shows.
const STOPPED_PERIODS: f64 = 0.05;
/// Others with this share of the device's time, and this mean number of requests there, also affect
/// the figure.
const NEIGHBOURS_SHARE: f64 = 0.2;
const NEIGHBOURS_QUEUE: f64 = 0.1;
/// One op in a hundred determines p99.
const LATE: f64 = 0.01;
const MOVED: f64 = 1.1;
const RATE_MET: f64 = 0.98;
/// On a host that is busy for less than this, threads do not wait for a processor: the host wakes
/// them late.
const MOSTLY_IDLE: f64 = 0.2;
const THROTTLED: f64 = 0.01;
/// With a smaller share of its requests in flight, the load is generated too slowly to fill its
/// queue.
const FILLED: f64 = 0.7;
/// The load waits for the device if this share of its requests is there.
const WAITS_THERE: f64 = 0.5;
/// If nearly all of it waits there, other users of the processors do not matter.
const ALL_WAITS_THERE: f64 = 0.9;
/// If workers compute for this share of their time, a faster drive could shorten little.
const COMPUTES: f64 = 0.7;
const HARDLY_COMPUTES: f64 = 0.3;
/// Workers that do not compute wait for one another; the device determines the wait if one of them
/// is there for this share of the window, and is not involved if hardly ever.
const ONE_IS_THERE: f64 = 0.5;
const NONE_IS_THERE: f64 = 0.3;

fn barred(
    limit: Bottleneck,
    evidence: impl Into<Vec<Indication>>,
    remedy: Remedy,
) -> BottleneckVerdict {
    BottleneckVerdict { remedy: Some(remedy), ..allowed(limit, evidence) }
}

pub fn allowed(limit: Bottleneck, evidence: impl Into<Vec<Indication>>) -> BottleneckVerdict {
    BottleneckVerdict { limit, evidence: evidence.into(), remedy: None, repeats: None }
}

fn hog(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let (host, others) = (p.host_busy?, strangers(p)?);
    if host < CPU_FULL || others < OTHERS_HOG || waits_at_device(p, ALL_WAITS_THERE) {
        return None;
    }
    let mut evidence = vec![Indication::ProcessorsWithOthers { busy: host, others }];
    evidence.extend(at_device(p).map(|own| Indication::FewAtDevice { share: own.requests }));
    let remedy = match p.stolen.filter(|stolen| *stolen > others / 2.0) {
        Some(stolen) => {
            evidence.push(Indication::Hypervisor { stolen });
            Remedy::OwnMachine
        }
        None => Remedy::EndOthers,
    };
    Some(barred(Bottleneck::Cpu, evidence, remedy))
}

/// Stopped, for example by a signal or with its virtual machine.
fn stopped(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    standstill(p)
        .filter(|_| p.stood_still_s.is_some_and(|still_s| still_s > WAS_STOPPED * p.window_s))
}

fn standstill(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let still_s = p.stood_still_s.filter(|s| *s > STOOD_STILL * p.window_s)?;
    let evidence = Indication::StoodStill { still_s, window_s: p.window_s };
    Some(barred(Bottleneck::Standstill, evidence, Remedy::StoodStill))
}

fn memory(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    if p.on_tmpfs {
        return Some(barred(Bottleneck::NoDrive, Indication::Tmpfs, Remedy::Tmpfs));
    }
    let elsewhere = [from_memory(p), kept_in_memory(p)];
    if p.dataset.missing && elsewhere.into_iter().flatten().any(|share| share >= FROM_MEMORY) {
        return Some(barred(Bottleneck::NoDrive, Indication::NoData, Remedy::NoData));
    }
    if let Some(share) = from_memory(p).filter(|share| *share >= FROM_MEMORY) {
        return Some(barred(Bottleneck::Memory, Indication::FromMemory { share }, past_memory(p)));
    }
    let share = kept_in_memory(p).filter(|share| *share >= FROM_MEMORY)?;
    let remedy = match p.dataset.direct {
        Some(false) => Remedy::DirectOrLongerWindow,
        _ => Remedy::LongerWindow,
    };
    Some(barred(Bottleneck::Memory, Indication::LeftInMemory { share }, remedy))
}

/// The remedy that makes reads reach the drive.
fn past_memory(p: &BottleneckInputs) -> Remedy {
    let DatasetCaching { bytes, memory_bytes, direct, is_of_blocks, .. } = p.dataset;
    // Already bypassing the page cache: it was the engine's own cache, or there were only holes.
    if direct == Some(true) {
        return if is_of_blocks { Remedy::WithoutHoles } else { Remedy::SmallerCache };
    }
    let memory = memory_bytes.map(whole_gib);
    Remedy::LargerDataset {
        bytes: memory.map(|memory| 2.0 * memory),
        or_direct: direct == Some(false),
        fits: bytes.zip(memory).filter(|(bytes, _)| memory_bytes.is_some_and(|m| *bytes < m)),
    }
}

/// Nominal memory size: the kernel reserves some.
fn whole_gib(bytes: f64) -> f64 {
    const GIB: f64 = (1u64 << 30) as f64;
    (bytes / GIB).ceil() * GIB
}

fn control_group(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let (limit, share) = p.io_limit.clone().filter(|(_, share)| AT_LIMIT.contains(share))?;
    let evidence = Indication::IoLimit { limit, share: share.min(1.0) };
    Some(barred(Bottleneck::ControlGroup, evidence, Remedy::ControlGroup))
}

/// All else is measured under the same limit: the generator's ceiling, lateness, standstills.
fn cpu_limit(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let (cores, share) = p.cpu_limit.filter(|(_, share)| *share >= STOPPED_PERIODS)?;
    if p.on_tmpfs || waits_at_device(p, ALL_WAITS_THERE) {
        return None;
    }
    let evidence = Indication::CpuLimit { cores, share: share.min(1.0) };
    Some(barred(Bottleneck::ControlGroup, evidence, Remedy::CpuLimit))
}

fn neighbour(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let found =
        foreign(p).filter(|f| f.share >= NEIGHBOURS_SHARE && f.queue >= NEIGHBOURS_QUEUE)?;
    Some(barred(Bottleneck::Neighbour, Indication::Neighbour(found), Remedy::Neighbour))
}

fn late(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let late = p
        .late
        .as_ref()
        // Without enough ops for p99, at low rates, the means show whether latencies moved.
        .filter(|late| {
            let moved = late.p99_ratio.or(late.mean_ratio);
            late.share >= LATE && moved.is_none_or(|ratio| ratio >= MOVED)
        })?;
    let mut evidence = vec![Indication::Late { share: late.share, p99_ratio: late.p99_ratio }];
    let busy = |(busy, others)| Indication::ProcessorsWithOthers { busy, others };
    evidence.extend(p.host_busy.zip(strangers(p)).map(busy));
    let idle = p.host_busy.is_some_and(|busy| busy < MOSTLY_IDLE);
    let remedy = if idle { Remedy::LateOnIdleHost } else { Remedy::Late };
    Some(barred(Bottleneck::Generator, evidence, remedy))
}

fn ceiling(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let (share, _) = p.ceiling.filter(|(share, _)| *share >= NEAR_CEILING)?;
    let evidence = Indication::NearCeiling { share: share.min(1.0) };
    Some(barred(Bottleneck::Generator, evidence, Remedy::NearCeiling))
}

/// From this share of the generator's ceiling on, the ceiling is printed with any verdict.
const HALF_OF_CEILING: f64 = 0.5;

/// The verdict with the generator's ceiling, if it is close.
pub fn beside_ceiling(mut verdict: BottleneckVerdict, p: &BottleneckInputs) -> BottleneckVerdict {
    let near = p.ceiling.filter(|(share, _)| *share >= HALF_OF_CEILING);
    verdict.evidence.extend(near.map(|(_, ops_per_s)| Indication::Ceiling { ops_per_s }));
    verdict
}

fn rate(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let achieved = p.achieved.filter(|a| *a >= RATE_MET)?;
    Some(allowed(Bottleneck::Rate, Indication::RateReached { share: achieved }))
}

fn thermal(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let share = p.throttled.filter(|t| *t > THROTTLED)?;
    Some(allowed(Bottleneck::Thermal, Indication::Throttled { share: share.min(1.0) }))
}

fn generator(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let share = p.in_flight.map(|n| n / p.outstanding.max(1.0)).filter(|share| *share < FILLED)?;
    if p.thinks {
        return Some(allowed(Bottleneck::Rate, Indication::Thinks { share }));
    }
    let evidence = Indication::TooFewMade { share };
    Some(barred(Bottleneck::Generator, evidence, Remedy::TooFewMade))
}

fn waits_at_device(p: &BottleneckInputs, share: f64) -> bool {
    at_device(p).is_some_and(|own| own.requests >= share)
}

/// Processors and drive can both be saturated; the one for which more of the load waits is
/// decisive.
fn drive(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let full = p.host_busy.is_some_and(|b| b >= CPU_FULL) || own_set_full(p).is_some();
    let least = if full { ALL_WAITS_THERE } else { WAITS_THERE };
    waits_at_device(p, least).then(|| allowed(Bottleneck::Drive, whereabouts(p)))
}

/// The location of the load's requests, and the use of the processors meanwhile.
fn whereabouts(p: &BottleneckInputs) -> [Indication; 2] {
    [
        at_device(p).map_or(Indication::NoDevice, Indication::AtDevice),
        p.host_busy.map_or(Indication::ProcessorsUnknown, Indication::host_busy),
    ]
}

/// If the load and its servers have separate processors, one set can be saturated while the other
/// idles: the load's is checked first, because it generates the requests.
fn own_set_full(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let (apart, servers) = (p.apart?, p.servers_busy?);
    let busy = |share: f64, of: f64| (share * p.cores / of.max(1.0)).min(1.0);
    let load = busy((p.own_busy? - servers).max(0.0), apart.load);
    let servers = busy(servers, apart.servers);
    let (evidence, remedy) = match (load >= CPU_FULL, servers >= CPU_FULL) {
        (true, _) => {
            (Indication::LoadsSet { count: apart.load as usize, busy: load }, Remedy::LoadsSet)
        }
        (false, true) => {
            let count = apart.servers as usize;
            (Indication::ServersSet { count, busy: servers }, Remedy::ServerProcessors)
        }
        (false, false) => return None,
    };
    Some(barred(Bottleneck::Cpu, evidence, remedy))
}

fn processors(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    if let Some(full) = own_set_full(p) {
        return Some(full);
    }
    let host = p.host_busy.filter(|b| *b >= CPU_FULL);
    let one_core = p.busiest_core.filter(|c| *c >= CPU_FULL && p.workers <= 1.0);
    let computes = on_processor(p).filter(|share| *share >= COMPUTES);
    let (of, busy) = match (host, one_core, computes) {
        (Some(host), ..) => (BusyProcessors::Host, host),
        (None, Some(core), _) => (BusyProcessors::OneCore, core.min(1.0)),
        (None, None, Some(share)) => (BusyProcessors::Workers, share),
        (None, None, None) => return None,
    };
    let servers = p.servers_busy.filter(|share| p.own_busy.is_some() && *share >= 0.01);
    let evidence = Indication::OnProcessors { of, busy, own: p.own_busy, servers };
    let remedy = match p.servers_busy.zip(p.own_busy) {
        Some((servers, own)) if servers > own / 2.0 => Remedy::ServerProcessors,
        _ => Remedy::Processors,
    };
    Some(barred(Bottleneck::Cpu, evidence, remedy))
}

/// Workers that neither compute nor have their own request at the device wait for one another: for
/// one whose request is at the device, such as a log flush for all, or for a lock.
fn serial_or_locks(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let (on_cpu, own) = (on_processor(p).filter(|share| *share < HARDLY_COMPUTES)?, at_device(p)?);
    if p.achieved.is_some() {
        return None;
    }
    if own.window >= ONE_IS_THERE {
        let [device, processors] = whereabouts(p);
        let evidence = [device, processors, Indication::OthersWaited];
        return Some(allowed(Bottleneck::Drive, evidence));
    }
    (p.workers > 1.0 && own.window < NONE_IS_THERE).then(|| {
        let evidence = Indication::Locks { off: 1.0 - on_cpu, window: own.window };
        barred(Bottleneck::Locks, evidence, Remedy::Locks)
    })
}

pub fn undecided(p: &BottleneckInputs) -> BottleneckVerdict {
    allowed(Bottleneck::Undecided, whereabouts(p))
}
