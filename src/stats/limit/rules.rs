//! What each verdict needs, in the order in which it is looked for, and what to change where it is
//! not the drive.

use super::evidence::{at_device, foreign, from_memory, kept_in_memory, on_processor, strangers};
use super::{Inputs, Limit, Verdict};
use crate::base::units;
use crate::record::NEAR_CEILING;

type Rule = fn(&Inputs) -> Option<Verdict>;

/// First what is known whatever the processors did meanwhile.
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

/// From here on the processors have nothing left to give.
const CPU_FULL: f64 = 0.93;
/// So much of them taken by others is theirs and not the load's.
const OTHERS_HOG: f64 = 0.35;
/// Dyno standing still for more of the window than this moves its figures; so long a stop is more
/// than busy processors do.
const STOOD_STILL: f64 = 0.02;
const WAS_STOPPED: f64 = 0.1;
/// A read that did not reach the device came from memory; from this share on memory sets the
/// number.
const FROM_MEMORY: f64 = 0.5;
/// Others with this share of the device's time, and this many requests there on average, set the
/// number too.
const NEIGHBOURS_SHARE: f64 = 0.2;
const NEIGHBOURS_QUEUE: f64 = 0.1;
/// One op in a hundred decides p99.
const LATE: f64 = 0.01;
const P99_MOVED: f64 = 1.1;
const RATE_MET: f64 = 0.98;
const THROTTLED: f64 = 0.01;
/// With fewer of its requests under way than this, the load is made too slowly to fill what it may
/// fill.
const FILLED: f64 = 0.7;
/// The load waits at the device if this share of its requests is there.
const WAITS_THERE: f64 = 0.5;
/// Where nearly all of it waits there, it does not matter who else uses the processors.
const ALL_WAITS_THERE: f64 = 0.9;
/// Workers that compute so much of their time have little left for a faster drive to shorten.
const COMPUTES: f64 = 0.7;
const HARDLY_COMPUTES: f64 = 0.3;
/// Workers that do not compute wait for one another; the device decides for how long where one of
/// them is there so much of the window, and has no part in it where hardly ever.
const ONE_IS_THERE: f64 = 0.5;
const NONE_IS_THERE: f64 = 0.3;

