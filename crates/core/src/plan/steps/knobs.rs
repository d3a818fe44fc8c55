//! Knobs: a plan's engine or workload, checked against its `Info` and resolved to JSON values.

use serde_json::{Map, Value as Json, json};

use crate::plan::info::{DefaultValue, Info, Knob, KnobKind, RequestFamily};
use crate::plan::model::{Component, Knobs};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan, remedy};
use crate::plan::syntax::node::{Node, NodeEntry, NodeValue, parse_value};

/// An engine or workload with the plan's knobs, without defaults.
pub struct WrittenComponent<'n> {
    pub info: &'static Info,
    pub at: SourceSpan,
    pub given: Vec<&'n NodeEntry>,
}

/// Reads `"name"` or `{ kind = "name", knob = …, EXTRA = … }`. Keys among `extra` are the caller's
/// own.
pub fn part<'n>(
    node: &'n Node,
    what: &'static str,
    known: &[&'static Info],
    extra: &[&str],
    log: &mut Mistakes,
) -> Option<WrittenComponent<'n>> {
    let mut table = match node.value {
        NodeValue::Text(_) => {
            return find(node, what, known, log).map(|info| WrittenComponent {
                info,
                at: node.at,
                given: vec![],
            });
        }
        _ => Fields::of(node, what, log)?,
    };
    let kind = table.need("kind", "\"…\"", log)?;
    let info = find(kind, what, known, log)?;
    let given = table.all_of(info.knobs.iter().map(|k| k.name));
    for key in extra {
        table.get(key);
    }
    table.finish(log);
    Some(WrittenComponent { info, at: kind.at, given })
}

fn find(
    node: &Node,
    what: &str,
    known: &[&'static Info],
    log: &mut Mistakes,
) -> Option<&'static Info> {
    let name = fields::text(node, log)?;
    let found = known.iter().copied().find(|info| info.name == name);
    if found.is_none() {
        let help = remedy(&name, &format!("known {what}s"), known.iter().map(|i| i.name));
        log.note(node.at, format!("there is no {what} '{name}'"), "unknown", help);
    }
    found
}

/// Reports an engine that cannot execute a workload's requests.
pub fn check_families(engine: &Info, workload: &Info, at: SourceSpan, log: &mut Mistakes) {
    if engine.family.suits(workload.family) {
        return;
    }
    let message = format!(
        "the engine '{}' executes {} requests, and the workload '{}' makes {} requests",
        engine.name, engine.family, workload.name, workload.family
    );
    let help = match workload.family {
        RequestFamily::KeyValue => {
            "use a key-value engine such as rocksdb, or a block workload such as random"
        }
        RequestFamily::Vector => "use the engine diskann, or a block workload such as random",
        RequestFamily::Sql => {
            "use a SQL engine such as mysql or postgres, or a block workload such as random"
        }
        _ => {
            "use a block engine such as uring or psync, or a key-value workload such as readrandom"
        }
    };
    log.note(at, message, "does not suit the engine", help);
}

/// Reports a queue deeper than the engine supports.
pub fn check_depth(engine: &Info, depth: f64, at: SourceSpan, log: &mut Mistakes) {
    if depth > f64::from(engine.max_depth) {
        let message = format!(
            "the engine '{}' takes a depth of at most {}, not {depth}",
            engine.name, engine.max_depth
        );
        let help = "a synchronous engine has one request in flight for each thread: use more \
                    threads, or uring";
        log.note(at, message, "too deep", help);
    }
}

/// Adds defaults to a part's knobs. If a knob is set more than once the last one counts, and
/// options are merged. `needs_at` is the position for a missing required knob.
pub fn resolve(
    info: &Info,
    given: &[&NodeEntry],
    needs_at: SourceSpan,
    log: &mut Mistakes,
) -> Component {
    let mut knobs = Knobs::default();
    for knob in info.knobs {
        let written = given.iter().filter(|e| e.key == knob.name);
        let mut value = None;
        for entry in written {
            value = merged(value, json(knob, &entry.node, log));
        }
        let written_wrong = value.is_none() && given.iter().any(|e| e.key == knob.name);
        let value = match knob.default {
            _ if value.is_some() || written_wrong => value,
            DefaultValue::Absent => None,
            DefaultValue::Is(text) => parse_value(text, SourceSpan::NOWHERE.source)
                .and_then(|node| json(knob, &node, log)),
            DefaultValue::Required => {
                let message = format!("'{}' needs '{}'", info.name, knob.name);
                log.note(needs_at, message, format!("no '{}' given", knob.name), knob.doc);
                None
            }
        };
        if let Some(value) = value {
            knobs.0.insert(knob.name.to_string(), value);
        }
    }
    Component { name: info.name.to_string(), knobs }
}

