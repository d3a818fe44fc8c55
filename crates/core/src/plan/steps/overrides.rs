//! Overrides: any part of a protocol replaced by path, as in `"step.readrandom.duration" = "20m"`.
//!
//! A value retains its source position, so an invalid one is shown in the plan file and not in the
//! protocol.

use crate::plan::steps::stream::stream_name;
use crate::plan::syntax::mistakes::{Mistakes, remedy};
use crate::plan::syntax::node::{Node, NodeEntry, NodeValue};

/// Valid beginnings of an override's path.
pub const TOPS: &[&str] = &["title", "source", "headline", "dataset", "prepare", "step"];

/// Applies every override to the protocol's tree.
pub fn apply(tree: &mut Node, overrides: &[NodeEntry], log: &mut Mistakes) {
    for entry in flat(overrides) {
        if let Err((message, help)) = put(tree, &entry) {
            log.note(entry.key_at, message, "no such path", help);
        }
    }
}

/// Sets a value within a step, by a path that begins in it. Returns whether there is such a place;
/// otherwise it is a mistake.
pub fn put_within(step: &mut Node, entry: &NodeEntry, log: &mut Mistakes) -> bool {
    let mistake = put_from(step, entry, WITHIN_A_STEP).err();
    mistake
        .iter()
        .for_each(|(message, help)| log.note(entry.key_at, message, "no such path", help));
    mistake.is_none()
}

/// The overrides, each with its whole path.
pub fn flat(overrides: &[NodeEntry]) -> Vec<NodeEntry> {
    let mut flat = Vec::new();
    overrides.iter().for_each(|entry| flatten(entry, String::new(), &mut flat));
    flat
}

/// An unquoted path is nested tables in TOML. Values that are tables are set key by key.
fn flatten(entry: &NodeEntry, before: String, flat: &mut Vec<NodeEntry>) {
    let path =
        if before.is_empty() { entry.key.clone() } else { format!("{before}.{}", entry.key) };
    match &entry.node.value {
        NodeValue::Table(entries) if !entries.is_empty() => {
            for inner in entries {
                flatten(inner, path.clone(), flat);
            }
        }
        _ => flat.push(NodeEntry { key: path, key_at: entry.key_at, node: entry.node.clone() }),
    }
}

fn put(tree: &mut Node, entry: &NodeEntry) -> Result<(), (String, String)> {
    let top = entry.key.split('.').next().unwrap_or_default();
    if !TOPS.contains(&top) {
        let help = remedy(top, "a path starts with", TOPS.iter().copied());
        return Err((format!("a protocol has no '{top}' to override"), help));
    }
    put_from(tree, entry, 0)
}

/// The level of the parts of a step: `step` and its name are above them.
const WITHIN_A_STEP: usize = 2;

fn put_from(tree: &mut Node, entry: &NodeEntry, level: usize) -> Result<(), (String, String)> {
    let (way, last) = entry
        .key
        .rsplit_once('.')
        .map_or((None, entry.key.as_str()), |(way, last)| (Some(way), last));
    let mut here = tree;
    for (below, part) in way.iter().flat_map(|way| way.split('.')).enumerate() {
        here = descend(here, part, level + below, entry)?;
    }
    widen(here);
    let NodeValue::Table(entries) = &mut here.value else {
        let help = "continue the path: a step, stream or dataset, then its key".to_string();
        return Err((format!("the path '{}' does not lead to a key", entry.key), help));
    };
    let new = NodeEntry { key: last.to_string(), key_at: entry.key_at, node: entry.node.clone() };
    match entries.iter_mut().find(|e| e.key == *last) {
        Some(old) => *old = new,
        None => entries.push(new),
    }
    Ok(())
}

/// Converts `"random"` to `{ kind = "random" }`, so that a knob can be set on it.
fn widen(node: &mut Node) {
    if let NodeValue::Text(_) = node.value {
        let kind = node.clone();
        let entry = NodeEntry { key: "kind".into(), key_at: node.at, node: kind };
        node.value = NodeValue::Table(vec![entry]);
    }
}

fn descend<'t>(
    here: &'t mut Node,
    part: &str,
    level: usize,
    entry: &NodeEntry,
) -> Result<&'t mut Node, (String, String)> {
    widen(here);
    let names: Vec<String> = match &here.value {
        NodeValue::List(items) => {
            items.iter().filter_map(stream_name).map(str::to_string).collect()
        }
        _ => here.entries().iter().map(|e| e.key.clone()).collect(),
    };
    let nowhere = || {
        let help = remedy(part, "here are", names.iter().map(String::as_str));
        (format!("the path '{}' finds no '{part}' in the protocol", entry.key), help)
    };
    match &mut here.value {
        NodeValue::List(items) => {
            items.iter_mut().find(|n| stream_name(n) == Some(part)).ok_or_else(nowhere)
        }
        NodeValue::Table(entries) => {
            let found = entries.iter().position(|e| e.key == part);
            let index = match found {
                Some(index) => index,
                // A dataset or stream may not have a table of knobs yet, and a protocol need not
                // prepare anything.
                None if (level >= 2 && !matches!(part, "stream" | "step"))
                    || entry.key.starts_with("prepare.") =>
                {
                    let node = Node { at: entry.key_at, value: NodeValue::Table(Vec::new()) };
                    entries.push(NodeEntry { key: part.to_string(), key_at: entry.key_at, node });
                    entries.len() - 1
                }
                None => return Err(nowhere()),
            };
            Ok(&mut entries[index].node)
        }
        _ => Err(nowhere()),
    }
}
