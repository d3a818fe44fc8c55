//! The bottleneck of a point as text: the verdict's name, its evidence, and the remedy.

use crate::analysis::facts::CellFacts;
use crate::analysis::limits::bottleneck::{
    AtDevice, Bottleneck, BottleneckVerdict, BusyProcessors, Foreign, Indication, Remedy,
};
use crate::language::{Language, Message, Number};
use crate::{message, say};
use dyno_core::base::units;
use dyno_core::record::{IoLimit, IoLimitKind};

/// The evidence, with the remedy if the drive was not the limit.
pub fn because(l: Language, verdict: &BottleneckVerdict) -> String {
    let evidence = evidence(l, verdict);
    match remedy(verdict) {
        Some(remedy) => say!(l, "evidence-and-remedy", evidence, remedy),
        None => evidence,
    }
}

/// The evidence for a point's limit, as one sentence.
pub fn evidence(l: Language, verdict: &BottleneckVerdict) -> String {
    let own = verdict.evidence.iter().map(indication);
    let own = own.reduce(|first, other| message!("verdict-clauses", first, second = other));
    let own = own.map_or(String::new(), |own| l.text(&own));
    let Some(repeats) = &verdict.repeats else { return own };
    let other = |(limit, count): &(Bottleneck, usize)| {
        message!("verdict-limit-in", limit = title(*limit), count = *count)
    };
    let others = repeats.others.iter().map(other);
    let others = others.reduce(|first, other| message!("verdict-limits", first, other));
    let Some(others) = others else { return own };
    let (count, of) = (repeats.count, repeats.of);
    say!(l, "verdict-in-repeats", evidence = own, count, repeats = of, others)
}

/// The name of a limit.
pub fn limit(l: Language, limit: Bottleneck) -> String {
    l.text(&title(limit))
}

/// "The drive limited none of the 10 points; the load generator limited 9, memory 1.": of the cells
/// with a verdict; None without any.
pub fn limited<'c>(l: Language, cells: impl Iterator<Item = &'c CellFacts>) -> Option<String> {
    let watched: Vec<&BottleneckVerdict> = cells.filter_map(|cell| cell.limit.as_ref()).collect();
    if watched.is_empty() {
        return None;
    }
    let (drive, points) = (watched.iter().filter(|v| v.limit.is_drive()).count(), watched.len());
    let mut others: Vec<(Bottleneck, usize)> = Vec::new();
    for verdict in watched.iter().filter(|v| v.limit.bars_ranking()) {
        match others.iter_mut().find(|(limit, _)| *limit == verdict.limit) {
            Some(found) => found.1 += 1,
            None => others.push((verdict.limit, 1)),
        }
    }
    others.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let of = |(i, (limit, count)): (usize, &(Bottleneck, usize))| {
        let limiter = limiter(l, *limit);
        match i {
            0 => say!(l, "limiter-limited", limiter, count = *count),
            _ => say!(l, "limiter-count", limiter, count = *count),
        }
    };
    let others: Vec<String> = others.iter().enumerate().map(of).collect();
    Some(match others.is_empty() {
        true => say!(l, "drive-limited", drive, points),
        false => {
            let others = l.sequence(&others);
            say!(l, "drive-limited-otherwise", drive, points, others)
        }
    })
}

/// The limits of points other than the drive, as the subject of a sentence.
fn limiter(l: Language, other: Bottleneck) -> String {
    match other {
        Bottleneck::Cpu => say!(l, "limiter-cpu"),
        Bottleneck::Memory => say!(l, "limiter-memory"),
        Bottleneck::NoDrive => say!(l, "limiter-no-drive"),
        Bottleneck::ControlGroup => say!(l, "limiter-control-group"),
        Bottleneck::Neighbour => say!(l, "limiter-neighbour"),
        Bottleneck::Generator => say!(l, "limiter-generator"),
        Bottleneck::Standstill => say!(l, "limiter-standstill"),
        Bottleneck::Locks => say!(l, "limiter-locks"),
        Bottleneck::Drive | Bottleneck::Rate | Bottleneck::Thermal | Bottleneck::Undecided => {
            limit(l, other)
        }
    }
}

