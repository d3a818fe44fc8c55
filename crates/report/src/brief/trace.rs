//! The properties of a trace as text, tables and figures: `dyno trace info`.

pub mod comparison;

use super::block::{Block, Table};
use super::document::{Brief, BriefSection};
use super::number_format::NONE;
use crate::brief::own::options::PaperSize;
use crate::chart::Palette;
use crate::chart::kinds::trace as figures;
use crate::language::Language;
use dyno_core::base::units::{bytes, duration, grouped, latency, plural, significant};
use dyno_trace::{
    BurstFit, CountDispersion, ExtentUse, LengthCount, RequestKind, TraceDevice, TraceProfile,
};

/// Maximum number of rows of a table of lengths or devices; the rest are combined.
const MOST_ROWS: usize = 20;

fn part(id: &str, title: &str, blocks: Vec<Block>) -> BriefSection {
    BriefSection { id: id.to_string(), title: title.to_string(), appendix: false, blocks }
}

/// A page without a cover and parts.
fn empty() -> Brief {
    Brief {
        language: Language::default(),
        title: String::new(),
        kicker: String::new(),
        byline: String::new(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        subjects: Vec::new(),
        palette: Palette::default(),
        cover: Vec::new(),
        parts: Vec::new(),
        logo_png: None,
        footer: Some(format!(
            "Made by Dyno {} from a block trace (docs/trace.md).",
            env!("CARGO_PKG_VERSION")
        )),
        page: PaperSize::default(),
    }
}

/// A trace's page.
pub fn document(profile: &TraceProfile, name: &str, format: &str) -> Brief {
    let summary = &profile.summary;
    let requests = plural(summary.requests as usize, "request");
    Brief {
        title: format!("Trace: {name}"),
        kicker: format.to_string(),
        byline: format!("{requests} in {}", length(summary.span_ns)),
        cover: cover(profile),
        parts: vec![
            part("arrivals", "Arrivals", arrivals(profile)),
            part("sizes", "Sizes", sizes(profile)),
            part("footprint", "Footprint and skew", skew(profile)),
            part("reuse", "Reuse distances", reuse(profile)),
            part("devices", "Devices", devices(profile)),
        ],
        ..empty()
    }
}

/// The same for a terminal.
pub fn on_screen(document: &Brief) -> Vec<Block> {
    let mut blocks = document.cover.clone();
    for part in &document.parts {
        blocks.push(Block::chapter(part.title.clone()));
        blocks.extend(part.blocks.iter().cloned());
    }
    blocks
}

/// The length of a trace; a short one with its decimals.
fn length(span_ns: u64) -> String {
    let seconds = span_ns as f64 / 1e9;
    if (1.0..600.0).contains(&seconds) {
        format!("{} s", significant(seconds, 4))
    } else {
        duration(span_ns)
    }
}

fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0, 3))
}

fn or_none(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| NONE.to_string(), text)
}

fn cover(profile: &TraceProfile) -> Vec<Block> {
    let summary = &profile.summary;
    let footprint = profile.extents.first().map_or(0, |extents| extents.footprint_bytes);
    let mut pairs = vec![
        ("requests", grouped(summary.requests)),
        ("span", length(summary.span_ns)),
        ("mean arrivals", or_none(profile.rate(), |rate| format!("{} /s", significant(rate, 4)))),
        ("most arrivals in a second", grouped(profile.peak_second)),
        ("reads among reads and writes", or_none(profile.read_share(), percent)),
        ("sequential requests", or_none(profile.sequential_share(), percent)),
        ("footprint in 4 KiB extents", bytes(footprint)),
        ("devices", summary.devices.len().to_string()),
    ];
    for kind in RequestKind::ALL {
        let total = summary.of(kind);
        let text = match kind {
            RequestKind::Flush => grouped(total.requests),
            _ => format!("{} of {}", grouped(total.requests), bytes(total.bytes)),
        };
        pairs.push((plural_of(kind), text));
    }
    let pairs = pairs.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    let mut blocks = vec![Block::Pairs("Summary".to_string(), pairs)];
    if summary.missing > 0 {
        blocks.push(Block::warning(format!(
            "{} are known to be missing: refused lines, or events that the recorder lost.",
            plural(summary.missing as usize, "request")
        )));
    }
    blocks
}

fn plural_of(kind: RequestKind) -> &'static str {
    match kind {
        RequestKind::Read => "reads",
        RequestKind::Write => "writes",
        RequestKind::Discard => "discards",
        RequestKind::Flush => "flushes",
    }
}