fn merged(older: Option<Json>, newer: Option<Json>) -> Option<Json> {
    match (older, newer) {
        (Some(Json::Object(mut all)), Some(Json::Object(more))) => {
            all.extend(more);
            Some(Json::Object(all))
        }
        (older, None) => older,
        (_, newer) => newer,
    }
}

/// A knob's value in its resolved form.
pub fn json(knob: &Knob, node: &Node, log: &mut Mistakes) -> Option<Json> {
    match knob.kind {
        KnobKind::Bool => fields::flag(node, log).map(Json::from),
        KnobKind::Int { min, max } => fields::whole(node, min, max, log).map(Json::from),
        KnobKind::Float { min, max } => fields::number(node, min, max, log).map(Json::from),
        KnobKind::Bytes => fields::bytes(node, log).map(Json::from),
        KnobKind::Time => fields::time_ns(node, log).map(Json::from),
        KnobKind::Text => fields::text(node, log).map(Json::from),
        KnobKind::Words => words(node, log),
        KnobKind::Choice(words) => fields::choice(node, words, log).map(Json::from),
        KnobKind::Sizes => sizes(node, log),
        KnobKind::Options => options(node, log),
    }
}

fn words(node: &Node, log: &mut Mistakes) -> Option<Json> {
    let items = fields::list(node, "words, as in [\"ipmitool\", \"dcmi\"]", log);
    let words: Vec<String> = items.iter().filter_map(|item| fields::text(item, log)).collect();
    (!items.is_empty() && words.len() == items.len()).then(|| Json::from(words))
}

fn sizes(node: &Node, log: &mut Mistakes) -> Option<Json> {
    let NodeValue::List(items) = &node.value else {
        return some_bytes(node, log).map(one_size);
    };
    let help = "write pairs of a size and a weight, as in [[\"4KiB\", 60], [\"64KiB\", 40]]";
    if items.is_empty() {
        log.note(node.at, "there is no size here", "empty", help);
        return None;
    }
    let mut pairs = Vec::new();
    for item in items {
        let [size, weight] = item.items() else {
            fields::wrong(item, "a pair of a size and a weight", help, log);
            continue;
        };
        let pair = (some_bytes(size, log), fields::number(weight, f64::MIN_POSITIVE, 1e9, log));
        if let (Some(size), Some(weight)) = pair {
            pairs.push(json!([size, weight]));
        }
    }
    (pairs.len() == items.len()).then_some(Json::Array(pairs))
}

/// The resolved form of a single size.
pub fn one_size(bytes: u64) -> Json {
    json!([[bytes, 1.0]])
}

fn some_bytes(node: &Node, log: &mut Mistakes) -> Option<u64> {
    let bytes = fields::block_bytes(node, log)?;
    if bytes == 0 {
        log.note(
            node.at,
            "a size of zero moves nothing",
            "zero",
            "write a size, for example \"4KiB\"",
        );
        return None;
    }
    Some(bytes)
}

fn options(node: &Node, log: &mut Mistakes) -> Option<Json> {
    let NodeValue::Table(entries) = &node.value else {
        fields::wrong(
            node,
            "a table of options",
            "as in { compression = \"kNoCompression\" }",
            log,
        );
        return None;
    };
    let mut all = Map::new();
    for NodeEntry { key, node, .. } in entries {
        let text = match &node.value {
            NodeValue::Text(text) => text.clone(),
            NodeValue::Whole(n) => n.to_string(),
            NodeValue::Number(n) => n.to_string(),
            NodeValue::Flag(flag) => flag.to_string(),
            _ => {
                fields::wrong(
                    node,
                    "a string, a number, true or false",
                    "nested options are written as one string",
                    log,
                );
                continue;
            }
        };
        all.insert(key.clone(), Json::from(text));
    }
    Some(Json::Object(all))
}