fn title(limit: Bottleneck) -> Message {
    match limit {
        Bottleneck::Drive => message!("limit-drive"),
        Bottleneck::Cpu => message!("limit-cpu"),
        Bottleneck::Memory => message!("limit-memory"),
        Bottleneck::NoDrive => message!("limit-no-drive"),
        Bottleneck::ControlGroup => message!("limit-control-group"),
        Bottleneck::Neighbour => message!("limit-neighbour"),
        Bottleneck::Generator => message!("limit-generator"),
        Bottleneck::Standstill => message!("limit-standstill"),
        Bottleneck::Rate => message!("limit-rate"),
        Bottleneck::Thermal => message!("limit-thermal"),
        Bottleneck::Locks => message!("limit-locks"),
        Bottleneck::Undecided => message!("limit-undecided"),
    }
}

fn pct(share: f64) -> Number {
    Number(format!("{:.0} %", share * 100.0))
}

/// Rounded down, because it is a lower bound.
fn at_least(share: f64) -> Number {
    Number(format!("{:.1} %", (share * 1000.0).floor() / 10.0))
}

fn size(bytes: f64) -> Number {
    Number(units::bytes(bytes as u64))
}

fn indication(one: &Indication) -> Message {
    match one {
        Indication::ProcessorsWithOthers { busy, others } => {
            message!("verdict-processors-others", busy = pct(*busy), others = pct(*others))
        }
        Indication::OnProcessors { of, busy, own, servers } => {
            on_processors(*of, *busy, *own, *servers)
        }
        Indication::ProcessorsUnknown => message!("verdict-processors-unknown"),
        Indication::LoadsSet { count, busy } => {
            message!("verdict-load-set", count = *count, busy = pct(*busy))
        }
        Indication::ServersSet { count, busy } => {
            message!("verdict-servers-set", count = *count, busy = pct(*busy))
        }
        Indication::Hypervisor { stolen } => message!("verdict-hypervisor", stolen = pct(*stolen)),
        Indication::StoodStill { still_s, window_s } => {
            let [still, window] = [format!("{still_s:.2} s"), format!("{window_s:.1} s")];
            message!("verdict-stood-still", still = Number(still), window = Number(window))
        }
        Indication::Locks { off, window } => {
            message!("verdict-locks", off = pct(*off), window = pct(*window))
        }
        Indication::OthersWaited => message!("verdict-others-waited"),
        Indication::Late { share, p99_ratio: None } => {
            message!("verdict-late", share = at_least(*share))
        }
        Indication::Late { share, p99_ratio: Some(ratio) } => {
            let ratio = Number(format!("{ratio:.1}"));
            message!("verdict-late-p99", share = at_least(*share), ratio)
        }
        Indication::NearCeiling { share } => message!("verdict-near-ceiling", share = pct(*share)),
        Indication::Ceiling { ops_per_s } => {
            message!("verdict-ceiling", ops = Number(units::grouped(*ops_per_s)))
        }
        Indication::RateReached { share } => message!("verdict-rate-reached", share = pct(*share)),
        Indication::Thinks { share } => message!("verdict-thinks", share = pct(*share)),
        Indication::TooFewMade { share } => message!("verdict-too-few-made", share = pct(*share)),
        Indication::FewAtDevice { share } => message!("verdict-few-at-device", share = pct(*share)),
        Indication::Tmpfs => message!("verdict-tmpfs"),
        Indication::NoData => message!("verdict-no-data"),
        Indication::FromMemory { share } => {
            message!("verdict-from-memory", share = at_least(*share))
        }
        Indication::LeftInMemory { share } => {
            let share = Number(format!("{:.1} %", share * 100.0));
            message!("verdict-left-in-memory", share)
        }
        Indication::IoLimit { limit, share } => io_limit(limit, *share),
        Indication::CpuLimit { cores, share } => {
            let cores = Number(format!("{cores:.2}"));
            message!("verdict-cpu-limit", cores, share = pct(*share))
        }
        Indication::Neighbour(foreign) => neighbour(foreign),
        Indication::Throttled { share } => message!("verdict-throttled", share = pct(*share)),
        Indication::NoDevice => message!("verdict-no-device"),
        Indication::AtDevice(own) => at_device(own),
    }
}