fn arrivals(profile: &TraceProfile) -> Vec<Block> {
    let row = |dispersion: &CountDispersion| {
        let index = or_none(dispersion.index, |index| significant(index, 3));
        vec![duration(dispersion.window_ns), index]
    };
    let rows = profile.dispersion.iter().map(row).collect();
    let mut blocks = vec![
        Block::Figures(vec![figures::arrivals(profile)]),
        Block::Table(Table::of(1, &["window", "index of dispersion"], rows)),
        Block::note(
            "The index of dispersion is the variance of the number of arrivals in a window divided \
             by its mean: 1 for Poisson arrivals, 0 for evenly spaced ones, more for bursts.",
        ),
    ];
    if let Some(BurstFit { factor, length_ns, every_ns }) = profile.bursts {
        let [length, every] = [length_ns, every_ns].map(latency);
        blocks.push(Block::text(format!(
            "Fitted bursts: {} times as frequent, {length} long and one every {every} on average \
             (docs/trace.md, \"Models\").",
            significant(factor, 3)
        )));
    }
    blocks
}

fn sizes(profile: &TraceProfile) -> Vec<Block> {
    let all: u64 = profile.lengths.iter().flat_map(|length| length.kinds).sum();
    if all == 0 {
        return vec![Block::text("No request has a size.")];
    }
    let share = |count: u64| count as f64 / all as f64 * 100.0;
    let mut common: Vec<&LengthCount> = profile.lengths.iter().collect();
    common.sort_by_key(|length| std::cmp::Reverse(length.kinds.iter().sum::<u64>()));
    let row = |length: &&LengthCount| {
        let total: u64 = length.kinds.iter().sum();
        let counts = length.kinds[..3].iter().map(|count| grouped(*count));
        let cells = [bytes(u64::from(length.length)), format!("{:.2}", share(total))];
        cells.into_iter().chain(counts).collect()
    };
    let rows = common.iter().take(MOST_ROWS).map(row).collect();
    let head = ["size", "% of requests", "reads", "writes", "discards"];
    let mut blocks = vec![
        Block::Figures(vec![figures::sizes(profile)]),
        Block::Table(Table::of(1, &head, rows)),
    ];
    if common.len() > MOST_ROWS {
        let others = plural(common.len() - MOST_ROWS, "other size");
        blocks.push(Block::note(format!("The most frequent sizes; {others} are not listed.")));
    }
    blocks
}

fn skew(profile: &TraceProfile) -> Vec<Block> {
    let head = ["extent", "footprint", "top 1 %", "top 10 %", "top 20 %", "zipf theta"];
    let row = |extents: &ExtentUse| {
        let top = extents.top.map(percent);
        let theta = or_none(extents.theta, |theta| format!("{theta:.2}"));
        let cells = [bytes(extents.extent), bytes(extents.footprint_bytes)];
        cells.into_iter().chain(top).chain([theta]).collect()
    };
    let mut blocks = vec![
        Block::Table(Table::of(1, &head, profile.extents.iter().map(row).collect())),
        Block::note(
            "Reads and writes; an access is one extent that a request touches. Top: the share of \
             accesses to the most accessed 1, 10 and 20 % of the touched extents. Theta: the \
             exponent of the zipfian distribution, over all extents up to the end of each device, \
             under which two accesses meet as often; 0 is uniform.",
        ),
    ];
    if profile.extents.iter().any(|extents| extents.sampled) {
        blocks.push(Block::note(
            "The footprint of some size is too large to count every extent: its figures are \
             estimates from a random sample of extents.",
        ));
    }
    blocks
}

fn reuse(profile: &TraceProfile) -> Vec<Block> {
    let first = profile.reuse.first_share();
    let mut below = 0.0;
    let rows: Vec<Vec<String>> = profile
        .reuse
        .buckets()
        .iter()
        .map(|bucket| {
            below += bucket.share;
            vec![bytes(bucket.below_bytes), percent(bucket.share), percent(below)]
        })
        .collect();
    let mut blocks = vec![Block::text(format!(
        "{} of accesses are the first to their 4 KiB extent.",
        percent(first)
    ))];
    if !rows.is_empty() {
        let head = ["distance below", "accesses", "accesses up to it"];
        blocks.push(Block::Table(Table::of(1, &head, rows)));
    }
    blocks.push(Block::note(
        "The distance is the size of all other extents accessed since the last access to the same \
         one: a cache of that size with LRU replacement would hold it.",
    ));
    blocks
}

fn devices(profile: &TraceProfile) -> Vec<Block> {
    let mut busiest: Vec<_> = profile.summary.devices.iter().collect();
    busiest.sort_by_key(|device| std::cmp::Reverse(device.requests));
    let row = |device: &&TraceDevice| {
        vec![device.name.clone(), grouped(device.requests), bytes(device.end)]
    };
    let rows = busiest.iter().take(MOST_ROWS).map(row).collect();
    let mut blocks =
        vec![Block::Table(Table::of(1, &["device", "requests", "last byte accessed"], rows))];
    if busiest.len() > MOST_ROWS {
        let others = plural(busiest.len() - MOST_ROWS, "other device");
        blocks.push(Block::note(format!("The busiest devices; {others} are not listed.")));
    }
    blocks
}
