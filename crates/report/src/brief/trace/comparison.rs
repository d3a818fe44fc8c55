//! A trace compared with its model: `dyno trace model`.

use super::{empty, length, or_none, part, percent};
use crate::brief::block::{Block, Table};
use crate::brief::document::Brief;
use crate::chart::kinds::trace as figures;
use dyno_core::base::units::{bytes, duration, grouped, significant};
use dyno_trace::{RequestKind, TraceProfile};

/// The page: the properties of both, and their arrivals over time.
pub fn document(trace: &TraceProfile, model: &TraceProfile, name: &str) -> Brief {
    let arrivals = |profile| vec![Block::Figures(vec![figures::arrivals(profile)])];
    Brief {
        title: format!("The trace {name} and its model"),
        kicker: "model".to_string(),
        byline: format!(
            "{} requests of the trace in {}, {} of the model in {}",
            grouped(trace.summary.requests),
            length(trace.summary.span_ns),
            grouped(model.summary.requests),
            length(model.summary.span_ns)
        ),
        parts: vec![
            part("likeness", "Trace and model", table(trace, model)),
            part("trace", "Arrivals of the trace", arrivals(trace)),
            part("model", "Arrivals of the model", arrivals(model)),
        ],
        ..empty()
    }
}

/// The table, for a terminal.
pub fn on_screen(document: &Brief) -> Vec<Block> {
    document.parts.first().map(|part| part.blocks.clone()).unwrap_or_default()
}

/// A property as text.
type Property = fn(&TraceProfile) -> String;

const PROPERTIES: &[(&str, Property)] = &[
    ("mean arrivals", |of| or_none(of.rate(), |rate| format!("{} /s", significant(rate, 4)))),
    ("most arrivals in a second", |of| grouped(of.peak_second)),
    ("reads among reads and writes", |of| or_none(of.read_share(), percent)),
    ("mean size", |of| or_none(mean_size(of), |size| bytes(size as u64))),
    ("sequential requests", |of| percent(of.sequential_share().unwrap_or(0.0))),
    ("footprint in 4 KiB extents", |of| {
        of.extents.first().map_or(String::new(), |extents| bytes(extents.footprint_bytes))
    }),
    ("accesses to the top 10 % of them", |of| {
        of.extents.first().map_or(String::new(), |extents| percent(extents.top[1]))
    }),
    ("zipf theta of 4 KiB extents", |of| {
        let theta = of.extents.first().and_then(|extents| extents.theta);
        or_none(theta, |theta| format!("{theta:.2}"))
    }),
    ("first accesses to a 4 KiB extent", |of| percent(of.reuse.first_share())),
];

fn mean_size(of: &TraceProfile) -> Option<f64> {
    let moved = [RequestKind::Read, RequestKind::Write].map(|kind| of.summary.of(kind));
    let requests: u64 = moved.iter().map(|kind| kind.requests).sum();
    let bytes: u64 = moved.iter().map(|kind| kind.bytes).sum();
    (requests > 0).then(|| bytes as f64 / requests as f64)
}

fn table(trace: &TraceProfile, model: &TraceProfile) -> Vec<Block> {
    let mut rows: Vec<Vec<String>> =
        PROPERTIES.iter().map(|(name, of)| vec![name.to_string(), of(trace), of(model)]).collect();
    for (of_trace, of_model) in trace.dispersion.iter().zip(&model.dispersion) {
        let index = |index| or_none(index, |index| significant(index, 3));
        rows.push(vec![
            format!("index of dispersion at {}", duration(of_trace.window_ns)),
            index(of_trace.index),
            index(of_model.index),
        ]);
    }
    vec![
        Block::Table(Table::of(1, &["", "trace", "model"], rows)),
        Block::note(
            "The requests of the model are those that its streams make (docs/trace.md, \
             \"Models\"). The index of dispersion is the variance of the number of arrivals in a \
             window divided by its mean. A measurement of the protocol compares the response times \
             of both.",
        ),
    ]
}