fn on_processors(of: BusyProcessors, busy: f64, own: Option<f64>, servers: Option<f64>) -> Message {
    let evidence = match of {
        BusyProcessors::Host => message!("verdict-processors-busy", busy = pct(busy)),
        BusyProcessors::OneCore => message!("verdict-one-core", busy = pct(busy)),
        BusyProcessors::Workers => message!("verdict-computed", share = pct(busy)),
    };
    match (own.map(pct), servers.map(pct)) {
        (Some(own), Some(servers)) => {
            message!("verdict-own-and-servers", evidence, own, servers)
        }
        (Some(own), None) => message!("verdict-own", evidence, own),
        (None, _) => evidence,
    }
}

fn io_limit(limit: &IoLimit, share: f64) -> Message {
    let (group, share) = (limit.group.clone(), pct(share));
    let requests = || Number(units::grouped(limit.per_s));
    let bytes = || Number(format!("{:.1} MB/s", limit.per_s as f64 / 1e6));
    match limit.kind {
        IoLimitKind::Reads => message!("verdict-group-reads", group, limit = requests(), share),
        IoLimitKind::Writes => message!("verdict-group-writes", group, limit = requests(), share),
        IoLimitKind::ReadBytes => message!("verdict-group-read", group, limit = bytes(), share),
        IoLimitKind::WrittenBytes => {
            message!("verdict-group-written", group, limit = bytes(), share)
        }
    }
}

fn neighbour(foreign: &Foreign) -> Message {
    let mb = |bytes: f64| Number(format!("{:.1} MB/s", bytes / 1e6));
    message!(
        "verdict-neighbour",
        share = pct(foreign.share),
        read = mb(foreign.read_bytes_per_s),
        written = mb(foreign.written_bytes_per_s)
    )
}

fn at_device(own: &AtDevice) -> Message {
    let (window, requests) = (pct(own.window), pct(own.requests));
    match own.flushing >= 0.01 {
        true => {
            message!("verdict-at-device-flushing", window, flushing = pct(own.flushing), requests)
        }
        false => message!("verdict-at-device", window, requests),
    }
}

/// The remedy, if the verdict rules out a ranking.
pub fn remedy(verdict: &BottleneckVerdict) -> Option<Message> {
    verdict.remedy.as_ref().map(remedy_text)
}

fn remedy_text(one: &Remedy) -> Message {
    match one {
        Remedy::OwnMachine => message!("remedy-own-machine"),
        Remedy::EndOthers => message!("remedy-end-others"),
        Remedy::StoodStill => message!("remedy-stood-still"),
        Remedy::Tmpfs => message!("remedy-tmpfs"),
        Remedy::NoData => message!("remedy-no-data"),
        Remedy::DirectOrLongerWindow => message!("remedy-direct-or-longer-window"),
        Remedy::LongerWindow => message!("remedy-longer-window"),
        Remedy::SmallerCache => message!("remedy-smaller-cache"),
        Remedy::WithoutHoles => message!("remedy-without-holes"),
        Remedy::LargerDataset { bytes, or_direct, fits } => {
            let larger = match bytes {
                Some(bytes) => message!("remedy-dataset-of", size = size(*bytes)),
                None => message!("remedy-dataset-beyond-memory"),
            };
            let how = match or_direct {
                true => message!("remedy-direct-or", other = larger),
                false => larger,
            };
            let Some((dataset, memory)) =
                fits.map(|(dataset, memory)| (size(dataset), size(memory)))
            else {
                return how;
            };
            message!("remedy-dataset-fits", dataset, memory, how)
        }
        Remedy::ControlGroup => message!("remedy-control-group"),
        Remedy::CpuLimit => message!("remedy-cpu-limit"),
        Remedy::Neighbour => message!("remedy-neighbour"),
        Remedy::Late => message!("remedy-late"),
        Remedy::LateOnIdleHost => message!("remedy-late-on-idle-host"),
        Remedy::NearCeiling => message!("remedy-near-ceiling"),
        Remedy::TooFewMade => message!("remedy-too-few-made"),
        Remedy::LoadsSet => message!("remedy-load-set"),
        Remedy::ServerProcessors => message!("remedy-server-processors"),
        Remedy::Processors => message!("remedy-processors"),
        Remedy::Locks => message!("remedy-locks"),
    }
}
