//! `dyno trace model`: a protocol fitted to a trace, with one stream for each of its busiest
//! devices. Properties that a stream cannot reproduce are listed in the file. A second step replays
//! the trace itself.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::analysis::points::replay::{MODEL, TRACE};
use crate::base::error::{Result, failed};
use crate::base::output;
use crate::base::stderr::note;
use crate::base::units::{duration, grouped, significant};
use crate::brief::trace::comparison;
use crate::cmd::convert::draft::{
    DraftDataset, DraftStep, DraftStream, Part, ProtocolDraft, blocks, number, quoted,
};
use crate::cmd::convert::shown;
use crate::cmd::publish::report::write_as_named;
use crate::cmd::screen::on_screen;
use crate::cmd::trace::likeness;
use crate::trace::{BurstFit, Reader, RequestKind, TraceProfile};

/// Which trace, and where the protocol goes.
#[derive(Args)]
pub struct ModelArgs {
    /// Trace
    file: PathBuf,
    /// Protocol to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Also write the comparison as a page with figures; the extension selects the format: .html,
    /// .pdf or .md
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

/// Maximum number of streams; further devices are listed as not modelled.
const MOST_STREAMS: usize = 8;
/// Maximum number of sizes of a stream; rarer sizes are left out.
const MOST_SIZES: usize = 16;
/// Unit of the size of datasets, bytes.
const MIB: u64 = 1 << 20;
/// Smaller exponents count as uniform: the knob `theta` starts at 0.01.
const LEAST_THETA: f64 = 0.05;
/// Shortest and longest step, seconds, whatever the trace: long enough to measure, short enough to
/// repeat.
const SECONDS: (f64, f64) = (10.0, 600.0);
/// Queue depth, large enough that bursts wait at the drive.
const DEPTH: u64 = 128;
/// An index of dispersion at 1 ms between this and 1 / this counts as that of Poisson arrivals.
const LIKE_POISSON: f64 = 0.5;

/// Fits a protocol, writes it and compares it with the trace.
pub fn model(args: &ModelArgs, out: &mut dyn Write) -> Result<()> {
    let (mut reader, _) = super::open(&args.file)?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = std::fs::canonicalize(&args.file)?;
    let mut protocol = fit(&mut reader, (&name, &source))?;
    let write = |protocol: &ProtocolDraft| {
        let text = protocol.to_toml("dyno trace model");
        output::write(&args.output, &[&args.file], text.as_bytes())
    };
    write(&protocol)?;
    let (of_trace, of_model) = likeness::profiles(&mut reader, &args.output)?;
    for (property, how) in likeness::lost(&of_trace, &of_model) {
        protocol.lose("", property, how);
    }
    write(&protocol)?;
    for lost in &protocol.settled {
        note(&format!("{}: {}", lost.text, lost.why));
    }
    let document = comparison::document(&of_trace, &of_model, &name);
    out.write_all(on_screen(&comparison::on_screen(&document)).as_bytes())?;
    if let Some(page) = &args.page {
        write_as_named(&document, page, &[&args.file, &args.output])?;
    }
    let path = shown(&args.output);
    note(&format!("Next: dyno plan check {path} --subject A=DIRECTORY"));
    Ok(())
}

/// Fits a protocol to a trace.
fn fit(reader: &mut Reader, (name, source): (&str, &Path)) -> Result<ProtocolDraft> {
    let summary = reader.summary().clone();
    if summary.span_ns == 0 {
        return Err(failed(
            format!("all requests of {name} arrive at one time, so they have no rate"),
            "give a trace with times; in fio's iolog, version 3 has them",
        ));
    }
    let mut busiest: Vec<usize> = (0..summary.devices.len()).collect();
    let moved = |device: usize| summary.devices[device].end > 0;
    busiest.retain(|device| moved(*device));
    busiest.sort_by_key(|device| std::cmp::Reverse(summary.devices[*device].requests));
    let mut draft = ProtocolDraft {
        title: format!("A load like the trace {name}"),
        source: format!(
            "fitted to {} requests in {} ({name})",
            grouped(summary.requests),
            duration(summary.span_ns)
        ),
        ..ProtocolDraft::default()
    };
    let span_s = summary.span_ns as f64 / 1e9;
    let step = |name: &str| DraftStep {
        name: name.to_string(),
        warmup_s: 0.0,
        duration_s: span_s.clamp(SECONDS.0, SECONDS.1),
        drop_caches: false,
        sweep: None,
        streams: Vec::new(),
    };
    let (mut step, mut replay) = (step(MODEL), step(TRACE));
    for device in busiest.iter().take(MOST_STREAMS) {
        let of = &summary.devices[*device].name;
        let profile = TraceProfile::of(reader, Some(*device as u16))?;
        let taken: Vec<&str> = step.streams.iter().map(|stream| stream.name.as_str()).collect();
        let stream = ProtocolDraft::fresh(&taken, of.trim_start_matches("/dev/"));
        let bytes = summary.devices[*device].end.next_multiple_of(MIB);
        draft.datasets.push(DraftDataset {
            name: stream.clone(),
            engine: "uring",
            bytes,
            knobs: vec![("direct", "true".to_string())],
            filled: true,
        });
        replay.streams.push(replayed(&stream, (of, source), span_s));
        step.streams.push(self::stream(stream, &profile, &mut draft));
    }
    for device in busiest.iter().skip(MOST_STREAMS) {
        let of = &summary.devices[*device];
        let why = format!("its {} requests are not modelled", grouped(of.requests));
        draft.lose("", &of.name, why);
    }
    if step.streams.is_empty() {
        let what = format!("no request of {name} reads, writes or discards anything");
        return Err(failed(what, "give a trace with requests that have a size"));
    }
    draft.steps.extend([step, replay]);
    Ok(draft)
}

/// The stream that replays a device of the trace for the duration of its model.
fn replayed(name: &str, (device, source): (&str, &Path), span_s: f64) -> DraftStream {
    let mut knobs = vec![
        ("file", quoted(&source.to_string_lossy())),
        ("device", quoted(device)),
        // The device and the dataset have the same sector size only by coincidence.
        ("align", "\"4KiB\"".to_string()),
    ];
    if span_s > SECONDS.1 {
        knobs.push(("end", format!("\"{}s\"", SECONDS.1)));
    }
    DraftStream {
        dataset: name.to_string(),
        name: name.to_string(),
        engine: "uring",
        direct: true,
        engine_knobs: Vec::new(),
        part: Part::Whole,
        threads: 1,
        depth: DEPTH,
        keys: Vec::new(),
        kind: "trace",
        knobs,
    }
}

fn stream(name: String, profile: &TraceProfile, draft: &mut ProtocolDraft) -> DraftStream {
    let summary = &profile.summary;
    let rate = profile.rate().unwrap_or(0.0);
    let mut lose = |why: String| draft.lose("", &name, why);
    let dispersion: Vec<f64> = profile.dispersion.iter().filter_map(|d| d.index).collect();
    let arrival = arrival(&dispersion, rate, profile.bursts);
    let all = summary.requests as f64;
    let of = |kind: RequestKind| summary.of(kind).requests as f64 / all * 100.0;
    let read = of(RequestKind::Read);
    let mut knobs = sizes(profile, read, &mut lose);
    for (knob, kind) in [("trim", RequestKind::Discard), ("flush", RequestKind::Flush)] {
        if of(kind) > 0.0 {
            knobs.push((knob, rounded(of(kind))));
        }
    }
    let sequential = profile.sequential_share().unwrap_or(0.0);
    if sequential >= 0.001 {
        knobs.push(("random", rounded((1.0 - sequential) * 100.0)));
        knobs.push(("follow", "\"any\"".to_string()));
    }
    if let Some(theta) = theta(profile) {
        knobs.push(("offsets", "\"zipfian\"".to_string()));
        knobs.push(("theta", format!("{theta:.3}")));
    }
    DraftStream {
        dataset: name.clone(),
        name,
        engine: "uring",
        direct: true,
        engine_knobs: Vec::new(),
        part: Part::Whole,
        threads: 1,
        depth: DEPTH,
        keys: vec![("rate", format!("\"{}/s\"", significant_rate(rate))), ("arrival", arrival)],
        kind: "random",
        knobs,
    }
}

/// Selects the arrivals by their indices of dispersion at 1 ms, 100 ms and 1 s, as TOML. Evenly
/// spaced arrivals have an index of 0; `refill` releases the requests of 100 ms at once, so its
/// index is a tenth of the rate at 1 ms, and nearly 0 from 100 ms on; those of bursts are above 1.
fn arrival(dispersion: &[f64], rate: f64, bursts: Option<BurstFit>) -> String {
    let refill = (rate / 10.0).max(1.0);
    let scatters = dispersion.iter().any(|index| *index > 1.0 / LIKE_POISSON);
    match (dispersion, bursts) {
        ([at_1_ms, ..], _) if !scatters && *at_1_ms < LIKE_POISSON => "\"fixed\"".to_string(),
        ([at_1_ms, at_100_ms, ..], _)
            if *at_1_ms > refill.sqrt() && scatters && *at_100_ms < LIKE_POISSON =>
        {
            "\"refill\"".to_string()
        }
        (_, Some(BurstFit { factor, length_ns, every_ns })) if scatters => {
            let (factor, length_ns) = (factor.max(1.0), length_ns.max(1.0).round());
            let every_ns = every_ns.round().max(length_ns + 1.0);
            let factor = number((factor * 100.0).round() / 100.0);
            format!("{{ bursts = {factor}, length = \"{length_ns}ns\", every = \"{every_ns}ns\" }}")
        }
        _ => "\"poisson\"".to_string(),
    }
}

/// The most frequent sizes with their weights and, if it differs between them, the share of reads.
fn sizes(
    profile: &TraceProfile,
    read: f64,
    lose: &mut dyn FnMut(String),
) -> Vec<(&'static str, String)> {
    let count = |kinds: &[u64; 4]| kinds.iter().sum::<u64>();
    let mut common: Vec<_> = profile.lengths.iter().filter(|l| l.length % 512 == 0).collect();
    common.sort_by_key(|length| std::cmp::Reverse(count(&length.kinds)));
    let all: u64 = profile.lengths.iter().map(|length| count(&length.kinds)).sum();
    common.truncate(MOST_SIZES);
    let kept: u64 = common.iter().map(|length| count(&length.kinds)).sum();
    if kept < all {
        let share = significant((all - kept) as f64 / all as f64 * 100.0, 2);
        lose(format!("sizes of {share} % of the requests, which are rare or not of whole sectors"));
    }
    let of = |pick: fn(&[u64; 4]) -> u64| -> Vec<(u64, f64)> {
        let sizes = common.iter().map(|l| (u64::from(l.length), pick(&l.kinds) as f64));
        sizes.filter(|(_, count)| *count > 0.0).collect()
    };
    blocks(
        rounded(read).parse().unwrap_or(read),
        &of(|kinds| kinds[0]),
        &of(|kinds| kinds[1] + kinds[2]),
    )
}

/// The exponent for the extent size nearest to the most frequent request size; None if it is nearly
/// uniform.
fn theta(profile: &TraceProfile) -> Option<f64> {
    let common = profile.lengths.iter().max_by_key(|length| length.kinds.iter().sum::<u64>())?;
    let far = |extent: u64| (extent as f64 / f64::from(common.length)).log2().abs();
    let nearest = profile.extents.iter().min_by(|a, b| far(a.extent).total_cmp(&far(b.extent)))?;
    nearest.theta.filter(|theta| *theta >= LEAST_THETA)
}

/// A percentage with at most two decimals.
fn rounded(percent: f64) -> String {
    number((percent * 100.0).round() / 100.0)
}

fn significant_rate(rate: f64) -> String {
    number((rate * 1000.0).round() / 1000.0)
}
