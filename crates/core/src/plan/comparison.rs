//! Comparisons: several protocols over the same subjects. Each becomes a test, a plan of its own
//! with the subjects and keys of the plan that lists them.
//!
//! The list may be the plan's own (`protocols = ["write-pressure", { protocol = "tpcc" }]`), or
//! that of a comparison which the plan names like a protocol, with its title, source, values and
//! scales. A path in the values of several tests begins with the name of a test:
//! `"write-pressure.step.pressure.duration" = "20s"`.

use std::path::Path;

use crate::plan::model::Comparison;
use crate::plan::steps::overrides;
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan, remedy};
use crate::plan::syntax::node::{Node, NodeEntry, NodeValue};

/// Keys of an entry besides its protocol, which take precedence over those of the plan around it.
pub const OWN: &[&str] = &["scale", "repeats", "order", "vary", "override"];

/// A list of protocols, and where it stands.
pub struct Listing<'a> {
    /// The plan, or the file of the comparison.
    pub tree: &'a Node,
    pub name: String,
    /// That of a comparison's file, if its protocols' paths start there and not at the plan's.
    pub folder: Option<&'a Path>,
    /// The list is the plan's own.
    pub is_plan: bool,
}

/// The plans of the tests, as trees: each has the plan's keys and its own.
pub fn tests(
    listing: &Listing<'_>,
    plan: &Node,
    log: &mut Mistakes,
) -> Option<(Comparison, Vec<Node>)> {
    let list = listing.tree.get("protocols")?;
    let (mut comparison, mut shared, mut scales) =
        (Comparison { name: listing.name.clone(), ..Comparison::default() }, Vec::new(), None);
    if !listing.is_plan {
        let mut table = Fields::of(listing.tree, "a comparison", log)?;
        table.get("protocols");
        comparison.title =
            fields::text(table.need("title", "\"Blocks and databases\"", log)?, log)?;
        let source = table.get("source").map(|node| fields::text(node, log));
        comparison.source = source.unwrap_or_else(|| Some(String::new()))?;
        shared.extend(table.get("override").map(Node::entries).unwrap_or_default());
        scales = table.get("scale");
        table.finish(log);
    }
    let scale = plan.get("scale").and_then(Node::as_text);
    let of_scale = scales.zip(scale).and_then(|(scales, name)| scales.get(name));
    shared.extend(of_scale.map(Node::entries).unwrap_or_default());
    let of_plan = plan.get("override").map(Node::entries).unwrap_or_default();

    let entries = fields::list(list, "protocols, each a name or a table with one", log);
    let mut listed: Vec<(String, Node, Vec<NodeEntry>)> = Vec::new();
    for entry in entries {
        let (protocol, own) = entry_of(entry, log)?;
        let name = name_of(&fields::text(&protocol, log)?);
        if listed.iter().any(|(known, ..)| *known == name) {
            let help = "list each protocol once";
            log.note(entry.at, format!("'{name}' is listed twice"), "listed above", help);
        }
        listed.push((name, located(protocol, listing.folder), own));
    }
    if listed.is_empty() {
        let help = "write protocols = [\"vdbench-profiles\", \"write-pressure\"]";
        log.note(list.at, "the comparison has no protocols", "empty", help);
        return None;
    }
    let names: Vec<&str> = listed.iter().map(|(name, ..)| name.as_str()).collect();
    let shared: Vec<NodeEntry> = shared.into_iter().cloned().collect();
    let (mut before, mut after) = (by_test(&shared, &names, log), by_test(of_plan, &names, log));
    let trees = listed.iter().enumerate().map(|(index, (_, protocol, own))| {
        let overriding = own.iter().filter(|e| e.key == "override").flat_map(|e| e.node.entries());
        let values = [
            std::mem::take(&mut before[index]),
            overriding.cloned().collect(),
            std::mem::take(&mut after[index]),
        ];
        tree(plan, protocol, own, values.concat(), listing.is_plan)
    });
    Some((comparison, trees.collect()))
}

/// An entry's protocol, and its own keys.
fn entry_of(entry: &Node, log: &mut Mistakes) -> Option<(Node, Vec<NodeEntry>)> {
    if entry.as_text().is_some() {
        return Some((entry.clone(), Vec::new()));
    }
    let mut table = Fields::of(entry, "a test of a comparison", log)?;
    let protocol = table.need("protocol", "\"write-pressure\"", log)?.clone();
    for key in OWN {
        table.get(key);
    }
    table.finish(log);
    let own = entry.entries().iter().filter(|e| OWN.contains(&e.key.as_str()));
    Some((protocol, own.cloned().collect()))
}

/// The name that the protocol will have: built in, or that of its file.
fn name_of(written: &str) -> String {
    match written.contains('/') || written.ends_with(".toml") {
        true => Path::new(written).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        false => written.to_string(),
    }
}

/// A protocol's path, which starts at the folder of the comparison.
fn located(mut protocol: Node, folder: Option<&Path>) -> Node {
    if let (NodeValue::Text(written), Some(folder)) = (&mut protocol.value, folder)
        && (written.contains('/') || written.ends_with(".toml"))
    {
        let path = std::path::absolute(folder.join(&*written));
        *written = path.map_or(std::mem::take(written), |path| path.display().to_string());
    }
    protocol
}

/// The values of each test, without its name.
fn by_test(values: &[NodeEntry], names: &[&str], log: &mut Mistakes) -> Vec<Vec<NodeEntry>> {
    let mut all = vec![Vec::new(); names.len()];
    for mut entry in overrides::flat(values) {
        let of = names.iter().position(|name| {
            entry.key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
        });
        match of {
            Some(index) => {
                entry.key = entry.key[names[index].len() + 1..].to_string();
                all[index].push(entry);
            }
            None => {
                let first = entry.key.split('.').next().unwrap_or_default();
                let help = remedy(first, "a path starts with a test", names.iter().copied());
                log.note(entry.key_at, format!("there is no test '{first}'"), "no test", help);
            }
        }
    }
    all
}

/// The plan of a test: the keys of the plan with those of the entry. In a comparison of its own
/// file, a plan's keys take precedence over those of the entry.
fn tree(
    plan: &Node,
    protocol: &Node,
    own: &[NodeEntry],
    values: Vec<NodeEntry>,
    is_plan: bool,
) -> Node {
    let (first, second) = (plan.entries(), own);
    let dropped = ["protocol", "protocols", "override"];
    let mut entries = vec![NodeEntry {
        key: "protocol".to_string(),
        key_at: protocol.at,
        node: protocol.clone(),
    }];
    let ordered = if is_plan { [second, first] } else { [first, second] };
    for entry in ordered.into_iter().flatten() {
        if !dropped.contains(&&*entry.key) && !entries.iter().any(|e| e.key == entry.key) {
            entries.push(entry.clone());
        }
    }
    let at = SourceSpan::NOWHERE;
    let values = Node { at, value: NodeValue::Table(values) };
    entries.push(NodeEntry { key: "override".to_string(), key_at: at, node: values });
    Node { at: plan.at, value: NodeValue::Table(entries) }
}
