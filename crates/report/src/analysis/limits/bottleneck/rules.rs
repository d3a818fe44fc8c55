//! The conditions of each verdict, in order of evaluation, and the remedies if it is not the drive.

use super::evidence::{at_device, foreign, from_memory, kept_in_memory, on_processor, strangers};
use super::{Bottleneck, BottleneckInputs, BottleneckVerdict};
use crate::base::units;
use crate::language::{Message, Number};
use crate::message;
use crate::record::NEAR_CEILING;

type Rule = fn(&BottleneckInputs) -> Option<BottleneckVerdict>;

/// First, verdicts that are independent of the processors' state.
pub const IN_ORDER: [Rule; 13] = [
    ceiling,
    memory,
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
/// If others use this much of them, the bottleneck is theirs and not the load's.
const OTHERS_HOG: f64 = 0.35;
/// A standstill of Dyno for more of the window than this affects its figures; busy processors do
/// not cause such long ones.
const STOOD_STILL: f64 = 0.02;
const WAS_STOPPED: f64 = 0.1;
/// A read that did not reach the device came from memory; from this share on memory determines the
/// figure.
const FROM_MEMORY: f64 = 0.5;
/// Others with this share of the device's time, and this mean number of requests there, also affect
/// the figure.
const NEIGHBOURS_SHARE: f64 = 0.2;
const NEIGHBOURS_QUEUE: f64 = 0.1;
/// One op in a hundred determines p99.
const LATE: f64 = 0.01;
const P99_MOVED: f64 = 1.1;
const RATE_MET: f64 = 0.98;
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

fn pct(share: f64) -> Number {
    Number(format!("{:.0} %", share * 100.0))
}

/// Rounded down, because it is a lower bound.
fn at_least(share: f64) -> Number {
    Number(format!("{:.1} %", (share * 1000.0).floor() / 10.0))
}

fn seconds(s: &str) -> Number {
    Number(format!("{s} s"))
}

/// Two parts of a verdict's evidence.
fn both(first: Message, second: Message) -> Message {
    message!("verdict-clauses", first = first, second = second)
}

fn barred(limit: Bottleneck, evidence: Message, remedy: Message) -> BottleneckVerdict {
    BottleneckVerdict { limit, evidence, remedy: Some(remedy) }
}

fn allowed(limit: Bottleneck, evidence: Message) -> BottleneckVerdict {
    BottleneckVerdict { limit, evidence, remedy: None }
}

fn hog(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let (host, others) = (p.host_busy?, strangers(p)?);
    if host < CPU_FULL || others < OTHERS_HOG || waits_at_device(p, ALL_WAITS_THERE) {
        return None;
    }
    let mut evidence =
        message!("verdict-processors-others", busy = pct(host), others = pct(others));
    if let Some(own) = at_device(p) {
        evidence = both(evidence, message!("verdict-few-at-device", share = pct(own.requests)));
    }
    let (evidence, remedy) = match p.stolen.filter(|stolen| *stolen > others / 2.0) {
        Some(stolen) => (
            both(evidence, message!("verdict-hypervisor", stolen = pct(stolen))),
            message!("remedy-own-machine"),
        ),
        None => (evidence, message!("remedy-end-others")),
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
    let evidence = message!(
        "verdict-stood-still",
        still = seconds(&format!("{still_s:.2}")),
        window = seconds(&format!("{:.1}", p.window_s))
    );
    Some(barred(Bottleneck::Standstill, evidence, message!("remedy-stood-still")))
}

fn memory(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    if p.on_tmpfs {
        let (evidence, remedy) = (message!("verdict-tmpfs"), message!("remedy-tmpfs"));
        return Some(barred(Bottleneck::NoDrive, evidence, remedy));
    }
    let elsewhere = [from_memory(p), kept_in_memory(p)];
    if p.dataset.missing && elsewhere.into_iter().flatten().any(|share| share >= FROM_MEMORY) {
        let (evidence, remedy) = (message!("verdict-no-data"), message!("remedy-no-data"));
        return Some(barred(Bottleneck::NoDrive, evidence, remedy));
    }
    if let Some(share) = from_memory(p).filter(|share| *share >= FROM_MEMORY) {
        let evidence = message!("verdict-from-memory", share = at_least(share));
        return Some(barred(Bottleneck::Memory, evidence, past_memory(p)));
    }
    let kept = kept_in_memory(p).filter(|share| *share >= FROM_MEMORY)?;
    let share = Number(format!("{:.1} %", kept * 100.0));
    let evidence = message!("verdict-left-in-memory", share = share);
    let remedy = match p.dataset.direct {
        Some(false) => message!("remedy-direct-or-longer-window"),
        _ => message!("remedy-longer-window"),
    };
    Some(barred(Bottleneck::Memory, evidence, remedy))
}

/// How to make reads reach the drive.
fn past_memory(p: &BottleneckInputs) -> Message {
    let twice = p.dataset.memory_bytes.map(|bytes| 2.0 * whole_gib(bytes));
    let larger = match twice {
        Some(twice) => message!("remedy-dataset-of", size = size(twice)),
        None => message!("remedy-dataset-beyond-memory"),
    };
    let how = match p.dataset.direct {
        Some(false) => message!("remedy-direct-or", other = larger),
        // Already bypassing the page cache: it was the engine's own cache.
        Some(true) => message!("remedy-smaller-cache"),
        None => larger,
    };
    match (p.dataset.bytes, p.dataset.memory_bytes) {
        (Some(bytes), Some(memory)) if bytes < memory && p.dataset.direct != Some(true) => {
            let (dataset, memory) = (size(bytes), size(whole_gib(memory)));
            message!("remedy-dataset-fits", dataset = dataset, memory = memory, how = how)
        }
        _ => how,
    }
}

fn size(bytes: f64) -> Number {
    Number(units::bytes(bytes as u64))
}

/// Nominal memory size: the kernel reserves some.
fn whole_gib(bytes: f64) -> f64 {
    const GIB: f64 = (1u64 << 30) as f64;
    (bytes / GIB).ceil() * GIB
}

fn neighbour(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let found =
        foreign(p).filter(|f| f.share >= NEIGHBOURS_SHARE && f.queue >= NEIGHBOURS_QUEUE)?;
    let mb = |bytes: f64| Number(format!("{:.1} MB/s", bytes / 1e6));
    let evidence = message!(
        "verdict-neighbour",
        share = pct(found.share),
        read = mb(found.read_bytes_per_s),
        written = mb(found.written_bytes_per_s)
    );
    Some(barred(Bottleneck::Neighbour, evidence, message!("remedy-neighbour")))
}

fn late(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let late = p
        .late
        .as_ref()
        .filter(|late| late.share >= LATE && late.p99_ratio.is_none_or(|r| r >= P99_MOVED))?;
    let (share, ratio) = (at_least(late.share), late.p99_ratio);
    let mut evidence = match ratio.map(|ratio| Number(format!("{ratio:.1}"))) {
        Some(ratio) => message!("verdict-late-p99", share = share, ratio = ratio),
        None => message!("verdict-late", share = share),
    };
    if let Some((host, others)) = p.host_busy.zip(strangers(p)) {
        let busy = message!("verdict-processors-others", busy = pct(host), others = pct(others));
        evidence = both(evidence, busy);
    }
    Some(barred(Bottleneck::Generator, evidence, message!("remedy-late")))
}

fn ceiling(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let (share, _) = p.ceiling.filter(|(share, _)| *share >= NEAR_CEILING)?;
    let evidence = message!("verdict-near-ceiling", share = pct(share.min(1.0)));
    Some(barred(Bottleneck::Generator, evidence, message!("remedy-near-ceiling")))
}

/// From this share of the generator's ceiling on, it is printed with the verdict, whatever that is.
const HALF_OF_CEILING: f64 = 0.5;

/// The verdict with the generator's ceiling, if it is close.
pub fn beside_ceiling(verdict: BottleneckVerdict, p: &BottleneckInputs) -> BottleneckVerdict {
    let near = p.ceiling.filter(|(share, _)| *share >= HALF_OF_CEILING);
    let Some((_, ops_per_s)) = near else { return verdict };
    let ceiling = message!("verdict-ceiling", ops = Number(units::grouped(ops_per_s)));
    BottleneckVerdict { evidence: both(verdict.evidence, ceiling), ..verdict }
}

fn rate(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let achieved = p.achieved.filter(|a| *a >= RATE_MET)?;
    Some(allowed(Bottleneck::Rate, message!("verdict-rate-reached", share = pct(achieved))))
}

fn thermal(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let share = p.throttled.filter(|t| *t > THROTTLED)?;
    Some(allowed(Bottleneck::Thermal, message!("verdict-throttled", share = pct(share.min(1.0)))))
}

fn generator(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let share = p.in_flight.map(|n| n / p.outstanding.max(1.0)).filter(|share| *share < FILLED)?;
    if p.thinks {
        return Some(allowed(Bottleneck::Rate, message!("verdict-thinks", share = pct(share))));
    }
    let evidence = message!("verdict-too-few-made", share = pct(share));
    Some(barred(Bottleneck::Generator, evidence, message!("remedy-too-few-made")))
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

/// Where the load's requests were, and the processors' use meanwhile.
fn whereabouts(p: &BottleneckInputs) -> Message {
    let device = match at_device(p) {
        None => message!("verdict-no-device"),
        Some(own) if own.flushing >= 0.01 => message!(
            "verdict-at-device-flushing",
            window = pct(own.window),
            flushing = pct(own.flushing),
            requests = pct(own.requests)
        ),
        Some(own) => {
            message!("verdict-at-device", window = pct(own.window), requests = pct(own.requests))
        }
    };
    let busy = match p.host_busy {
        Some(busy) => message!("verdict-processors-busy", busy = pct(busy)),
        None => message!("verdict-processors-unknown"),
    };
    both(device, busy)
}

/// If the load and its servers have separate processors, one set can be saturated while the other
/// idles: the load's is checked first, because it generates the requests.
fn own_set_full(p: &BottleneckInputs) -> Option<BottleneckVerdict> {
    let (apart, servers) = (p.apart?, p.servers_busy?);
    let busy = |share: f64, of: f64| (share * p.cores / of.max(1.0)).min(1.0);
    let load = busy((p.own_busy? - servers).max(0.0), apart.load);
    let servers = busy(servers, apart.servers);
    let (evidence, remedy) = match (load >= CPU_FULL, servers >= CPU_FULL) {
        (true, _) => (
            message!("verdict-load-set", count = apart.load as usize, busy = pct(load)),
            message!("remedy-load-set"),
        ),
        (false, true) => (
            message!("verdict-servers-set", count = apart.servers as usize, busy = pct(servers)),
            message!("remedy-server-processors"),
        ),
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
    let evidence = match (host, one_core, computes) {
        (Some(host), ..) => message!("verdict-processors-busy", busy = pct(host)),
        (None, Some(core), _) => message!("verdict-one-core", busy = pct(core.min(1.0))),
        (None, None, Some(share)) => message!("verdict-computed", share = pct(share)),
        (None, None, None) => return None,
    };
    let servers = p.servers_busy.filter(|share| *share >= 0.01);
    let evidence = match (p.own_busy, servers) {
        (Some(own), Some(servers)) => message!(
            "verdict-own-and-servers",
            evidence = evidence,
            own = pct(own),
            servers = pct(servers)
        ),
        (Some(own), None) => message!("verdict-own", evidence = evidence, own = pct(own)),
        (None, _) => evidence,
    };
    let remedy = match p.servers_busy.zip(p.own_busy) {
        Some((servers, own)) if servers > own / 2.0 => message!("remedy-server-processors"),
        _ => message!("remedy-processors"),
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
        let evidence = both(whereabouts(p), message!("verdict-others-waited"));
        return Some(allowed(Bottleneck::Drive, evidence));
    }
    (p.workers > 1.0 && own.window < NONE_IS_THERE).then(|| {
        let (off, window) = (pct(1.0 - on_cpu), pct(own.window));
        let evidence = message!("verdict-locks", off = off, window = window);
        barred(Bottleneck::Locks, evidence, message!("remedy-locks"))
    })
}

pub fn undecided(p: &BottleneckInputs) -> BottleneckVerdict {
    allowed(Bottleneck::Undecided, whereabouts(p))
}
