//! `vary = ["io.block"]`: fields that may differ. Points that differ in anything else are not
//! compared.
//!
//! A path has the notation of sweeps, STREAM.FIELD, optionally followed by a knob:
//! "io.engine.latency", "io.workload.block". Without a stream, "engine.latency" is that knob of
//! every stream; "dataset.NAME" and "dataset.NAME.KEY" refer to a dataset; "host" is the machine.

use crate::plan::Catalogue;
use crate::plan::info::Info;
use crate::plan::model::{Component, Protocol};
use crate::plan::syntax::fields;
use crate::plan::syntax::mistakes::{Mistakes, remedy};
use crate::plan::syntax::node::Node;

/// A step's own fields.
const STEP: &[&str] =
    &["warmup", "duration", "drop_caches", "settle", "cooldown", "memory", "max_lag"];

/// A stream's fields, as named in sweeps and plans. "block" is short for the workload's knob.
const STREAM: &[&str] = &[
    "threads",
    "depth",
    "rate",
    "load",
    "block",
    "arrival",
    "cpus",
    "drives_per_worker",
    "instances",
    "target",
    "engine",
    "workload",
    "dataset",
];

/// Every path that may vary in a protocol.
pub fn paths(protocol: &Protocol, catalogue: &Catalogue) -> Vec<String> {
    let mut all = vec!["host".to_string(), "prepare".to_string()];
    all.extend(STEP.iter().map(|field| field.to_string()));
    for dataset in &protocol.datasets {
        let of = format!("dataset.{}", dataset.name);
        all.extend(["engine", "fill", "restore"].map(|key| format!("{of}.{key}")));
        all.extend(knobs(&dataset.engine, &catalogue.engines).map(|knob| format!("{of}.{knob}")));
        all.push(of);
    }
    for stream in protocol.steps.iter().flat_map(|step| &step.streams) {
        all.extend(STREAM.iter().map(|field| format!("{}.{field}", stream.name)));
        let parts = [
            ("engine", &stream.engine, &catalogue.engines),
            ("workload", &stream.workload, &catalogue.workloads),
        ];
        for (what, part, known) in parts {
            all.push(what.to_string());
            let paths = knobs(part, known).flat_map(|knob| {
                [format!("{what}.{knob}"), format!("{}.{what}.{knob}", stream.name)]
            });
            all.extend(paths);
        }
    }
    all.sort();
    all.dedup();
    all
}

fn knobs(part: &Component, known: &[&'static Info]) -> impl Iterator<Item = &'static str> {
    let info = known.iter().find(|info| info.name == part.name);
    info.map(|info| info.knobs).unwrap_or_default().iter().map(|knob| knob.name)
}

/// Reads the list.
pub fn vary(
    node: &Node,
    protocol: &Protocol,
    catalogue: &Catalogue,
    log: &mut Mistakes,
) -> Vec<String> {
    let known = paths(protocol, catalogue);
    let mut varied = Vec::new();
    for item in fields::list(node, "paths, as in [\"io.block\"]", log) {
        let Some(path) = fields::text(item, log) else { continue };
        if !known.contains(&path) {
            let help = remedy(&path, "these may vary", known.iter().map(String::as_str));
            log.note(
                item.at,
                format!("the plan has no field '{path}' that could vary"),
                "unknown",
                help,
            );
        }
        varied.push(path);
    }
    varied
}
