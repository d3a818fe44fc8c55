//! Knobs of one subject only: `[subject.override]` in a plan, or `--subject
//! A=/mnt/a,latency=110us`. A path has the notation of the plan's `[override]`, down to a knob of a
//! stream's engine or workload; a name without full stops is a knob of every stream whose engine
//! has it. Other fields cannot be a subject's own, because points must have the same load.

use crate::plan::Catalogue;
use crate::plan::model::{OwnKnob, PartOf, Protocol};
use crate::plan::steps::stream::stream_name;
use crate::plan::steps::{overrides, protocol};
use crate::plan::syntax::mistakes::{Mistakes, remedy};
use crate::plan::syntax::node::{Node, NodeEntry};

/// The position of a stream's knob.
struct KnobPath {
    step: String,
    stream: String,
    of: PartOf,
    knob: String,
}

impl KnobPath {
    /// From "step.STEP.stream.STREAM.engine.KNOB".
    fn of(path: &str) -> Option<KnobPath> {
        let ["step", step, "stream", stream, part, knob] = path.split('.').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let of = [PartOf::Engine, PartOf::Workload].into_iter().find(|of| of.name() == part)?;
        Some(KnobPath { step: step.into(), stream: stream.into(), of, knob: knob.into() })
            .filter(|_| knob != "kind")
    }
}

/// A subject's own knobs, and the first part of the protocol that then writes.
#[derive(Default)]
pub struct SubjectKnobs {
    pub knobs: Vec<OwnKnob>,
    pub writer: Option<String>,
}

/// Reads a subject's own knobs against the protocol's tree, after the plan's scale and overrides.
pub fn knobs(
    node: &Node,
    tree: &Node,
    protocol: &Protocol,
    catalogue: &Catalogue,
    log: &mut Mistakes,
) -> SubjectKnobs {
    let mut entries = Vec::new();
    for entry in overrides::flat(node.entries()) {
        match entry.key.contains('.') {
            true if KnobPath::of(&entry.key).is_none() => {
                let help = "write step.STEP.stream.STREAM.engine.KNOB (or workload.KNOB), or the \
                            name of an engine's knob";
                let message = format!("'{}' cannot be set for a single subject", entry.key);
                log.note(entry.key_at, message, "not a knob", help);
            }
            true => entries.push(entry),
            false => entries.extend(of_every_engine(&entry, tree, catalogue, log)),
        }
    }
    let mut changed = tree.clone();
    overrides::apply(&mut changed, &entries, log);
    let Some(resolved) = protocol::resolve(&changed, &protocol.name, catalogue, log) else {
        return SubjectKnobs::default();
    };
    let own = |entry: &NodeEntry| {
        let KnobPath { step, stream, of, knob } = KnobPath::of(&entry.key)?;
        let steps = resolved.protocol.steps.iter().filter(|s| s.name == step);
        let found = steps.flat_map(|s| &s.streams).find(|s| s.name == stream)?;
        let value = found.part(of).knobs.get(&knob)?.clone();
        Some(OwnKnob { step, stream, of, knob, value })
    };
    SubjectKnobs { knobs: entries.iter().filter_map(own).collect(), writer: resolved.writer }
}

/// A knob by its name alone: a path for each stream whose engine has a knob of that name.
fn of_every_engine(
    entry: &NodeEntry,
    tree: &Node,
    catalogue: &Catalogue,
    log: &mut Mistakes,
) -> Vec<NodeEntry> {
    let (mut found, mut known) = (Vec::new(), Vec::new());
    for step in tree.get("step").map(Node::items).unwrap_or_default() {
        for stream in step.get("stream").map(Node::items).unwrap_or_default() {
            let engine = stream.get("engine").and_then(Node::part_name);
            let info = catalogue.engines.iter().find(|info| Some(info.name) == engine);
            let names = info.iter().flat_map(|info| info.knobs).map(|knob| knob.name);
            known.extend(names.clone().filter(|name| !known.contains(name)).collect::<Vec<_>>());
            let step = step.get("name").and_then(Node::as_text);
            if let (Some(step), Some(stream), true) =
                (step, stream_name(stream), names.clone().any(|n| n == entry.key))
            {
                let key = format!("step.{step}.stream.{stream}.engine.{}", entry.key);
                found.push(NodeEntry { key, ..entry.clone() });
            }
        }
    }
    if found.is_empty() {
        let help = remedy(&entry.key, "the engines' knobs", known.into_iter());
        log.note(
            entry.key_at,
            format!("no stream's engine has a knob '{}'", entry.key),
            "unknown",
            help,
        );
    }
    found
}