fn pct(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Rounded down, since it is a bound.
fn at_least(share: f64) -> String {
    format!("{:.1} %", (share * 1000.0).floor() / 10.0)
}

fn barred(limit: Limit, evidence: String, remedy: impl Into<String>) -> Verdict {
    Verdict { limit, evidence, remedy: Some(remedy.into()) }
}

fn allowed(limit: Limit, evidence: String) -> Verdict {
    Verdict { limit, evidence, remedy: None }
}

fn hog(p: &Inputs) -> Option<Verdict> {
    let (host, others) = (p.host_busy?, strangers(p)?);
    if host < CPU_FULL || others < OTHERS_HOG || waits_at_device(p, ALL_WAITS_THERE) {
        return None;
    }
    let mut evidence =
        format!("processors {} busy, {} with other processes", pct(host), pct(others));
    if let Some(own) = at_device(p) {
        evidence.push_str(&format!(
            "; only {} of the load's requests were at the device",
            pct(own.requests)
        ));
    }
    match p.stolen.filter(|stolen| *stolen > others / 2.0) {
        Some(stolen) => Some(barred(
            Limit::Cpu,
            format!("{evidence}; the hypervisor gave away {}", pct(stolen)),
            "a machine of its own, or virtual processors that nobody shares",
        )),
        None => {
            Some(barred(Limit::Cpu, evidence, "end what else runs on this host, and measure again"))
        }
    }
}

/// Stopped, as by a signal or with its virtual machine.
fn stopped(p: &Inputs) -> Option<Verdict> {
    standstill(p)
        .filter(|_| p.stood_still_s.is_some_and(|still_s| still_s > WAS_STOPPED * p.window_s))
}

fn standstill(p: &Inputs) -> Option<Verdict> {
    let still_s = p.stood_still_s.filter(|s| *s > STOOD_STILL * p.window_s)?;
    let evidence = format!("Dyno itself stood still for {still_s:.2} s of {:.1} s", p.window_s);
    let remedy = "measure again where nothing stops Dyno: no suspend, no debugger, no \
                  overcommitted virtual machine";
    Some(barred(Limit::Standstill, evidence, remedy))
}

fn memory(p: &Inputs) -> Option<Verdict> {
    if p.on_tmpfs {
        let evidence =
            "the subject's folder is in memory (tmpfs): no drive lies under it".to_string();
        let remedy = "name a folder on the drive's filesystem, or the device itself";
        return Some(barred(Limit::NoDrive, evidence, remedy));
    }
    if let Some(share) = from_memory(p).filter(|share| *share >= FROM_MEMORY) {
        let evidence = format!("at least {} of the reads were served from memory", at_least(share));
        return Some(barred(Limit::Memory, evidence, past_memory(p)));
    }
    let kept = kept_in_memory(p).filter(|share| *share >= FROM_MEMORY)?;
    let evidence =
        format!("{:.1} % of the bytes written had not reached the device at the end", kept * 100.0);
    let how = if p.dataset.direct == Some(false) { "`direct = true`, or a" } else { "a" };
    let remedy = format!("{how} window so long that memory is full before it begins");
    Some(barred(Limit::Memory, evidence, remedy))
}

/// What makes reads reach the drive.
fn past_memory(p: &Inputs) -> String {
    let twice = p.dataset.memory_bytes.map(|bytes| 2.0 * whole_gib(bytes));
    let larger = twice.map_or("a dataset larger than memory".into(), |twice| {
        format!("a dataset of {}", size(twice))
    });
    let how = match p.dataset.direct {
        Some(false) => format!("`direct = true`, or {larger}"),
        // Past the page cache already: it was a cache of the engine's own.
        Some(true) => "a smaller cache of the engine's own, or a larger dataset".to_string(),
        None => larger,
    };
    match (p.dataset.bytes, p.dataset.memory_bytes) {
        (Some(bytes), Some(memory)) if bytes < memory && p.dataset.direct != Some(true) => {
            format!(
                "the dataset, {}, fits into {} of memory: {how}",
                size(bytes),
                size(whole_gib(memory))
            )
        }
        _ => how,
    }
}

fn size(bytes: f64) -> String {
    units::bytes(bytes as u64)
}

/// Memory as it is sold: the kernel keeps some to itself.
fn whole_gib(bytes: f64) -> f64 {
    const GIB: f64 = (1u64 << 30) as f64;
    (bytes / GIB).ceil() * GIB
}

fn neighbour(p: &Inputs) -> Option<Verdict> {
    let found =
        foreign(p).filter(|f| f.share >= NEIGHBOURS_SHARE && f.queue >= NEIGHBOURS_QUEUE)?;
    let mb = |bytes: f64| format!("{:.1} MB/s", bytes / 1e6);
    let evidence = format!(
        "{} of the device's time went to requests of others, who read {} and wrote {}",
        pct(found.share),
        mb(found.read_bytes_per_s),
        mb(found.written_bytes_per_s)
    );
    let remedy = "end what else uses the drive (`iotop -o` names it), or measure a drive that \
                  nothing else uses";
    Some(barred(Limit::Neighbour, evidence, remedy))
}

fn late(p: &Inputs) -> Option<Verdict> {
    let late = p
        .late
        .as_ref()
        .filter(|late| late.share >= LATE && late.p99_ratio.is_none_or(|r| r >= P99_MOVED))?;
    let mut evidence = format!(
        "at least {} of the ops were handed over late by Dyno itself",
        at_least(late.share)
    );
    if let Some(ratio) = late.p99_ratio {
        evidence.push_str(&format!(
            ", and p99 of the response time is {ratio:.1} times that of the service time"
        ));
    }
    if let Some((host, others)) = p.host_busy.zip(strangers(p)) {
        evidence.push_str(&format!(
            "; processors {} busy, {} with other processes",
            pct(host),
            pct(others)
        ));
    }
    let remedy = "more workers for the rate, a lower rate, or processors that nothing else uses";
    Some(barred(Limit::Generator, evidence, remedy))
}

fn ceiling(p: &Inputs) -> Option<Verdict> {
    let (share, _) = p.ceiling.filter(|(share, _)| *share >= NEAR_CEILING)?;
    let evidence = format!("{} of what Dyno generates here in this shape", pct(share.min(1.0)));
    let remedy = "more threads where processors are free, larger requests, or a faster host";
    Some(barred(Limit::Generator, evidence, remedy))
}

/// The generator's ceiling stands beside every verdict.
pub fn beside_ceiling(verdict: Verdict, p: &Inputs) -> Verdict {
    let Some((_, ops_per_s)) = p.ceiling else { return verdict };
    let ceiling = units::grouped(ops_per_s);
    let evidence = format!("{}; generator's ceiling {ceiling} ops/s", verdict.evidence);
    Verdict { evidence, ..verdict }
}

fn rate(p: &Inputs) -> Option<Verdict> {
    let achieved = p.achieved.filter(|a| *a >= RATE_MET)?;
    Some(allowed(Limit::Rate, format!("{} of the rate asked for was reached", pct(achieved))))
}

fn thermal(p: &Inputs) -> Option<Verdict> {
    let share = p.throttled.filter(|t| *t > THROTTLED)?;
    Some(allowed(
        Limit::Thermal,
        format!("the drive throttled itself for {} of the window", pct(share.min(1.0))),
    ))
}

fn generator(p: &Inputs) -> Option<Verdict> {
    let share = p.in_flight.map(|n| n / p.outstanding.max(1.0)).filter(|share| *share < FILLED)?;
    if p.thinks {
        let evidence = format!(
            "{} of its requests were under way; between them it keys and thinks",
            pct(share)
        );
        return Some(allowed(Limit::Rate, evidence));
    }
    let evidence = format!(
        "only {} of the requests that it may have under way were: Dyno makes no more",
        pct(share)
    );
    Some(barred(
        Limit::Generator,
        evidence,
        "more threads with less depth each, or larger requests",
    ))
}

fn waits_at_device(p: &Inputs, share: f64) -> bool {
    at_device(p).is_some_and(|own| own.requests >= share)
}

/// Processors and drive can be full at once; the one that more of the load waits for decides.
fn drive(p: &Inputs) -> Option<Verdict> {
    let least =
        if p.host_busy.is_none_or(|b| b < CPU_FULL) { WAITS_THERE } else { ALL_WAITS_THERE };
    waits_at_device(p, least).then(|| allowed(Limit::Drive, whereabouts(p)))
}

/// Where the load's requests were, and what the processors did meanwhile.
fn whereabouts(p: &Inputs) -> String {
    let device = at_device(p).map_or("no device seen".to_string(), |own| {
        let flushes = match own.flushing >= 0.01 {
            true => format!(", in flushes for {} of it", pct(own.flushing)),
            false => String::new(),
        };
        format!(
            "the load's own requests were at the device for {} of the window{flushes}, {} of those \
             it may have under way",
            pct(own.window),
            pct(own.requests)
        )
    });
    let busy = p
        .host_busy
        .map_or("processor time unknown".to_string(), |b| format!("processors {} busy", pct(b)));
    format!("{device}; {busy}")
}

fn processors(p: &Inputs) -> Option<Verdict> {
    let host = p.host_busy.filter(|b| *b >= CPU_FULL);
    let one_core = p.busiest_core.filter(|c| *c >= CPU_FULL && p.workers <= 1.0);
    let computes = on_processor(p).filter(|share| *share >= COMPUTES);
    let evidence = match (host, one_core, computes) {
        (Some(host), ..) => format!("processors {} busy", pct(host)),
        (None, Some(core), _) => format!("one worker, and its core {} busy", pct(core.min(1.0))),
        (None, None, Some(share)) => format!("workers computed for {} of the time", pct(share)),
        (None, None, None) => return None,
    };
    let servers = match p.servers_busy.filter(|share| *share >= 0.01) {
        Some(share) => format!(", {} with its database servers", pct(share)),
        None => String::new(),
    };
    let own = p
        .own_busy
        .map_or(String::new(), |own| format!(", {} with the load itself{servers}", pct(own)));
    let remedy = match p.servers_busy.zip(p.own_busy) {
        Some((servers, own)) if servers > own / 2.0 => {
            "more processors for the server, or a dataset that its cache does not hold, so that \
             the drive is asked more"
        }
        _ => {
            "more or faster processors, or a load that computes less for each byte: larger \
             requests, no compression"
        }
    };
    Some(barred(Limit::Cpu, evidence + &own, remedy))
}

/// Workers that neither compute nor have their own request at the device wait for one another: for
/// one that is at the device, as for a log that one of them flushes for all, or for a lock.
fn serial_or_locks(p: &Inputs) -> Option<Verdict> {
    let (on_cpu, own) = (on_processor(p).filter(|share| *share < HARDLY_COMPUTES)?, at_device(p)?);
    if p.achieved.is_some() {
        return None;
    }
    if own.window >= ONE_IS_THERE {
        let evidence = format!("{}; its other workers waited for those", whereabouts(p));
        return Some(allowed(Limit::Drive, evidence));
    }
    (p.workers > 1.0 && own.window < NONE_IS_THERE).then(|| {
        let evidence = format!(
            "workers were off the processor {} of the time, and any of their requests at the \
             device for only {} of it",
            pct(1.0 - on_cpu),
            pct(own.window)
        );
        barred(
            Limit::Locks,
            evidence,
            "fewer threads, or several datasets at once (`instances`), \
            so that none waits",
        )
    })
}

pub fn undecided(p: &Inputs) -> Verdict {
    allowed(Limit::Undecided, whereabouts(p))
}
